// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, io, 1024); parallelize(block, GPUBlock, NoRaces)
    // split(io, warp, row, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 2;
    // split(io, warp, row, 8)
    for (int row = 0; row < 8; ++row) {
        const int io = warp * 8 + row;
        const int i = block_x * 1024 + io;
        if (i < A1_dim) {
            // bound(ko, thread, 2, MaxExact); parallelize(thread, GPUThread, NoRaces)
            const int thread = thread_x % 2;
            // split(k, ko, col, 2)
            for (int col = 0; col < 2; ++col) {
                const int k = thread * 2 + col;
                if (k < B2_dim) {
                    float t = 0.0f;
                    for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        t += A_vals[pA] * B_vals[(long long)j * B2_dim + k];
                    }
                    C_vals[(long long)i * B2_dim + k] = t;
                }
            }
        }
    }
}
