// The same, where a group's first and last segments may go on in its neighbours: these are carried out, with their
// elements, the first one to the group's slot (unless it began in the lane), the last one to the slot after.
template <typename T, int G, typename Op = Add, typename Sole = Store, typename Lanes = WholeWarp>
__device__ __forceinline__ void carrySegments(T* array, long long index, T value, Segment segment, bool exists,
                                              bool began, T nothing, T* sums, int* elements, long long slot) {
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const T other = (T)__shfl_down_sync(Lanes::template mask<G>(), value, distance, G);
        if (distance < segment.length) value = Op::combine(value, other);
    }
    if (!segment.head || !exists) return;
    const int lane = threadIdx.x % G;
    const bool first = lane == 0 && !began;
    const bool last = lane + segment.length == G;
    if (first) {
        sums[slot] = value;
        elements[slot] = (int)index;
    }
    if (last) {
        sums[slot + 1] = first ? nothing : value;
        elements[slot + 1] = (int)index;
    }
    if (!first && !last) Sole::template write<Op>(array + index, value);
}
