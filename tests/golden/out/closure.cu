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

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256) closure_scatters(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, int A1_dim, int A2_dim, int A2_dim_2,
    int* __restrict__ w_places, int* __restrict__ w_largest) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        int w_len = 0;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        if (pA2_end - pA2_begin < A2_dim_2) {
            w_len = addCounts(w_len, pA2_end - pA2_begin);
        }
        for (int pA = pA2_begin; pA < pA2_end; ++pA) {
            const int j = A2_crd[pA];
            const int pA2_end_3 = A2_pos[j + 1];
            int pA_2 = pA2_begin;
            int pA_3 = A2_pos[j];
            while (pA_2 < pA2_end && pA_3 < pA2_end_3) {
                const int kA = A2_crd[pA_2];
                const int kA_2 = A2_crd[pA_3];
                w_len = addCounts(w_len, 1);
                if (kA == kA_2) {
                    ++pA_2;
                    ++pA_3;
                } else if (kA < kA_2) {
                    ++pA_2;
                } else {
                    ++pA_3;
                }
            }
            w_len = addCounts(w_len, pA2_end - pA_2);
            w_len = addCounts(w_len, pA2_end_3 - pA_3);
        }
        const int w_most = w_len;
        const int w_elements = min(w_most, A2_dim);
        int places = 0 < w_elements ? 4 : 0;
        while (places < A2_dim && places - places / 4 < w_elements) {
            places = addCounts(places, places);
        }
        w_places[i] = places;
        if (64 <= places) {
            atomicMax(&w_largest[0], places);
        }
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) closure_count(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* w_places, int A1_dim,
    int A2_dim_2, int* __restrict__ R2_pos, int* __restrict__ w_crd) {
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
            const int w_end = w_begin + places;
            int w_len = 0;
            for (int at = w_begin; at < w_end; ++at) {
                w_crd[at] = 2147483647;
            }
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            if (pA2_end - pA2_begin < A2_dim_2) {
                for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                    const int k = A2_crd[pA];
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
            for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                const int j = A2_crd[pA];
                const int pA2_end_3 = A2_pos[j + 1];
                int pA_2 = pA2_begin;
                int pA_3 = A2_pos[j];
                while (pA_2 < pA2_end && pA_3 < pA2_end_3) {
                    const int kA = A2_crd[pA_2];
                    const int kA_2 = A2_crd[pA_3];
                    if (kA == kA_2) {
                        int at = w_begin + placeOf(kA, places);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = kA;
                            ++w_len;
                        }
                        ++pA_2;
                        ++pA_3;
                    } else if (kA < kA_2) {
                        int at = w_begin + placeOf(kA, places);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = kA;
                            ++w_len;
                        }
                        ++pA_2;
                    } else {
                        int at = w_begin + placeOf(kA_2, places);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA_2) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = kA_2;
                            ++w_len;
                        }
                        ++pA_3;
                    }
                }
                for (int pA_4 = pA_2; pA_4 < pA2_end; ++pA_4) {
                    const int k = A2_crd[pA_4];
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
                for (int pA_4 = pA_3; pA_4 < pA2_end_3; ++pA_4) {
                    const int k = A2_crd[pA_4];
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
            R2_pos[i] = w_len;
        }
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) closure_count_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* w_places,
    const int* w_largest, int A1_dim, int A2_dim_2, int* R2_pos, int* w_crd) {
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
                const int w_end = w_begin + places;
                int w_len = 0;
                for (int at = w_begin; at < w_end; ++at) {
                    w_crd[at] = 2147483647;
                }
                const int pA2_begin = A2_pos[i];
                const int pA2_end = A2_pos[i + 1];
                if (pA2_end - pA2_begin < A2_dim_2) {
                    for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                        const int k = A2_crd[pA];
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
                for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                    const int j = A2_crd[pA];
                    const int pA2_end_3 = A2_pos[j + 1];
                    int pA_2 = pA2_begin;
                    int pA_3 = A2_pos[j];
                    while (pA_2 < pA2_end && pA_3 < pA2_end_3) {
                        const int kA = A2_crd[pA_2];
                        const int kA_2 = A2_crd[pA_3];
                        if (kA == kA_2) {
                            int at = w_begin + placeOf(kA, places);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            if (held == 2147483647) {
                                w_crd[at] = kA;
                                ++w_len;
                            }
                            ++pA_2;
                            ++pA_3;
                        } else if (kA < kA_2) {
                            int at = w_begin + placeOf(kA, places);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            if (held == 2147483647) {
                                w_crd[at] = kA;
                                ++w_len;
                            }
                            ++pA_2;
                        } else {
                            int at = w_begin + placeOf(kA_2, places);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA_2) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            if (held == 2147483647) {
                                w_crd[at] = kA_2;
                                ++w_len;
                            }
                            ++pA_3;
                        }
                    }
                    for (int pA_4 = pA_2; pA_4 < pA2_end; ++pA_4) {
                        const int k = A2_crd[pA_4];
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
                    for (int pA_4 = pA_3; pA_4 < pA2_end_3; ++pA_4) {
                        const int k = A2_crd[pA_4];
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
                R2_pos[i] = w_len;
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256) closure_sums(
    const int* R2_pos, int A1_dim, int* R2_sums) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, R2_pos[n]);
    }
    const int all = sumInBlock<256>(sum, partial);
    if (thread_x == 0) {
        R2_sums[block_x] = all;
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256) closure_sum_tiles(
    int A1_dim, int* R2_sums) {
    __shared__ int partial[8];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2048) / 2048 ? R2_sums[tile] : 0;
        int all;
        const int before = sumBeforeInBlock<256>(sum, partial, all);
        if (tile < (A1_dim + 2048) / 2048) {
            R2_sums[tile] = addCounts(carry, before);
        }
        carry = addCounts(carry, all);
        __syncthreads();
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256) closure_begins(
    const int* R2_sums, int A1_dim, int* R2_pos) {
    __shared__ int partial[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, R2_pos[n]);
    }
    const int before = sumBeforeInBlock<256>(sum, partial);
    int at = addCounts(R2_sums[block_x], before);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        const int count = n < A1_dim ? R2_pos[n] : 0;
        R2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) closure_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const bool* __restrict__ A_vals,
    const int* __restrict__ R2_pos, const int* __restrict__ w_places, int A1_dim, int A2_dim_2,
    int* __restrict__ R2_crd, bool* __restrict__ R_vals, int* __restrict__ w_crd, bool* __restrict__ w_vals) {
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
            int pR2 = R2_pos[i];
            const int w_elements = R2_pos[i + 1] - R2_pos[i];
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
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            if (pA2_end - pA2_begin < A2_dim_2) {
                for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                    const int k = A2_crd[pA];
                    int at = w_begin + placeOf(k, w_size);
                    int held = w_crd[at];
                    while (held != 2147483647 && held != k) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = w_crd[at];
                    }
                    if (held == 2147483647) {
                        w_crd[at] = k;
                        ++w_len;
                        w_vals[at] = A_vals[pA];
                    } else {
                        w_vals[at] |= A_vals[pA];
                    }
                }
            }
            for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                const int j = A2_crd[pA];
                const int pA2_end_3 = A2_pos[j + 1];
                int pA_2 = pA2_begin;
                int pA_3 = A2_pos[j];
                while (pA_2 < pA2_end && pA_3 < pA2_end_3) {
                    const int kA = A2_crd[pA_2];
                    const int kA_2 = A2_crd[pA_3];
                    if (kA == kA_2) {
                        int at = w_begin + placeOf(kA, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        const bool value = A_vals[pA_2] | (A_vals[pA] & A_vals[pA_3]);
                        if (held == 2147483647) {
                            w_crd[at] = kA;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] |= value;
                        }
                        ++pA_2;
                        ++pA_3;
                    } else if (kA < kA_2) {
                        int at = w_begin + placeOf(kA, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = kA;
                            ++w_len;
                            w_vals[at] = A_vals[pA_2];
                        } else {
                            w_vals[at] |= A_vals[pA_2];
                        }
                        ++pA_2;
                    } else {
                        int at = w_begin + placeOf(kA_2, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != kA_2) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        const bool value = A_vals[pA] & A_vals[pA_3];
                        if (held == 2147483647) {
                            w_crd[at] = kA_2;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] |= value;
                        }
                        ++pA_3;
                    }
                }
                for (int pA_4 = pA_2; pA_4 < pA2_end; ++pA_4) {
                    const int k = A2_crd[pA_4];
                    int at = w_begin + placeOf(k, w_size);
                    int held = w_crd[at];
                    while (held != 2147483647 && held != k) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = w_crd[at];
                    }
                    if (held == 2147483647) {
                        w_crd[at] = k;
                        ++w_len;
                        w_vals[at] = A_vals[pA_4];
                    } else {
                        w_vals[at] |= A_vals[pA_4];
                    }
                }
                const bool A_val = A_vals[pA];
                for (int pA_4 = pA_3; pA_4 < pA2_end_3; ++pA_4) {
                    const int k = A2_crd[pA_4];
                    int at = w_begin + placeOf(k, w_size);
                    int held = w_crd[at];
                    while (held != 2147483647 && held != k) {
                        at = at + 1 == w_end ? w_begin : at + 1;
                        held = w_crd[at];
                    }
                    const bool value = A_val & A_vals[pA_4];
                    if (held == 2147483647) {
                        w_crd[at] = k;
                        ++w_len;
                        w_vals[at] = value;
                    } else {
                        w_vals[at] |= value;
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
                    const bool value = w_vals[from];
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
                R2_crd[pR2] = k;
                R_vals[pR2] = w_vals[pw];
                ++pR2;
            }
        }
    }
}

// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) closure_fill_largest(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const bool* __restrict__ A_vals,
    const int* __restrict__ R2_pos, const int* __restrict__ w_places, const int* __restrict__ w_largest,
    int A1_dim, int A2_dim_2, int* R2_crd, bool* R_vals, int* w_crd, bool* w_vals) {
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
                int pR2 = R2_pos[i];
                const int w_elements = R2_pos[i + 1] - R2_pos[i];
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
                const int pA2_begin = A2_pos[i];
                const int pA2_end = A2_pos[i + 1];
                if (pA2_end - pA2_begin < A2_dim_2) {
                    for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                        const int k = A2_crd[pA];
                        int at = w_begin + placeOf(k, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = k;
                            ++w_len;
                            w_vals[at] = A_vals[pA];
                        } else {
                            w_vals[at] |= A_vals[pA];
                        }
                    }
                }
                for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                    const int j = A2_crd[pA];
                    const int pA2_end_3 = A2_pos[j + 1];
                    int pA_2 = pA2_begin;
                    int pA_3 = A2_pos[j];
                    while (pA_2 < pA2_end && pA_3 < pA2_end_3) {
                        const int kA = A2_crd[pA_2];
                        const int kA_2 = A2_crd[pA_3];
                        if (kA == kA_2) {
                            int at = w_begin + placeOf(kA, w_size);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            const bool value = A_vals[pA_2] | (A_vals[pA] & A_vals[pA_3]);
                            if (held == 2147483647) {
                                w_crd[at] = kA;
                                ++w_len;
                                w_vals[at] = value;
                            } else {
                                w_vals[at] |= value;
                            }
                            ++pA_2;
                            ++pA_3;
                        } else if (kA < kA_2) {
                            int at = w_begin + placeOf(kA, w_size);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            if (held == 2147483647) {
                                w_crd[at] = kA;
                                ++w_len;
                                w_vals[at] = A_vals[pA_2];
                            } else {
                                w_vals[at] |= A_vals[pA_2];
                            }
                            ++pA_2;
                        } else {
                            int at = w_begin + placeOf(kA_2, w_size);
                            int held = w_crd[at];
                            while (held != 2147483647 && held != kA_2) {
                                at = at + 1 == w_end ? w_begin : at + 1;
                                held = w_crd[at];
                            }
                            const bool value = A_vals[pA] & A_vals[pA_3];
                            if (held == 2147483647) {
                                w_crd[at] = kA_2;
                                ++w_len;
                                w_vals[at] = value;
                            } else {
                                w_vals[at] |= value;
                            }
                            ++pA_3;
                        }
                    }
                    for (int pA_4 = pA_2; pA_4 < pA2_end; ++pA_4) {
                        const int k = A2_crd[pA_4];
                        int at = w_begin + placeOf(k, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        if (held == 2147483647) {
                            w_crd[at] = k;
                            ++w_len;
                            w_vals[at] = A_vals[pA_4];
                        } else {
                            w_vals[at] |= A_vals[pA_4];
                        }
                    }
                    const bool A_val = A_vals[pA];
                    for (int pA_4 = pA_3; pA_4 < pA2_end_3; ++pA_4) {
                        const int k = A2_crd[pA_4];
                        int at = w_begin + placeOf(k, w_size);
                        int held = w_crd[at];
                        while (held != 2147483647 && held != k) {
                            at = at + 1 == w_end ? w_begin : at + 1;
                            held = w_crd[at];
                        }
                        const bool value = A_val & A_vals[pA_4];
                        if (held == 2147483647) {
                            w_crd[at] = k;
                            ++w_len;
                            w_vals[at] = value;
                        } else {
                            w_vals[at] |= value;
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
                        const bool value = w_vals[from];
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
                    R2_crd[pR2] = k;
                    R_vals[pR2] = w_vals[pw];
                    ++pR2;
                }
            }
            i = teams < A1_dim - i ? i + teams : A1_dim;
        }
    }
}
