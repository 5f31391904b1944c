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
extern "C" __global__ void __launch_bounds__(256) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ B_vals, int A1_dim, int B2_dim, double* C_vals) {
    __shared__ int pA1_ends[17];
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (B2_dim % 2 == 0) {
        const int pA2_end = A2_pos[A1_dim];
        // split(fpos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(k, kt, ki, 2); parallelize(kt, GPUBlock, NoRaces)
        const int lane_begin = block_x * 256;
        const int lane_end = min(lane_begin + 256, pA2_end);
        // each 16 threads search between two of these ends
        if (thread_x <= 16) {
            pA1_ends[thread_x] = upperBound(A2_pos, 1, A1_dim, min(lane_begin + thread_x * 16, lane_end - 1));
        }
        __syncthreads();
        // split(fpos, block, lane, 256); parallelize(lane, GPUGroup(8), Segment)
        const int at = lane_begin + thread_x;
        const bool live = at < lane_end;
        const int pA = min(at, lane_end - 1);
        const int j = A2_crd[pA];
        const int pA1 = upperBound(A2_pos, pA1_ends[thread_x / 16], pA1_ends[thread_x / 16 + 1], pA) - 1;
        const Segment segment = segmentsOf<8>(pA1);
        // split(k, kt, ki, 2); parallelize(ki, GPUVector, NoRaces)
        double B_vec[2] = {};
        if (live) {
            loadVector(B_vec, &B_vals[(long long)j * B2_dim + block_y * 2]);
        }
        const double A_val = A_vals[pA];
        #pragma unroll 2
        for (int ki = 0; ki < 2; ++ki) {
            const int k = block_y * 2 + ki;
            segReduceGroup<double, 8, Add, Complete<Store>>(
                C_vals,
                (long long)pA1 * B2_dim + k,
                live ? A_val * B_vec[ki] : 0.0,
                segment,
                live);
        }
    } else {
        const int pA2_end = A2_pos[A1_dim];
        // split(fpos, block, lane, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(k, kt, ki, 2); parallelize(kt, GPUBlock, NoRaces)
        const int lane_begin = block_x * 256;
        const int lane_end = min(lane_begin + 256, pA2_end);
        // each 16 threads search between two of these ends
        if (thread_x <= 16) {
            pA1_ends[thread_x] = upperBound(A2_pos, 1, A1_dim, min(lane_begin + thread_x * 16, lane_end - 1));
        }
        __syncthreads();
        // split(fpos, block, lane, 256); parallelize(lane, GPUGroup(8), Segment)
        const int at = lane_begin + thread_x;
        const bool live = at < lane_end;
        const int pA = min(at, lane_end - 1);
        const int j = A2_crd[pA];
        const int pA1 = upperBound(A2_pos, pA1_ends[thread_x / 16], pA1_ends[thread_x / 16 + 1], pA) - 1;
        const Segment segment = segmentsOf<8>(pA1);
        const double A_val_2 = A_vals[pA];
        // split(k, kt, ki, 2); parallelize(ki, GPUVector, NoRaces)
        #pragma unroll 2
        for (int ki = 0; ki < 2; ++ki) {
            const int k = block_y * 2 + ki;
            if (k < B2_dim) {
                segReduceGroup<double, 8, Add, Complete<Store>>(
                    C_vals,
                    (long long)pA1 * B2_dim + k,
                    live ? A_val_2 * B_vals[(long long)j * B2_dim + k] : 0.0,
                    segment,
                    live);
            }
        }
    }
}
