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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_block_scatters(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    int B2_dim, int A2_dim, int* __restrict__ w_places, int* __restrict__ w_largest) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    int w_len = 0;
    for (int pA = A2_pos[block_x], pA_end = A2_pos[block_x + 1]; pA < pA_end; ++pA) {
        const int j = A2_crd[pA];
        w_len = addCounts(w_len, B2_pos[j + 1] - B2_pos[j]);
    }
    const int w_most = w_len;
    const int w_elements = min(w_most, min(B2_dim, B2_pos[A2_dim]));
    int places = 0 < w_elements ? 4 : 0;
    while (places < B2_dim && places - places / 4 < w_elements) {
        places = addCounts(places, places);
    }
    if (thread_x == 0) {
        w_places[block_x] = places;
        if (16384 <= places) {
            atomicMax(&w_largest[0], places);
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, int A1_dim, int* C2_pos) {
    __shared__ int w_crd_shared[4096];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    for (int i = block_x; i < A1_dim; i += 2048) {
        const int places = w_places[i];
        if (places < 8192) {
            int w_len = 0;
            for (int at = thread_x; at < places; at += 256) {
                w_crd_shared[at] = 2147483647;
            }
            __syncthreads();
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    from = pB2_begin;
                    to = entry < tile_end ? pB2_end : pB2_begin;
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
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = placeOf(k, places);
                        int held = claimPlace(&w_crd_shared[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == places ? 0 : at + 1;
                            held = claimPlace(&w_crd_shared[at], k);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
            const int all = sumInBlock<256>(w_len, partial);
            if (thread_x == 0) {
                C2_pos[i] = all;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_count_large(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, int A1_dim, int* C2_pos, int* w_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    const int w_begin = block_x * 8192;
    for (int i = block_x; i < A1_dim; i += 2048) {
        const int places = w_places[i];
        if (8192 <= places && places < 16384) {
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
            }
            __syncthreads();
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    from = pB2_begin;
                    to = entry < tile_end ? pB2_end : pB2_begin;
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
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, places);
                        int held = claimPlace(&w_crd[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd[at], k);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
            const int all = sumInBlock<256>(w_len, partial);
            if (thread_x == 0) {
                C2_pos[i] = all;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_count_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, const int* w_largest, int A1_dim, int* C2_pos,
    int* w_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    const int w_region = w_largest[0];
    const int teams = min(2048, max(33554432 / w_region, 1));
    if (block_x < teams) {
        const int w_begin = (int)min((long long)block_x * w_region, 33554432LL);
        int i = block_x;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (16384 <= places) {
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    w_crd[at] = 2147483647;
                }
                __syncthreads();
                const int pA2_end = A2_pos[i + 1];
                for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                    const int tile_end = min(tile + 32, pA2_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pA = min(entry, tile_end - 1);
                        const int j = A2_crd[pA];
                        const int pB2_begin = B2_pos[j];
                        const int pB2_end = B2_pos[j + 1];
                        from = pB2_begin;
                        to = entry < tile_end ? pB2_end : pB2_begin;
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
                        const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (pB < row_ends[slot]) {
                            const int k = B2_crd[pB];
                            int at = w_begin + placeOf(k, places);
                            int held = claimPlace(&w_crd[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], k);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
                const int all = sumInBlock<256>(w_len, partial);
                if (thread_x == 0) {
                    C2_pos[i] = all;
                }
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_block_sums(
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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_block_sum_tiles(
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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_block_begins(
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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, int A1_dim, int* C2_crd,
    float* C_vals) {
    __shared__ int w_crd_shared[4096];
    __shared__ float w_vals_shared[4096];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    for (int i = block_x; i < A1_dim; i += 2048) {
        const int places = w_places[i];
        if (places < 8192) {
            const int pC2 = C2_pos[i];
            const int w_elements = C2_pos[i + 1] - C2_pos[i];
            int places_2 = 0 < w_elements ? 4 : 0;
            while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                places_2 = addCounts(places_2, places_2);
            }
            const int w_size = places_2;
            for (int at = thread_x; at < w_size; at += 256) {
                w_crd_shared[at] = 2147483647;
                w_vals_shared[at] = 0.0f;
            }
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    from = pB2_begin;
                    to = entry < tile_end ? pB2_end : pB2_begin;
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
                    const int pA = min(tile + slot, tile_end - 1);
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    float combined = 0.0f;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = placeOf(k, w_size);
                        int held = claimPlace(&w_crd_shared[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_size ? 0 : at + 1;
                            held = claimPlace(&w_crd_shared[at], k);
                        }
                        claimed = at;
                        combined = A_vals[pA] * B_vals[pB];
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
                                    w_vals_shared[claimed] += combined;
                                }
                                __syncwarp();
                            }
                        }
                    }
                    __syncthreads();
                }
            }
            int to = 0;
            for (int tile = 0; tile < w_size; tile += 256) {
                const int at = tile + thread_x;
                const int key = at < w_size ? w_crd_shared[at] : 2147483647;
                const float value = key != 2147483647 ? w_vals_shared[at] : 0.0f;
                int all;
                const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                __syncthreads();
                if (key != 2147483647) {
                    w_crd_shared[to + before] = key;
                    w_vals_shared[to + before] = value;
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
                        if (high < filled && w_crd_shared[high] < w_crd_shared[low]) {
                            const int key = w_crd_shared[low];
                            w_crd_shared[low] = w_crd_shared[high];
                            w_crd_shared[high] = key;
                            const float value = w_vals_shared[low];
                            w_vals_shared[low] = w_vals_shared[high];
                            w_vals_shared[high] = value;
                        }
                    }
                    __syncthreads();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int w_filled = to;
            for (int pw = thread_x; pw < w_filled; pw += 256) {
                const int k = w_crd_shared[pw];
                C2_crd[pC2 + pw] = k;
                C_vals[pC2 + pw] = w_vals_shared[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_fill_large(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, int A1_dim, int B2_dim, int* C2_crd,
    float* C_vals, int* w_crd, float* w_vals, int* w_marks, int* w_marks_before, int* w_sorted_crd,
    float* w_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    const int w_begin = block_x * 8192;
    for (int i = block_x; i < A1_dim; i += 2048) {
        const int places = w_places[i];
        if (8192 <= places && places < 16384) {
            const int pC2 = C2_pos[i];
            const int w_elements = C2_pos[i + 1] - C2_pos[i];
            int places_2 = 0 < w_elements ? 4 : 0;
            while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                places_2 = addCounts(places_2, places_2);
            }
            const int w_size = places_2;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
                w_vals[at] = 0.0f;
            }
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    from = pB2_begin;
                    to = entry < tile_end ? pB2_end : pB2_begin;
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
                    const int pA = min(tile + slot, tile_end - 1);
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    float combined = 0.0f;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, w_size);
                        int held = claimPlace(&w_crd[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd[at], k);
                        }
                        claimed = at;
                        combined = A_vals[pA] * B_vals[pB];
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
                                    w_vals[claimed] += combined;
                                }
                                __syncwarp();
                            }
                        }
                    }
                    __syncthreads();
                }
            }
            int to = w_begin;
            const int words = (B2_dim + 30) / 31;
            if (words <= w_size) {
                for (int word = thread_x; word < words; word += 256) {
                    w_marks[w_begin + word] = 0;
                }
                __syncthreads();
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    const int key = w_crd[at];
                    if (key != 2147483647) {
                        atomicOr(&w_marks[w_begin + key / 31], 1 << key % 31);
                    }
                }
                __syncthreads();
                for (int tile = 0; tile < words; tile += 256) {
                    const int word = tile + thread_x;
                    int all;
                    const int before = sumBeforeInBlock<256>(
                        word < words ? __popc(w_marks[w_begin + word]) : 0,
                        partial,
                        all);
                    if (word < words) {
                        w_marks_before[w_begin + word] = to + before;
                    }
                    __syncthreads();
                    to += all;
                }
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    const int key = w_crd[at];
                    if (key != 2147483647) {
                        const int word = w_begin + key / 31;
                        const int to_2 = w_marks_before[word] + marksBelow(w_marks[word], key % 31);
                        w_sorted_crd[to_2] = key;
                        w_sorted_vals[to_2] = w_vals[at];
                    }
                }
                __syncthreads();
                for (int at = w_begin + thread_x, at_end = to; at < at_end; at += 256) {
                    w_crd[at] = w_sorted_crd[at];
                    w_vals[at] = w_sorted_vals[at];
                }
                __syncthreads();
            } else {
                for (int tile = w_begin; tile < w_end; tile += 256) {
                    const int at = tile + thread_x;
                    const int key = at < w_end ? w_crd[at] : 2147483647;
                    const float value = key != 2147483647 ? w_vals[at] : 0.0f;
                    int all;
                    const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                    __syncthreads();
                    if (key != 2147483647) {
                        w_crd[to + before] = key;
                        w_vals[to + before] = value;
                    }
                    to += all;
                }
                __syncthreads();
                const int filled = to - w_begin;
                int half = 1;
                while (half < filled) {
                    int stride = half;
                    int flip = half + (half - 1);
                    while (0 < stride) {
                        for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                            const int low = pair + (pair - (pair & (stride - 1)));
                            const int high = low ^ flip;
                            if (high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                                const int key = w_crd[w_begin + low];
                                w_crd[w_begin + low] = w_crd[w_begin + high];
                                w_crd[w_begin + high] = key;
                                const float value = w_vals[w_begin + low];
                                w_vals[w_begin + low] = w_vals[w_begin + high];
                                w_vals[w_begin + high] = value;
                            }
                        }
                        __syncthreads();
                        stride = stride / 2;
                        flip = stride;
                    }
                    half = half < filled - half ? half + half : filled;
                }
            }
            const int w_filled = to;
            for (int pw = w_begin + thread_x; pw < w_filled; pw += 256) {
                const int k = w_crd[pw];
                C2_crd[pC2 + (pw - w_begin)] = k;
                C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_block_fill_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    int A1_dim, int B2_dim, int* C2_crd, float* C_vals, int* w_crd, float* w_vals, int* w_marks,
    int* w_marks_before, int* w_sorted_crd, float* w_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    // parallelize(i, GPUBlock, NoRaces)
    const int w_region = w_largest[0];
    const int teams = min(2048, max(33554432 / w_region, 1));
    if (block_x < teams) {
        const int w_begin = (int)min((long long)block_x * w_region, 33554432LL);
        int i = block_x;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (16384 <= places) {
                const int pC2 = C2_pos[i];
                const int w_elements = C2_pos[i + 1] - C2_pos[i];
                int places_2 = 0 < w_elements ? 4 : 0;
                while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                    places_2 = addCounts(places_2, places_2);
                }
                const int w_size = places_2;
                const int w_end = w_begin + w_size;
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    w_crd[at] = 2147483647;
                    w_vals[at] = 0.0f;
                }
                const int pA2_end = A2_pos[i + 1];
                for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                    const int tile_end = min(tile + 32, pA2_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pA = min(entry, tile_end - 1);
                        const int j = A2_crd[pA];
                        const int pB2_begin = B2_pos[j];
                        const int pB2_end = B2_pos[j + 1];
                        from = pB2_begin;
                        to = entry < tile_end ? pB2_end : pB2_begin;
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
                        const int pA = min(tile + slot, tile_end - 1);
                        const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        float combined = 0.0f;
                        if (pB < row_ends[slot]) {
                            const int k = B2_crd[pB];
                            int at = w_begin + placeOf(k, w_size);
                            int held = claimPlace(&w_crd[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], k);
                            }
                            claimed = at;
                            combined = A_vals[pA] * B_vals[pB];
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
                                        w_vals[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
                int to = w_begin;
                const int words = (B2_dim + 30) / 31;
                if (words <= w_size) {
                    for (int word = thread_x; word < words; word += 256) {
                        w_marks[w_begin + word] = 0;
                    }
                    __syncthreads();
                    for (int at = w_begin + thread_x; at < w_end; at += 256) {
                        const int key = w_crd[at];
                        if (key != 2147483647) {
                            atomicOr(&w_marks[w_begin + key / 31], 1 << key % 31);
                        }
                    }
                    __syncthreads();
                    for (int tile = 0; tile < words; tile += 256) {
                        const int word = tile + thread_x;
                        int all;
                        const int before = sumBeforeInBlock<256>(
                            word < words ? __popc(w_marks[w_begin + word]) : 0,
                            partial,
                            all);
                        if (word < words) {
                            w_marks_before[w_begin + word] = to + before;
                        }
                        __syncthreads();
                        to += all;
                    }
                    for (int at = w_begin + thread_x; at < w_end; at += 256) {
                        const int key = w_crd[at];
                        if (key != 2147483647) {
                            const int word = w_begin + key / 31;
                            const int to_2 = w_marks_before[word] + marksBelow(w_marks[word], key % 31);
                            w_sorted_crd[to_2] = key;
                            w_sorted_vals[to_2] = w_vals[at];
                        }
                    }
                    __syncthreads();
                    for (int at = w_begin + thread_x, at_end = to; at < at_end; at += 256) {
                        w_crd[at] = w_sorted_crd[at];
                        w_vals[at] = w_sorted_vals[at];
                    }
                    __syncthreads();
                } else {
                    for (int tile = w_begin; tile < w_end; tile += 256) {
                        const int at = tile + thread_x;
                        const int key = at < w_end ? w_crd[at] : 2147483647;
                        const float value = key != 2147483647 ? w_vals[at] : 0.0f;
                        int all;
                        const int before = countBeforeInBlock<256>(key != 2147483647, partial, all);
                        __syncthreads();
                        if (key != 2147483647) {
                            w_crd[to + before] = key;
                            w_vals[to + before] = value;
                        }
                        to += all;
                    }
                    __syncthreads();
                    const int filled = to - w_begin;
                    int half = 1;
                    while (half < filled) {
                        int stride = half;
                        int flip = half + (half - 1);
                        while (0 < stride) {
                            for (int pair = thread_x, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 256) {
                                const int low = pair + (pair - (pair & (stride - 1)));
                                const int high = low ^ flip;
                                if (high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                                    const int key = w_crd[w_begin + low];
                                    w_crd[w_begin + low] = w_crd[w_begin + high];
                                    w_crd[w_begin + high] = key;
                                    const float value = w_vals[w_begin + low];
                                    w_vals[w_begin + low] = w_vals[w_begin + high];
                                    w_vals[w_begin + high] = value;
                                }
                            }
                            __syncthreads();
                            stride = stride / 2;
                            flip = stride;
                        }
                        half = half < filled - half ? half + half : filled;
                    }
                }
                const int w_filled = to;
                for (int pw = w_begin + thread_x; pw < w_filled; pw += 256) {
                    const int k = w_crd[pw];
                    C2_crd[pC2 + (pw - w_begin)] = k;
                    C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
                }
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}
