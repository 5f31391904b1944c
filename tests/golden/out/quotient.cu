// a[i] = b[i] / c[i];
extern "C" __global__ void __launch_bounds__(256) quotient(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const double* __restrict__ c_vals, double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pb1_end = b1_pos[1];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int position = block_x * 256 + thread_x;
    if (position < pb1_end) {
        const int i = b1_crd[position];
        a_vals[position] = b_vals[position] / c_vals[i];
    }
}
