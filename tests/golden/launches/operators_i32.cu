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
extern "C" __global__ void __launch_bounds__(128) operators(
    const int* __restrict__ x_vals, int x1_dim, int* __restrict__ y_vals) {
    const int block = blockIdx.x;
    const int thread = threadIdx.x;
    const int i = block * 128 + thread;
    y_vals[i] = wrappingAdd(x_vals[i], x_vals[i + 1]);
    y_vals[i] = wrappingAdd(wrappingAdd(x_vals[i], x_vals[i + 1]), wrappingAdd(x_vals[i], wrappingAdd(x_vals[i], x_vals[i + 1])));
    y_vals[i] = wrappingSub(x_vals[i], x_vals[i + 1]);
    y_vals[i] = wrappingSub(wrappingSub(x_vals[i], x_vals[i + 1]), wrappingSub(x_vals[i], wrappingSub(x_vals[i], x_vals[i + 1])));
    y_vals[i] = wrappingMul(x_vals[i], x_vals[i + 1]);
    y_vals[i] = wrappingMul(wrappingMul(x_vals[i], x_vals[i + 1]), wrappingMul(x_vals[i], wrappingMul(x_vals[i], x_vals[i + 1])));
    y_vals[i] = divideOrZero(x_vals[i], x_vals[i + 1]);
    y_vals[i] = divideOrZero(divideOrZero(x_vals[i], x_vals[i + 1]), divideOrZero(x_vals[i], divideOrZero(x_vals[i], x_vals[i + 1])));
    y_vals[i] = min(x_vals[i], x_vals[i + 1]);
    y_vals[i] = min(min(x_vals[i], x_vals[i + 1]), min(x_vals[i], min(x_vals[i], x_vals[i + 1])));
    y_vals[i] = max(x_vals[i], x_vals[i + 1]);
    y_vals[i] = max(max(x_vals[i], x_vals[i + 1]), max(x_vals[i], max(x_vals[i], x_vals[i + 1])));
    y_vals[i] = x_vals[i] & x_vals[i + 1];
    y_vals[i] = x_vals[i] & x_vals[i + 1] & (x_vals[i] & (x_vals[i] & x_vals[i + 1]));
    y_vals[i] = x_vals[i] | x_vals[i + 1];
    y_vals[i] = x_vals[i] | x_vals[i + 1] | (x_vals[i] | (x_vals[i] | x_vals[i + 1]));
    y_vals[i] = x_vals[i] ^ x_vals[i + 1];
    y_vals[i] = x_vals[i] ^ x_vals[i + 1] ^ (x_vals[i] ^ (x_vals[i] ^ x_vals[i + 1]));
    y_vals[i] = (int)(x_vals[i] == x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] == x_vals[i + 1]) == (int)(x_vals[i] == (int)(x_vals[i] == x_vals[i + 1])));
    y_vals[i] = (int)(x_vals[i] != x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] != x_vals[i + 1]) != (int)(x_vals[i] != (int)(x_vals[i] != x_vals[i + 1])));
    y_vals[i] = (int)(x_vals[i] < x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] < x_vals[i + 1]) < (int)(x_vals[i] < (int)(x_vals[i] < x_vals[i + 1])));
    y_vals[i] = (int)(x_vals[i] <= x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] <= x_vals[i + 1]) <= (int)(x_vals[i] <= (int)(x_vals[i] <= x_vals[i + 1])));
    y_vals[i] = (int)(x_vals[i] > x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] > x_vals[i + 1]) > (int)(x_vals[i] > (int)(x_vals[i] > x_vals[i + 1])));
    y_vals[i] = (int)(x_vals[i] >= x_vals[i + 1]);
    y_vals[i] = (int)((int)(x_vals[i] >= x_vals[i + 1]) >= (int)(x_vals[i] >= (int)(x_vals[i] >= x_vals[i + 1])));
    y_vals[i] = wrappingNeg(wrappingNeg(x_vals[i]));
    y_vals[i] = ~~x_vals[i];
    y_vals[i] = wrappingAbs(wrappingAbs(x_vals[i]));
    y_vals[i] = 0;
    y_vals[i] = 1;
    y_vals[i] = 2147483647;
    y_vals[i] = -2147483647 - 1;
    y_vals[i] = (int)(i + 1);
    y_vals[i] = (int)((long long)i * x1_dim);
    y_vals[i] = (i < x1_dim && !(i < 7)) || i != block ? x_vals[i] : x_vals[i + 1];
}
