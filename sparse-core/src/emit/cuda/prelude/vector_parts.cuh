// A load into a part of an array.
template <int N, typename T> __device__ __forceinline__ void loadVector(T* to, const T* from) {
    loadVector(reinterpret_cast<T (&)[N]>(*to), from);
}
