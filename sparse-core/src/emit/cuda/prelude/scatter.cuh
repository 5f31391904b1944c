// Each lane has C values, which are reduced over the group and scattered. Of two neighbouring values a lane keeps one and
// gives the other away for what the other lane has of the one it keeps, so that half as many are left, until the lane has
// one, or the group has no more lanes; the lanes that are left reduce the one in a tree. With W the smaller of C and G,
// value n of a lane is then the total of value n * W + lane % W. The indices are constants once the loops are unrolled.
template <typename T, int G, int C, typename Op = Add, typename Lanes = WholeWarp>
__device__ __forceinline__ void scatterGroup(T (&values)[C]) {
    const unsigned mask = Lanes::template mask<G>();
#pragma unroll
    for (int distance = 1; distance < G && distance < C; distance *= 2) {
        const bool odd = (threadIdx.x & distance) != 0;
#pragma unroll
        for (int n = 0; n < C / 2; ++n) {
            if (n < C / (2 * distance)) {
                const T kept = odd ? values[2 * n + 1] : values[2 * n];
                const T given = odd ? values[2 * n] : values[2 * n + 1];
                values[n] = Op::combine(kept, (T)__shfl_xor_sync(mask, given, distance, G));
            }
        }
    }
#pragma unroll
    for (int distance = C; distance < G; distance *= 2) {
        values[0] = Op::combine(values[0], (T)__shfl_xor_sync(mask, values[0], distance, G));
    }
}
