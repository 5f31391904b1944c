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

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_counts_t0(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, int A2_dim,
    int* __restrict__ t0_begins, int* __restrict__ t0_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int j_t0 = block_x * 256 + thread_x;
    if (j_t0 < A2_dim) {
        int count = 0;
        for (int pA = A2_pos[j_t0], pA_end = A2_pos[j_t0 + 1]; pA < pA_end; ++pA) {
            const int i_t0 = A2_crd[pA];
            atomicAdd(&t0_begins[i_t0 + 1], 1);
            count = addCounts(count, 1);
        }
        t0_rows[j_t0] = count;
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sums_t0_rows(
    const int* t0_rows, int A2_dim, int* t0_row_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim); n < n_end; ++n) {
        sum = addCounts(sum, t0_rows[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        t0_row_sums[block_x] = all;
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sum_tiles_t0_rows(
    int A2_dim, int* t0_row_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A2_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A2_dim + 2048) / 2048 ? t0_row_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (A2_dim + 2048) / 2048) {
            t0_row_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_begins_t0_rows(
    const int* t0_row_sums, int A2_dim, int* t0_rows) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim); n < n_end; ++n) {
        sum = addCounts(sum, t0_rows[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(t0_row_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A2_dim + 1); n < n_end; ++n) {
        const int count = n < A2_dim ? t0_rows[n] : 0;
        t0_rows[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sums_t0(
    const int* t0_begins, int A1_dim, int* t0_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t0_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        t0_sums[block_x] = all;
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sum_tiles_t0(
    int A1_dim, int* t0_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2049) / 2048 ? t0_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (A1_dim + 2049) / 2048) {
            t0_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_begins_t0(
    const int* t0_sums, int A1_dim, int* t0_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t0_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(t0_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 2); n < n_end; ++n) {
        const int count = n < A1_dim + 1 ? t0_begins[n] : 0;
        t0_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_scatter_t0(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* t0_rows, int A2_dim, int* t0_begins, int* __restrict__ t02_crd, int* __restrict__ t0_order,
    double* __restrict__ t0_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int j_t0 = block_x * 256 + thread_x;
    waitForLaunch();
    if (j_t0 < A2_dim) {
        int place = t0_rows[j_t0];
        for (int pA = A2_pos[j_t0], pA_end = A2_pos[j_t0 + 1]; pA < pA_end; ++pA) {
            const int i_t0 = A2_crd[pA];
            const int at = atomicAdd(&t0_begins[i_t0 + 1], 1);
            t02_crd[at] = j_t0;
            t0_order[at] = place;
            t0_vals[place] = A_vals[pA];
            ++place;
        }
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sort_t0(
    const int* __restrict__ t0_begins, int A1_dim, int* __restrict__ t02_crd, int* __restrict__ t0_order,
    int* __restrict__ t0_of_group8s, int* __restrict__ t0_of_warps, int* __restrict__ t0_of_blocks,
    int* __restrict__ t0_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int bucket = block_x * 256 + thread_x;
    if (bucket < A1_dim) {
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

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sort_t0_group8(
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
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 8) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
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

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sort_t0_warp(
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
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 32) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
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

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sort_t0_block(
    const int* __restrict__ t0_begins, const int* t0_of_blocks, const int* t0_many, int* t02_crd,
    int* t0_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    if (block_x < t0_many[2]) {
        const int bucket = t0_of_blocks[block_x];
        const int begin = t0_begins[bucket];
        const int end = t0_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = thread_x, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 256) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t02_crd[begin + high] < t02_crd[begin + low]) {
                        const int key = t02_crd[begin + low];
                        t02_crd[begin + low] = t02_crd[begin + high];
                        t02_crd[begin + high] = key;
                        const int key_2 = t0_order[begin + low];
                        t0_order[begin + low] = t0_order[begin + high];
                        t0_order[begin + high] = key_2;
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

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ t0_begins,
    const int* t02_crd, int A1_dim, int* __restrict__ C2_pos) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    waitForLaunch();
    allowNextLaunch();
    if (i < A1_dim) {
        int C2_count = 0;
        const int pt01_begin = t0_begins[i];
        const int pt01_end = t0_begins[i + 1];
        if (pt01_begin < pt01_end) {
            const int pA2_end = A2_pos[i + 1];
            int pA = A2_pos[i];
            int pt0 = pt01_begin;
            while (pA < pA2_end && pt0 < pt01_end) {
                const int jA = A2_crd[pA];
                const int jt0 = t02_crd[pt0];
                if (jA == jt0) {
                    ++C2_count;
                    ++pA;
                    ++pt0;
                } else if (jA < jt0) {
                    ++pA;
                } else {
                    ++pt0;
                }
            }
        }
        C2_pos[i] = C2_count;
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sums(
    const int* C2_pos, int A1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C2_sums[block_x] = all;
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_sum_tiles(
    int A1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2048) / 2048 ? C2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (A1_dim + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_begins(
    const int* C2_sums, int A1_dim, int* C2_pos) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        const int count = n < A1_dim ? C2_pos[n] : 0;
        C2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, j] = A[i, j] * A[j, i];
extern "C" __global__ void __launch_bounds__(256) reciprocal_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t0_begins, const int* __restrict__ t02_crd,
    const int* __restrict__ t0_order, const double* __restrict__ t0_vals, int A1_dim,
    int* __restrict__ C2_crd, double* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        int pC2 = C2_pos[i];
        const int pt01_begin = t0_begins[i];
        const int pt01_end = t0_begins[i + 1];
        if (pt01_begin < pt01_end) {
            const int pA2_end = A2_pos[i + 1];
            int pA = A2_pos[i];
            int pt0 = pt01_begin;
            while (pA < pA2_end && pt0 < pt01_end) {
                const int jA = A2_crd[pA];
                const int jt0 = t02_crd[pt0];
                if (jA == jt0) {
                    C2_crd[pC2] = jA;
                    C_vals[pC2] = A_vals[pA] * t0_vals[t0_order[pt0]];
                    ++pC2;
                    ++pA;
                    ++pt0;
                } else if (jA < jt0) {
                    ++pA;
                } else {
                    ++pt0;
                }
            }
        }
    }
}
