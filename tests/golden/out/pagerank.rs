/// s[j] = A[i, j] * r[i] + rest;
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A2_dim: usize,
    A1_dim: usize,
    rest: f64,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    r_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut t0_memory = rt::Scratch::<f64>::new();
        let t0 = t0_memory.array(A2_dim, 0.0_f64);
        let mut A2_begin = A2_pos.index(0);
        for i in 0..A1_dim {
            let A2_end = A2_pos.index(i + 1);
            for pA in A2_begin..A2_end {
                let j_t0 = A2_crd.index(pA);
                t0.set(j_t0, isa.mul_add(A_vals.at(pA), r_vals.at(i), t0.at(j_t0)));
            }
            A2_begin = A2_end;
        }
        for j in 0..A2_dim {
            s_vals.set(j, t0.at(j) + rest);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A2_dim: usize,
    A1_dim: usize,
    rest: f64,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    r_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A2_dim,
            A1_dim,
            rest,
            A2_pos,
            A2_crd,
            A_vals,
            r_vals,
            s_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A2_dim: usize,
    A1_dim: usize,
    rest: f64,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    r_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A2_dim,
            A1_dim,
            rest,
            A2_pos,
            A2_crd,
            A_vals,
            r_vals,
            s_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A2_dim: usize,
    A1_dim: usize,
    rest: f64,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    r_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(A2_dim, A1_dim, rest, A2_pos, A2_crd, A_vals, r_vals, s_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A2_dim, A1_dim, rest, A2_pos, A2_crd, A_vals, r_vals, s_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A2_dim,
                    A1_dim,
                    rest,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    r_vals,
                    s_vals,
                )
            }
        }
    }
}
