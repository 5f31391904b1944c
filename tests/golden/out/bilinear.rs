/// s = y[i] * A[i, j] * x[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut t = 0.0_f64;
        let mut A2_begin = A2_pos.index(0);
        for i in 0..y1_dim {
            let A2_end = A2_pos.index(i + 1);
            let pA2_begin = A2_begin;
            let pA2_end = A2_end;
            if pA2_begin < pA2_end {
                let mut t_2 = 0.0_f64;
                let mut next = pA2_begin;
                let end = pA2_end;
                let mut partial = [0.0_f64; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let pA = next + offset;
                        let j = A2_crd.index(pA);
                        partial[offset] = isa
                            .mul_add(A_vals.at(pA), x_vals.at(j), partial[offset]);
                    }
                    next += 4;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    t_2 = isa.mul_add(A_vals.at(pA), x_vals.at(j), t_2);
                }
                t_2 += partial[0] + partial[1] + (partial[2] + partial[3]);
                t = isa.mul_add(y_vals.at(i), t_2, t);
            }
            A2_begin = A2_end;
        }
        s_vals.set(0, t);
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            y1_dim,
            A2_dim,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            s_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            y1_dim,
            A2_dim,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            s_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(y1_dim, A2_dim, y_vals, A2_pos, A2_crd, A_vals, x_vals, s_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(y1_dim, A2_dim, y_vals, A2_pos, A2_crd, A_vals, x_vals, s_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    y1_dim,
                    A2_dim,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
        }
    }
}
