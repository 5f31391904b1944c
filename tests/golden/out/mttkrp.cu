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

// A[i, r] = B[i, j, k] * C[j, r] * D[k, r];
extern "C" __global__ void __launch_bounds__(256) mttkrp(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    const double* __restrict__ D_vals, int B1_dim, int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)B1_dim * C2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / C2_dim;
        const int r = fused % C2_dim;
        const int pB1_begin = B1_pos[0];
        const int pB1_end = B1_pos[1];
        const int pB1 = lowerBound(B1_crd, pB1_begin, pB1_end, i);
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            double t = 0.0;
            for (int pB = B2_pos[pB1], pB_end = B2_pos[pB1 + 1]; pB < pB_end; ++pB) {
                const int j = B2_crd[pB];
                for (int pB_2 = B3_pos[pB], pB_2_end = B3_pos[pB + 1]; pB_2 < pB_2_end; ++pB_2) {
                    const int k = B3_crd[pB_2];
                    t += B_vals[pB_2] * C_vals[(long long)j * C2_dim + r] * D_vals[(long long)k * C2_dim + r];
                }
            }
            A_vals[(long long)i * C2_dim + r] = t;
        }
    }
}
