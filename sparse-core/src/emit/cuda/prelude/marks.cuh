// How many of a word's lowest bits are set, of fewer than 31.
__device__ __forceinline__ int marksBelow(int word, int n) { return __popc(word & ((1 << n) - 1)); }
