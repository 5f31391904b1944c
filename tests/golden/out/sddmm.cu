// First position in lo..hi whose element is above the key, or hi.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] <= key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

struct Add {
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
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

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm_1_nnz_1_col_1(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB2_end = B2_pos[B1_dim];
    // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
    // split(pos, block, warp_part, 256); parallelize(warp_part, GPUThread, NoRaces)
    const int pos = block_x * 256 + thread_x;
    if (pos < pB2_end) {
        const int j = B2_crd[pos];
        const int pB1 = upperBound(B2_pos, 1, B1_dim, pos) - 1;
        float t = 0.0f;
        const float B_val = B_vals[pos];
        for (int k = 0; k < C2_dim; ++k) {
            t += B_val * C_vals[(long long)pB1 * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
        }
        A_vals[pos] = t;
    }
}

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm_1_nnz_4_col_4(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB2_end = B2_pos[B1_dim];
    // split(pos, block, warp_part, 64); parallelize(block, GPUBlock, NoRaces)
    // split(pos, block, warp_part, 64); parallelize(warp_part, GPUWarp, NoRaces)
    const int warp_part = thread_x / 4;
    const int pos = block_x * 64 + warp_part;
    const bool live = pos < pB2_end;
    const int j = live ? B2_crd[pos] : 0;
    const int pB1 = live ? upperBound(B2_pos, 1, B1_dim, pos) - 1 : 0;
    float t = 0.0f;
    if (live) {
        // split(part, lane, column, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
        const int lane = thread_x % 4;
        // split(k, step, part, 16)
        for (int step = 0, step_end = (C2_dim + 15) / 16; step < step_end; ++step) {
            // split(part, lane, column, 4)
            #pragma unroll 4
            for (int column = 0; column < 4; ++column) {
                const int part = lane * 4 + column;
                const int k = step * 16 + part;
                if (k < C2_dim) {
                    t += B_vals[pos] * C_vals[(long long)pB1 * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
                }
            }
        }
    }
    writeGroup<float, 4, Add, Store>(A_vals, pos, t, live);
}

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm_1_nnz_4_col_8(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB2_end = B2_pos[B1_dim];
    // split(pos, block, warp_part, 32); parallelize(block, GPUBlock, NoRaces)
    // split(pos, block, warp_part, 32); parallelize(warp_part, GPUWarp, NoRaces)
    const int warp_part = thread_x / 8;
    const int pos = block_x * 32 + warp_part;
    const bool live = pos < pB2_end;
    const int j = live ? B2_crd[pos] : 0;
    const int pB1 = live ? upperBound(B2_pos, 1, B1_dim, pos) - 1 : 0;
    float t = 0.0f;
    if (live) {
        // split(part, lane, column, 4); parallelize(lane, GPUGroup(8), ParallelReduction)
        const int lane = thread_x % 8;
        // split(k, step, part, 32)
        for (int step = 0, step_end = (C2_dim + 31) / 32; step < step_end; ++step) {
            // split(part, lane, column, 4)
            #pragma unroll 4
            for (int column = 0; column < 4; ++column) {
                const int part = lane * 4 + column;
                const int k = step * 32 + part;
                if (k < C2_dim) {
                    t += B_vals[pos] * C_vals[(long long)pB1 * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
                }
            }
        }
    }
    writeGroup<float, 8, Add, Store>(A_vals, pos, t, live);
}
