// First position in lo..hi whose element is not below the key, or hi.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] < key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// a[i] = b[i] * c[i];
extern "C" __global__ void __launch_bounds__(256) vector_product(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const double* __restrict__ c_vals,
    double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pb1_end = b1_pos[1];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int position = block_x * 256 + thread_x;
    if (position < pb1_end) {
        const int i = b1_crd[position];
        const int pc1_begin = c1_pos[0];
        const int pc1_end = c1_pos[1];
        const int pc1 = lowerBound(c1_crd, pc1_begin, pc1_end, i);
        if (pc1 < pc1_end && c1_crd[pc1] == i) {
            a_vals[i] = b_vals[position] * c_vals[pc1];
        }
    }
}
