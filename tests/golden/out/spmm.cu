// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)A1_dim * B2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / B2_dim;
        const int k = fused % B2_dim;
        float t = 0.0f;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * B_vals[(long long)j * B2_dim + k];
        }
        C_vals[(long long)i * B2_dim + k] = t;
    }
}
