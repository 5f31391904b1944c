// What a GPU can do at most: copying, reading what its second-level cache holds, and multiplying.
extern "C" __global__ void copy(const float4* from, float4* to, int n, int rounds) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        to[i] = from[i];
}

// Blocks read the whole array in every round, past the first-level cache.
extern "C" __global__ void reread(const float4* from, float* to, int n, int rounds) {
    float sum = 0;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; round++)
        for (int i = thread; i < n; i += threads) {
            const float4 v = __ldcg(from + (i + round) % n);
            sum += v.x + v.y + v.z + v.w;
        }
    to[thread] = sum;
}

// Eight chains a thread, so that one waits while the others compute.
extern "C" __global__ void multiply_add(const float* from, float* to, int n, int rounds) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = from[thread] * 0.5f, term = from[thread];
    float c[8];
    #pragma unroll
    for (int k = 0; k < 8; k++) c[k] = k;
    for (int round = 0; round < rounds; round++)
        #pragma unroll
        for (int k = 0; k < 8; k++) c[k] = c[k] * factor + term;
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < 8; k++) sum += c[k];
    to[thread] = sum;
}
