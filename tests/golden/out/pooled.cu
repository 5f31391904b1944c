// H[i, f] max= A[i, j] * X[j, f];
extern "C" __global__ void __launch_bounds__(256) pooled_1_row_4_col_1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, int A1_dim, int X2_dim, int A2_dim, float* __restrict__ H_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int fo_size = (X2_dim + 3) / 4;
    const long long tile_end = (long long)A1_dim * fo_size;
    // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int tile = block_x * 256 + thread_x;
    if (tile < tile_end) {
        const int i = tile / fo_size;
        const int fo = tile % fo_size;
        float acc[4] = {-__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000)};
        const int pA2_end = A2_pos[i + 1];
        int pA = A2_pos[i];
        int j_start = 0;
        while (pA < pA2_end) {
            const int j = A2_crd[pA];
            if (j_start < j) {
                // split(f, fo, fi, 4)
                #pragma unroll 4
                for (int fi = 0; fi < 4; ++fi) {
                    const int f = fo * 4 + fi;
                    if (f < X2_dim) {
                        acc[fi] = fmaxf(acc[fi], 0.0f);
                    }
                }
            }
            const float A_val = A_vals[pA];
            // split(f, fo, fi, 4)
            #pragma unroll 4
            for (int fi = 0; fi < 4; ++fi) {
                const int f = fo * 4 + fi;
                if (f < X2_dim) {
                    acc[fi] = fmaxf(acc[fi], A_val * X_vals[(long long)j * X2_dim + f]);
                }
            }
            ++pA;
            j_start = j + 1;
        }
        if (j_start < A2_dim) {
            // split(f, fo, fi, 4)
            #pragma unroll 4
            for (int fi = 0; fi < 4; ++fi) {
                const int f = fo * 4 + fi;
                if (f < X2_dim) {
                    acc[fi] = fmaxf(acc[fi], 0.0f);
                }
            }
        }
        // split(f, fo, fi, 4)
        #pragma unroll 4
        for (int fi = 0; fi < 4; ++fi) {
            const int f = fo * 4 + fi;
            if (f < X2_dim) {
                H_vals[(long long)i * X2_dim + f] = acc[fi];
            }
        }
    }
}
