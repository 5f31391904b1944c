// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

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

// From sm_90 on a launch that follows another of its call may start before that one has ended. Each thread waits here until
// all launches before have ended, and what they wrote is there to be read; that may be so already.
__device__ __forceinline__ void waitForLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// When all blocks have come here or have ended, blocks of the next launch may take the room that there is. This one needs none
// of it, its blocks all run by then; what other streams run may get it later. A launch that waits comes here after that, so
// that two launches of a call are under way at most.
__device__ __forceinline__ void allowNextLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum_sparse_count(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const int* __restrict__ c1_pos,
    const int* __restrict__ c1_crd, int b1_dim, int* __restrict__ a1_begins) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int row = block_x * 256 + thread_x;
    int a1_count = 0;
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    if (row < (b1_dim + 31) / 32) {
        const int window_begin = min(row * 32, b1_dim);
        const int window_end = min(window_begin + 32, b1_dim);
        const int pb1_begin = b1_pos[0];
        const int pb1_end = b1_pos[1];
        const int pc1_begin = c1_pos[0];
        const int pc1_end = c1_pos[1];
        const int pb_begin = lowerBound(b1_crd, pb1_begin, pb1_end, window_begin);
        const int pb_end = lowerBound(b1_crd, pb_begin, pb1_end, window_end);
        const int pc_begin = lowerBound(c1_crd, pc1_begin, pc1_end, window_begin);
        const int pc_end = lowerBound(c1_crd, pc_begin, pc1_end, window_end);
        int pb = pb_begin;
        int pc = pc_begin;
        while (pb < pb_end && pc < pc_end) {
            const int ib = b1_crd[pb];
            const int ic = c1_crd[pc];
            ++a1_count;
            if (ib == ic) {
                ++pb;
                ++pc;
            } else if (ib < ic) {
                ++pb;
            } else {
                ++pc;
            }
        }
        // split(i, part, window, 32)
        a1_count += pb_end - pb;
        // split(i, part, window, 32)
        a1_count += pc_end - pc;
    }
    a1_begins[row] = a1_count;
}

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum_sparse_sums(
    const int* a1_begins, int b1_dim, int* a1_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, a1_begins[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    if (thread_x == 0) {
        a1_sums[block_x] = partial[255];
    }
}

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum_sparse_sum_tiles(
    int b1_dim, int* a1_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048 ? a1_sums[tile] : 0;
        partial[thread_x] = sum;
        __syncthreads();
        int distance = 1;
        #pragma unroll 8
        for (int step = 0; step < 8; ++step) {
            const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
            __syncthreads();
            partial[thread_x] = doubled;
            __syncthreads();
            distance += distance;
        }
        if (tile < (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048) {
            a1_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum_sparse_begins(
    const int* a1_sums, int b1_dim, int* a1_begins) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, a1_begins[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    int at = addCounts(a1_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < ((b1_dim + 31) / 32 + 255) / 256 * 256 ? a1_begins[n] : 0;
        a1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(256) vector_sum_sparse_fill(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const double* __restrict__ c_vals,
    const int* __restrict__ a1_begins, int b1_dim, int* __restrict__ a1_pos, int* __restrict__ a1_crd,
    double* __restrict__ a_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (block_x * 256 + thread_x == 0) {
        a1_pos[1] = a1_begins[((b1_dim + 31) / 32 + 255) / 256 * 256];
    }
    const int row = block_x * 256 + thread_x;
    int pa1 = a1_begins[row];
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    if (row < (b1_dim + 31) / 32) {
        const int window_begin = min(row * 32, b1_dim);
        const int window_end = min(window_begin + 32, b1_dim);
        const int pb1_begin = b1_pos[0];
        const int pb1_end = b1_pos[1];
        const int pc1_begin = c1_pos[0];
        const int pc1_end = c1_pos[1];
        const int pb_begin = lowerBound(b1_crd, pb1_begin, pb1_end, window_begin);
        const int pb_end = lowerBound(b1_crd, pb_begin, pb1_end, window_end);
        const int pc_begin = lowerBound(c1_crd, pc1_begin, pc1_end, window_begin);
        const int pc_end = lowerBound(c1_crd, pc_begin, pc1_end, window_end);
        int pb = pb_begin;
        int pc = pc_begin;
        while (pb < pb_end && pc < pc_end) {
            const int ib = b1_crd[pb];
            const int ic = c1_crd[pc];
            if (ib == ic) {
                a1_crd[pa1] = ib;
                a_vals[pa1] = b_vals[pb] + c_vals[pc];
                ++pb;
                ++pc;
            } else if (ib < ic) {
                a1_crd[pa1] = ib;
                a_vals[pa1] = b_vals[pb];
                ++pb;
            } else {
                a1_crd[pa1] = ic;
                a_vals[pa1] = c_vals[pc];
                ++pc;
            }
            ++pa1;
        }
        // split(i, part, window, 32)
        for (int pb_2 = pb; pb_2 < pb_end; ++pb_2) {
            const int i = b1_crd[pb_2];
            a1_crd[pa1] = i;
            a_vals[pa1] = b_vals[pb_2];
            ++pa1;
        }
        // split(i, part, window, 32)
        for (int pc_2 = pc; pc_2 < pc_end; ++pc_2) {
            const int i = c1_crd[pc_2];
            a1_crd[pa1] = i;
            a_vals[pa1] = c_vals[pc_2];
            ++pa1;
        }
    }
}
