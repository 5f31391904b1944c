// a[i] = b[i] / c[i];
extern "C" __global__ void __launch_bounds__(256) quotient_1_nnz_4_col_1(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const double* __restrict__ c_vals, double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pb1_end = b1_pos[1];
    // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
    // split(pos, block, warp_part, 256); parallelize(warp_part, GPUThread, NoRaces)
    const int pos = block_x * 256 + thread_x;
    if (pos < pb1_end) {
        const int i = b1_crd[pos];
        a_vals[pos] = b_vals[pos] / c_vals[i];
    }
}
