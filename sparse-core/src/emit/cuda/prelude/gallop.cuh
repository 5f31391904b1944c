// First position in lo..hi whose element is not below the key, or hi: by steps that double, then between the last two.
template <typename K> __device__ __forceinline__ int gallop(const int* array, int lo, int hi, K key) {
    unsigned at = lo;
    for (unsigned step = 1; at < static_cast<unsigned>(hi); step *= 2) {
        if (array[at] < key) lo = at + 1;
        else hi = at;
        at += step;
    }
    return lowerBound(array, lo, hi, key);
}
