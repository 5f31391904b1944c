// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmv_coo_1_nnz_1_col_1(
    const int* __restrict__ A1_pos, const int* __restrict__ A1_crd, const int* __restrict__ A2_crd,
    const double* __restrict__ A_vals, const double* __restrict__ x_vals, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA1_end = A1_pos[1];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA1_end) {
        const int j = A2_crd[pos];
        const int i = A1_crd[pos];
        atomicAdd(&y_vals[i], A_vals[pos] * x_vals[j]);
    }
}
