// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}
