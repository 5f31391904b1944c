// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
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

// Which lanes a shuffle names. All lanes of the warp arrive, a constant mask; or those of the group alone.
struct WholeWarp {
    template <int G> static __device__ __forceinline__ unsigned mask() { return 0xffffffffu; }
};
struct OwnGroup {
    template <int G> static __device__ __forceinline__ unsigned mask() {
        return 0xffffffffu >> (32 - G) << (threadIdx.x & 31 & ~(G - 1));
    }
};

// The lanes of a group wait for each other, and see what the others wrote before. Other groups of the warp may be elsewhere.
template <int G> __device__ __forceinline__ void syncGroup() { __syncwarp(OwnGroup::mask<G>()); }

// Sums of counts: of all lanes of the group, or of those before this one.
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumInGroup(int count) {
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2) {
        count = addCounts(count, __shfl_xor_sync(Lanes::template mask<G>(), count, distance, G));
    }
    return count;
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumBefore(int count, int& all) {
    const unsigned mask = Lanes::template mask<G>();
    const int lane = threadIdx.x % G;
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const int other = __shfl_up_sync(mask, count, distance, G);
        if (distance <= lane) count = addCounts(count, other);
    }
    all = __shfl_sync(mask, count, G - 1, G);
    const int before = __shfl_up_sync(mask, count, 1, G);
    return lane == 0 ? 0 : before;
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int sumBefore(int count) {
    int all;
    return sumBefore<G, Lanes>(count, all);
}

// What each warp of a block of T threads has comes together: the sum of the warps before this one, and of all. Others may use the
// array after the block's next barrier.
template <int T> __device__ __forceinline__ int sumOfWarps(int ofWarp, int* partial, int& all) {
    const int own = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) partial[own] = ofWarp;
    __syncthreads();
    int before = 0;
    all = 0;
#pragma unroll
    for (int warp = 0; warp < T / 32; ++warp) {
        if (warp == own) before = all;
        all = addCounts(all, partial[warp]);
    }
    return before;
}

// Sums of counts: of all threads of the block, or of those before this one.
template <int T> __device__ __forceinline__ int sumBeforeInBlock(int count, int* partial, int& all) {
    int ofWarp;
    const int before = sumBefore<32>(count, ofWarp);
    return addCounts(sumOfWarps<T>(ofWarp, partial, all), before);
}
template <int T> __device__ __forceinline__ int sumBeforeInBlock(int count, int* partial) {
    int all;
    return sumBeforeInBlock<T>(count, partial, all);
}
template <int T> __device__ __forceinline__ int sumInBlock(int count, int* partial) {
    int all;
    sumOfWarps<T>(sumInGroup<32>(count), partial, all);
    return all;
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_counts_w(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, int B1_dim, int* __restrict__ w_begins,
    int* __restrict__ w_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int count = 0;
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            atomicAdd(&w_begins[j + 1], 1);
            count = addCounts(count, 1);
        }
        w_rows[i] = count;
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sums_w_rows(
    const int* w_rows, int B1_dim, int* w_row_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, w_rows[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        w_row_sums[block_x] = all;
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sum_tiles_w_rows(
    int B1_dim, int* w_row_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2048) / 2048 ? w_row_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_dim + 2048) / 2048) {
            w_row_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_begins_w_rows(
    const int* w_row_sums, int B1_dim, int* w_rows) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, w_rows[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(w_row_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        const int count = n < B1_dim ? w_rows[n] : 0;
        w_rows[n] = at;
        at = addCounts(at, count);
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sums_w(
    const int* w_begins, int B2_dim, int* w_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, w_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        w_sums[block_x] = all;
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sum_tiles_w(
    int B2_dim, int* w_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B2_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B2_dim + 2049) / 2048 ? w_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B2_dim + 2049) / 2048) {
            w_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_begins_w(
    const int* w_sums, int B2_dim, int* w_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, w_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(w_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 2); n < n_end; ++n) {
        const int count = n < B2_dim + 1 ? w_begins[n] : 0;
        w_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_scatter_w(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* w_rows, int B1_dim, int* __restrict__ A2_crd, int* w_begins, int* __restrict__ w_order,
    double* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    waitForLaunch();
    if (i < B1_dim) {
        int place = w_rows[i];
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            const int at = atomicAdd(&w_begins[j + 1], 1);
            A2_crd[at] = i;
            w_order[at] = place;
            w_vals[place] = B_vals[pB];
            ++place;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sort_w(
    const int* __restrict__ w_begins, int B2_dim, int* __restrict__ A2_crd, int* __restrict__ w_order,
    int* __restrict__ w_of_group8s, int* __restrict__ w_of_warps, int* __restrict__ w_of_blocks,
    int* __restrict__ w_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int bucket = block_x * 256 + thread_x;
    if (bucket < B2_dim) {
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        if (256 <= len) {
            const int at = atomicAdd(&w_many[2], 1);
            w_of_blocks[at] = bucket;
        } else if (64 <= len) {
            const int at = atomicAdd(&w_many[1], 1);
            w_of_warps[at] = bucket;
        } else if (16 <= len) {
            const int at = atomicAdd(&w_many[0], 1);
            w_of_group8s[at] = bucket;
        } else {
            int gap = len / 2 - len / 22;
            while (0 < gap) {
                for (int from = begin + gap; from < end; ++from) {
                    const int key = A2_crd[from];
                    const int value = w_order[from];
                    int to = from;
                    while (begin + gap <= to && key < A2_crd[to - gap]) {
                        A2_crd[to] = A2_crd[to - gap];
                        w_order[to] = w_order[to - gap];
                        to -= gap;
                    }
                    A2_crd[to] = key;
                    w_order[to] = value;
                }
                gap = gap / 2 - gap / 22;
            }
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sort_w_group8(
    const int* __restrict__ w_begins, const int* w_of_group8s, const int* w_many, int* A2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int rank = block_x * 32 + thread_x / 8;
    waitForLaunch();
    allowNextLaunch();
    if (rank < w_many[0]) {
        const int bucket = w_of_group8s[rank];
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 8) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && A2_crd[begin + high] < A2_crd[begin + low]) {
                        const int key = A2_crd[begin + low];
                        A2_crd[begin + low] = A2_crd[begin + high];
                        A2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                syncGroup<8>();
                stride = stride / 2;
                flip = stride;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sort_w_warp(
    const int* __restrict__ w_begins, const int* w_of_warps, const int* w_many, int* A2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int rank = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    if (rank < w_many[1]) {
        const int bucket = w_of_warps[rank];
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 32) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && A2_crd[begin + high] < A2_crd[begin + low]) {
                        const int key = A2_crd[begin + low];
                        A2_crd[begin + low] = A2_crd[begin + high];
                        A2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                __syncwarp();
                stride = stride / 2;
                flip = stride;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sort_w_block(
    const int* __restrict__ w_begins, const int* w_of_blocks, const int* w_many, int* A2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    if (block_x < w_many[2]) {
        const int bucket = w_of_blocks[block_x];
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = thread_x, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 256) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && A2_crd[begin + high] < A2_crd[begin + low]) {
                        const int key = A2_crd[begin + low];
                        A2_crd[begin + low] = A2_crd[begin + high];
                        A2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                __syncthreads();
                stride = stride / 2;
                flip = stride;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_fill(
    const int* __restrict__ w_begins, const int* w_order, const double* __restrict__ w_vals, int B2_dim,
    int* __restrict__ A2_pos, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int at = block_x * 256 + thread_x;
    waitForLaunch();
    if (at < B2_dim + 1) {
        A2_pos[at] = w_begins[at];
    }
    if (at < w_begins[B2_dim]) {
        A_vals[at] = w_vals[w_order[at]];
    }
}
