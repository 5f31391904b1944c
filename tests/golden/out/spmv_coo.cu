// y[i] = A[i, j] * x[j];
extern "C" __global__ void __launch_bounds__(32) spmv_coo(
    const int* __restrict__ A1_pos, const int* __restrict__ A1_crd, const int* __restrict__ A2_crd,
    const double* __restrict__ A_vals, const double* __restrict__ x_vals, double* __restrict__ y_vals) {
    const int thread_x = threadIdx.x;
    const int pA1_end = A1_pos[1];
    int pA = A1_pos[0];
    while (pA < pA1_end) {
        const int i = A1_crd[pA];
        int pA_next = pA;
        while (pA_next < pA1_end && A1_crd[pA_next] == i) {
            ++pA_next;
        }
        double t = 0.0;
        for (int pA_2 = pA, pA_2_end = pA_next; pA_2 < pA_2_end; ++pA_2) {
            const int j = A2_crd[pA_2];
            t += A_vals[pA_2] * x_vals[j];
        }
        if (thread_x == 0) {
            y_vals[i] = t;
        }
        pA = pA_next;
    }
}
