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

// A[i, j] = B[i, k, l] * C[k, j] * D[l, j];
extern "C" __global__ void __launch_bounds__(128) mttkrp(
    const int* __restrict__ B1_pos, const int* __restrict__ B1_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, const int* __restrict__ B3_pos, const int* __restrict__ B3_crd,
    const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    const double* __restrict__ D_vals, int C2_dim, double* A_vals) {
    __shared__ int pB2_ends[17];
    __shared__ int pB1_ends[17];
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    const int pB1_end = B1_pos[1];
    const int pB2_end = B2_pos[pB1_end];
    const int pB3_end = B3_pos[pB2_end];
    // split(p, block, p1, 128); parallelize(block, GPUBlock, NoRaces)
    // split(j, jo, ji, 4); parallelize(jo, GPUBlock, NoRaces)
    const int p1_begin = block_x * 128;
    const int p1_end = min(p1_begin + 128, pB3_end);
    // each 8 threads search between two of these ends
    if (thread_x <= 16) {
        const int end = upperBound(B3_pos, 1, pB2_end, min(p1_begin + thread_x * 8, p1_end - 1));
        pB2_ends[thread_x] = end;
        pB1_ends[thread_x] = upperBound(B2_pos, 1, pB1_end, end - 1);
    }
    __syncthreads();
    // split(p, block, p1, 128); parallelize(p1, GPUGroup(32), Segment)
    const int at = p1_begin + thread_x;
    const bool live = at < p1_end;
    const int pB = min(at, p1_end - 1);
    const int l = B3_crd[pB];
    const int pB2 = upperBound(B3_pos, pB2_ends[thread_x / 8], pB2_ends[thread_x / 8 + 1], pB) - 1;
    const int k = B2_crd[pB2];
    const int pB1 = upperBound(B2_pos, pB1_ends[thread_x / 8], pB1_ends[thread_x / 8 + 1], pB2) - 1;
    const int i = B1_crd[pB1];
    const Segment segment = segmentsOf<32>(pB1);
    const double B_val = B_vals[pB];
    // split(j, jo, ji, 4)
    #pragma unroll 4
    for (int ji = 0; ji < 4; ++ji) {
        const int j = block_y * 4 + ji;
        if (j < C2_dim) {
            segReduceGroup<double, 32, Add, Complete<Store>>(
                A_vals,
                (long long)i * C2_dim + j,
                live ? B_val * C_vals[(long long)k * C2_dim + j] * D_vals[(long long)l * C2_dim + j] : 0.0,
                segment,
                live);
        }
    }
}
