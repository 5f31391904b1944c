// e[i] min= A[i, j] + d[j];
extern "C" __global__ void __launch_bounds__(256) min_plus(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ d_vals, int A1_dim, double* __restrict__ e_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        double t = __longlong_as_double(0x7ff0000000000000);
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t = fmin(t, A_vals[pA] + d_vals[j]);
        }
        e_vals[i] = t;
    }
}
