// What stands at a place, where the key is put if that is nothing. Mostly a key is there, which a load finds; it is volatile because
// others put theirs meanwhile.
__device__ __forceinline__ int claimPlace(int* at, int key) {
    const int held = *(volatile int*)at;
    return held == 2147483647 ? atomicCAS(at, 2147483647, key) : held;
}
