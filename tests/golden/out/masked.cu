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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) masked_scatters(
    const int* __restrict__ M2_pos, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const int* __restrict__ B2_pos, int M1_dim, int M2_dim, int A2_dim, int* __restrict__ w_places,
    int* __restrict__ w_largest, int* __restrict__ rows_work, int* __restrict__ rows_of_group8s,
    int* __restrict__ rows_of_warps, int* __restrict__ rows_of_blocks,
    int* __restrict__ rows_of_large_blocks, int* __restrict__ rows_of_largest_blocks,
    int* __restrict__ rows_many, int* __restrict__ long_rows_of_blocks, int* __restrict__ long_rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < M1_dim) {
        const int begin = A2_pos[i];
        const int end = A2_pos[i + 1];
        if (128 <= end - begin) {
            const int at = atomicAdd(&long_rows_many[0], 1);
            long_rows_of_blocks[at] = i;
        } else {
            int w_len = 0;
            for (int pA = begin; pA < end; ++pA) {
                const int j = A2_crd[pA];
                w_len = addCounts(w_len, B2_pos[j + 1] - B2_pos[j]);
            }
            const int pM2_begin = M2_pos[i];
            const int pM2_end = M2_pos[i + 1];
            const int w_most = 0 < pM2_end - pM2_begin ? w_len : 0;
            const int w_taken = min(w_len, pM2_end - pM2_begin);
            const int w_elements = min(w_taken, min(M2_dim, min(M2_pos[M1_dim], B2_pos[A2_dim])));
            int places = 0 < w_elements ? 4 : 0;
            while (places < M2_dim && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            w_places[i] = places;
            const int work = max(places, w_most);
            rows_work[i] = work;
            if (16384 <= places) {
                const int at = atomicAdd(&rows_many[4], 1);
                rows_of_largest_blocks[at] = i;
                atomicMax(&w_largest[0], places);
            } else if (8192 <= places) {
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
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) masked_scatters_block(
    const int* __restrict__ M2_pos, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const int* __restrict__ B2_pos, const int* long_rows_of_blocks, const int* long_rows_many, int M1_dim,
    int M2_dim, int A2_dim, int* w_places, int* w_largest, int* rows_work, int* rows_of_group8s,
    int* rows_of_warps, int* rows_of_blocks, int* rows_of_large_blocks, int* rows_of_largest_blocks,
    int* rows_many) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = long_rows_many[0]; rank < rank_end; rank += 2048) {
        const int row = long_rows_of_blocks[rank];
        int w_len = 0;
        for (int pA = A2_pos[row] + thread_x, pA_end = A2_pos[row + 1]; pA < pA_end; pA += 256) {
            const int j = A2_crd[pA];
            w_len = addCounts(w_len, B2_pos[j + 1] - B2_pos[j]);
        }
        const int all = sumInBlock<256>(w_len, partial);
        if (thread_x == 0) {
            const int pM2_begin = M2_pos[row];
            const int pM2_end = M2_pos[row + 1];
            const int w_most = 0 < pM2_end - pM2_begin ? all : 0;
            const int w_taken = min(all, pM2_end - pM2_begin);
            const int w_elements = min(w_taken, min(M2_dim, min(M2_pos[M1_dim], B2_pos[A2_dim])));
            int places = 0 < w_elements ? 4 : 0;
            while (places < M2_dim && places - places / 4 < w_elements) {
                places = addCounts(places, places);
            }
            w_places[row] = places;
            const int work = max(places, w_most);
            rows_work[row] = work;
            if (16384 <= places) {
                const int at = atomicAdd(&rows_many[4], 1);
                rows_of_largest_blocks[at] = row;
                atomicMax(&w_largest[0], places);
            } else if (8192 <= places) {
                const int at = atomicAdd(&rows_many[3], 1);
                rows_of_large_blocks[at] = row;
            } else if (512 <= work) {
                const int at = atomicAdd(&rows_many[2], 1);
                rows_of_blocks[at] = row;
            } else if (128 <= work) {
                const int at = atomicAdd(&rows_many[1], 1);
                rows_of_warps[at] = row;
            } else if (32 <= work) {
                const int at = atomicAdd(&rows_many[0], 1);
                rows_of_group8s[at] = row;
            }
        }
        __syncthreads();
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
    const int* w_places, const int* rows_work, int M1_dim, int* __restrict__ C2_pos) {
    __shared__ int w_crd_shared[4352];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = thread_x * 17;
    for (int i = team; i < M1_dim; i += 524288) {
        const int work = rows_work[i];
        if (work < 32) {
            const int w_size = w_places[i];
            const int w_end = w_begin + w_size;
            int w_len = 0;
            for (int at = w_begin; at < w_end; ++at) {
                w_crd_shared[at] = 2147483647;
            }
            const int pM2_begin = M2_pos[i];
            const int pM2_end = M2_pos[i + 1];
            if (0 < pM2_end - pM2_begin) {
                for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = w_begin + placeOf(k, w_size);
                            int held = w_crd_shared[at];
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd_shared[at];
                            }
                            if (held == 2147483647) {
                                w_crd_shared[at] = k;
                                ++w_len;
                            }
                        }
                    }
                }
            }
            C2_pos[i] = w_len;
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count_group8(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
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
        for (int pA = A2_pos[row], pA_end = A2_pos[row + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            const int pB2_begin = B2_pos[j];
            for (int pB = pB2_begin + lane, pB_end = B2_pos[j + 1]; pB < pB_end; pB += 8) {
                const int k = B2_crd[pB];
                const int pM2_begin = M2_pos[row];
                const int pM2_end = M2_pos[row + 1];
                const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                if (pM2 < pM2_end && M2_crd[pM2] == k) {
                    int at = w_begin + placeOf(k, w_size);
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
        const int all = sumInGroup<8, OwnGroup>(w_len);
        if (lane == 0) {
            C2_pos[row] = all;
        }
        syncGroup<8>();
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count_warp(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
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
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
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
                    const int pM2_begin = M2_pos[row];
                    const int pM2_end = M2_pos[row + 1];
                    const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                    if (pM2 < pM2_end && M2_crd[pM2] == k) {
                        int at = w_begin + placeOf(k, w_size);
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
        }
        const int all = sumInGroup<32>(w_len);
        if (lane == 0) {
            C2_pos[row] = all;
        }
        __syncwarp();
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_pieces_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* w_places, const int* rows_work, const int* rows_of_blocks, const int* rows_many,
    int* pieces_crd, float* pieces_vals) {
    __shared__ int w_crd_shared[4096];
    __shared__ float w_vals_shared[4096];
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
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        if (1 < pieces && piece < pieces) {
            for (int at = thread_x; at < w_size; at += 256) {
                w_crd_shared[at] = 2147483647;
                w_vals_shared[at] = 0.0f;
            }
            const int piece_entries = (pA2_end - pA2_begin - 1) / pieces + 1;
            const int piece_begin = (int)min(pA2_begin + (long long)piece * piece_entries, (long long)pA2_end);
            const int piece_end = piece_begin + min(piece_entries, pA2_end - piece_begin);
            for (int tile = piece_begin; tile < piece_end; tile += 32) {
                const int tile_end = min(tile + 32, piece_end);
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = placeOf(k, w_size);
                            int held = claimPlace(&w_crd_shared[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = claimPlace(&w_crd_shared[at], k);
                            }
                            claimed = at;
                            combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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
                                    w_vals_shared[claimed] += combined;
                                }
                                __syncwarp();
                            }
                        }
                    }
                    __syncthreads();
                }
            }
            const int first = (int)min((long long)rank * pieces_room + (long long)piece * table_places, 4194304LL);
            for (int at = thread_x; at < w_size; at += 256) {
                const int to = first + at;
                pieces_crd[to] = w_crd_shared[at];
                pieces_vals[to] = w_vals_shared[at];
            }
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
    const int* w_places, const int* rows_work, const int* rows_of_blocks, const int* rows_many,
    const int* pieces_crd, int* C2_pos) {
    __shared__ int w_crd_shared[4096];
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
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        int w_len = 0;
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        for (int at = thread_x; at < w_size; at += 256) {
            w_crd_shared[at] = 2147483647;
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
                            int at_2 = placeOf(key, w_size);
                            int held = claimPlace(&w_crd_shared[at_2], key);
                            while (held != 2147483647 && held != key) {
                                at_2 = at_2 + 1 == w_size ? 0 : at_2 + 1;
                                held = claimPlace(&w_crd_shared[at_2], key);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
            }
        } else {
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = placeOf(k, w_size);
                            int held = claimPlace(&w_crd_shared[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = claimPlace(&w_crd_shared[at], k);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_pieces_large_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* w_places, const int* rows_work, const int* rows_of_large_blocks, const int* rows_many,
    int* pieces_crd, float* pieces_vals) {
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
        const int w_begin = (int)min((long long)rank * pieces_room + (long long)piece * w_places[row], 4194304LL) + 4194304;
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int w_end = w_begin + w_size;
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        if (1 < pieces && piece < pieces) {
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                pieces_crd[at] = 2147483647;
                pieces_vals[at] = 0.0f;
            }
            const int piece_entries = (pA2_end - pA2_begin - 1) / pieces + 1;
            const int piece_begin = (int)min(pA2_begin + (long long)piece * piece_entries, (long long)pA2_end);
            const int piece_end = piece_begin + min(piece_entries, pA2_end - piece_begin);
            for (int tile = piece_begin; tile < piece_end; tile += 32) {
                const int tile_end = min(tile + 32, piece_end);
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = w_begin + placeOf(k, w_size);
                            int held = claimPlace(&pieces_crd[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&pieces_crd[at], k);
                            }
                            claimed = at;
                            combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count_large_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
    const int* w_places, const int* rows_work, const int* rows_of_large_blocks, const int* rows_many,
    const int* pieces_crd, int* C2_pos, int* w_crd) {
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
    const int w_begin = block_x * 8192;
    for (int rank = block_x, rank_end = rows_many[3]; rank < rank_end; rank += 2048) {
        const int row = rows_of_large_blocks[rank];
        // parallelize(i, GPUBlock, NoRaces)
        const int w_size = w_places[row];
        const int w_end = w_begin + w_size;
        int w_len = 0;
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        for (int at = w_begin + thread_x; at < w_end; at += 256) {
            w_crd[at] = 2147483647;
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
                            int at_2 = w_begin + placeOf(key, w_size);
                            int held = claimPlace(&w_crd[at_2], key);
                            while (held != 2147483647 && held != key) {
                                at_2 = at_2 + 1 == w_end ? w_begin : at_2 + 1;
                                held = claimPlace(&w_crd[at_2], key);
                            }
                            if (held == 2147483647) {
                                ++w_len;
                            }
                        }
                    }
                }
            }
        } else {
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = w_begin + placeOf(k, w_size);
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
            }
        }
        const int all = sumInBlock<256>(w_len, partial);
        if (thread_x == 0) {
            C2_pos[row] = all;
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_pieces_largest_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* w_places, const int* rows_work, const int* rows_of_largest_blocks, const int* rows_many,
    int* pieces_crd, float* pieces_vals) {
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
            const int w_begin = (int)min((long long)rank * pieces_room + (long long)piece * w_places[row], 4194304LL) + 8388608;
            // parallelize(i, GPUBlock, NoRaces)
            const int w_size = w_places[row];
            const int w_end = w_begin + w_size;
            const int pA2_begin = A2_pos[row];
            const int pA2_end = A2_pos[row + 1];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(w_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            if (1 < pieces && piece < pieces) {
                for (int at = w_begin + thread_x; at < w_end; at += 256) {
                    pieces_crd[at] = 2147483647;
                    pieces_vals[at] = 0.0f;
                }
                const int piece_entries = (pA2_end - pA2_begin - 1) / pieces + 1;
                const int piece_begin = (int)min(pA2_begin + (long long)piece * piece_entries, (long long)pA2_end);
                const int piece_end = piece_begin + min(piece_entries, pA2_end - piece_begin);
                for (int tile = piece_begin; tile < piece_end; tile += 32) {
                    const int tile_end = min(tile + 32, piece_end);
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
                            const int pM2_begin = M2_pos[row];
                            const int pM2_end = M2_pos[row + 1];
                            const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                            if (pM2 < pM2_end && M2_crd[pM2] == k) {
                                int at = w_begin + placeOf(k, w_size);
                                int held = claimPlace(&pieces_crd[at], k);
                                while (held != 2147483647 && held != k) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = claimPlace(&pieces_crd[at], k);
                                }
                                claimed = at;
                                combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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
            number = 2048 < end - number ? number + 2048 : end;
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_count_largest_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const int* __restrict__ B2_pos, const int* __restrict__ B2_crd,
    const int* w_places, const int* w_largest, const int* rows_work, const int* rows_of_largest_blocks,
    const int* rows_many, const int* pieces_crd, int* C2_pos, int* w_crd) {
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
            const int pA2_begin = A2_pos[row];
            const int pA2_end = A2_pos[row + 1];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(w_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
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
                                int at_2 = w_begin + placeOf(key, w_size);
                                int held = claimPlace(&w_crd[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == w_end ? w_begin : at_2 + 1;
                                    held = claimPlace(&w_crd[at_2], key);
                                }
                                if (held == 2147483647) {
                                    ++w_len;
                                }
                            }
                        }
                    }
                }
            } else {
                for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                            const int pM2_begin = M2_pos[row];
                            const int pM2_end = M2_pos[row + 1];
                            const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                            if (pM2 < pM2_end && M2_crd[pM2] == k) {
                                int at = w_begin + placeOf(k, w_size);
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) masked_sums(
    const int* C2_pos, int M1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, M1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C2_sums[block_x] = all;
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) masked_sum_tiles(
    int M1_dim, int* C2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (M1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (M1_dim + 2048) / 2048 ? C2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (M1_dim + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) masked_begins(
    const int* C2_sums, int M1_dim, int* C2_pos) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, M1_dim); n < n_end; ++n) {
        sum = addCounts(sum, C2_pos[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, M1_dim + 1); n < n_end; ++n) {
        const int count = n < M1_dim ? C2_pos[n] : 0;
        C2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ rows_work,
    int M1_dim, int* __restrict__ C2_crd, float* __restrict__ C_vals) {
    __shared__ int w_crd_shared[4352];
    __shared__ float w_vals_shared[4352];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = thread_x * 17;
    for (int i = team; i < M1_dim; i += 524288) {
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
                w_crd_shared[at] = 2147483647;
            }
            const int pM2_begin = M2_pos[i];
            const int pM2_end = M2_pos[i + 1];
            if (0 < pM2_end - pM2_begin) {
                for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    const float A_val = A_vals[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = w_begin + placeOf(k, w_size);
                            int held = w_crd_shared[at];
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd_shared[at];
                            }
                            const float value = M_vals[pM2] * A_val * B_vals[pB];
                            if (held == 2147483647) {
                                w_crd_shared[at] = k;
                                ++w_len;
                                w_vals_shared[at] = value;
                            } else {
                                w_vals_shared[at] += value;
                            }
                        }
                    }
                }
            }
            int to = w_begin;
            for (int at = w_begin; at < w_end; ++at) {
                if (w_crd_shared[at] != 2147483647) {
                    w_crd_shared[to] = w_crd_shared[at];
                    w_vals_shared[to] = w_vals_shared[at];
                    ++to;
                }
            }
            const int w_filled = w_begin + w_len;
            int gap = w_len / 2 - w_len / 22;
            while (0 < gap) {
                for (int from = w_begin + gap; from < w_filled; ++from) {
                    const int key = w_crd_shared[from];
                    const float value = w_vals_shared[from];
                    int to_2 = from;
                    while (w_begin + gap <= to_2 && key < w_crd_shared[to_2 - gap]) {
                        w_crd_shared[to_2] = w_crd_shared[to_2 - gap];
                        w_vals_shared[to_2] = w_vals_shared[to_2 - gap];
                        to_2 -= gap;
                    }
                    w_crd_shared[to_2] = key;
                    w_vals_shared[to_2] = value;
                }
                gap = gap / 2 - gap / 22;
            }
            for (int pw = w_begin; pw < w_filled; ++pw) {
                const int k = w_crd_shared[pw];
                C2_crd[pC2] = k;
                C_vals[pC2] = w_vals_shared[pw];
                ++pC2;
            }
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill_group8(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_group8s, const int* __restrict__ rows_many, int* C2_crd, float* C_vals) {
    __shared__ int w_crd_shared[2304];
    __shared__ float w_vals_shared[2304];
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
        for (int pA = A2_pos[row], pA_end = A2_pos[row + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            const int pB2_begin = B2_pos[j];
            const float A_val = A_vals[pA];
            for (int pB = pB2_begin + lane, pB_end = B2_pos[j + 1]; pB < pB_end; pB += 8) {
                const int k = B2_crd[pB];
                const int pM2_begin = M2_pos[row];
                const int pM2_end = M2_pos[row + 1];
                const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                if (pM2 < pM2_end && M2_crd[pM2] == k) {
                    int at = w_begin + placeOf(k, w_size);
                    int held = claimPlace(&w_crd_shared[at], k);
                    while (held != 2147483647 && held != k) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = claimPlace(&w_crd_shared[at], k);
                    }
                    const float value = M_vals[pM2] * A_val * B_vals[pB];
                    if (held == 2147483647) {
                        w_vals_shared[at] = value;
                    } else {
                        w_vals_shared[at] += value;
                    }
                }
            }
            syncGroup<8>();
        }
        int to = w_begin;
        for (int tile = w_begin; tile < w_end; tile += 8) {
            const int at = tile + lane;
            const int key = at < w_end ? w_crd_shared[at] : 2147483647;
            const float value = key != 2147483647 ? w_vals_shared[at] : 0.0f;
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
                        const float value = w_vals_shared[w_begin + low];
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
            const int k = w_crd_shared[pw];
            C2_crd[pC2 + (pw - w_begin)] = k;
            C_vals[pC2 + (pw - w_begin)] = w_vals_shared[pw];
        }
    }
}

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill_warp(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places,
    const int* __restrict__ rows_of_warps, const int* __restrict__ rows_many, int* C2_crd, float* C_vals) {
    __shared__ int w_crd_shared[2048];
    __shared__ float w_vals_shared[2048];
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
            w_vals_shared[at] = 0.0f;
        }
        const int pA2_end = A2_pos[row + 1];
        for (int tile = A2_pos[row]; tile < pA2_end; tile += 32) {
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
                float combined = 0.0f;
                if (pB < row_ends[slot]) {
                    const int k = B2_crd[pB];
                    const int pM2_begin = M2_pos[row];
                    const int pM2_end = M2_pos[row + 1];
                    const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                    if (pM2 < pM2_end && M2_crd[pM2] == k) {
                        int at = w_begin + placeOf(k, w_size);
                        int held = claimPlace(&w_crd_shared[at], k);
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = claimPlace(&w_crd_shared[at], k);
                        }
                        claimed = at;
                        combined = M_vals[pM2] * A_vals[pA_2] * B_vals[pB];
                    }
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
            const float value = key != 2147483647 ? w_vals_shared[at] : 0.0f;
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
                        const float value = w_vals_shared[w_begin + low];
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ rows_work,
    const int* __restrict__ rows_of_blocks, const int* __restrict__ rows_many,
    const int* __restrict__ pieces_crd, const float* __restrict__ pieces_vals, int* C2_crd, float* C_vals) {
    __shared__ int w_crd_shared[4096];
    __shared__ float w_vals_shared[4096];
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
        // parallelize(i, GPUBlock, NoRaces)
        const int pC2 = C2_pos[row];
        const int w_reserved = w_places[row];
        const int w_elements = C2_pos[row + 1] - C2_pos[row];
        int places = 0 < w_elements ? 4 : 0;
        while (places < w_reserved && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        const int w_size = places;
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        for (int at = thread_x; at < w_size; at += 256) {
            w_crd_shared[at] = 2147483647;
            w_vals_shared[at] = 0.0f;
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
                    float combined = 0.0f;
                    if (at < row_ends[slot]) {
                        const int key = pieces_crd[at];
                        if (key != 2147483647) {
                            int at_2 = placeOf(key, w_size);
                            int held = claimPlace(&w_crd_shared[at_2], key);
                            while (held != 2147483647 && held != key) {
                                at_2 = at_2 + 1 == w_size ? 0 : at_2 + 1;
                                held = claimPlace(&w_crd_shared[at_2], key);
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
                                    w_vals_shared[claimed] += combined;
                                }
                                __syncwarp();
                            }
                        }
                    }
                    __syncthreads();
                }
            }
        } else {
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = placeOf(k, w_size);
                            int held = claimPlace(&w_crd_shared[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_size ? 0 : at + 1;
                                held = claimPlace(&w_crd_shared[at], k);
                            }
                            claimed = at;
                            combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill_large_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ rows_work,
    const int* __restrict__ rows_of_large_blocks, const int* __restrict__ rows_many,
    const int* __restrict__ pieces_crd, const float* __restrict__ pieces_vals, int M2_dim, int* C2_crd,
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
    const int rows = max(rows_many[3], 1);
    const int most_pieces = 2048 / rows;
    const int pieces_room = 4194304 / rows;
    const int w_begin = block_x * 8192;
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
        const int pA2_begin = A2_pos[row];
        const int pA2_end = A2_pos[row + 1];
        int table_places = 1;
        int pieces = 1;
        if (4 <= most_pieces) {
            table_places = max(w_places[row], 1);
            const int work = rows_work[row];
            const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
            pieces = 1;
            while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                pieces += pieces;
            }
            pieces = min(pieces, most);
        }
        for (int at = w_begin + thread_x; at < w_end; at += 256) {
            w_crd[at] = 2147483647;
            w_vals[at] = 0.0f;
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
                    float combined = 0.0f;
                    if (at < row_ends[slot]) {
                        const int key = pieces_crd[at];
                        if (key != 2147483647) {
                            int at_2 = w_begin + placeOf(key, w_size);
                            int held = claimPlace(&w_crd[at_2], key);
                            while (held != 2147483647 && held != key) {
                                at_2 = at_2 + 1 == w_end ? w_begin : at_2 + 1;
                                held = claimPlace(&w_crd[at_2], key);
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
                                    w_vals[claimed] += combined;
                                }
                                __syncwarp();
                            }
                        }
                    }
                    __syncthreads();
                }
            }
        } else {
            for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                        const int pM2_begin = M2_pos[row];
                        const int pM2_end = M2_pos[row + 1];
                        const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                        if (pM2 < pM2_end && M2_crd[pM2] == k) {
                            int at = w_begin + placeOf(k, w_size);
                            int held = claimPlace(&w_crd[at], k);
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = claimPlace(&w_crd[at], k);
                            }
                            claimed = at;
                            combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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
        const int words = (M2_dim + 30) / 31;
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

// C[i, k] = M[i, k] * A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) masked_fill_largest_block(
    const int* __restrict__ M2_pos, const int* __restrict__ M2_crd, const float* __restrict__ M_vals,
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    const int* __restrict__ rows_work, const int* __restrict__ rows_of_largest_blocks,
    const int* __restrict__ rows_many, const int* __restrict__ pieces_crd,
    const float* __restrict__ pieces_vals, int M2_dim, int* C2_crd, float* C_vals, int* w_crd,
    float* w_vals, int* w_marks, int* w_marks_before, int* w_sorted_crd, float* w_sorted_vals) {
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
            const int pA2_begin = A2_pos[row];
            const int pA2_end = A2_pos[row + 1];
            int table_places = 1;
            int pieces = 1;
            if (4 <= most_pieces) {
                table_places = max(w_places[row], 1);
                const int work = rows_work[row];
                const int most = min(min(min(most_pieces, work / 2048), pieces_room / table_places), pA2_end - pA2_begin);
                pieces = 1;
                while (pieces + pieces <= work / table_places / (pieces + pieces)) {
                    pieces += pieces;
                }
                pieces = min(pieces, most);
            }
            for (int at = w_begin + thread_x; at < w_end; at += 256) {
                w_crd[at] = 2147483647;
                w_vals[at] = 0.0f;
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
                        float combined = 0.0f;
                        if (at < row_ends[slot]) {
                            const int key = pieces_crd[at];
                            if (key != 2147483647) {
                                int at_2 = w_begin + placeOf(key, w_size);
                                int held = claimPlace(&w_crd[at_2], key);
                                while (held != 2147483647 && held != key) {
                                    at_2 = at_2 + 1 == w_end ? w_begin : at_2 + 1;
                                    held = claimPlace(&w_crd[at_2], key);
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
                                        w_vals[claimed] += combined;
                                    }
                                    __syncwarp();
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
            } else {
                for (int tile = pA2_begin; tile < pA2_end; tile += 32) {
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
                            const int pM2_begin = M2_pos[row];
                            const int pM2_end = M2_pos[row + 1];
                            const int pM2 = lowerBound(M2_crd, pM2_begin, pM2_end, k);
                            if (pM2 < pM2_end && M2_crd[pM2] == k) {
                                int at = w_begin + placeOf(k, w_size);
                                int held = claimPlace(&w_crd[at], k);
                                while (held != 2147483647 && held != k) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = claimPlace(&w_crd[at], k);
                                }
                                claimed = at;
                                combined = M_vals[pM2] * A_vals[pA] * B_vals[pB];
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
            const int words = (M2_dim + 30) / 31;
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
            rank = teams < end - rank ? rank + teams : end;
        }
    }
}
