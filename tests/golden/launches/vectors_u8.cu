// Integers wrap: they are computed without a sign, where C++ defines it. Floats are themselves.
template <typename T> struct Unsigned { typedef T type; };
template <> struct Unsigned<int> { typedef unsigned type; };
template <> struct Unsigned<long long> { typedef unsigned long long type; };
template <> struct Unsigned<unsigned char> { typedef unsigned type; };

template <typename T> __device__ __forceinline__ T wrappingAdd(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a + (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingSub(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a - (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingMul(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (T)((U)a * (U)b);
}

template <typename T> __device__ __forceinline__ T wrappingNeg(T a) {
    return wrappingSub((T)0, a);
}

template <typename T> __device__ __forceinline__ T wrappingAbs(T a) {
    return a < 0 ? wrappingNeg(a) : a;
}

// An integer divided by zero is zero; the smallest one divided by -1 wraps.
template <typename T> __device__ __forceinline__ T divideOrZero(T a, T b) {
    if (b == 0) return 0;
    return b == (T)-1 && (T)-1 < (T)0 ? wrappingNeg(a) : (T)(a / b);
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

// Where the hardware has no such update, compare-and-swap is tried until it succeeds. It compares bits, so that NaN
// ends it as well.
// A byte, in the aligned word that it is part of.
template <typename Op, typename T> __device__ __forceinline__ void retryByte(T* at, T value) {
    const int shift = 8 * (int)((unsigned long long)at & 3);
    unsigned* const word = (unsigned*)((unsigned long long)at & ~3ULL);
    unsigned seen = *(volatile unsigned*)word;
    while (true) {
        const unsigned expected = seen;
        const unsigned byte = (unsigned char)Op::combine((T)(expected >> shift & 0xff), value);
        const unsigned combined = (expected & ~(0xffu << shift)) | byte << shift;
        if (combined == expected) return;
        seen = atomicCAS(word, expected, combined);
        if (seen == expected) return;
    }
}
template <typename Op> __device__ __forceinline__ void retry(unsigned char* at, unsigned char value) {
    retryByte<Op>(at, value);
}

struct Add {
    static __device__ __forceinline__ unsigned char combine(unsigned char a, unsigned char b) { return wrappingAdd(a, b); }
    static __device__ __forceinline__ void atomic(unsigned char* at, unsigned char value) { retry<Add>(at, value); }
};

// y[i] = x[i];
extern "C" __global__ void __launch_bounds__(128) vectors(
    const unsigned char* __restrict__ x_vals, unsigned char* __restrict__ y_vals) {
    __shared__ __align__(16) unsigned char tile[256];
    __shared__ __align__(16) unsigned char tile_4[512];
    const int thread = threadIdx.x;
    unsigned char all_2[2];
    loadVector(all_2, &x_vals[thread * 2]);
    storeVector(&tile[thread * 2], all_2);
    loadVector(all_2, &tile[thread * 2]);
    storeVector(&y_vals[thread * 2], all_2);
    atomicVector<Add>(&y_vals[thread * 2], all_2);
    unsigned char all_4[4];
    loadVector(all_4, &x_vals[thread * 4]);
    storeVector(&tile_4[thread * 4], all_4);
    loadVector(all_4, &tile_4[thread * 4]);
    storeVector(&y_vals[thread * 4], all_4);
    atomicVector<Add>(&y_vals[thread * 4], all_4);
}
