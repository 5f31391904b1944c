/// r[i] = b[i] - A[i, j] * x[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    b1_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    b_vals: &[f64],
    r_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut t0_memory = rt::Scratch::<f64>::new();
        let t0 = t0_memory.array(b1_dim, 0.0_f64);
        let mut A2_begin = A2_pos.index(0);
        for j in 0..A1_dim {
            let A2_end = A2_pos.index(j + 1);
            for pA in A2_begin..A2_end {
                let i_t0 = A2_crd.index(pA);
                t0.set(i_t0, isa.mul_add(A_vals.at(pA), x_vals.at(j), t0.at(i_t0)));
            }
            A2_begin = A2_end;
        }
        for i in 0..b1_dim {
            r_vals.set(i, b_vals.at(i) - t0.at(i));
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    b1_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    b_vals: &[f64],
    r_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            b1_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            b_vals,
            r_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    b1_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    b_vals: &[f64],
    r_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            b1_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            b_vals,
            r_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    b1_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    b_vals: &[f64],
    r_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(b1_dim, A1_dim, A2_pos, A2_crd, A_vals, x_vals, b_vals, r_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(b1_dim, A1_dim, A2_pos, A2_crd, A_vals, x_vals, b_vals, r_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    b1_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    b_vals,
                    r_vals,
                )
            }
        }
    }
}
