// How many lanes of the group have the condition: all of them, or those before this one.
template <int G, typename Lanes> __device__ __forceinline__ unsigned votesOfGroup(bool vote) {
    return __ballot_sync(Lanes::template mask<G>(), vote) >> (threadIdx.x & 31 & ~(G - 1)) & 0xffffffffu >> (32 - G);
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countInGroup(bool vote) {
    return __popc(votesOfGroup<G, Lanes>(vote));
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countBefore(bool vote, int& all) {
    const unsigned votes = votesOfGroup<G, Lanes>(vote);
    all = __popc(votes);
    return __popc(votes & ((1u << threadIdx.x % G) - 1));
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countBefore(bool vote) {
    int all;
    return countBefore<G, Lanes>(vote, all);
}
