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
