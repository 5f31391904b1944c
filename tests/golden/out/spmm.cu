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
extern "C" __global__ void __launch_bounds__(256, 4) spmm_1of32_row_4_col_32_scatter_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 32;
        const int tile = block_x * 8 + warp;
        if (tile < tile_end) {
            const int i = tile / ko_size;
            const int ko = tile % ko_size;
            float acc[4] = {};
            // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ReduceScatter)
            const int lane = thread_x % 32;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 32)
            #pragma unroll 1  // a batch has its registers
            for (int batch = pA2_begin + lane; batch < pA2_end; batch += 128) {
                // the loads of four entries, which do not wait for each other
                float A_val_batch[4];
                float B_vec_batch[16];
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pA = batch + n_2 * 32;
                    if (pA < pA2_end) {
                        const int j = A2_crd[pA];
                        loadVector<4>(&B_vec_batch[n_2 * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                        A_val_batch[n_2] = A_vals[pA];
                    }
                }
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pA = batch + n_2 * 32;
                    if (pA < pA2_end) {
                        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            acc[ki] += A_val_batch[n_2] * B_vec_batch[n_2 * 4 + ki];
                        }
                    }
                }
            }
            scatterGroup<float, 32, 4>(acc);
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            if (lane < 4) {
                const int k = ko * 4 + lane;
                C_vals[(long long)i * B2_dim + k] = acc[0];
            }
        }
    } else {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 32;
        const int tile = block_x * 8 + warp;
        if (tile < tile_end) {
            const int i = tile / ko_size;
            const int ko = tile % ko_size;
            float acc_2[4] = {};
            // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ReduceScatter)
            const int lane = thread_x % 32;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 32)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 32) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = ko * 4 + ki;
                    if (k < B2_dim) {
                        acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
            scatterGroup<float, 32, 4>(acc_2);
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            if (lane < 4) {
                const int k = ko * 4 + lane;
                if (k < B2_dim) {
                    C_vals[(long long)i * B2_dim + k] = acc_2[0];
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_1of4_row_4_col_4_scatter_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int tile = block_x * 64 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc[4] = {};
        if (live) {
            // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ReduceScatter)
            const int lane = thread_x % 4;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 4)
            #pragma unroll 1  // a batch has its registers
            for (int batch = pA2_begin + lane; batch < pA2_end; batch += 16) {
                // the loads of four entries, which do not wait for each other
                float A_val_batch[4];
                float B_vec_batch[16];
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pA = batch + n_2 * 4;
                    if (pA < pA2_end) {
                        const int j = A2_crd[pA];
                        loadVector<4>(&B_vec_batch[n_2 * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                        A_val_batch[n_2] = A_vals[pA];
                    }
                }
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pA = batch + n_2 * 4;
                    if (pA < pA2_end) {
                        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            acc[ki] += A_val_batch[n_2] * B_vec_batch[n_2 * 4 + ki];
                        }
                    }
                }
            }
        }
        scatterGroup<float, 4, 4>(acc);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 4;
            const int k = ko * 4 + ki;
            C_vals[(long long)i * B2_dim + k] = acc[0];
        }
    } else {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int tile = block_x * 64 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc_2[4] = {};
        if (live) {
            // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ReduceScatter)
            const int lane = thread_x % 4;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 4)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 4) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = ko * 4 + ki;
                    if (k < B2_dim) {
                        acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
        }
        scatterGroup<float, 4, 4>(acc_2);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 4;
            const int k = ko * 4 + ki;
            if (k < B2_dim) {
                C_vals[(long long)i * B2_dim + k] = acc_2[0];
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_1_row_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / ko_size;
            const int ko = tile % ko_size;
            float acc[4] = {};
            const int pA_stop = A2_pos[i + 1];
            #pragma unroll 1  // a batch has its registers
            for (int batch = A2_pos[i]; batch < pA_stop; batch += 4) {
                // the loads of four entries, which do not wait for each other
                float A_val_batch[4];
                float B_vec_batch[16];
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n;
                    if (pA < pA_stop) {
                        const int j = A2_crd[pA];
                        loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                        A_val_batch[n] = A_vals[pA];
                    }
                }
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n;
                    if (pA < pA_stop) {
                        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            acc[ki] += A_val_batch[n] * B_vec_batch[n * 4 + ki];
                        }
                    }
                }
            }
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            storeVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
        }
    } else {
        const int ko_size = (B2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / ko_size;
            const int ko = tile % ko_size;
            float acc_2[4] = {};
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int k = ko * 4 + ki;
                    if (k < B2_dim) {
                        acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                    }
                }
            }
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = ko * 4 + ki;
                if (k < B2_dim) {
                    C_vals[(long long)i * B2_dim + k] = acc_2[ki];
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_8_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 2 == 0) {
        const int ko_size = (B2_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 7) / 8) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 8, pA2_end);
            const int nnz_end = min(nnz_begin + 8, pA2_end);
            if (nnz_begin < nnz_end) {
                int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
                const int first = i;
                float acc[2] = {};
                int pA2_end_2 = A2_pos[i + 1];
                // split(pos, chunk, nnz, 8)
                #pragma unroll 1  // a batch has its registers
                for (int batch = nnz_begin; batch < nnz_end; batch += 4) {
                    // the loads of four entries, which do not wait for each other
                    float A_val_batch[4];
                    float B_vec_batch[8];
                    int A2_crd_batch[4];
                    if (batch + 4 <= nnz_end && batch % 4 == 0) {
                        loadVector<4>(&A2_crd_batch[0], &A2_crd[batch]);
                        loadVector<4>(&A_val_batch[0], &A_vals[batch]);
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int j = A2_crd_batch[n];
                            loadVector<2>(&B_vec_batch[n * 2], &B_vals[(long long)j * B2_dim + ko * 2]);
                        }
                    } else {
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int pA_2 = batch + n;
                            if (pA_2 < nnz_end) {
                                const int j = A2_crd[pA_2];
                                loadVector<2>(&B_vec_batch[n * 2], &B_vals[(long long)j * B2_dim + ko * 2]);
                                A_val_batch[n] = A_vals[pA_2];
                            }
                        }
                    }
                    #pragma unroll 4
                    for (int n = 0; n < 4; ++n) {
                        const int pA_2 = batch + n;
                        if (pA_2 < nnz_end) {
                            if (pA2_end_2 <= pA_2) {
                                // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                                if (first < i) {
                                    storeVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
                                } else {
                                    addVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
                                }
                                #pragma unroll 2
                                for (int c = 0; c < 2; ++c) {
                                    acc[c] = 0.0f;
                                }
                                ++i;
                                pA2_end_2 = A2_pos[i + 1];
                                if (pA2_end_2 <= pA_2) {
                                    i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                                    pA2_end_2 = A2_pos[i + 1];
                                }
                            }
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                acc[ki] += A_val_batch[n] * B_vec_batch[n * 2 + ki];
                            }
                        }
                    }
                }
                // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                addVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
            }
        }
    } else {
        const int ko_size = (B2_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 7) / 8) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 8, pA2_end);
            const int nnz_end = min(nnz_begin + 8, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc_2[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 8)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val_2 = A_vals[pA_2];
                        // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int ki = 0; ki < 2; ++ki) {
                            const int k = ko * 2 + ki;
                            if (k < B2_dim) {
                                acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int ki = 0; ki < 2; ++ki) {
                        const int k = ko * 2 + ki;
                        if (k < B2_dim) {
                            if (first < i && pA < nnz_end) {
                                C_vals[(long long)i * B2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&C_vals[(long long)i * B2_dim + k], acc_2[ki]);
                            }
                        }
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_16_nnz_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int ko_size = (B2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
                const int first = i;
                float acc[4] = {};
                int pA2_end_2 = A2_pos[i + 1];
                // split(pos, chunk, nnz, 16)
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
                            loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                        }
                    } else {
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int pA_2 = batch + n;
                            if (pA_2 < nnz_end) {
                                const int j = A2_crd[pA_2];
                                loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                                A_val_batch[n] = A_vals[pA_2];
                            }
                        }
                    }
                    #pragma unroll 4
                    for (int n = 0; n < 4; ++n) {
                        const int pA_2 = batch + n;
                        if (pA_2 < nnz_end) {
                            if (pA2_end_2 <= pA_2) {
                                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                                if (first < i) {
                                    storeVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
                                } else {
                                    addVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
                                }
                                #pragma unroll 4
                                for (int c = 0; c < 4; ++c) {
                                    acc[c] = 0.0f;
                                }
                                ++i;
                                pA2_end_2 = A2_pos[i + 1];
                                if (pA2_end_2 <= pA_2) {
                                    i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                                    pA2_end_2 = A2_pos[i + 1];
                                }
                            }
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[ki] += A_val_batch[n] * B_vec_batch[n * 4 + ki];
                            }
                        }
                    }
                }
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                addVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
            }
        }
    } else {
        const int ko_size = (B2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc_2[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val_2 = A_vals[pA_2];
                        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            const int k = ko * 4 + ki;
                            if (k < B2_dim) {
                                acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < B2_dim) {
                            if (first < i && pA < nnz_end) {
                                C_vals[(long long)i * B2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&C_vals[(long long)i * B2_dim + k], acc_2[ki]);
                            }
                        }
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_16_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 2 == 0) {
        const int ko_size = (B2_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
                const int first = i;
                float acc[2] = {};
                int pA2_end_2 = A2_pos[i + 1];
                // split(pos, chunk, nnz, 16)
                #pragma unroll 1  // a batch has its registers
                for (int batch = nnz_begin; batch < nnz_end; batch += 4) {
                    // the loads of four entries, which do not wait for each other
                    float A_val_batch[4];
                    float B_vec_batch[8];
                    int A2_crd_batch[4];
                    if (batch + 4 <= nnz_end && batch % 4 == 0) {
                        loadVector<4>(&A2_crd_batch[0], &A2_crd[batch]);
                        loadVector<4>(&A_val_batch[0], &A_vals[batch]);
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int j = A2_crd_batch[n];
                            loadVector<2>(&B_vec_batch[n * 2], &B_vals[(long long)j * B2_dim + ko * 2]);
                        }
                    } else {
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int pA_2 = batch + n;
                            if (pA_2 < nnz_end) {
                                const int j = A2_crd[pA_2];
                                loadVector<2>(&B_vec_batch[n * 2], &B_vals[(long long)j * B2_dim + ko * 2]);
                                A_val_batch[n] = A_vals[pA_2];
                            }
                        }
                    }
                    #pragma unroll 4
                    for (int n = 0; n < 4; ++n) {
                        const int pA_2 = batch + n;
                        if (pA_2 < nnz_end) {
                            if (pA2_end_2 <= pA_2) {
                                // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                                if (first < i) {
                                    storeVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
                                } else {
                                    addVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
                                }
                                #pragma unroll 2
                                for (int c = 0; c < 2; ++c) {
                                    acc[c] = 0.0f;
                                }
                                ++i;
                                pA2_end_2 = A2_pos[i + 1];
                                if (pA2_end_2 <= pA_2) {
                                    i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                                    pA2_end_2 = A2_pos[i + 1];
                                }
                            }
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                acc[ki] += A_val_batch[n] * B_vec_batch[n * 2 + ki];
                            }
                        }
                    }
                }
                // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                addVector(&C_vals[(long long)i * B2_dim + ko * 2], acc);
            }
        }
    } else {
        const int ko_size = (B2_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc_2[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val_2 = A_vals[pA_2];
                        // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int ki = 0; ki < 2; ++ki) {
                            const int k = ko * 2 + ki;
                            if (k < B2_dim) {
                                acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int ki = 0; ki < 2; ++ki) {
                        const int k = ko * 2 + ki;
                        if (k < B2_dim) {
                            if (first < i && pA < nnz_end) {
                                C_vals[(long long)i * B2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&C_vals[(long long)i * B2_dim + k], acc_2[ki]);
                            }
                        }
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm_32_nnz_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        const int ko_size = (B2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 31) / 32) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 32, pA2_end);
            const int nnz_end = min(nnz_begin + 32, pA2_end);
            if (nnz_begin < nnz_end) {
                int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
                const int first = i;
                float acc[4] = {};
                int pA2_end_2 = A2_pos[i + 1];
                // split(pos, chunk, nnz, 32)
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
                            loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                        }
                    } else {
                        #pragma unroll 4
                        for (int n = 0; n < 4; ++n) {
                            const int pA_2 = batch + n;
                            if (pA_2 < nnz_end) {
                                const int j = A2_crd[pA_2];
                                loadVector<4>(&B_vec_batch[n * 4], &B_vals[(long long)j * B2_dim + ko * 4]);
                                A_val_batch[n] = A_vals[pA_2];
                            }
                        }
                    }
                    #pragma unroll 4
                    for (int n = 0; n < 4; ++n) {
                        const int pA_2 = batch + n;
                        if (pA_2 < nnz_end) {
                            if (pA2_end_2 <= pA_2) {
                                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                                if (first < i) {
                                    storeVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
                                } else {
                                    addVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
                                }
                                #pragma unroll 4
                                for (int c = 0; c < 4; ++c) {
                                    acc[c] = 0.0f;
                                }
                                ++i;
                                pA2_end_2 = A2_pos[i + 1];
                                if (pA2_end_2 <= pA_2) {
                                    i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                                    pA2_end_2 = A2_pos[i + 1];
                                }
                            }
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[ki] += A_val_batch[n] * B_vec_batch[n * 4 + ki];
                            }
                        }
                    }
                }
                // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                addVector(&C_vals[(long long)i * B2_dim + ko * 4], acc);
            }
        }
    } else {
        const int ko_size = (B2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 31) / 32) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 32, pA2_end);
            const int nnz_end = min(nnz_begin + 32, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc_2[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 32)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val_2 = A_vals[pA_2];
                        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            const int k = ko * 4 + ki;
                            if (k < B2_dim) {
                                acc_2[ki] += A_val_2 * B_vals[(long long)j * B2_dim + k];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < B2_dim) {
                            if (first < i && pA < nnz_end) {
                                C_vals[(long long)i * B2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&C_vals[(long long)i * B2_dim + k], acc_2[ki]);
                            }
                        }
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    }
}
