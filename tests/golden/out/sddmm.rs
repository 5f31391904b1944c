/// A[i, j] = B[i, j] * C[i, k] * D[j, k];
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
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        for i in 0..B1_dim {
            for pB in B2_pos.index(i)..B2_pos.index(i + 1) {
                let j = B2_crd.index(pB);
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = C2_dim;
                if next + 32 <= end {
                    let mut partial = [0.0_f32; 32];
                    while next + 32 <= end {
                        for offset in 0..32 {
                            let k = next + offset;
                            partial[offset] = isa
                                .mul_add(
                                    C_vals.at(i * C2_dim + k),
                                    D_vals.at(j * C2_dim + k),
                                    partial[offset],
                                );
                        }
                        next += 32;
                    }
                    t += isa.sum(partial);
                }
                for k in next..end {
                    t = isa
                        .mul_add(
                            C_vals.at(i * C2_dim + k),
                            D_vals.at(j * C2_dim + k),
                            t,
                        );
                }
                if 0 < C2_dim {
                    t = B_vals.at(pB) * t;
                }
                A_vals.set(pB, t);
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
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
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
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
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
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
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
