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
    static __device__ __forceinline__ void atomic(float* at, float value) { atomicAdd(at, value); }
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

template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicAddGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Add, Atomic, Lanes>(array, index, value, exists);
}

// t = A[i, j] * A[j, k] * A[i, k];
extern "C" __global__ void __launch_bounds__(256, 4) triangles(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    int A1_dim, float* __restrict__ t_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    float t = 0.0f;
    const int pA2_end = A2_pos[A1_dim];
    // split(position, block, rest, 8192); parallelize(block, GPUBlock, NoRaces)
    // split(rest, thread, nnz, 32); parallelize(thread, GPUGroup(32), ParallelReduction)
    const int rest_begin = block_x * 8192;
    const int rest_end = min(rest_begin + 8192, pA2_end);
    const int nnz_begin = min(rest_begin + thread_x * 32, rest_end);
    const int nnz_end = min(nnz_begin + 32, rest_end);
    if (nnz_begin < nnz_end) {
        int pA = nnz_begin;
        int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
        while (pA < nnz_end) {
            const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
            // split(rest, thread, nnz, 32)
            for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                const int j = A2_crd[pA_2];
                const int pA2_end_3 = A2_pos[j + 1];
                const int pA2_end_4 = A2_pos[i + 1];
                int pA_3 = A2_pos[j];
                int pA_4 = A2_pos[i];
                while (pA_3 < pA2_end_3 && pA_4 < pA2_end_4) {
                    const int kA = A2_crd[pA_3];
                    const int kA_2 = A2_crd[pA_4];
                    if (kA == kA_2) {
                        t += A_vals[pA_2] * A_vals[pA_3] * A_vals[pA_4];
                        ++pA_3;
                        ++pA_4;
                    } else if (kA < kA_2) {
                        ++pA_3;
                    } else {
                        ++pA_4;
                    }
                }
            }
            pA = pA2_end_2;
            ++i;
            if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
            }
        }
    }
    atomicAddGroup<float, 32>(t_vals, 0, t);
}
