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
