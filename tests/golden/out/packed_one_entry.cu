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

// First position in lo..hi whose element is above the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] <= key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] <= key;
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

// Which lanes a shuffle names. All lanes of the warp arrive, a constant mask; or those of the group alone.
struct WholeWarp {
    template <int G> static __device__ __forceinline__ unsigned mask() { return 0xffffffffu; }
};
struct OwnGroup {
    template <int G> static __device__ __forceinline__ unsigned mask() {
        return 0xffffffffu >> (32 - G) << (threadIdx.x & 31 & ~(G - 1));
    }
};

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

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_count(
    const int* __restrict__ B2_pos, int B1_dim, int* __restrict__ A1_begins,
    int* __restrict__ rows_of_warps, int* __restrict__ rows_of_blocks, int* __restrict__ rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int A1_count = 0;
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int entries = pB2_end - pB2_begin;
        if (512 <= entries) {
            const int at = atomicAdd(&rows_many[1], 1);
            rows_of_blocks[at] = i;
        } else if (32 <= entries) {
            const int at = atomicAdd(&rows_many[0], 1);
            rows_of_warps[at] = i;
        } else {
            A1_count = addCounts(A1_count, pB2_end - pB2_begin);
        }
        A1_begins[i] = A1_count;
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_count_warp(
    const int* __restrict__ B2_pos, const int* rows_of_warps, const int* rows_many, int* A1_begins,
    int* __restrict__ before_of_warps) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 16384) {
        const int i = rows_of_warps[rank];
        int A1_count = 0;
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int B_entries = pB2_end - pB2_begin;
        const int step = (B_entries + 31) / 32;
        const int pB_begin = pB2_begin + (int)min((long long)lane * step, (long long)B_entries);
        const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
        A1_count = addCounts(A1_count, pB_end - pB_begin);
        int all;
        const int before = sumBefore<32, OwnGroup>(A1_count, all);
        before_of_warps[rank * 32 + lane] = before;
        if (lane == 0) {
            A1_begins[i] = all;
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_count_block(
    const int* __restrict__ B2_pos, const int* rows_of_blocks, const int* rows_many, int* A1_begins,
    int* before_of_blocks) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[1]; rank < rank_end; rank += 2048) {
        const int i = rows_of_blocks[rank];
        int A1_count = 0;
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int B_entries = pB2_end - pB2_begin;
        const int step = (B_entries + 255) / 256;
        const int pB_begin = pB2_begin + (int)min((long long)thread_x * step, (long long)B_entries);
        const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
        A1_count = addCounts(A1_count, pB_end - pB_begin);
        __syncthreads();
        int all;
        const int before = sumBeforeInBlock<256>(A1_count, partial, all);
        before_of_blocks[rank * 256 + thread_x] = before;
        if (thread_x == 0) {
            A1_begins[i] = all;
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_sums(
    const int* A1_begins, int B1_dim, int* A1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A1_sums[block_x] = all;
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_sum_tiles(
    int B1_dim, int* A1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2048) / 2048 ? A1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_dim + 2048) / 2048) {
            A1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_begins(
    const int* A1_sums, int B1_dim, int* A1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        const int count = n < B1_dim ? A1_begins[n] : 0;
        A1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_fill(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ A1_begins, int B1_dim, int* __restrict__ A_list_pos,
    int* __restrict__ A_list1_crd, int* __restrict__ A_list2_crd, double* __restrict__ A_list_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    if (block_x * 256 + thread_x == 0) {
        A_list_pos[1] = A1_begins[B1_dim];
    }
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int pA1 = A1_begins[i];
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int entries = pB2_end - pB2_begin;
        if (entries < 32) {
            for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                const int j = B2_crd[pB];
                A_list1_crd[pA1] = i;
                A_list2_crd[pA1] = j;
                A_list_vals[pA1] = B_vals[pB];
                ++pA1;
            }
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_fill_warp(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ A1_begins, const int* __restrict__ rows_of_warps,
    const int* __restrict__ rows_many, const int* __restrict__ before_of_warps, int* A_list1_crd,
    int* A_list2_crd, double* A_list_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 16384) {
        const int i = rows_of_warps[rank];
        int pA1 = A1_begins[i];
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int B_entries = pB2_end - pB2_begin;
        const int step = (B_entries + 31) / 32;
        const int pB_begin = pB2_begin + (int)min((long long)lane * step, (long long)B_entries);
        const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
        pA1 += before_of_warps[rank * 32 + lane];
        for (int pB = pB_begin; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            A_list1_crd[pA1] = i;
            A_list2_crd[pA1] = j;
            A_list_vals[pA1] = B_vals[pB];
            ++pA1;
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_fill_block(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ A1_begins, const int* __restrict__ rows_of_blocks,
    const int* __restrict__ rows_many, const int* __restrict__ before_of_blocks, int* A_list1_crd,
    int* A_list2_crd, double* A_list_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    for (int rank = block_x, rank_end = rows_many[1]; rank < rank_end; rank += 2048) {
        const int i = rows_of_blocks[rank];
        int pA1 = A1_begins[i];
        const int pB2_begin = B2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int B_entries = pB2_end - pB2_begin;
        const int step = (B_entries + 255) / 256;
        const int pB_begin = pB2_begin + (int)min((long long)thread_x * step, (long long)B_entries);
        const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
        pA1 += before_of_blocks[rank * 256 + thread_x];
        for (int pB = pB_begin; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            A_list1_crd[pA1] = i;
            A_list2_crd[pA1] = j;
            A_list_vals[pA1] = B_vals[pB];
            ++pA1;
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_misfits2(
    const int* __restrict__ A_list_pos, const int* __restrict__ A_list1_crd,
    const int* __restrict__ A_list2_crd, int B1_dim, int* __restrict__ A2_misfits) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int first = block_x * 256 + thread_x;
    for (int p = first, p_end = min(B1_dim, A_list_pos[1] + 1); p < p_end; p += 524288) {
        const int begin = lowerBound(A_list1_crd, 0, A_list_pos[1], p);
        const int end = upperBound(A_list1_crd, 0, A_list_pos[1], p);
        if (begin == end || A_list2_crd[begin] != A_list2_crd[end - 1]) {
            atomicAdd(&A2_misfits[0], 1);
        }
    }
}

// A[i, j] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) pack_pack2(
    const int* __restrict__ A_list_pos, const int* __restrict__ A_list1_crd,
    const int* __restrict__ A_list2_crd, const double* __restrict__ A_list_vals, int* __restrict__ A2_crd,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int entry = block_x * 256 + thread_x;
    if (entry < A_list_pos[1]) {
        const int place = A_list1_crd[entry];
        if (entry == 0 || A_list1_crd[entry - 1] != place) {
            A2_crd[place] = A_list2_crd[entry];
            A_vals[place] = A_list_vals[entry];
        }
    }
}
