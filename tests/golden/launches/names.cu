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

// y[i] = x[i];
extern "C" __global__ void __launch_bounds__(128) norm3df_(
    const int* __restrict__ x_vals, int* __restrict__ y_vals) {
    const int thread = threadIdx.x;
    const int float_ = thread + 1;
    const int int_ = thread + 1;
    const int register_ = thread + 1;
    const int threadIdx_ = thread + 1;
    const int asm_ = thread + 1;
    const int main = thread + 1;
    const int min_ = thread + 1;
    const int atomicAdd_ = thread + 1;
    const int Add_ = thread + 1;
    const int Segment_ = thread + 1;
    const int NULL_ = thread + 1;
    const int linux_ = thread + 1;
    const int u3b2 = thread + 1;
    const int gruf6udfe = thread + 1;
    const int x___shared__ = thread + 1;
    const int x__Bool = thread + 1;
    const int x_cudaMemAttachHost = thread + 1;
    const int y0 = thread + 1;
    const int norm = thread + 1;
    const int log2 = thread + 1;
    atomicAdd(&y_vals[min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(min(0, float_), int_), register_), threadIdx_), asm_), main), min_), atomicAdd_), Add_), Segment_), NULL_), linux_), u3b2), gruf6udfe), x___shared__), x__Bool), x_cudaMemAttachHost), y0), norm), log2)], wrappingAdd(x_vals[thread], 1));
    return;
}
