// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    return (int)min((unsigned int)a + (unsigned int)b, 2147483647u);
}
