// First position in lo..hi whose element is not below the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] < key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] < key;
    return lo + below;
}

// First position in lo..hi whose element is above the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] <= key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] <= key;
    return lo + below;
}

// First position in lo..hi whose element is not below the key, or hi: by steps that double, then between the last two.
template <typename K> __device__ __forceinline__ int gallop(const int* array, int lo, int hi, K key) {
    unsigned at = lo;
    for (unsigned step = 1; at < static_cast<unsigned>(hi); step *= 2) {
        if (array[at] < key) lo = at + 1;
        else hi = at;
        at += step;
    }
    return lowerBound(array, lo, hi, key);
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

// A[i, k] = B[i, k] * C[i, j] * D[j, k];
extern "C" __global__ void __launch_bounds__(512, 2) sddmm(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int B2_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB2_end = B2_pos[B1_dim];
    // split(fpos, block, fpos1, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(fpos1, warp, nnz, 16); parallelize(warp, GPUWarp, Atomics)
    const int warp = thread_x / 32;
    const int fpos1_begin = block_x * 256;
    const int fpos1_end = min(fpos1_begin + 256, pB2_end);
    const int nnz_begin = min(fpos1_begin + warp * 16, fpos1_end);
    const int nnz_end = min(nnz_begin + 16, fpos1_end);
    if (nnz_begin < nnz_end) {
        int pB = nnz_begin;
        int i = upperBound(B2_pos, 1, B1_dim, pB) - 1;
        while (pB < nnz_end) {
            const int pB2_end_2 = min(B2_pos[i + 1], nnz_end);
            // split(fpos1, warp, nnz, 16)
            for (int pB_2 = pB; pB_2 < pB2_end_2; ++pB_2) {
                const int k = B2_crd[pB_2];
                float t = 0.0f;
                // split(j, dense_val_unbounded, thread, 32); parallelize(thread, GPUGroup(32), ParallelReduction)
                const int thread = thread_x % 32;
                const float B_val = B_vals[pB_2];
                // bound(dense_val_unbounded, dense_val, 4, MaxExact); unroll(dense_val, 4)
                #pragma unroll 4
                for (int dense_val = 0; dense_val < 4; ++dense_val) {
                    const int j = dense_val * 32 + thread;
                    if (j < C2_dim) {
                        t += B_val * C_vals[(long long)i * C2_dim + j] * D_vals[(long long)j * B2_dim + k];
                    }
                }
                writeGroup<float, 32, Add, Store>(A_vals, pB_2, t);
            }
            pB = pB2_end_2;
            ++i;
            if (pB < nnz_end && B2_pos[i + 1] <= pB) {
                i = gallop(B2_pos, i + 2, B1_dim, pB + 1) - 1;
            }
        }
    }
}
