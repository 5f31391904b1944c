// First position in lo..hi whose element is not below the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] < key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] < key;
    return lo + below;
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spmm(
    const float* __restrict__ B_vals, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const float* __restrict__ A_vals, int A1_dim, int B2_dim, int A2_dim, float* C_vals) {
    __shared__ float B_tile[1024];
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    // split(i, block, row, 8); parallelize(block, GPUBlock, NoRaces)
    // split(k, columns, column, 32); parallelize(columns, GPUBlock, NoRaces)
    float t = 0.0f;
    int pA_next = 0;
    // split(j, tile, entry, 32)
    for (int tile = 0, tile_end = (A2_dim + 31) / 32; tile < tile_end; ++tile) {
        // split(from, step, warp, 8)
        #pragma unroll 4
        for (int step = 0; step < 4; ++step) {
            // split(from, step, warp, 8); parallelize(warp, GPUWarp, NoRaces)
            const int warp = thread_x / 32;
            const int from = step * 8 + warp;
            const int j_B_tile = tile * 32 + from;
            if (j_B_tile < A2_dim) {
                // precompute(B[j, k], [entry, column], [from, lane], B_tile); parallelize(lane, GPUThread, NoRaces)
                const int lane = thread_x % 32;
                const int k_B_tile = block_y * 32 + lane;
                if (k_B_tile < B2_dim) {
                    B_tile[from * 32 + lane] = B_vals[(long long)j_B_tile * B2_dim + k_B_tile];
                }
            }
        }
        __syncthreads();
        // split(i, block, row, 8); parallelize(row, GPUWarp, NoRaces)
        const int row = thread_x / 32;
        const int i = block_x * 8 + row;
        if (i < A1_dim) {
            // split(k, columns, column, 32); parallelize(column, GPUThread, NoRaces)
            const int column = thread_x % 32;
            const int k = block_y * 32 + column;
            if (k < B2_dim) {
                const int entry_begin = tile * 32;
                const int entry_end = min(entry_begin + 32, A2_dim);
                const int pA2_begin = A2_pos[i];
                const int pA2_end = A2_pos[i + 1];
                const int pA_begin = max(pA_next, pA2_begin);
                const int pA_end = lowerBound(A2_crd, pA_begin, pA2_end, entry_end);
                // split(j, tile, entry, 32)
                for (int pA = pA_begin; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    t += A_vals[pA] * B_tile[(j - entry_begin) * 32 + column];
                }
                pA_next = pA_end;
            }
        }
        __syncthreads();
    }
    // split(i, block, row, 8); parallelize(row, GPUWarp, NoRaces)
    const int row = thread_x / 32;
    const int i = block_x * 8 + row;
    if (i < A1_dim) {
        // split(k, columns, column, 32); parallelize(column, GPUThread, NoRaces)
        const int column = thread_x % 32;
        const int k = block_y * 32 + column;
        if (k < B2_dim) {
            C_vals[(long long)i * B2_dim + k] = t;
        }
    }
}
