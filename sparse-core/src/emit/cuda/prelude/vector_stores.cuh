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
