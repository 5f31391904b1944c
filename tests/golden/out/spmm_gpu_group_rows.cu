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
extern "C" __global__ void __launch_bounds__(256) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int kt_size = (B2_dim + 3) / 4;
    const long long tile_end = (long long)((A1_dim + 1) / 2) * kt_size;
    // split(tile, ko, warp, 32); parallelize(ko, GPUBlock, NoRaces)
    // split(tile, ko, warp, 32); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 8;
    const int tile = block_x * 32 + warp;
    const bool live = tile < tile_end;
    const int io = live ? tile / kt_size : 0;
    const int kt = live ? tile % kt_size : 0;
    // split(i, io, rr, 2); unroll(rr, 2)
    #pragma unroll 2
    for (int rr = 0; rr < 2; ++rr) {
        const int i = io * 2 + rr;
        const bool live_2 = live && i < A1_dim;
        float acc[4] = {};
        if (live_2) {
            // split(jpos, jpos0, jpos1, 8); parallelize(jpos1, GPUGroup(8), ParallelReduction)
            const int jpos1 = thread_x % 8;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(jpos, jpos0, jpos1, 8)
            for (int pA = pA2_begin + jpos1; pA < pA2_end; pA += 8) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                // split(k, kt, kii, 4)
                #pragma unroll 4
                for (int kii = 0; kii < 4; ++kii) {
                    const int k = kt * 4 + kii;
                    if (k < B2_dim) {
                        acc[kii] += A_val * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
        }
        // split(k, kt, kii, 4)
        #pragma unroll 4
        for (int kii = 0; kii < 4; ++kii) {
            const int k = kt * 4 + kii;
            const bool live_3 = live_2 && k < B2_dim;
            writeGroup<float, 8, Add, Store>(
                C_vals,
                (long long)i * B2_dim + k,
                live_3 ? acc[kii] : 0.0f,
                live_3);
        }
    }
}
