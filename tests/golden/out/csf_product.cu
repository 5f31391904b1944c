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

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_count(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const int* __restrict__ C1_pos, const int* __restrict__ C1_crd, const int* __restrict__ C2_pos,
    const int* __restrict__ C2_crd, const int* __restrict__ C3_pos, const int* __restrict__ C3_crd,
    int* __restrict__ A1_begins, int* __restrict__ A2_begins, int* __restrict__ A3_begins) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int entry = block_x * 256 + thread_x;
    const int pB1_end = B1_pos[1];
    if (entry < pB1_end) {
        const int i = B1_crd[entry];
        int A1_count = 0;
        int A2_count = 0;
        int A3_count = 0;
        const int A2_begin = A2_count;
        const int pC1_begin = C1_pos[0];
        const int pC1_end = C1_pos[1];
        const int pC1 = lowerBound(C1_crd, pC1_begin, pC1_end, i);
        if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pB2_end = B2_pos[entry + 1];
            const int pC2_end = C2_pos[pC1 + 1];
            int pB = B2_pos[entry];
            int pC = C2_pos[pC1];
            while (pB < pB2_end && pC < pC2_end) {
                const int jB = B2_crd[pB];
                const int jC = C2_crd[pC];
                if (jB == jC) {
                    const int A3_begin = A3_count;
                    const int pB3_end = B3_pos[pB + 1];
                    const int pC3_end = C3_pos[pC + 1];
                    int pB_2 = B3_pos[pB];
                    int pC_2 = C3_pos[pC];
                    while (pB_2 < pB3_end && pC_2 < pC3_end) {
                        const int kB = B3_crd[pB_2];
                        const int kC = C3_crd[pC_2];
                        if (kB == kC) {
                            A3_count = addCounts(A3_count, 1);
                            ++pB_2;
                            ++pC_2;
                        } else if (kB < kC) {
                            ++pB_2;
                        } else {
                            ++pC_2;
                        }
                    }
                    if (A3_begin < A3_count) {
                        A2_count = addCounts(A2_count, 1);
                    }
                    ++pB;
                    ++pC;
                } else if (jB < jC) {
                    ++pB;
                } else {
                    ++pC;
                }
            }
        }
        if (A2_begin < A2_count) {
            ++A1_count;
        }
        A1_begins[entry] = A1_count;
        A2_begins[entry] = A2_count;
        A3_begins[entry] = A3_count;
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sums1(
    const int* __restrict__ B1_pos, const int* A1_begins, int* A1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A1_sums[block_x] = all;
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sum_tiles1(
    const int* __restrict__ B1_pos, int* A1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_pos[1] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_pos[1] + 2048) / 2048 ? A1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_pos[1] + 2048) / 2048) {
            A1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_begins1(
    const int* __restrict__ B1_pos, const int* A1_sums, int* A1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + 1); n < n_end; ++n) {
        const int count = n < B1_pos[1] ? A1_begins[n] : 0;
        A1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sums2(
    const int* __restrict__ B1_pos, const int* A2_begins, int* A2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A2_sums[block_x] = all;
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sum_tiles2(
    const int* __restrict__ B1_pos, int* A2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_pos[1] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_pos[1] + 2048) / 2048 ? A2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_pos[1] + 2048) / 2048) {
            A2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_begins2(
    const int* __restrict__ B1_pos, const int* A2_sums, int* A2_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A2_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + 1); n < n_end; ++n) {
        const int count = n < B1_pos[1] ? A2_begins[n] : 0;
        A2_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sums3(
    const int* __restrict__ B1_pos, const int* A3_begins, int* A3_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A3_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        A3_sums[block_x] = all;
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_sum_tiles3(
    const int* __restrict__ B1_pos, int* A3_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_pos[1] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_pos[1] + 2048) / 2048 ? A3_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (B1_pos[1] + 2048) / 2048) {
            A3_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_begins3(
    const int* __restrict__ B1_pos, const int* A3_sums, int* A3_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1]); n < n_end; ++n) {
        sum = addCounts(sum, A3_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(A3_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_pos[1] + 1); n < n_end; ++n) {
        const int count = n < B1_pos[1] ? A3_begins[n] : 0;
        A3_begins[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j, k] = B[i, j, k] * C[i, j, k];
extern "C" __global__ void __launch_bounds__(256) csf_product_fill(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const int* __restrict__ C1_pos, const int* __restrict__ C1_crd,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, const int* __restrict__ C3_pos,
    const int* __restrict__ C3_crd, const double* __restrict__ C_vals, const int* __restrict__ A1_begins,
    const int* __restrict__ A2_begins, const int* __restrict__ A3_begins, int* __restrict__ A1_pos,
    int* __restrict__ A1_crd, int* __restrict__ A2_pos, int* __restrict__ A2_crd, int* __restrict__ A3_pos,
    int* __restrict__ A3_crd, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (block_x * 256 + thread_x == 0) {
        A1_pos[1] = A1_begins[B1_pos[1]];
    }
    const int entry = block_x * 256 + thread_x;
    const int pB1_end = B1_pos[1];
    if (entry < pB1_end) {
        const int i = B1_crd[entry];
        int pA1 = A1_begins[entry];
        int pA2 = A2_begins[entry];
        int pA3 = A3_begins[entry];
        const int A2_begin = pA2;
        const int pC1_begin = C1_pos[0];
        const int pC1_end = C1_pos[1];
        const int pC1 = lowerBound(C1_crd, pC1_begin, pC1_end, i);
        if (pC1 < pC1_end && C1_crd[pC1] == i) {
            const int pB2_end = B2_pos[entry + 1];
            const int pC2_end = C2_pos[pC1 + 1];
            int pB = B2_pos[entry];
            int pC = C2_pos[pC1];
            while (pB < pB2_end && pC < pC2_end) {
                const int jB = B2_crd[pB];
                const int jC = C2_crd[pC];
                if (jB == jC) {
                    const int A3_begin = pA3;
                    const int pB3_end = B3_pos[pB + 1];
                    const int pC3_end = C3_pos[pC + 1];
                    int pB_2 = B3_pos[pB];
                    int pC_2 = C3_pos[pC];
                    while (pB_2 < pB3_end && pC_2 < pC3_end) {
                        const int kB = B3_crd[pB_2];
                        const int kC = C3_crd[pC_2];
                        if (kB == kC) {
                            A3_crd[pA3] = kB;
                            A_vals[pA3] = B_vals[pB_2] * C_vals[pC_2];
                            ++pA3;
                            ++pB_2;
                            ++pC_2;
                        } else if (kB < kC) {
                            ++pB_2;
                        } else {
                            ++pC_2;
                        }
                    }
                    if (A3_begin < pA3) {
                        A2_crd[pA2] = jB;
                        A3_pos[pA2 + 1] = pA3;
                        ++pA2;
                    }
                    ++pB;
                    ++pC;
                } else if (jB < jC) {
                    ++pB;
                } else {
                    ++pC;
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
