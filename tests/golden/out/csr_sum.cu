// The sum of two counts, or the largest int.
__device__ __forceinline__ int addCounts(int a, int b) {
    const unsigned int sum = (unsigned int)a + (unsigned int)b;
    return sum > 2147483647u ? 2147483647 : (int)sum;
}

// From sm_90 on a launch that follows another of its call may start before that one has ended. Each thread waits here until
// all launches before have ended, and what they wrote is there to be read; that may be so already.
__device__ __forceinline__ void waitForLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// When all blocks have come here or have ended, blocks of the next launch may take the room that there is. This one needs none
// of it, its blocks all run by then; what other streams run may get it later. A launch that waits comes here after that, so
// that two launches of a call are under way at most.
__device__ __forceinline__ void allowNextLaunch() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) csr_sum_count(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const int* __restrict__ C2_pos,
    const int* __restrict__ C2_crd, int B1_dim, int* __restrict__ A2_pos) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    allowNextLaunch();
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int A2_count = 0;
        const int pB2_end = B2_pos[i + 1];
        const int pC2_end = C2_pos[i + 1];
        int pB = B2_pos[i];
        int pC = C2_pos[i];
        while (pB < pB2_end && pC < pC2_end) {
            const int jB = B2_crd[pB];
            const int jC = C2_crd[pC];
            if (jB == jC) {
                ++A2_count;
                ++pB;
                ++pC;
            } else if (jB < jC) {
                ++A2_count;
                ++pB;
            } else {
                ++A2_count;
                ++pC;
            }
        }
        A2_count += pB2_end - pB;
        A2_count += pC2_end - pC;
        A2_pos[i] = A2_count;
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) csr_sum_sums(
    const int* A2_pos, int B1_dim, int* A2_sums) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
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

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) csr_sum_sum_tiles(
    int B1_dim, int* A2_sums) {
    __shared__ int partial[256];
    const int thread_x = threadIdx.x;
    waitForLaunch();
    allowNextLaunch();
    int carry = 0;
    for (int begin = 0, begin_end = (B1_dim + 2048) / 2048; begin < begin_end; begin += 256) {
        const int tile = begin + thread_x;
        const int sum = tile < (B1_dim + 2048) / 2048 ? A2_sums[tile] : 0;
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
            A2_sums[tile] = addCounts(carry, 1 <= thread_x ? partial[thread_x - 1] : 0);
        }
        carry = addCounts(carry, partial[255]);
        __syncthreads();
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) csr_sum_begins(
    const int* A2_sums, int B1_dim, int* A2_pos) {
    __shared__ int partial[256];
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    waitForLaunch();
    int sum = 0;
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim); n < n_end; ++n) {
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
    for (int n = (block_x * 256 + thread_x) * 8, n_end = min((block_x * 256 + thread_x) * 8 + 8, B1_dim + 1); n < n_end; ++n) {
        const int count = n < B1_dim ? A2_pos[n] : 0;
        A2_pos[n] = at;
        at = addCounts(at, count);
    }
}

// A[i, j] = B[i, j] + C[i, j];
extern "C" __global__ void __launch_bounds__(256) csr_sum_fill(
    const int* __restrict__ B2_pos, const int* __restrict__ B2_crd, const double* __restrict__ B_vals,
    const int* __restrict__ C2_pos, const int* __restrict__ C2_crd, const double* __restrict__ C_vals,
    const int* __restrict__ A2_pos, int B1_dim, int* __restrict__ A2_crd, double* __restrict__ A_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    // split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces)
    // split(i, block, thread, 256); parallelize(thread, GPUThread, NoRaces)
    const int i = block_x * 256 + thread_x;
    if (i < B1_dim) {
        int pA2 = A2_pos[i];
        const int pB2_end = B2_pos[i + 1];
        const int pC2_end = C2_pos[i + 1];
        int pB = B2_pos[i];
        int pC = C2_pos[i];
        while (pB < pB2_end && pC < pC2_end) {
            const int jB = B2_crd[pB];
            const int jC = C2_crd[pC];
            if (jB == jC) {
                A2_crd[pA2] = jB;
                A_vals[pA2] = B_vals[pB] + C_vals[pC];
                ++pA2;
                ++pB;
                ++pC;
            } else if (jB < jC) {
                A2_crd[pA2] = jB;
                A_vals[pA2] = B_vals[pB];
                ++pA2;
                ++pB;
            } else {
                A2_crd[pA2] = jC;
                A_vals[pA2] = C_vals[pC];
                ++pA2;
                ++pC;
            }
        }
        for (int pB_2 = pB; pB_2 < pB2_end; ++pB_2) {
            const int j = B2_crd[pB_2];
            A2_crd[pA2] = j;
            A_vals[pA2] = B_vals[pB_2];
            ++pA2;
        }
        for (int pC_2 = pC; pC_2 < pC2_end; ++pC_2) {
            const int j = C2_crd[pC_2];
            A2_crd[pA2] = j;
            A_vals[pA2] = C_vals[pC_2];
            ++pA2;
        }
    }
}
