// a[i] = b[i] + c[i];
extern "C" __global__ void __launch_bounds__(32) vector_sum(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const double* __restrict__ c_vals,
    double* __restrict__ a_vals) {
    const int thread_x = threadIdx.x;
    const int pb1_end = b1_pos[1];
    const int pc1_end = c1_pos[1];
    int pb = b1_pos[0];
    int pc = c1_pos[0];
    while (pb < pb1_end && pc < pc1_end) {
        const int ib = b1_crd[pb];
        const int ic = c1_crd[pc];
        if (ib == ic) {
            if (thread_x == 0) {
                a_vals[ib] = b_vals[pb] + c_vals[pc];
            }
            ++pb;
            ++pc;
        } else if (ib < ic) {
            if (thread_x == 0) {
                a_vals[ib] = b_vals[pb];
            }
            ++pb;
        } else {
            if (thread_x == 0) {
                a_vals[ic] = c_vals[pc];
            }
            ++pc;
        }
    }
    for (int pb_2 = pb; pb_2 < pb1_end; ++pb_2) {
        const int i = b1_crd[pb_2];
        if (thread_x == 0) {
            a_vals[i] = b_vals[pb_2];
        }
    }
    for (int pc_2 = pc; pc_2 < pc1_end; ++pc_2) {
        const int i = c1_crd[pc_2];
        if (thread_x == 0) {
            a_vals[i] = c_vals[pc_2];
        }
    }
}
