// First position in lo..hi whose element is not below the key, or hi.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] < key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// First position in lo..hi whose element is above the key, or hi.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] <= key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) ttm(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ C_vals, int B1_dim, int B2_dim,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)B1_dim * B2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / B2_dim;
        const int j = fused % B2_dim;
        const int pB1_begin = B1_pos[0];
        const int pB1_end = B1_pos[1];
        const int pB1 = lowerBound(B1_crd, pB1_begin, pB1_end, i);
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            const int pB2_begin = B2_pos[pB1];
            const int pB2_end = B2_pos[pB1 + 1];
            const int pB2 = lowerBound(B2_crd, pB2_begin, pB2_end, j);
            if (pB2 < pB2_end && B2_crd[pB2] == j) {
                for (int pB = B3_pos[pB2], pB_end = B3_pos[pB2 + 1]; pB < pB_end; ++pB) {
                    const int k = B3_crd[pB];
                    const double B_val = B_vals[pB];
                    for (int l = 0; l < C2_dim; ++l) {
                        A_vals[((long long)i * B2_dim + j) * C2_dim + l] += B_val * C_vals[(long long)k * C2_dim + l];
                    }
                }
            }
        }
    }
}
