// What each warp of a block of T threads has comes together: the sum of the warps before this one, and of all. Others may use the
// array after the block's next barrier.
template <int T> __device__ __forceinline__ int sumOfWarps(int ofWarp, int* partial, int& all) {
    const int own = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) partial[own] = ofWarp;
    __syncthreads();
    int before = 0;
    all = 0;
#pragma unroll
    for (int warp = 0; warp < T / 32; ++warp) {
        if (warp == own) before = all;
        all = addCounts(all, partial[warp]);
    }
    return before;
}
