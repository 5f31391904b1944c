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

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256) spmv(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ x_vals, int A1_dim, float* y_vals, float* y_carry, int* y_carry_at) {
    __shared__ int pA1_ends[17];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, lane, 256); parallelize(block, GPUBlock, NoRaces)
    const int lane_begin = block_x * 256;
    const int lane_end = min(lane_begin + 256, pA2_end);
    // each 16 threads search between two of these ends
    if (thread_x <= 16) {
        pA1_ends[thread_x] = upperBound(A2_pos, 1, A1_dim, min(lane_begin + thread_x * 16, lane_end - 1));
    }
    __syncthreads();
    // split(fpos, block, lane, 256); parallelize(lane, GPUGroup(32), Deterministic)
    const int at = lane_begin + thread_x;
    const bool live = at < lane_end;
    const int pA = min(at, lane_end - 1);
    const int group = at / 32;
    const int j = A2_crd[pA];
    const int pA1 = upperBound(A2_pos, pA1_ends[thread_x / 16], pA1_ends[thread_x / 16 + 1], pA) - 1;
    const Segment segment = segmentsOf<32>(pA1);
    carrySegments<float, 32>(
        y_vals,
        pA1,
        live ? A_vals[pA] * x_vals[j] : 0.0f,
        segment,
        live,
        false,
        0.0f,
        y_carry,
        y_carry_at,
        group * 2);
}

// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(256, 4) spmv_carries(
    const int* A2_pos, const float* y_carry, const int* y_carry_at, int A1_dim, float* y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int carries = (A2_pos[A1_dim] + 31) / 32 * 2;
    const int chunks = (carries + 31) / 32;
    const int warp = block_x * 8 + thread_x / 32;
    const int lane = thread_x % 32;
    const int row = warp * 32 + lane;
    const bool bare = row < A1_dim && A2_pos[row] == A2_pos[row + 1];
    waitForLaunch();
    if (warp < chunks) {
        const int begin = warp * 32;
        const int at = begin + lane;
        const int p = min(at, carries - 1);
        const int element = y_carry_at[p];
        const float carry = y_carry[p];
        const int last = y_carry_at[min(begin + 31, carries - 1)];
        const int following = y_carry_at[min(begin + 32, carries - 1)];
        const int before = y_carry_at[begin - min(warp, 1)];
        const bool live = at < carries;
        float sum = live ? carry : 0.0f;
        // the warp's last element has carries after it
        if (begin + 32 < carries && following == last && (warp == 0 || before != last)) {
            float rest = 0.0f;
            int next = at + 32;
            int key = last;
            while (next < carries && key == last) {
                #pragma unroll 8
                for (int step = 0; step < 8; ++step) {
                    const int ahead = next + step * 32;
                    const int p_2 = min(ahead, carries - 1);
                    key = y_carry_at[p_2];
                    const float carry_2 = y_carry[p_2];
                    rest += ahead < carries && key == last ? carry_2 : 0.0f;
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
            y_vals,
            element,
            sum,
            segment,
            live && (warp == 0 || before != element));
    }
    if (bare) {
        y_vals[row] = 0.0f;
    }
}
