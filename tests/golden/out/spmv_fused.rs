/// a[i] = B[i, j] * c[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let f_end = B1_dim * B2_dim;
        for f in 0..f_end {
            let i = f / B2_dim;
            let j = f % B2_dim;
            let pB2_begin = B2_pos.index(i);
            let pB2_end = B2_pos.index(i + 1);
            let pB2 = rt::lower_bound(B2_crd, pB2_begin, pB2_end, j);
            if pB2 < pB2_end && B2_crd.index(pB2) == j {
                a_vals.set(i, isa.mul_add(B_vals.at(pB2), c_vals.at(j), a_vals.at(i)));
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            c_vals,
            a_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(rt::Avx2::assume(), B1_dim, B2_dim, B2_pos, B2_crd, B_vals, c_vals, a_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(B1_dim, B2_dim, B2_pos, B2_crd, B_vals, c_vals, a_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(B1_dim, B2_dim, B2_pos, B2_crd, B_vals, c_vals, a_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    c_vals,
                    a_vals,
                )
            }
        }
    }
}
