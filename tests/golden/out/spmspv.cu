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

// First position in lo..hi whose element is not below the key, or hi: by steps that double, then between the last two.
template <typename K> __device__ __forceinline__ int gallop(const int* array, int lo, int hi, K key) {
    unsigned at = lo;
    for (unsigned step = 1; at < static_cast<unsigned>(hi); step *= 2) {
        if (array[at] < key) lo = at + 1;
        else hi = at;
        at += step;
    }
    return lowerBound(array, lo, hi, key);
}

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmspv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ x1_pos, const int* __restrict__ x1_crd, const double* __restrict__ x_vals,
    int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        double t = 0.0;
        const int pA2_end = A2_pos[i + 1];
        const int px1_end = x1_pos[1];
        int pA = A2_pos[i];
        int px = x1_pos[0];
        while (pA < pA2_end && px < px1_end) {
            const int jA = A2_crd[pA];
            const int jx = x1_crd[px];
            if (jA == jx) {
                t += A_vals[pA] * x_vals[px];
                ++pA;
                ++px;
            } else if (jA < jx) {
                pA = gallop(A2_crd, pA + 1, pA2_end, jx);
            } else {
                px = gallop(x1_crd, px + 1, px1_end, jA);
            }
        }
        y_vals[i] = t;
    }
}
