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

// Segments that are inside have one writer; at the others' elements there may be more.
template <typename Sole> struct Complete {};

template <typename Op, typename Writer, typename T>
__device__ __forceinline__ void writeSegment(Writer, T* at, T value, Segment) {
    Writer::template write<Op>(at, value);
}
template <typename Op, typename Sole, typename T>
__device__ __forceinline__ void writeSegment(Complete<Sole>, T* at, T value, Segment segment) {
    if (segment.inside) Sole::template write<Op>(at, value);
    else Atomic::write<Op>(at, value);
}

// Each segment's values are reduced; its head writes the result, if the element exists.
template <typename T, int G, typename Op = Add, typename Writer = Atomic, typename Lanes = WholeWarp>
__device__ __forceinline__ void segReduceGroup(T* array, long long index, T value, Segment segment,
                                               bool exists = true) {
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const T other = (T)__shfl_down_sync(Lanes::template mask<G>(), value, distance, G);
        if (distance < segment.length) value = Op::combine(value, other);
    }
    if (segment.head && exists) writeSegment<Op>(Writer(), array + index, value, segment);
}
