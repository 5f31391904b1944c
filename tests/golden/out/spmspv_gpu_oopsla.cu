// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmspv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ x1_pos, const int* __restrict__ x1_crd, const float* __restrict__ x_vals,
    float* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int px1_end = x1_pos[1];
    // split(jpos, block, warp, 8); parallelize(block, GPUBlock, IgnoreRaces)
    // split(jpos, block, warp, 8); parallelize(warp, GPUWarp, IgnoreRaces)
    const int warp = thread_x / 32;
    const int jpos = block_x * 8 + warp;
    if (jpos < px1_end) {
        const int j = x1_crd[jpos];
        // split(ipos, ipos0, thread, 32); parallelize(thread, GPUThread, Atomics)
        const int thread = thread_x % 32;
        const int pA2_begin = A2_pos[j];
        const int pA2_end = A2_pos[j + 1];
        const float x_val = x_vals[jpos];
        // split(ipos, ipos0, thread, 32)
        for (int pA = pA2_begin + thread; pA < pA2_end; pA += 32) {
            const int i = A2_crd[pA];
            atomicAdd(&y_vals[i], A_vals[pA] * x_val);
        }
    }
}
