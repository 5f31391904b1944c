// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(64) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    // split(i, block, io, 128); parallelize(block, GPUBlock, NoRaces)
    // split(k, ko, ki, 4); parallelize(ko, GPUBlock, NoRaces)
    // split(io, thread, row, 2); parallelize(thread, GPUThread, NoRaces)
    // split(io, thread, row, 2)
    for (int row = 0; row < 2; ++row) {
        const int io = thread_x * 2 + row;
        const int i = block_x * 128 + io;
        if (i < A1_dim) {
            float acc[4] = {};
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                // split(k, ko, ki, 4)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = block_y * 4 + ki;
                    if (k < B2_dim) {
                        acc[ki] += A_val * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
            // split(k, ko, ki, 4)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = block_y * 4 + ki;
                if (k < B2_dim) {
                    C_vals[(long long)i * B2_dim + k] = acc[ki];
                }
            }
        }
    }
}
