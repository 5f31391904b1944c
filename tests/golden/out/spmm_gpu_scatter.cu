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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
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
        // split(jpos, jpos0, jpos1, 8); parallelize(jpos1, GPUGroup(8), ReduceScatter)
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
    scatterGroup<float, 8, 4>(acc);
    if (live) {
        // split(k, kt, kii, 4)
        const int kii = thread_x % 8;
        if (kii < 4) {
            const int k = kt * 4 + kii;
            if (k < B2_dim) {
                C_vals[(long long)i * B2_dim + k] = acc[0];
            }
        }
    }
}
