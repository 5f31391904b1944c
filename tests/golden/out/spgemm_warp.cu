// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

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
extern "C" __global__ void __launch_bounds__(256) spgemm_warp_scatters(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    int A1_dim, int B2_dim, int A2_dim, int* __restrict__ w_places, int* __restrict__ w_largest) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int lane = thread_x % 32;
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 32;
    const int i = block_x * 8 + warp;
    if (i < A1_dim) {
        int w_len = 0;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            w_len = addCounts(w_len, B2_pos[j + 1] - B2_pos[j]);
        }
        const int w_most = w_len;
        const int w_elements = min(w_most, min(B2_dim, B2_pos[A2_dim]));
        int places = 0 < w_elements ? 4 : 0;
        while (places < B2_dim && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        if (lane == 0) {
            w_places[i] = places;
            if (2048 <= places) {
                atomicMax(&w_largest[0], places);
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, int A1_dim, int* C2_pos) {
    __shared__ int w_crd_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    for (int i = team; i < A1_dim; i += 16384) {
        const int places = w_places[i];
        if (places < 512) {
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd_shared[at] = 2147483647;
            }
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
                if (pA2_begin < tile) {
                    __syncwarp();
                }
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int j = A2_crd[pA];
                const int pB2_begin = B2_pos[j];
                const int pB2_end = B2_pos[j + 1];
                const int to = entry < tile_end ? pB2_end : pB2_begin;
                int all;
                const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                row_begins[thread_x] = pB2_begin;
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
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, places);
                        int held = claimPlace(&w_crd_shared[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd_shared[at], k);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
            const int all = sumInGroup<32>(w_len);
            if (lane == 0) {
                C2_pos[i] = all;
            }
        }
        __syncwarp();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_count_large(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, int A1_dim, int* C2_pos, int* w_crd) {
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = team * 1024;
    for (int i = team; i < A1_dim; i += 16384) {
        const int places = w_places[i];
        if (512 <= places && places < 2048) {
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd[at] = 2147483647;
            }
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
                if (pA2_begin < tile) {
                    __syncwarp();
                }
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int j = A2_crd[pA];
                const int pB2_begin = B2_pos[j];
                const int pB2_end = B2_pos[j + 1];
                const int to = entry < tile_end ? pB2_end : pB2_begin;
                int all;
                const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                row_begins[thread_x] = pB2_begin;
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
            const int all = sumInGroup<32>(w_len);
            if (lane == 0) {
                C2_pos[i] = all;
            }
        }
        __syncwarp();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_count_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, const int* w_largest, int A1_dim, int* C2_pos,
    int* w_crd) {
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_region = w_largest[0];
    const int teams = min(16384, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        int i = team;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (2048 <= places) {
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin + lane; at < w_end; at += 32) {
                    w_crd[at] = 2147483647;
                }
                const int pA2_begin = A2_pos[i];
                const int pA2_end = A2_pos[i + 1];
                for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
                    if (pA2_begin < tile) {
                        __syncwarp();
                    }
                    const int tile_end = min(tile + 32, pA2_end);
                    const int entry = tile + lane;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    const int to = entry < tile_end ? pB2_end : pB2_begin;
                    int all;
                    const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                    row_begins[thread_x] = pB2_begin;
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
                const int all = sumInGroup<32>(w_len);
                if (lane == 0) {
                    C2_pos[i] = all;
                }
            }
            __syncwarp();
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_warp_sums(
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
extern "C" __global__ void __launch_bounds__(256) spgemm_warp_sum_tiles(
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
extern "C" __global__ void __launch_bounds__(256) spgemm_warp_begins(
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
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, int A1_dim, int* C2_crd,
    double* C_vals) {
    __shared__ int w_crd_shared[2048];
    __shared__ double w_vals_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int lane = thread_x % 32;
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    for (int i = team; i < A1_dim; i += 16384) {
        const int places = w_places[i];
        if (places < 512) {
            const int pC2 = C2_pos[i];
            const int w_elements = C2_pos[i + 1] - C2_pos[i];
            int places_2 = 0 < w_elements ? 4 : 0;
            while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                places_2 = addCounts(places_2, places_2);
            }
            const int w_size = places_2;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd_shared[at] = 2147483647;
                w_vals_shared[at] = 0.0;
            }
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int j = A2_crd[pA];
                const int pB2_begin = B2_pos[j];
                const int pB2_end = B2_pos[j + 1];
                const int to = entry < tile_end ? pB2_end : pB2_begin;
                int all;
                const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                row_begins[thread_x] = pB2_begin;
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
                    const int pA_2 = min(tile + (slot - thread_x / 32 * 32), tile_end - 1);
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, w_size);
                        int held = claimPlace(&w_crd_shared[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd_shared[at], k);
                        }
                        claimed = at;
                        combined = A_vals[pA_2] * B_vals[pB];
                    }
                    for (int turn = 0, turn_end = min(all - first_slice, 4); turn < turn_end; ++turn) {
                        if (0 < turn) {
                            __syncwarp();
                        }
                        if (turn == part && claimed != 2147483647) {
                            w_vals_shared[claimed] += combined;
                        }
                    }
                    __syncwarp();
                }
            }
            int to = w_begin;
            for (int tile = w_begin; tile < w_end; tile += 32) {
                const int at = tile + lane;
                const int key = at < w_end ? w_crd_shared[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals_shared[at] : 0.0;
                int all;
                const int before = countBefore<32>(key != 2147483647, all);
                __syncwarp();
                if (key != 2147483647) {
                    w_crd_shared[to + before] = key;
                    w_vals_shared[to + before] = value;
                }
                to += all;
            }
            __syncwarp();
            const int filled = to - w_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 32) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && w_crd_shared[w_begin + high] < w_crd_shared[w_begin + low]) {
                            const int key = w_crd_shared[w_begin + low];
                            w_crd_shared[w_begin + low] = w_crd_shared[w_begin + high];
                            w_crd_shared[w_begin + high] = key;
                            const double value = w_vals_shared[w_begin + low];
                            w_vals_shared[w_begin + low] = w_vals_shared[w_begin + high];
                            w_vals_shared[w_begin + high] = value;
                        }
                    }
                    __syncwarp();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int w_filled = to;
            for (int pw = w_begin + lane; pw < w_filled; pw += 32) {
                const int k = w_crd_shared[pw];
                C2_crd[pC2 + (pw - w_begin)] = k;
                C_vals[pC2 + (pw - w_begin)] = w_vals_shared[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_fill_large(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, int A1_dim, int* C2_crd,
    double* C_vals, int* w_crd, double* w_vals) {
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = team * 1024;
    for (int i = team; i < A1_dim; i += 16384) {
        const int places = w_places[i];
        if (512 <= places && places < 2048) {
            const int pC2 = C2_pos[i];
            const int w_elements = C2_pos[i + 1] - C2_pos[i];
            int places_2 = 0 < w_elements ? 4 : 0;
            while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                places_2 = addCounts(places_2, places_2);
            }
            const int w_size = places_2;
            const int w_end = w_begin + w_size;
            for (int at = w_begin + lane; at < w_end; at += 32) {
                w_crd[at] = 2147483647;
                w_vals[at] = 0.0;
            }
            const int pA2_end = A2_pos[i + 1];
            for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int j = A2_crd[pA];
                const int pB2_begin = B2_pos[j];
                const int pB2_end = B2_pos[j + 1];
                const int to = entry < tile_end ? pB2_end : pB2_begin;
                int all;
                const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                row_begins[thread_x] = pB2_begin;
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
                    const int pA_2 = min(tile + (slot - thread_x / 32 * 32), tile_end - 1);
                    const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pB < row_ends[slot]) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, w_size);
                        int held = claimPlace(&w_crd[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd[at], k);
                        }
                        claimed = at;
                        combined = A_vals[pA_2] * B_vals[pB];
                    }
                    for (int turn = 0, turn_end = min(all - first_slice, 4); turn < turn_end; ++turn) {
                        if (0 < turn) {
                            __syncwarp();
                        }
                        if (turn == part && claimed != 2147483647) {
                            w_vals[claimed] += combined;
                        }
                    }
                    __syncwarp();
                }
            }
            int to = w_begin;
            for (int tile = w_begin; tile < w_end; tile += 32) {
                const int at = tile + lane;
                const int key = at < w_end ? w_crd[at] : 2147483647;
                const double value = key != 2147483647 ? w_vals[at] : 0.0;
                int all;
                const int before = countBefore<32>(key != 2147483647, all);
                __syncwarp();
                if (key != 2147483647) {
                    w_crd[to + before] = key;
                    w_vals[to + before] = value;
                }
                to += all;
            }
            __syncwarp();
            const int filled = to - w_begin;
            int half = 1;
            while (half < filled) {
                int stride = half;
                int flip = half + (half - 1);
                while (0 < stride) {
                    for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 32) {
                        const int low = pair + (pair - (pair & (stride - 1)));
                        const int high = low ^ flip;
                        if (high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                            const int key = w_crd[w_begin + low];
                            w_crd[w_begin + low] = w_crd[w_begin + high];
                            w_crd[w_begin + high] = key;
                            const double value = w_vals[w_begin + low];
                            w_vals[w_begin + low] = w_vals[w_begin + high];
                            w_vals[w_begin + high] = value;
                        }
                    }
                    __syncwarp();
                    stride = stride / 2;
                    flip = stride;
                }
                half = half < filled - half ? half + half : filled;
            }
            const int w_filled = to;
            for (int pw = w_begin + lane; pw < w_filled; pw += 32) {
                const int k = w_crd[pw];
                C2_crd[pC2 + (pw - w_begin)] = k;
                C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_warp_fill_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    int A1_dim, int* C2_crd, double* C_vals, int* w_crd, double* w_vals) {
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    waitForLaunch();
    // split(i, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int team = block_x * 8 + thread_x / 32;
    const int w_region = w_largest[0];
    const int teams = min(16384, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        int i = team;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (2048 <= places) {
                const int pC2 = C2_pos[i];
                const int w_elements = C2_pos[i + 1] - C2_pos[i];
                int places_2 = 0 < w_elements ? 4 : 0;
                while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                    places_2 = addCounts(places_2, places_2);
                }
                const int w_size = places_2;
                const int w_end = w_begin + w_size;
                for (int at = w_begin + lane; at < w_end; at += 32) {
                    w_crd[at] = 2147483647;
                    w_vals[at] = 0.0;
                }
                const int pA2_end = A2_pos[i + 1];
                for (int tile = A2_pos[i]; tile < pA2_end; tile += 32) {
                    const int tile_end = min(tile + 32, pA2_end);
                    const int entry = tile + lane;
                    const int pA = min(entry, tile_end - 1);
                    const int j = A2_crd[pA];
                    const int pB2_begin = B2_pos[j];
                    const int pB2_end = B2_pos[j + 1];
                    const int to = entry < tile_end ? pB2_end : pB2_begin;
                    int all;
                    const int before = sumBefore<32>((to - pB2_begin + 7) / 8, all);
                    row_begins[thread_x] = pB2_begin;
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
                        const int pA_2 = min(tile + (slot - thread_x / 32 * 32), tile_end - 1);
                        const int pB = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pB < row_ends[slot]) {
                            const int k = B2_crd[pB];
                            int at = w_begin + placeOf(k, w_size);
                            int held = claimPlace(&w_crd[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], k);
                            }
                            claimed = at;
                            combined = A_vals[pA_2] * B_vals[pB];
                        }
                        for (int turn = 0, turn_end = min(all - first_slice, 4); turn < turn_end; ++turn) {
                            if (0 < turn) {
                                __syncwarp();
                            }
                            if (turn == part && claimed != 2147483647) {
                                w_vals[claimed] += combined;
                            }
                        }
                        __syncwarp();
                    }
                }
                int to = w_begin;
                for (int tile = w_begin; tile < w_end; tile += 32) {
                    const int at = tile + lane;
                    const int key = at < w_end ? w_crd[at] : 2147483647;
                    const double value = key != 2147483647 ? w_vals[at] : 0.0;
                    int all;
                    const int before = countBefore<32>(key != 2147483647, all);
                    __syncwarp();
                    if (key != 2147483647) {
                        w_crd[to + before] = key;
                        w_vals[to + before] = value;
                    }
                    to += all;
                }
                __syncwarp();
                const int filled = to - w_begin;
                int half = 1;
                while (half < filled) {
                    int stride = half;
                    int flip = half + (half - 1);
                    while (0 < stride) {
                        for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 32) {
                            const int low = pair + (pair - (pair & (stride - 1)));
                            const int high = low ^ flip;
                            if (high < filled && w_crd[w_begin + high] < w_crd[w_begin + low]) {
                                const int key = w_crd[w_begin + low];
                                w_crd[w_begin + low] = w_crd[w_begin + high];
                                w_crd[w_begin + high] = key;
                                const double value = w_vals[w_begin + low];
                                w_vals[w_begin + low] = w_vals[w_begin + high];
                                w_vals[w_begin + high] = value;
                            }
                        }
                        __syncwarp();
                        stride = stride / 2;
                        flip = stride;
                    }
                    half = half < filled - half ? half + half : filled;
                }
                const int w_filled = to;
                for (int pw = w_begin + lane; pw < w_filled; pw += 32) {
                    const int k = w_crd[pw];
                    C2_crd[pC2 + (pw - w_begin)] = k;
                    C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
                }
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}
