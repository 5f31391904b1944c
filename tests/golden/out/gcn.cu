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

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256) gcn_1of16_row_4_col_16_scatter_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 16); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 16); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 16;
        const int tile = block_x * 16 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc[4] = {};
        if (live) {
            // split(pos, step, lane, 16); parallelize(lane, GPUGroup(16), ReduceScatter)
            const int lane = thread_x % 16;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 16)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 16) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    float W_vec[4];
                    loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                    }
                }
            }
        }
        scatterGroup<float, 16, 4>(acc);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 16;
            if (ki < 4) {
                const int k = ko * 4 + ki;
                Y_vals[(long long)i * W2_dim + k] = acc[0];
            }
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 16); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 16); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 16;
        const int tile = block_x * 16 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc_2[4] = {};
        if (live) {
            // split(pos, step, lane, 16); parallelize(lane, GPUGroup(16), ReduceScatter)
            const int lane = thread_x % 16;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 16)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 16) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                        }
                    }
                }
            }
        }
        scatterGroup<float, 16, 4>(acc_2);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 16;
            if (ki < 4) {
                const int k = ko * 4 + ki;
                if (k < W2_dim) {
                    Y_vals[(long long)i * W2_dim + k] = acc_2[0];
                }
            }
        }
    }
}

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256) gcn_1of4_row_4_col_4_scatter_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
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
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 4) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    float W_vec[4];
                    loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                    }
                }
            }
        }
        scatterGroup<float, 4, 4>(acc);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 4;
            const int k = ko * 4 + ki;
            Y_vals[(long long)i * W2_dim + k] = acc[0];
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
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
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                        }
                    }
                }
            }
        }
        scatterGroup<float, 4, 4>(acc_2);
        if (live) {
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            const int ki = thread_x % 4;
            const int k = ko * 4 + ki;
            if (k < W2_dim) {
                Y_vals[(long long)i * W2_dim + k] = acc_2[0];
            }
        }
    }
}

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256) gcn_1of2_row_4_col_2_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 128); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 128); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 2;
        const int tile = block_x * 128 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc[4] = {};
        if (live) {
            // split(pos, step, lane, 2); parallelize(lane, GPUGroup(2), ParallelReduction)
            const int lane = thread_x % 2;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 2)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 2) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    float W_vec[4];
                    loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                    }
                }
            }
        }
        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = ko * 4 + ki;
            writeGroup<float, 2, Add, Store>(Y_vals, (long long)i * W2_dim + k, live ? acc[ki] : 0.0f, live);
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, warp, 128); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, warp, 128); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 2;
        const int tile = block_x * 128 + warp;
        const bool live = tile < tile_end;
        const int i = live ? tile / ko_size : 0;
        const int ko = live ? tile % ko_size : 0;
        float acc_2[4] = {};
        if (live) {
            // split(pos, step, lane, 2); parallelize(lane, GPUGroup(2), ParallelReduction)
            const int lane = thread_x % 2;
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            // split(pos, step, lane, 2)
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 2) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                        }
                    }
                }
            }
        }
        // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
        #pragma unroll 4
        for (int ki = 0; ki < 4; ++ki) {
            const int k = ko * 4 + ki;
            const bool live_2 = live && k < W2_dim;
            writeGroup<float, 2, Add, Store>(
                Y_vals,
                (long long)i * W2_dim + k,
                live_2 ? acc_2[ki] : 0.0f,
                live_2);
        }
    }
}

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256) gcn_1_row_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / ko_size;
            const int ko = tile % ko_size;
            float acc[4] = {};
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    float W_vec[4];
                    loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                    }
                }
            }
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            storeVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
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
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                        }
                    }
                }
            }
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            #pragma unroll 4
            for (int ki = 0; ki < 4; ++ki) {
                const int k = ko * 4 + ki;
                if (k < W2_dim) {
                    Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                }
            }
        }
    }
}

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256) gcn_1of32_row_4_col_32_scatter_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
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
            for (int pA = pA2_begin + lane; pA < pA2_end; pA += 32) {
                const int j = A2_crd[pA];
                const float A_val = A_vals[pA];
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    float W_vec[4];
                    loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                    }
                }
            }
            scatterGroup<float, 32, 4>(acc);
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            if (lane < 4) {
                const int k = ko * 4 + lane;
                Y_vals[(long long)i * W2_dim + k] = acc[0];
            }
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
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
                for (int l = 0; l < X2_dim; ++l) {
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                        }
                    }
                }
            }
            scatterGroup<float, 32, 4>(acc_2);
            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
            if (lane < 4) {
                const int k = ko * 4 + lane;
                if (k < W2_dim) {
                    Y_vals[(long long)i * W2_dim + k] = acc_2[0];
                }
            }
        }
    }
}

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256, 4) gcn_4_nnz_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 3) / 4) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 4, pA2_end);
            const int nnz_end = min(nnz_begin + 4, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 4)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            float W_vec[4];
                            loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    } else {
                        addVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 3) / 4) * ko_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / ko_size;
            const int ko = tile % ko_size;
            const int nnz_begin = min(chunk * 4, pA2_end);
            const int nnz_end = min(nnz_begin + 4, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    float acc_2[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 4)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val_2 = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                const int k = ko * 4 + ki;
                                if (k < W2_dim) {
                                    acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            if (first < i && pA < nnz_end) {
                                Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&Y_vals[(long long)i * W2_dim + k], acc_2[ki]);
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

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256, 4) gcn_8_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 2 == 0) {
        const int ko_size = (W2_dim + 1) / 2;
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
                    float acc[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 8)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            float W_vec[2];
                            loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 2]);
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&Y_vals[(long long)i * W2_dim + ko * 2], acc);
                    } else {
                        addVector(&Y_vals[(long long)i * W2_dim + ko * 2], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int ko_size = (W2_dim + 1) / 2;
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
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                const int k = ko * 2 + ki;
                                if (k < W2_dim) {
                                    acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int ki = 0; ki < 2; ++ki) {
                        const int k = ko * 2 + ki;
                        if (k < W2_dim) {
                            if (first < i && pA < nnz_end) {
                                Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&Y_vals[(long long)i * W2_dim + k], acc_2[ki]);
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

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256, 4) gcn_16_nnz_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
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
                    float acc[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            float W_vec[4];
                            loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    } else {
                        addVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
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
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                const int k = ko * 4 + ki;
                                if (k < W2_dim) {
                                    acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            if (first < i && pA < nnz_end) {
                                Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&Y_vals[(long long)i * W2_dim + k], acc_2[ki]);
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

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256, 4) gcn_16_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 2 == 0) {
        const int ko_size = (W2_dim + 1) / 2;
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
                    float acc[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            float W_vec[2];
                            loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 2]);
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&Y_vals[(long long)i * W2_dim + ko * 2], acc);
                    } else {
                        addVector(&Y_vals[(long long)i * W2_dim + ko * 2], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int ko_size = (W2_dim + 1) / 2;
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
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int ki = 0; ki < 2; ++ki) {
                                const int k = ko * 2 + ki;
                                if (k < W2_dim) {
                                    acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 2); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int ki = 0; ki < 2; ++ki) {
                        const int k = ko * 2 + ki;
                        if (k < W2_dim) {
                            if (first < i && pA < nnz_end) {
                                Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&Y_vals[(long long)i * W2_dim + k], acc_2[ki]);
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

// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
extern "C" __global__ void __launch_bounds__(256, 4) gcn_32_nnz_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int A1_dim, int W2_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (W2_dim % 4 == 0) {
        const int ko_size = (W2_dim + 3) / 4;
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
                    float acc[4] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 32)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        const float A_val = A_vals[pA_2];
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            float W_vec[4];
                            loadVector(W_vec, &W_vals[(long long)l * W2_dim + ko * 4]);
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[ki] += A_val * X_vals[(long long)j * X2_dim + l] * W_vec[ki];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    } else {
                        addVector(&Y_vals[(long long)i * W2_dim + ko * 4], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int ko_size = (W2_dim + 3) / 4;
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
                        for (int l = 0; l < X2_dim; ++l) {
                            // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                const int k = ko * 4 + ki;
                                if (k < W2_dim) {
                                    acc_2[ki] += A_val_2 * X_vals[(long long)j * X2_dim + l] * W_vals[(long long)l * W2_dim + k];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(k, ko, ki, 4); parallelize(ki, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        const int k = ko * 4 + ki;
                        if (k < W2_dim) {
                            if (first < i && pA < nnz_end) {
                                Y_vals[(long long)i * W2_dim + k] = acc_2[ki];
                            } else {
                                atomicAdd(&Y_vals[(long long)i * W2_dim + k], acc_2[ki]);
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
