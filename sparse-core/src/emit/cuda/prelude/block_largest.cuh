// The largest of what the threads of the block have. Others may use the array after the block's next barrier.
template <int T> __device__ __forceinline__ int largestInBlock(int value, int* partial) {
    const int ofWarp = largestInGroup<32>(value);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = ofWarp;
    __syncthreads();
    int largest = 0;
#pragma unroll
    for (int warp = 0; warp < T / 32; ++warp) largest = max(largest, partial[warp]);
    return largest;
}
