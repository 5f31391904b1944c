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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_scatters(
    const int* __restrict__ A1_pos, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const int* __restrict__ B2_pos, int B2_dim, int A2_dim, int* __restrict__ w_places,
    int* __restrict__ w_largest) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int row = block_x * 256 + thread_x;
    int w_most = 0;
    const int pA1_end = A1_pos[1];
    // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    if (row < pA1_end) {
        int w_len = 0;
        for (int pA = A2_pos[row], pA_end = A2_pos[row + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            w_len = addCounts(w_len, B2_pos[j + 1] - B2_pos[j]);
        }
        w_most = max(w_most, w_len);
    }
    const int w_elements = min(w_most, min(B2_dim, B2_pos[A2_dim]));
    int places = 0 < w_elements ? 4 : 0;
    while (places < B2_dim && places - places / 4 < w_elements) {
        places = addCounts(places, places);
    }
    w_places[row] = places;
    if (64 <= places) {
        atomicMax(&w_largest[0], places);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_dcsr_count(
    const int* __restrict__ A1_pos, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const int* w_places,
    int* __restrict__ C1_begins, int* __restrict__ C2_begins, int* __restrict__ w_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 32;
    waitForLaunch();
    allowNextLaunch();
    for (int position = team, position_end = (A1_pos[1] + 255) / 256 * 256; position < position_end; position += 524288) {
        const int places = w_places[position];
        if (places < 64) {
            int C1_count = 0;
            int C2_count = 0;
            const int pA1_end = A1_pos[1];
            // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
            // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
            if (position < pA1_end) {
                const int C2_begin = C2_count;
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w_crd[at] = 2147483647;
                }
                for (int pA = A2_pos[position], pA_end = A2_pos[position + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, places);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = k;
                            ++w_len;
                        }
                    }
                }
                C2_count = addCounts(C2_count, w_len);
                if (C2_begin < C2_count) {
                    ++C1_count;
                }
            }
            C1_begins[position] = C1_count;
            C2_begins[position] = C2_count;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_dcsr_count_largest(
    const int* __restrict__ A1_pos, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const int* w_places,
    const int* w_largest, int* C1_begins, int* C2_begins, int* w_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int team = block_x * 256 + thread_x;
    waitForLaunch();
    allowNextLaunch();
    const int w_region = w_largest[0];
    const int teams = min(524288, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        const int end = (A1_pos[1] + 255) / 256 * 256;
        int position = team;
        while (position < end) {
            const int places = w_places[position];
            if (64 <= places) {
                int C1_count = 0;
                int C2_count = 0;
                const int pA1_end = A1_pos[1];
                // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
                // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
                if (position < pA1_end) {
                    const int C2_begin = C2_count;
                    const int w_end = w_begin + places;
                    int w_len = 0;
                    for (int at = w_begin; at < w_end; ++at) {
                        w_crd[at] = 2147483647;
                    }
                    for (int pA = A2_pos[position], pA_end = A2_pos[position + 1]; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                            const int k = B2_crd[pB];
                            int at = w_begin + placeOf(k, places);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            if (held == 2147483647) {
                                w_crd[at] = k;
                                ++w_len;
                            }
                        }
                    }
                    C2_count = addCounts(C2_count, w_len);
                    if (C2_begin < C2_count) {
                        ++C1_count;
                    }
                }
                C1_begins[position] = C1_count;
                C2_begins[position] = C2_count;
            }
            position = teams < end - position ? position + teams : end;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_sums1(
    const int* __restrict__ A1_pos, const int* C1_begins, int* C1_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, C1_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C1_sums[block_x] = all;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_sum_tiles1(
    const int* __restrict__ A1_pos, int* C1_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048 ? C1_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048) {
            C1_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_begins1(
    const int* __restrict__ A1_pos, const int* C1_sums, int* C1_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, C1_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C1_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < (A1_pos[1] + 255) / 256 * 256 ? C1_begins[n] : 0;
        C1_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_sums2(
    const int* __restrict__ A1_pos, const int* C2_begins, int* C2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, C2_begins[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        C2_sums[block_x] = all;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_sum_tiles2(
    const int* __restrict__ A1_pos, int* C2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048 ? C2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < ((A1_pos[1] + 255) / 256 * 256 + 2048) / 2048) {
            C2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_dcsr_begins2(
    const int* __restrict__ A1_pos, const int* C2_sums, int* C2_begins) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256); n < n_end; ++n) {
        sum = addCounts(sum, C2_begins[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(C2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, (A1_pos[1] + 255) / 256 * 256 + 1); n < n_end; ++n) {
        const int count = n < (A1_pos[1] + 255) / 256 * 256 ? C2_begins[n] : 0;
        C2_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_dcsr_fill(
    const int* __restrict__ A1_pos, const int* __restrict__ A1_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const float* __restrict__ A_vals, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const float* __restrict__ B_vals, const int* __restrict__ C1_begins,
    const int* __restrict__ C2_begins, const int* __restrict__ w_places, int* __restrict__ C1_pos,
    int* __restrict__ C1_crd, int* __restrict__ C2_pos, int* __restrict__ C2_crd,
    float* __restrict__ C_vals, int* __restrict__ w_crd, float* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 32;
    for (int position = team, position_end = (A1_pos[1] + 255) / 256 * 256; position < position_end; position += 524288) {
        if (position == 0) {
            C1_pos[1] = C1_begins[(A1_pos[1] + 255) / 256 * 256];
        }
        const int places = w_places[position];
        if (places < 64) {
            int pC1 = C1_begins[position];
            int pC2 = C2_begins[position];
            const int pA1_end = A1_pos[1];
            // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
            // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
            if (position < pA1_end) {
                const int C2_begin = pC2;
                const int w_elements = C2_begins[position + 1] - C2_begins[position];
                int places_2 = 0 < w_elements ? 4 : 0;
                while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                    places_2 = addCounts(places_2, places_2);
                }
                const int w_size = places_2;
                const int w_end = w_begin + w_size;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w_crd[at] = 2147483647;
                }
                for (int pA = A2_pos[position], pA_end = A2_pos[position + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    const float A_val = A_vals[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        int at = w_begin + placeOf(k, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        const float value = A_val * B_vals[pB];
                        if (held == 2147483647) {
                            w_crd[at] = k;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] += value;
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
                        const float value = w_vals[from];
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
                    const int k = w_crd[pw];
                    C2_crd[pC2] = k;
                    C_vals[pC2] = w_vals[pw];
                    ++pC2;
                }
                const int i = A1_crd[position];
                if (C2_begin < pC2) {
                    C1_crd[pC1] = i;
                    C2_pos[pC1 + 1] = pC2;
                    ++pC1;
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spgemm_dcsr_fill_largest(
    const int* __restrict__ A1_pos, const int* __restrict__ A1_crd, const int* __restrict__ A2_pos,
    const int* __restrict__ A2_crd, const float* __restrict__ A_vals, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const float* __restrict__ B_vals, const int* __restrict__ C1_begins,
    const int* __restrict__ C2_begins, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    int* C1_crd, int* C2_pos, int* C2_crd, float* C_vals, int* w_crd, float* w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int team = block_x * 256 + thread_x;
    waitForLaunch();
    const int w_region = w_largest[0];
    const int teams = min(524288, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        const int end = (A1_pos[1] + 255) / 256 * 256;
        int position = team;
        while (position < end) {
            const int places = w_places[position];
            if (64 <= places) {
                int pC1 = C1_begins[position];
                int pC2 = C2_begins[position];
                const int pA1_end = A1_pos[1];
                // split(position, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
                // split(position, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
                if (position < pA1_end) {
                    const int C2_begin = pC2;
                    const int w_elements = C2_begins[position + 1] - C2_begins[position];
                    int places_2 = 0 < w_elements ? 4 : 0;
                    while (places_2 < places && places_2 - places_2 / 4 < w_elements) {
                        places_2 = addCounts(places_2, places_2);
                    }
                    const int w_size = places_2;
                    const int w_end = w_begin + w_size;
                    int w_len = 0;
                    for (int at = w_begin; at < w_end; ++at) {
                        w_crd[at] = 2147483647;
                    }
                    for (int pA = A2_pos[position], pA_end = A2_pos[position + 1]; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        const float A_val = A_vals[pA];
                        for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                            const int k = B2_crd[pB];
                            int at = w_begin + placeOf(k, w_size);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != k) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            const float value = A_val * B_vals[pB];
                            if (held == 2147483647) {
                                w_crd[at] = k;
                                ++w_len;
                                w_vals[at] = value;
                            } else {
                                w_vals[at] += value;
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
                            const float value = w_vals[from];
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
                        const int k = w_crd[pw];
                        C2_crd[pC2] = k;
                        C_vals[pC2] = w_vals[pw];
                        ++pC2;
                    }
                    const int i = A1_crd[position];
                    if (C2_begin < pC2) {
                        C1_crd[pC1] = i;
                        C2_pos[pC1 + 1] = pC2;
                        ++pC1;
                    }
                }
            }
            position = teams < end - position ? position + teams : end;
        }
    }
}
