// The lanes of a group wait for each other, and see what the others wrote before. Other groups of the warp may be elsewhere.
template <int G> __device__ __forceinline__ void syncGroup() { __syncwarp(OwnGroup::mask<G>()); }
