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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spmm(
    const float* __restrict__ B_vals, const int* __restrict__ A2_pos, const int* __restrict__ A2_crd,
    const float* __restrict__ A_vals, int A1_dim, int B2_dim, int A2_dim, float* C_vals) {
    __shared__ __align__(16) float B_tile[8192];
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    if (B2_dim % 4 == 0) {
        // split(i, block, part, 16); parallelize(block, GPUBlock, NoRaces)
        // split(k, ko, kt, 128); parallelize(ko, GPUBlock, NoRaces)
        float acc[8] = {};
        // split(j, tile, entry, 64)
        for (int tile = 0, tile_end = (A2_dim + 63) / 64; tile < tile_end; ++tile) {
            // split(all0, step0, part0, 256)
            #pragma unroll 8
            for (int step0 = 0; step0 < 8; ++step0) {
                // split(part0, warp0, load0, 32); parallelize(warp0, GPUWarp, NoRaces)
                // split(part0, warp0, load0, 32); parallelize(load0, GPUThread, NoRaces)
                const int all0 = step0 * 256 + thread_x;
                const int from0_0 = all0 / 32;
                const int j_B_tile = tile * 64 + from0_0;
                if (j_B_tile < A2_dim) {
                    const int some0 = all0 % 32;
                    // split(from0_1, some0, vector0, 4); parallelize(vector0, GPUVector, NoRaces)
                    if (block_y * 128 + some0 * 4 < B2_dim) {
                        float B_vec[4];
                        loadVector(B_vec, &B_vals[(long long)j_B_tile * B2_dim + block_y * 128 + some0 * 4]);
                        storeVector(&B_tile[from0_0 * 128 + some0 * 4], B_vec);
                    }
                }
            }
            __syncthreads();
            // split(part, unit, one, 2); parallelize(unit, GPUWarp, NoRaces)
            const int unit = thread_x / 32;
            // split(kt, lane, ki, 4); parallelize(lane, GPUThread, NoRaces)
            const int lane = thread_x % 32;
            // split(part, unit, one, 2)
            #pragma unroll
            for (int one = 0; one < 2; ++one) {
                const int part = unit * 2 + one;
                const int i = block_x * 16 + part;
                if (i < A1_dim) {
                    const int entry_begin = tile * 64;
                    const int entry_end = min(entry_begin + 64, A2_dim);
                    const int pA2_begin = A2_pos[i];
                    const int pA2_end = A2_pos[i + 1];
                    const int pA_begin = lowerBound(A2_crd, pA2_begin, pA2_end, entry_begin);
                    const int pA_end = lowerBound(A2_crd, pA_begin, pA2_end, entry_end);
                    // split(j, tile, entry, 64)
                    for (int pA = pA_begin; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        // split(kt, lane, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        if (block_y * 128 + lane * 4 < B2_dim) {
                            float B_tile_vec[4];
                            loadVector(B_tile_vec, &B_tile[(j - entry_begin) * 128 + lane * 4]);
                            const float A_val = A_vals[pA];
                            #pragma unroll 4
                            for (int ki = 0; ki < 4; ++ki) {
                                acc[one * 4 + ki] += A_val * B_tile_vec[ki];
                            }
                        }
                    }
                }
            }
            __syncthreads();
        }
        // split(part, unit, one, 2); parallelize(unit, GPUWarp, NoRaces)
        const int unit = thread_x / 32;
        // split(kt, lane, ki, 4); parallelize(lane, GPUThread, NoRaces)
        const int lane = thread_x % 32;
        // split(part, unit, one, 2)
        #pragma unroll 2
        for (int one = 0; one < 2; ++one) {
            const int part = unit * 2 + one;
            const int i = block_x * 16 + part;
            if (i < A1_dim) {
                // split(kt, lane, ki, 4); parallelize(ki, GPUVector, NoRaces)
                if (block_y * 128 + lane * 4 < B2_dim) {
                    float C_vec[4] = {};
                    #pragma unroll 4
                    for (int ki = 0; ki < 4; ++ki) {
                        C_vec[ki] = acc[one * 4 + ki];
                    }
                    storeVector(&C_vals[(long long)i * B2_dim + block_y * 128 + lane * 4], C_vec);
                }
            }
        }
    } else {
        // split(i, block, part, 16); parallelize(block, GPUBlock, NoRaces)
        // split(k, ko, kt, 128); parallelize(ko, GPUBlock, NoRaces)
        float acc_2[8] = {};
        // split(j, tile, entry, 64)
        for (int tile = 0, tile_end = (A2_dim + 63) / 64; tile < tile_end; ++tile) {
            // split(all0, step0, part0, 256)
            #pragma unroll 8
            for (int step0 = 0; step0 < 8; ++step0) {
                // split(part0, warp0, load0, 32); parallelize(warp0, GPUWarp, NoRaces)
                // split(part0, warp0, load0, 32); parallelize(load0, GPUThread, NoRaces)
                const int all0 = step0 * 256 + thread_x;
                const int from0_0 = all0 / 32;
                const int j_B_tile = tile * 64 + from0_0;
                if (j_B_tile < A2_dim) {
                    const int some0 = all0 % 32;
                    // split(from0_1, some0, vector0, 4); parallelize(vector0, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int vector0 = 0; vector0 < 4; ++vector0) {
                        const int from0_1 = some0 * 4 + vector0;
                        const int k_B_tile = block_y * 128 + from0_1;
                        if (k_B_tile < B2_dim) {
                            B_tile[from0_0 * 128 + from0_1] = B_vals[(long long)j_B_tile * B2_dim + k_B_tile];
                        }
                    }
                }
            }
            __syncthreads();
            // split(part, unit, one, 2); parallelize(unit, GPUWarp, NoRaces)
            const int unit = thread_x / 32;
            // split(kt, lane, ki, 4); parallelize(lane, GPUThread, NoRaces)
            const int lane = thread_x % 32;
            // split(part, unit, one, 2)
            #pragma unroll
            for (int one = 0; one < 2; ++one) {
                const int part = unit * 2 + one;
                const int i = block_x * 16 + part;
                if (i < A1_dim) {
                    const int entry_begin = tile * 64;
                    const int entry_end = min(entry_begin + 64, A2_dim);
                    const int pA2_begin = A2_pos[i];
                    const int pA2_end = A2_pos[i + 1];
                    const int pA_begin = lowerBound(A2_crd, pA2_begin, pA2_end, entry_begin);
                    const int pA_end = lowerBound(A2_crd, pA_begin, pA2_end, entry_end);
                    // split(j, tile, entry, 64)
                    for (int pA = pA_begin; pA < pA_end; ++pA) {
                        const int j = A2_crd[pA];
                        const float A_val_2 = A_vals[pA];
                        // split(kt, lane, ki, 4); parallelize(ki, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int ki = 0; ki < 4; ++ki) {
                            const int kt = lane * 4 + ki;
                            const int k = block_y * 128 + kt;
                            if (k < B2_dim) {
                                acc_2[one * 4 + ki] += A_val_2 * B_tile[(j - entry_begin) * 128 + kt];
                            }
                        }
                    }
                }
            }
            __syncthreads();
        }
        // split(part, unit, one, 2); parallelize(unit, GPUWarp, NoRaces)
        const int unit = thread_x / 32;
        // split(kt, lane, ki, 4); parallelize(lane, GPUThread, NoRaces)
        const int lane = thread_x % 32;
        // split(part, unit, one, 2)
        #pragma unroll 2
        for (int one = 0; one < 2; ++one) {
            const int part = unit * 2 + one;
            const int i = block_x * 16 + part;
            if (i < A1_dim) {
                // split(kt, lane, ki, 4); parallelize(ki, GPUVector, NoRaces)
                #pragma unroll 4
                for (int ki = 0; ki < 4; ++ki) {
                    const int kt = lane * 4 + ki;
                    const int k = block_y * 128 + kt;
                    if (k < B2_dim) {
                        C_vals[(long long)i * B2_dim + k] = acc_2[one * 4 + ki];
                    }
                }
            }
        }
    }
}
