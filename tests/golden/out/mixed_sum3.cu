// First position in lo..hi whose element is not below the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] < key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] < key;
    return lo + below;
}

// A[i, j] = B[i, j] + C[i, j] + D[i, j];
extern "C" __global__ void __launch_bounds__(256) mixed_sum3(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const double* __restrict__ C_vals, const int* __restrict__ D2_pos, const int* __restrict__ D2_crd,
    const double* __restrict__ D_vals, int B1_dim, int B2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)B1_dim * B2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / B2_dim;
        const int j = fused % B2_dim;
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int pB2 = lowerBound(B2_crd, pB2_begin, pB2_end, j);
        if (pB2 < pB2_end && B2_crd[pB2] == j) {
            const int pD2_begin = D2_pos[i];
            const int pD2_end = D2_pos[i + 1];
            const int pD2 = lowerBound(D2_crd, pD2_begin, pD2_end, j);
            if (pD2 < pD2_end && D2_crd[pD2] == j) {
                A_vals[fused] = B_vals[pB2] + C_vals[fused] + D_vals[pD2];
            } else {
                A_vals[fused] = B_vals[pB2] + C_vals[fused];
            }
        } else {
            const int pD2_begin = D2_pos[i];
            const int pD2_end = D2_pos[i + 1];
            const int pD2 = lowerBound(D2_crd, pD2_begin, pD2_end, j);
            if (pD2 < pD2_end && D2_crd[pD2] == j) {
                A_vals[fused] = C_vals[fused] + D_vals[pD2];
            } else {
                A_vals[fused] = C_vals[fused];
            }
        }
    }
}
