// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_counts_w(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, int B1_dim, int* __restrict__ w_begins,
    int* __restrict__ w_rows) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int count = 0;
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            atomicAdd(&w_begins[j + 1], 1);
            count = addCounts(count, 1);
        }
        w_rows[i] = count;
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sums_w_rows(
    const int* __restrict__ w_rows, int B1_dim, int* __restrict__ w_row_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
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

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sum_tiles_w_rows(
    int B1_dim, int* __restrict__ w_row_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2048) / 2048 ? w_row_sums[tile] : 0;
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
        if (tile < (B1_dim + 2048) / 2048) {
            w_row_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_begins_w_rows(
    const int* __restrict__ w_row_sums, int B1_dim, int* __restrict__ w_rows) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
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
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        const int count = n < B1_dim ? w_rows[n] : 0;
        w_rows[n] = at;
        at = addCounts(at, count);
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sums_w(
    const int* __restrict__ w_begins, int B2_dim, int* __restrict__ w_sums) {
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

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sum_tiles_w(
    int B2_dim, int* __restrict__ w_sums) {
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

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_begins_w(
    const int* __restrict__ w_sums, int B2_dim, int* __restrict__ w_begins) {
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

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_scatter_w(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ w_rows, int B1_dim, int* __restrict__ w_begins, int* __restrict__ w2_crd,
    int* __restrict__ w_order, double* __restrict__ w_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int place = w_rows[i];
        for (int pB = B2_pos[i], pB_end = B2_pos[i + 1]; pB < pB_end; ++pB) {
            const int j = B2_crd[pB];
            const int at = atomicAdd(&w_begins[j + 1], 1);
            w2_crd[at] = i;
            w_order[at] = place;
            w_vals[place] = B_vals[pB];
            ++place;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sort_w(
    const int* __restrict__ w_begins, int B2_dim, int* __restrict__ w2_crd, int* __restrict__ w_order) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int bucket = block_x * 256 + thread_x;
    if (bucket < B2_dim) {
        const int begin = w_begins[bucket];
        const int end = w_begins[bucket + 1];
        const int len = end - begin;
        int gap = len / 2 - len / 22;
        while (0 < gap) {
            for (int from = begin + gap; from < end; ++from) {
                const int key = w2_crd[from];
                const int value = w_order[from];
                int to = from;
                while (begin + gap <= to && key < w2_crd[to - gap]) {
                    w2_crd[to] = w2_crd[to - gap];
                    w_order[to] = w_order[to - gap];
                    to = to - gap;
                }
                w2_crd[to] = key;
                w_order[to] = value;
            }
            gap = gap / 2 - gap / 22;
        }
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_count(
    const int* __restrict__ w_begins, int B2_dim, int* __restrict__ A2_pos) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int j = block_x * 256 + thread_x;
    if (j < B2_dim) {
        const int pw1_begin = w_begins[j];
        const int pw1_end = w_begins[j + 1];
        A2_pos[j] = pw1_end - pw1_begin;
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sums(
    const int* __restrict__ A2_pos, int B2_dim, int* __restrict__ A2_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim); n < n_end; ++n) {
        sum = addCounts(sum, A2_pos[n]);
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
        A2_sums[block_x] = partial[255];
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_sum_tiles(
    int B2_dim, int* __restrict__ A2_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    int carry = 0;
    for (int begin = 0, begin_end = (B2_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B2_dim + 2048) / 2048 ? A2_sums[tile] : 0;
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
        if (tile < (B2_dim + 2048) / 2048) {
            A2_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_begins(
    const int* __restrict__ A2_sums, int B2_dim, int* __restrict__ A2_pos) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim); n < n_end; ++n) {
        sum = addCounts(sum, A2_pos[n]);
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
    int at = addCounts(A2_sums[block_x], 1 <= thread_x ? partial[thread_x - 1] : 0);
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B2_dim + 1); n < n_end; ++n) {
        const int count = n < B2_dim ? A2_pos[n] : 0;
        A2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// A[j, i] = B[i, j];
extern "C" __global__ void __launch_bounds__(256) transpose_fill(
    const int* __restrict__ A2_pos, const int* __restrict__ w_begins, const int* __restrict__ w2_crd,
    const int* __restrict__ w_order, const double* __restrict__ w_vals, int B2_dim,
    int* __restrict__ A2_crd, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const int j = block_x * 256 + thread_x;
    if (j < B2_dim) {
        int pA2 = A2_pos[j];
        const int pw1_begin = w_begins[j];
        const int pw1_end = w_begins[j + 1];
        for (int pw = pw1_begin; pw < pw1_end; ++pw) {
            const int i = w2_crd[pw];
            A2_crd[pA2] = i;
            A_vals[pA2] = w_vals[w_order[pw]];
            ++pA2;
        }
    }
}
