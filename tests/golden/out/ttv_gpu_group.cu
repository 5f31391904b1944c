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

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const float* __restrict__ B_vals, const float* __restrict__ c_vals, int B2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(fiber, block, warp, 32); parallelize(block, GPUBlock, NoRaces)
    // split(fiber, block, warp, 32); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 8;
    const int fiber = block_x * 32 + warp;
    const bool live = fiber < pB2_end;
    const int pB1_end_2 = live ? pB1_end : 0;
    const int j = live ? B2_crd[fiber] : 0;
    const int pB1 = live ? upperBound(B2_pos, 1, pB1_end_2, fiber) - 1 : 0;
    const int i = live ? B1_crd[pB1] : 0;
    float t = 0.0f;
    if (live) {
        // split(p, p0, p1, 8); parallelize(p1, GPUGroup(8), ParallelReduction)
        const int p1 = thread_x % 8;
        const int pB3_begin = B3_pos[fiber];
        const int pB3_end = B3_pos[fiber + 1];
        // split(p, p0, p1, 8)
        for (int pB = pB3_begin + p1; pB < pB3_end; pB += 8) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
    }
    writeGroup<float, 8, Add, Store>(A_vals, (long long)i * B2_dim + j, t, live);
}
