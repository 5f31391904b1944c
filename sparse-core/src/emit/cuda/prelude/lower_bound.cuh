// First position in lo..hi whose element is not below the key, or hi.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] < key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}
