// Sums of counts: of all threads of the block, or of those before this one.
template <int T> __device__ __forceinline__ int sumBeforeInBlock(int count, int* partial, int& all) {
    int ofWarp;
    const int before = sumBefore<32>(count, ofWarp);
    return addCounts(sumOfWarps<T>(ofWarp, partial, all), before);
}
template <int T> __device__ __forceinline__ int sumBeforeInBlock(int count, int* partial) {
    int all;
    return sumBeforeInBlock<T>(count, partial, all);
}
template <int T> __device__ __forceinline__ int sumInBlock(int count, int* partial) {
    int all;
    sumOfWarps<T>(sumInGroup<32>(count), partial, all);
    return all;
}
