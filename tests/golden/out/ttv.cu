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

struct Add {
    static __device__ __forceinline__ double combine(double a, double b) { return a + b; }
    static __device__ __forceinline__ void atomic(double* at, double value) { atomicAdd(at, value); }
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

// The group's values are reduced; its first lane writes the result, if the element exists.
template <typename T, int G, typename Op, typename Writer, typename Lanes = WholeWarp>
__device__ __forceinline__ void writeGroup(T* array, long long index, T value, bool exists = true) {
    value = reduceGroup<T, G, Op, Lanes>(value);
    if (threadIdx.x % G == 0 && exists) Writer::template write<Op>(array + index, value);
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

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1of32_row_1_col_32(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ c_vals,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(rowpos, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(rowpos, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 32;
    const int rowpos = block_x * 8 + warp;
    if (rowpos < pB2_end) {
        double t = 0.0;
        // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ParallelReduction)
        const int lane = thread_x % 32;
        const int pB3_begin = B3_pos[rowpos];
        const int pB3_end = B3_pos[rowpos + 1];
        // split(pos, step, lane, 32)
        for (int pB = pB3_begin + lane; pB < pB3_end; pB += 32) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
        writeGroup<double, 32, Add, Store>(A_vals, rowpos, t);
    }
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1of16_row_1_col_16(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ c_vals,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(rowpos, block, warp, 16); parallelize(block, GPUBlock, NoRaces)
    // split(rowpos, block, warp, 16); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 16;
    const int rowpos = block_x * 16 + warp;
    const bool live = rowpos < pB2_end;
    double t = 0.0;
    if (live) {
        // split(pos, step, lane, 16); parallelize(lane, GPUGroup(16), ParallelReduction)
        const int lane = thread_x % 16;
        const int pB3_begin = B3_pos[rowpos];
        const int pB3_end = B3_pos[rowpos + 1];
        // split(pos, step, lane, 16)
        for (int pB = pB3_begin + lane; pB < pB3_end; pB += 16) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
    }
    writeGroup<double, 16, Add, Store>(A_vals, rowpos, t, live);
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1_row_1_col_1(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ c_vals,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(rowpos, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(rowpos, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int rowpos = block_x * 256 + thread_x;
    if (rowpos < pB2_end) {
        double t = 0.0;
        for (int pB = B3_pos[rowpos], pB_end = B3_pos[rowpos + 1]; pB < pB_end; ++pB) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
        A_vals[rowpos] = t;
    }
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1of4_row_1_col_4(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ c_vals,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(rowpos, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
    // split(rowpos, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 4;
    const int rowpos = block_x * 64 + warp;
    const bool live = rowpos < pB2_end;
    double t = 0.0;
    if (live) {
        // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
        const int lane = thread_x % 4;
        const int pB3_begin = B3_pos[rowpos];
        const int pB3_end = B3_pos[rowpos + 1];
        // split(pos, step, lane, 4)
        for (int pB = pB3_begin + lane; pB < pB3_end; pB += 4) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
    }
    writeGroup<double, 4, Add, Store>(A_vals, rowpos, t, live);
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_8_nnz_1_col_32(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ c_vals,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    const int pB3_end = B3_pos[pB2_end];
    // split(pos, block, part, 2048); parallelize(block, GPUBlock, IgnoreRaces)
    // split(part, lane, nnz, 8); parallelize(lane, GPUGroup(32), Segment)
    const int part_begin = block_x * 2048;
    const int part_end = min(part_begin + 2048, pB3_end);
    const int nnz_begin = min(part_begin + thread_x * 8, part_end);
    const int nnz_end = min(nnz_begin + 8, part_end);
    int pB = nnz_begin;
    int pB2 = upperBound(B3_pos, 1, pB2_end, min(pB, pB3_end - 1)) - 1;
    int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
    const int first = pB2;
    int last = pB2;
    double t = 0.0;
    double t_2 = 0.0;
    while (pB < nnz_end) {
        const int pB2_end_3 = B2_pos[pB1 + 1];
        while (pB < nnz_end && pB2 < pB2_end_3) {
            last = pB2;
            const int pB3_end_3 = min(B3_pos[pB2 + 1], nnz_end);
            // split(part, lane, nnz, 8)
            for (int pB_2 = pB; pB_2 < pB3_end_3; ++pB_2) {
                const int k = B3_crd[pB_2];
                t += B_vals[pB_2] * c_vals[k];
            }
            pB = pB3_end_3;
            if (pB < nnz_end) {
                if (pB2 == first) {
                    t_2 = t;
                } else {
                    A_vals[pB2] = t;
                }
                t = 0.0;
            }
            ++pB2;
        }
        ++pB1;
    }
    const bool several = first != last;
    const int offered = nextInGroup<int, 32>(several ? first + 1 : 0);
    const bool takes = offered == last + 1;
    const double next = nextInGroup<double, 32>(t_2);
    if (takes) {
        t += next;
    }
    const int before = previousInGroup<int, 32>(last);
    if (several && before != first) {
        if (thread_x % 32 != 0) {
            A_vals[first] = t_2;
        } else {
            atomicAdd(&A_vals[first], t_2);
        }
    }
    const bool live = nnz_begin < nnz_end;
    const Segment segment = segmentsOf<32>(last);
    segReduceGroup<double, 32, Add, Complete<Store>>(A_vals, last, t, segment, live);
}
