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

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(512, 2) spmv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ x_vals, int A1_dim, float* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, fpos1, 3584); parallelize(block, GPUBlock, IgnoreRaces)
    // split(fpos1, warp, fpos2, 224); parallelize(warp, GPUWarp, IgnoreRaces)
    const int warp = thread_x / 32;
    // split(fpos2, thread, thread_nz, 7); parallelize(thread, GPUThread, Atomics)
    const int thread = thread_x % 32;
    float precomputed[7] = {};
    // precompute(A[i, j] * x[j], [thread_nz], [thread_nz_pre], precomputed); unroll(thread_nz_pre, 7)
    #pragma unroll 7
    for (int thread_nz_pre = 0; thread_nz_pre < 7; ++thread_nz_pre) {
        const int fpos2_precomputed = thread * 7 + thread_nz_pre;
        const int fpos1_precomputed = warp * 224 + fpos2_precomputed;
        const int fpos_precomputed = block_x * 3584 + fpos1_precomputed;
        if (fpos_precomputed < pA2_end) {
            const int j_precomputed = A2_crd[fpos_precomputed];
            precomputed[thread_nz_pre] = A_vals[fpos_precomputed] * x_vals[j_precomputed];
        }
    }
    const int fpos1_begin = block_x * 3584;
    const int fpos1_end = min(fpos1_begin + 3584, pA2_end);
    const int fpos2_begin = min(fpos1_begin + warp * 224, fpos1_end);
    const int fpos2_end = min(fpos2_begin + 224, fpos1_end);
    const int thread_nz_begin = min(fpos2_begin + thread * 7, fpos2_end);
    const int thread_nz_end = min(thread_nz_begin + 7, fpos2_end);
    if (thread_nz_begin < thread_nz_end) {
        int pA = thread_nz_begin;
        int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
        const int first = i;
        while (pA < thread_nz_end) {
            float t = 0.0f;
            const int pA2_end_2 = min(A2_pos[i + 1], thread_nz_end);
            // split(fpos2, thread, thread_nz, 7)
            for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                t += precomputed[pA_2 - thread_nz_begin];
            }
            pA = pA2_end_2;
            if (first < i && pA < thread_nz_end) {
                y_vals[i] = t;
            } else {
                atomicAdd(&y_vals[i], t);
            }
            ++i;
            if (pA < thread_nz_end && A2_pos[i + 1] <= pA) {
                i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
            }
        }
    }
}
