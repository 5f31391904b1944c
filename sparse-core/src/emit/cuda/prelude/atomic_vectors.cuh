// Consecutive elements that others update too. Their address is a multiple of their size.
template <typename Op, typename T, int N> __device__ __forceinline__ void atomicVector(T* to, const T (&from)[N]) {
#pragma unroll
    for (int n = 0; n < N; n++) Op::atomic(to + n, from[n]);
}

// From sm_90 on several numbers of single precision are added at once.
#if __CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ > 0)
__device__ __forceinline__ void addVector(float* to, const float (&from)[2]) {
    atomicAdd((float2*)to, make_float2(from[0], from[1]));
}
__device__ __forceinline__ void addVector(float* to, const float (&from)[4]) {
    atomicAdd((float4*)to, make_float4(from[0], from[1], from[2], from[3]));
}
#endif
template <typename T, int N> __device__ __forceinline__ void addVector(T* to, const T (&from)[N]) {
#pragma unroll
    for (int n = 0; n < N; n++) atomicAdd(to + n, from[n]);
}
