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

// Two or four consecutive elements as one access: their address is a multiple of their size.
template <typename T, int N> struct Vector;
template <> struct Vector<float, 2> { typedef float2 type; };
template <> struct Vector<float, 4> { typedef float4 type; };
template <> struct Vector<double, 2> { typedef double2 type; };
template <> struct Vector<int, 2> { typedef int2 type; };
template <> struct Vector<int, 4> { typedef int4 type; };
template <> struct Vector<long long, 2> { typedef longlong2 type; };
template <> struct Vector<unsigned char, 2> { typedef uchar2 type; };
template <> struct Vector<unsigned char, 4> { typedef uchar4 type; };
template <> struct Vector<bool, 2> { typedef uchar2 type; };
template <> struct Vector<bool, 4> { typedef uchar4 type; };

template <typename T> __device__ __forceinline__ void loadVector(T (&to)[2], const T* from) {
    const typename Vector<T, 2>::type v = *(const typename Vector<T, 2>::type*)from;
    to[0] = v.x;
    to[1] = v.y;
}
template <typename T> __device__ __forceinline__ void loadVector(T (&to)[4], const T* from) {
    const typename Vector<T, 4>::type v = *(const typename Vector<T, 4>::type*)from;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// A load into a part of an array.
template <int N, typename T> __device__ __forceinline__ void loadVector(T* to, const T* from) {
    loadVector(reinterpret_cast<T (&)[N]>(*to), from);
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

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_t0_1of32_row_1_col_32(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ t0) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i_t0, block_t0, warp_t0, 8); parallelize(block_t0, GPUBlock, NoRaces)
    // split(i_t0, block_t0, warp_t0, 8); parallelize(warp_t0, GPUWarp, NoRaces)
    const int warp_t0 = thread_x / 32;
    const int i_t0 = block_x * 8 + warp_t0;
    if (i_t0 < A1_dim) {
        double t = 0.0;
        // split(pos_t0, step_t0, lane_t0, 32); parallelize(lane_t0, GPUGroup(32), ParallelReduction)
        const int lane_t0 = thread_x % 32;
        const int pA2_begin = A2_pos[i_t0];
        const int pA2_end = A2_pos[i_t0 + 1];
        // split(pos_t0, step_t0, lane_t0, 32)
        for (int pA = pA2_begin + lane_t0; pA < pA2_end; pA += 32) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
        writeGroup<double, 32, Add, Store>(t0, i_t0, t);
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_1of32_row_1_col_32(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ t0, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA2_end) {
        const int k = A2_crd[pos];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos) - 1;
        atomicAdd(&y_vals[k], A_vals[pos] * t0[pA1]);
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_t0_1of16_row_1_col_16(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ t0) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i_t0, block_t0, warp_t0, 16); parallelize(block_t0, GPUBlock, NoRaces)
    // split(i_t0, block_t0, warp_t0, 16); parallelize(warp_t0, GPUWarp, NoRaces)
    const int warp_t0 = thread_x / 16;
    const int i_t0 = block_x * 16 + warp_t0;
    const bool live = i_t0 < A1_dim;
    double t = 0.0;
    if (live) {
        // split(pos_t0, step_t0, lane_t0, 16); parallelize(lane_t0, GPUGroup(16), ParallelReduction)
        const int lane_t0 = thread_x % 16;
        const int pA2_begin = A2_pos[i_t0];
        const int pA2_end = A2_pos[i_t0 + 1];
        // split(pos_t0, step_t0, lane_t0, 16)
        for (int pA = pA2_begin + lane_t0; pA < pA2_end; pA += 16) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
    }
    writeGroup<double, 16, Add, Store>(t0, i_t0, t, live);
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_1of16_row_1_col_16(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ t0, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA2_end) {
        const int k = A2_crd[pos];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos) - 1;
        atomicAdd(&y_vals[k], A_vals[pos] * t0[pA1]);
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_t0_1_row_1_col_1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ t0) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i_t0, block_t0, thread_t0, 256); parallelize(block_t0, GPUBlock, NoRaces)
    // split(i_t0, block_t0, thread_t0, 256); parallelize(thread_t0, GPUThread, NoRaces)
    const int i_t0 = block_x * 256 + thread_x;
    if (i_t0 < A1_dim) {
        double t = 0.0;
        for (int pA = A2_pos[i_t0], pA_end = A2_pos[i_t0 + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
        t0[i_t0] = t;
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_1_row_1_col_1(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ t0, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA2_end) {
        const int k = A2_crd[pos];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos) - 1;
        atomicAdd(&y_vals[k], A_vals[pos] * t0[pA1]);
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_t0_1of4_row_1_col_4(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ t0) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i_t0, block_t0, warp_t0, 64); parallelize(block_t0, GPUBlock, NoRaces)
    // split(i_t0, block_t0, warp_t0, 64); parallelize(warp_t0, GPUWarp, NoRaces)
    const int warp_t0 = thread_x / 4;
    const int i_t0 = block_x * 64 + warp_t0;
    const bool live = i_t0 < A1_dim;
    double t = 0.0;
    if (live) {
        // split(pos_t0, step_t0, lane_t0, 4); parallelize(lane_t0, GPUGroup(4), ParallelReduction)
        const int lane_t0 = thread_x % 4;
        const int pA2_begin = A2_pos[i_t0];
        const int pA2_end = A2_pos[i_t0 + 1];
        // split(pos_t0, step_t0, lane_t0, 4)
        for (int pA = pA2_begin + lane_t0; pA < pA2_end; pA += 4) {
            const int j = A2_crd[pA];
            t += A_vals[pA] * x_vals[j];
        }
    }
    writeGroup<double, 4, Add, Store>(t0, i_t0, t, live);
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_1of4_row_1_col_4(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ t0, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA2_end) {
        const int k = A2_crd[pos];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos) - 1;
        atomicAdd(&y_vals[k], A_vals[pos] * t0[pA1]);
    }
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256, 4) normal_equations_t0_8_nnz_1_col_32(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, double* __restrict__ t0) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos_t0, block_t0, part_t0, 2048); parallelize(block_t0, GPUBlock, IgnoreRaces)
    // split(part_t0, lane_t0, nnz_t0, 8); parallelize(lane_t0, GPUGroup(32), Segment)
    const int part_t0_begin = block_x * 2048;
    const int part_t0_end = min(part_t0_begin + 2048, pA2_end);
    const int nnz_t0_begin = min(part_t0_begin + thread_x * 8, part_t0_end);
    const int nnz_t0_end = min(nnz_t0_begin + 8, part_t0_end);
    int i_t0 = upperBound(A2_pos, 1, A1_dim, min(nnz_t0_begin, pA2_end - 1)) - 1;
    const int first = i_t0;
    int last = i_t0;
    double t = 0.0;
    double t_2 = 0.0;
    int pA2_end_3 = A2_pos[i_t0 + 1];
    // split(part_t0, lane_t0, nnz_t0, 8)
    #pragma unroll 1  // a batch has its registers
    for (int batch = nnz_t0_begin; batch < nnz_t0_end; batch += 4) {
        // the loads of four entries, which do not wait for each other
        double A_val_batch[4];
        double x_val_batch[4];
        int A2_crd_batch[4];
        if (batch + 4 <= nnz_t0_end && batch % 4 == 0) {
            loadVector<4>(&A2_crd_batch[0], &A2_crd[batch]);
            loadVector<2>(&A_val_batch[0], &A_vals[batch]);
            loadVector<2>(&A_val_batch[2], &A_vals[batch + 2]);
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                const int j = A2_crd_batch[n];
                x_val_batch[n] = x_vals[j];
            }
        } else {
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                const int pA_2 = batch + n;
                if (pA_2 < nnz_t0_end) {
                    const int j = A2_crd[pA_2];
                    A_val_batch[n] = A_vals[pA_2];
                    x_val_batch[n] = x_vals[j];
                }
            }
        }
        #pragma unroll 4
        for (int n = 0; n < 4; ++n) {
            const int pA_2 = batch + n;
            if (pA_2 < nnz_t0_end) {
                if (pA2_end_3 <= pA_2) {
                    if (i_t0 == first) {
                        t_2 = t;
                    } else {
                        t0[i_t0] = t;
                    }
                    t = 0.0;
                    ++i_t0;
                    pA2_end_3 = A2_pos[i_t0 + 1];
                    if (pA2_end_3 <= pA_2) {
                        i_t0 = gallop(A2_pos, i_t0 + 2, A1_dim, pA_2 + 1) - 1;
                        pA2_end_3 = A2_pos[i_t0 + 1];
                    }
                    last = i_t0;
                }
                t += A_val_batch[n] * x_val_batch[n];
            }
        }
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
            t0[first] = t_2;
        } else {
            atomicAdd(&t0[first], t_2);
        }
    }
    const bool live = nnz_t0_begin < nnz_t0_end;
    const Segment segment = segmentsOf<32>(last);
    segReduceGroup<double, 32, Add, Complete<Store>>(t0, last, t, segment, live);
}

// y[k] = A[i, k] * A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) normal_equations_8_nnz_1_col_32(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ t0, int A1_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(pos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
    // split(pos, block, lane, 256); parallelize(lane, GPUThread, Atomics)
    const int pos = block_x * 256 + thread_x;
    if (pos < pA2_end) {
        const int k = A2_crd[pos];
        const int pA1 = upperBound(A2_pos, 1, A1_dim, pos) - 1;
        atomicAdd(&y_vals[k], A_vals[pos] * t0[pA1]);
    }
}
