// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

// First position in lo..hi whose element is above the key, or hi.
template <typename K> __device__ __forceinline__ int upperBound(const int* array, int lo, int hi, K key) {
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (array[middle] <= key) lo = middle + 1;
        else hi = middle;
    }
    return lo;
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

// The lanes of a group wait for each other, and see what the others wrote before. Other groups of the warp may be elsewhere.
template <int G> __device__ __forceinline__ void syncGroup() { __syncwarp(OwnGroup::mask<G>()); }

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

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_counts_w(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const int* __restrict__ B2_pos,
    const int* __restrict__ B2_crd, int A1_dim, int* __restrict__ w_begins, int* __restrict__ w_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        int count = 0;
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                const int k = B2_crd[pB];
                atomicAdd(&w_begins[k + 1], 1);
                count = addCounts(count, 1);
            }
        }
        w_rows[i] = count;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_w_rows(
    const int* __restrict__ w_rows, int A1_dim, int* w_row_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, w_rows[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    if (thread_x == 0) {
        w_row_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_w_rows(
    int A1_dim, int* w_row_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    int carry = 0;
    for (int begin = 0, begin_end = (A1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (A1_dim + 2048) / 2048 ? w_row_sums[tile] : 0;
        partial[thread_x] = sum;
        __syncthreads();
        int distance = 1;
        #pragma unroll 8
        for (int step = 0; step < 8; ++step) {
            const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
            __syncthreads();
            partial[thread_x] = doubled;
            __syncthreads();
            distance += distance;
        }
        if (tile < (A1_dim + 2048) / 2048) {
            w_row_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_w_rows(
    const int* __restrict__ w_row_sums, int A1_dim, int* w_rows) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim); n < n_end; ++n) {
        sum = addCounts(sum, w_rows[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    int at = addCounts(w_row_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, A1_dim + 1); n < n_end; ++n) {
        const int count = n < A1_dim ? w_rows[n] : 0;
        w_rows[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_w(
    const int* __restrict__ w_begins, int B2_dim, int* w_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, w_begins[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    if (thread_x == 0) {
        w_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_w(
    int B2_dim, int* w_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    int carry = 0;
    for (int begin = 0, begin_end = (B2_dim + 2049) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B2_dim + 2049) / 2048 ? w_sums[tile] : 0;
        partial[thread_x] = sum;
        __syncthreads();
        int distance = 1;
        #pragma unroll 8
        for (int step = 0; step < 8; ++step) {
            const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
            __syncthreads();
            partial[thread_x] = doubled;
            __syncthreads();
            distance += distance;
        }
        if (tile < (B2_dim + 2049) / 2048) {
            w_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_w(
    const int* __restrict__ w_sums, int B2_dim, int* w_begins) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        sum = addCounts(sum, w_begins[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    int at = addCounts(w_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 2); n < n_end; ++n) {
        const int count = n < B2_dim + 1 ? w_begins[n] : 0;
        w_begins[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_scatter_w(
    const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ w_rows, int A1_dim, int* __restrict__ w_begins, int* __restrict__ w2_crd,
    int* __restrict__ w_order, double* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    if (i < A1_dim) {
        int place = w_rows[i];
        for (int pA = A2_pos[i], pA_end = A2_pos[i + 1]; pA < pA_end; ++pA) {
            const int j = A2_crd[pA];
            const double A_val = A_vals[pA];
            for (int pB = B2_pos[j], pB_end = B2_pos[j + 1]; pB < pB_end; ++pB) {
                const int k = B2_crd[pB];
                const int at = atomicAdd(&w_begins[k + 1], 1);
                w2_crd[at] = i;
                w_order[at] = place;
                w_vals[place] = A_val * B_vals[pB];
                ++place;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_w(
    const int* __restrict__ w_begins, int B2_dim, int* __restrict__ w2_crd, int* __restrict__ w_order,
    int* __restrict__ w_of_group8s, int* __restrict__ w_of_warps, int* __restrict__ w_of_blocks,
    int* __restrict__ w_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int bucket = block_x * 256 + thread_x;
    if (bucket < B2_dim) {
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        if (2048 <= len) {
            const int at = atomicAdd(&w_many[2], 1);
            w_of_blocks[at] = bucket;
        } else if (64 <= len) {
            const int at = atomicAdd(&w_many[1], 1);
            w_of_warps[at] = bucket;
        } else if (16 <= len) {
            const int at = atomicAdd(&w_many[0], 1);
            w_of_group8s[at] = bucket;
        } else {
            int gap = len / 2 - len / 22;
            while (0 < gap) {
                for (int from = begin + gap; from < end; ++from) {
                    const int key = w2_crd[from];
                    const int key_2 = w_order[from];
                    int to = from;
                    while (begin + gap <= to && (key < w2_crd[to - gap] || (key == w2_crd[to - gap] && key_2 < w_order[to - gap]))) {
                        w2_crd[to] = w2_crd[to - gap];
                        w_order[to] = w_order[to - gap];
                        to -= gap;
                    }
                    w2_crd[to] = key;
                    w_order[to] = key_2;
                }
                gap = gap / 2 - gap / 22;
            }
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_w_group8(
    const int* __restrict__ w_begins, const int* __restrict__ w_of_group8s, const int* __restrict__ w_many,
    int* w2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int rank = block_x * 32 + thread_x / 8;
    if (rank < w_many[0]) {
        const int bucket = w_of_group8s[rank];
        const int lane = thread_x % 8;
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 8) {
                    const int high = low ^ flip;
                    if (low < high && high < len && (w2_crd[begin + high] < w2_crd[begin + low] || (w2_crd[begin + high] == w2_crd[begin + low] && w_order[begin + high] < w_order[begin + low]))) {
                        const int key = w2_crd[begin + low];
                        w2_crd[begin + low] = w2_crd[begin + high];
                        w2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                syncGroup<8>();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_w_warp(
    const int* __restrict__ w_begins, const int* __restrict__ w_of_warps, const int* __restrict__ w_many,
    int* w2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int rank = block_x * 8 + thread_x / 32;
    if (rank < w_many[1]) {
        const int bucket = w_of_warps[rank];
        const int lane = thread_x % 32;
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = lane; low < len; low += 32) {
                    const int high = low ^ flip;
                    if (low < high && high < len && (w2_crd[begin + high] < w2_crd[begin + low] || (w2_crd[begin + high] == w2_crd[begin + low] && w_order[begin + high] < w_order[begin + low]))) {
                        const int key = w2_crd[begin + low];
                        w2_crd[begin + low] = w2_crd[begin + high];
                        w2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                __syncwarp();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sort_w_block(
    const int* __restrict__ w_begins, const int* __restrict__ w_of_blocks, const int* __restrict__ w_many,
    int* w2_crd, int* w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (block_x < w_many[2]) {
        const int bucket = w_of_blocks[block_x];
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int half = 1;
        while (half < len) {
            int flip = half + (half - 1);
            while (0 < flip) {
                for (int low = thread_x; low < len; low += 256) {
                    const int high = low ^ flip;
                    if (low < high && high < len && (w2_crd[begin + high] < w2_crd[begin + low] || (w2_crd[begin + high] == w2_crd[begin + low] && w_order[begin + high] < w_order[begin + low]))) {
                        const int key = w2_crd[begin + low];
                        w2_crd[begin + low] = w2_crd[begin + high];
                        w2_crd[begin + high] = key;
                        const int key_2 = w_order[begin + low];
                        w_order[begin + low] = w_order[begin + high];
                        w_order[begin + high] = key_2;
                    }
                }
                __syncthreads();
                flip = half <= flip ? half / 2 : flip / 2;
            }
            half = half < len - half ? half + half : len;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_firsts_w(
    const int* __restrict__ w_begins, const int* __restrict__ w2_crd, int B2_dim,
    int* __restrict__ w_firsts) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int first = block_x * 256 + thread_x;
    for (int at = first, at_end = w_begins[B2_dim]; at < at_end; at += 524288) {
        const int begin = w_begins[upperBound(w_begins, 0, B2_dim + 1, at) - 1];
        w_firsts[at] = at == begin || w2_crd[at - 1] != w2_crd[at] ? 1 : 0;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sums_w_firsts(
    const int* __restrict__ w_begins, const int* __restrict__ w_firsts, int B2_dim, int* w_first_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, w_begins[B2_dim]); n < n_end; ++n) {
        sum = addCounts(sum, w_firsts[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    if (thread_x == 0) {
        w_first_sums[block_x] = partial[255];
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_sum_tiles_w_firsts(
    const int* __restrict__ w_begins, int B2_dim, int* w_runs_many, int* w_first_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    int carry = 0;
    for (int begin = 0, begin_end = (w_begins[B2_dim] + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (w_begins[B2_dim] + 2048) / 2048 ? w_first_sums[tile] : 0;
        partial[thread_x] = sum;
        __syncthreads();
        int distance = 1;
        #pragma unroll 8
        for (int step = 0; step < 8; ++step) {
            const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
            __syncthreads();
            partial[thread_x] = doubled;
            __syncthreads();
            distance += distance;
        }
        if (tile < (w_begins[B2_dim] + 2048) / 2048) {
            w_first_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
    if (thread_x == 0) {
        w_runs_many[0] = carry;
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_begins_w_firsts(
    const int* __restrict__ w_begins, const int* __restrict__ w_first_sums, int B2_dim, int* w_firsts) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, w_begins[B2_dim]); n < n_end; ++n) {
        sum = addCounts(sum, w_firsts[n]);
    }
    partial[thread_x] = sum;
    __syncthreads();
    int distance = 1;
    #pragma unroll 8
    for (int step = 0; step < 8; ++step) {
        const int doubled = addCounts(partial[thread_x], distance <= thread_x ? partial[thread_x - distance] : 0);
        __syncthreads();
        partial[thread_x] = doubled;
        __syncthreads();
        distance += distance;
    }
    int at = addCounts(w_first_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, w_begins[B2_dim] + 1); n < n_end; ++n) {
        const int count = n < w_begins[B2_dim] ? w_firsts[n] : 0;
        w_firsts[n] = at;
        at = addCounts(at, count);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_runs_w(
    const int* __restrict__ w_begins, const int* __restrict__ w2_crd, const int* __restrict__ w_firsts,
    int B2_dim, int* __restrict__ C2_pos, int* __restrict__ C2_crd, int* __restrict__ w_runs) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int first = block_x * 256 + thread_x;
    for (int at = first, at_end = max(B2_dim + 1, w_begins[B2_dim]); at < at_end; at += 524288) {
        if (at < B2_dim + 1) {
            C2_pos[at] = w_firsts[w_begins[at]];
        }
        if (at < w_begins[B2_dim]) {
            const int place = w_firsts[at];
            if (place < w_firsts[at + 1]) {
                C2_crd[place] = w2_crd[at];
                w_runs[place] = at;
            }
        }
        if (at == 0) {
            w_runs[w_firsts[w_begins[B2_dim]]] = w_begins[B2_dim];
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_fill(
    const int* __restrict__ w_begins, const int* __restrict__ w_order, const double* __restrict__ w_vals,
    const int* __restrict__ w_firsts, const int* __restrict__ w_runs, int B2_dim,
    double* __restrict__ C_vals, int* __restrict__ w_long_of_warps, int* __restrict__ w_long_of_blocks,
    int* __restrict__ w_long_many) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int entry = block_x * 256 + thread_x;
    if (entry < w_firsts[w_begins[B2_dim]]) {
        const int begin = w_runs[entry];
        const int end = w_runs[entry + 1];
        if (2048 <= end - begin) {
            const int at = atomicAdd(&w_long_many[1], 1);
            w_long_of_blocks[at] = entry;
        } else if (64 <= end - begin) {
            const int at = atomicAdd(&w_long_many[0], 1);
            w_long_of_warps[at] = entry;
        } else {
            double sum = 0.0;
            for (int p = begin; p < end; ++p) {
                sum += w_vals[w_order[p]];
            }
            C_vals[entry] = sum;
        }
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_fill_by_warps(
    const int* __restrict__ w_order, const double* __restrict__ w_vals, const int* __restrict__ w_runs,
    const int* __restrict__ w_long_of_warps, const int* __restrict__ w_long_many,
    double* __restrict__ C_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int rank = block_x * 8 + thread_x / 32;
    if (rank < w_long_many[0]) {
        const int entry = w_long_of_warps[rank];
        const int lane = thread_x % 32;
        const int begin = w_runs[entry];
        const int end = w_runs[entry + 1];
        double sum = 0.0;
        for (int p = begin + lane; p < end; p += 32) {
            sum += w_vals[w_order[p]];
        }
        writeGroup<double, 32, Add, Store>(C_vals, entry, sum);
    }
}

// C[i, k] = A[i, j] * B[j, k];
extern "C" __global__ void __launch_bounds__(256) spgemm_by_columns_fill_by_blocks(
    const int* __restrict__ w_order, const double* __restrict__ w_vals, const int* __restrict__ w_runs,
    const int* __restrict__ w_long_of_blocks, const int* __restrict__ w_long_many, double* C_vals) {
    __shared__ double sums[8];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    if (block_x < w_long_many[1]) {
        const int entry = w_long_of_blocks[block_x];
        const int begin = w_runs[entry];
        const int end = w_runs[entry + 1];
        double sum = 0.0;
        for (int p = begin + thread_x; p < end; p += 256) {
            sum += w_vals[w_order[p]];
        }
        writeGroup<double, 32, Add, Store>(sums, thread_x / 32, sum);
        __syncthreads();
        if (thread_x == 0) {
            double total = sums[0];
            for (int warp = 1; warp < 8; ++warp) {
                total += sums[warp];
            }
            C_vals[entry] = total;
        }
    }
}
