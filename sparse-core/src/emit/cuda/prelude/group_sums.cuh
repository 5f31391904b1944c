// Sums of counts: of all lanes of the group, or of those before this one.
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumInGroup(int count) {
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2) {
        count = addCounts(count, __shfl_xor_sync(Lanes::template mask<G>(), count, distance, G));
    }
    return count;
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumBefore(int count, int& all) {
    const unsigned mask = Lanes::template mask<G>();
    const int lane = threadIdx.x % G;
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const int other = __shfl_up_sync(mask, count, distance, G);
        if (distance <= lane) count = addCounts(count, other);
    }
    all = __shfl_sync(mask, count, G - 1, G);
    const int before = __shfl_up_sync(mask, count, 1, G);
    return lane == 0 ? 0 : before;
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumBefore(int count) {
    int all;
    return sumBefore<G, Lanes>(count, all);
}
