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
