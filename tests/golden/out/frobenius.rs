/// s = A[i, j] * A[i, j];
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
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut t = 0.0_f64;
        let mut A2_begin = A2_pos.index(0);
        for i in 0..A1_dim {
            let A2_end = A2_pos.index(i + 1);
            let mut next = A2_begin;
            let end = A2_end;
            let width = isa.width::<f64>();
            if next + width <= end {
                let mut partial = isa.splat(-0.0_f64);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let pA = next + offset * width;
                            each[offset % 4] = isa
                                .mul_add(
                                    isa.load(A_vals, pA),
                                    isa.load(A_vals, pA),
                                    each[offset % 4],
                                );
                        }
                        next += 8 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + 2 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 2];
                    each[0] = partial;
                    while next + 2 * width <= end {
                        for offset in 0..2 {
                            let pA = next + offset * width;
                            each[offset] = isa
                                .mul_add(
                                    isa.load(A_vals, pA),
                                    isa.load(A_vals, pA),
                                    each[offset],
                                );
                        }
                        next += 2 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + width <= end {
                    let pA = next;
                    partial = isa
                        .mul_add(isa.load(A_vals, pA), isa.load(A_vals, pA), partial);
                    next += width;
                }
                t += partial.sum();
            }
            for pA in next..end {
                t = isa.mul_add(A_vals.at(pA), A_vals.at(pA), t);
            }
            A2_begin = A2_end;
        }
        s_vals.set(0, t);
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
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx512::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
    }
}
