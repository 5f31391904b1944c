// First position in lo..hi whose element is above the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] <= key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] <= key;
    return lo + below;
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) ttm(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const float* __restrict__ B_vals, const float* __restrict__ C_vals, int B2_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(fiber, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(l, lo, li, 32); parallelize(lo, GPUBlock, NoRaces)
    // split(fiber, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 32;
    const int fiber = block_x * 8 + warp;
    if (fiber < pB2_end) {
        const int j = B2_crd[fiber];
        const int pB1 = upperBound(B2_pos, 1, pB1_end, fiber) - 1;
        const int i = B1_crd[pB1];
        // split(l, lo, li, 32); parallelize(li, GPUThread, NoRaces)
        const int li = thread_x % 32;
        const int l = block_y * 32 + li;
        if (l < C2_dim) {
            float t = 0.0f;
            for (int pB = B3_pos[fiber], pB_end = B3_pos[fiber + 1]; pB < pB_end; ++pB) {
                const int k = B3_crd[pB];
                t += B_vals[pB] * C_vals[(long long)k * C2_dim + l];
            }
            A_vals[((long long)i * B2_dim + j) * C2_dim + l] = t;
        }
    }
}
