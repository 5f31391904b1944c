/// a[i] = b[i] * c[i];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let pb1_end = b1_pos.index(1);
        let pc1_end = c1_pos.index(1);
        let mut pb = b1_pos.index(0);
        let mut pc = c1_pos.index(0);
        if pb < pb1_end && pc < pc1_end {
            rt::align();
            loop {
                let ib = b1_crd.index(pb);
                let ic = c1_crd.index(pc);
                if ib == ic {
                    a_vals.set(ib, b_vals.at(pb) * c_vals.at(pc));
                    pb += 1;
                    pc += 1;
                    if pb1_end <= pb || pc1_end <= pc {
                        break;
                    }
                } else if ib < ic {
                    pb = rt::gallop(b1_crd, pb + 1, pb1_end, ic);
                    if pb1_end <= pb {
                        break;
                    }
                } else {
                    pc = rt::gallop(c1_crd, pc + 1, pc1_end, ib);
                    if pc1_end <= pc {
                        break;
                    }
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            b1_dim,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            b1_dim,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(b1_dim, b1_pos, b1_crd, b_vals, c1_pos, c1_crd, c_vals, a_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(b1_dim, b1_pos, b1_crd, b_vals, c1_pos, c1_crd, c_vals, a_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    b1_dim,
                    b1_pos,
                    b1_crd,
                    b_vals,
                    c1_pos,
                    c1_crd,
                    c_vals,
                    a_vals,
                )
            }
        }
    }
}
