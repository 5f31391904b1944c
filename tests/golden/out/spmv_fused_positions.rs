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
        let mut B2_begin = B2_pos.index(0);
        for i in 0..B1_dim {
            let B2_end = B2_pos.index(i + 1);
            let mut t = 0.0_f64;
            let mut next = B2_begin;
            let end = B2_end;
            if isa.in_fours(B2_pos, B2_crd) {
                let mut partial = isa.four(0.0_f64);
                while rt::more_than_four(next, end) {
                    let pB = next;
                    let j = isa.four_indices(B2_crd, pB);
                    partial = isa
                        .mul_add(
                            isa.load_four(B_vals, pB),
                            isa.pick(|offset| c_vals.at(j[offset])),
                            partial,
                        );
                    next += 4;
                }
                if isa.over_the_end() && next + 4 <= B2_crd.len() {
                    let kept = partial;
                    let pB = next;
                    let j = isa.last_four_indices(B2_crd, pB);
                    partial = isa
                        .mul_add(
                            isa.load_four(B_vals, pB),
                            isa.pick(|offset| c_vals.at(j[offset])),
                            partial,
                        );
                    partial = partial.first(end - next, kept);
                } else {
                    isa.to_the_end();
                    for pB in next..end {
                        let j = B2_crd.index(pB);
                        t = isa.mul_add(B_vals.at(pB), c_vals.at(j), t);
                    }
                }
                t += partial.sum();
            } else if next < end {
                next = isa.first_entry(next);
                loop {
                    let pB = next;
                    let j = B2_crd.index(pB);
                    t = isa.mul_add(B_vals.at(pB), c_vals.at(j), t);
                    next = isa.next_entry(next);
                    if next >= end {
                        break;
                    }
                }
            }
            a_vals.set(i, t);
            B2_begin = B2_end;
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
        match rt::Rows::of(B2_pos, B2_crd, B_vals) {
            rt::Rows::Streamed => {
                body(
                    rt::Streaming(rt::Avx512::assume()),
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    c_vals,
                    a_vals,
                )
            }
            rt::Rows::Alike => {
                body(
                    rt::Alike(rt::Avx512::assume()),
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    c_vals,
                    a_vals,
                )
            }
            rt::Rows::Irregular => {
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
        match rt::Rows::of(B2_pos, B2_crd, B_vals) {
            rt::Rows::Streamed => {
                body(
                    rt::Streaming(rt::Avx2::assume()),
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    c_vals,
                    a_vals,
                )
            }
            rt::Rows::Alike => {
                body(
                    rt::Alike(rt::Avx2::assume()),
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    c_vals,
                    a_vals,
                )
            }
            rt::Rows::Irregular => {
                body(
                    rt::Avx2::assume(),
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
