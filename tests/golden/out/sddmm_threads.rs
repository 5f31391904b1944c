/// A[i, k] = B[i, k] * C[i, j] * D[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        for i0 in 0..(B1_dim + 15) / 16 {
            let i1_begin = i0 * 16;
            let i1_end = (i1_begin + 16).min(B1_dim);
            for i1 in 0..i1_end - i1_begin {
                let i = i1_begin + i1;
                let pB2_begin = B2_pos.index(i);
                let pB2_end = B2_pos.index(i + 1);
                let kpos0_end = (pB2_end - pB2_begin) / 8;
                for kpos0 in 0..kpos0_end {
                    for j in 0..C2_dim {
                        let kpos1_begin = pB2_begin + kpos0 * 8;
                        for pB in kpos1_begin..kpos1_begin + 8 {
                            let k = B2_crd.index(pB);
                            A_vals
                                .set(
                                    pB,
                                    isa
                                        .mul_add(
                                            B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                            D_vals.at(j * B2_dim + k),
                                            A_vals.at(pB),
                                        ),
                                );
                        }
                    }
                }
                if kpos0_end * 8 < pB2_end - pB2_begin {
                    for j in 0..C2_dim {
                        let kpos1_begin = pB2_begin + kpos0_end * 8;
                        let kpos1_end = (kpos1_begin + 8).min(pB2_end);
                        for pB in kpos1_begin..kpos1_end {
                            let k = B2_crd.index(pB);
                            A_vals
                                .set(
                                    pB,
                                    isa
                                        .mul_add(
                                            B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                            D_vals.at(j * B2_dim + k),
                                            A_vals.at(pB),
                                        ),
                                );
                        }
                    }
                }
            }
        }
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D_vals,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D_vals,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D_vals,
                    A_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    B1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D_vals,
                    A_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D_vals,
                    A_vals,
                )
            }
        }
    }
}
