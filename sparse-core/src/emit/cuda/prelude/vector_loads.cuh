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
