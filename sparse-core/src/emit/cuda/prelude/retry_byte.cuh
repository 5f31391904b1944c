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
