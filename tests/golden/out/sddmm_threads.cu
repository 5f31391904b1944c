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

// A[i, k] = B[i, k] * C[i, j] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const double* __restrict__ C_vals, const double* __restrict__ D_vals, int B1_dim, int B2_dim,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB2_end = B2_pos[B1_dim];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int position = block_x * 256 + thread_x;
    if (position < pB2_end) {
        const int k = B2_crd[position];
        const int pB1 = upperBound(B2_pos, 1, B1_dim, position) - 1;
        double t = 0.0;
        const double B_val = B_vals[position];
        for (int j = 0; j < C2_dim; ++j) {
            t += B_val * C_vals[(long long)pB1 * C2_dim + j] * D_vals[(long long)j * B2_dim + k];
        }
        A_vals[position] = t;
    }
}
