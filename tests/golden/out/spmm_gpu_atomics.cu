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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) spmm(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const float* __restrict__ A_vals,
    const float* __restrict__ B_vals, int A1_dim, int B2_dim, float* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int block_y = blockIdx.y;
    const int thread_x = threadIdx.x;
    const int pA2_end = A2_pos[A1_dim];
    // split(fpos, block, fpos1, 1024); parallelize(block, GPUBlock, IgnoreRaces)
    // split(k, kt, thread, 4); parallelize(kt, GPUBlock, NoRaces)
    // split(fpos1, warp, nnz, 16); parallelize(warp, GPUWarp, IgnoreRaces)
    const int warp = thread_x / 4;
    // split(k, kt, thread, 4); parallelize(thread, GPUThread, Atomics)
    const int thread = thread_x % 4;
    const int k = block_y * 4 + thread;
    if (k < B2_dim) {
        const int fpos1_begin = block_x * 1024;
        const int fpos1_end = min(fpos1_begin + 1024, pA2_end);
        const int nnz_begin = min(fpos1_begin + warp * 16, fpos1_end);
        const int nnz_end = min(nnz_begin + 16, fpos1_end);
        if (nnz_begin < nnz_end) {
            int i = upperBound(A2_pos, 1, A1_dim, nnz_begin) - 1;
            const int first = i;
            float t = 0.0f;
            int pA2_end_2 = A2_pos[i + 1];
            // split(fpos1, warp, nnz, 16)
            #pragma unroll 1  // a batch has its registers
            for (int batch = nnz_begin; batch < nnz_end; batch += 8) {
                // the loads of eight entries, which do not wait for each other
                float A_val_batch[8];
                float B_val_batch[8];
                int A2_crd_batch[8];
                if (batch + 8 <= nnz_end && batch % 4 == 0) {
                    loadVector<4>(&A2_crd_batch[0], &A2_crd[batch]);
                    loadVector<4>(&A2_crd_batch[4], &A2_crd[batch + 4]);
                    loadVector<4>(&A_val_batch[0], &A_vals[batch]);
                    loadVector<4>(&A_val_batch[4], &A_vals[batch + 4]);
                    #pragma unroll 8
                    for (int n = 0; n < 8; ++n) {
                        const int j = A2_crd_batch[n];
                        B_val_batch[n] = B_vals[(long long)j * B2_dim + k];
                    }
                } else {
                    #pragma unroll 8
                    for (int n = 0; n < 8; ++n) {
                        const int pA_2 = batch + n;
                        if (pA_2 < nnz_end) {
                            const int j = A2_crd[pA_2];
                            A_val_batch[n] = A_vals[pA_2];
                            B_val_batch[n] = B_vals[(long long)j * B2_dim + k];
                        }
                    }
                }
                #pragma unroll 8
                for (int n = 0; n < 8; ++n) {
                    const int pA_2 = batch + n;
                    if (pA_2 < nnz_end) {
                        if (pA2_end_2 <= pA_2) {
                            if (first < i) {
                                C_vals[(long long)i * B2_dim + k] = t;
                            } else {
                                atomicAdd(&C_vals[(long long)i * B2_dim + k], t);
                            }
                            t = 0.0f;
                            ++i;
                            pA2_end_2 = A2_pos[i + 1];
                            if (pA2_end_2 <= pA_2) {
                                i = gallop(A2_pos, i + 2, A1_dim, pA_2 + 1) - 1;
                                pA2_end_2 = A2_pos[i + 1];
                            }
                        }
                        t += A_val_batch[n] * B_val_batch[n];
                    }
                }
            }
            atomicAdd(&C_vals[(long long)i * B2_dim + k], t);
        }
    }
}
