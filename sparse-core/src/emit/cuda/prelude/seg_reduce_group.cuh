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
