// Which lanes a shuffle names. All lanes of the warp arrive, a constant mask; or those of the group alone.
struct WholeWarp {
    template <int G> static __device__ __forceinline__ unsigned mask() { return 0xffffffffu; }
};
struct OwnGroup {
    template <int G> static __device__ __forceinline__ unsigned mask() {
        return 0xffffffffu >> (32 - G) << (threadIdx.x & 31 & ~(G - 1));
    }
};
