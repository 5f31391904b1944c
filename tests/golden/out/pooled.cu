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

// H[i, f] max= A[i, j] * X[j, f];
extern "C" __global__ void __launch_bounds__(256, 4) pooled_1_row_4_col_1_vector(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ X_vals, int A1_dim, int X2_dim, int A2_dim, float* __restrict__ H_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (X2_dim % 4 == 0) {
        const int fo_size = (X2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * fo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / fo_size;
            const int fo = tile % fo_size;
            float acc[4] = {-__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000)};
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            if (pA2_end - pA2_begin < A2_dim) {
                // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
                #pragma unroll 4
                for (int fi = 0; fi < 4; ++fi) {
                    acc[fi] = fmaxf(acc[fi], 0.0f);
                }
            }
            #pragma unroll 1  // a batch has its registers
            for (int batch = pA2_begin; batch < pA2_end; batch += 4) {
                // the loads of four entries, which do not wait for each other
                float A_val_batch[4];
                float X_vec_batch[16];
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n;
                    if (pA < pA2_end) {
                        const int j = A2_crd[pA];
                        loadVector<4>(&X_vec_batch[n * 4], &X_vals[(long long)j * X2_dim + fo * 4]);
                        A_val_batch[n] = A_vals[pA];
                    }
                }
                #pragma unroll 4
                for (int n = 0; n < 4; ++n) {
                    const int pA = batch + n;
                    if (pA < pA2_end) {
                        // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
                        #pragma unroll 4
                        for (int fi = 0; fi < 4; ++fi) {
                            acc[fi] = fmaxf(acc[fi], A_val_batch[n] * X_vec_batch[n * 4 + fi]);
                        }
                    }
                }
            }
            // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
            storeVector(&H_vals[(long long)i * X2_dim + fo * 4], acc);
        }
    } else {
        const int fo_size = (X2_dim + 3) / 4;
        const long long tile_end = (long long)A1_dim * fo_size;
        // split(tile, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
        // split(tile, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
        const int tile = block_x * 256 + thread_x;
        if (tile < tile_end) {
            const int i = tile / fo_size;
            const int fo = tile % fo_size;
            float acc_2[4] = {-__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000), -__int_as_float(0x7f800000)};
            const int pA2_begin = A2_pos[i];
            const int pA2_end = A2_pos[i + 1];
            if (pA2_end - pA2_begin < A2_dim) {
                // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
                #pragma unroll 4
                for (int fi = 0; fi < 4; ++fi) {
                    const int f = fo * 4 + fi;
                    if (f < X2_dim) {
                        acc_2[fi] = fmaxf(acc_2[fi], 0.0f);
                    }
                }
            }
            for (int pA = pA2_begin; pA < pA2_end; ++pA) {
                const int j = A2_crd[pA];
                const float A_val_2 = A_vals[pA];
                // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
                #pragma unroll 4
                for (int fi = 0; fi < 4; ++fi) {
                    const int f = fo * 4 + fi;
                    if (f < X2_dim) {
                        acc_2[fi] = fmaxf(acc_2[fi], A_val_2 * X_vals[(long long)j * X2_dim + f]);
                    }
                }
            }
            // split(f, fo, fi, 4); parallelize(fi, GPUVector, NoRaces)
            #pragma unroll 4
            for (int fi = 0; fi < 4; ++fi) {
                const int f = fo * 4 + fi;
                if (f < X2_dim) {
                    H_vals[(long long)i * X2_dim + f] = acc_2[fi];
                }
            }
        }
    }
}
