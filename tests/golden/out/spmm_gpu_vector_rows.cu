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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
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
