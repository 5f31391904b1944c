// Integers wrap: they are computed without a sign, where C++ defines it. Floats are themselves.
template <typename T> struct Unsigned { typedef T type; };
template <> struct Unsigned<int> { typedef unsigned type; };
template <> struct Unsigned<long long> { typedef unsigned long long type; };
template <> struct Unsigned<unsigned char> { typedef unsigned type; };

template <typename T> __device__ __forceinline__ T wrappingAdd(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a + (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingSub(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a - (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingMul(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a * (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingNeg(T a) {
    return wrappingSub((T)0, a);
}

template <typename T> __device__ __forceinline__ T wrappingAbs(T a) {
    return a < 0 ? wrappingNeg(a) : a;
}

// An integer divided by zero is zero; the smallest one divided by -1 wraps.
template <typename T> __device__ __forceinline__ T divideOrZero(T a, T b) {
    if (b == 0) return 0;
    return b == (T)-1 && (T)-1 < (T)0 ? wrappingNeg(a) : (T)(a / b);
}

// First position in lo..hi whose element is not below the key, or hi.
template <typename K> __device__ __forceinline__ int lowerBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] < key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// First position in lo..hi whose element is above the key, or hi.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] <= key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

// Monoids: how two values combine, and how a value is combined into memory that others update too. Where the hardware
// has no such update, compare-and-swap is tried until it succeeds. It compares bits, so that NaN ends it as well.
template <typename T> struct Word;  // T as a word that can be swapped
template <> struct Word<int> {
    typedef int type;
    static __device__ __forceinline__ int of(int value) { return value; }
    static __device__ __forceinline__ int value(int word) { return word; }
};
template <> struct Word<long long> {
    typedef unsigned long long type;
    static __device__ __forceinline__ type of(long long value) { return (type)value; }
    static __device__ __forceinline__ long long value(type word) { return (long long)word; }
};
template <> struct Word<float> {
    typedef int type;
    static __device__ __forceinline__ int of(float value) { return __float_as_int(value); }
    static __device__ __forceinline__ float value(int word) { return __int_as_float(word); }
};
template <> struct Word<double> {
    typedef unsigned long long type;
    static __device__ __forceinline__ type of(double value) { return (type)__double_as_longlong(value); }
    static __device__ __forceinline__ double value(type word) { return __longlong_as_double((long long)word); }
};

// Nothing is swapped where the value changes nothing.
template <typename Op, typename T> __device__ __forceinline__ void retry(T* at, T value) {
    typedef typename Word<T>::type W;
    W* const word = (W*)at;
    W seen = *(volatile W*)word;
    while (true) {
        const W expected = seen;
        const W combined = Word<T>::of(Op::combine(Word<T>::value(expected), value));
        if (combined == expected) return;
        seen = atomicCAS(word, expected, combined);
        if (seen == expected) return;
    }
}

// A byte, in the aligned word that it is part of.
template <typename Op, typename T> __device__ __forceinline__ void retryByte(T* at, T value) {
    const int shift = 8 * (int)((unsigned long long)at & 3);
    unsigned* const word = (unsigned*)((unsigned long long)at & ~3ULL);
    unsigned seen = *(volatile unsigned*)word;
    while (true) {
        const unsigned expected = seen;
        const unsigned byte = (unsigned char)Op::combine((T)(expected >> shift & 0xff), value);
        const unsigned combined = (expected & ~(0xffu << shift)) | byte << shift;
        if (combined == expected) return;
        seen = atomicCAS(word, expected, combined);
        if (seen == expected) return;
    }
}
template <typename Op> __device__ __forceinline__ void retry(unsigned char* at, unsigned char value) {
    retryByte<Op>(at, value);
}
template <typename Op> __device__ __forceinline__ void retry(bool* at, bool value) {
    retryByte<Op>(at, value);
}

struct Add {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return wrappingAdd(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Add>(at, value); }
    static __device__ __forceinline__ void atomic(float* at, float value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(double* at, double value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicAdd((unsigned long long*)at, (unsigned long long)value);
    }
};

struct Mul {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return wrappingMul(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Mul>(at, value); }
};

// Of a number and NaN the number.
struct Min {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return b < a ? b : a; }
    static __device__ __forceinline__ float combine(float a, float b) { return fminf(a, b); }
    static __device__ __forceinline__ double combine(double a, double b) { return fmin(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Min>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMin(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) { atomicMin(at, value); }
};

struct Max {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return a < b ? b : a; }
    static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
    static __device__ __forceinline__ double combine(double a, double b) { return fmax(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Max>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMax(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) { atomicMax(at, value); }
};

struct And {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return (T)(a & b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<And>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAnd(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicAnd((unsigned long long*)at, (unsigned long long)value);
    }
};

struct Or {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return (T)(a | b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Or>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicOr(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicOr((unsigned long long*)at, (unsigned long long)value);
    }
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

template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicAddGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Add, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMulGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Mul, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMinGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Min, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicMaxGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Max, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicAndGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, And, Atomic, Lanes>(array, index, value, exists);
}
template <typename T, int G, typename Lanes = WholeWarp>
__device__ __forceinline__ void atomicOrGroup(T* array, long long index, T value, bool exists = true) {
    writeGroup<T, G, Or, Atomic, Lanes>(array, index, value, exists);
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
extern "C" __global__ void __launch_bounds__(256) ttv_8_nnz_1_col_8(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ c_vals, int B2_dim,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    const int pB3_end = B3_pos[pB2_end];
    // split(pos, block, part, 2048); parallelize(block, GPUBlock, IgnoreRaces)
    // split(part, lane, nnz, 8); parallelize(lane, GPUGroup(8), Segment)
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
        const int i = B1_crd[pB1];
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
            const int j = B2_crd[pB2];
            if (pB < nnz_end) {
                if (pB2 == first) {
                    t_2 = t;
                } else {
                    A_vals[(long long)i * B2_dim + j] = t;
                }
                t = 0.0;
            }
            ++pB2;
        }
        ++pB1;
    }
    const bool several = first != last;
    const int offered = nextInGroup<int, 8>(several ? first + 1 : 0);
    const bool takes = offered == last + 1;
    const double next = nextInGroup<double, 8>(t_2);
    if (takes) {
        t += next;
    }
    const int before = previousInGroup<int, 8>(last);
    if (several && before != first) {
        const int pB1_2 = upperBound(B2_pos, 1, pB1_end, first) - 1;
        const int i = B1_crd[pB1_2];
        const int j = B2_crd[first];
        if (thread_x % 8 != 0) {
            A_vals[(long long)i * B2_dim + j] = t_2;
        } else {
            atomicAdd(&A_vals[(long long)i * B2_dim + j], t_2);
        }
    }
    const bool live = nnz_begin < nnz_end;
    const Segment segment = segmentsOf<8>(last);
    const int pB1_2 = upperBound(B2_pos, 1, pB1_end, last) - 1;
    const int i = B1_crd[pB1_2];
    const int j = B2_crd[last];
    segReduceGroup<double, 8, Add, Complete<Store>>(A_vals, (long long)i * B2_dim + j, t, segment, live);
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1_row_1_col_1(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ c_vals, int B2_dim,
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
        const int pB1 = upperBound(B2_pos, 1, pB1_end, rowpos) - 1;
        const int i = B1_crd[pB1];
        const int j = B2_crd[rowpos];
        A_vals[(long long)i * B2_dim + j] = t;
    }
}

// A[i, j] = B[i, j, k] * c[k];
extern "C" __global__ void __launch_bounds__(256) ttv_1of8_row_1_col_8(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ c_vals, int B2_dim,
    double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    // split(rowpos, block, warp, 32); parallelize(block, GPUBlock, NoRaces)
    // split(rowpos, block, warp, 32); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 8;
    const int rowpos = block_x * 32 + warp;
    const bool live = rowpos < pB2_end;
    const int pB1_end_2 = live ? pB1_end : 0;
    const int j = live ? B2_crd[rowpos] : 0;
    const int pB1 = live ? upperBound(B2_pos, 1, pB1_end_2, rowpos) - 1 : 0;
    const int i = live ? B1_crd[pB1] : 0;
    double t = 0.0;
    if (live) {
        // split(pos, step, lane, 8); parallelize(lane, GPUGroup(8), ParallelReduction)
        const int lane = thread_x % 8;
        const int pB3_begin = B3_pos[rowpos];
        const int pB3_end = B3_pos[rowpos + 1];
        // split(pos, step, lane, 8)
        for (int pB = pB3_begin + lane; pB < pB3_end; pB += 8) {
            const int k = B3_crd[pB];
            t += B_vals[pB] * c_vals[k];
        }
    }
    writeGroup<double, 8, Add, Store>(A_vals, (long long)i * B2_dim + j, t, live);
}
