/* The plain loops, as one writes them: what the system's C compiler makes of them is the implementation `gcc`. */

#define LOOPS(T, NAME)                                                                                                \
    /* s = A[p] A[p]. */                                                                                              \
    T norm_##NAME(long entries, const T *restrict vals) {                                                             \
        T sum = 0;                                                                                                    \
        for (long p = 0; p < entries; p++)                                                                            \
            sum += vals[p] * vals[p];                                                                                 \
        return sum;                                                                                                   \
    }                                                                                                                 \
                                                                                                                      \
    /* s = y[i] A[i, j] x[j]. */                                                                                      \
    T bilinear_##NAME(long rows, const int *restrict pos, const int *restrict crd, const T *restrict vals,            \
                      const T *restrict x, const T *restrict y) {                                                     \
        T sum = 0;                                                                                                    \
        for (long i = 0; i < rows; i++) {                                                                             \
            T row = 0;                                                                                                \
            for (long p = pos[i]; p < pos[i + 1]; p++)                                                                \
                row += vals[p] * x[crd[p]];                                                                           \
            sum += y[i] * row;                                                                                        \
        }                                                                                                             \
        return sum;                                                                                                   \
    }                                                                                                                 \
                                                                                                                      \
    /* C = A o (X Y^T): a dot product an entry. */                                                                    \
    void sddmm_##NAME(long rows, long k, const int *restrict pos, const int *restrict crd, const T *restrict vals,    \
                      const T *restrict x, const T *restrict y, T *restrict out) {                                    \
        for (long i = 0; i < rows; i++)                                                                               \
            for (long p = pos[i]; p < pos[i + 1]; p++) {                                                              \
                long j = crd[p];                                                                                      \
                T sum = 0;                                                                                            \
                for (long s = 0; s < k; s++)                                                                          \
                    sum += x[i * k + s] * y[j * k + s];                                                               \
                out[p] = vals[p] * sum;                                                                               \
            }                                                                                                         \
    }                                                                                                                 \
                                                                                                                      \
    /* Y[i, j] = A[i, j, k] x[k]. */                                                                                  \
    void ttv_##NAME(long roots, long rows, long cols, const int *restrict crd1, const int *restrict pos2,             \
                    const int *restrict crd2, const int *restrict pos3, const int *restrict crd3,                     \
                    const T *restrict vals, const T *restrict x, T *restrict y) {                                     \
        for (long n = 0; n < rows * cols; n++)                                                                        \
            y[n] = 0;                                                                                                 \
        for (long n = 0; n < roots; n++)                                                                              \
            for (long q = pos2[n]; q < pos2[n + 1]; q++) {                                                            \
                T sum = 0;                                                                                            \
                for (long p = pos3[q]; p < pos3[q + 1]; p++)                                                          \
                    sum += vals[p] * x[crd3[p]];                                                                      \
                y[crd1[n] * cols + crd2[q]] = sum;                                                                    \
            }                                                                                                         \
    }                                                                                                                 \
                                                                                                                      \
    /* M[i, s] = A[i, k, l] C[k, s] D[l, s]. */                                                                       \
    void mttkrp_##NAME(long roots, long rows, long r, const int *restrict crd1, const int *restrict pos2,             \
                       const int *restrict crd2, const int *restrict pos3, const int *restrict crd3,                  \
                       const T *restrict vals, const T *restrict c, const T *restrict d, T *restrict m) {             \
        for (long n = 0; n < rows * r; n++)                                                                           \
            m[n] = 0;                                                                                                 \
        for (long n = 0; n < roots; n++)                                                                              \
            for (long q = pos2[n]; q < pos2[n + 1]; q++)                                                              \
                for (long p = pos3[q]; p < pos3[q + 1]; p++) {                                                        \
                    long i = crd1[n], k = crd2[q], l = crd3[p];                                                       \
                    for (long s = 0; s < r; s++)                                                                      \
                        m[i * r + s] += vals[p] * c[k * r + s] * d[l * r + s];                                        \
                }                                                                                                     \
    }

LOOPS(float, f32)
LOOPS(double, f64)
