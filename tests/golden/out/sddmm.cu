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

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm_1_nnz_4_col_1_vector(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 4 == 0) {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
        // split(pos, block, warp_part, 256); parallelize(warp_part, GPUThread, NoRaces)
        const int pos = block_x * 256 + thread_x;
        if (pos < pB2_end) {
            const int j = B2_crd[pos];
            const int pB1 = upperBound(B2_pos, 1, B1_dim, pos) - 1;
            float t = 0.0f;
            const float B_val = B_vals[pos];
            // split(k, step, column, 4)
            for (int step = 0, step_end = (C2_dim + 3) / 4; step < step_end; ++step) {
                // split(k, step, column, 4); parallelize(column, GPUVector, NoRaces)
                float C_vec[4];
                loadVector(C_vec, &C_vals[(long long)pB1 * C2_dim + step * 4]);
                float D_vec[4];
                loadVector(D_vec, &D_vals[(long long)j * C2_dim + step * 4]);
                #pragma unroll 4
                for (int column = 0; column < 4; ++column) {
                    t += B_val * C_vec[column] * D_vec[column];
                }
            }
            A_vals[pos] = t;
        }
    } else {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
        // split(pos, block, warp_part, 256); parallelize(warp_part, GPUThread, NoRaces)
        const int pos = block_x * 256 + thread_x;
        if (pos < pB2_end) {
            const int j = B2_crd[pos];
            const int pB1 = upperBound(B2_pos, 1, B1_dim, pos) - 1;
            float t = 0.0f;
            const float B_val_2 = B_vals[pos];
            // split(k, step, column, 4)
            for (int step = 0, step_end = (C2_dim + 3) / 4; step < step_end; ++step) {
                // split(k, step, column, 4); parallelize(column, GPUVector, NoRaces)
                #pragma unroll 4
                for (int column = 0; column < 4; ++column) {
                    const int k = step * 4 + column;
                    if (k < C2_dim) {
                        t += B_val_2 * C_vals[(long long)pB1 * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
                    }
                }
            }
            A_vals[pos] = t;
        }
    }
}

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256) sddmm_1_nnz_4_col_4_vector(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 4 == 0) {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 64); parallelize(block, GPUBlock, NoRaces)
        // split(pos, block, warp_part, 64); parallelize(warp_part, GPUWarp, NoRaces)
        const int warp_part = thread_x / 4;
        const int pos = block_x * 64 + warp_part;
        const bool live = pos < pB2_end;
        const int j = live ? B2_crd[pos] : 0;
        const int pB1 = live ? upperBound(B2_pos, 1, B1_dim, pos) - 1 : 0;
        float t = 0.0f;
        if (live) {
            // split(part, lane, column, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
            const int lane = thread_x % 4;
            // split(k, step, part, 16)
            for (int step = 0, step_end = (C2_dim + 15) / 16; step < step_end; ++step) {
                // split(part, lane, column, 4); parallelize(column, GPUVector, NoRaces)
                if (step * 16 + lane * 4 < C2_dim) {
                    float C_vec[4];
                    loadVector(C_vec, &C_vals[(long long)pB1 * C2_dim + step * 16 + lane * 4]);
                    float D_vec[4];
                    loadVector(D_vec, &D_vals[(long long)j * C2_dim + step * 16 + lane * 4]);
                    #pragma unroll 4
                    for (int column = 0; column < 4; ++column) {
                        t += B_vals[pos] * C_vec[column] * D_vec[column];
                    }
                }
            }
        }
        writeGroup<float, 4, Add, Store>(A_vals, pos, t, live);
    } else {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 64); parallelize(block, GPUBlock, NoRaces)
        // split(pos, block, warp_part, 64); parallelize(warp_part, GPUWarp, NoRaces)
        const int warp_part = thread_x / 4;
        const int pos = block_x * 64 + warp_part;
        const bool live = pos < pB2_end;
        const int j = live ? B2_crd[pos] : 0;
        const int pB1 = live ? upperBound(B2_pos, 1, B1_dim, pos) - 1 : 0;
        float t = 0.0f;
        if (live) {
            // split(part, lane, column, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
            const int lane = thread_x % 4;
            // split(k, step, part, 16)
            for (int step = 0, step_end = (C2_dim + 15) / 16; step < step_end; ++step) {
                // split(part, lane, column, 4); parallelize(column, GPUVector, NoRaces)
                #pragma unroll 4
                for (int column = 0; column < 4; ++column) {
                    const int part = lane * 4 + column;
                    const int k = step * 16 + part;
                    if (k < C2_dim) {
                        t += B_vals[pos] * C_vals[(long long)pB1 * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
                    }
                }
            }
        }
        writeGroup<float, 4, Add, Store>(A_vals, pos, t, live);
    }
}

// A[i, j] = B[i, j] * C[i, k] * D[j, k];
extern "C" __global__ void __launch_bounds__(256, 4) sddmm_4_nnz_4_col_4_vector(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const float* __restrict__ B_vals,
    const float* __restrict__ C_vals, const float* __restrict__ D_vals, int B1_dim, int C2_dim,
    float* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (C2_dim % 4 == 0) {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
        // split(warp_part, warp, nnz, 4); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int warp_part_begin = block_x * 256;
        const int warp_part_end = min(warp_part_begin + 256, pB2_end);
        const int nnz_begin = min(warp_part_begin + warp * 4, warp_part_end);
        const int nnz_end = min(nnz_begin + 4, warp_part_end);
        const bool live = nnz_begin < nnz_end;
        int pB = nnz_begin;
        int i = live ? upperBound(B2_pos, 1, B1_dim, pB) - 1 : 0;
        while (live && pB < nnz_end) {
            const int pB2_end_2 = min(B2_pos[i + 1], nnz_end);
            // split(warp_part, warp, nnz, 4)
            for (int pB_2 = pB; pB_2 < pB2_end_2; ++pB_2) {
                const int j = B2_crd[pB_2];
                float t = 0.0f;
                // split(part, lane, column, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
                const int lane = thread_x % 4;
                const float B_val = B_vals[pB_2];
                // split(k, step, part, 16)
                for (int step = 0, step_end = (C2_dim + 15) / 16; step < step_end; ++step) {
                    // split(part, lane, column, 4); parallelize(column, GPUVector, NoRaces)
                    if (step * 16 + lane * 4 < C2_dim) {
                        float C_vec[4];
                        loadVector(C_vec, &C_vals[(long long)i * C2_dim + step * 16 + lane * 4]);
                        float D_vec[4];
                        loadVector(D_vec, &D_vals[(long long)j * C2_dim + step * 16 + lane * 4]);
                        #pragma unroll 4
                        for (int column = 0; column < 4; ++column) {
                            t += B_val * C_vec[column] * D_vec[column];
                        }
                    }
                }
                writeGroup<float, 4, Add, Store, OwnGroup>(A_vals, pB_2, t);
            }
            pB = pB2_end_2;
            ++i;
            if (pB < nnz_end && B2_pos[i + 1] <= pB) {
                i = gallop(B2_pos, i + 2, B1_dim, pB + 1) - 1;
            }
        }
    } else {
        const int pB2_end = B2_pos[B1_dim];
        // split(pos, block, warp_part, 256); parallelize(block, GPUBlock, NoRaces)
        // split(warp_part, warp, nnz, 4); parallelize(warp, GPUWarp, NoRaces)
        const int warp = thread_x / 4;
        const int warp_part_begin = block_x * 256;
        const int warp_part_end = min(warp_part_begin + 256, pB2_end);
        const int nnz_begin = min(warp_part_begin + warp * 4, warp_part_end);
        const int nnz_end = min(nnz_begin + 4, warp_part_end);
        const bool live = nnz_begin < nnz_end;
        int pB = nnz_begin;
        int i = live ? upperBound(B2_pos, 1, B1_dim, pB) - 1 : 0;
        while (live && pB < nnz_end) {
            const int pB2_end_2 = min(B2_pos[i + 1], nnz_end);
            // split(warp_part, warp, nnz, 4)
            for (int pB_2 = pB; pB_2 < pB2_end_2; ++pB_2) {
                const int j = B2_crd[pB_2];
                float t = 0.0f;
                // split(part, lane, column, 4); parallelize(lane, GPUGroup(4), ParallelReduction)
                const int lane = thread_x % 4;
                const float B_val_2 = B_vals[pB_2];
                // split(k, step, part, 16)
                for (int step = 0, step_end = (C2_dim + 15) / 16; step < step_end; ++step) {
                    // split(part, lane, column, 4); parallelize(column, GPUVector, NoRaces)
                    #pragma unroll 4
                    for (int column = 0; column < 4; ++column) {
                        const int part = lane * 4 + column;
                        const int k = step * 16 + part;
                        if (k < C2_dim) {
                            t += B_val_2 * C_vals[(long long)i * C2_dim + k] * D_vals[(long long)j * C2_dim + k];
                        }
                    }
                }
                writeGroup<float, 4, Add, Store, OwnGroup>(A_vals, pB_2, t);
            }
            pB = pB2_end_2;
            ++i;
            if (pB < nnz_end && B2_pos[i + 1] <= pB) {
                i = gallop(B2_pos, i + 2, B1_dim, pB + 1) - 1;
            }
        }
    }
}
