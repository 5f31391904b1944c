// r[i, m] = b[i, m] - A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256) block_residual(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, const double* __restrict__ b_vals, int b1_dim, int b2_dim,
    int A4_dim, double* __restrict__ r_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)b1_dim * b2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / b2_dim;
        const int m = fused % b2_dim;
        double t = 0.0;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            for (int l = 0; l < A4_dim; ++l) {
                t += A_vals[((long long)pA * b2_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
            }
        }
        r_vals[fused] = b_vals[fused] - t;
    }
}
