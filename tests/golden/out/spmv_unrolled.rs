/// y[i] = A[i, j] * x[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut next = 0_usize;
        let end = A1_dim;
        while next + 1 < end {
            {
                let i = next;
                let mut t = 0.0_f64;
                let mut next = A2_pos.index(i);
                let end = A2_pos.index(i + 1);
                while next + 3 < end {
                    {
                        let pA = next;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 1;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 2;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 3;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    next += 4;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                y_vals.set(i, t);
            }
            {
                let i = next + 1;
                let mut t = 0.0_f64;
                let mut next = A2_pos.index(i);
                let end = A2_pos.index(i + 1);
                while next + 3 < end {
                    {
                        let pA = next;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 1;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 2;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    {
                        let pA = next + 3;
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                    }
                    next += 4;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                y_vals.set(i, t);
            }
            next += 2;
        }
        for i in next..end {
            let mut t = 0.0_f64;
            let mut next = A2_pos.index(i);
            let end = A2_pos.index(i + 1);
            while next + 3 < end {
                {
                    let pA = next;
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                {
                    let pA = next + 1;
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                {
                    let pA = next + 2;
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                {
                    let pA = next + 3;
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
                }
                next += 4;
            }
            for pA in next..end {
                let j = A2_crd.index(pA);
                t = isa.mul_add(A_vals.at(pA), x_vals.at(j), t);
            }
            y_vals.set(i, t);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
