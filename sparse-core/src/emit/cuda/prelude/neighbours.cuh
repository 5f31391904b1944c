// The value of the lane before, or after, in the group; the group's first, or last, lane keeps its own.
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T previousInGroup(T value) {
    return (T)__shfl_up_sync(Lanes::template mask<G>(), value, 1, G);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T nextInGroup(T value) {
    return (T)__shfl_down_sync(Lanes::template mask<G>(), value, 1, G);
}
