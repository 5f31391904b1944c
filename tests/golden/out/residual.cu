// r[i] = b[i] - A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) residual(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim,
    double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < b1_dim) {
        double t = 0.0;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
        r_vals[i] = b_vals[i] - t;
    }
}
