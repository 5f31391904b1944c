// C[k, l] = X[i, k] * Y[i, l];
extern "C" __global__ void __launch_bounds__(256) gram(
    const float* __restrict__ X_vals, const float* __restrict__ Y_vals, int X2_dim, int Y2_dim, int X1_dim,
    float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int parts = max(min((X1_dim + 7) / 8, (int)(131072 / max((long long)X2_dim * Y2_dim, 1LL))), 1);
    const int i_step = (X1_dim + parts - 1) / parts;
    const long long fused0_end = (long long)parts * X2_dim;
    const long long fused_end = fused0_end * Y2_dim;
    // split(fused, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, thread, 256); parallelize(thread, GPUThread, Atomics)
    const int fused = block_x * 256 + thread_x;
    if (fused < fused_end) {
        const int fused0 = fused / Y2_dim;
        const int part = fused0 / X2_dim;
        const int k = fused0 % X2_dim;
        const int l = fused % Y2_dim;
        float t = 0.0f;
        const int row_begin = (int)min((long long)part * i_step, (long long)X1_dim);
        const int row_end = min(row_begin + i_step, X1_dim);
        // divide(i, part, row, 131072)
        for (int i = row_begin; i < row_end; ++i) {
            t += X_vals[(long long)i * X2_dim + k] * Y_vals[(long long)i * Y2_dim + l];
        }
        atomicAdd(&C_vals[(long long)k * Y2_dim + l], t);
    }
}
