// The largest of what the lanes of the group have.
template <int G, typename Lanes = WholeWarp> __device__ __forceinline__ int largestInGroup(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(OwnGroup::mask<G>(), value);
#else
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(Lanes::template mask<G>(), value, distance, G));
    }
    return value;
#endif
}
