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

// From sm_90 on a launch that follows another of its call may start before that one has ended. Each thread waits here until
// all launches before have ended, and what they wrote is there to be read; that may be so already.
__device__ __forceinline__ void waitForLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// When all blocks have come here or have ended, blocks of the next launch may take the room that there is. This one needs none
// of it, its blocks all run by then; what other streams run may get it later. A launch that waits comes here after that, so
// that two launches of a call are under way at most.
__device__ __forceinline__ void allowNextLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// s[j] = A[i, j] * r[i] + rest;
extern "C" __global__ void __launch_bounds__(256) pagerank_1_nnz_1_col_1(
    int A2_dim, double rest, double* __restrict__ s_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(j, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(j, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int j = block_x * 256 + thread_x;
    if (j < A2_dim) {
        s_vals[j] = rest;
    }
}

// s[j] = A[i, j] * r[i] + rest;
extern "C" __global__ void __launch_bounds__(256) pagerank_t0_1_nnz_1_col_1(
    const int* A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ r_vals, int A1_dim, double* s_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    waitForLaunch();
    // split(pos_t0, block_t0, lane_t0, 256); parallelize(block_t0, GPUBlock, IgnoreRaces)
    // split(pos_t0, block_t0, lane_t0, 256); parallelize(lane_t0, GPUThread, Atomics)
    const int pos_t0 = block_x * 256 + thread_x;
    if (pos_t0 < pA2_end) {
        const int j_t0 = A2_crd[pos_t0];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos_t0) - 1;
        atomicAdd(&s_vals[j_t0], A_vals[pos_t0] * r_vals[pA1]);
    }
}
