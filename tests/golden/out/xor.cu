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

// a[i] = b[i] ^ c[i];
extern "C" __global__ void __launch_bounds__(256) xor_count(
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

// a[i] = b[i] ^ c[i];
extern "C" __global__ void __launch_bounds__(256) xor_sums(
    const int* a1_begins, int b1_dim, int* a1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, a1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        a1_sums[block_x] = all;
    }
}

// a[i] = b[i] ^ c[i];
extern "C" __global__ void __launch_bounds__(256) xor_sum_tiles(
    int b1_dim, int* a1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048 ? a1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (((b1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048) {
            a1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// a[i] = b[i] ^ c[i];
extern "C" __global__ void __launch_bounds__(256) xor_begins(
    const int* a1_sums, int b1_dim, int* a1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, a1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(a1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((b1_dim + 31) / 32 + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < ((b1_dim + 31) / 32 + 255) / 256 * 256 ? a1_begins[n] : 0;
        a1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// a[i] = b[i] ^ c[i];
extern "C" __global__ void __launch_bounds__(256) xor_fill(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const bool* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const bool* __restrict__ c_vals,
    const int* __restrict__ a1_begins, int b1_dim, int* __restrict__ a1_pos, int* __restrict__ a1_crd,
    bool* __restrict__ a_vals) {
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
                a_vals[pa1] = b_vals[pb] ^ c_vals[pc];
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
