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

// How the lane that has the result writes it.
struct Store {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) { *at = value; }
};
struct Combine {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) {
        *at = Op::combine(*at, value);
    }
};
struct Atomic {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) {
        Op::atomic(at, value);
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

// The group's values are reduced; its first lane writes the result, if the element exists.
template <typename T, int G, typename Op, typename Writer, typename Lanes = WholeWarp>
__device__ __forceinline__ void writeGroup(T* array, long long index, T value, bool exists = true) {
    value = reduceGroup<T, G, Op, Lanes>(value);
    if (threadIdx.x % G == 0 && exists) Writer::template write<Op>(array + index, value);
}

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, warp, 16); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 16); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 16;
    const int i = block_x * 16 + warp;
    const bool live = i < A1_dim;
    double t = 0.0;
    if (live) {
        // split(p, p0, p1, 16); parallelize(p1, GPUGroup(16), ParallelReduction)
        const int p1 = thread_x % 16;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(p, p0, p1, 16)
        for (int pA = pA2_begin + p1; pA < pA2_end; pA += 16) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
    }
    writeGroup<double, 16, Add, Store>(y_vals, i, t, live);
}
