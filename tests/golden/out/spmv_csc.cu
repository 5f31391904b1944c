// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmv_csc(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(j, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(j, block, thread, 256); parallelize(thread, GPUThread, Atomics)
    const int j = block_x * 256 + thread_x;
    if (j < A1_dim) {
        for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
            const int i = A2_crd[pA];
            atomicAdd(&y_vals[i], A_vals[pA] * x_vals[j]);
        }
    }
}
