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

// Y[i, k] = X[i, j] * W[k, j];
extern "C" __global__ void __launch_bounds__(256) linear(
    const float* __restrict__ X_vals, const float* __restrict__ W_vals, int X1_dim, int W1_dim, int X2_dim,
    float* __restrict__ Y_vals) {
    const int block_x = blockIdx.x;
    const int thread_x = threadIdx.x;
    const long long fused_end = (long long)X1_dim * W1_dim;
    // split(fused, block, row, 32); parallelize(block, GPUBlock, NoRaces)
    // split(fused, block, row, 32); parallelize(row, GPUWarp, NoRaces)
    const int row = thread_x / 8;
    const int fused = block_x * 32 + row;
    const bool live = fused < fused_end;
    const int i = live ? fused / W1_dim : 0;
    const int k = live ? fused % W1_dim : 0;
    float t = 0.0f;
    if (live) {
        // split(j, step, thread, 8); parallelize(thread, GPUGroup(8), ParallelReduction)
        const int thread = thread_x % 8;
        // split(j, step, thread, 8)
        for (int j = thread; j < X2_dim; j += 8) {
            t += X_vals[(long long)i * X2_dim + j] * W_vals[(long long)k * X2_dim + j];
        }
    }
    writeGroup<float, 8, Add, Store>(Y_vals, (long long)i * W1_dim + k, t, live);
}
