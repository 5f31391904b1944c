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

// y[i] = A[i, h] * A[h, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) two_hops(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, Atomics)
    const int position = block_x * 256 + thread_x;
    if (position < pA2_end) {
        const int h = A2_crd[position];
        double t = 0.0;
        const double A_val = A_vals[position];
        for (int pA = A2_pos[h], pA_end = A2_pos[h + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_val * A_vals[pA] * x_vals[j];
        }
        const int pA1 = upperBound(A2_pos, 1, A1_dim, position) - 1;
        atomicAdd(&y_vals[pA1], t);
    }
}
