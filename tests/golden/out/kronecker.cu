// A[i, k, j, l] = B[i, j] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) kronecker(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, const double* __restrict__ C_vals,
    int B1_dim, int C1_dim, int B2_dim, int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)B1_dim * C1_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / C1_dim;
        const int k = fused % C1_dim;
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            const double B_val = B_vals[pB];
            for (int pC = C2_pos[k], pC_end = C2_pos[k + 1]; pC < pC_end; ++pC) {
                const int l = C2_crd[pC];
                A_vals[((long long)fused * B2_dim + j) * C2_dim + l] = B_val * C_vals[pC];
            }
        }
    }
}
