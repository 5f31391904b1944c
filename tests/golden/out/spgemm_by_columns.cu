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

// How many lanes of the group have the condition: all of them, or those before this one.
template <int G, typename Lanes> __device__ __forceinline__ unsigned votesOfGroup(bool vote) {
    return __ballot_sync(Lanes::template mask<G>(), vote) >> (threadIdx.x & 31 & ~(G - 1)) & 0xffffffffu >> (32 - G);
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countInGroup(bool vote) {
    return __popc(votesOfGroup<G, Lanes>(vote));
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countBefore(bool vote) {
    return __popc(votesOfGroup<G, Lanes>(vote) & ((1u << threadIdx.x % G) - 1));
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_counts_t1(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, int A2_dim,
    int* __restrict__ t1_begins, int* __restrict__ t1_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int j_t1 = block_x * 256 + thread_x;
    if (j_t1 < A2_dim) {
        int count = 0;
        for (int pB = B2_pos[j_t1], pB_end = B2_pos[j_t1 + 1]; pB < pB_end; ++pB) {
            const int k_t1 = B2_crd[pB];
            atomicAdd(&t1_begins[k_t1 + 1], 1);
            count = addCounts(count, 1);
        }
        t1_rows[j_t1] = count;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_t1_rows(
    const int* t1_rows, int A2_dim, int* t1_row_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim); n < n_end; ++n) {
        sum = addCounts(sum, t1_rows[n]);
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
        t1_row_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_t1_rows(
    int A2_dim, int* t1_row_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A2_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A2_dim + 2048) / 2048 ? t1_row_sums[tile] : 0;
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
        if (tile < (A2_dim + 2048) / 2048) {
            t1_row_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_t1_rows(
    const int* t1_row_sums, int A2_dim, int* t1_rows) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim); n < n_end; ++n) {
        sum = addCounts(sum, t1_rows[n]);
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
    int at = addCounts(t1_row_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim + 1); n < n_end; ++n) {
        const int count = n < A2_dim ? t1_rows[n] : 0;
        t1_rows[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_t1(
    const int* t1_begins, int B2_dim, int* t1_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t1_begins[n]);
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
        t1_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_t1(
    int B2_dim, int* t1_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B2_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B2_dim + 2049) / 2048 ? t1_sums[tile] : 0;
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
        if (tile < (B2_dim + 2049) / 2048) {
            t1_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_t1(
    const int* t1_sums, int B2_dim, int* t1_begins) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t1_begins[n]);
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
    int at = addCounts(t1_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 2); n < n_end; ++n) {
        const int count = n < B2_dim + 1 ? t1_begins[n] : 0;
        t1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_scatter_t1(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* t1_rows, int A2_dim, int* t1_begins, int* __restrict__ t12_crd, int* __restrict__ t1_order,
    double* __restrict__ t1_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int j_t1 = block_x * 256 + thread_x;
    waitForLaunch();
    if (j_t1 < A2_dim) {
        int place = t1_rows[j_t1];
        for (int pB = B2_pos[j_t1], pB_end = B2_pos[j_t1 + 1]; pB < pB_end; ++pB) {
            const int k_t1 = B2_crd[pB];
            const int at = atomicAdd(&t1_begins[k_t1 + 1], 1);
            t12_crd[at] = j_t1;
            t1_order[at] = place;
            t1_vals[place] = B_vals[pB];
            ++place;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t1(
    const int* __restrict__ t1_begins, int B2_dim, int* __restrict__ t12_crd, int* __restrict__ t1_order,
    int* __restrict__ t1_of_group8s, int* __restrict__ t1_of_warps, int* __restrict__ t1_of_blocks,
    int* __restrict__ t1_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int bucket = block_x * 256 + thread_x;
    if (bucket < B2_dim) {
        const int begin = t1_begins[bucket];
        const int end = t1_begins[bucket + 1];
        const int len = end - begin;
        if (256 <= len) {
            const int at = atomicAdd(&t1_many[2], 1);
            t1_of_blocks[at] = bucket;
        } else if (64 <= len) {
            const int at = atomicAdd(&t1_many[1], 1);
            t1_of_warps[at] = bucket;
        } else if (16 <= len) {
            const int at = atomicAdd(&t1_many[0], 1);
            t1_of_group8s[at] = bucket;
        } else {
            int gap = len / 2 - len / 22;
            while (0 < gap) {
                for (int from = begin + gap; from < end; ++from) {
                    const int key = t12_crd[from];
                    const int value = t1_order[from];
                    int to = from;
                    while (begin + gap <= to && key < t12_crd[to - gap]) {
                        t12_crd[to] = t12_crd[to - gap];
                        t1_order[to] = t1_order[to - gap];
                        to -= gap;
                    }
                    t12_crd[to] = key;
                    t1_order[to] = value;
                }
                gap = gap / 2 - gap / 22;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t1_group8(
    const int* __restrict__ t1_begins, const int* t1_of_group8s, const int* t1_many, int* t12_crd,
    int* t1_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int rank = block_x * 32 + thread_x / 8;
    waitForLaunch();
    allowNextLaunch();
    if (rank < t1_many[0]) {
        const int bucket = t1_of_group8s[rank];
        const int begin = t1_begins[bucket];
        const int end = t1_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 8) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
                    }
                }
                syncGroup<8>();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t1_warp(
    const int* __restrict__ t1_begins, const int* t1_of_warps, const int* t1_many, int* t12_crd,
    int* t1_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int rank = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    if (rank < t1_many[1]) {
        const int bucket = t1_of_warps[rank];
        const int begin = t1_begins[bucket];
        const int end = t1_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 32) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
                    }
                }
                __syncwarp();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t1_block(
    const int* __restrict__ t1_begins, const int* t1_of_blocks, const int* t1_many, int* t12_crd,
    int* t1_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    if (block_x < t1_many[2]) {
        const int bucket = t1_of_blocks[block_x];
        const int begin = t1_begins[bucket];
        const int end = t1_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = thread_x; low < len; low += 256) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
                    }
                }
                __syncthreads();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_counts_t0(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, int A1_dim,
    int* __restrict__ t0_begins, int* __restrict__ t0_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int i_t0 = block_x * 256 + thread_x;
    if (i_t0 < A1_dim) {
        int count = 0;
        for (int pA = A2_pos[i_t0], pA_end = A2_pos[i_t0 + 1]; pA < pA_end; ++pA) {
            const int j_t0 = A2_crd[pA];
            atomicAdd(&t0_begins[j_t0 + 1], 1);
            count = addCounts(count, 1);
        }
        t0_rows[i_t0] = count;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_t0_rows(
    const int* t0_rows, int A1_dim, int* t0_row_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, t0_rows[n]);
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
        t0_row_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_t0_rows(
    int A1_dim, int* t0_row_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2048) / 2048 ? t0_row_sums[tile] : 0;
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
        if (tile < (A1_dim + 2048) / 2048) {
            t0_row_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_t0_rows(
    const int* t0_row_sums, int A1_dim, int* t0_rows) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, t0_rows[n]);
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
    int at = addCounts(t0_row_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        const int count = n < A1_dim ? t0_rows[n] : 0;
        t0_rows[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_t0(
    const int* t0_begins, int A2_dim, int* t0_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t0_begins[n]);
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
        t0_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_t0(
    int A2_dim, int* t0_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A2_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A2_dim + 2049) / 2048 ? t0_sums[tile] : 0;
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
        if (tile < (A2_dim + 2049) / 2048) {
            t0_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_t0(
    const int* t0_sums, int A2_dim, int* t0_begins) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t0_begins[n]);
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
    int at = addCounts(t0_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim + 2); n < n_end; ++n) {
        const int count = n < A2_dim + 1 ? t0_begins[n] : 0;
        t0_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_scatter_t0(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* t0_rows, int A1_dim, int* t0_begins, int* __restrict__ t02_crd, int* __restrict__ t0_order,
    double* __restrict__ t0_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i_t0 = block_x * 256 + thread_x;
    waitForLaunch();
    if (i_t0 < A1_dim) {
        int place = t0_rows[i_t0];
        for (int pA = A2_pos[i_t0], pA_end = A2_pos[i_t0 + 1]; pA < pA_end; ++pA) {
            const int j_t0 = A2_crd[pA];
            const int at = atomicAdd(&t0_begins[j_t0 + 1], 1);
            t02_crd[at] = i_t0;
            t0_order[at] = place;
            t0_vals[place] = A_vals[pA];
            ++place;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t0(
    const int* __restrict__ t0_begins, int A2_dim, int* __restrict__ t02_crd, int* __restrict__ t0_order,
    int* __restrict__ t0_of_group8s, int* __restrict__ t0_of_warps, int* __restrict__ t0_of_blocks,
    int* __restrict__ t0_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int bucket = block_x * 256 + thread_x;
    if (bucket < A2_dim) {
        const int begin = t0_begins[bucket];
        const int end = t0_begins[bucket + 1];
        const int len = end - begin;
        if (256 <= len) {
            const int at = atomicAdd(&t0_many[2], 1);
            t0_of_blocks[at] = bucket;
        } else if (64 <= len) {
            const int at = atomicAdd(&t0_many[1], 1);
            t0_of_warps[at] = bucket;
        } else if (16 <= len) {
            const int at = atomicAdd(&t0_many[0], 1);
            t0_of_group8s[at] = bucket;
        } else {
            int gap = len / 2 - len / 22;
            while (0 < gap) {
                for (int from = begin + gap; from < end; ++from) {
                    const int key = t02_crd[from];
                    const int value = t0_order[from];
                    int to = from;
                    while (begin + gap <= to && key < t02_crd[to - gap]) {
                        t02_crd[to] = t02_crd[to - gap];
                        t0_order[to] = t0_order[to - gap];
                        to -= gap;
                    }
                    t02_crd[to] = key;
                    t0_order[to] = value;
                }
                gap = gap / 2 - gap / 22;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t0_group8(
    const int* __restrict__ t0_begins, const int* t0_of_group8s, const int* t0_many, int* t02_crd,
    int* t0_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int rank = block_x * 32 + thread_x / 8;
    waitForLaunch();
    allowNextLaunch();
    if (rank < t0_many[0]) {
        const int bucket = t0_of_group8s[rank];
        const int begin = t0_begins[bucket];
        const int end = t0_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 8) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
                    }
                }
                syncGroup<8>();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t0_warp(
    const int* __restrict__ t0_begins, const int* t0_of_warps, const int* t0_many, int* t02_crd,
    int* t0_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int rank = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    if (rank < t0_many[1]) {
        const int bucket = t0_of_warps[rank];
        const int begin = t0_begins[bucket];
        const int end = t0_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 32) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
                    }
                }
                __syncwarp();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_t0_block(
    const int* __restrict__ t0_begins, const int* t0_of_blocks, const int* t0_many, int* t02_crd,
    int* t0_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    if (block_x < t0_many[2]) {
        const int bucket = t0_of_blocks[block_x];
        const int begin = t0_begins[bucket];
        const int end = t0_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = thread_x; low < len; low += 256) {
                    const int high = low ^ flip;
                    if (low < high && high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
                    }
                }
                __syncthreads();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_scatters(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    int A1_dim, int B2_dim, int* __restrict__ w_places, int* __restrict__ w_largest,
    int* __restrict__ rows_work, int* __restrict__ rows_of_group8s, int* __restrict__ rows_of_warps,
    int* __restrict__ rows_of_blocks, int* __restrict__ rows_of_large_blocks,
    int* __restrict__ rows_of_largest_blocks, int* __restrict__ rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int k = block_x * 256 + thread_x;
    if (k < B2_dim) {
        int w_most = 0;
        const int pt11_begin = t1_begins[k];
        const int pt11_end = t1_begins[k + 1];
        if (pt11_begin < pt11_end) {
            int w_len = 0;
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                const int pt02_begin = t0_begins[j];
                const int pt02_end = t0_begins[j + 1];
                w_len = addCounts(w_len, pt02_end - pt02_begin);
            }
            w_most = max(w_most, w_len);
        }
        const int w_elements = min(w_most, A1_dim);
        int places = 0 < w_elements ? 4 : 0;
        while (places < A1_dim && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        w_places[k] = places;
        const int work = max(places, w_most);
        rows_work[k] = work;
        if (16384 <= places) {
            const int at = atomicAdd(&rows_many[4], 1);
            rows_of_largest_blocks[at] = k;
            atomicMax(&w_largest[0], places);
        } else if (4096 <= places) {
            const int at = atomicAdd(&rows_many[3], 1);
            rows_of_large_blocks[at] = k;
        } else if (512 <= work) {
            const int at = atomicAdd(&rows_many[2], 1);
            rows_of_blocks[at] = k;
        } else if (128 <= work) {
            const int at = atomicAdd(&rows_many[1], 1);
            rows_of_warps[at] = k;
        } else if (32 <= work) {
            const int at = atomicAdd(&rows_many[0], 1);
            rows_of_group8s[at] = k;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* rows_work, int B2_dim,
    int* __restrict__ C2_pos, int* __restrict__ w_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 16;
    waitForLaunch();
    allowNextLaunch();
    for (int k = team; k < B2_dim; k += 524288) {
        const int work = rows_work[k];
        if (work < 32) {
            int C2_count = 0;
            const int pt11_begin = t1_begins[k];
            const int pt11_end = t1_begins[k + 1];
            if (pt11_begin < pt11_end) {
                const int w_size = w_places[k];
                const int w_end = w_begin + w_size;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w_crd[at] = 2147483647;
                }
                for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    for (int pt0 = pt02_begin; pt0 < pt02_end; ++pt0) {
                        const int i = t02_crd[pt0];
                        int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                        int held = w_crd[at];
                        while (held != 2147483647 && held != i) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = i;
                            ++w_len;
                        }
                    }
                }
                C2_count += w_len;
            }
            C2_pos[k] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count_group8(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* rows_of_group8s, const int* rows_many,
    int* C2_pos) {
    __shared__ int w_crd_shared[2304];
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int team = block_x * 32 + thread_x / 8;
    const int w_begin = thread_x / 8 * 72;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 65536) {
        const int row = rows_of_group8s[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_size = w_places[row];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin + lane; at < w_end; at += 8) {
                w_crd_shared[at] = 2147483647;
            }
            syncGroup<8>();
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                const int pt02_begin = t0_begins[j];
                const int pt02_end = t0_begins[j + 1];
                for (int pt0 = pt02_begin + lane; pt0 < pt02_end; pt0 += 8) {
                    const int i = t02_crd[pt0];
                    int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                    int held = atomicCAS(&w_crd_shared[at], 2147483647, i);
                    while (held != 2147483647 && held != i) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = atomicCAS(&w_crd_shared[at], 2147483647, i);
                    }
                    if (held == 2147483647) {
                        ++w_len;
                    }
                }
            }
            partial[thread_x] = w_len;
            syncGroup<8>();
            int distance = 1;
            #pragma unroll 3
            for (int step = 0; step < 3; ++step) {
                const int doubled = addCounts(partial[thread_x], distance <= lane ? partial[thread_x - distance] : 0);
                syncGroup<8>();
                partial[thread_x] = doubled;
                syncGroup<8>();
                distance += distance;
            }
            const int all = partial[thread_x / 8 * 8 + 7];
            C2_count += all;
        }
        if (lane == 0) {
            C2_pos[row] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count_warp(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* rows_of_warps, const int* rows_many,
    int* C2_pos) {
    __shared__ int w_crd_shared_2[2048];
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_size = w_places[row];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd_shared_2[at] = 2147483647;
            }
            __syncwarp();
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                const int entry = tile + lane;
                const int pt1 = min(entry, tile_end - 1);
                const int j = t12_crd[pt1];
                const int pt02_begin = t0_begins[j];
                const int pt02_end = t0_begins[j + 1];
                partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                __syncwarp();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[thread_x / 32 * 32 + n]);
                }
                if (longest <= 32) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = lane / width;
                    const int lane_of_part = lane % width;
                    const int parts = 32 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry_2 = first_entry + part;
                        const int pt1_2 = min(entry_2, tile_end - 1);
                        const int j_2 = t12_crd[pt1_2];
                        const int pt02_begin_2 = t0_begins[j_2];
                        const int pt02_end_2 = t0_begins[j_2 + 1];
                        const int pt0 = pt02_begin_2 + lane_of_part;
                        if (entry_2 < tile_end && pt0 < pt02_end_2) {
                            const int i = t02_crd[pt0];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1_2 = tile; pt1_2 < tile_end; ++pt1_2) {
                        const int j_2 = t12_crd[pt1_2];
                        const int pt02_begin_2 = t0_begins[j_2];
                        const int pt02_end_2 = t0_begins[j_2 + 1];
                        for (int pt0 = pt02_begin_2 + lane; pt0 < pt02_end_2; pt0 += 32) {
                            const int i = t02_crd[pt0];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
                __syncwarp();
            }
            partial[thread_x] = w_len;
            __syncwarp();
            int distance = 1;
            #pragma unroll 5
            for (int step = 0; step < 5; ++step) {
                const int doubled = addCounts(partial[thread_x], distance <= lane ? partial[thread_x - distance] : 0);
                __syncwarp();
                partial[thread_x] = doubled;
                __syncwarp();
                distance += distance;
            }
            const int all = partial[thread_x / 32 * 32 + 31];
            C2_count += all;
        }
        if (lane == 0) {
            C2_pos[row] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count_block(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* rows_of_blocks, const int* rows_many,
    int* C2_pos) {
    __shared__ int w_crd_shared_2[2048];
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_size = w_places[row];
            int w_len = 0;
            for (int at = thread_x; at < w_size; at += 256) {
                w_crd_shared_2[at] = 2147483647;
            }
            __syncthreads();
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pt1 = min(entry, tile_end - 1);
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                }
                __syncthreads();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[n]);
                }
                if (longest <= 256) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = thread_x / width;
                    const int lane_of_part = thread_x % width;
                    const int parts = 256 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry = first_entry + part;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        const int pt0 = pt02_begin + lane_of_part;
                        if (entry < tile_end && pt0 < pt02_end) {
                            const int i = t02_crd[pt0];
                            int at = (i ^ i / 32 ^ i / 1024) & (w_size - 1);
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                            const int i = t02_crd[pt0];
                            int at = (i ^ i / 32 ^ i / 1024) & (w_size - 1);
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
                __syncthreads();
            }
            partial[thread_x] = w_len;
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
            const int all = partial[255];
            C2_count += all;
        }
        if (thread_x == 0) {
            C2_pos[row] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count_large_block(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* rows_of_large_blocks,
    const int* rows_many, int* C2_pos, int* w_crd) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int w_begin = block_x * 8192;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_size = w_places[row];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
            }
            __syncthreads();
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pt1 = min(entry, tile_end - 1);
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                }
                __syncthreads();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[n]);
                }
                if (longest <= 256) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = thread_x / width;
                    const int lane_of_part = thread_x % width;
                    const int parts = 256 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry = first_entry + part;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        const int pt0 = pt02_begin + lane_of_part;
                        if (entry < tile_end && pt0 < pt02_end) {
                            const int i = t02_crd[pt0];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                            const int i = t02_crd[pt0];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
                __syncthreads();
            }
            partial[thread_x] = w_len;
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
            const int all = partial[255];
            C2_count += all;
        }
        if (thread_x == 0) {
            C2_pos[row] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_count_largest_block(
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t0_begins,
    const int* __restrict__ t02_crd, const int* w_places, const int* w_largest,
    const int* rows_of_largest_blocks, const int* rows_many, int* C2_pos, int* w_crd) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int w_region = w_largest[0];
    const int teams = min(2048, max(33554432 / w_region, 1));
    if (block_x < teams) {
        const int w_begin = (int)min((long long)block_x * w_region, 33554432LL);
        const int end = rows_many[4];
        int rank = block_x;
        while (rank < end) {
            const int row = rows_of_largest_blocks[rank];
            int C2_count = 0;
            const int pt11_begin = t1_begins[row];
            const int pt11_end = t1_begins[row + 1];
            if (pt11_begin < pt11_end) {
                const int w_size = w_places[row];
                const int w_end = w_begin + w_size;
                int w_len = 0;
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    w_crd[at] = 2147483647;
                }
                __syncthreads();
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                    }
                    __syncthreads();
                    int longest = 0;
                    for (int n = 0; n < 32; ++n) {
                        longest = max(longest, partial[n]);
                    }
                    if (longest <= 256) {
                        int width = 8;
                        while (width < longest) {
                            width += width;
                        }
                        const int part = thread_x / width;
                        const int lane_of_part = thread_x % width;
                        const int parts = 256 / width;
                        int first_entry = tile;
                        while (first_entry < tile_end) {
                            const int entry = first_entry + part;
                            const int pt1 = min(entry, tile_end - 1);
                            const int j = t12_crd[pt1];
                            const int pt02_begin = t0_begins[j];
                            const int pt02_end = t0_begins[j + 1];
                            const int pt0 = pt02_begin + lane_of_part;
                            if (entry < tile_end && pt0 < pt02_end) {
                                const int i = t02_crd[pt0];
                                int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                                int held = atomicCAS(&w_crd[at], 2147483647, i);
                                while (held != 2147483647 && held != i) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = atomicCAS(&w_crd[at], 2147483647, i);
                                }
                                if (held == 2147483647) {
                                    ++w_len;
                                }
                            }
                            first_entry += parts;
                        }
                    } else {
                        for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                            const int j = t12_crd[pt1];
                            const int pt02_begin = t0_begins[j];
                            const int pt02_end = t0_begins[j + 1];
                            for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                                const int i = t02_crd[pt0];
                                int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                                int held = atomicCAS(&w_crd[at], 2147483647, i);
                                while (held != 2147483647 && held != i) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = atomicCAS(&w_crd[at], 2147483647, i);
                                }
                                if (held == 2147483647) {
                                    ++w_len;
                                }
                            }
                        }
                    }
                    __syncthreads();
                }
                partial[thread_x] = w_len;
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
                const int all = partial[255];
                C2_count += all;
            }
            if (thread_x == 0) {
                C2_pos[row] = C2_count;
            }
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums(
    const int* C2_pos, int B2_dim, int* C2_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
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
        C2_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles(
    int B2_dim, int* C2_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B2_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B2_dim + 2048) / 2048 ? C2_sums[tile] : 0;
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
        if (tile < (B2_dim + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins(
    const int* C2_sums, int B2_dim, int* C2_pos) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
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
    int at = addCounts(C2_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        const int count = n < B2_dim ? C2_pos[n] : 0;
        C2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ rows_work, int B2_dim, int* __restrict__ C2_crd, double* __restrict__ C_vals,
    int* __restrict__ w_crd, double* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 16;
    for (int k = team; k < B2_dim; k += 524288) {
        const int work = rows_work[k];
        if (work < 32) {
            int pC2 = C2_pos[k];
            const int pt11_begin = t1_begins[k];
            const int pt11_end = t1_begins[k + 1];
            if (pt11_begin < pt11_end) {
                const int w_reserved = w_places[k];
                const int w_elements = C2_pos[k + 1] - C2_pos[k];
                int places = 0 < w_elements ? 4 : 0;
                while (places < w_reserved && places - places / 4 < w_elements) {
                    places = addCounts(places, places);
                }
                const int w_size = places;
                const int w_end = w_begin + w_size;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w_crd[at] = 2147483647;
                }
                for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    for (int pt0 = pt02_begin; pt0 < pt02_end; ++pt0) {
                        const int i = t02_crd[pt0];
                        const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                        int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                        int held = w_crd[at];
                        while (held != 2147483647 && held != i) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = i;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] += value;
                        }
                    }
                }
                int to = w_begin;
                for (int at = w_begin; at < w_end; ++at) {
                    if (w_crd[at] != 2147483647) {
                        w_crd[to] = w_crd[at];
                        w_vals[to] = w_vals[at];
                        ++to;
                    }
                }
                const int w_filled = w_begin + w_len;
                int gap = w_len / 2 - w_len / 22;
                while (0 < gap) {
                    for (int from = w_begin + gap; from < w_filled; ++from) {
                        const int key = w_crd[from];
                        const double value = w_vals[from];
                        int to_2 = from;
                        while (w_begin + gap <= to_2 && key < w_crd[to_2 - gap]) {
                            w_crd[to_2] = w_crd[to_2 - gap];
                            w_vals[to_2] = w_vals[to_2 - gap];
                            to_2 -= gap;
                        }
                        w_crd[to_2] = key;
                        w_vals[to_2] = value;
                    }
                    gap = gap / 2 - gap / 22;
                }
                for (int pw = w_begin; pw < w_filled; ++pw) {
                    const int i = w_crd[pw];
                    C2_crd[pC2] = i;
                    C_vals[pC2] = w_vals[pw];
                    ++pC2;
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill_group8(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_group8s, const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int w_crd_shared[2304];
    __shared__ double w_vals_shared[2304];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int team = block_x * 32 + thread_x / 8;
    const int w_begin = thread_x / 8 * 72;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 65536) {
        const int row = rows_of_group8s[rank];
        const int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_reserved = w_places[row];
            const int w_elements = C2_pos[row + 1] - C2_pos[row];
            int places = 0 < w_elements ? 4 : 0;
            while (places < w_reserved && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            const int w_size = places;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + lane; at < w_end; at += 8) {
                w_crd_shared[at] = 2147483647;
            }
            syncGroup<8>();
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                const int pt02_begin = t0_begins[j];
                const int pt02_end = t0_begins[j + 1];
                for (int pt0 = pt02_begin + lane; pt0 < pt02_end; pt0 += 8) {
                    const int i = t02_crd[pt0];
                    const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                    int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                    int held = atomicCAS(&w_crd_shared[at], 2147483647, i);
                    while (held != 2147483647 && held != i) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = atomicCAS(&w_crd_shared[at], 2147483647, i);
                    }
                    if (held == 2147483647) {
                        w_vals_shared[at] = value;
                    } else {
                        w_vals_shared[at] += value;
                    }
                }
                syncGroup<8>();
            }
            int to = w_begin;
            for (int tile = w_begin; tile < w_end; tile += 8) {
                const int at = tile + lane;
                const int key = at < w_end ? w_crd_shared[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals_shared[at] : 0.0;
                const int before = countBefore<8, OwnGroup>(key != 2147483647);
                const int all = countInGroup<8, OwnGroup>(key != 2147483647);
                syncGroup<8>();
                if (key != 2147483647) {
                    w_crd_shared[to + before] = key;
                    w_vals_shared[to + before] = value;
                }
                to += all;
            }
            syncGroup<8>();
            const int w_filled = to;
            const int filled = w_filled - w_begin;
            int half = 1;
            while (half < filled) {
                int flip = half + (half - 1);
                while (0 < flip) {
                    for (int low = lane; low < filled; low += 8) {
                        const int high = low ^ flip;
                        if (low < high && high < filled && w_crd_shared[w_begin + high] < w_crd_shared[w_begin + low]) {
                            const int key = w_crd_shared[w_begin + low];
                            w_crd_shared[w_begin + low] = w_crd_shared[w_begin + high];
                            w_crd_shared[w_begin + high] = key;
                            const double value = w_vals_shared[w_begin + low];
                            w_vals_shared[w_begin + low] = w_vals_shared[w_begin + high];
                            w_vals_shared[w_begin + high] = value;
                        }
                    }
                    syncGroup<8>();
                    flip = half <= flip ? half / 2 : flip / 2;
                }
                half = half < filled - half ? half + half : filled;
            }
            for (int pw = w_begin + lane; pw < w_filled; pw += 8) {
                const int i = w_crd_shared[pw];
                C2_crd[pC2 + (pw - w_begin)] = i;
                C_vals[pC2 + (pw - w_begin)] = w_vals_shared[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill_warp(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_warps, const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int w_crd_shared_2[2048];
    __shared__ double w_vals_shared_2[2048];
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        const int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_reserved = w_places[row];
            const int w_elements = C2_pos[row + 1] - C2_pos[row];
            int places = 0 < w_elements ? 4 : 0;
            while (places < w_reserved && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            const int w_size = places;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd_shared_2[at] = 2147483647;
                w_vals_shared_2[at] = 0.0;
            }
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                const int entry = tile + lane;
                const int pt1 = min(entry, tile_end - 1);
                const int j = t12_crd[pt1];
                const int pt02_begin = t0_begins[j];
                const int pt02_end = t0_begins[j + 1];
                partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                __syncwarp();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[thread_x / 32 * 32 + n]);
                }
                if (longest <= 32) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = lane / width;
                    const int lane_of_part = lane % width;
                    const int parts = 32 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry_2 = first_entry + part;
                        const int pt1_2 = min(entry_2, tile_end - 1);
                        const int j_2 = t12_crd[pt1_2];
                        const int pt02_begin_2 = t0_begins[j_2];
                        const int pt02_end_2 = t0_begins[j_2 + 1];
                        const int pt0 = pt02_begin_2 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (entry_2 < tile_end && pt0 < pt02_end_2) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1_2]];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            claimed = at;
                            combined = value;
                        }
                        for (int turn = 0, turn_end = min(parts, tile_end - first_entry); turn < turn_end; ++turn) {
                            if (turn == part && claimed != 2147483647) {
                                w_vals_shared_2[claimed] += combined;
                            }
                            __syncwarp();
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1_2 = tile; pt1_2 < tile_end; ++pt1_2) {
                        const int j_2 = t12_crd[pt1_2];
                        const int pt02_begin_2 = t0_begins[j_2];
                        const int pt02_end_2 = t0_begins[j_2 + 1];
                        for (int pt0 = pt02_begin_2 + lane; pt0 < pt02_end_2; pt0 += 32) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1_2]];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                w_vals_shared_2[at] = value;
                            } else {
                                w_vals_shared_2[at] += value;
                            }
                        }
                        __syncwarp();
                    }
                }
            }
            int to = w_begin;
            for (int tile = w_begin; tile < w_end; tile += 32) {
                const int at = tile + lane;
                const int key = at < w_end ? w_crd_shared_2[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals_shared_2[at] : 0.0;
                const int before = countBefore<32>(key != 2147483647);
                const int all = countInGroup<32>(key != 2147483647);
                __syncwarp();
                if (key != 2147483647) {
                    w_crd_shared_2[to + before] = key;
                    w_vals_shared_2[to + before] = value;
                }
                to += all;
            }
            __syncwarp();
            const int w_filled = to;
            const int filled = w_filled - w_begin;
            int half = 1;
            while (half < filled) {
                int flip = half + (half - 1);
                while (0 < flip) {
                    for (int low = lane; low < filled; low += 32) {
                        const int high = low ^ flip;
                        if (low < high && high < filled && w_crd_shared_2[w_begin + high] < w_crd_shared_2[w_begin + low]) {
                            const int key = w_crd_shared_2[w_begin + low];
                            w_crd_shared_2[w_begin + low] = w_crd_shared_2[w_begin + high];
                            w_crd_shared_2[w_begin + high] = key;
                            const double value = w_vals_shared_2[w_begin + low];
                            w_vals_shared_2[w_begin + low] = w_vals_shared_2[w_begin + high];
                            w_vals_shared_2[w_begin + high] = value;
                        }
                    }
                    __syncwarp();
                    flip = half <= flip ? half / 2 : flip / 2;
                }
                half = half < filled - half ? half + half : filled;
            }
            for (int pw = w_begin + lane; pw < w_filled; pw += 32) {
                const int i = w_crd_shared_2[pw];
                C2_crd[pC2 + (pw - w_begin)] = i;
                C_vals[pC2 + (pw - w_begin)] = w_vals_shared_2[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill_block(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_blocks, const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int w_crd_shared_2[2048];
    __shared__ double w_vals_shared_2[2048];
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        const int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_reserved = w_places[row];
            const int w_elements = C2_pos[row + 1] - C2_pos[row];
            int places = 0 < w_elements ? 4 : 0;
            while (places < w_reserved && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            const int w_size = places;
            for (int at = thread_x; at < w_size; at += 256) {
                w_crd_shared_2[at] = 2147483647;
                w_vals_shared_2[at] = 0.0;
            }
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pt1 = min(entry, tile_end - 1);
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                }
                __syncthreads();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[n]);
                }
                if (longest <= 256) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = thread_x / width;
                    const int lane_of_part = thread_x % width;
                    const int parts = 256 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry = first_entry + part;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        const int pt0 = pt02_begin + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (entry < tile_end && pt0 < pt02_end) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                            int at = (i ^ i / 32 ^ i / 1024) & (w_size - 1);
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            claimed = at;
                            combined = value;
                        }
                        for (int turn = 0, turn_end = min(parts, tile_end - first_entry); turn < turn_end; ++turn) {
                            if (turn == part && claimed != 2147483647) {
                                w_vals_shared_2[claimed] += combined;
                            }
                            __syncthreads();
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                            int at = (i ^ i / 32 ^ i / 1024) & (w_size - 1);
                            int held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = atomicCAS(&w_crd_shared_2[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                w_vals_shared_2[at] = value;
                            } else {
                                w_vals_shared_2[at] += value;
                            }
                        }
                        __syncthreads();
                    }
                }
            }
            int to = 0;
            for (int tile = 0; tile < w_size; tile += 256) {
                const int at = tile + thread_x;
                const int key = at < w_size ? w_crd_shared_2[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals_shared_2[at] : 0.0;
                partial[thread_x] = key != 2147483647 ? 1 : 0;
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
                const int before = 1 <= thread_x ? partial[thread_x - 1] : 0;
                const int all = partial[255];
                __syncthreads();
                if (key != 2147483647) {
                    w_crd_shared_2[to + before] = key;
                    w_vals_shared_2[to + before] = value;
                }
                to += all;
            }
            __syncthreads();
            const int w_filled = to;
            int half = 1;
            while (half < w_filled) {
                int flip = half + (half - 1);
                while (0 < flip) {
                    for (int low = thread_x; low < w_filled; low += 256) {
                        const int high = low ^ flip;
                        if (low < high && high < w_filled && w_crd_shared_2[high] < w_crd_shared_2[low]) {
                            const int key = w_crd_shared_2[low];
                            w_crd_shared_2[low] = w_crd_shared_2[high];
                            w_crd_shared_2[high] = key;
                            const double value = w_vals_shared_2[low];
                            w_vals_shared_2[low] = w_vals_shared_2[high];
                            w_vals_shared_2[high] = value;
                        }
                    }
                    __syncthreads();
                    flip = half <= flip ? half / 2 : flip / 2;
                }
                half = half < w_filled - half ? half + half : w_filled;
            }
            for (int pw = thread_x; pw < w_filled; pw += 256) {
                const int i = w_crd_shared_2[pw];
                C2_crd[pC2 + pw] = i;
                C_vals[pC2 + pw] = w_vals_shared_2[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill_large_block(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_large_blocks, const int* __restrict__ rows_many, int* C2_crd,
    double* C_vals, int* w_crd, double* w_vals) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int w_begin = block_x * 8192;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        const int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int w_reserved = w_places[row];
            const int w_elements = C2_pos[row + 1] - C2_pos[row];
            int places = 0 < w_elements ? 4 : 0;
            while (places < w_reserved && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            const int w_size = places;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
                w_vals[at] = 0.0;
            }
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pt1 = min(entry, tile_end - 1);
                    const int j = t12_crd[pt1];
                    const int pt02_begin = t0_begins[j];
                    const int pt02_end = t0_begins[j + 1];
                    partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                }
                __syncthreads();
                int longest = 0;
                for (int n = 0; n < 32; ++n) {
                    longest = max(longest, partial[n]);
                }
                if (longest <= 256) {
                    int width = 8;
                    while (width < longest) {
                        width += width;
                    }
                    const int part = thread_x / width;
                    const int lane_of_part = thread_x % width;
                    const int parts = 256 / width;
                    int first_entry = tile;
                    while (first_entry < tile_end) {
                        const int entry = first_entry + part;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        const int pt0 = pt02_begin + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (entry < tile_end && pt0 < pt02_end) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd[at], 2147483647, i);
                            }
                            claimed = at;
                            combined = value;
                        }
                        for (int turn = 0, turn_end = min(parts, tile_end - first_entry); turn < turn_end; ++turn) {
                            if (turn == part && claimed != 2147483647) {
                                w_vals[claimed] += combined;
                            }
                            __syncthreads();
                        }
                        first_entry += parts;
                    }
                } else {
                    for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                            const int i = t02_crd[pt0];
                            const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                            int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                            int held = atomicCAS(&w_crd[at], 2147483647, i);
                            while (held != 2147483647 && held != i) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = atomicCAS(&w_crd[at], 2147483647, i);
                            }
                            if (held == 2147483647) {
                                w_vals[at] = value;
                            } else {
                                w_vals[at] += value;
                            }
                        }
                        __syncthreads();
                    }
                }
            }
            int to = w_begin;
            for (int tile = w_begin; tile < w_end; tile += 256) {
                const int at = tile + thread_x;
                const int key = at < w_end ? w_crd[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals[at] : 0.0;
                partial[thread_x] = key != 2147483647 ? 1 : 0;
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
                const int before = 1 <= thread_x ? partial[thread_x - 1] : 0;
                const int all = partial[255];
                __syncthreads();
                if (key != 2147483647) {
                    w_crd[to + before] = key;
                    w_vals[to + before] = value;
                }
                to += all;
            }
            __syncthreads();
            const int w_filled = to;
            const int filled = w_filled - w_begin;
            int half = 1;
            while (half < filled) {
                int flip = half + (half - 1);
                while (0 < flip) {
                    for (int low = thread_x; low < filled; low += 256) {
                        const int high = low ^ flip;
                        if (low < high && high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                            const int key = w_crd[w_begin + low];
                            w_crd[w_begin + low] = w_crd[w_begin + high];
                            w_crd[w_begin + high] = key;
                            const double value = w_vals[w_begin + low];
                            w_vals[w_begin + low] = w_vals[w_begin + high];
                            w_vals[w_begin + high] = value;
                        }
                    }
                    __syncthreads();
                    flip = half <= flip ? half / 2 : flip / 2;
                }
                half = half < filled - half ? half + half : filled;
            }
            for (int pw = w_begin + thread_x; pw < w_filled; pw += 256) {
                const int i = w_crd[pw];
                C2_crd[pC2 + (pw - w_begin)] = i;
                C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_by_columns_fill_largest_block(
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_begins, const int* __restrict__ t02_crd, const int* __restrict__ t0_order,
    const double* __restrict__ t0_vals, const int* __restrict__ w_places,
    const int* __restrict__ w_largest, const int* __restrict__ rows_of_largest_blocks,
    const int* __restrict__ rows_many, int* C2_crd, double* C_vals, int* w_crd, double* w_vals) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    const int w_region = w_largest[0];
    const int teams = min(2048, max(33554432 / w_region, 1));
    if (block_x < teams) {
        const int w_begin = (int)min((long long)block_x * w_region, 33554432LL);
        const int end = rows_many[4];
        int rank = block_x;
        while (rank < end) {
            const int row = rows_of_largest_blocks[rank];
            const int pC2 = C2_pos[row];
            const int pt11_begin = t1_begins[row];
            const int pt11_end = t1_begins[row + 1];
            if (pt11_begin < pt11_end) {
                const int w_reserved = w_places[row];
                const int w_elements = C2_pos[row + 1] - C2_pos[row];
                int places = 0 < w_elements ? 4 : 0;
                while (places < w_reserved && places - places / 4 < w_elements) {
                    places = addCounts(places, places);
                }
                const int w_size = places;
                const int w_end = w_begin + w_size;
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    w_crd[at] = 2147483647;
                    w_vals[at] = 0.0;
                }
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pt02_begin = t0_begins[j];
                        const int pt02_end = t0_begins[j + 1];
                        partial[thread_x] = entry < tile_end ? pt02_end - pt02_begin : 0;
                    }
                    __syncthreads();
                    int longest = 0;
                    for (int n = 0; n < 32; ++n) {
                        longest = max(longest, partial[n]);
                    }
                    if (longest <= 256) {
                        int width = 8;
                        while (width < longest) {
                            width += width;
                        }
                        const int part = thread_x / width;
                        const int lane_of_part = thread_x % width;
                        const int parts = 256 / width;
                        int first_entry = tile;
                        while (first_entry < tile_end) {
                            const int entry = first_entry + part;
                            const int pt1 = min(entry, tile_end - 1);
                            const int j = t12_crd[pt1];
                            const int pt02_begin = t0_begins[j];
                            const int pt02_end = t0_begins[j + 1];
                            const int pt0 = pt02_begin + lane_of_part;
                            int claimed = 2147483647;
                            double combined = 0.0;
                            if (entry < tile_end && pt0 < pt02_end) {
                                const int i = t02_crd[pt0];
                                const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                                int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                                int held = atomicCAS(&w_crd[at], 2147483647, i);
                                while (held != 2147483647 && held != i) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = atomicCAS(&w_crd[at], 2147483647, i);
                                }
                                claimed = at;
                                combined = value;
                            }
                            for (int turn = 0, turn_end = min(parts, tile_end - first_entry); turn < turn_end; ++turn) {
                                if (turn == part && claimed != 2147483647) {
                                    w_vals[claimed] += combined;
                                }
                                __syncthreads();
                            }
                            first_entry += parts;
                        }
                    } else {
                        for (int pt1 = tile; pt1 < tile_end; ++pt1) {
                            const int j = t12_crd[pt1];
                            const int pt02_begin = t0_begins[j];
                            const int pt02_end = t0_begins[j + 1];
                            for (int pt0 = pt02_begin + thread_x; pt0 < pt02_end; pt0 += 256) {
                                const int i = t02_crd[pt0];
                                const double value = t0_vals[t0_order[pt0]] * t1_vals[t1_order[pt1]];
                                int at = w_begin + ((i ^ i / 32 ^ i / 1024) & (w_size - 1));
                                int held = atomicCAS(&w_crd[at], 2147483647, i);
                                while (held != 2147483647 && held != i) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = atomicCAS(&w_crd[at], 2147483647, i);
                                }
                                if (held == 2147483647) {
                                    w_vals[at] = value;
                                } else {
                                    w_vals[at] += value;
                                }
                            }
                            __syncthreads();
                        }
                    }
                }
                int to = w_begin;
                for (int tile = w_begin; tile < w_end; tile += 256) {
                    const int at = tile + thread_x;
                    const int key = at < w_end ? w_crd[at] : 2147483647;
                    const double value = key != 2147483647 ? w_vals[at] : 0.0;
                    partial[thread_x] = key != 2147483647 ? 1 : 0;
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
                    const int before = 1 <= thread_x ? partial[thread_x - 1] : 0;
                    const int all = partial[255];
                    __syncthreads();
                    if (key != 2147483647) {
                        w_crd[to + before] = key;
                        w_vals[to + before] = value;
                    }
                    to += all;
                }
                __syncthreads();
                const int w_filled = to;
                const int filled = w_filled - w_begin;
                int half = 1;
                while (half < filled) {
                    int flip = half + (half - 1);
                    while (0 < flip) {
                        for (int low = thread_x; low < filled; low += 256) {
                            const int high = low ^ flip;
                            if (low < high && high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                                const int key = w_crd[w_begin + low];
                                w_crd[w_begin + low] = w_crd[w_begin + high];
                                w_crd[w_begin + high] = key;
                                const double value = w_vals[w_begin + low];
                                w_vals[w_begin + low] = w_vals[w_begin + high];
                                w_vals[w_begin + high] = value;
                            }
                        }
                        __syncthreads();
                        flip = half <= flip ? half / 2 : flip / 2;
                    }
                    half = half < filled - half ? half + half : filled;
                }
                for (int pw = w_begin + thread_x; pw < w_filled; pw += 256) {
                    const int i = w_crd[pw];
                    C2_crd[pC2 + (pw - w_begin)] = i;
                    C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
                }
            }
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}
