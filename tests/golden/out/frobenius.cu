struct Add {
    static __device__ __forceinline__ double combine(double a, double b) { return a + b; }
    static __device__ __forceinline__ void atomic(double* at, double value) { atomicAdd(at, value); }
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

// s = A[i, j] * A[i, j];
extern "C" __global__ void __launch_bounds__(256) frobenius(
    const int* __restrict__ A2_pos, const double* __restrict__ A_vals, int A1_dim,
    double* __restrict__ s_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    double t = 0.0;
    const int pA2_end = A2_pos[A1_dim];
    const int blocks = max(min((pA2_end + 2047) / 2048, 2048), 1);
    const int position_step = ((pA2_end + 255) / 256 + blocks - 1) / blocks * 256;
    // divide(position, block, rest, 2048); parallelize(block, GPUBlock, NoRaces)
    // split(rest, step, thread, 256); parallelize(thread, GPUGroup(32), ParallelReduction)
    const int rest_begin = (int)min((long long)block_x * position_step, (long long)pA2_end);
    const int rest_end = min(rest_begin + position_step, pA2_end);
    // split(rest, step, thread, 256)
    for (int pA = rest_begin + thread_x; pA < rest_end; pA += 256) {
        t += A_vals[pA] * A_vals[pA];
    }
    atomicAddGroup<double, 32>(s_vals, 0, t);
}
