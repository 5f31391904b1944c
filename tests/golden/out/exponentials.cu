// y[i] = exp(A[i, j] * x[j]);
extern "C" __global__ void __launch_bounds__(256) exponentials_1_row_1_col_1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A2_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        double t = 0.0;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        t += (double)(A2_dim - (pA2_end - pA2_begin));
        for (int pA = pA2_begin; pA < pA2_end; ++pA) {
            const int j = A2_crd[pA];
            t += exp(A_vals[pA] * x_vals[j]);
        }
        y_vals[i] = t;
    }
}
