// a[i] = B[i, j] * c[j];
extern "C" __global__ void __launch_bounds__(256) spmv(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const double* __restrict__ c_vals, int B1_dim, double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        double t = 0.0;
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            t += B_vals[pB] * c_vals[j];
        }
        a_vals[i] = t;
    }
}
