// First position in lo..hi whose element is not below the key, or hi.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] < key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// y[i] = A[i, i] * x[i];
extern "C" __global__ void __launch_bounds__(256) diagonal(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        const int pA2 = lowerBound(A2_crd, pA2_begin, pA2_end, i);
        if (pA2 < pA2_end && A2_crd[pA2] == i) {
            y_vals[i] = A_vals[pA2] * x_vals[i];
        }
    }
}
