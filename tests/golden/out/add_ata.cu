// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

// How many of a word's lowest bits are set, of fewer than 31.
__device__ __forceinline__ int marksBelow(int word, int n) { return __popc(word & ((1 << n) - 1)); }

// Where a table of a power of two of places is looked into first for a key: runs of keys are spread over it, and multiples of a
// power of two, whose higher bits are folded to the lower ones. In a table of as many places as there are keys each has its own.
__device__ __forceinline__ int placeOf(unsigned int key, int places) {
    key ^= key >> 4 ^ key >> 9;
    return (int)(key * 107u) & (places - 1);
}

// What stands at a place, where the key is put if that is nothing. Mostly a key is there, which a load finds; it is volatile because
// others put theirs meanwhile.
__device__ __forceinline__ int claimPlace(int* at, int key) {
    const int held = *(volatile int*)at;
    return held == 2147483647 ? atomicCAS(at, 2147483647, key) : held;
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
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countBefore(bool vote, int& all) {
    const unsigned votes = votesOfGroup<G, Lanes>(vote);
    all = __popc(votes);
    return __popc(votes & ((1u << threadIdx.x % G) - 1));
}
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int countBefore(bool vote) {
    int all;
    return countBefore<G, Lanes>(vote, all);
}

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

// How many threads of the block have the condition: all of them, or those before this one.
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial, int& all) {
    int ofWarp;
    const int before = countBefore<32>(vote, ofWarp);
    return sumOfWarps<T>(ofWarp, partial, all) + before;
}
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial) {
    int all;
    return countBeforeInBlock<T>(vote, partial, all);
}
template <int T> __device__ __forceinline__ int countInBlock(bool vote, int* partial) {
    int all;
    sumOfWarps<T>(countInGroup<32>(vote), partial, all);
    return all;
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

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_counts_t1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, int A1_dim,
    int* __restrict__ t1_begins, int* __restrict__ t1_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int j_t1 = block_x * 256 + thread_x;
    if (j_t1 < A1_dim) {
        int count = 0;
        for (int pA = A2_pos[j_t1], pA_end = A2_pos[j_t1 + 1]; pA < pA_end; ++pA) {
            const int i_t1 = A2_crd[pA];
            atomicAdd(&t1_begins[i_t1 + 1], 1);
            count = addCounts(count, 1);
        }
        t1_rows[j_t1] = count;
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sums_t1_rows(
    const int* t1_rows, int A1_dim, int* t1_row_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, t1_rows[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        t1_row_sums[block_x] = all;
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sum_tiles_t1_rows(
    int A1_dim, int* t1_row_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2048) / 2048 ? t1_row_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (A1_dim + 2048) / 2048) {
            t1_row_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_begins_t1_rows(
    const int* t1_row_sums, int A1_dim, int* t1_rows) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, t1_rows[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(t1_row_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        const int count = n < A1_dim ? t1_rows[n] : 0;
        t1_rows[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sums_t1(
    const int* t1_begins, int B1_dim, int* t1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        t1_sums[block_x] = all;
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sum_tiles_t1(
    int B1_dim, int* t1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2049) / 2048 ? t1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_dim + 2049) / 2048) {
            t1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_begins_t1(
    const int* t1_sums, int B1_dim, int* t1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, t1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(t1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 2); n < n_end; ++n) {
        const int count = n < B1_dim + 1 ? t1_begins[n] : 0;
        t1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_scatter_t1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* t1_rows, int A1_dim, int* t1_begins, int* __restrict__ t12_crd, int* __restrict__ t1_order,
    double* __restrict__ t1_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int j_t1 = block_x * 256 + thread_x;
    waitForLaunch();
    if (j_t1 < A1_dim) {
        int place = t1_rows[j_t1];
        for (int pA = A2_pos[j_t1], pA_end = A2_pos[j_t1 + 1]; pA < pA_end; ++pA) {
            const int i_t1 = A2_crd[pA];
            const int at = atomicAdd(&t1_begins[i_t1 + 1], 1);
            t12_crd[at] = j_t1;
            t1_order[at] = place;
            t1_vals[place] = A_vals[pA];
            ++place;
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sort_t1(
    const int* __restrict__ t1_begins, int B1_dim, int* __restrict__ t12_crd, int* __restrict__ t1_order,
    int* __restrict__ t1_of_group8s, int* __restrict__ t1_of_warps, int* __restrict__ t1_of_blocks,
    int* __restrict__ t1_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int bucket = block_x * 256 + thread_x;
    if (bucket < B1_dim) {
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

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sort_t1_group8(
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
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 8) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
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

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sort_t1_warp(
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
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 32) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
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

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sort_t1_block(
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
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = thread_x, pair_end = len - (len - stride) / 2; pair < pair_end; pair += 256) {
                    const int low = pair + (pair - (pair & (stride - 1)));
                    const int high = low ^ flip;
                    if (high < len && t12_crd[begin + high] < t12_crd[begin + low]) {
                        const int key = t12_crd[begin + low];
                        t12_crd[begin + low] = t12_crd[begin + high];
                        t12_crd[begin + high] = key;
                        const int key_2 = t1_order[begin + low];
                        t1_order[begin + low] = t1_order[begin + high];
                        t1_order[begin + high] = key_2;
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

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_scatters(
    const int* __restrict__ A2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    int B1_dim, int B2_dim, int A1_dim, int* __restrict__ t0_places, int* __restrict__ t0_largest,
    int* __restrict__ rows_work, int* __restrict__ rows_of_group8s, int* __restrict__ rows_of_warps,
    int* __restrict__ rows_of_blocks, int* __restrict__ rows_of_large_blocks,
    int* __restrict__ rows_of_largest_blocks, int* __restrict__ rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int t0_most = 0;
        const int pt11_begin = t1_begins[i];
        const int pt11_end = t1_begins[i + 1];
        if (pt11_begin < pt11_end) {
            int t0_len = 0;
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                t0_len = addCounts(t0_len, A2_pos[j + 1] - A2_pos[j]);
            }
            t0_most = max(t0_most, t0_len);
        }
        const int t0_elements = min(t0_most, min(B2_dim, A2_pos[A1_dim]));
        int places = 0 < t0_elements ? 4 : 0;
        while (places < B2_dim && places - places / 4 < t0_elements) {
            places = addCounts(places, places);
        }
        t0_places[i] = places;
        const int work = max(places, t0_most);
        rows_work[i] = work;
        if (16384 <= places) {
            const int at = atomicAdd(&rows_many[4], 1);
            rows_of_largest_blocks[at] = i;
            atomicMax(&t0_largest[0], places);
        } else if (4096 <= places) {
            const int at = atomicAdd(&rows_many[3], 1);
            rows_of_large_blocks[at] = i;
        } else if (512 <= work) {
            const int at = atomicAdd(&rows_many[2], 1);
            rows_of_blocks[at] = i;
        } else if (128 <= work) {
            const int at = atomicAdd(&rows_many[1], 1);
            rows_of_warps[at] = i;
        } else if (32 <= work) {
            const int at = atomicAdd(&rows_many[0], 1);
            rows_of_group8s[at] = i;
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* rows_work, int B1_dim, int* __restrict__ C2_pos,
    int* __restrict__ t0_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int team = block_x * 256 + thread_x;
    const int t0_begin = team * 16;
    waitForLaunch();
    allowNextLaunch();
    for (int i = team; i < B1_dim; i += 524288) {
        const int work = rows_work[i];
        if (work < 32) {
            int C2_count = 0;
            const int pt11_begin = t1_begins[i];
            const int pt11_end = t1_begins[i + 1];
            if (pt11_begin < pt11_end) {
                const int t0_size = t0_places[i];
                const int t0_end = t0_begin + t0_size;
                int t0_len = 0;
                for (int at = t0_begin; at < t0_end; ++at) {
                    t0_crd[at] = 2147483647;
                }
                for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                    const int j = t12_crd[pt1];
                    for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                        const int k_t0 = A2_crd[pA];
                        int at = t0_begin + placeOf(k_t0, t0_size);
                        int held = t0_crd[at];
                        while (held != 2147483647 && held != k_t0) {
                            at = at + 1 == t0_end ? t0_begin : at + 1;
                            held = t0_crd[at];
                        }
                        if (held == 2147483647) {
                            t0_crd[at] = k_t0;
                            ++t0_len;
                        }
                    }
                }
                int to = t0_begin;
                for (int at = t0_begin; at < t0_end; ++at) {
                    if (t0_crd[at] != 2147483647) {
                        t0_crd[to] = t0_crd[at];
                        ++to;
                    }
                }
                const int t0_filled = t0_begin + t0_len;
                int gap = t0_len / 2 - t0_len / 22;
                while (0 < gap) {
                    for (int from = t0_begin + gap; from < t0_filled; ++from) {
                        const int key = t0_crd[from];
                        int to_2 = from;
                        while (t0_begin + gap <= to_2 && key < t0_crd[to_2 - gap]) {
                            t0_crd[to_2] = t0_crd[to_2 - gap];
                            to_2 -= gap;
                        }
                        t0_crd[to_2] = key;
                    }
                    gap = gap / 2 - gap / 22;
                }
                const int pB2_end = B2_pos[i + 1];
                int pB = B2_pos[i];
                int pt0 = t0_begin;
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd[pt0];
                    ++C2_count;
                    if (kB == kt0) {
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        ++pB;
                    } else {
                        ++pt0;
                    }
                }
                C2_count += pB2_end - pB;
                C2_count += t0_filled - pt0;
            } else {
                C2_count += B2_pos[i + 1] - B2_pos[i];
            }
            C2_pos[i] = C2_count;
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count_group8(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* rows_of_group8s, const int* rows_many, int* C2_pos) {
    __shared__ int t0_crd_shared[2304];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int team = block_x * 32 + thread_x / 8;
    const int t0_begin = thread_x / 8 * 72;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 65536) {
        const int row = rows_of_group8s[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            for (int at = t0_begin + lane; at < t0_end; at += 8) {
                t0_crd_shared[at] = 2147483647;
            }
            syncGroup<8>();
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                const int pA2_begin = A2_pos[j];
                for (int pA = pA2_begin + lane, pA_end = A2_pos[j + 1]; pA < pA_end; pA += 8) {
                    const int k_t0 = A2_crd[pA];
                    int at = t0_begin + placeOf(k_t0, t0_size);
                    int held = claimPlace(&t0_crd_shared[at], k_t0);
                    while (held != 2147483647 && held != k_t0) {
                        at = at + 1 == t0_end ? t0_begin : at + 1;
                        held = claimPlace(&t0_crd_shared[at], k_t0);
                    }
                }
            }
            syncGroup<8>();
            int to = t0_begin;
            for (int tile = t0_begin; tile < t0_end; tile += 8) {
                const int at = tile + lane;
                const int key = at < t0_end ? t0_crd_shared[at] : 2147483647;
                int all;
                const int before = countBefore<8, OwnGroup>(key != 2147483647, all);
                syncGroup<8>();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                }
                to += all;
            }
            syncGroup<8>();
            const int filled = to - t0_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 8) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[t0_begin + high] < t0_crd_shared[t0_begin + low]) {
                            const int key = t0_crd_shared[t0_begin + low];
                            t0_crd_shared[t0_begin + low] = t0_crd_shared[t0_begin + high];
                            t0_crd_shared[t0_begin + high] = key;
                        }
                    }
                    syncGroup<8>();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            while (pB < pB2_end && pt0 < t0_filled) {
                const int kB = B2_crd[pB];
                const int kt0 = t0_crd_shared[pt0];
                ++C2_count;
                if (kB == kt0) {
                    ++pB;
                    ++pt0;
                } else if (kB < kt0) {
                    ++pB;
                } else {
                    ++pt0;
                }
            }
            C2_count += pB2_end - pB;
            C2_count += t0_filled - pt0;
        } else {
            C2_count += B2_pos[row + 1] - B2_pos[row];
        }
        if (lane == 0) {
            C2_pos[row] = C2_count;
        }
        syncGroup<8>();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count_warp(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* rows_of_warps, const int* rows_many, int* C2_pos) {
    __shared__ int t0_crd_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int t0_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            for (int at = t0_begin + lane; at < t0_end; at += 32) {
                t0_crd_shared[at] = 2147483647;
            }
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                if (pt11_begin < tile) {
                    __syncwarp();
                }
                const int tile_end = min(tile + 32, pt11_end);
                const int entry = tile + lane;
                const int pt1 = min(entry, tile_end - 1);
                const int j = t12_crd[pt1];
                const int pA2_begin = A2_pos[j];
                const int pA2_end = A2_pos[j + 1];
                const int to = entry < tile_end ? pA2_end : pA2_begin;
                int all;
                const int before = sumBefore<32>((to - pA2_begin + 7) / 8, all);
                row_begins[thread_x] = pA2_begin;
                row_ends[thread_x] = to;
                row_slices[thread_x] = before;
                __syncwarp();
                const int part = lane / 8;
                const int lane_of_part = lane % 8;
                for (int first_slice = 0; first_slice < all; first_slice += 4) {
                    const int slice = first_slice + part;
                    int slot = thread_x / 32 * 32;
                    slot = row_slices[slot + 16] <= slice ? slot + 16 : slot;
                    slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                    slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                    slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                    slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                    const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pA < row_ends[slot]) {
                        const int k_t0 = A2_crd[pA];
                        int at = t0_begin + placeOf(k_t0, t0_size);
                        int held = claimPlace(&t0_crd_shared[at], k_t0);
                        while (held != 2147483647 && held != k_t0) {
                            at = at + 1 == t0_end ? t0_begin : at + 1;
                            held = claimPlace(&t0_crd_shared[at], k_t0);
                        }
                    }
                }
            }
            __syncwarp();
            int to = t0_begin;
            for (int tile = t0_begin; tile < t0_end; tile += 32) {
                const int at = tile + lane;
                const int key = at < t0_end ? t0_crd_shared[at] : 2147483647;
                int all;
                const int before = countBefore<32>(key != 2147483647, all);
                __syncwarp();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                }
                to += all;
            }
            __syncwarp();
            const int filled = to - t0_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 32) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[t0_begin + high] < t0_crd_shared[t0_begin + low]) {
                            const int key = t0_crd_shared[t0_begin + low];
                            t0_crd_shared[t0_begin + low] = t0_crd_shared[t0_begin + high];
                            t0_crd_shared[t0_begin + high] = key;
                        }
                    }
                    __syncwarp();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            while (pB < pB2_end && pt0 < t0_filled) {
                const int kB = B2_crd[pB];
                const int kt0 = t0_crd_shared[pt0];
                ++C2_count;
                if (kB == kt0) {
                    ++pB;
                    ++pt0;
                } else if (kB < kt0) {
                    ++pB;
                } else {
                    ++pt0;
                }
            }
            C2_count += pB2_end - pB;
            C2_count += t0_filled - pt0;
        } else {
            C2_count += B2_pos[row + 1] - B2_pos[row];
        }
        if (lane == 0) {
            C2_pos[row] = C2_count;
        }
        __syncwarp();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_pieces_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t1_order,
    const double* __restrict__ t1_vals, const int* t0_places, const int* rows_work,
    const int* rows_of_blocks, const int* rows_many, int* pieces_crd, double* pieces_vals) {
    __shared__ int t0_crd_shared[2048];
    __shared__ double t0_vals_shared[2048];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[2], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    for (int number = block_x, number_end = 4 <= most_pieces ? (int)min((long long)rows_many[2] * most_pieces, 2048LL) : 0; number < number_end; number += 2048) {
        const int rank = number / most_pieces;
        const int piece = number % most_pieces;
        const int row = rows_of_blocks[rank];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            if (1 < pieces && piece < pieces) {
                for (int at = thread_x; at < t0_size; at += 256) {
                    t0_crd_shared[at] = 2147483647;
                    t0_vals_shared[at] = 0.0;
                }
                const int piece_entries = (pt11_end - pt11_begin - 1) / pieces + 1;
                const int piece_begin = (int)min(pt11_begin + (long long)piece * piece_entries, (long long)pt11_end);
                const int piece_end = piece_begin + min(piece_entries, pt11_end - piece_begin);
                for (int tile = piece_begin; tile < piece_end; tile += 32) {
                    const int tile_end = min(tile + 32, piece_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pt1 = min(tile + slot, tile_end - 1);
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                            int at = placeOf(k_t0, t0_size);
                            int held = claimPlace(&t0_crd_shared[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_size ? 0 : at + 1;
                                held = claimPlace(&t0_crd_shared[at], k_t0);
                            }
                            claimed = at;
                            combined = value;
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        t0_vals_shared[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
                const int first = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL);
                for (int at = thread_x; at < t0_size; at += 256) {
                    const int to = first + at;
                    pieces_crd[to] = t0_crd_shared[at];
                    pieces_vals[to] = t0_vals_shared[at];
                }
            }
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* rows_work, const int* rows_of_blocks, const int* rows_many,
    const int* pieces_crd, int* C2_pos) {
    __shared__ int t0_crd_shared[2048];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[2], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = thread_x; at < t0_size; at += 256) {
                t0_crd_shared[at] = 2147483647;
            }
            __syncthreads();
            if (1 < pieces) {
                for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                    const int tile_end = min(tile + 32, pieces);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int piece = min(entry, tile_end - 1);
                        const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL);
                        const int piece_end = piece_begin + table_places;
                        from = piece_begin;
                        to = entry < tile_end ? piece_end : piece_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (at < row_ends[slot]) {
                            const int key = pieces_crd[at];
                            if (key != 2147483647) {
                                int at_2 = placeOf(key, t0_size);
                                int held = claimPlace(&t0_crd_shared[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == t0_size ? 0 : at_2 + 1;
                                    held = claimPlace(&t0_crd_shared[at_2], key);
                                }
                            }
                        }
                    }
                }
            } else {
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            int at = placeOf(k_t0, t0_size);
                            int held = claimPlace(&t0_crd_shared[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_size ? 0 : at + 1;
                                held = claimPlace(&t0_crd_shared[at], k_t0);
                            }
                        }
                    }
                }
            }
            __syncthreads();
            int to = 0;
            for (int tile = 0; tile < t0_size; tile += 256) {
                const int at = tile + thread_x;
                const int key = at < t0_size ? t0_crd_shared[at] : 2147483647;
                int all;
                const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                __syncthreads();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                }
                to += all;
            }
            __syncthreads();
            const int filled = to;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[high] < t0_crd_shared[low]) {
                            const int key = t0_crd_shared[low];
                            t0_crd_shared[low] = t0_crd_shared[high];
                            t0_crd_shared[high] = key;
                        }
                    }
                    __syncthreads();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = 0;
            while (pB < pB2_end && pt0 < t0_filled) {
                const int kB = B2_crd[pB];
                const int kt0 = t0_crd_shared[pt0];
                ++C2_count;
                if (kB == kt0) {
                    ++pB;
                    ++pt0;
                } else if (kB < kt0) {
                    ++pB;
                } else {
                    ++pt0;
                }
            }
            C2_count += pB2_end - pB;
            C2_count += t0_filled - pt0;
        } else {
            C2_count += B2_pos[row + 1] - B2_pos[row];
        }
        if (thread_x == 0) {
            C2_pos[row] = C2_count;
        }
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_pieces_large_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t1_order,
    const double* __restrict__ t1_vals, const int* t0_places, const int* rows_work,
    const int* rows_of_large_blocks, const int* rows_many, int* pieces_crd, double* pieces_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[3], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    for (int number = block_x, number_end = 4 <= most_pieces ? (int)min((long long)rows_many[3] * most_pieces, 2048LL) : 0; number < number_end; number += 2048) {
        const int rank = number / most_pieces;
        const int piece = number % most_pieces;
        const int row = rows_of_large_blocks[rank];
        const int t0_begin = (int)min((long long)rank * pieces_room + (long long)piece * t0_places[row], 4194304LL) + 4194304;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            if (1 < pieces && piece < pieces) {
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    pieces_crd[at] = 2147483647;
                    pieces_vals[at] = 0.0;
                }
                const int piece_entries = (pt11_end - pt11_begin - 1) / pieces + 1;
                const int piece_begin = (int)min(pt11_begin + (long long)piece * piece_entries, (long long)pt11_end);
                const int piece_end = piece_begin + min(piece_entries, pt11_end - piece_begin);
                for (int tile = piece_begin; tile < piece_end; tile += 32) {
                    const int tile_end = min(tile + 32, piece_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pt1 = min(tile + slot, tile_end - 1);
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                            int at = t0_begin + placeOf(k_t0, t0_size);
                            int held = claimPlace(&pieces_crd[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_end ? t0_begin : at + 1;
                                held = claimPlace(&pieces_crd[at], k_t0);
                            }
                            claimed = at;
                            combined = value;
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        pieces_vals[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            }
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count_large_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* rows_work, const int* rows_of_large_blocks, const int* rows_many,
    const int* pieces_crd, int B2_dim, int* C2_pos, int* t0_crd, int* t0_marks, int* t0_marks_before,
    int* t0_sorted_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[3], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    const int t0_begin = block_x * 8192;
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        int C2_count = 0;
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                t0_crd[at] = 2147483647;
            }
            __syncthreads();
            if (1 < pieces) {
                for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                    const int tile_end = min(tile + 32, pieces);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int piece = min(entry, tile_end - 1);
                        const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL) + 4194304;
                        const int piece_end = piece_begin + table_places;
                        from = piece_begin;
                        to = entry < tile_end ? piece_end : piece_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (at < row_ends[slot]) {
                            const int key = pieces_crd[at];
                            if (key != 2147483647) {
                                int at_2 = t0_begin + placeOf(key, t0_size);
                                int held = claimPlace(&t0_crd[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == t0_end ? t0_begin : at_2 + 1;
                                    held = claimPlace(&t0_crd[at_2], key);
                                }
                            }
                        }
                    }
                }
            } else {
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            int at = t0_begin + placeOf(k_t0, t0_size);
                            int held = claimPlace(&t0_crd[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_end ? t0_begin : at + 1;
                                held = claimPlace(&t0_crd[at], k_t0);
                            }
                        }
                    }
                }
            }
            __syncthreads();
            int to = t0_begin;
            const int words = (B2_dim + 30) / 31;
            if (words <= t0_size) {
                for (int word = thread_x; word < words; word += 256) {
                    t0_marks[t0_begin + word] = 0;
                }
                __syncthreads();
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    const int key = t0_crd[at];
                    if (key != 2147483647) {
                        atomicOr(&t0_marks[t0_begin + key / 31], 1 << key % 31);
                    }
                }
                __syncthreads();
                for (int tile = 0; tile < words; tile += 256) {
                    const int word = tile + thread_x;
                    int all;
                    const int before = sumBeforeInBlock<256>(
                        word < words ? __popc(t0_marks[t0_begin + word]) : 0,
                        partial,
                        all);
                    if (word < words) {
                        t0_marks_before[t0_begin + word] = to + before;
                    }
                    __syncthreads();
                    to += all;
                }
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    const int key = t0_crd[at];
                    if (key != 2147483647) {
                        const int word = t0_begin + key / 31;
                        const int to_2 = t0_marks_before[word] + marksBelow(t0_marks[word], key % 31);
                        t0_sorted_crd[to_2] = key;
                    }
                }
                __syncthreads();
                for (int at = t0_begin + thread_x, at_end = to; at < at_end; at += 256) {
                    t0_crd[at] = t0_sorted_crd[at];
                }
                __syncthreads();
            } else {
                for (int tile = t0_begin; tile < t0_end; tile += 256) {
                    const int at = tile + thread_x;
                    const int key = at < t0_end ? t0_crd[at] : 2147483647;
                    int all;
                    const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                    __syncthreads();
                    if (key != 2147483647) {
                        t0_crd[to + before] = key;
                    }
                    to += all;
                }
                __syncthreads();
                const int filled = to - t0_begin;
                int half = 1;
                while (half < filled) {
                    int stride = half;
                    int flip = half + (half - 1);
                    while (0 < stride) {
                        for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                            const int low = pair + (pair - (pair & (stride - 1)));
                            const int high = low ^ flip;
                            if (high < filled && t0_crd[t0_begin + high] < t0_crd[t0_begin + low]) {
                                const int key = t0_crd[t0_begin + low];
                                t0_crd[t0_begin + low] = t0_crd[t0_begin + high];
                                t0_crd[t0_begin + high] = key;
                            }
                        }
                        __syncthreads();
                        stride = stride / 2;
                        flip = stride;
                    }
                    half = half < filled - half ? half + half : filled;
                }
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            while (pB < pB2_end && pt0 < t0_filled) {
                const int kB = B2_crd[pB];
                const int kt0 = t0_crd[pt0];
                ++C2_count;
                if (kB == kt0) {
                    ++pB;
                    ++pt0;
                } else if (kB < kt0) {
                    ++pB;
                } else {
                    ++pt0;
                }
            }
            C2_count += pB2_end - pB;
            C2_count += t0_filled - pt0;
        } else {
            C2_count += B2_pos[row + 1] - B2_pos[row];
        }
        if (thread_x == 0) {
            C2_pos[row] = C2_count;
        }
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_pieces_largest_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ t1_begins, const int* __restrict__ t12_crd, const int* __restrict__ t1_order,
    const double* __restrict__ t1_vals, const int* t0_places, const int* rows_work,
    const int* rows_of_largest_blocks, const int* rows_many, int* pieces_crd, double* pieces_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[4], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    if (block_x < 2048) {
        const int end = 4 <= most_pieces ? (int)min((long long)rows_many[4] * most_pieces, 2048LL) : 0;
        int number = block_x;
        while (number < end) {
            const int rank = number / most_pieces;
            const int piece = number % most_pieces;
            const int row = rows_of_largest_blocks[rank];
            const int t0_begin = (int)min((long long)rank * pieces_room + (long long)piece * t0_places[row], 4194304LL) + 8388608;
            const int pt11_begin = t1_begins[row];
            const int pt11_end = t1_begins[row + 1];
            if (pt11_begin < pt11_end) {
                const int t0_size = t0_places[row];
                const int t0_end = t0_begin + t0_size;
                int table_places = 1;
                int pieces = 1;
                if (4 <= most_pieces) {
                    table_places = max(t0_places[row], 1);
                    const int work = rows_work[row];
                    const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                    pieces = 1;
                    while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                        pieces += pieces;
                    }
                    pieces = min(pieces, most);
                }
                if (1 < pieces && piece < pieces) {
                    for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                        pieces_crd[at] = 2147483647;
                        pieces_vals[at] = 0.0;
                    }
                    const int piece_entries = (pt11_end - pt11_begin - 1) / pieces + 1;
                    const int piece_begin = (int)min(pt11_begin + (long long)piece * piece_entries, (long long)pt11_end);
                    const int piece_end = piece_begin + min(piece_entries, pt11_end - piece_begin);
                    for (int tile = piece_begin; tile < piece_end; tile += 32) {
                        const int tile_end = min(tile + 32, piece_end);
                        int from = 0;
                        int to = 0;
                        if (thread_x < 32) {
                            const int entry = tile + thread_x;
                            const int pt1 = min(entry, tile_end - 1);
                            const int j = t12_crd[pt1];
                            const int pA2_begin = A2_pos[j];
                            const int pA2_end = A2_pos[j + 1];
                            from = pA2_begin;
                            to = entry < tile_end ? pA2_end : pA2_begin;
                        }
                        int all;
                        const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                        if (thread_x < 32) {
                            row_begins[thread_x] = from;
                            row_ends[thread_x] = to;
                            row_slices[thread_x] = before;
                        }
                        __syncthreads();
                        const int part = thread_x / 8;
                        const int lane_of_part = thread_x % 8;
                        int last_slot = 0;
                        for (int first_slice = 0; first_slice < all; first_slice += 32) {
                            const int slice = first_slice + part;
                            int slot = row_slices[16] <= slice ? 16 : 0;
                            slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                            slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                            slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                            slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                            const int pt1 = min(tile + slot, tile_end - 1);
                            const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                            int claimed = 2147483647;
                            double combined = 0.0;
                            if (pA < row_ends[slot]) {
                                const int k_t0 = A2_crd[pA];
                                const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                                int at = t0_begin + placeOf(k_t0, t0_size);
                                int held = claimPlace(&pieces_crd[at], k_t0);
                                while (held != 2147483647 && held != k_t0) {
                                    at = at + 1 == t0_end ? t0_begin : at + 1;
                                    held = claimPlace(&pieces_crd[at], k_t0);
                                }
                                claimed = at;
                                combined = value;
                            }
                            const int first_slot = last_slot;
                            const int slices = min(all - first_slice, 32);
                            const int last_slice = first_slice + slices - 1;
                            int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                            slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                            slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                            slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                            slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                            last_slot = slot_2;
                            const int entries = last_slot - first_slot + 1;
                            const int warps = (slices + 3) / 4;
                            const int parts_in_turn = entries <= warps ? 1 : 4;
                            const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                            const int part_of_turn = part & (parts_in_turn - 1);
                            for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                                if (0 < turn) {
                                    __syncthreads();
                                }
                                if (entries <= warps || turn == thread_x / 32) {
                                    for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                        if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                            pieces_vals[claimed] += combined;
                                        }
                                        __syncwarp();
                                    }
                                }
                            }
                            __syncthreads();
                        }
                    }
                }
            }
            number = 2048 < end - number ? number + 2048 : end;
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_count_largest_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* t0_places, const int* t0_largest, const int* rows_work, const int* rows_of_largest_blocks,
    const int* rows_many, const int* pieces_crd, int B2_dim, int* C2_pos, int* t0_crd, int* t0_marks,
    int* t0_marks_before, int* t0_sorted_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[4], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    const int t0_region = t0_largest[0];
    const int teams = min(2048, max(33554432 / t0_region, 1));
    if (block_x < teams) {
        const int t0_begin = (int)min((long long)block_x * t0_region, 33554432LL);
        const int end = rows_many[4];
        int rank = block_x;
        while (rank < end) {
            const int row = rows_of_largest_blocks[rank];
            int C2_count = 0;
            const int pt11_begin = t1_begins[row];
            const int pt11_end = t1_begins[row + 1];
            if (pt11_begin < pt11_end) {
                const int t0_size = t0_places[row];
                const int t0_end = t0_begin + t0_size;
                int table_places = 1;
                int pieces = 1;
                if (4 <= most_pieces) {
                    table_places = max(t0_places[row], 1);
                    const int work = rows_work[row];
                    const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                    pieces = 1;
                    while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                        pieces += pieces;
                    }
                    pieces = min(pieces, most);
                }
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    t0_crd[at] = 2147483647;
                }
                __syncthreads();
                if (1 < pieces) {
                    for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                        const int tile_end = min(tile + 32, pieces);
                        int from = 0;
                        int to = 0;
                        if (thread_x < 32) {
                            const int entry = tile + thread_x;
                            const int piece = min(entry, tile_end - 1);
                            const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL) + 8388608;
                            const int piece_end = piece_begin + table_places;
                            from = piece_begin;
                            to = entry < tile_end ? piece_end : piece_begin;
                        }
                        int all;
                        const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                        if (thread_x < 32) {
                            row_begins[thread_x] = from;
                            row_ends[thread_x] = to;
                            row_slices[thread_x] = before;
                        }
                        __syncthreads();
                        const int part = thread_x / 8;
                        const int lane_of_part = thread_x % 8;
                        for (int first_slice = 0; first_slice < all; first_slice += 32) {
                            const int slice = first_slice + part;
                            int slot = row_slices[16] <= slice ? 16 : 0;
                            slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                            slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                            slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                            slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                            const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                            if (at < row_ends[slot]) {
                                const int key = pieces_crd[at];
                                if (key != 2147483647) {
                                    int at_2 = t0_begin + placeOf(key, t0_size);
                                    int held = claimPlace(&t0_crd[at_2], key);
                                    while (held != 2147483647 && held != key) {
                                        at_2 = at_2 + 1 == t0_end ? t0_begin : at_2 + 1;
                                        held = claimPlace(&t0_crd[at_2], key);
                                    }
                                }
                            }
                        }
                    }
                } else {
                    for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                        const int tile_end = min(tile + 32, pt11_end);
                        int from = 0;
                        int to = 0;
                        if (thread_x < 32) {
                            const int entry = tile + thread_x;
                            const int pt1 = min(entry, tile_end - 1);
                            const int j = t12_crd[pt1];
                            const int pA2_begin = A2_pos[j];
                            const int pA2_end = A2_pos[j + 1];
                            from = pA2_begin;
                            to = entry < tile_end ? pA2_end : pA2_begin;
                        }
                        int all;
                        const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                        if (thread_x < 32) {
                            row_begins[thread_x] = from;
                            row_ends[thread_x] = to;
                            row_slices[thread_x] = before;
                        }
                        __syncthreads();
                        const int part = thread_x / 8;
                        const int lane_of_part = thread_x % 8;
                        for (int first_slice = 0; first_slice < all; first_slice += 32) {
                            const int slice = first_slice + part;
                            int slot = row_slices[16] <= slice ? 16 : 0;
                            slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                            slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                            slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                            slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                            const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                            if (pA < row_ends[slot]) {
                                const int k_t0 = A2_crd[pA];
                                int at = t0_begin + placeOf(k_t0, t0_size);
                                int held = claimPlace(&t0_crd[at], k_t0);
                                while (held != 2147483647 && held != k_t0) {
                                    at = at + 1 == t0_end ? t0_begin : at + 1;
                                    held = claimPlace(&t0_crd[at], k_t0);
                                }
                            }
                        }
                    }
                }
                __syncthreads();
                int to = t0_begin;
                const int words = (B2_dim + 30) / 31;
                if (words <= t0_size) {
                    for (int word = thread_x; word < words; word += 256) {
                        t0_marks[t0_begin + word] = 0;
                    }
                    __syncthreads();
                    for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                        const int key = t0_crd[at];
                        if (key != 2147483647) {
                            atomicOr(&t0_marks[t0_begin + key / 31], 1 << key % 31);
                        }
                    }
                    __syncthreads();
                    for (int tile = 0; tile < words; tile += 256) {
                        const int word = tile + thread_x;
                        int all;
                        const int before = sumBeforeInBlock<256>(
                            word < words ? __popc(t0_marks[t0_begin + word]) : 0,
                            partial,
                            all);
                        if (word < words) {
                            t0_marks_before[t0_begin + word] = to + before;
                        }
                        __syncthreads();
                        to += all;
                    }
                    for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                        const int key = t0_crd[at];
                        if (key != 2147483647) {
                            const int word = t0_begin + key / 31;
                            const int to_2 = t0_marks_before[word] + marksBelow(t0_marks[word], key % 31);
                            t0_sorted_crd[to_2] = key;
                        }
                    }
                    __syncthreads();
                    for (int at = t0_begin + thread_x, at_end = to; at < at_end; at += 256) {
                        t0_crd[at] = t0_sorted_crd[at];
                    }
                    __syncthreads();
                } else {
                    for (int tile = t0_begin; tile < t0_end; tile += 256) {
                        const int at = tile + thread_x;
                        const int key = at < t0_end ? t0_crd[at] : 2147483647;
                        int all;
                        const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                        __syncthreads();
                        if (key != 2147483647) {
                            t0_crd[to + before] = key;
                        }
                        to += all;
                    }
                    __syncthreads();
                    const int filled = to - t0_begin;
                    int half = 1;
                    while (half < filled) {
                        int stride = half;
                        int flip = half + (half - 1);
                        while (0 < stride) {
                            for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                                const int low = pair + (pair - (pair & (stride - 1)));
                                const int high = low ^ flip;
                                if (high < filled && t0_crd[t0_begin + high] < t0_crd[t0_begin + low]) {
                                    const int key = t0_crd[t0_begin + low];
                                    t0_crd[t0_begin + low] = t0_crd[t0_begin + high];
                                    t0_crd[t0_begin + high] = key;
                                }
                            }
                            __syncthreads();
                            stride = stride / 2;
                            flip = stride;
                        }
                        half = half < filled - half ? half + half : filled;
                    }
                }
                const int t0_filled = to;
                const int pB2_end = B2_pos[row + 1];
                int pB = B2_pos[row];
                int pt0 = t0_begin;
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd[pt0];
                    ++C2_count;
                    if (kB == kt0) {
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        ++pB;
                    } else {
                        ++pt0;
                    }
                }
                C2_count += pB2_end - pB;
                C2_count += t0_filled - pt0;
            } else {
                C2_count += B2_pos[row + 1] - B2_pos[row];
            }
            if (thread_x == 0) {
                C2_pos[row] = C2_count;
            }
            __syncthreads();
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sums(
    const int* C2_pos, int B1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C2_sums[block_x] = all;
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_sum_tiles(
    int B1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2048) / 2048 ? C2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_dim + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256) add_ata_begins(
    const int* C2_sums, int B1_dim, int* C2_pos) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        const int count = n < B1_dim ? C2_pos[n] : 0;
        C2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ rows_work, int B1_dim,
    int* __restrict__ C2_crd, double* __restrict__ C_vals, int* __restrict__ t0_crd,
    double* __restrict__ t0_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int team = block_x * 256 + thread_x;
    const int t0_begin = team * 16;
    for (int i = team; i < B1_dim; i += 524288) {
        const int work = rows_work[i];
        if (work < 32) {
            int pC2 = C2_pos[i];
            const int pt11_begin = t1_begins[i];
            const int pt11_end = t1_begins[i + 1];
            if (pt11_begin < pt11_end) {
                const int t0_size = t0_places[i];
                const int t0_end = t0_begin + t0_size;
                int t0_len = 0;
                for (int at = t0_begin; at < t0_end; ++at) {
                    t0_crd[at] = 2147483647;
                }
                for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                    const int j = t12_crd[pt1];
                    for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                        const int k_t0 = A2_crd[pA];
                        const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                        int at = t0_begin + placeOf(k_t0, t0_size);
                        int held = t0_crd[at];
                        while (held != 2147483647 && held != k_t0) {
                            at = at + 1 == t0_end ? t0_begin : at + 1;
                            held = t0_crd[at];
                        }
                        if (held == 2147483647) {
                            t0_crd[at] = k_t0;
                            ++t0_len;
                            t0_vals[at] = value;
                        } else {
                            t0_vals[at] += value;
                        }
                    }
                }
                int to = t0_begin;
                for (int at = t0_begin; at < t0_end; ++at) {
                    if (t0_crd[at] != 2147483647) {
                        t0_crd[to] = t0_crd[at];
                        t0_vals[to] = t0_vals[at];
                        ++to;
                    }
                }
                const int t0_filled = t0_begin + t0_len;
                int gap = t0_len / 2 - t0_len / 22;
                while (0 < gap) {
                    for (int from = t0_begin + gap; from < t0_filled; ++from) {
                        const int key = t0_crd[from];
                        const double value = t0_vals[from];
                        int to_2 = from;
                        while (t0_begin + gap <= to_2 && key < t0_crd[to_2 - gap]) {
                            t0_crd[to_2] = t0_crd[to_2 - gap];
                            t0_vals[to_2] = t0_vals[to_2 - gap];
                            to_2 -= gap;
                        }
                        t0_crd[to_2] = key;
                        t0_vals[to_2] = value;
                    }
                    gap = gap / 2 - gap / 22;
                }
                const int pB2_end = B2_pos[i + 1];
                int pB = B2_pos[i];
                int pt0 = t0_begin;
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd[pt0];
                    if (kB == kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB] + t0_vals[pt0];
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB];
                        ++pB;
                    } else {
                        C2_crd[pC2] = kt0;
                        C_vals[pC2] = t0_vals[pt0];
                        ++pt0;
                    }
                    ++pC2;
                }
                for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                    const int k = B2_crd[pB_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB_2];
                    ++pC2;
                }
                for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                    const int k = t0_crd[pt0_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = t0_vals[pt0_2];
                    ++pC2;
                }
            } else {
                for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
                    const int k = B2_crd[pB];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB];
                    ++pC2;
                }
            }
        }
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill_group8(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ rows_of_group8s,
    const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int t0_crd_shared[2304];
    __shared__ double t0_vals_shared[2304];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int team = block_x * 32 + thread_x / 8;
    const int t0_begin = thread_x / 8 * 72;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 65536) {
        const int row = rows_of_group8s[rank];
        int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            for (int at = t0_begin + lane; at < t0_end; at += 8) {
                t0_crd_shared[at] = 2147483647;
            }
            syncGroup<8>();
            for (int pt1 = pt11_begin; pt1 < pt11_end; ++pt1) {
                const int j = t12_crd[pt1];
                const int pA2_begin = A2_pos[j];
                for (int pA = pA2_begin + lane, pA_end = A2_pos[j + 1]; pA < pA_end; pA += 8) {
                    const int k_t0 = A2_crd[pA];
                    const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                    int at = t0_begin + placeOf(k_t0, t0_size);
                    int held = claimPlace(&t0_crd_shared[at], k_t0);
                    while (held != 2147483647 && held != k_t0) {
                        at = at + 1 == t0_end ? t0_begin : at + 1;
                        held = claimPlace(&t0_crd_shared[at], k_t0);
                    }
                    if (held == 2147483647) {
                        t0_vals_shared[at] = value;
                    } else {
                        t0_vals_shared[at] += value;
                    }
                }
                syncGroup<8>();
            }
            int to = t0_begin;
            for (int tile = t0_begin; tile < t0_end; tile += 8) {
                const int at = tile + lane;
                const int key = at < t0_end ? t0_crd_shared[at] : 2147483647;
                const double value = key != 2147483647 ? t0_vals_shared[at] : 0.0;
                int all;
                const int before = countBefore<8, OwnGroup>(key != 2147483647, all);
                syncGroup<8>();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                    t0_vals_shared[to + before] = value;
                }
                to += all;
            }
            syncGroup<8>();
            const int filled = to - t0_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 8) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[t0_begin + high] < t0_crd_shared[t0_begin + low]) {
                            const int key = t0_crd_shared[t0_begin + low];
                            t0_crd_shared[t0_begin + low] = t0_crd_shared[t0_begin + high];
                            t0_crd_shared[t0_begin + high] = key;
                            const double value = t0_vals_shared[t0_begin + low];
                            t0_vals_shared[t0_begin + low] = t0_vals_shared[t0_begin + high];
                            t0_vals_shared[t0_begin + high] = value;
                        }
                    }
                    syncGroup<8>();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            if (lane == 0) {
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd_shared[pt0];
                    if (kB == kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB] + t0_vals_shared[pt0];
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB];
                        ++pB;
                    } else {
                        C2_crd[pC2] = kt0;
                        C_vals[pC2] = t0_vals_shared[pt0];
                        ++pt0;
                    }
                    ++pC2;
                }
                for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                    const int k = B2_crd[pB_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB_2];
                    ++pC2;
                }
                for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                    const int k = t0_crd_shared[pt0_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = t0_vals_shared[pt0_2];
                    ++pC2;
                }
            }
        } else {
            const int pB2_begin = B2_pos[row];
            const int pB2_end = B2_pos[row + 1];
            if (lane == 0) {
                for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                    const int k = B2_crd[pB];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB];
                    ++pC2;
                }
            }
        }
        syncGroup<8>();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill_warp(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ rows_of_warps,
    const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int t0_crd_shared[2048];
    __shared__ double t0_vals_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int t0_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            for (int at = t0_begin + lane; at < t0_end; at += 32) {
                t0_crd_shared[at] = 2147483647;
                t0_vals_shared[at] = 0.0;
            }
            for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                const int tile_end = min(tile + 32, pt11_end);
                const int entry = tile + lane;
                const int pt1 = min(entry, tile_end - 1);
                const int j = t12_crd[pt1];
                const int pA2_begin = A2_pos[j];
                const int pA2_end = A2_pos[j + 1];
                const int to = entry < tile_end ? pA2_end : pA2_begin;
                int all;
                const int before = sumBefore<32>((to - pA2_begin + 7) / 8, all);
                row_begins[thread_x] = pA2_begin;
                row_ends[thread_x] = to;
                row_slices[thread_x] = before;
                __syncwarp();
                const int part = lane / 8;
                const int lane_of_part = lane % 8;
                for (int first_slice = 0; first_slice < all; first_slice += 4) {
                    const int slice = first_slice + part;
                    int slot = thread_x / 32 * 32;
                    slot = row_slices[slot + 16] <= slice ? slot + 16 : slot;
                    slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                    slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                    slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                    slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                    const int pt1_2 = min(tile + (slot - thread_x / 32 * 32), tile_end - 1);
                    const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pA < row_ends[slot]) {
                        const int k_t0 = A2_crd[pA];
                        const double value = t1_vals[t1_order[pt1_2]] * A_vals[pA];
                        int at = t0_begin + placeOf(k_t0, t0_size);
                        int held = claimPlace(&t0_crd_shared[at], k_t0);
                        while (held != 2147483647 && held != k_t0) {
                            at = at + 1 == t0_end ? t0_begin : at + 1;
                            held = claimPlace(&t0_crd_shared[at], k_t0);
                        }
                        claimed = at;
                        combined = value;
                    }
                    for (int turn = 0, turn_end = min(all - first_slice, 4); turn < turn_end; ++turn) {
                        if (0 < turn) {
                            __syncwarp();
                        }
                        if (turn == part && claimed != 2147483647) {
                            t0_vals_shared[claimed] += combined;
                        }
                    }
                    __syncwarp();
                }
            }
            int to = t0_begin;
            for (int tile = t0_begin; tile < t0_end; tile += 32) {
                const int at = tile + lane;
                const int key = at < t0_end ? t0_crd_shared[at] : 2147483647;
                const double value = key != 2147483647 ? t0_vals_shared[at] : 0.0;
                int all;
                const int before = countBefore<32>(key != 2147483647, all);
                __syncwarp();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                    t0_vals_shared[to + before] = value;
                }
                to += all;
            }
            __syncwarp();
            const int filled = to - t0_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 32) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[t0_begin + high] < t0_crd_shared[t0_begin + low]) {
                            const int key = t0_crd_shared[t0_begin + low];
                            t0_crd_shared[t0_begin + low] = t0_crd_shared[t0_begin + high];
                            t0_crd_shared[t0_begin + high] = key;
                            const double value = t0_vals_shared[t0_begin + low];
                            t0_vals_shared[t0_begin + low] = t0_vals_shared[t0_begin + high];
                            t0_vals_shared[t0_begin + high] = value;
                        }
                    }
                    __syncwarp();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            if (lane == 0) {
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd_shared[pt0];
                    if (kB == kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB] + t0_vals_shared[pt0];
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB];
                        ++pB;
                    } else {
                        C2_crd[pC2] = kt0;
                        C_vals[pC2] = t0_vals_shared[pt0];
                        ++pt0;
                    }
                    ++pC2;
                }
                for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                    const int k = B2_crd[pB_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB_2];
                    ++pC2;
                }
                for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                    const int k = t0_crd_shared[pt0_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = t0_vals_shared[pt0_2];
                    ++pC2;
                }
            }
        } else {
            const int pB2_begin = B2_pos[row];
            const int pB2_end = B2_pos[row + 1];
            if (lane == 0) {
                for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                    const int k = B2_crd[pB];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB];
                    ++pC2;
                }
            }
        }
        __syncwarp();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ rows_work,
    const int* __restrict__ rows_of_blocks, const int* __restrict__ rows_many,
    const int* __restrict__ pieces_crd, const double* __restrict__ pieces_vals, int* C2_crd, double* C_vals) {
    __shared__ int t0_crd_shared[2048];
    __shared__ double t0_vals_shared[2048];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[2], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = thread_x; at < t0_size; at += 256) {
                t0_crd_shared[at] = 2147483647;
                t0_vals_shared[at] = 0.0;
            }
            if (1 < pieces) {
                for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                    const int tile_end = min(tile + 32, pieces);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int piece = min(entry, tile_end - 1);
                        const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL);
                        const int piece_end = piece_begin + table_places;
                        from = piece_begin;
                        to = entry < tile_end ? piece_end : piece_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (at < row_ends[slot]) {
                            const int key = pieces_crd[at];
                            if (key != 2147483647) {
                                int at_2 = placeOf(key, t0_size);
                                int held = claimPlace(&t0_crd_shared[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == t0_size ? 0 : at_2 + 1;
                                    held = claimPlace(&t0_crd_shared[at_2], key);
                                }
                                claimed = at_2;
                                combined = pieces_vals[at];
                            }
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        t0_vals_shared[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            } else {
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pt1 = min(tile + slot, tile_end - 1);
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                            int at = placeOf(k_t0, t0_size);
                            int held = claimPlace(&t0_crd_shared[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_size ? 0 : at + 1;
                                held = claimPlace(&t0_crd_shared[at], k_t0);
                            }
                            claimed = at;
                            combined = value;
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        t0_vals_shared[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            }
            int to = 0;
            for (int tile = 0; tile < t0_size; tile += 256) {
                const int at = tile + thread_x;
                const int key = at < t0_size ? t0_crd_shared[at] : 2147483647;
                const double value = key != 2147483647 ? t0_vals_shared[at] : 0.0;
                int all;
                const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                __syncthreads();
                if (key != 2147483647) {
                    t0_crd_shared[to + before] = key;
                    t0_vals_shared[to + before] = value;
                }
                to += all;
            }
            __syncthreads();
            const int filled = to;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && t0_crd_shared[high] < t0_crd_shared[low]) {
                            const int key = t0_crd_shared[low];
                            t0_crd_shared[low] = t0_crd_shared[high];
                            t0_crd_shared[high] = key;
                            const double value = t0_vals_shared[low];
                            t0_vals_shared[low] = t0_vals_shared[high];
                            t0_vals_shared[high] = value;
                        }
                    }
                    __syncthreads();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = 0;
            if (thread_x == 0) {
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd_shared[pt0];
                    if (kB == kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB] + t0_vals_shared[pt0];
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB];
                        ++pB;
                    } else {
                        C2_crd[pC2] = kt0;
                        C_vals[pC2] = t0_vals_shared[pt0];
                        ++pt0;
                    }
                    ++pC2;
                }
                for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                    const int k = B2_crd[pB_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB_2];
                    ++pC2;
                }
                for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                    const int k = t0_crd_shared[pt0_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = t0_vals_shared[pt0_2];
                    ++pC2;
                }
            }
        } else {
            const int pB2_begin = B2_pos[row];
            const int pB2_end = B2_pos[row + 1];
            if (thread_x == 0) {
                for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                    const int k = B2_crd[pB];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB];
                    ++pC2;
                }
            }
        }
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill_large_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ rows_work,
    const int* __restrict__ rows_of_large_blocks, const int* __restrict__ rows_many,
    const int* __restrict__ pieces_crd, const double* __restrict__ pieces_vals, int B2_dim, int* C2_crd,
    double* C_vals, int* t0_crd, double* t0_vals, int* t0_marks, int* t0_marks_before, int* t0_sorted_crd,
    double* t0_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    const int rows = max(rows_many[3], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    const int t0_begin = block_x * 8192;
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        int pC2 = C2_pos[row];
        const int pt11_begin = t1_begins[row];
        const int pt11_end = t1_begins[row + 1];
        if (pt11_begin < pt11_end) {
            const int t0_size = t0_places[row];
            const int t0_end = t0_begin + t0_size;
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(t0_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                t0_crd[at] = 2147483647;
                t0_vals[at] = 0.0;
            }
            if (1 < pieces) {
                for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                    const int tile_end = min(tile + 32, pieces);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int piece = min(entry, tile_end - 1);
                        const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL) + 4194304;
                        const int piece_end = piece_begin + table_places;
                        from = piece_begin;
                        to = entry < tile_end ? piece_end : piece_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (at < row_ends[slot]) {
                            const int key = pieces_crd[at];
                            if (key != 2147483647) {
                                int at_2 = t0_begin + placeOf(key, t0_size);
                                int held = claimPlace(&t0_crd[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == t0_end ? t0_begin : at_2 + 1;
                                    held = claimPlace(&t0_crd[at_2], key);
                                }
                                claimed = at_2;
                                combined = pieces_vals[at];
                            }
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        t0_vals[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            } else {
                for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                    const int tile_end = min(tile + 32, pt11_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pt1 = min(entry, tile_end - 1);
                        const int j = t12_crd[pt1];
                        const int pA2_begin = A2_pos[j];
                        const int pA2_end = A2_pos[j + 1];
                        from = pA2_begin;
                        to = entry < tile_end ? pA2_end : pA2_begin;
                    }
                    int all;
                    const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                    if (thread_x < 32) {
                        row_begins[thread_x] = from;
                        row_ends[thread_x] = to;
                        row_slices[thread_x] = before;
                    }
                    __syncthreads();
                    const int part = thread_x / 8;
                    const int lane_of_part = thread_x % 8;
                    int last_slot = 0;
                    for (int first_slice = 0; first_slice < all; first_slice += 32) {
                        const int slice = first_slice + part;
                        int slot = row_slices[16] <= slice ? 16 : 0;
                        slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                        slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                        slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                        slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                        const int pt1 = min(tile + slot, tile_end - 1);
                        const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pA < row_ends[slot]) {
                            const int k_t0 = A2_crd[pA];
                            const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                            int at = t0_begin + placeOf(k_t0, t0_size);
                            int held = claimPlace(&t0_crd[at], k_t0);
                            while (held != 2147483647 && held != k_t0) {
                                at = at + 1 == t0_end ? t0_begin : at + 1;
                                held = claimPlace(&t0_crd[at], k_t0);
                            }
                            claimed = at;
                            combined = value;
                        }
                        const int first_slot = last_slot;
                        const int slices = min(all - first_slice, 32);
                        const int last_slice = first_slice + slices - 1;
                        int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                        slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                        slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                        slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                        slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                        last_slot = slot_2;
                        const int entries = last_slot - first_slot + 1;
                        const int warps = (slices + 3) / 4;
                        const int parts_in_turn = entries <= warps ? 1 : 4;
                        const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                        const int part_of_turn = part & (parts_in_turn - 1);
                        for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncthreads();
                            }
                            if (entries <= warps || turn == thread_x / 32) {
                                for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                    if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                        t0_vals[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            }
            int to = t0_begin;
            const int words = (B2_dim + 30) / 31;
            if (words <= t0_size) {
                for (int word = thread_x; word < words; word += 256) {
                    t0_marks[t0_begin + word] = 0;
                }
                __syncthreads();
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    const int key = t0_crd[at];
                    if (key != 2147483647) {
                        atomicOr(&t0_marks[t0_begin + key / 31], 1 << key % 31);
                    }
                }
                __syncthreads();
                for (int tile = 0; tile < words; tile += 256) {
                    const int word = tile + thread_x;
                    int all;
                    const int before = sumBeforeInBlock<256>(
                        word < words ? __popc(t0_marks[t0_begin + word]) : 0,
                        partial,
                        all);
                    if (word < words) {
                        t0_marks_before[t0_begin + word] = to + before;
                    }
                    __syncthreads();
                    to += all;
                }
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    const int key = t0_crd[at];
                    if (key != 2147483647) {
                        const int word = t0_begin + key / 31;
                        const int to_2 = t0_marks_before[word] + marksBelow(t0_marks[word], key % 31);
                        t0_sorted_crd[to_2] = key;
                        t0_sorted_vals[to_2] = t0_vals[at];
                    }
                }
                __syncthreads();
                for (int at = t0_begin + thread_x, at_end = to; at < at_end; at += 256) {
                    t0_crd[at] = t0_sorted_crd[at];
                    t0_vals[at] = t0_sorted_vals[at];
                }
                __syncthreads();
            } else {
                for (int tile = t0_begin; tile < t0_end; tile += 256) {
                    const int at = tile + thread_x;
                    const int key = at < t0_end ? t0_crd[at] : 2147483647;
                    const double value = key != 2147483647 ? t0_vals[at] : 0.0;
                    int all;
                    const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                    __syncthreads();
                    if (key != 2147483647) {
                        t0_crd[to + before] = key;
                        t0_vals[to + before] = value;
                    }
                    to += all;
                }
                __syncthreads();
                const int filled = to - t0_begin;
                int half = 1;
                while (half < filled) {
                    int stride = half;
                    int flip = half + (half - 1);
                    while (0 < stride) {
                        for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                            const int low = pair + (pair - (pair & (stride - 1)));
                            const int high = low ^ flip;
                            if (high < filled && t0_crd[t0_begin + high] < t0_crd[t0_begin + low]) {
                                const int key = t0_crd[t0_begin + low];
                                t0_crd[t0_begin + low] = t0_crd[t0_begin + high];
                                t0_crd[t0_begin + high] = key;
                                const double value = t0_vals[t0_begin + low];
                                t0_vals[t0_begin + low] = t0_vals[t0_begin + high];
                                t0_vals[t0_begin + high] = value;
                            }
                        }
                        __syncthreads();
                        stride = stride / 2;
                        flip = stride;
                    }
                    half = half < filled - half ? half + half : filled;
                }
            }
            const int t0_filled = to;
            const int pB2_end = B2_pos[row + 1];
            int pB = B2_pos[row];
            int pt0 = t0_begin;
            if (thread_x == 0) {
                while (pB < pB2_end && pt0 < t0_filled) {
                    const int kB = B2_crd[pB];
                    const int kt0 = t0_crd[pt0];
                    if (kB == kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB] + t0_vals[pt0];
                        ++pB;
                        ++pt0;
                    } else if (kB < kt0) {
                        C2_crd[pC2] = kB;
                        C_vals[pC2] = B_vals[pB];
                        ++pB;
                    } else {
                        C2_crd[pC2] = kt0;
                        C_vals[pC2] = t0_vals[pt0];
                        ++pt0;
                    }
                    ++pC2;
                }
                for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                    const int k = B2_crd[pB_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB_2];
                    ++pC2;
                }
                for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                    const int k = t0_crd[pt0_2];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = t0_vals[pt0_2];
                    ++pC2;
                }
            }
        } else {
            const int pB2_begin = B2_pos[row];
            const int pB2_end = B2_pos[row + 1];
            if (thread_x == 0) {
                for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                    const int k = B2_crd[pB];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = B_vals[pB];
                    ++pC2;
                }
            }
        }
        __syncthreads();
    }
}

// C[i, k] = B[i, k] + A[j, i] * A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) add_ata_fill_largest_block(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ t1_begins, const int* __restrict__ t12_crd,
    const int* __restrict__ t1_order, const double* __restrict__ t1_vals,
    const int* __restrict__ t0_places, const int* __restrict__ t0_largest,
    const int* __restrict__ rows_work, const int* __restrict__ rows_of_largest_blocks,
    const int* __restrict__ rows_many, const int* __restrict__ pieces_crd,
    const double* __restrict__ pieces_vals, int B2_dim, int* C2_crd, double* C_vals, int* t0_crd,
    double* t0_vals, int* t0_marks, int* t0_marks_before, int* t0_sorted_crd, double* t0_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    const int rows = max(rows_many[4], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    const int t0_region = t0_largest[0];
    const int teams = min(2048, max(33554432 / t0_region, 1));
    if (block_x < teams) {
        const int t0_begin = (int)min((long long)block_x * t0_region, 33554432LL);
        const int end = rows_many[4];
        int rank = block_x;
        while (rank < end) {
            const int row = rows_of_largest_blocks[rank];
            int pC2 = C2_pos[row];
            const int pt11_begin = t1_begins[row];
            const int pt11_end = t1_begins[row + 1];
            if (pt11_begin < pt11_end) {
                const int t0_size = t0_places[row];
                const int t0_end = t0_begin + t0_size;
                int table_places = 1;
                int pieces = 1;
                if (4 <= most_pieces) {
                    table_places = max(t0_places[row], 1);
                    const int work = rows_work[row];
                    const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pt11_end - pt11_begin);
                    pieces = 1;
                    while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                        pieces += pieces;
                    }
                    pieces = min(pieces, most);
                }
                for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                    t0_crd[at] = 2147483647;
                    t0_vals[at] = 0.0;
                }
                if (1 < pieces) {
                    for (int tile = 0, tile_end_ = pieces; tile < tile_end_; tile += 32) {
                        const int tile_end = min(tile + 32, pieces);
                        int from = 0;
                        int to = 0;
                        if (thread_x < 32) {
                            const int entry = tile + thread_x;
                            const int piece = min(entry, tile_end - 1);
                            const int piece_begin = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL) + 8388608;
                            const int piece_end = piece_begin + table_places;
                            from = piece_begin;
                            to = entry < tile_end ? piece_end : piece_begin;
                        }
                        int all;
                        const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                        if (thread_x < 32) {
                            row_begins[thread_x] = from;
                            row_ends[thread_x] = to;
                            row_slices[thread_x] = before;
                        }
                        __syncthreads();
                        const int part = thread_x / 8;
                        const int lane_of_part = thread_x % 8;
                        int last_slot = 0;
                        for (int first_slice = 0; first_slice < all; first_slice += 32) {
                            const int slice = first_slice + part;
                            int slot = row_slices[16] <= slice ? 16 : 0;
                            slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                            slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                            slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                            slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                            const int at = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                            int claimed = 2147483647;
                            double combined = 0.0;
                            if (at < row_ends[slot]) {
                                const int key = pieces_crd[at];
                                if (key != 2147483647) {
                                    int at_2 = t0_begin + placeOf(key, t0_size);
                                    int held = claimPlace(&t0_crd[at_2], key);
                                    while (held != 2147483647 && held != key) {
                                        at_2 = at_2 + 1 == t0_end ? t0_begin : at_2 + 1;
                                        held = claimPlace(&t0_crd[at_2], key);
                                    }
                                    claimed = at_2;
                                    combined = pieces_vals[at];
                                }
                            }
                            const int first_slot = last_slot;
                            const int slices = min(all - first_slice, 32);
                            const int last_slice = first_slice + slices - 1;
                            int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                            slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                            slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                            slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                            slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                            last_slot = slot_2;
                            const int entries = last_slot - first_slot + 1;
                            const int warps = (slices + 3) / 4;
                            const int parts_in_turn = entries <= warps ? 1 : 4;
                            const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                            const int part_of_turn = part & (parts_in_turn - 1);
                            for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                                if (0 < turn) {
                                    __syncthreads();
                                }
                                if (entries <= warps || turn == thread_x / 32) {
                                    for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                        if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                            t0_vals[claimed] += combined;
                                        }
                                        __syncwarp();
                                    }
                                }
                            }
                            __syncthreads();
                        }
                    }
                } else {
                    for (int tile = pt11_begin; tile < pt11_end; tile += 32) {
                        const int tile_end = min(tile + 32, pt11_end);
                        int from = 0;
                        int to = 0;
                        if (thread_x < 32) {
                            const int entry = tile + thread_x;
                            const int pt1 = min(entry, tile_end - 1);
                            const int j = t12_crd[pt1];
                            const int pA2_begin = A2_pos[j];
                            const int pA2_end = A2_pos[j + 1];
                            from = pA2_begin;
                            to = entry < tile_end ? pA2_end : pA2_begin;
                        }
                        int all;
                        const int before = sumBeforeInBlock<256>((to - from + 7) / 8, partial, all);
                        if (thread_x < 32) {
                            row_begins[thread_x] = from;
                            row_ends[thread_x] = to;
                            row_slices[thread_x] = before;
                        }
                        __syncthreads();
                        const int part = thread_x / 8;
                        const int lane_of_part = thread_x % 8;
                        int last_slot = 0;
                        for (int first_slice = 0; first_slice < all; first_slice += 32) {
                            const int slice = first_slice + part;
                            int slot = row_slices[16] <= slice ? 16 : 0;
                            slot = row_slices[slot + 8] <= slice ? slot + 8 : slot;
                            slot = row_slices[slot + 4] <= slice ? slot + 4 : slot;
                            slot = row_slices[slot + 2] <= slice ? slot + 2 : slot;
                            slot = row_slices[slot + 1] <= slice ? slot + 1 : slot;
                            const int pt1 = min(tile + slot, tile_end - 1);
                            const int pA = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                            int claimed = 2147483647;
                            double combined = 0.0;
                            if (pA < row_ends[slot]) {
                                const int k_t0 = A2_crd[pA];
                                const double value = t1_vals[t1_order[pt1]] * A_vals[pA];
                                int at = t0_begin + placeOf(k_t0, t0_size);
                                int held = claimPlace(&t0_crd[at], k_t0);
                                while (held != 2147483647 && held != k_t0) {
                                    at = at + 1 == t0_end ? t0_begin : at + 1;
                                    held = claimPlace(&t0_crd[at], k_t0);
                                }
                                claimed = at;
                                combined = value;
                            }
                            const int first_slot = last_slot;
                            const int slices = min(all - first_slice, 32);
                            const int last_slice = first_slice + slices - 1;
                            int slot_2 = row_slices[16] <= last_slice ? 16 : 0;
                            slot_2 = row_slices[slot_2 + 8] <= last_slice ? slot_2 + 8 : slot_2;
                            slot_2 = row_slices[slot_2 + 4] <= last_slice ? slot_2 + 4 : slot_2;
                            slot_2 = row_slices[slot_2 + 2] <= last_slice ? slot_2 + 2 : slot_2;
                            slot_2 = row_slices[slot_2 + 1] <= last_slice ? slot_2 + 1 : slot_2;
                            last_slot = slot_2;
                            const int entries = last_slot - first_slot + 1;
                            const int warps = (slices + 3) / 4;
                            const int parts_in_turn = entries <= warps ? 1 : 4;
                            const int turn_of_lane = entries <= warps ? slot - first_slot : thread_x / 32;
                            const int part_of_turn = part & (parts_in_turn - 1);
                            for (int turn = 0, turn_end = min(entries, warps); turn < turn_end; ++turn) {
                                if (0 < turn) {
                                    __syncthreads();
                                }
                                if (entries <= warps || turn == thread_x / 32) {
                                    for (int part_in_turn = 0; part_in_turn < parts_in_turn; ++part_in_turn) {
                                        if (turn == turn_of_lane && part_in_turn == part_of_turn && claimed != 2147483647) {
                                            t0_vals[claimed] += combined;
                                        }
                                        __syncwarp();
                                    }
                                }
                            }
                            __syncthreads();
                        }
                    }
                }
                int to = t0_begin;
                const int words = (B2_dim + 30) / 31;
                if (words <= t0_size) {
                    for (int word = thread_x; word < words; word += 256) {
                        t0_marks[t0_begin + word] = 0;
                    }
                    __syncthreads();
                    for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                        const int key = t0_crd[at];
                        if (key != 2147483647) {
                            atomicOr(&t0_marks[t0_begin + key / 31], 1 << key % 31);
                        }
                    }
                    __syncthreads();
                    for (int tile = 0; tile < words; tile += 256) {
                        const int word = tile + thread_x;
                        int all;
                        const int before = sumBeforeInBlock<256>(
                            word < words ? __popc(t0_marks[t0_begin + word]) : 0,
                            partial,
                            all);
                        if (word < words) {
                            t0_marks_before[t0_begin + word] = to + before;
                        }
                        __syncthreads();
                        to += all;
                    }
                    for (int at = t0_begin + thread_x; at < t0_end; at += 256) {
                        const int key = t0_crd[at];
                        if (key != 2147483647) {
                            const int word = t0_begin + key / 31;
                            const int to_2 = t0_marks_before[word] + marksBelow(t0_marks[word], key % 31);
                            t0_sorted_crd[to_2] = key;
                            t0_sorted_vals[to_2] = t0_vals[at];
                        }
                    }
                    __syncthreads();
                    for (int at = t0_begin + thread_x, at_end = to; at < at_end; at += 256) {
                        t0_crd[at] = t0_sorted_crd[at];
                        t0_vals[at] = t0_sorted_vals[at];
                    }
                    __syncthreads();
                } else {
                    for (int tile = t0_begin; tile < t0_end; tile += 256) {
                        const int at = tile + thread_x;
                        const int key = at < t0_end ? t0_crd[at] : 2147483647;
                        const double value = key != 2147483647 ? t0_vals[at] : 0.0;
                        int all;
                        const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                        __syncthreads();
                        if (key != 2147483647) {
                            t0_crd[to + before] = key;
                            t0_vals[to + before] = value;
                        }
                        to += all;
                    }
                    __syncthreads();
                    const int filled = to - t0_begin;
                    int half = 1;
                    while (half < filled) {
                        int stride = half;
                        int flip = half + (half - 1);
                        while (0 < stride) {
                            for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                                const int low = pair + (pair - (pair & (stride - 1)));
                                const int high = low ^ flip;
                                if (high < filled && t0_crd[t0_begin + high] < t0_crd[t0_begin + low]) {
                                    const int key = t0_crd[t0_begin + low];
                                    t0_crd[t0_begin + low] = t0_crd[t0_begin + high];
                                    t0_crd[t0_begin + high] = key;
                                    const double value = t0_vals[t0_begin + low];
                                    t0_vals[t0_begin + low] = t0_vals[t0_begin + high];
                                    t0_vals[t0_begin + high] = value;
                                }
                            }
                            __syncthreads();
                            stride = stride / 2;
                            flip = stride;
                        }
                        half = half < filled - half ? half + half : filled;
                    }
                }
                const int t0_filled = to;
                const int pB2_end = B2_pos[row + 1];
                int pB = B2_pos[row];
                int pt0 = t0_begin;
                if (thread_x == 0) {
                    while (pB < pB2_end && pt0 < t0_filled) {
                        const int kB = B2_crd[pB];
                        const int kt0 = t0_crd[pt0];
                        if (kB == kt0) {
                            C2_crd[pC2] = kB;
                            C_vals[pC2] = B_vals[pB] + t0_vals[pt0];
                            ++pB;
                            ++pt0;
                        } else if (kB < kt0) {
                            C2_crd[pC2] = kB;
                            C_vals[pC2] = B_vals[pB];
                            ++pB;
                        } else {
                            C2_crd[pC2] = kt0;
                            C_vals[pC2] = t0_vals[pt0];
                            ++pt0;
                        }
                        ++pC2;
                    }
                    for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                        const int k = B2_crd[pB_2];
                        C2_crd[pC2] = k;
                        C_vals[pC2] = B_vals[pB_2];
                        ++pC2;
                    }
                    for (int pt0_2 = pt0; pt0_2 < t0_filled; ++pt0_2) {
                        const int k = t0_crd[pt0_2];
                        C2_crd[pC2] = k;
                        C_vals[pC2] = t0_vals[pt0_2];
                        ++pC2;
                    }
                }
            } else {
                const int pB2_begin = B2_pos[row];
                const int pB2_end = B2_pos[row + 1];
                if (thread_x == 0) {
                    for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                        const int k = B2_crd[pB];
                        C2_crd[pC2] = k;
                        C_vals[pC2] = B_vals[pB];
                        ++pC2;
                    }
                }
            }
            __syncthreads();
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}
