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

// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

// Where the hardware has no such update, compare-and-swap is tried until it succeeds. It compares bits, so that NaN
// ends it as well.
template <typename T> struct Word;  // T as a word that can be swapped
template <> struct Word<int> {
    typedef int type;
    static __device__ __forceinline__ type of(int value) { return value; }
    static __device__ __forceinline__ int value(type word) { return word; }
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

struct Add {
    static __device__ __forceinline__ int combine(int a, int b) { return wrappingAdd(a, b); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAdd(at, value); }
};

struct Mul {
    static __device__ __forceinline__ int combine(int a, int b) { return wrappingMul(a, b); }
    static __device__ __forceinline__ void atomic(int* at, int value) { retry<Mul>(at, value); }
};

struct Min {
    static __device__ __forceinline__ int combine(int a, int b) { return b < a ? b : a; }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMin(at, value); }
};

struct Max {
    static __device__ __forceinline__ int combine(int a, int b) { return a < b ? b : a; }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMax(at, value); }
};

struct And {
    static __device__ __forceinline__ int combine(int a, int b) { return (int)(a & b); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAnd(at, value); }
};

struct Or {
    static __device__ __forceinline__ int combine(int a, int b) { return (int)(a | b); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicOr(at, value); }
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

// The lanes of a group wait for each other, and see what the others wrote before. Other groups of the warp may be elsewhere.
template <int G> __device__ __forceinline__ void syncGroup() { __syncwarp(OwnGroup::mask<G>()); }

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

// How many threads of the block have the condition: all of them, or those before this one.
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial, int& all) {
    int ofWarp;
    const int before = countBefore<32>(vote, ofWarp);
    return sumOfWarps<T>(ofWarp, partial, all) + before;
}
template <int T> __device__ __forceinline__ int countBeforeInBlock(bool vote, int* partial) {
    int all;
    return countBeforeInBlock<T>(vote, partial, all);
}
template <int T> __device__ __forceinline__ int countInBlock(bool vote, int* partial) {
    int all;
    sumOfWarps<T>(countInGroup<32>(vote), partial, all);
    return all;
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

// Each lane has C values, which are reduced over the group and scattered. Of two neighbouring values a lane keeps one and
// gives the other away for what the other lane has of the one it keeps, so that half as many are left, until the lane has
// one, or the group has no more lanes; the lanes that are left reduce the one in a tree. With W the smaller of C and G,
// value n of a lane is then the total of value n * W + lane % W. The indices are constants once the loops are unrolled.
template <typename T, int G, int C, typename Op = Add, typename Lanes = WholeWarp>
__device__ __forceinline__ void scatterGroup(T (&values)[C]) {
    const unsigned mask = Lanes::template mask<G>();
#pragma unroll
    for (int distance = 1; distance < G && distance < C; distance *= 2) {
        const bool odd = (threadIdx.x & distance) != 0;
#pragma unroll
        for (int n = 0; n < C / 2; ++n) {
            if (n < C / (2 * distance)) {
                const T kept = odd ? values[2 * n + 1] : values[2 * n];
                const T given = odd ? values[2 * n] : values[2 * n + 1];
                values[n] = Op::combine(kept, (T)__shfl_xor_sync(mask, given, distance, G));
            }
        }
    }
#pragma unroll
    for (int distance = C; distance < G; distance *= 2) {
        values[0] = Op::combine(values[0], (T)__shfl_xor_sync(mask, values[0], distance, G));
    }
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

// y[i] = x[i];
extern "C" __global__ void __launch_bounds__(128) collectives(
    const int* __restrict__ x_vals, int x1_dim, int* y_vals) {
    __shared__ int partial[4];
    const int thread = threadIdx.x;
    const int i = thread / 32;
    const Segment segments_32 = segmentsOf<32>(i);
    const int before_32 = previousInGroup<int, 32>(x_vals[i]);
    const long long after_32 = nextInGroup<long long, 32>((long long)i * x1_dim);
    y_vals[after_32] = before_32;
    const int count_32 = countInGroup<32>(i < x1_dim);
    y_vals[count_32] = 1;
    const int count_before_first_32 = countBefore<32>(i < x1_dim);
    y_vals[count_before_first_32] = 1;
    int count_both_32;
    const int count_before_both_32 = countBefore<32>(i < x1_dim, count_both_32);
    y_vals[count_before_both_32] = 1;
    y_vals[count_both_32] = 1;
    const int sum_32 = sumInGroup<32>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_32] = 1;
    const int sum_before_first_32 = sumBefore<32>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_before_first_32] = 1;
    int sum_both_32;
    const int sum_before_both_32 = sumBefore<32>((int)min((long long)i * x1_dim, 2147483647LL), sum_both_32);
    y_vals[sum_before_both_32] = 1;
    y_vals[sum_both_32] = 1;
    const Segment segments_8 = segmentsOf<8>(i);
    const int before_8 = previousInGroup<int, 8>(x_vals[i]);
    const long long after_8 = nextInGroup<long long, 8>((long long)i * x1_dim);
    y_vals[after_8] = before_8;
    const int count_8 = countInGroup<8>(i < x1_dim);
    y_vals[count_8] = 1;
    const int count_before_first_8 = countBefore<8>(i < x1_dim);
    y_vals[count_before_first_8] = 1;
    int count_both_8;
    const int count_before_both_8 = countBefore<8>(i < x1_dim, count_both_8);
    y_vals[count_before_both_8] = 1;
    y_vals[count_both_8] = 1;
    const int sum_8 = sumInGroup<8>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_8] = 1;
    const int sum_before_first_8 = sumBefore<8>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_before_first_8] = 1;
    int sum_both_8;
    const int sum_before_both_8 = sumBefore<8>((int)min((long long)i * x1_dim, 2147483647LL), sum_both_8);
    y_vals[sum_before_both_8] = 1;
    y_vals[sum_both_8] = 1;
    const Segment segments_2 = segmentsOf<2, OwnGroup>(i);
    const int before_2 = previousInGroup<int, 2, OwnGroup>(x_vals[i]);
    const long long after_2 = nextInGroup<long long, 2, OwnGroup>((long long)i * x1_dim);
    y_vals[after_2] = before_2;
    const int count_2 = countInGroup<2, OwnGroup>(i < x1_dim);
    y_vals[count_2] = 1;
    const int count_before_first_2 = countBefore<2, OwnGroup>(i < x1_dim);
    y_vals[count_before_first_2] = 1;
    int count_both_2;
    const int count_before_both_2 = countBefore<2, OwnGroup>(i < x1_dim, count_both_2);
    y_vals[count_before_both_2] = 1;
    y_vals[count_both_2] = 1;
    const int sum_2 = sumInGroup<2, OwnGroup>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_2] = 1;
    const int sum_before_first_2 = sumBefore<2, OwnGroup>((int)min((long long)i * x1_dim, 2147483647LL));
    y_vals[sum_before_first_2] = 1;
    int sum_both_2;
    const int sum_before_both_2 = sumBefore<2, OwnGroup>(
        (int)min((long long)i * x1_dim, 2147483647LL),
        sum_both_2);
    y_vals[sum_before_both_2] = 1;
    y_vals[sum_both_2] = 1;
    const int count_block = countInBlock<128>(i < x1_dim, partial);
    y_vals[count_block] = 1;
    __syncthreads();
    const int count_before_first_block = countBeforeInBlock<128>(i < x1_dim, partial);
    y_vals[count_before_first_block] = 1;
    __syncthreads();
    int count_both_block;
    const int count_before_both_block = countBeforeInBlock<128>(i < x1_dim, partial, count_both_block);
    y_vals[count_before_both_block] = 1;
    y_vals[count_both_block] = 1;
    __syncthreads();
    const int sum_block = sumInBlock<128>((int)min((long long)i * x1_dim, 2147483647LL), partial);
    y_vals[sum_block] = 1;
    __syncthreads();
    const int sum_before_first_block = sumBeforeInBlock<128>(
        (int)min((long long)i * x1_dim, 2147483647LL),
        partial);
    y_vals[sum_before_first_block] = 1;
    __syncthreads();
    int sum_both_block;
    const int sum_before_both_block = sumBeforeInBlock<128>(
        (int)min((long long)i * x1_dim, 2147483647LL),
        partial,
        sum_both_block);
    y_vals[sum_before_both_block] = 1;
    y_vals[sum_both_block] = 1;
    __syncthreads();
    int t_add = x_vals[i];
    t_add = wrappingAdd(t_add, 1);
    t_add = reduceGroup<int, 32>(t_add);
    int acc_add_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8>(acc_add_32);
    y_vals[i] = acc_add_32[0];
    atomicAddGroup<int, 32>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 32, Add, Store>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 32, Add, Combine>(y_vals, i, t_add, i < x1_dim);
    segReduceGroup<int, 32>(y_vals, i, t_add, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Add, Store>(y_vals, i, t_add, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Add, Combine>(y_vals, i, t_add, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Add, Complete<Store>>(y_vals, i, t_add, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Add, Complete<Combine>>(y_vals, i, t_add, segments_32, i < x1_dim);
    t_add = reduceGroup<int, 8>(t_add);
    int acc_add_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8>(acc_add_8);
    y_vals[i] = acc_add_8[0];
    atomicAddGroup<int, 8>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 8, Add, Store>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 8, Add, Combine>(y_vals, i, t_add, i < x1_dim);
    segReduceGroup<int, 8>(y_vals, i, t_add, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Add, Store>(y_vals, i, t_add, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Add, Combine>(y_vals, i, t_add, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Add, Complete<Store>>(y_vals, i, t_add, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Add, Complete<Combine>>(y_vals, i, t_add, segments_8, i < x1_dim);
    t_add = reduceGroup<int, 2, Add, OwnGroup>(t_add);
    int acc_add_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, Add, OwnGroup>(acc_add_2);
    y_vals[i] = acc_add_2[0];
    atomicAddGroup<int, 2, OwnGroup>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 2, Add, Store, OwnGroup>(y_vals, i, t_add, i < x1_dim);
    writeGroup<int, 2, Add, Combine, OwnGroup>(y_vals, i, t_add, i < x1_dim);
    segReduceGroup<int, 2, Add, Atomic, OwnGroup>(y_vals, i, t_add, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Add, Store, OwnGroup>(y_vals, i, t_add, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Add, Combine, OwnGroup>(y_vals, i, t_add, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Add, Complete<Store>, OwnGroup>(y_vals, i, t_add, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Add, Complete<Combine>, OwnGroup>(y_vals, i, t_add, segments_2, i < x1_dim);
    atomicAdd(&y_vals[i + 1], wrappingAdd(t_add, 1));
    {
        int& element = y_vals[i + 1];
        element = wrappingAdd(element, wrappingAdd(t_add, 1));
    }
    int t_mul = x_vals[i];
    t_mul = wrappingMul(t_mul, 1);
    t_mul = reduceGroup<int, 32, Mul>(t_mul);
    int acc_mul_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8, Mul>(acc_mul_32);
    y_vals[i] = acc_mul_32[0];
    atomicMulGroup<int, 32>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 32, Mul, Store>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 32, Mul, Combine>(y_vals, i, t_mul, i < x1_dim);
    segReduceGroup<int, 32, Mul>(y_vals, i, t_mul, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Mul, Store>(y_vals, i, t_mul, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Mul, Combine>(y_vals, i, t_mul, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Mul, Complete<Store>>(y_vals, i, t_mul, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Mul, Complete<Combine>>(y_vals, i, t_mul, segments_32, i < x1_dim);
    t_mul = reduceGroup<int, 8, Mul>(t_mul);
    int acc_mul_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8, Mul>(acc_mul_8);
    y_vals[i] = acc_mul_8[0];
    atomicMulGroup<int, 8>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 8, Mul, Store>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 8, Mul, Combine>(y_vals, i, t_mul, i < x1_dim);
    segReduceGroup<int, 8, Mul>(y_vals, i, t_mul, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Mul, Store>(y_vals, i, t_mul, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Mul, Combine>(y_vals, i, t_mul, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Mul, Complete<Store>>(y_vals, i, t_mul, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Mul, Complete<Combine>>(y_vals, i, t_mul, segments_8, i < x1_dim);
    t_mul = reduceGroup<int, 2, Mul, OwnGroup>(t_mul);
    int acc_mul_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, Mul, OwnGroup>(acc_mul_2);
    y_vals[i] = acc_mul_2[0];
    atomicMulGroup<int, 2, OwnGroup>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 2, Mul, Store, OwnGroup>(y_vals, i, t_mul, i < x1_dim);
    writeGroup<int, 2, Mul, Combine, OwnGroup>(y_vals, i, t_mul, i < x1_dim);
    segReduceGroup<int, 2, Mul, Atomic, OwnGroup>(y_vals, i, t_mul, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Mul, Store, OwnGroup>(y_vals, i, t_mul, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Mul, Combine, OwnGroup>(y_vals, i, t_mul, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Mul, Complete<Store>, OwnGroup>(y_vals, i, t_mul, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Mul, Complete<Combine>, OwnGroup>(y_vals, i, t_mul, segments_2, i < x1_dim);
    Mul::atomic(&y_vals[i + 1], wrappingMul(t_mul, 1));
    {
        int& element = y_vals[i + 1];
        element = wrappingMul(element, wrappingMul(t_mul, 1));
    }
    int t_min = x_vals[i];
    t_min = min(t_min, 1);
    t_min = reduceGroup<int, 32, Min>(t_min);
    int acc_min_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8, Min>(acc_min_32);
    y_vals[i] = acc_min_32[0];
    atomicMinGroup<int, 32>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 32, Min, Store>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 32, Min, Combine>(y_vals, i, t_min, i < x1_dim);
    segReduceGroup<int, 32, Min>(y_vals, i, t_min, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Min, Store>(y_vals, i, t_min, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Min, Combine>(y_vals, i, t_min, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Min, Complete<Store>>(y_vals, i, t_min, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Min, Complete<Combine>>(y_vals, i, t_min, segments_32, i < x1_dim);
    t_min = reduceGroup<int, 8, Min>(t_min);
    int acc_min_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8, Min>(acc_min_8);
    y_vals[i] = acc_min_8[0];
    atomicMinGroup<int, 8>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 8, Min, Store>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 8, Min, Combine>(y_vals, i, t_min, i < x1_dim);
    segReduceGroup<int, 8, Min>(y_vals, i, t_min, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Min, Store>(y_vals, i, t_min, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Min, Combine>(y_vals, i, t_min, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Min, Complete<Store>>(y_vals, i, t_min, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Min, Complete<Combine>>(y_vals, i, t_min, segments_8, i < x1_dim);
    t_min = reduceGroup<int, 2, Min, OwnGroup>(t_min);
    int acc_min_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, Min, OwnGroup>(acc_min_2);
    y_vals[i] = acc_min_2[0];
    atomicMinGroup<int, 2, OwnGroup>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 2, Min, Store, OwnGroup>(y_vals, i, t_min, i < x1_dim);
    writeGroup<int, 2, Min, Combine, OwnGroup>(y_vals, i, t_min, i < x1_dim);
    segReduceGroup<int, 2, Min, Atomic, OwnGroup>(y_vals, i, t_min, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Min, Store, OwnGroup>(y_vals, i, t_min, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Min, Combine, OwnGroup>(y_vals, i, t_min, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Min, Complete<Store>, OwnGroup>(y_vals, i, t_min, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Min, Complete<Combine>, OwnGroup>(y_vals, i, t_min, segments_2, i < x1_dim);
    atomicMin(&y_vals[i + 1], min(t_min, 1));
    {
        int& element = y_vals[i + 1];
        element = min(element, min(t_min, 1));
    }
    int t_max = x_vals[i];
    t_max = max(t_max, 1);
    t_max = reduceGroup<int, 32, Max>(t_max);
    int acc_max_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8, Max>(acc_max_32);
    y_vals[i] = acc_max_32[0];
    atomicMaxGroup<int, 32>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 32, Max, Store>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 32, Max, Combine>(y_vals, i, t_max, i < x1_dim);
    segReduceGroup<int, 32, Max>(y_vals, i, t_max, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Max, Store>(y_vals, i, t_max, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Max, Combine>(y_vals, i, t_max, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Max, Complete<Store>>(y_vals, i, t_max, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Max, Complete<Combine>>(y_vals, i, t_max, segments_32, i < x1_dim);
    t_max = reduceGroup<int, 8, Max>(t_max);
    int acc_max_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8, Max>(acc_max_8);
    y_vals[i] = acc_max_8[0];
    atomicMaxGroup<int, 8>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 8, Max, Store>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 8, Max, Combine>(y_vals, i, t_max, i < x1_dim);
    segReduceGroup<int, 8, Max>(y_vals, i, t_max, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Max, Store>(y_vals, i, t_max, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Max, Combine>(y_vals, i, t_max, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Max, Complete<Store>>(y_vals, i, t_max, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Max, Complete<Combine>>(y_vals, i, t_max, segments_8, i < x1_dim);
    t_max = reduceGroup<int, 2, Max, OwnGroup>(t_max);
    int acc_max_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, Max, OwnGroup>(acc_max_2);
    y_vals[i] = acc_max_2[0];
    atomicMaxGroup<int, 2, OwnGroup>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 2, Max, Store, OwnGroup>(y_vals, i, t_max, i < x1_dim);
    writeGroup<int, 2, Max, Combine, OwnGroup>(y_vals, i, t_max, i < x1_dim);
    segReduceGroup<int, 2, Max, Atomic, OwnGroup>(y_vals, i, t_max, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Max, Store, OwnGroup>(y_vals, i, t_max, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Max, Combine, OwnGroup>(y_vals, i, t_max, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Max, Complete<Store>, OwnGroup>(y_vals, i, t_max, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Max, Complete<Combine>, OwnGroup>(y_vals, i, t_max, segments_2, i < x1_dim);
    atomicMax(&y_vals[i + 1], max(t_max, 1));
    {
        int& element = y_vals[i + 1];
        element = max(element, max(t_max, 1));
    }
    int t_and = x_vals[i];
    t_and &= 1;
    t_and = reduceGroup<int, 32, And>(t_and);
    int acc_and_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8, And>(acc_and_32);
    y_vals[i] = acc_and_32[0];
    atomicAndGroup<int, 32>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 32, And, Store>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 32, And, Combine>(y_vals, i, t_and, i < x1_dim);
    segReduceGroup<int, 32, And>(y_vals, i, t_and, segments_32, i < x1_dim);
    segReduceGroup<int, 32, And, Store>(y_vals, i, t_and, segments_32, i < x1_dim);
    segReduceGroup<int, 32, And, Combine>(y_vals, i, t_and, segments_32, i < x1_dim);
    segReduceGroup<int, 32, And, Complete<Store>>(y_vals, i, t_and, segments_32, i < x1_dim);
    segReduceGroup<int, 32, And, Complete<Combine>>(y_vals, i, t_and, segments_32, i < x1_dim);
    t_and = reduceGroup<int, 8, And>(t_and);
    int acc_and_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8, And>(acc_and_8);
    y_vals[i] = acc_and_8[0];
    atomicAndGroup<int, 8>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 8, And, Store>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 8, And, Combine>(y_vals, i, t_and, i < x1_dim);
    segReduceGroup<int, 8, And>(y_vals, i, t_and, segments_8, i < x1_dim);
    segReduceGroup<int, 8, And, Store>(y_vals, i, t_and, segments_8, i < x1_dim);
    segReduceGroup<int, 8, And, Combine>(y_vals, i, t_and, segments_8, i < x1_dim);
    segReduceGroup<int, 8, And, Complete<Store>>(y_vals, i, t_and, segments_8, i < x1_dim);
    segReduceGroup<int, 8, And, Complete<Combine>>(y_vals, i, t_and, segments_8, i < x1_dim);
    t_and = reduceGroup<int, 2, And, OwnGroup>(t_and);
    int acc_and_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, And, OwnGroup>(acc_and_2);
    y_vals[i] = acc_and_2[0];
    atomicAndGroup<int, 2, OwnGroup>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 2, And, Store, OwnGroup>(y_vals, i, t_and, i < x1_dim);
    writeGroup<int, 2, And, Combine, OwnGroup>(y_vals, i, t_and, i < x1_dim);
    segReduceGroup<int, 2, And, Atomic, OwnGroup>(y_vals, i, t_and, segments_2, i < x1_dim);
    segReduceGroup<int, 2, And, Store, OwnGroup>(y_vals, i, t_and, segments_2, i < x1_dim);
    segReduceGroup<int, 2, And, Combine, OwnGroup>(y_vals, i, t_and, segments_2, i < x1_dim);
    segReduceGroup<int, 2, And, Complete<Store>, OwnGroup>(y_vals, i, t_and, segments_2, i < x1_dim);
    segReduceGroup<int, 2, And, Complete<Combine>, OwnGroup>(y_vals, i, t_and, segments_2, i < x1_dim);
    atomicAnd(&y_vals[i + 1], t_and & 1);
    {
        int& element = y_vals[i + 1];
        element &= t_and & 1;
    }
    int t_or = x_vals[i];
    t_or |= 1;
    t_or = reduceGroup<int, 32, Or>(t_or);
    int acc_or_32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 32, 8, Or>(acc_or_32);
    y_vals[i] = acc_or_32[0];
    atomicOrGroup<int, 32>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 32, Or, Store>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 32, Or, Combine>(y_vals, i, t_or, i < x1_dim);
    segReduceGroup<int, 32, Or>(y_vals, i, t_or, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Or, Store>(y_vals, i, t_or, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Or, Combine>(y_vals, i, t_or, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Or, Complete<Store>>(y_vals, i, t_or, segments_32, i < x1_dim);
    segReduceGroup<int, 32, Or, Complete<Combine>>(y_vals, i, t_or, segments_32, i < x1_dim);
    t_or = reduceGroup<int, 8, Or>(t_or);
    int acc_or_8[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 8, 8, Or>(acc_or_8);
    y_vals[i] = acc_or_8[0];
    atomicOrGroup<int, 8>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 8, Or, Store>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 8, Or, Combine>(y_vals, i, t_or, i < x1_dim);
    segReduceGroup<int, 8, Or>(y_vals, i, t_or, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Or, Store>(y_vals, i, t_or, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Or, Combine>(y_vals, i, t_or, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Or, Complete<Store>>(y_vals, i, t_or, segments_8, i < x1_dim);
    segReduceGroup<int, 8, Or, Complete<Combine>>(y_vals, i, t_or, segments_8, i < x1_dim);
    t_or = reduceGroup<int, 2, Or, OwnGroup>(t_or);
    int acc_or_2[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    scatterGroup<int, 2, 8, Or, OwnGroup>(acc_or_2);
    y_vals[i] = acc_or_2[0];
    atomicOrGroup<int, 2, OwnGroup>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 2, Or, Store, OwnGroup>(y_vals, i, t_or, i < x1_dim);
    writeGroup<int, 2, Or, Combine, OwnGroup>(y_vals, i, t_or, i < x1_dim);
    segReduceGroup<int, 2, Or, Atomic, OwnGroup>(y_vals, i, t_or, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Or, Store, OwnGroup>(y_vals, i, t_or, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Or, Combine, OwnGroup>(y_vals, i, t_or, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Or, Complete<Store>, OwnGroup>(y_vals, i, t_or, segments_2, i < x1_dim);
    segReduceGroup<int, 2, Or, Complete<Combine>, OwnGroup>(y_vals, i, t_or, segments_2, i < x1_dim);
    atomicOr(&y_vals[i + 1], t_or | 1);
    {
        int& element = y_vals[i + 1];
        element |= t_or | 1;
    }
    syncGroup<8>();
}
