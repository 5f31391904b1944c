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

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_count(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ C1_pos, const int* __restrict__ C1_crd,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, int* __restrict__ A1_begins,
    int* __restrict__ A2_begins, int* __restrict__ rows_of_warps, int* __restrict__ rows_of_blocks,
    int* __restrict__ rows_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int entry = block_x * 256 + thread_x;
    const int pB1_end = B1_pos[1];
    const int pC1_end = C1_pos[1];
    const int entries = pB1_end + pC1_end;
    if (entry < entries) {
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        if (entry == (pB1 < pB1_end && B1_crd[pB1] == i ? pB1 : pB1_end + pC1)) {
            const int row = pB1 + pC1;
            int A1_count = 0;
            int A2_count = 0;
            const int A2_begin = A2_count;
            if (pB1 < pB1_end && B1_crd[pB1] == i) {
                if (pC1 < pC1_end && C1_crd[pC1] == i) {
                    const int pB2_begin = B2_pos[pB1];
                    const int pB2_end = B2_pos[pB1 + 1];
                    const int pC2_begin = C2_pos[pC1];
                    const int pC2_end = C2_pos[pC1 + 1];
                    const int entries_2 = addCounts(pB2_end - pB2_begin, pC2_end - pC2_begin);
                    if (512 <= entries_2) {
                        const int at = atomicAdd(&rows_many[1], 1);
                        rows_of_blocks[at] = entry;
                    } else if (32 <= entries_2) {
                        const int at = atomicAdd(&rows_many[0], 1);
                        rows_of_warps[at] = entry;
                    } else {
                        int pB = pB2_begin;
                        int pC = pC2_begin;
                        while (pB < pB2_end && pC < pC2_end) {
                            const int jB = B2_crd[pB];
                            const int jC = C2_crd[pC];
                            A2_count = addCounts(A2_count, 1);
                            if (jB == jC) {
                                ++pB;
                                ++pC;
                            } else if (jB < jC) {
                                ++pB;
                            } else {
                                ++pC;
                            }
                        }
                        A2_count = addCounts(A2_count, pB2_end - pB);
                        A2_count = addCounts(A2_count, pC2_end - pC);
                    }
                } else {
                    const int pB2_begin = B2_pos[pB1];
                    const int pB2_end = B2_pos[pB1 + 1];
                    const int entries_2 = pB2_end - pB2_begin;
                    if (512 <= entries_2) {
                        const int at = atomicAdd(&rows_many[1], 1);
                        rows_of_blocks[at] = entry;
                    } else if (32 <= entries_2) {
                        const int at = atomicAdd(&rows_many[0], 1);
                        rows_of_warps[at] = entry;
                    } else {
                        A2_count = addCounts(A2_count, pB2_end - pB2_begin);
                    }
                }
            } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                const int entries_2 = pC2_end - pC2_begin;
                if (512 <= entries_2) {
                    const int at = atomicAdd(&rows_many[1], 1);
                    rows_of_blocks[at] = entry;
                } else if (32 <= entries_2) {
                    const int at = atomicAdd(&rows_many[0], 1);
                    rows_of_warps[at] = entry;
                } else {
                    A2_count = addCounts(A2_count, pC2_end - pC2_begin);
                }
            }
            if (A2_begin < A2_count) {
                ++A1_count;
            }
            A1_begins[row] = A1_count;
            A2_begins[row] = A2_count;
        }
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_count_warp(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ C1_pos, const int* __restrict__ C1_crd,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, const int* rows_of_warps,
    const int* rows_many, int* A1_begins, int* A2_begins, int* before_of_warps) {
    __shared__ int B_sampled[256];
    __shared__ int C_sampled[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 16384) {
        const int entry = rows_of_warps[rank];
        const int pB1_end = B1_pos[1];
        const int pC1_end = C1_pos[1];
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        const int row = pB1 + pC1;
        int A1_count = 0;
        int A2_count = 0;
        const int A2_begin = A2_count;
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                // every `step`-th entry of each operand is a sample: 32 of all at most
                const int B_entries = pB2_end - pB2_begin;
                const int C_entries = pC2_end - pC2_begin;
                const int step = (B_entries + 29) / 30 + (C_entries + 29) / 30;
                const int B_samples = (B_entries + step - 1) / step;
                const int C_samples = (C_entries + step - 1) / step;
                const int samples = B_samples + C_samples;
                if (lane < samples) {
                    const int j = lane < B_samples ? B2_crd[pB2_begin + (long long)lane * step] : C2_crd[pC2_begin + (long long)(lane - B_samples) * step];
                    const int pB = lowerBound(B2_crd, pB2_begin, pB2_end, j);
                    const int pC = lowerBound(C2_crd, pC2_begin, pC2_end, j);
                    // how many samples lie before this one
                    const int at = thread_x / 32 * 32 + (pB - pB2_begin + (B_samples <= lane && pB < pB2_end && B2_crd[pB] == j ? 1 : 0) + step - 1) / step + (pC - pC2_begin + step - 1) / step;
                    B_sampled[at] = pB;
                    C_sampled[at] = pC;
                }
                __syncwarp();
                // a lane's part: from one sample, in their order, to the next
                const int pB_begin = lane < samples ? B_sampled[thread_x] : pB2_end;
                const int pB_end = lane + 1 < samples ? B_sampled[thread_x + 1] : pB2_end;
                const int pC_begin = lane < samples ? C_sampled[thread_x] : pC2_end;
                const int pC_end = lane + 1 < samples ? C_sampled[thread_x + 1] : pC2_end;
                int pB = pB_begin;
                int pC = pC_begin;
                while (pB < pB_end && pC < pC_end) {
                    const int jB = B2_crd[pB];
                    const int jC = C2_crd[pC];
                    A2_count = addCounts(A2_count, 1);
                    if (jB == jC) {
                        ++pB;
                        ++pC;
                    } else if (jB < jC) {
                        ++pB;
                    } else {
                        ++pC;
                    }
                }
                A2_count = addCounts(A2_count, pB_end - pB);
                A2_count = addCounts(A2_count, pC_end - pC);
                int all;
                const int before = sumBefore<32, OwnGroup>(A2_count, all);
                __syncwarp();
                before_of_warps[rank * 32 + lane] = before;
                A2_count = all;
            } else {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int B_entries = pB2_end - pB2_begin;
                const int step = (B_entries + 31) / 32;
                const int pB_begin = pB2_begin + (int)min((long long)lane * step, (long long)B_entries);
                const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
                A2_count = addCounts(A2_count, pB_end - pB_begin);
                int all;
                const int before = sumBefore<32, OwnGroup>(A2_count, all);
                before_of_warps[rank * 32 + lane] = before;
                A2_count = all;
            }
        } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pC2_begin = C2_pos[pC1];
            const int pC2_end = C2_pos[pC1 + 1];
            const int C_entries = pC2_end - pC2_begin;
            const int step = (C_entries + 31) / 32;
            const int pC_begin = pC2_begin + (int)min((long long)lane * step, (long long)C_entries);
            const int pC_end = pC_begin + min(step, pC2_end - pC_begin);
            A2_count = addCounts(A2_count, pC_end - pC_begin);
            int all;
            const int before = sumBefore<32, OwnGroup>(A2_count, all);
            before_of_warps[rank * 32 + lane] = before;
            A2_count = all;
        }
        if (A2_begin < A2_count) {
            ++A1_count;
        }
        if (lane == 0) {
            A1_begins[row] = A1_count;
            A2_begins[row] = A2_count;
        }
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_count_block(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ C1_pos, const int* __restrict__ C1_crd,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, const int* rows_of_blocks,
    const int* rows_many, int* A1_begins, int* A2_begins, int* before_of_blocks) {
    __shared__ int B_sampled[256];
    __shared__ int C_sampled[256];
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = block_x, rank_end = rows_many[1]; rank < rank_end; rank += 2048) {
        const int entry = rows_of_blocks[rank];
        const int pB1_end = B1_pos[1];
        const int pC1_end = C1_pos[1];
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        const int row = pB1 + pC1;
        int A1_count = 0;
        int A2_count = 0;
        const int A2_begin = A2_count;
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                // every `step`-th entry of each operand is a sample: 256 of all at most
                const int B_entries = pB2_end - pB2_begin;
                const int C_entries = pC2_end - pC2_begin;
                const int step = (B_entries + 253) / 254 + (C_entries + 253) / 254;
                const int B_samples = (B_entries + step - 1) / step;
                const int C_samples = (C_entries + step - 1) / step;
                const int samples = B_samples + C_samples;
                if (thread_x < samples) {
                    const int j = thread_x < B_samples ? B2_crd[pB2_begin + (long long)thread_x * step] : C2_crd[pC2_begin + (long long)(thread_x - B_samples) * step];
                    const int pB = lowerBound(B2_crd, pB2_begin, pB2_end, j);
                    const int pC = lowerBound(C2_crd, pC2_begin, pC2_end, j);
                    // how many samples lie before this one
                    const int at = (pB - pB2_begin + (B_samples <= thread_x && pB < pB2_end && B2_crd[pB] == j ? 1 : 0) + step - 1) / step + (pC - pC2_begin + step - 1) / step;
                    B_sampled[at] = pB;
                    C_sampled[at] = pC;
                }
                __syncthreads();
                // a lane's part: from one sample, in their order, to the next
                const int pB_begin = thread_x < samples ? B_sampled[thread_x] : pB2_end;
                const int pB_end = thread_x + 1 < samples ? B_sampled[thread_x + 1] : pB2_end;
                const int pC_begin = thread_x < samples ? C_sampled[thread_x] : pC2_end;
                const int pC_end = thread_x + 1 < samples ? C_sampled[thread_x + 1] : pC2_end;
                int pB = pB_begin;
                int pC = pC_begin;
                while (pB < pB_end && pC < pC_end) {
                    const int jB = B2_crd[pB];
                    const int jC = C2_crd[pC];
                    A2_count = addCounts(A2_count, 1);
                    if (jB == jC) {
                        ++pB;
                        ++pC;
                    } else if (jB < jC) {
                        ++pB;
                    } else {
                        ++pC;
                    }
                }
                A2_count = addCounts(A2_count, pB_end - pB);
                A2_count = addCounts(A2_count, pC_end - pC);
                int all;
                const int before = sumBeforeInBlock<256>(A2_count, partial, all);
                before_of_blocks[rank * 256 + thread_x] = before;
                A2_count = all;
            } else {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int B_entries = pB2_end - pB2_begin;
                const int step = (B_entries + 255) / 256;
                const int pB_begin = pB2_begin + (int)min((long long)thread_x * step, (long long)B_entries);
                const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
                A2_count = addCounts(A2_count, pB_end - pB_begin);
                __syncthreads();
                int all;
                const int before = sumBeforeInBlock<256>(A2_count, partial, all);
                before_of_blocks[rank * 256 + thread_x] = before;
                A2_count = all;
            }
        } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pC2_begin = C2_pos[pC1];
            const int pC2_end = C2_pos[pC1 + 1];
            const int C_entries = pC2_end - pC2_begin;
            const int step = (C_entries + 255) / 256;
            const int pC_begin = pC2_begin + (int)min((long long)thread_x * step, (long long)C_entries);
            const int pC_end = pC_begin + min(step, pC2_end - pC_begin);
            A2_count = addCounts(A2_count, pC_end - pC_begin);
            __syncthreads();
            int all;
            const int before = sumBeforeInBlock<256>(A2_count, partial, all);
            before_of_blocks[rank * 256 + thread_x] = before;
            A2_count = all;
        }
        if (A2_begin < A2_count) {
            ++A1_count;
        }
        if (thread_x == 0) {
            A1_begins[row] = A1_count;
            A2_begins[row] = A2_count;
        }
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sums1(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, const int* A1_begins, int* A1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A1_sums[block_x] = all;
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sum_tiles1(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, int* A1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_pos[1] + C1_pos[1] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_pos[1] + C1_pos[1] + 2048) / 2048 ? A1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_pos[1] + C1_pos[1] + 2048) / 2048) {
            A1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_begins1(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, const int* A1_sums, int* A1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1] + 1); n < n_end; ++n) {
        const int count = n < B1_pos[1] + C1_pos[1] ? A1_begins[n] : 0;
        A1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sums2(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, const int* A2_begins, int* A2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A2_sums[block_x] = all;
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sum_tiles2(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, int* A2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_pos[1] + C1_pos[1] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_pos[1] + C1_pos[1] + 2048) / 2048 ? A2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_pos[1] + C1_pos[1] + 2048) / 2048) {
            A2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_begins2(
    const int* __restrict__ B1_pos, const int* __restrict__ C1_pos, const int* A2_sums, int* A2_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + C1_pos[1] + 1); n < n_end; ++n) {
        const int count = n < B1_pos[1] + C1_pos[1] ? A2_begins[n] : 0;
        A2_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_fill(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const double* __restrict__ B_vals, const int* __restrict__ C1_pos,
    const int* __restrict__ C1_crd, const int* __restrict__ C2_pos, const int* __restrict__ C2_crd,
    const double* __restrict__ C_vals, const int* __restrict__ A1_begins,
    const int* __restrict__ A2_begins, int* __restrict__ A1_pos, int* __restrict__ A1_crd,
    int* __restrict__ A2_pos, int* __restrict__ A2_crd, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    if (block_x * 256 + thread_x == 0) {
        A1_pos[1] = A1_begins[B1_pos[1] + C1_pos[1]];
    }
    const int entry = block_x * 256 + thread_x;
    const int pB1_end = B1_pos[1];
    const int pC1_end = C1_pos[1];
    const int entries = pB1_end + pC1_end;
    if (entry < entries) {
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        if (entry == (pB1 < pB1_end && B1_crd[pB1] == i ? pB1 : pB1_end + pC1)) {
            const int row = pB1 + pC1;
            int pA1 = A1_begins[row];
            int pA2 = A2_begins[row];
            const int A2_begin = pA2;
            if (pB1 < pB1_end && B1_crd[pB1] == i) {
                if (pC1 < pC1_end && C1_crd[pC1] == i) {
                    const int pB2_begin = B2_pos[pB1];
                    const int pB2_end = B2_pos[pB1 + 1];
                    const int pC2_begin = C2_pos[pC1];
                    const int pC2_end = C2_pos[pC1 + 1];
                    const int entries_2 = addCounts(pB2_end - pB2_begin, pC2_end - pC2_begin);
                    if (entries_2 < 32) {
                        int pB = pB2_begin;
                        int pC = pC2_begin;
                        while (pB < pB2_end && pC < pC2_end) {
                            const int jB = B2_crd[pB];
                            const int jC = C2_crd[pC];
                            if (jB == jC) {
                                A2_crd[pA2] = jB;
                                A_vals[pA2] = B_vals[pB] + C_vals[pC];
                                ++pB;
                                ++pC;
                            } else if (jB < jC) {
                                A2_crd[pA2] = jB;
                                A_vals[pA2] = B_vals[pB];
                                ++pB;
                            } else {
                                A2_crd[pA2] = jC;
                                A_vals[pA2] = C_vals[pC];
                                ++pC;
                            }
                            ++pA2;
                        }
                        for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
                            const int j = B2_crd[pB_2];
                            A2_crd[pA2] = j;
                            A_vals[pA2] = B_vals[pB_2];
                            ++pA2;
                        }
                        for (int pC_2 = pC; pC_2 < pC2_end; ++pC_2) {
                            const int j = C2_crd[pC_2];
                            A2_crd[pA2] = j;
                            A_vals[pA2] = C_vals[pC_2];
                            ++pA2;
                        }
                    }
                } else {
                    const int pB2_begin = B2_pos[pB1];
                    const int pB2_end = B2_pos[pB1 + 1];
                    const int entries_2 = pB2_end - pB2_begin;
                    if (entries_2 < 32) {
                        for (int pB = pB2_begin; pB < pB2_end; ++pB) {
                            const int j = B2_crd[pB];
                            A2_crd[pA2] = j;
                            A_vals[pA2] = B_vals[pB];
                            ++pA2;
                        }
                    }
                }
            } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                const int entries_2 = pC2_end - pC2_begin;
                if (entries_2 < 32) {
                    for (int pC = pC2_begin; pC < pC2_end; ++pC) {
                        const int j = C2_crd[pC];
                        A2_crd[pA2] = j;
                        A_vals[pA2] = C_vals[pC];
                        ++pA2;
                    }
                }
            }
            if (A2_begin < pA2) {
                A1_crd[pA1] = i;
                A2_pos[pA1 + 1] = pA2;
                ++pA1;
            }
        }
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_fill_warp(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const double* __restrict__ B_vals, const int* __restrict__ C1_pos,
    const int* __restrict__ C1_crd, const int* __restrict__ C2_pos, const int* __restrict__ C2_crd,
    const double* __restrict__ C_vals, const int* __restrict__ A1_begins,
    const int* __restrict__ A2_begins, const int* __restrict__ rows_of_warps,
    const int* __restrict__ rows_many, const int* __restrict__ before_of_warps, int* A1_crd, int* A2_pos,
    int* A2_crd, double* A_vals) {
    __shared__ int B_sampled[256];
    __shared__ int C_sampled[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int lane = thread_x % 32;
    const int team = block_x * 8 + thread_x / 32;
    waitForLaunch();
    allowNextLaunch();
    for (int rank = team, rank_end = rows_many[0]; rank < rank_end; rank += 16384) {
        const int entry = rows_of_warps[rank];
        const int pB1_end = B1_pos[1];
        const int pC1_end = C1_pos[1];
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        const int row = pB1 + pC1;
        int pA1 = A1_begins[row];
        int pA2 = A2_begins[row];
        const int A2_begin = pA2;
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                // every `step`-th entry of each operand is a sample: 32 of all at most
                const int B_entries = pB2_end - pB2_begin;
                const int C_entries = pC2_end - pC2_begin;
                const int step = (B_entries + 29) / 30 + (C_entries + 29) / 30;
                const int B_samples = (B_entries + step - 1) / step;
                const int C_samples = (C_entries + step - 1) / step;
                const int samples = B_samples + C_samples;
                if (lane < samples) {
                    const int j = lane < B_samples ? B2_crd[pB2_begin + (long long)lane * step] : C2_crd[pC2_begin + (long long)(lane - B_samples) * step];
                    const int pB = lowerBound(B2_crd, pB2_begin, pB2_end, j);
                    const int pC = lowerBound(C2_crd, pC2_begin, pC2_end, j);
                    // how many samples lie before this one
                    const int at = thread_x / 32 * 32 + (pB - pB2_begin + (B_samples <= lane && pB < pB2_end && B2_crd[pB] == j ? 1 : 0) + step - 1) / step + (pC - pC2_begin + step - 1) / step;
                    B_sampled[at] = pB;
                    C_sampled[at] = pC;
                }
                __syncwarp();
                // a lane's part: from one sample, in their order, to the next
                const int pB_begin = lane < samples ? B_sampled[thread_x] : pB2_end;
                const int pB_end = lane + 1 < samples ? B_sampled[thread_x + 1] : pB2_end;
                const int pC_begin = lane < samples ? C_sampled[thread_x] : pC2_end;
                const int pC_end = lane + 1 < samples ? C_sampled[thread_x + 1] : pC2_end;
                __syncwarp();
                pA2 += before_of_warps[rank * 32 + lane];
                int pB = pB_begin;
                int pC = pC_begin;
                while (pB < pB_end && pC < pC_end) {
                    const int jB = B2_crd[pB];
                    const int jC = C2_crd[pC];
                    if (jB == jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB] + C_vals[pC];
                        ++pB;
                        ++pC;
                    } else if (jB < jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB];
                        ++pB;
                    } else {
                        A2_crd[pA2] = jC;
                        A_vals[pA2] = C_vals[pC];
                        ++pC;
                    }
                    ++pA2;
                }
                for (int pB_2 = pB; pB_2 < pB_end; ++pB_2) {
                    const int j = B2_crd[pB_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB_2];
                    ++pA2;
                }
                for (int pC_2 = pC; pC_2 < pC_end; ++pC_2) {
                    const int j = C2_crd[pC_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = C_vals[pC_2];
                    ++pA2;
                }
                pA2 = A2_begins[row + 1];
            } else {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int B_entries = pB2_end - pB2_begin;
                const int step = (B_entries + 31) / 32;
                const int pB_begin = pB2_begin + (int)min((long long)lane * step, (long long)B_entries);
                const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
                pA2 += before_of_warps[rank * 32 + lane];
                for (int pB = pB_begin; pB < pB_end; ++pB) {
                    const int j = B2_crd[pB];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB];
                    ++pA2;
                }
                pA2 = A2_begins[row + 1];
            }
        } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pC2_begin = C2_pos[pC1];
            const int pC2_end = C2_pos[pC1 + 1];
            const int C_entries = pC2_end - pC2_begin;
            const int step = (C_entries + 31) / 32;
            const int pC_begin = pC2_begin + (int)min((long long)lane * step, (long long)C_entries);
            const int pC_end = pC_begin + min(step, pC2_end - pC_begin);
            pA2 += before_of_warps[rank * 32 + lane];
            for (int pC = pC_begin; pC < pC_end; ++pC) {
                const int j = C2_crd[pC];
                A2_crd[pA2] = j;
                A_vals[pA2] = C_vals[pC];
                ++pA2;
            }
            pA2 = A2_begins[row + 1];
        }
        if (A2_begin < pA2) {
            if (lane == 0) {
                A1_crd[pA1] = i;
                A2_pos[pA1 + 1] = pA2;
            }
            ++pA1;
        }
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_fill_block(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const double* __restrict__ B_vals, const int* __restrict__ C1_pos,
    const int* __restrict__ C1_crd, const int* __restrict__ C2_pos, const int* __restrict__ C2_crd,
    const double* __restrict__ C_vals, const int* __restrict__ A1_begins,
    const int* __restrict__ A2_begins, const int* __restrict__ rows_of_blocks,
    const int* __restrict__ rows_many, const int* __restrict__ before_of_blocks, int* A1_crd, int* A2_pos,
    int* A2_crd, double* A_vals) {
    __shared__ int B_sampled[256];
    __shared__ int C_sampled[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    for (int rank = block_x, rank_end = rows_many[1]; rank < rank_end; rank += 2048) {
        const int entry = rows_of_blocks[rank];
        const int pB1_end = B1_pos[1];
        const int pC1_end = C1_pos[1];
        const int i = entry < pB1_end ? B1_crd[entry] : C1_crd[entry - pB1_end];
        const int pB1 = lowerBound(B1_crd, 0, pB1_end, i);
        const int pC1 = lowerBound(C1_crd, 0, pC1_end, i);
        const int row = pB1 + pC1;
        int pA1 = A1_begins[row];
        int pA2 = A2_begins[row];
        const int A2_begin = pA2;
        if (pB1 < pB1_end && B1_crd[pB1] == i) {
            if (pC1 < pC1_end && C1_crd[pC1] == i) {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int pC2_begin = C2_pos[pC1];
                const int pC2_end = C2_pos[pC1 + 1];
                // every `step`-th entry of each operand is a sample: 256 of all at most
                const int B_entries = pB2_end - pB2_begin;
                const int C_entries = pC2_end - pC2_begin;
                const int step = (B_entries + 253) / 254 + (C_entries + 253) / 254;
                const int B_samples = (B_entries + step - 1) / step;
                const int C_samples = (C_entries + step - 1) / step;
                const int samples = B_samples + C_samples;
                if (thread_x < samples) {
                    const int j = thread_x < B_samples ? B2_crd[pB2_begin + (long long)thread_x * step] : C2_crd[pC2_begin + (long long)(thread_x - B_samples) * step];
                    const int pB = lowerBound(B2_crd, pB2_begin, pB2_end, j);
                    const int pC = lowerBound(C2_crd, pC2_begin, pC2_end, j);
                    // how many samples lie before this one
                    const int at = (pB - pB2_begin + (B_samples <= thread_x && pB < pB2_end && B2_crd[pB] == j ? 1 : 0) + step - 1) / step + (pC - pC2_begin + step - 1) / step;
                    B_sampled[at] = pB;
                    C_sampled[at] = pC;
                }
                __syncthreads();
                // a lane's part: from one sample, in their order, to the next
                const int pB_begin = thread_x < samples ? B_sampled[thread_x] : pB2_end;
                const int pB_end = thread_x + 1 < samples ? B_sampled[thread_x + 1] : pB2_end;
                const int pC_begin = thread_x < samples ? C_sampled[thread_x] : pC2_end;
                const int pC_end = thread_x + 1 < samples ? C_sampled[thread_x + 1] : pC2_end;
                __syncthreads();
                pA2 += before_of_blocks[rank * 256 + thread_x];
                int pB = pB_begin;
                int pC = pC_begin;
                while (pB < pB_end && pC < pC_end) {
                    const int jB = B2_crd[pB];
                    const int jC = C2_crd[pC];
                    if (jB == jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB] + C_vals[pC];
                        ++pB;
                        ++pC;
                    } else if (jB < jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB];
                        ++pB;
                    } else {
                        A2_crd[pA2] = jC;
                        A_vals[pA2] = C_vals[pC];
                        ++pC;
                    }
                    ++pA2;
                }
                for (int pB_2 = pB; pB_2 < pB_end; ++pB_2) {
                    const int j = B2_crd[pB_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB_2];
                    ++pA2;
                }
                for (int pC_2 = pC; pC_2 < pC_end; ++pC_2) {
                    const int j = C2_crd[pC_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = C_vals[pC_2];
                    ++pA2;
                }
                pA2 = A2_begins[row + 1];
            } else {
                const int pB2_begin = B2_pos[pB1];
                const int pB2_end = B2_pos[pB1 + 1];
                const int B_entries = pB2_end - pB2_begin;
                const int step = (B_entries + 255) / 256;
                const int pB_begin = pB2_begin + (int)min((long long)thread_x * step, (long long)B_entries);
                const int pB_end = pB_begin + min(step, pB2_end - pB_begin);
                pA2 += before_of_blocks[rank * 256 + thread_x];
                for (int pB = pB_begin; pB < pB_end; ++pB) {
                    const int j = B2_crd[pB];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB];
                    ++pA2;
                }
                pA2 = A2_begins[row + 1];
            }
        } else if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pC2_begin = C2_pos[pC1];
            const int pC2_end = C2_pos[pC1 + 1];
            const int C_entries = pC2_end - pC2_begin;
            const int step = (C_entries + 255) / 256;
            const int pC_begin = pC2_begin + (int)min((long long)thread_x * step, (long long)C_entries);
            const int pC_end = pC_begin + min(step, pC2_end - pC_begin);
            pA2 += before_of_blocks[rank * 256 + thread_x];
            for (int pC = pC_begin; pC < pC_end; ++pC) {
                const int j = C2_crd[pC];
                A2_crd[pA2] = j;
                A_vals[pA2] = C_vals[pC];
                ++pA2;
            }
            pA2 = A2_begins[row + 1];
        }
        if (A2_begin < pA2) {
            if (thread_x == 0) {
                A1_crd[pA1] = i;
                A2_pos[pA1 + 1] = pA2;
            }
            ++pA1;
        }
    }
}
