struct Add {
    static __device__ __forceinline__ double combine(double a, double b) { return a + b; }
};

// Which lanes a shuffle names. All lanes of the warp arrive, a constant mask; or those of the group alone.
struct WholeWarp {
    template <int G> static __device__ __forceinline__ unsigned mask() { return 0xffffffffu; }
};
struct OwnGroup {
    template <int G> static __device__ __forceinline__ unsigned mask() {
        return 0xffffffffu >> (32 - G) << (threadIdx.x & 31 & ~(G - 1));
    }
};

// The reduction of the group's values, in every lane: by a butterfly, so that all have the same bits.
template <typename T, int G, typename Op = Add, typename Lanes = WholeWarp>
__device__ __forceinline__ T reduceGroup(T value) {
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2) {
        const T other = (T)__shfl_xor_sync(Lanes::template mask<G>(), value, distance, G);
        value = Op::combine(value, other);
    }
    return value;
}

// r[i] = b[i] - A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) residual_1of32_row_1_col_32(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim,
    double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 32;
    const int i = block_x * 8 + warp;
    if (i < b1_dim) {
        double t = 0.0;
        // split(jpos, jstep, jlane, 32); parallelize(jlane, GPUGroup(32), ParallelReduction)
        const int jlane = thread_x % 32;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(jpos, jstep, jlane, 32)
        for (int pA = pA2_begin + jlane; pA < pA2_end; pA += 32) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
        t = reduceGroup<double, 32>(t);
        if (thread_x % 32 == 0) {
            r_vals[i] = b_vals[i] - t;
        }
    }
}

// r[i] = b[i] - A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) residual_1of16_row_1_col_16(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim,
    double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, warp, 16); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 16); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 16;
    const int i = block_x * 16 + warp;
    const bool live = i < b1_dim;
    double t = 0.0;
    if (live) {
        // split(jpos, jstep, jlane, 16); parallelize(jlane, GPUGroup(16), ParallelReduction)
        const int jlane = thread_x % 16;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(jpos, jstep, jlane, 16)
        for (int pA = pA2_begin + jlane; pA < pA2_end; pA += 16) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
    }
    t = reduceGroup<double, 16>(t);
    if (live) {
        if (thread_x % 16 == 0) {
            r_vals[i] = b_vals[i] - t;
        }
    }
}

// r[i] = b[i] - A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) residual_1_row_1_col_1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim,
    double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < b1_dim) {
        double t = 0.0;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
        r_vals[i] = b_vals[i] - t;
    }
}

// r[i] = b[i] - A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) residual_1of4_row_1_col_4(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim,
    double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 4;
    const int i = block_x * 64 + warp;
    const bool live = i < b1_dim;
    double t = 0.0;
    if (live) {
        // split(jpos, jstep, jlane, 4); parallelize(jlane, GPUGroup(4), ParallelReduction)
        const int jlane = thread_x % 4;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(jpos, jstep, jlane, 4)
        for (int pA = pA2_begin + jlane; pA < pA2_end; pA += 4) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
    }
    t = reduceGroup<double, 4>(t);
    if (live) {
        if (thread_x % 4 == 0) {
            r_vals[i] = b_vals[i] - t;
        }
    }
}
