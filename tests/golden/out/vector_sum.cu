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

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const double* __restrict__ c_vals,
    int b1_dim, double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int part = block_x * 256 + thread_x;
    if (part < (b1_dim + 31) / 32) {
        const int window_begin = min(part * 32, b1_dim);
        const int window_end = min(window_begin + 32, b1_dim);
        const int pb1_begin = b1_pos[0];
        const int pb1_end = b1_pos[1];
        const int pc1_begin = c1_pos[0];
        const int pc1_end = c1_pos[1];
        const int pb_begin = lowerBound(b1_crd, pb1_begin, pb1_end, window_begin);
        const int pb_end = lowerBound(b1_crd, pb_begin, pb1_end, window_end);
        const int pc_begin = lowerBound(c1_crd, pc1_begin, pc1_end, window_begin);
        const int pc_end = lowerBound(c1_crd, pc_begin, pc1_end, window_end);
        int pb = pb_begin;
        int pc = pc_begin;
        while (pb < pb_end && pc < pc_end) {
            const int ib = b1_crd[pb];
            const int ic = c1_crd[pc];
            if (ib == ic) {
                a_vals[ib] = b_vals[pb] + c_vals[pc];
                ++pb;
                ++pc;
            } else if (ib < ic) {
                a_vals[ib] = b_vals[pb];
                ++pb;
            } else {
                a_vals[ic] = c_vals[pc];
                ++pc;
            }
        }
        // split(i, part, window, 32)
        for (int pb_2 = pb; pb_2 < pb_end; ++pb_2) {
            const int i = b1_crd[pb_2];
            a_vals[i] = b_vals[pb_2];
        }
        // split(i, part, window, 32)
        for (int pc_2 = pc; pc_2 < pc_end; ++pc_2) {
            const int i = c1_crd[pc_2];
            a_vals[i] = c_vals[pc_2];
        }
    }
}
