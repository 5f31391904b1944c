// How many threads of the block have the condition: all of them, or those before this one.
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial, int& all) {
    int ofWarp;
    const int before = countBefore<32>(vote, ofWarp);
    return sumOfWarps<T>(ofWarp, partial, all) + before;
}
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial) {
    int all;
    return countBeforeInBlock<T>(vote, partial, all);
}
template <int T> __device__ __forceinline__ int countInBlock(bool vote, int* partial) {
    int all;
    sumOfWarps<T>(countInGroup<32>(vote), partial, all);
    return all;
}
