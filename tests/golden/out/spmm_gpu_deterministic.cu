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

// First position in lo..hi whose element is above the key, or hi. Seven elements are looked at in a step, whose loads do not
// wait for each other; an eighth of the range is left.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (hi - lo > 7) {
        const int eighth = (hi - lo) / 8;
        int below = 0;
#pragma unroll
        for (int part = 1; part < 8; part++) below += array[lo + part * eighth] <= key;
        if (below < 7) hi = lo + (below + 1) * eighth;
        if (below > 0) lo += below * eighth + 1;
    }
    int below = 0;
#pragma unroll
    for (int part = 0; part < 7; part++) below += lo + part < hi && array[lo + part] <= key;
    return lo + below;
}

// First position in lo..hi whose element is not below the key, or hi: by steps that double, then between the last two.
template <typename K> __device__ __forceinline__ int gallop(const int* array, int lo, int hi, K key) {
    unsigned at = lo;
    for (unsigned step = 1; at < static_cast<unsigned>(hi); step *= 2) {
        if (array[at] < key) lo = at + 1;
        else hi = at;
        at += step;
    }
    return lowerBound(array, lo, hi, key);
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

struct Add {
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};

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

// How the lane that has the result writes it.
struct Store {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) { *at = value; }
};
struct Combine {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) {
        *at = Op::combine(*at, value);
    }
};
struct Atomic {
    template <typename Op, typename T> static __device__ __forceinline__ void write(T* at, T value) {
        Op::atomic(at, value);
    }
};

// The value of the lane before, or after, in the group; the group's first, or last, lane keeps its own.
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T previousInGroup(T value) {
    return (T)__shfl_up_sync(Lanes::template mask<G>(), value, 1, G);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ T nextInGroup(T value) {
    return (T)__shfl_down_sync(Lanes::template mask<G>(), value, 1, G);
}

// The reduction of the group's values, in every lane: by a butterfly, so that all have the same bits.
template <typename T, int G, typename Op = Add, typename Lanes = WholeWarp>
__device__ __forceinline__ T reduceGroup(T value) {
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2) {
        const T other = (T)__shfl_xor_sync(Lanes::template mask<G>(), value, distance, G);
        value = Op::combine(value, other);
    }
    return value;
}

// Where a lane is in the run of lanes of its group that have equal keys.
struct Segment {
    int length;   // lanes from this one to the end of its segment
    bool head;    // is it the first lane of its segment?
    bool inside;  // and does the segment neither begin the group nor end it?
};

// The segments of keys that do not decrease along the lanes: one shuffle and one ballot.
template <int G, typename Lanes = WholeWarp, typename K>
__device__ __forceinline__ Segment segmentsOf(K key) {
    const unsigned mask = Lanes::template mask<G>();
    const int lane = threadIdx.x % G;
    const bool head = __shfl_up_sync(mask, key, 1, G) != key || lane == 0;
    // Bit 0 is the lane after this one. Where the group ends there is a head again, or nothing.
    const unsigned heads = __ballot_sync(mask, head) >> (threadIdx.x & 31) >> 1;
    const int length = heads != 0 ? __ffs(heads) : G - lane;
    return {length, head, head && lane > 0 && lane + length < G};
}

// Segments that are inside have one writer; at the others' elements there may be more.
template <typename Sole> struct Complete {};

template <typename Op, typename Writer, typename T>
__device__ __forceinline__ void writeSegment(Writer, T* at, T value, Segment) {
    Writer::template write<Op>(at, value);
}
template <typename Op, typename Sole, typename T>
__device__ __forceinline__ void writeSegment(Complete<Sole>, T* at, T value, Segment segment) {
    if (segment.inside) Sole::template write<Op>(at, value);
    else Atomic::write<Op>(at, value);
}

// Each segment's values are reduced; its head writes the result, if the element exists.
template <typename T, int G, typename Op = Add, typename Writer = Atomic, typename Lanes = WholeWarp>
__device__ __forceinline__ void segReduceGroup(T* array, long long index, T value, Segment segment,
                                               bool exists = true) {
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const T other = (T)__shfl_down_sync(Lanes::template mask<G>(), value, distance, G);
        if (distance < segment.length) value = Op::combine(value, other);
    }
    if (segment.head && exists) writeSegment<Op>(Writer(), array + index, value, segment);
}

// The same, where a group's first and last segments may go on in its neighbours: these are carried out, with their
// elements, the first one to the group's slot (unless it began in the lane), the last one to the slot after.
template <typename T, int G, typename Op = Add, typename Sole = Store, typename Lanes = WholeWarp>
__device__ __forceinline__ void carrySegments(T* array, long long index, T value, Segment segment, bool exists,
                                              bool began, T nothing, T* sums, int* elements, long long slot) {
#pragma unroll
    for (int distance = 1; distance < G; distance *= 2) {
        const T other = (T)__shfl_down_sync(Lanes::template mask<G>(), value, distance, G);
        if (distance < segment.length) value = Op::combine(value, other);
    }
    if (!segment.head || !exists) return;
    const int lane = threadIdx.x % G;
    const bool first = lane == 0 && !began;
    const bool last = lane + segment.length == G;
    if (first) {
        sums[slot] = value;
        elements[slot] = (int)index;
    }
    if (last) {
        sums[slot + 1] = first ? nothing : value;
        elements[slot + 1] = (int)index;
    }
    if (!first && !last) Sole::template write<Op>(array + index, value);
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals,
    float* __restrict__ C_carry, int* __restrict__ C_carry_at) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, part, 1024); parallelize(block, GPUBlock, NoRaces)
    // split(k, kt, ki, 4)
    for (int kt = 0, kt_end = (B2_dim + 3) / 4; kt < kt_end; ++kt) {
        // split(part, lane, nnz, 4); parallelize(lane, GPUGroup(8), Deterministic)
        const int part_begin = block_x * 1024;
        const int part_end = min(part_begin + 1024, pA2_end);
        const int nnz_begin = min(part_begin + thread_x * 4, part_end);
        const int nnz_end = min(nnz_begin + 4, part_end);
        int pA = nnz_begin;
        int i = upperBound(A2_pos, 1, A1_dim, min(pA, pA2_end - 1)) - 1;
        const int first = i;
        int last = i;
        float acc[4] = {};
        float acc_2[4] = {};
        while (pA < nnz_end) {
            last = i;
            const int pA2_end_3 = min(A2_pos[i + 1], nnz_end);
            // split(part, lane, nnz, 4)
            for (int pA_2 = pA; pA_2 < pA2_end_3; ++pA_2) {
                const int j = A2_crd[pA_2];
                const float A_val = A_vals[pA_2];
                // split(k, kt, ki, 4)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = kt * 4 + ki;
                    if (k < B2_dim) {
                        acc[ki] += A_val * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
            pA = pA2_end_3;
            if (pA < nnz_end) {
                if (i == first) {
                    #pragma unroll 4
                    for (int c = 0; c < 4; ++c) {
                        acc_2[c] = acc[c];
                    }
                } else {
                    // split(k, kt, ki, 4)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = kt * 4 + ki;
                        if (k < B2_dim) {
                            C_vals[(long long)i * B2_dim + k] = acc[ki];
                        }
                    }
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    acc[c] = 0.0f;
                }
            }
            ++i;
            if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
            }
        }
        const bool several = first != last;
        const int offered = nextInGroup<int, 8>(several ? first + 1 : 0);
        const bool takes = offered == last + 1;
        #pragma unroll 4
        for (int c = 0; c < 4; ++c) {
            const float next = nextInGroup<float, 8>(acc_2[c]);
            if (takes) {
                acc[c] += next;
            }
        }
        const int before = previousInGroup<int, 8>(last);
        const int group = nnz_begin / 32;
        const int groups = (pA2_end + 31) / 32;
        if (several && before != first) {
            // split(k, kt, ki, 4)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = kt * 4 + ki;
                if (k < B2_dim) {
                    if (thread_x % 8 != 0) {
                        C_vals[(long long)first * B2_dim + k] = acc_2[ki];
                    } else {
                        const long long slot = ((long long)k * groups + group) * 2;
                        C_carry[slot] = acc_2[ki];
                        C_carry_at[slot] = (int)((long long)first * B2_dim + k);
                    }
                }
            }
        }
        const bool live = nnz_begin < nnz_end;
        const Segment segment = segmentsOf<8>(last);
        // split(k, kt, ki, 4)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = kt * 4 + ki;
            if (k < B2_dim) {
                carrySegments<float, 8>(
                    C_vals,
                    (long long)last * B2_dim + k,
                    acc[ki],
                    segment,
                    live,
                    several,
                    0.0f,
                    C_carry,
                    C_carry_at,
                    ((long long)k * groups + group) * 2);
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_carries(
    const int* A2_pos, const float* C_carry, const int* C_carry_at, int A1_dim, int B2_dim, float* C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int carries = (A2_pos[A1_dim] + 31) / 32 * 2;
    const int chunks = (carries + 31) / 32;
    const int warp = block_x * 8 + thread_x / 32;
    const int lane = thread_x % 32;
    const int column = warp / max(chunks, 1);
    const int chunk = warp % max(chunks, 1);
    const long long base = (long long)column * carries;
    const int row = warp * 32 + lane;
    const bool bare = row < A1_dim && A2_pos[row] == A2_pos[row + 1];
    waitForLaunch();
    if (chunks != 0 && column < B2_dim) {
        const long long begin = base + chunk * 32;
        const long long end = base + carries;
        const long long at = begin + lane;
        const long long p = min(at, end - 1);
        const int element = C_carry_at[p];
        const float carry = C_carry[p];
        const int last = C_carry_at[min(begin + 31, end - 1)];
        const int following = C_carry_at[min(begin + 32, end - 1)];
        const int before = C_carry_at[begin - min(chunk, 1)];
        const bool live = at < end;
        float sum = live ? carry : 0.0f;
        // the warp's last element has carries after it
        if (begin + 32 < end && following == last && (chunk == 0 || before != last)) {
            float rest = 0.0f;
            long long next = at + 32;
            int key = last;
            while (next < end && key == last) {
                #pragma unroll 8
                for (int step = 0; step < 8; ++step) {
                    const long long ahead = next + step * 32;
                    const long long p_2 = min(ahead, end - 1);
                    key = C_carry_at[p_2];
                    const float carry_2 = C_carry[p_2];
                    rest += ahead < end && key == last ? carry_2 : 0.0f;
                }
                next += 256;
            }
            rest = reduceGroup<float, 32>(rest);
            if (lane == 31) {
                sum += rest;
            }
        }
        const Segment segment = segmentsOf<32>(element);
        segReduceGroup<float, 32, Add, Store>(
            C_vals,
            element,
            sum,
            segment,
            live && (chunk == 0 || before != element));
    }
    const int bare_rows = countInGroup<32>(bare);
    if (bare_rows != 0) {
        for (int step = 0; step < 8; ++step) {
            const int row_2 = warp * 32 + step * 4 + lane / 8;
            if (row_2 < A1_dim && A2_pos[row_2] == A2_pos[row_2 + 1]) {
                for (int at = lane % 8; at < B2_dim; at += 8) {
                    C_vals[(long long)row_2 * B2_dim + at] = 0.0f;
                }
            }
        }
    }
}
