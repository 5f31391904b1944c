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

// A[i, j] = B[i, k, l] * C[k, j] * D[l, j];
extern "C" __global__ void __launch_bounds__(256) mttkrp(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const float* __restrict__ B_vals, const float* __restrict__ C_vals, const float* __restrict__ D_vals,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    const int pB3_end = B3_pos[pB2_end];
    // split(fpos, block, fpos1, 128); parallelize(block, GPUBlock, IgnoreRaces)
    // split(fpos1, warp, nnz, 16); parallelize(warp, GPUWarp, IgnoreRaces)
    const int warp = thread_x / 32;
    // split(jb, dense_val, thread, 32); parallelize(thread, GPUThread, Atomics)
    const int thread = thread_x % 32;
    // split(jb, dense_val, thread, 32)
    for (int j = thread; j < 32; j += 32) {
        const int fpos1_begin = block_x * 128;
        const int fpos1_end = min(fpos1_begin + 128, pB3_end);
        const int nnz_begin = min(fpos1_begin + warp * 16, fpos1_end);
        const int nnz_end = min(nnz_begin + 16, fpos1_end);
        if (nnz_begin < nnz_end) {
            int pB = nnz_begin;
            int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
            int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
            const int first = pB1;
            while (pB < nnz_end) {
                float t = 0.0f;
                const int pB2_end_3 = B2_pos[pB1 + 1];
                while (pB < nnz_end && pB2 < pB2_end_3) {
                    const int k = B2_crd[pB2];
                    const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                    // split(fpos1, warp, nnz, 16)
                    for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                        const int l = B3_crd[pB_2];
                        t += B_vals[pB_2] * C_vals[k * 32 + j] * D_vals[l * 32 + j];
                    }
                    pB = pB3_end_2;
                    ++pB2;
                }
                const int i = B1_crd[pB1];
                if (first < pB1 && pB < nnz_end) {
                    A_vals[i * 32 + j] = t;
                } else {
                    atomicAdd(&A_vals[i * 32 + j], t);
                }
                ++pB1;
            }
        }
    }
}
