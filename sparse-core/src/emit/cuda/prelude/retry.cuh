// Nothing is swapped where the value changes nothing.
template <typename Op, typename T> __device__ __forceinline__ void retry(T* at, T value) {
    typedef typename Word<T>::type W;
    W* const word = (W*)at;
    W seen = *(volatile W*)word;
    while (true) {
        const W expected = seen;
        const W combined = Word<T>::of(Op::combine(Word<T>::value(expected), value));
        if (combined == expected) return;
        seen = atomicCAS(word, expected, combined);
        if (seen == expected) return;
    }
}
