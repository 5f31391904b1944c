// Where a table of a power of two of places is looked into first for a key: runs of keys are spread over it, and multiples of a
// power of two, whose higher bits are folded to the lower ones. In a table of as many places as there are keys each has its own.
__device__ __forceinline__ int placeOf(unsigned int key, int places) {
    key ^= key >> 4 ^ key >> 9;
    return (int)(key * 107u) & (places - 1);
}
