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

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256) block_product_scatters(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    int A1_dim, int A3_dim, int B4_dim, int A4_dim, int* __restrict__ w_places, int* __restrict__ w_largest) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        int w_len = 0;
        if (0 < A4_dim) {
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                    for (int m = 0; m < A3_dim; ++m) {
                        for (int n = 0; n < B4_dim; ++n) {
                            w_len = addCounts(w_len, 1);
                        }
                    }
                }
            }
        }
        const int w_most = w_len;
        int places = 0 < w_most ? 4 : 0;
        while (places < 2147483647 && places - places / 4 < w_most) {
            places = addCounts(places, places);
        }
        w_places[i] = places;
        if (64 <= places) {
            atomicMax(&w_largest[0], places);
        }
    }
}

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256, 4) block_product_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, int A1_dim, int A3_dim, int B4_dim, int A4_dim,
    int* __restrict__ C2_pos, int* __restrict__ w1_crd, int* __restrict__ w2_crd, int* __restrict__ w3_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 32;
    for (int i = team; i < A1_dim; i += 524288) {
        const int places = w_places[i];
        if (places < 64) {
            int C2_count = 0;
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin; at < w_end; ++at) {
                w1_crd[at] = 2147483647;
            }
            if (0 < A4_dim) {
                for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        for (int m = 0; m < A3_dim; ++m) {
                            for (int n = 0; n < B4_dim; ++n) {
                                const long long code = (long long)(int)(((long long)(k & (places - 1)) * A3_dim + m) & (places - 1)) * B4_dim + n;
                                int at = w_begin + placeOf(code, places);
                                int held = w1_crd[at];
                                while (held != 2147483647 && (held != k || w2_crd[at] != m || w3_crd[at] != n)) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = w1_crd[at];
                                }
                                if (held == 2147483647) {
                                    w1_crd[at] = k;
                                    w2_crd[at] = m;
                                    w3_crd[at] = n;
                                    ++w_len;
                                }
                            }
                        }
                    }
                }
            }
            int to = w_begin;
            for (int at = w_begin; at < w_end; ++at) {
                if (w1_crd[at] != 2147483647) {
                    w1_crd[to] = w1_crd[at];
                    w2_crd[to] = w2_crd[at];
                    w3_crd[to] = w3_crd[at];
                    ++to;
                }
            }
            const int w_filled = w_begin + w_len;
            int gap = w_len / 2 - w_len / 22;
            while (0 < gap) {
                for (int from = w_begin + gap; from < w_filled; ++from) {
                    const int key = w1_crd[from];
                    const int key_2 = w2_crd[from];
                    const int key_3 = w3_crd[from];
                    int to_2 = from;
                    while (w_begin + gap <= to_2 && (key < w1_crd[to_2 - gap] || (key == w1_crd[to_2 - gap] && (key_2 < w2_crd[to_2 - gap] || (key_2 == w2_crd[to_2 - gap] && key_3 < w3_crd[to_2 - gap]))))) {
                        w1_crd[to_2] = w1_crd[to_2 - gap];
                        w2_crd[to_2] = w2_crd[to_2 - gap];
                        w3_crd[to_2] = w3_crd[to_2 - gap];
                        to_2 -= gap;
                    }
                    w1_crd[to_2] = key;
                    w2_crd[to_2] = key_2;
                    w3_crd[to_2] = key_3;
                }
                gap = gap / 2 - gap / 22;
            }
            int pw = w_begin;
            while (pw < w_filled) {
                const int k = w1_crd[pw];
                int pw_next = pw;
                while (pw_next < w_filled && w1_crd[pw_next] == k) {
                    ++pw_next;
                }
                ++C2_count;
                pw = pw_next;
            }
            C2_pos[i] = C2_count;
        }
    }
}

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256, 4) block_product_count_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* w_places, const int* w_largest, int A1_dim, int A3_dim,
    int B4_dim, int A4_dim, int* C2_pos, int* w1_crd, int* w2_crd, int* w3_crd) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_region = w_largest[0];
    const int teams = min(524288, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        int i = team;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (64 <= places) {
                int C2_count = 0;
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w1_crd[at] = 2147483647;
                }
                if (0 < A4_dim) {
                    for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                            const int k = B2_crd[pB];
                            for (int m = 0; m < A3_dim; ++m) {
                                for (int n = 0; n < B4_dim; ++n) {
                                    const long long code = (long long)(int)(((long long)(k & (places - 1)) * A3_dim + m) & (places - 1)) * B4_dim + n;
                                    int at = w_begin + placeOf(code, places);
                                    int held = w1_crd[at];
                                    while (held != 2147483647 && (held != k || w2_crd[at] != m || w3_crd[at] != n)) {
                                        at = at + 1 == w_end ? w_begin : at + 1;
                                        held = w1_crd[at];
                                    }
                                    if (held == 2147483647) {
                                        w1_crd[at] = k;
                                        w2_crd[at] = m;
                                        w3_crd[at] = n;
                                        ++w_len;
                                    }
                                }
                            }
                        }
                    }
                }
                int to = w_begin;
                for (int at = w_begin; at < w_end; ++at) {
                    if (w1_crd[at] != 2147483647) {
                        w1_crd[to] = w1_crd[at];
                        w2_crd[to] = w2_crd[at];
                        w3_crd[to] = w3_crd[at];
                        ++to;
                    }
                }
                const int w_filled = w_begin + w_len;
                int gap = w_len / 2 - w_len / 22;
                while (0 < gap) {
                    for (int from = w_begin + gap; from < w_filled; ++from) {
                        const int key = w1_crd[from];
                        const int key_2 = w2_crd[from];
                        const int key_3 = w3_crd[from];
                        int to_2 = from;
                        while (w_begin + gap <= to_2 && (key < w1_crd[to_2 - gap] || (key == w1_crd[to_2 - gap] && (key_2 < w2_crd[to_2 - gap] || (key_2 == w2_crd[to_2 - gap] && key_3 < w3_crd[to_2 - gap]))))) {
                            w1_crd[to_2] = w1_crd[to_2 - gap];
                            w2_crd[to_2] = w2_crd[to_2 - gap];
                            w3_crd[to_2] = w3_crd[to_2 - gap];
                            to_2 -= gap;
                        }
                        w1_crd[to_2] = key;
                        w2_crd[to_2] = key_2;
                        w3_crd[to_2] = key_3;
                    }
                    gap = gap / 2 - gap / 22;
                }
                int pw = w_begin;
                while (pw < w_filled) {
                    const int k = w1_crd[pw];
                    int pw_next = pw;
                    while (pw_next < w_filled && w1_crd[pw_next] == k) {
                        ++pw_next;
                    }
                    ++C2_count;
                    pw = pw_next;
                }
                C2_pos[i] = C2_count;
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256) block_product_sums(
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

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256) block_product_sum_tiles(
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

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256) block_product_begins(
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

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256, 4) block_product_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, int A1_dim, int A3_dim, int B4_dim,
    int A4_dim, int* __restrict__ C2_crd, float* __restrict__ C_vals, int* __restrict__ w1_crd,
    int* __restrict__ w2_crd, int* __restrict__ w3_crd, float* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_begin = team * 32;
    for (int i = team; i < A1_dim; i += 524288) {
        const int places = w_places[i];
        if (places < 64) {
            int pC2 = C2_pos[i];
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin; at < w_end; ++at) {
                w1_crd[at] = 2147483647;
            }
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                    const int k = B2_crd[pB];
                    for (int m = 0; m < A3_dim; ++m) {
                        for (int n = 0; n < B4_dim; ++n) {
                            float t = 0.0f;
                            for (int l = 0; l < A4_dim; ++l) {
                                t += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * B_vals[((long long)pB * A4_dim + l) * B4_dim + n];
                            }
                            if (0 < A4_dim) {
                                const long long code = (long long)(int)(((long long)(k & (places - 1)) * A3_dim + m) & (places - 1)) * B4_dim + n;
                                int at = w_begin + placeOf(code, places);
                                int held = w1_crd[at];
                                while (held != 2147483647 && (held != k || w2_crd[at] != m || w3_crd[at] != n)) {
                                    at = at + 1 == w_end ? w_begin : at + 1;
                                    held = w1_crd[at];
                                }
                                if (held == 2147483647) {
                                    w1_crd[at] = k;
                                    w2_crd[at] = m;
                                    w3_crd[at] = n;
                                    ++w_len;
                                    w_vals[at] = t;
                                } else {
                                    w_vals[at] += t;
                                }
                            }
                        }
                    }
                }
            }
            int to = w_begin;
            for (int at = w_begin; at < w_end; ++at) {
                if (w1_crd[at] != 2147483647) {
                    w1_crd[to] = w1_crd[at];
                    w2_crd[to] = w2_crd[at];
                    w3_crd[to] = w3_crd[at];
                    w_vals[to] = w_vals[at];
                    ++to;
                }
            }
            const int w_filled = w_begin + w_len;
            int gap = w_len / 2 - w_len / 22;
            while (0 < gap) {
                for (int from = w_begin + gap; from < w_filled; ++from) {
                    const int key = w1_crd[from];
                    const int key_2 = w2_crd[from];
                    const int key_3 = w3_crd[from];
                    const float value = w_vals[from];
                    int to_2 = from;
                    while (w_begin + gap <= to_2 && (key < w1_crd[to_2 - gap] || (key == w1_crd[to_2 - gap] && (key_2 < w2_crd[to_2 - gap] || (key_2 == w2_crd[to_2 - gap] && key_3 < w3_crd[to_2 - gap]))))) {
                        w1_crd[to_2] = w1_crd[to_2 - gap];
                        w2_crd[to_2] = w2_crd[to_2 - gap];
                        w3_crd[to_2] = w3_crd[to_2 - gap];
                        w_vals[to_2] = w_vals[to_2 - gap];
                        to_2 -= gap;
                    }
                    w1_crd[to_2] = key;
                    w2_crd[to_2] = key_2;
                    w3_crd[to_2] = key_3;
                    w_vals[to_2] = value;
                }
                gap = gap / 2 - gap / 22;
            }
            int pw = w_begin;
            while (pw < w_filled) {
                const int k = w1_crd[pw];
                int pw_next = pw;
                while (pw_next < w_filled && w1_crd[pw_next] == k) {
                    ++pw_next;
                }
                const int pC2_2 = pC2;
                C2_crd[pC2] = k;
                ++pC2;
                int pw_2 = pw;
                while (pw_2 < pw_next) {
                    const int m = w2_crd[pw_2];
                    int pw_next_2 = pw_2;
                    while (pw_next_2 < pw_next && w2_crd[pw_next_2] == m) {
                        ++pw_next_2;
                    }
                    for (int pw_3 = pw_2, pw_3_end = pw_next_2; pw_3 < pw_3_end; ++pw_3) {
                        const int n = w3_crd[pw_3];
                        C_vals[((long long)pC2_2 * A3_dim + m) * B4_dim + n] = w_vals[pw_3];
                    }
                    pw_2 = pw_next_2;
                }
                pw = pw_next;
            }
        }
    }
}

// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
extern "C" __global__ void __launch_bounds__(256, 4) block_product_fill_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    int A1_dim, int A3_dim, int B4_dim, int A4_dim, int* C2_crd, float* C_vals, int* w1_crd, int* w2_crd,
    int* w3_crd, float* w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int team = block_x * 256 + thread_x;
    const int w_region = w_largest[0];
    const int teams = min(524288, max(33554432 / w_region, 1));
    if (team < teams) {
        const int w_begin = (int)min((long long)team * w_region, 33554432LL);
        int i = team;
        while (i < A1_dim) {
            const int places = w_places[i];
            if (64 <= places) {
                int pC2 = C2_pos[i];
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w1_crd[at] = 2147483647;
                }
                for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                    const int j = A2_crd[pA];
                    for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                        const int k = B2_crd[pB];
                        for (int m = 0; m < A3_dim; ++m) {
                            for (int n = 0; n < B4_dim; ++n) {
                                float t = 0.0f;
                                for (int l = 0; l < A4_dim; ++l) {
                                    t += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * B_vals[((long long)pB * A4_dim + l) * B4_dim + n];
                                }
                                if (0 < A4_dim) {
                                    const long long code = (long long)(int)(((long long)(k & (places - 1)) * A3_dim + m) & (places - 1)) * B4_dim + n;
                                    int at = w_begin + placeOf(code, places);
                                    int held = w1_crd[at];
                                    while (held != 2147483647 && (held != k || w2_crd[at] != m || w3_crd[at] != n)) {
                                        at = at + 1 == w_end ? w_begin : at + 1;
                                        held = w1_crd[at];
                                    }
                                    if (held == 2147483647) {
                                        w1_crd[at] = k;
                                        w2_crd[at] = m;
                                        w3_crd[at] = n;
                                        ++w_len;
                                        w_vals[at] = t;
                                    } else {
                                        w_vals[at] += t;
                                    }
                                }
                            }
                        }
                    }
                }
                int to = w_begin;
                for (int at = w_begin; at < w_end; ++at) {
                    if (w1_crd[at] != 2147483647) {
                        w1_crd[to] = w1_crd[at];
                        w2_crd[to] = w2_crd[at];
                        w3_crd[to] = w3_crd[at];
                        w_vals[to] = w_vals[at];
                        ++to;
                    }
                }
                const int w_filled = w_begin + w_len;
                int gap = w_len / 2 - w_len / 22;
                while (0 < gap) {
                    for (int from = w_begin + gap; from < w_filled; ++from) {
                        const int key = w1_crd[from];
                        const int key_2 = w2_crd[from];
                        const int key_3 = w3_crd[from];
                        const float value = w_vals[from];
                        int to_2 = from;
                        while (w_begin + gap <= to_2 && (key < w1_crd[to_2 - gap] || (key == w1_crd[to_2 - gap] && (key_2 < w2_crd[to_2 - gap] || (key_2 == w2_crd[to_2 - gap] && key_3 < w3_crd[to_2 - gap]))))) {
                            w1_crd[to_2] = w1_crd[to_2 - gap];
                            w2_crd[to_2] = w2_crd[to_2 - gap];
                            w3_crd[to_2] = w3_crd[to_2 - gap];
                            w_vals[to_2] = w_vals[to_2 - gap];
                            to_2 -= gap;
                        }
                        w1_crd[to_2] = key;
                        w2_crd[to_2] = key_2;
                        w3_crd[to_2] = key_3;
                        w_vals[to_2] = value;
                    }
                    gap = gap / 2 - gap / 22;
                }
                int pw = w_begin;
                while (pw < w_filled) {
                    const int k = w1_crd[pw];
                    int pw_next = pw;
                    while (pw_next < w_filled && w1_crd[pw_next] == k) {
                        ++pw_next;
                    }
                    const int pC2_2 = pC2;
                    C2_crd[pC2] = k;
                    ++pC2;
                    int pw_2 = pw;
                    while (pw_2 < pw_next) {
                        const int m = w2_crd[pw_2];
                        int pw_next_2 = pw_2;
                        while (pw_next_2 < pw_next && w2_crd[pw_next_2] == m) {
                            ++pw_next_2;
                        }
                        for (int pw_3 = pw_2, pw_3_end = pw_next_2; pw_3 < pw_3_end; ++pw_3) {
                            const int n = w3_crd[pw_3];
                            C_vals[((long long)pC2_2 * A3_dim + m) * B4_dim + n] = w_vals[pw_3];
                        }
                        pw_2 = pw_next_2;
                    }
                    pw = pw_next;
                }
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}
