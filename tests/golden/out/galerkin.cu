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

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256) galerkin_scatters(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, int R1_dim, int P2_dim, int A2_dim,
    int* __restrict__ w_places, int* __restrict__ w_largest, int* __restrict__ rows_work,
    int* __restrict__ rows_of_group8s, int* __restrict__ rows_of_warps, int* __restrict__ rows_of_blocks,
    int* __restrict__ rows_of_large_blocks, int* __restrict__ rows_of_largest_blocks,
    int* __restrict__ rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < R1_dim) {
        int w_len = 0;
        for (int pR = R2_pos[i], pR_end = R2_pos[i + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                const int k = A2_crd[pA];
                w_len = addCounts(w_len, P2_pos[k + 1] - P2_pos[k]);
            }
        }
        const int w_most = w_len;
        const int w_elements = min(w_most, min(P2_dim, P2_pos[A2_dim]));
        int places = 0 < w_elements ? 4 : 0;
        while (places < P2_dim && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        w_places[i] = places;
        const int work = max(places, w_most);
        rows_work[i] = work;
        if (16384 <= places) {
            const int at = atomicAdd(&rows_many[4], 1);
            rows_of_largest_blocks[at] = i;
            atomicMax(&w_largest[0], places);
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

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* rows_work, int R1_dim, int* __restrict__ C2_pos,
    int* __restrict__ w_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 16;
    for (int i = team; i < R1_dim; i += 524288) {
        const int work = rows_work[i];
        if (work < 32) {
            const int w_size = w_places[i];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin; at < w_end; ++at) {
                w_crd[at] = 2147483647;
            }
            for (int pR = R2_pos[i], pR_end = R2_pos[i + 1]; pR < pR_end; ++pR) {
                const int j = R2_crd[pR];
                for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                    const int k = A2_crd[pA];
                    for (int pP = P2_pos[k], pP_end = P2_pos[k + 1]; pP < pP_end; ++pP) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = l;
                            ++w_len;
                        }
                    }
                }
            }
            C2_pos[i] = w_len;
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count_group8(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* rows_of_group8s, const int* rows_many, int* C2_pos) {
    __shared__ int w_crd_shared[2304];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 8;
    const int team = block_x * 32 + thread_x / 8;
    const int w_begin = thread_x / 8 * 72;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 65536) {
        const int row = rows_of_group8s[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int w_end = w_begin + w_size;
        int w_len = 0;
        for (int at = w_begin + lane; at < w_end; at += 8) {
            w_crd_shared[at] = 2147483647;
        }
        syncGroup<8>();
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                const int k = A2_crd[pA];
                const int pP2_begin = P2_pos[k];
                for (int pP = pP2_begin + lane, pP_end = P2_pos[k + 1]; pP < pP_end; pP += 8) {
                    const int l = P2_crd[pP];
                    int at = w_begin + placeOf(l, w_size);
                    int held = claimPlace(&w_crd_shared[at], l);
                    while (held != 2147483647 && held != l) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = claimPlace(&w_crd_shared[at], l);
                    }
                    if (held == 2147483647) {
                        ++w_len;
                    }
                }
            }
        }
        const int all = sumInGroup<8, OwnGroup>(w_len);
        if (lane == 0) {
            C2_pos[row] = all;
        }
        syncGroup<8>();
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count_warp(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* rows_of_warps, const int* rows_many, int* C2_pos) {
    __shared__ int w_crd_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int w_end = w_begin + w_size;
        int w_len = 0;
        for (int at = w_begin + lane; at < w_end; at += 32) {
            w_crd_shared[at] = 2147483647;
        }
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_begin = A2_pos[j];
            const int pA2_end = A2_pos[j + 1];
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
                if (pA2_begin < tile) {
                    __syncwarp();
                }
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int k = A2_crd[pA];
                const int pP2_begin = P2_pos[k];
                const int pP2_end = P2_pos[k + 1];
                const int to = entry < tile_end ? pP2_end : pP2_begin;
                int all;
                const int before = sumBefore<32>((to - pP2_begin + 7) / 8, all);
                row_begins[thread_x] = pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = claimPlace(&w_crd_shared[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd_shared[at], l);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
            __syncwarp();
        }
        const int all = sumInGroup<32>(w_len);
        if (lane == 0) {
            C2_pos[row] = all;
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* rows_of_blocks, const int* rows_many, int* C2_pos) {
    __shared__ int w_crd_shared[2048];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        int w_len = 0;
        for (int at = thread_x; at < w_size; at += 256) {
            w_crd_shared[at] = 2147483647;
        }
        __syncthreads();
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_end = A2_pos[j + 1];
            for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int k = A2_crd[pA];
                    const int pP2_begin = P2_pos[k];
                    const int pP2_end = P2_pos[k + 1];
                    from = pP2_begin;
                    to = entry < tile_end ? pP2_end : pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = placeOf(l, w_size);
                        int held = claimPlace(&w_crd_shared[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_size ? 0 : at + 1;
                            held = claimPlace(&w_crd_shared[at], l);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
        }
        const int all = sumInBlock<256>(w_len, partial);
        if (thread_x == 0) {
            C2_pos[row] = all;
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count_large_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* rows_of_large_blocks, const int* rows_many, int* C2_pos, int* w_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int w_begin = block_x * 8192;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int w_end = w_begin + w_size;
        int w_len = 0;
        for (int at = w_begin + thread_x; at < w_end; at += 256) {
            w_crd[at] = 2147483647;
        }
        __syncthreads();
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_end = A2_pos[j + 1];
            for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int k = A2_crd[pA];
                    const int pP2_begin = P2_pos[k];
                    const int pP2_end = P2_pos[k + 1];
                    from = pP2_begin;
                    to = entry < tile_end ? pP2_end : pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = claimPlace(&w_crd[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd[at], l);
                        }
                        if (held == 2147483647) {
                            ++w_len;
                        }
                    }
                }
            }
        }
        const int all = sumInBlock<256>(w_len, partial);
        if (thread_x == 0) {
            C2_pos[row] = all;
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_count_largest_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ P2_pos, const int* __restrict__ P2_crd,
    const int* w_places, const int* w_largest, const int* rows_of_largest_blocks, const int* rows_many,
    int* C2_pos, int* w_crd) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
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
            // parallelize(i, GPUBlock, NoRaces)
            const int w_size = w_places[row];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
            }
            __syncthreads();
            for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
                const int j = R2_crd[pR];
                const int pA2_end = A2_pos[j + 1];
                for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                    const int tile_end = min(tile + 32, pA2_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pA = min(entry, tile_end - 1);
                        const int k = A2_crd[pA];
                        const int pP2_begin = P2_pos[k];
                        const int pP2_end = P2_pos[k + 1];
                        from = pP2_begin;
                        to = entry < tile_end ? pP2_end : pP2_begin;
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
                        const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        if (pP < row_ends[slot]) {
                            const int l = P2_crd[pP];
                            int at = w_begin + placeOf(l, w_size);
                            int held = claimPlace(&w_crd[at], l);
                            while (held != 2147483647 && held != l) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], l);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
            }
            const int all = sumInBlock<256>(w_len, partial);
            if (thread_x == 0) {
                C2_pos[row] = all;
            }
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256) galerkin_sums(
    const int* C2_pos, int R1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, R1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C2_sums[block_x] = all;
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256) galerkin_sum_tiles(
    int R1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (R1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (R1_dim + 2048) / 2048 ? C2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (R1_dim + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256) galerkin_begins(
    const int* C2_sums, int R1_dim, int* C2_pos) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, R1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, R1_dim + 1); n < n_end; ++n) {
        const int count = n < R1_dim ? C2_pos[n] : 0;
        C2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ rows_work,
    int R1_dim, int* __restrict__ C2_crd, double* __restrict__ C_vals, int* __restrict__ w_crd,
    double* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 16;
    for (int i = team; i < R1_dim; i += 524288) {
        const int work = rows_work[i];
        if (work < 32) {
            int pC2 = C2_pos[i];
            const int w_reserved = w_places[i];
            const int w_elements = C2_pos[i + 1] - C2_pos[i];
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
            for (int pR = R2_pos[i], pR_end = R2_pos[i + 1]; pR < pR_end; ++pR) {
                const int j = R2_crd[pR];
                const double R_val = R_vals[pR];
                for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                    const int k = A2_crd[pA];
                    const double A_val = A_vals[pA];
                    for (int pP = P2_pos[k], pP_end = P2_pos[k + 1]; pP < pP_end; ++pP) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        const double value = R_val * A_val * P_vals[pP];
                        if (held == 2147483647) {
                            w_crd[at] = l;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] += value;
                        }
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
                const int l = w_crd[pw];
                C2_crd[pC2] = l;
                C_vals[pC2] = w_vals[pw];
                ++pC2;
            }
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill_group8(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
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
        // parallelize(i, GPUBlock, NoRaces)
        const int pC2 = C2_pos[row];
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
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const double R_val = R_vals[pR];
            for (int pA = A2_pos[j], pA_end = A2_pos[j + 1]; pA < pA_end; ++pA) {
                const int k = A2_crd[pA];
                const int pP2_begin = P2_pos[k];
                const double A_val = A_vals[pA];
                for (int pP = pP2_begin + lane, pP_end = P2_pos[k + 1]; pP < pP_end; pP += 8) {
                    const int l = P2_crd[pP];
                    int at = w_begin + placeOf(l, w_size);
                    int held = claimPlace(&w_crd_shared[at], l);
                    while (held != 2147483647 && held != l) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = claimPlace(&w_crd_shared[at], l);
                    }
                    const double value = R_val * A_val * P_vals[pP];
                    if (held == 2147483647) {
                        w_vals_shared[at] = value;
                    } else {
                        w_vals_shared[at] += value;
                    }
                }
                syncGroup<8>();
            }
        }
        int to = w_begin;
        for (int tile = w_begin; tile < w_end; tile += 8) {
            const int at = tile + lane;
            const int key = at < w_end ? w_crd_shared[at] : 2147483647;
            const double value = key != 2147483647 ? w_vals_shared[at] : 0.0;
            int all;
            const int before = countBefore<8, OwnGroup>(key != 2147483647, all);
            syncGroup<8>();
            if (key != 2147483647) {
                w_crd_shared[to + before] = key;
                w_vals_shared[to + before] = value;
            }
            to += all;
        }
        syncGroup<8>();
        const int filled = to - w_begin;
        int half = 1;
        while (half < filled) {
            int stride = half;
            int flip = half + (half - 1);
            while (0 < stride) {
                for (int pair = lane, pair_end = filled - (filled - stride) / 2; pair < pair_end; pair += 8) {
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
                syncGroup<8>();
                stride = stride / 2;
                flip = stride;
            }
            half = half < filled - half ? half + half : filled;
        }
        const int w_filled = to;
        for (int pw = w_begin + lane; pw < w_filled; pw += 8) {
            const int l = w_crd_shared[pw];
            C2_crd[pC2 + (pw - w_begin)] = l;
            C_vals[pC2 + (pw - w_begin)] = w_vals_shared[pw];
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill_warp(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_warps, const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int w_crd_shared[2048];
    __shared__ double w_vals_shared[2048];
    __shared__ int row_begins[256];
    __shared__ int row_ends[256];
    __shared__ int row_slices[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    const int w_begin = thread_x / 32 * 256;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[1]; rank < rank_end; rank += 16384) {
        const int row = rows_of_warps[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int pC2 = C2_pos[row];
        const int w_reserved = w_places[row];
        const int w_elements = C2_pos[row + 1] - C2_pos[row];
        int places = 0 < w_elements ? 4 : 0;
        while (places < w_reserved && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        const int w_size = places;
        const int w_end = w_begin + w_size;
        for (int at = w_begin + lane; at < w_end; at += 32) {
            w_crd_shared[at] = 2147483647;
            w_vals_shared[at] = 0.0;
        }
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_end = A2_pos[j + 1];
            const double R_val = R_vals[pR];
            for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                const int entry = tile + lane;
                const int pA = min(entry, tile_end - 1);
                const int k = A2_crd[pA];
                const int pP2_begin = P2_pos[k];
                const int pP2_end = P2_pos[k + 1];
                const int to = entry < tile_end ? pP2_end : pP2_begin;
                int all;
                const int before = sumBefore<32>((to - pP2_begin + 7) / 8, all);
                row_begins[thread_x] = pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = claimPlace(&w_crd_shared[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd_shared[at], l);
                        }
                        claimed = at;
                        combined = R_val * A_vals[pA_2] * P_vals[pP];
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
            const int l = w_crd_shared[pw];
            C2_crd[pC2 + (pw - w_begin)] = l;
            C_vals[pC2 + (pw - w_begin)] = w_vals_shared[pw];
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_blocks, const int* __restrict__ rows_many, int* C2_crd, double* C_vals) {
    __shared__ int w_crd_shared[2048];
    __shared__ double w_vals_shared[2048];
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[2]; rank < rank_end; rank += 2048) {
        const int row = rows_of_blocks[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int pC2 = C2_pos[row];
        const int w_reserved = w_places[row];
        const int w_elements = C2_pos[row + 1] - C2_pos[row];
        int places = 0 < w_elements ? 4 : 0;
        while (places < w_reserved && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        const int w_size = places;
        for (int at = thread_x; at < w_size; at += 256) {
            w_crd_shared[at] = 2147483647;
            w_vals_shared[at] = 0.0;
        }
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_end = A2_pos[j + 1];
            const double R_val = R_vals[pR];
            for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int k = A2_crd[pA];
                    const int pP2_begin = P2_pos[k];
                    const int pP2_end = P2_pos[k + 1];
                    from = pP2_begin;
                    to = entry < tile_end ? pP2_end : pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = placeOf(l, w_size);
                        int held = claimPlace(&w_crd_shared[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_size ? 0 : at + 1;
                            held = claimPlace(&w_crd_shared[at], l);
                        }
                        claimed = at;
                        combined = R_val * A_vals[pA] * P_vals[pP];
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
        }
        int to = 0;
        for (int tile = 0; tile < w_size; tile += 256) {
            const int at = tile + thread_x;
            const int key = at < w_size ? w_crd_shared[at] : 2147483647;
            const double value = key != 2147483647 ? w_vals_shared[at] : 0.0;
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
                        const double value = w_vals_shared[low];
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
            const int l = w_crd_shared[pw];
            C2_crd[pC2 + pw] = l;
            C_vals[pC2 + pw] = w_vals_shared[pw];
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill_large_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_large_blocks, const int* __restrict__ rows_many, int P2_dim,
    int* C2_crd, double* C_vals, int* w_crd, double* w_vals, int* w_marks, int* w_marks_before,
    int* w_sorted_crd, double* w_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int w_begin = block_x * 8192;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int pC2 = C2_pos[row];
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
        for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
            const int j = R2_crd[pR];
            const int pA2_end = A2_pos[j + 1];
            const double R_val = R_vals[pR];
            for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                const int tile_end = min(tile + 32, pA2_end);
                int from = 0;
                int to = 0;
                if (thread_x < 32) {
                    const int entry = tile + thread_x;
                    const int pA = min(entry, tile_end - 1);
                    const int k = A2_crd[pA];
                    const int pP2_begin = P2_pos[k];
                    const int pP2_end = P2_pos[k + 1];
                    from = pP2_begin;
                    to = entry < tile_end ? pP2_end : pP2_begin;
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
                    const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                    int claimed = 2147483647;
                    double combined = 0.0;
                    if (pP < row_ends[slot]) {
                        const int l = P2_crd[pP];
                        int at = w_begin + placeOf(l, w_size);
                        int held = claimPlace(&w_crd[at], l);
                        while (held != 2147483647 && held != l) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd[at], l);
                        }
                        claimed = at;
                        combined = R_val * A_vals[pA] * P_vals[pP];
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
        }
        int to = w_begin;
        const int words = (P2_dim + 30) / 31;
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
                const double value = key != 2147483647 ? w_vals[at] : 0.0;
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
                            const double value = w_vals[w_begin + low];
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
            const int l = w_crd[pw];
            C2_crd[pC2 + (pw - w_begin)] = l;
            C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
        }
    }
}

// C[i, l] = R[i, j] * A[j, k] * P[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) galerkin_fill_largest_block(
    const int* __restrict__ R2_pos, const int* __restrict__ R2_crd, const double* __restrict__ R_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ P2_pos, const int* __restrict__ P2_crd, const double* __restrict__ P_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    const int* __restrict__ rows_of_largest_blocks, const int* __restrict__ rows_many, int P2_dim,
    int* C2_crd, double* C_vals, int* w_crd, double* w_vals, int* w_marks, int* w_marks_before,
    int* w_sorted_crd, double* w_sorted_vals) {
    __shared__ int row_begins[32];
    __shared__ int row_ends[32];
    __shared__ int row_slices[32];
    __shared__ int partial[8];
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
            // parallelize(i, GPUBlock, NoRaces)
            const int pC2 = C2_pos[row];
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
            for (int pR = R2_pos[row], pR_end = R2_pos[row + 1]; pR < pR_end; ++pR) {
                const int j = R2_crd[pR];
                const int pA2_end = A2_pos[j + 1];
                const double R_val = R_vals[pR];
                for (int tile = A2_pos[j]; tile < pA2_end; tile += 32) {
                    const int tile_end = min(tile + 32, pA2_end);
                    int from = 0;
                    int to = 0;
                    if (thread_x < 32) {
                        const int entry = tile + thread_x;
                        const int pA = min(entry, tile_end - 1);
                        const int k = A2_crd[pA];
                        const int pP2_begin = P2_pos[k];
                        const int pP2_end = P2_pos[k + 1];
                        from = pP2_begin;
                        to = entry < tile_end ? pP2_end : pP2_begin;
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
                        const int pP = row_begins[slot] + (slice - row_slices[slot]) * 8 + lane_of_part;
                        int claimed = 2147483647;
                        double combined = 0.0;
                        if (pP < row_ends[slot]) {
                            const int l = P2_crd[pP];
                            int at = w_begin + placeOf(l, w_size);
                            int held = claimPlace(&w_crd[at], l);
                            while (held != 2147483647 && held != l) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], l);
                            }
                            claimed = at;
                            combined = R_val * A_vals[pA] * P_vals[pP];
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
            }
            int to = w_begin;
            const int words = (P2_dim + 30) / 31;
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
                    const double value = key != 2147483647 ? w_vals[at] : 0.0;
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
                                const double value = w_vals[w_begin + low];
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
                const int l = w_crd[pw];
                C2_crd[pC2 + (pw - w_begin)] = l;
                C_vals[pC2 + (pw - w_begin)] = w_vals[pw];
            }
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}
