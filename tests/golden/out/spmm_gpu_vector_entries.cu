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

template <typename T> __device__ __forceinline__ void storeVector(T* to, const T (&from)[2]) {
    typename Vector<T, 2>::type v;
    v.x = from[0];
    v.y = from[1];
    *(typename Vector<T, 2>::type*)to = v;
}
template <typename T> __device__ __forceinline__ void storeVector(T* to, const T (&from)[4]) {
    typename Vector<T, 4>::type v;
    v.x = from[0];
    v.y = from[1];
    v.z = from[2];
    v.w = from[3];
    *(typename Vector<T, 4>::type*)to = v;
}

// Consecutive elements that others update too. Their address is a multiple of their size.
template <typename Op, typename T, int N> __device__ __forceinline__ void atomicVector(T* to, const T (&from)[N]) {
#pragma unroll
    for (int n = 0; n < N; n++) Op::atomic(to + n, from[n]);
}

// From sm_90 on several numbers of single precision are added at once.
#if __CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ > 0)
__device__ __forceinline__ void addVector(float* to, const float (&from)[2]) {
    atomicAdd((float2*)to, make_float2(from[0], from[1]));
}
__device__ __forceinline__ void addVector(float* to, const float (&from)[4]) {
    atomicAdd((float4*)to, make_float4(from[0], from[1], from[2], from[3]));
}
#endif
template <typename T, int N> __device__ __forceinline__ void addVector(T* to, const T (&from)[N]) {
#pragma unroll
    for (int n = 0; n < N; n++) atomicAdd(to + n, from[n]);
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
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int pA2_end = A2_pos[A1_dim];
        // split(pos, block, part, 2048); parallelize(block, GPUBlock, IgnoreRaces)
        // split(k, ko, ki, 4); parallelize(ko, GPUBlock, NoRaces)
        // split(part, lane, nnz, 8); parallelize(lane, GPUGroup(8), Segment)
        const int part_begin = block_x * 2048;
        const int part_end = min(part_begin + 2048, pA2_end);
        const int nnz_begin = min(part_begin + thread_x * 8, part_end);
        const int nnz_end = min(nnz_begin + 8, part_end);
        int i = upperBound(A2_pos, 1, A1_dim, min(nnz_begin, pA2_end - 1)) - 1;
        const int first = i;
        int last = i;
        float acc[4] = {};
        float acc_2[4] = {};
        int pA2_end_3 = A2_pos[i + 1];
        // split(part, lane, nnz, 8)
        #pragma unroll 1  // a batch has its registers
        for (int batch = nnz_begin; batch < nnz_end; batch += 4) {
            // the loads of four entries, which do not wait for each other
            float A_val_batch[4];
            float B_vec_batch[16];
            int A2_crd_batch[4];
            if (batch + 4 <= nnz_end && batch % 4 == 0) {
                loadVector<4>(&A2_crd_batch[0], &A2_crd[batch]);
                loadVector<4>(&A_val_batch[0], &A_vals[batch]);
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int j = A2_crd_batch[n];
                    loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + block_y * 4]);
                }
            } else {
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA_2 = batch + n;
                    if (pA_2 < nnz_end) {
                        const int j = A2_crd[pA_2];
                        loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + block_y * 4]);
                        A_val_batch[n] = A_vals[pA_2];
                    }
                }
            }
            #pragma unroll 4
            for (int n = 0; n < 4; ++n) {
                const int pA_2 = batch + n;
                if (pA_2 < nnz_end) {
                    if (pA2_end_3 <= pA_2) {
                        if (i == first) {
                            #pragma unroll 4
                            for (int c = 0; c < 4; ++c) {
                                acc_2[c] = acc[c];
                            }
                        } else {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            storeVector(&C_vals[(long long)i * B2_dim + block_y * 4], acc);
                        }
                        #pragma unroll 4
                        for (int c = 0; c < 4; ++c) {
                            acc[c] = 0.0f;
                        }
                        ++i;
                        pA2_end_3 = A2_pos[i + 1];
                        if (pA2_end_3 <= pA_2) {
                            i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                            pA2_end_3 = A2_pos[i + 1];
                        }
                        last = i;
                    }
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val_batch[n] * B_vec_batch[n * 4 + ki];
                    }
                }
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
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            if (thread_x % 8 != 0) {
                storeVector(&C_vals[(long long)first * B2_dim + block_y * 4], acc_2);
            } else {
                addVector(&C_vals[(long long)first * B2_dim + block_y * 4], acc_2);
            }
        }
        const bool live = nnz_begin < nnz_end;
        const Segment segment = segmentsOf<8>(last);
        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = block_y * 4 + ki;
            segReduceGroup<float, 8, Add, Complete<Store>>(
                C_vals,
                (long long)last * B2_dim + k,
                acc[ki],
                segment,
                live);
        }
    } else {
        const int pA2_end = A2_pos[A1_dim];
        // split(pos, block, part, 2048); parallelize(block, GPUBlock, IgnoreRaces)
        // split(k, ko, ki, 4); parallelize(ko, GPUBlock, NoRaces)
        // split(part, lane, nnz, 8); parallelize(lane, GPUGroup(8), Segment)
        const int part_begin = block_x * 2048;
        const int part_end = min(part_begin + 2048, pA2_end);
        const int nnz_begin = min(part_begin + thread_x * 8, part_end);
        const int nnz_end = min(nnz_begin + 8, part_end);
        int pA = nnz_begin;
        int i = upperBound(A2_pos, 1, A1_dim, min(pA, pA2_end - 1)) - 1;
        const int first = i;
        int last = i;
        float acc_3[4] = {};
        float acc_4[4] = {};
        while (pA < nnz_end) {
            last = i;
            const int pA2_end_3 = min(A2_pos[i + 1], nnz_end);
            // split(part, lane, nnz, 8)
            for (int pA_2 = pA; pA_2 < pA2_end_3; ++pA_2) {
                const int j = A2_crd[pA_2];
                const float A_val_2 = A_vals[pA_2];
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = block_y * 4 + ki;
                    if (k < B2_dim) {
                        acc_3[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
            pA = pA2_end_3;
            if (pA < nnz_end) {
                if (i == first) {
                    #pragma unroll 4
                    for (int c = 0; c < 4; ++c) {
                        acc_4[c] = acc_3[c];
                    }
                } else {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = block_y * 4 + ki;
                        if (k < B2_dim) {
                            C_vals[(long long)i * B2_dim + k] = acc_3[ki];
                        }
                    }
                }
                #pragma unroll 4
                for (int c = 0; c < 4; ++c) {
                    acc_3[c] = 0.0f;
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
            const float next = nextInGroup<float, 8>(acc_4[c]);
            if (takes) {
                acc_3[c] += next;
            }
        }
        const int before = previousInGroup<int, 8>(last);
        if (several && before != first) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = block_y * 4 + ki;
                if (k < B2_dim) {
                    if (thread_x % 8 != 0) {
                        C_vals[(long long)first * B2_dim + k] = acc_4[ki];
                    } else {
                        atomicAdd(&C_vals[(long long)first * B2_dim + k], acc_4[ki]);
                    }
                }
            }
        }
        const bool live = nnz_begin < nnz_end;
        const Segment segment = segmentsOf<8>(last);
        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = block_y * 4 + ki;
            if (k < B2_dim) {
                segReduceGroup<float, 8, Add, Complete<Store>>(
                    C_vals,
                    (long long)last * B2_dim + k,
                    acc_3[ki],
                    segment,
                    live);
            }
        }
    }
}
