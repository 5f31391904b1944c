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
    static __device__ __forceinline__ double combine(double a, double b) { return a + b; }
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

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256) block_spmv_1of32_row_4_col_32_scatter(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int mo_size = (A3_dim + 3) / 4;
    const long long tile_end = (long long)A1_dim * mo_size;
    // split(tile, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
    // split(tile, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 32;
    const int tile = block_x * 8 + warp;
    if (tile < tile_end) {
        const int i = tile / mo_size;
        const int mo = tile % mo_size;
        double acc[4] = {};
        // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ReduceScatter)
        const int lane = thread_x % 32;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(pos, step, lane, 32)
        for (int pA = pA2_begin + lane; pA < pA2_end; pA += 32) {
            const int j = A2_crd[pA];
            for (int l = 0; l < A4_dim; ++l) {
                // split(m, mo, mi, 4)
                #pragma unroll 4
                for (int mi = 0; mi < 4; ++mi) {
                    const int m = mo * 4 + mi;
                    if (m < A3_dim) {
                        acc[mi] += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                    }
                }
            }
        }
        scatterGroup<double, 32, 4>(acc);
        // split(m, mo, mi, 4)
        if (lane < 4) {
            const int m = mo * 4 + lane;
            if (m < A3_dim) {
                y_vals[(long long)i * A3_dim + m] = acc[0];
            }
        }
    }
}

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256) block_spmv_1of4_row_4_col_4_scatter(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int mo_size = (A3_dim + 3) / 4;
    const long long tile_end = (long long)A1_dim * mo_size;
    // split(tile, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
    // split(tile, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
    const int warp = thread_x / 4;
    const int tile = block_x * 64 + warp;
    const bool live = tile < tile_end;
    const int i = live ? tile / mo_size : 0;
    const int mo = live ? tile % mo_size : 0;
    double acc[4] = {};
    if (live) {
        // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ReduceScatter)
        const int lane = thread_x % 4;
        const int pA2_begin = A2_pos[i];
        const int pA2_end = A2_pos[i + 1];
        // split(pos, step, lane, 4)
        for (int pA = pA2_begin + lane; pA < pA2_end; pA += 4) {
            const int j = A2_crd[pA];
            for (int l = 0; l < A4_dim; ++l) {
                // split(m, mo, mi, 4)
                #pragma unroll 4
                for (int mi = 0; mi < 4; ++mi) {
                    const int m = mo * 4 + mi;
                    if (m < A3_dim) {
                        acc[mi] += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                    }
                }
            }
        }
    }
    scatterGroup<double, 4, 4>(acc);
    if (live) {
        // split(m, mo, mi, 4)
        const int mi = thread_x % 4;
        const int m = mo * 4 + mi;
        if (m < A3_dim) {
            y_vals[(long long)i * A3_dim + m] = acc[0];
        }
    }
}

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256) block_spmv_1_row_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (A3_dim % 2 == 0) {
        const int mo_size = (A3_dim + 1) / 2;
        const long long tile_end = (long long)A1_dim * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / mo_size;
            const int mo = tile % mo_size;
            double acc[2] = {};
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                for (int l = 0; l < A4_dim; ++l) {
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int mi = 0; mi < 2; ++mi) {
                        const int m = mo * 2 + mi;
                        acc[mi] += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                    }
                }
            }
            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
            storeVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
        }
    } else {
        const int mo_size = (A3_dim + 1) / 2;
        const long long tile_end = (long long)A1_dim * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / mo_size;
            const int mo = tile % mo_size;
            double acc_2[2] = {};
            for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
                const int j = A2_crd[pA];
                for (int l = 0; l < A4_dim; ++l) {
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int mi = 0; mi < 2; ++mi) {
                        const int m = mo * 2 + mi;
                        if (m < A3_dim) {
                            acc_2[mi] += A_vals[((long long)pA * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                        }
                    }
                }
            }
            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
            #pragma unroll 2
            for (int mi = 0; mi < 2; ++mi) {
                const int m = mo * 2 + mi;
                if (m < A3_dim) {
                    y_vals[(long long)i * A3_dim + m] = acc_2[mi];
                }
            }
        }
    }
}

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256, 4) block_spmv_8_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (A3_dim % 2 == 0) {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 7) / 8) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 8, pA2_end);
            const int nnz_end = min(nnz_begin + 8, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 8)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                acc[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    } else {
                        addVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 7) / 8) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 8, pA2_end);
            const int nnz_end = min(nnz_begin + 8, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc_2[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 8)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                if (m < A3_dim) {
                                    acc_2[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int mi = 0; mi < 2; ++mi) {
                        const int m = mo * 2 + mi;
                        if (m < A3_dim) {
                            if (first < i && pA < nnz_end) {
                                y_vals[(long long)i * A3_dim + m] = acc_2[mi];
                            } else {
                                atomicAdd(&y_vals[(long long)i * A3_dim + m], acc_2[mi]);
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

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256, 4) block_spmv_16_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (A3_dim % 2 == 0) {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                acc[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    } else {
                        addVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 15) / 16) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 16, pA2_end);
            const int nnz_end = min(nnz_begin + 16, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc_2[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 16)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                if (m < A3_dim) {
                                    acc_2[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int mi = 0; mi < 2; ++mi) {
                        const int m = mo * 2 + mi;
                        if (m < A3_dim) {
                            if (first < i && pA < nnz_end) {
                                y_vals[(long long)i * A3_dim + m] = acc_2[mi];
                            } else {
                                atomicAdd(&y_vals[(long long)i * A3_dim + m], acc_2[mi]);
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

// y[i, m] = A[i, j, m, l] * x[j, l];
extern "C" __global__ void __launch_bounds__(256, 4) block_spmv_32_nnz_2_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const double* __restrict__ x_vals, int A1_dim, int A3_dim, int A4_dim, double* __restrict__ y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (A3_dim % 2 == 0) {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 31) / 32) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 32, pA2_end);
            const int nnz_end = min(nnz_begin + 32, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 32)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                acc[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    if (first < i && pA < nnz_end) {
                        storeVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    } else {
                        addVector(&y_vals[(long long)i * A3_dim + mo * 2], acc);
                    }
                    ++i;
                    if (pA < nnz_end && A2_pos[i + 1] <= pA) {
                        i = gallop(A2_pos, i + 2, A1_dim, pA + 1) - 1;
                    }
                }
            }
        }
    } else {
        const int mo_size = (A3_dim + 1) / 2;
        const int pA2_end = A2_pos[A1_dim];
        const long long tile_end = (long long)((pA2_end + 31) / 32) * mo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / mo_size;
            const int mo = tile % mo_size;
            const int nnz_begin = min(chunk * 32, pA2_end);
            const int nnz_end = min(nnz_begin + 32, pA2_end);
            if (nnz_begin < nnz_end) {
                int pA = nnz_begin;
                int i = upperBound(A2_pos, 1, A1_dim, pA) - 1;
                const int first = i;
                while (pA < nnz_end) {
                    double acc_2[2] = {};
                    const int pA2_end_2 = min(A2_pos[i + 1], nnz_end);
                    // split(pos, chunk, nnz, 32)
                    for (int pA_2 = pA; pA_2 < pA2_end_2; ++pA_2) {
                        const int j = A2_crd[pA_2];
                        for (int l = 0; l < A4_dim; ++l) {
                            // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int mi = 0; mi < 2; ++mi) {
                                const int m = mo * 2 + mi;
                                if (m < A3_dim) {
                                    acc_2[mi] += A_vals[((long long)pA_2 * A3_dim + m) * A4_dim + l] * x_vals[(long long)j * A4_dim + l];
                                }
                            }
                        }
                    }
                    pA = pA2_end_2;
                    // split(m, mo, mi, 2); parallelize(mi, GPUVector, NoRaces)
                    #pragma unroll 2
                    for (int mi = 0; mi < 2; ++mi) {
                        const int m = mo * 2 + mi;
                        if (m < A3_dim) {
                            if (first < i && pA < nnz_end) {
                                y_vals[(long long)i * A3_dim + m] = acc_2[mi];
                            } else {
                                atomicAdd(&y_vals[(long long)i * A3_dim + m], acc_2[mi]);
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
