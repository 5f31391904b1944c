// Monoids: how two values combine, and how a value is combined into memory that others update too. Where the hardware
// has no such update, compare-and-swap is tried until it succeeds. It compares bits, so that NaN ends it as well.
template <typename T> struct Word;  // T as a word that can be swapped
template <> struct Word<int> {
    typedef int type;
    static __device__ __forceinline__ int of(int value) { return value; }
    static __device__ __forceinline__ int value(int word) { return word; }
};
template <> struct Word<long long> {
    typedef unsigned long long type;
    static __device__ __forceinline__ type of(long long value) { return (type)value; }
    static __device__ __forceinline__ long long value(type word) { return (long long)word; }
};
template <> struct Word<float> {
    typedef int type;
    static __device__ __forceinline__ int of(float value) { return __float_as_int(value); }
    static __device__ __forceinline__ float value(int word) { return __int_as_float(word); }
};
template <> struct Word<double> {
    typedef unsigned long long type;
    static __device__ __forceinline__ type of(double value) { return (type)__double_as_longlong(value); }
    static __device__ __forceinline__ double value(type word) { return __longlong_as_double((long long)word); }
};

// Nothing is swapped where the value changes nothing.
template <typename Op, typename T> __device__ __forceinline__ void retry(T* at, T value) {
    typedef typename Word<T>::type W;
    W* const word = (W*)at;
    W seen = *(volatile W*)word;
    while (true) {
        const W expected = seen;
        const W combined = Word<T>::of(Op::combine(Word<T>::value(expected), value));
        if (combined == expected) return;
        seen = atomicCAS(word, expected, combined);
        if (seen == expected) return;
    }
}

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
template <typename Op> __device__ __forceinline__ void retry(bool* at, bool value) {
    retryByte<Op>(at, value);
}

struct Add {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return wrappingAdd(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Add>(at, value); }
    static __device__ __forceinline__ void atomic(float* at, float value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(double* at, double value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAdd(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicAdd((unsigned long long*)at, (unsigned long long)value);
    }
};

struct Mul {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return wrappingMul(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Mul>(at, value); }
};

// Of a number and NaN the number.
struct Min {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return b < a ? b : a; }
    static __device__ __forceinline__ float combine(float a, float b) { return fminf(a, b); }
    static __device__ __forceinline__ double combine(double a, double b) { return fmin(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Min>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMin(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) { atomicMin(at, value); }
};

struct Max {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return a < b ? b : a; }
    static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
    static __device__ __forceinline__ double combine(double a, double b) { return fmax(a, b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Max>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicMax(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) { atomicMax(at, value); }
};

struct And {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return (T)(a & b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<And>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicAnd(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicAnd((unsigned long long*)at, (unsigned long long)value);
    }
};

struct Or {
    template <typename T> static __device__ __forceinline__ T combine(T a, T b) { return (T)(a | b); }
    template <typename T> static __device__ __forceinline__ void atomic(T* at, T value) { retry<Or>(at, value); }
    static __device__ __forceinline__ void atomic(int* at, int value) { atomicOr(at, value); }
    static __device__ __forceinline__ void atomic(long long* at, long long value) {
        atomicOr((unsigned long long*)at, (unsigned long long)value);
    }
};
