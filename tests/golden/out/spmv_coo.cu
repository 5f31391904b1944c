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

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmv_coo(
    const int* __restrict__ A1_pos, const int* __restrict__ A1_crd, const int* __restrict__ A2_crd,
    const double* __restrict__ A_vals, const double* __restrict__ x_vals, int A1_dim,
    double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int part = block_x * 256 + thread_x;
    if (part < (A1_dim + 31) / 32) {
        const int window_begin = min(part * 32, A1_dim);
        const int window_end = min(window_begin + 32, A1_dim);
        const int pA1_begin = A1_pos[0];
        const int pA1_end = A1_pos[1];
        const int pA_begin = lowerBound(A1_crd, pA1_begin, pA1_end, window_begin);
        const int pA_end = lowerBound(A1_crd, pA_begin, pA1_end, window_end);
        int pA = pA_begin;
        while (pA < pA_end) {
            const int i = A1_crd[pA];
            int pA_next = pA;
            while (pA_next < pA_end && A1_crd[pA_next] == i) {
                ++pA_next;
            }
            double t = 0.0;
            for (int pA_2 = pA, pA_2_end = pA_next; pA_2 < pA_2_end; ++pA_2) {
                const int j = A2_crd[pA_2];
                t += A_vals[pA_2] * x_vals[j];
            }
            y_vals[i] = t;
            pA = pA_next;
        }
    }
}
