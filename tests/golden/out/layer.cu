// H[i, k] = A[i, j] * X[j, k] + b[k];
extern "C" __global__ void __launch_bounds__(256) layer(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ b_vals, int A1_dim, int X2_dim,
    float* __restrict__ H_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)A1_dim * X2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int i = fused / X2_dim;
        const int k = fused % X2_dim;
        float t = 0.0f;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * X_vals[(long long)j * X2_dim + k];
        }
        H_vals[fused] = t + b_vals[k];
    }
}
