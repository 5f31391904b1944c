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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, fpos1, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(fpos1, warp, nnz, 32); parallelize(warp, GPUWarp, IgnoreRaces)
    const int warp = thread_x / 32;
    // split(kb, dense_val, thread, 32); parallelize(thread, GPUThread, Atomics)
    const int thread = thread_x % 32;
    // split(kb, dense_val, thread, 32)
    for (int k = thread; k < 128; k += 32) {
        const int fpos1_begin = block_x * 256;
        const int fpos1_end = min(fpos1_begin + 256, pA2_end);
        const int nnz_begin = min(fpos1_begin + warp * 32, fpos1_end);
        const int nnz_end = min(nnz_begin + 32, fpos1_end);
        if (nnz_begin < nnz_end) {
            int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
            const int first = i;
            float t = 0.0f;
            int pA2_end_2 = A2_pos[i + 1];
            // split(fpos1, warp, nnz, 32)
            for (int pA_2 = nnz_begin; pA_2 < nnz_end; ++pA_2) {
                if (pA2_end_2 <= pA_2) {
                    if (first < i) {
                        C_vals[i * 128 + k] = t;
                    } else {
                        atomicAdd(&C_vals[i * 128 + k], t);
                    }
                    t = 0.0f;
                    ++i;
                    pA2_end_2 = A2_pos[i + 1];
                    if (pA2_end_2 <= pA_2) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                        pA2_end_2 = A2_pos[i + 1];
                    }
                }
                const int j = A2_crd[pA_2];
                const float A_val = A_vals[pA_2];
                const float B_val = B_vals[j * 128 + k];
                t += A_val * B_val;
            }
            atomicAdd(&C_vals[i * 128 + k], t);
        }
    }
}
