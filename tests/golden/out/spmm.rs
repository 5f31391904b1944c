/// C[i, k] = A[i, j] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        for i in 0..A1_dim {
            let k_end = B2_dim / 64 * 64;
            for k0 in (0..k_end).step_by(64) {
                let mut acc: [f32; 64] = [0.0_f32; 64];
                for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j = A2_crd.index(pA);
                    for lane in 0..64_usize {
                        acc[lane] = isa
                            .mul_add(
                                A_vals.at(pA),
                                B_vals.at(j * B2_dim + (k0 + lane)),
                                acc[lane],
                            );
                    }
                }
                for lane_ in 0..64_usize {
                    C_vals.set(i * B2_dim + (k0 + lane_), acc[lane_]);
                }
            }
            let k_end_2 = B2_dim / 32 * 32;
            for k0_ in (k_end..k_end_2).step_by(32) {
                let mut acc_2: [f32; 32] = [0.0_f32; 32];
                for pA_ in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j_ = A2_crd.index(pA_);
                    for lane__ in 0..32_usize {
                        acc_2[lane__] = isa
                            .mul_add(
                                A_vals.at(pA_),
                                B_vals.at(j_ * B2_dim + (k0_ + lane__)),
                                acc_2[lane__],
                            );
                    }
                }
                for lane___ in 0..32_usize {
                    C_vals.set(i * B2_dim + (k0_ + lane___), acc_2[lane___]);
                }
            }
            let k_end_3 = B2_dim / 8 * 8;
            for k0__ in (k_end_2..k_end_3).step_by(8) {
                let mut acc_3: [f32; 8] = [0.0_f32; 8];
                for pA__ in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j__ = A2_crd.index(pA__);
                    for lane____ in 0..8_usize {
                        acc_3[lane____] = isa
                            .mul_add(
                                A_vals.at(pA__),
                                B_vals.at(j__ * B2_dim + (k0__ + lane____)),
                                acc_3[lane____],
                            );
                    }
                }
                for lane_____ in 0..8_usize {
                    C_vals.set(i * B2_dim + (k0__ + lane_____), acc_3[lane_____]);
                }
            }
            let k_end_4 = B2_dim / 4 * 4;
            for k0___ in (k_end_3..k_end_4).step_by(4) {
                let mut acc_4: [f32; 4] = [0.0_f32; 4];
                for pA___ in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j___ = A2_crd.index(pA___);
                    for lane______ in 0..4_usize {
                        acc_4[lane______] = isa
                            .mul_add(
                                A_vals.at(pA___),
                                B_vals.at(j___ * B2_dim + (k0___ + lane______)),
                                acc_4[lane______],
                            );
                    }
                }
                for lane_______ in 0..4_usize {
                    C_vals.set(i * B2_dim + (k0___ + lane_______), acc_4[lane_______]);
                }
            }
            for k in k_end_4..B2_dim {
                let mut t = 0.0_f32;
                for pA____ in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j____ = A2_crd.index(pA____);
                    t = isa.mul_add(A_vals.at(pA____), B_vals.at(j____ * B2_dim + k), t);
                }
                C_vals.set(i * B2_dim + k, t);
            }
        }
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(rt::Avx512, A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(rt::Avx2, A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B_vals,
                    C_vals,
                )
            }
        }
    }
}
