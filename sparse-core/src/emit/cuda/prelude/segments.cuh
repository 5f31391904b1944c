// Where a lane is in the run of lanes of its group that have equal keys.
struct Segment {
    int length;   // lanes from this one to the end of its segment
    bool head;    // is it the first lane of its segment?
    bool inside;  // and does the segment neither begin the group nor end it?
};

// The segments of keys that do not decrease along the lanes: one shuffle and one ballot.
template <int G, typename Lanes = WholeWarp, typename K>
__device__ __forceinline__ Segment segmentsOf(K key) {
    const unsigned mask = Lanes::template mask<G>();
    const int lane = threadIdx.x % G;
    const bool head = __shfl_up_sync(mask, key, 1, G) != key || lane == 0;
    // Bit 0 is the lane after this one. Where the group ends there is a head again, or nothing.
    const unsigned heads = __ballot_sync(mask, head) >> (threadIdx.x & 31) >> 1;
    const int length = heads != 0 ? __ffs(heads) : G - lane;
    return {length, head, head && lane > 0 && lane + length < G};
}
