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

// The value of the lane before, or after, in the group; the group's first, or last, lane keeps its own.
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T previousInGroup(T value) {
    return (T)__shfl_up_sync(Lanes::template mask<G>(), value, 1, G);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T nextInGroup(T value) {
    return (T)__shfl_down_sync(Lanes::template mask<G>(), value, 1, G);
}

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
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMulGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Mul, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMinGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Min, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMaxGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Max, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicAndGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, And, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicOrGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Or, Atomic, Lanes>(array, index, value, exists);
}
