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

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) ttm_1of32_row_2_col_32_scatter_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 32;
        const int rowpos = block_x * 8 + warp;
        if (rowpos < pB2_end) {
            double acc[2] = {};
            // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ReduceScatter)
            const int lane = thread_x % 32;
            const int pB3_begin = B3_pos[rowpos];
            const int pB3_end = B3_pos[rowpos + 1];
            // split(pos, step, lane, 32)
            #pragma unroll 1  // a batch has its registers
            for (int batch = pB3_begin + lane; batch < pB3_end; batch += 128) {
                // the loads of four entries, which do not wait for each other
                double B_val_batch[4];
                double C_vec_batch[8];
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pB = batch + n_2 * 32;
                    if (pB < pB3_end) {
                        const int k = B3_crd[pB];
                        loadVector<2>(&C_vec_batch[n_2 * 2], &C_vals[(long long)k * C2_dim + block_y * 2]);
                        B_val_batch[n_2] = B_vals[pB];
                    }
                }
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pB = batch + n_2 * 32;
                    if (pB < pB3_end) {
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            acc[li] += B_val_batch[n_2] * C_vec_batch[n_2 * 2 + li];
                        }
                    }
                }
            }
            scatterGroup<double, 32, 2>(acc);
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            if (lane < 2) {
                const int l = block_y * 2 + lane;
                A_vals[(long long)rowpos * C2_dim + l] = acc[0];
            }
        }
    } else {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, warp, 8); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, warp, 8); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 32;
        const int rowpos = block_x * 8 + warp;
        if (rowpos < pB2_end) {
            double acc_2[2] = {};
            // split(pos, step, lane, 32); parallelize(lane, GPUGroup(32), ReduceScatter)
            const int lane = thread_x % 32;
            const int pB3_begin = B3_pos[rowpos];
            const int pB3_end = B3_pos[rowpos + 1];
            // split(pos, step, lane, 32)
            for (int pB = pB3_begin + lane; pB < pB3_end; pB += 32) {
                const int k = B3_crd[pB];
                const double B_val_2 = B_vals[pB];
                // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                #pragma unroll 2
                for (int li = 0; li < 2; ++li) {
                    const int l = block_y * 2 + li;
                    if (l < C2_dim) {
                        acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                    }
                }
            }
            scatterGroup<double, 32, 2>(acc_2);
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            if (lane < 2) {
                const int l = block_y * 2 + lane;
                if (l < C2_dim) {
                    A_vals[(long long)rowpos * C2_dim + l] = acc_2[0];
                }
            }
        }
    }
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) ttm_1of4_row_2_col_4_scatter_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int rowpos = block_x * 64 + warp;
        const bool live = rowpos < pB2_end;
        double acc[2] = {};
        if (live) {
            // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ReduceScatter)
            const int lane = thread_x % 4;
            const int pB3_begin = B3_pos[rowpos];
            const int pB3_end = B3_pos[rowpos + 1];
            // split(pos, step, lane, 4)
            #pragma unroll 1  // a batch has its registers
            for (int batch = pB3_begin + lane; batch < pB3_end; batch += 16) {
                // the loads of four entries, which do not wait for each other
                double B_val_batch[4];
                double C_vec_batch[8];
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pB = batch + n_2 * 4;
                    if (pB < pB3_end) {
                        const int k = B3_crd[pB];
                        loadVector<2>(&C_vec_batch[n_2 * 2], &C_vals[(long long)k * C2_dim + block_y * 2]);
                        B_val_batch[n_2] = B_vals[pB];
                    }
                }
                #pragma unroll 4
                for (int n_2 = 0; n_2 < 4; ++n_2) {
                    const int pB = batch + n_2 * 4;
                    if (pB < pB3_end) {
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            acc[li] += B_val_batch[n_2] * C_vec_batch[n_2 * 2 + li];
                        }
                    }
                }
            }
        }
        scatterGroup<double, 4, 2>(acc);
        if (live) {
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            const int li = thread_x % 4;
            if (li < 2) {
                const int l = block_y * 2 + li;
                A_vals[(long long)rowpos * C2_dim + l] = acc[0];
            }
        }
    } else {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, warp, 64); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, warp, 64); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int rowpos = block_x * 64 + warp;
        const bool live = rowpos < pB2_end;
        double acc_2[2] = {};
        if (live) {
            // split(pos, step, lane, 4); parallelize(lane, GPUGroup(4), ReduceScatter)
            const int lane = thread_x % 4;
            const int pB3_begin = B3_pos[rowpos];
            const int pB3_end = B3_pos[rowpos + 1];
            // split(pos, step, lane, 4)
            for (int pB = pB3_begin + lane; pB < pB3_end; pB += 4) {
                const int k = B3_crd[pB];
                const double B_val_2 = B_vals[pB];
                // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                #pragma unroll 2
                for (int li = 0; li < 2; ++li) {
                    const int l = block_y * 2 + li;
                    if (l < C2_dim) {
                        acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                    }
                }
            }
        }
        scatterGroup<double, 4, 2>(acc_2);
        if (live) {
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            const int li = thread_x % 4;
            if (li < 2) {
                const int l = block_y * 2 + li;
                if (l < C2_dim) {
                    A_vals[(long long)rowpos * C2_dim + l] = acc_2[0];
                }
            }
        }
    }
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256, 4) ttm_1_row_2_col_1_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int rowpos = block_x * 256 + thread_x;
        if (rowpos < pB2_end) {
            double acc[2] = {};
            const int pB_stop = B3_pos[rowpos + 1];
            #pragma unroll 1  // a batch has its registers
            for (int batch = B3_pos[rowpos]; batch < pB_stop; batch += 4) {
                // the loads of four entries, which do not wait for each other
                double B_val_batch[4];
                double C_vec_batch[8];
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pB = batch + n;
                    if (pB < pB_stop) {
                        const int k = B3_crd[pB];
                        loadVector<2>(&C_vec_batch[n * 2], &C_vals[(long long)k * C2_dim + block_y * 2]);
                        B_val_batch[n] = B_vals[pB];
                    }
                }
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pB = batch + n;
                    if (pB < pB_stop) {
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            acc[li] += B_val_batch[n] * C_vec_batch[n * 2 + li];
                        }
                    }
                }
            }
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            storeVector(&A_vals[(long long)rowpos * C2_dim + block_y * 2], acc);
        }
    } else {
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        // split(rowpos, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(l, lo, li, 2); parallelize(lo, GPUBlock, NoRaces)
        // split(rowpos, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int rowpos = block_x * 256 + thread_x;
        if (rowpos < pB2_end) {
            double acc_2[2] = {};
            for (int pB = B3_pos[rowpos], pB_end = B3_pos[rowpos + 1]; pB < pB_end; ++pB) {
                const int k = B3_crd[pB];
                const double B_val_2 = B_vals[pB];
                // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                #pragma unroll 2
                for (int li = 0; li < 2; ++li) {
                    const int l = block_y * 2 + li;
                    if (l < C2_dim) {
                        acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                    }
                }
            }
            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
            #pragma unroll 2
            for (int li = 0; li < 2; ++li) {
                const int l = block_y * 2 + li;
                if (l < C2_dim) {
                    A_vals[(long long)rowpos * C2_dim + l] = acc_2[li];
                }
            }
        }
    }
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) ttm_8_nnz_2_col_1_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 7) / 8) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 8, pB3_end);
            const int nnz_end = min(nnz_begin + 8, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 8)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            double C_vec[2];
                            loadVector(C_vec, &C_vals[(long long)k * C2_dim + lo * 2]);
                            const double B_val = B_vals[pB_2];
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                acc[li] += B_val * C_vec[li];
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        if (first < pB2 && pB < nnz_end) {
                            storeVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        } else {
                            addVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    } else {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 7) / 8) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 8, pB3_end);
            const int nnz_end = min(nnz_begin + 8, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc_2[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 8)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            const double B_val_2 = B_vals[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                const int l = lo * 2 + li;
                                if (l < C2_dim) {
                                    acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                                }
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            const int l = lo * 2 + li;
                            if (l < C2_dim) {
                                if (first < pB2 && pB < nnz_end) {
                                    A_vals[(long long)pB2 * C2_dim + l] = acc_2[li];
                                } else {
                                    atomicAdd(&A_vals[(long long)pB2 * C2_dim + l], acc_2[li]);
                                }
                            }
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    }
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) ttm_16_nnz_2_col_1_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 15) / 16) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 16, pB3_end);
            const int nnz_end = min(nnz_begin + 16, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 16)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            double C_vec[2];
                            loadVector(C_vec, &C_vals[(long long)k * C2_dim + lo * 2]);
                            const double B_val = B_vals[pB_2];
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                acc[li] += B_val * C_vec[li];
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        if (first < pB2 && pB < nnz_end) {
                            storeVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        } else {
                            addVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    } else {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 15) / 16) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 16, pB3_end);
            const int nnz_end = min(nnz_begin + 16, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc_2[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 16)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            const double B_val_2 = B_vals[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                const int l = lo * 2 + li;
                                if (l < C2_dim) {
                                    acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                                }
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            const int l = lo * 2 + li;
                            if (l < C2_dim) {
                                if (first < pB2 && pB < nnz_end) {
                                    A_vals[(long long)pB2 * C2_dim + l] = acc_2[li];
                                } else {
                                    atomicAdd(&A_vals[(long long)pB2 * C2_dim + l], acc_2[li]);
                                }
                            }
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    }
}

// A[i, j, l] = B[i, j, k] * C[k, l];
extern "C" __global__ void __launch_bounds__(256) ttm_32_nnz_2_col_1_vector(
    const int* __restrict__ B1_pos, const int* __restrict__ B2_pos, const int* __restrict__ B3_pos,
    const int* __restrict__ B3_crd, const double* __restrict__ B_vals, const double* __restrict__ C_vals,
    int C2_dim, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 2 == 0) {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 31) / 32) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 32, pB3_end);
            const int nnz_end = min(nnz_begin + 32, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 32)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            double C_vec[2];
                            loadVector(C_vec, &C_vals[(long long)k * C2_dim + lo * 2]);
                            const double B_val = B_vals[pB_2];
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                acc[li] += B_val * C_vec[li];
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        if (first < pB2 && pB < nnz_end) {
                            storeVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        } else {
                            addVector(&A_vals[(long long)pB2 * C2_dim + lo * 2], acc);
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    } else {
        const int lo_size = (C2_dim + 1) / 2;
        const int pB1_end = B1_pos[1];
        const int pB2_end = B2_pos[pB1_end];
        const int pB3_end = B3_pos[pB2_end];
        const long long tile_end = (long long)((pB3_end + 31) / 32) * lo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, IgnoreRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, Atomics)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int chunk = tile / lo_size;
            const int lo = tile % lo_size;
            const int nnz_begin = min(chunk * 32, pB3_end);
            const int nnz_end = min(nnz_begin + 32, pB3_end);
            if (nnz_begin < nnz_end) {
                int pB = nnz_begin;
                int pB2 = upperBound(B3_pos, 1, pB2_end, pB) - 1;
                int pB1 = upperBound(B2_pos, 1, pB1_end, pB2) - 1;
                const int first = pB2;
                while (pB < nnz_end) {
                    const int pB2_end_3 = B2_pos[pB1 + 1];
                    while (pB < nnz_end && pB2 < pB2_end_3) {
                        double acc_2[2] = {};
                        const int pB3_end_2 = min(B3_pos[pB2 + 1], nnz_end);
                        // split(pos, chunk, nnz, 32)
                        for (int pB_2 = pB; pB_2 < pB3_end_2; ++pB_2) {
                            const int k = B3_crd[pB_2];
                            const double B_val_2 = B_vals[pB_2];
                            // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                            #pragma unroll 2
                            for (int li = 0; li < 2; ++li) {
                                const int l = lo * 2 + li;
                                if (l < C2_dim) {
                                    acc_2[li] += B_val_2 * C_vals[(long long)k * C2_dim + l];
                                }
                            }
                        }
                        pB = pB3_end_2;
                        // split(l, lo, li, 2); parallelize(li, GPUVector, NoRaces)
                        #pragma unroll 2
                        for (int li = 0; li < 2; ++li) {
                            const int l = lo * 2 + li;
                            if (l < C2_dim) {
                                if (first < pB2 && pB < nnz_end) {
                                    A_vals[(long long)pB2 * C2_dim + l] = acc_2[li];
                                } else {
                                    atomicAdd(&A_vals[(long long)pB2 * C2_dim + l], acc_2[li]);
                                }
                            }
                        }
                        ++pB2;
                    }
                    ++pB1;
                }
            }
        }
    }
}
