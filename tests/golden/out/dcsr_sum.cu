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
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, int B1_dim,
    int* __restrict__ A1_begins, int* __restrict__ A2_begins) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int row = block_x * 256 + thread_x;
    int A1_count = 0;
    int A2_count = 0;
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    if (row < (B1_dim + 31) / 32) {
        const int window_begin = min(row * 32, B1_dim);
        const int window_end = min(window_begin + 32, B1_dim);
        const int pB1_begin = B1_pos[0];
        const int pB1_end = B1_pos[1];
        const int pC1_begin = C1_pos[0];
        const int pC1_end = C1_pos[1];
        const int pB_begin = lowerBound(B1_crd, pB1_begin, pB1_end, window_begin);
        const int pB_end = lowerBound(B1_crd, pB_begin, pB1_end, window_end);
        const int pC_begin = lowerBound(C1_crd, pC1_begin, pC1_end, window_begin);
        const int pC_end = lowerBound(C1_crd, pC_begin, pC1_end, window_end);
        int pB = pB_begin;
        int pC = pC_begin;
        while (pB < pB_end && pC < pC_end) {
            const int iB = B1_crd[pB];
            const int iC = C1_crd[pC];
            if (iB == iC) {
                const int A2_begin = A2_count;
                const int pB2_end = B2_pos[pB + 1];
                const int pC2_end = C2_pos[pC + 1];
                int pB_2 = B2_pos[pB];
                int pC_2 = C2_pos[pC];
                while (pB_2 < pB2_end && pC_2 < pC2_end) {
                    const int jB = B2_crd[pB_2];
                    const int jC = C2_crd[pC_2];
                    A2_count = addCounts(A2_count, 1);
                    if (jB == jC) {
                        ++pB_2;
                        ++pC_2;
                    } else if (jB < jC) {
                        ++pB_2;
                    } else {
                        ++pC_2;
                    }
                }
                A2_count = addCounts(A2_count, pB2_end - pB_2);
                A2_count = addCounts(A2_count, pC2_end - pC_2);
                if (A2_begin < A2_count) {
                    ++A1_count;
                }
                ++pB;
                ++pC;
            } else if (iB < iC) {
                const int A2_begin = A2_count;
                A2_count = addCounts(A2_count, B2_pos[pB + 1] - B2_pos[pB]);
                if (A2_begin < A2_count) {
                    ++A1_count;
                }
                ++pB;
            } else {
                const int A2_begin = A2_count;
                A2_count = addCounts(A2_count, C2_pos[pC + 1] - C2_pos[pC]);
                if (A2_begin < A2_count) {
                    ++A1_count;
                }
                ++pC;
            }
        }
        // split(i, part, window, 32)
        for (int pB_2 = pB; pB_2 < pB_end; ++pB_2) {
            const int A2_begin = A2_count;
            A2_count = addCounts(A2_count, B2_pos[pB_2 + 1] - B2_pos[pB_2]);
            if (A2_begin < A2_count) {
                ++A1_count;
            }
        }
        // split(i, part, window, 32)
        for (int pC_2 = pC; pC_2 < pC_end; ++pC_2) {
            const int A2_begin = A2_count;
            A2_count = addCounts(A2_count, C2_pos[pC_2 + 1] - C2_pos[pC_2]);
            if (A2_begin < A2_count) {
                ++A1_count;
            }
        }
    }
    A1_begins[row] = A1_count;
    A2_begins[row] = A2_count;
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sums1(
    const int* A1_begins, int B1_dim, int* A1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A1_sums[block_x] = all;
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sum_tiles1(
    int B1_dim, int* A1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048 ? A1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048) {
            A1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_begins1(
    const int* A1_sums, int B1_dim, int* A1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < ((B1_dim + 31) / 32 + 255) / 256 * 256 ? A1_begins[n] : 0;
        A1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sums2(
    const int* A2_begins, int B1_dim, int* A2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A2_sums[block_x] = all;
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_sum_tiles2(
    int B1_dim, int* A2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048 ? A2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (((B1_dim + 31) / 32 + 255) / 256 * 256 + 2048) / 2048) {
            A2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) dcsr_sum_begins2(
    const int* A2_sums, int B1_dim, int* A2_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, ((B1_dim + 31) / 32 + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < ((B1_dim + 31) / 32 + 255) / 256 * 256 ? A2_begins[n] : 0;
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
    const int* __restrict__ A2_begins, int B1_dim, int* __restrict__ A1_pos, int* __restrict__ A1_crd,
    int* __restrict__ A2_pos, int* __restrict__ A2_crd, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (block_x * 256 + thread_x == 0) {
        A1_pos[1] = A1_begins[((B1_dim + 31) / 32 + 255) / 256 * 256];
    }
    const int row = block_x * 256 + thread_x;
    int pA1 = A1_begins[row];
    int pA2 = A2_begins[row];
    // split(part, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(part, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    if (row < (B1_dim + 31) / 32) {
        const int window_begin = min(row * 32, B1_dim);
        const int window_end = min(window_begin + 32, B1_dim);
        const int pB1_begin = B1_pos[0];
        const int pB1_end = B1_pos[1];
        const int pC1_begin = C1_pos[0];
        const int pC1_end = C1_pos[1];
        const int pB_begin = lowerBound(B1_crd, pB1_begin, pB1_end, window_begin);
        const int pB_end = lowerBound(B1_crd, pB_begin, pB1_end, window_end);
        const int pC_begin = lowerBound(C1_crd, pC1_begin, pC1_end, window_begin);
        const int pC_end = lowerBound(C1_crd, pC_begin, pC1_end, window_end);
        int pB = pB_begin;
        int pC = pC_begin;
        while (pB < pB_end && pC < pC_end) {
            const int iB = B1_crd[pB];
            const int iC = C1_crd[pC];
            if (iB == iC) {
                const int A2_begin = pA2;
                const int pB2_end = B2_pos[pB + 1];
                const int pC2_end = C2_pos[pC + 1];
                int pB_2 = B2_pos[pB];
                int pC_2 = C2_pos[pC];
                while (pB_2 < pB2_end && pC_2 < pC2_end) {
                    const int jB = B2_crd[pB_2];
                    const int jC = C2_crd[pC_2];
                    if (jB == jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB_2] + C_vals[pC_2];
                        ++pB_2;
                        ++pC_2;
                    } else if (jB < jC) {
                        A2_crd[pA2] = jB;
                        A_vals[pA2] = B_vals[pB_2];
                        ++pB_2;
                    } else {
                        A2_crd[pA2] = jC;
                        A_vals[pA2] = C_vals[pC_2];
                        ++pC_2;
                    }
                    ++pA2;
                }
                for (int pB_3 = pB_2; pB_3 < pB2_end; ++pB_3) {
                    const int j = B2_crd[pB_3];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB_3];
                    ++pA2;
                }
                for (int pC_3 = pC_2; pC_3 < pC2_end; ++pC_3) {
                    const int j = C2_crd[pC_3];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = C_vals[pC_3];
                    ++pA2;
                }
                if (A2_begin < pA2) {
                    A1_crd[pA1] = iB;
                    A2_pos[pA1 + 1] = pA2;
                    ++pA1;
                }
                ++pB;
                ++pC;
            } else if (iB < iC) {
                const int A2_begin = pA2;
                for (int pB_2 = B2_pos[pB], pB_2_end = B2_pos[pB + 1]; pB_2 < pB_2_end; ++pB_2) {
                    const int j = B2_crd[pB_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = B_vals[pB_2];
                    ++pA2;
                }
                if (A2_begin < pA2) {
                    A1_crd[pA1] = iB;
                    A2_pos[pA1 + 1] = pA2;
                    ++pA1;
                }
                ++pB;
            } else {
                const int A2_begin = pA2;
                for (int pC_2 = C2_pos[pC], pC_2_end = C2_pos[pC + 1]; pC_2 < pC_2_end; ++pC_2) {
                    const int j = C2_crd[pC_2];
                    A2_crd[pA2] = j;
                    A_vals[pA2] = C_vals[pC_2];
                    ++pA2;
                }
                if (A2_begin < pA2) {
                    A1_crd[pA1] = iC;
                    A2_pos[pA1 + 1] = pA2;
                    ++pA1;
                }
                ++pC;
            }
        }
        // split(i, part, window, 32)
        for (int pB_2 = pB; pB_2 < pB_end; ++pB_2) {
            const int A2_begin = pA2;
            for (int pB_3 = B2_pos[pB_2], pB_3_end = B2_pos[pB_2 + 1]; pB_3 < pB_3_end; ++pB_3) {
                const int j = B2_crd[pB_3];
                A2_crd[pA2] = j;
                A_vals[pA2] = B_vals[pB_3];
                ++pA2;
            }
            const int i = B1_crd[pB_2];
            if (A2_begin < pA2) {
                A1_crd[pA1] = i;
                A2_pos[pA1 + 1] = pA2;
                ++pA1;
            }
        }
        // split(i, part, window, 32)
        for (int pC_2 = pC; pC_2 < pC_end; ++pC_2) {
            const int A2_begin = pA2;
            for (int pC_3 = C2_pos[pC_2], pC_3_end = C2_pos[pC_2 + 1]; pC_3 < pC_3_end; ++pC_3) {
                const int j = C2_crd[pC_3];
                A2_crd[pA2] = j;
                A_vals[pA2] = C_vals[pC_3];
                ++pA2;
            }
            const int i = C1_crd[pC_2];
            if (A2_begin < pA2) {
                A1_crd[pA1] = i;
                A2_pos[pA1 + 1] = pA2;
                ++pA1;
            }
        }
    }
}
