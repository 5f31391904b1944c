// a[i] = b[i] + c[i] + d[i];
extern "C" __global__ void __launch_bounds__(32) vector_sum3(
    const int* __restrict__ b1_pos, const int* __restrict__ b1_crd, const double* __restrict__ b_vals,
    const int* __restrict__ c1_pos, const int* __restrict__ c1_crd, const double* __restrict__ c_vals,
    const int* __restrict__ d1_pos, const int* __restrict__ d1_crd, const double* __restrict__ d_vals,
    double* __restrict__ a_vals) {
    const int thread_x = threadIdx.x;
    const int pb1_end = b1_pos[1];
    const int pc1_end = c1_pos[1];
    const int pd1_end = d1_pos[1];
    int pb = b1_pos[0];
    int pc = c1_pos[0];
    int pd = d1_pos[0];
    while (pb < pb1_end && pc < pc1_end && pd < pd1_end) {
        const int ib = b1_crd[pb];
        const int ic = c1_crd[pc];
        const int id = d1_crd[pd];
        const int i = min(min(ib, ic), id);
        if (ib == i && ic == i && id == i) {
            if (thread_x == 0) {
                a_vals[i] = b_vals[pb] + c_vals[pc] + d_vals[pd];
            }
            ++pb;
            ++pc;
            ++pd;
        } else if (ib == i && ic == i) {
            if (thread_x == 0) {
                a_vals[i] = b_vals[pb] + c_vals[pc];
            }
            ++pb;
            ++pc;
        } else if (ib == i && id == i) {
            if (thread_x == 0) {
                a_vals[i] = b_vals[pb] + d_vals[pd];
            }
            ++pb;
            ++pd;
        } else if (ic == i && id == i) {
            if (thread_x == 0) {
                a_vals[i] = c_vals[pc] + d_vals[pd];
            }
            ++pc;
            ++pd;
        } else if (ib == i) {
            if (thread_x == 0) {
                a_vals[i] = b_vals[pb];
            }
            ++pb;
        } else if (ic == i) {
            if (thread_x == 0) {
                a_vals[i] = c_vals[pc];
            }
            ++pc;
        } else {
            if (thread_x == 0) {
                a_vals[i] = d_vals[pd];
            }
            ++pd;
        }
    }
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
    while (pb < pb1_end && pd < pd1_end) {
        const int ib = b1_crd[pb];
        const int id = d1_crd[pd];
        if (ib == id) {
            if (thread_x == 0) {
                a_vals[ib] = b_vals[pb] + d_vals[pd];
            }
            ++pb;
            ++pd;
        } else if (ib < id) {
            if (thread_x == 0) {
                a_vals[ib] = b_vals[pb];
            }
            ++pb;
        } else {
            if (thread_x == 0) {
                a_vals[id] = d_vals[pd];
            }
            ++pd;
        }
    }
    while (pc < pc1_end && pd < pd1_end) {
        const int ic = c1_crd[pc];
        const int id = d1_crd[pd];
        if (ic == id) {
            if (thread_x == 0) {
                a_vals[ic] = c_vals[pc] + d_vals[pd];
            }
            ++pc;
            ++pd;
        } else if (ic < id) {
            if (thread_x == 0) {
                a_vals[ic] = c_vals[pc];
            }
            ++pc;
        } else {
            if (thread_x == 0) {
                a_vals[id] = d_vals[pd];
            }
            ++pd;
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
    for (int pd_2 = pd; pd_2 < pd1_end; ++pd_2) {
        const int i = d1_crd[pd_2];
        if (thread_x == 0) {
            a_vals[i] = d_vals[pd_2];
        }
    }
}
