// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmspv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ x1_pos, const int* __restrict__ x1_crd, const double* __restrict__ x_vals,
    double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int px1_end = x1_pos[1];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, Atomics)
    const int position = block_x * 256 + thread_x;
    if (position < px1_end) {
        const int j = x1_crd[position];
        const double x_val = x_vals[position];
        for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
            const int i = A2_crd[pA];
            atomicAdd(&y_vals[i], A_vals[pA] * x_val);
        }
    }
}
