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

struct Add {
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
    static __device__ __forceinline__ void atomic(float* at, float value) { atomicAdd(at, value); }
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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(128, 8) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, fpos1, 1024); parallelize(block, GPUBlock, NoRaces)
    // split(k, ko, ki, 4); parallelize(ko, GPUBlock, NoRaces)
    // split(fpos1, lane, nnz, 8); parallelize(lane, GPUGroup(8), Segment)
    const int fpos1_begin = block_x * 1024;
    const int fpos1_end = min(fpos1_begin + 1024, pA2_end);
    const int nnz_begin = min(fpos1_begin + thread_x * 8, fpos1_end);
    const int nnz_end = min(nnz_begin + 8, fpos1_end);
    int pA = nnz_begin;
    int i = upperBound(A2_pos, 1, A1_dim, min(pA, pA2_end - 1)) - 1;
    const int first = i;
    int last = i;
    float acc[4] = {};
    float acc_2[4] = {};
    while (pA < nnz_end) {
        last = i;
        const int pA2_end_3 = min(A2_pos[i + 1], nnz_end);
        // split(fpos1, lane, nnz, 8)
        for (int pA_2 = pA; pA_2 < pA2_end_3; ++pA_2) {
            const int j = A2_crd[pA_2];
            const float A_val = A_vals[pA_2];
            // split(k, ko, ki, 4)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = block_y * 4 + ki;
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
                // split(k, ko, ki, 4)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = block_y * 4 + ki;
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
    if (several && before != first) {
        // split(k, ko, ki, 4)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = block_y * 4 + ki;
            if (k < B2_dim) {
                if (thread_x % 8 != 0) {
                    C_vals[(long long)first * B2_dim + k] = acc_2[ki];
                } else {
                    atomicAdd(&C_vals[(long long)first * B2_dim + k], acc_2[ki]);
                }
            }
        }
    }
    const bool live = nnz_begin < nnz_end;
    const Segment segment = segmentsOf<8>(last);
    // split(k, ko, ki, 4)
    #pragma unroll 4
    for (int ki = 0; ki < 4; ++ki) {
        const int k = block_y * 4 + ki;
        if (k < B2_dim) {
            segReduceGroup<float, 8, Add, Complete<Store>>(
                C_vals,
                (long long)last * B2_dim + k,
                acc[ki],
                segment,
                live);
        }
    }
}
