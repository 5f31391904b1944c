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
        let pB2_end = B2_pos.index(B1_dim);
        for p0 in 0..(pB2_end + 15) / 16 {
            let p1_begin = p0 * 16;
            let p1_end = (p1_begin + 16).min(pB2_end);
            let mut pB = p1_begin;
            let mut i = rt::upper_bound(B2_pos, 1, B1_dim, pB) - 1;
            while pB < p1_end {
                let pB2_end_2 = B2_pos.index(i + 1).min(p1_end);
                let mut t = 0.0_f64;
                let mut next = pB;
                let end = pB2_end_2;
                let mut partial = [0.0_f64; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let pB_2 = next + offset;
                        let j = B2_crd.index(pB_2);
                        partial[offset] = isa
                            .mul_add(B_vals.at(pB_2), c_vals.at(j), partial[offset]);
                    }
                    next += 4;
                }
                for pB_2 in next..end {
                    let j = B2_crd.index(pB_2);
                    t = isa.mul_add(B_vals.at(pB_2), c_vals.at(j), t);
                }
                t += partial[0] + partial[1] + (partial[2] + partial[3]);
                a_vals.set(i, a_vals.at(i) + t);
                pB = pB2_end_2;
                i += 1;
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
