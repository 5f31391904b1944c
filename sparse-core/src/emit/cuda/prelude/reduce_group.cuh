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
