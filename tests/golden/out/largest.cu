// m[i] max= A[i, j];
extern "C" __global__ void __launch_bounds__(256) largest_1_row_1_col_1(
    const int* __restrict__ A2_pos, const double* __restrict__ A_vals, int A1_dim, int A2_dim,
    double* __restrict__ m_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        double t = -__longlong_as_double(0x7ff0000000000000);
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        if (pA2_end - pA2_begin < A2_dim) {
            t = fmax(t, 0.0);
        }
        for (int pA = pA2_begin; pA < pA2_end; ++pA) {
            t = fmax(t, A_vals[pA]);
        }
        m_vals[i] = t;
    }
}
