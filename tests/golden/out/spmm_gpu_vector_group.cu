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

// The group's values are reduced; its first lane writes the result, if the element exists.
template <typename T, int G, typename Op, typename Writer, typename Lanes = WholeWarp>
__device__ __forceinline__ void writeGroup(T* array, long long index, T value, bool exists = true) {
    value = reduceGroup<T, G, Op, Lanes>(value);
    if (threadIdx.x % G == 0 && exists) Writer::template write<Op>(array + index, value);
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int kt_size = (B2_dim + 3) / 4;
        const long long io_end = (long long)A1_dim * kt_size;
        // split(io, ko, warp, 32); parallelize(ko, GPUBlock, NoRaces)
        // split(io, ko, warp, 32); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 8;
        const int io = block_x * 32 + warp;
        const bool live = io < io_end;
        const int i = live ? io / kt_size : 0;
        const int kt = live ? io % kt_size : 0;
        float acc[4] = {};
        if (live) {
            // split(jpos, jpos0, jpos1, 8); parallelize(jpos1, GPUGroup(8), ParallelReduction)
            const int jpos1 = thread_x % 8;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(jpos, jpos0, jpos1, 8)
            #pragma unroll 1  // a batch has its registers
            for (int batch = pA2_begin + jpos1; batch < pA2_end; batch += 32) {
                // the loads of four entries, which do not wait for each other
                float A_val_batch[4];
                float B_vec_batch[16];
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n * 8;
                    if (pA < pA2_end) {
                        const int j = A2_crd[pA];
                        loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + kt * 4]);
                        A_val_batch[n] = A_vals[pA];
                    }
                }
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n * 8;
                    if (pA < pA2_end) {
                        // split(k, kt, kii, 4); parallelize(kii, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int kii = 0; kii < 4; ++kii) {
                            acc[kii] += A_val_batch[n] * B_vec_batch[n * 4 + kii];
                        }
                    }
                }
            }
        }
        // split(k, kt, kii, 4); parallelize(kii, GPUVector, NoRaces)
        #pragma unroll 4
        for (int kii = 0; kii < 4; ++kii) {
            const int k = kt * 4 + kii;
            writeGroup<float, 8, Add, Store>(C_vals, (long long)i * B2_dim + k, live ? acc[kii] : 0.0f, live);
        }
    } else {
        const int kt_size = (B2_dim + 3) / 4;
        const long long io_end = (long long)A1_dim * kt_size;
        // split(io, ko, warp, 32); parallelize(ko, GPUBlock, NoRaces)
        // split(io, ko, warp, 32); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 8;
        const int io = block_x * 32 + warp;
        const bool live = io < io_end;
        const int i = live ? io / kt_size : 0;
        const int kt = live ? io % kt_size : 0;
        float acc_2[4] = {};
        if (live) {
            // split(jpos, jpos0, jpos1, 8); parallelize(jpos1, GPUGroup(8), ParallelReduction)
            const int jpos1 = thread_x % 8;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(jpos, jpos0, jpos1, 8)
            for (int pA = pA2_begin + jpos1; pA < pA2_end; pA += 8) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                // split(k, kt, kii, 4); parallelize(kii, GPUVector, NoRaces)
                #pragma unroll 4
                for (int kii = 0; kii < 4; ++kii) {
                    const int k = kt * 4 + kii;
                    if (k < B2_dim) {
                        acc_2[kii] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
        }
        // split(k, kt, kii, 4); parallelize(kii, GPUVector, NoRaces)
        #pragma unroll 4
        for (int kii = 0; kii < 4; ++kii) {
            const int k = kt * 4 + kii;
            const bool live_2 = live && k < B2_dim;
            writeGroup<float, 8, Add, Store>(
                C_vals,
                (long long)i * B2_dim + k,
                live_2 ? acc_2[kii] : 0.0f,
                live_2);
        }
    }
}
