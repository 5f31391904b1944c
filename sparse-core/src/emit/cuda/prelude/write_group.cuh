// The group's values are reduced; its first lane writes the result, if the element exists.
template <typename T, int G, typename Op, typename Writer, typename Lanes = WholeWarp>
__device__ __forceinline__ void writeGroup(T* array, long long index, T value, bool exists = true) {
    value = reduceGroup<T, G, Op, Lanes>(value);
    if (threadIdx.x % G == 0 && exists) Writer::template write<Op>(array + index, value);
}
