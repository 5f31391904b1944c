/// A[i, r] = B[i, j, k] * C[j, r] * D[k, r];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B1_dim: usize,
    C2_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        for pB in B1_pos.index(0)..B1_pos.index(1) {
            let i = B1_crd.index(pB);
            let r_end = C2_dim / 64 * 64;
            for r0 in (0..r_end).step_by(64) {
                let mut acc: [f64; 64] = [0.0_f64; 64];
                for pB_2 in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                    let j = B2_crd.index(pB_2);
                    let pB3_begin = B3_pos.index(pB_2);
                    let pB3_end = B3_pos.index(pB_2 + 1);
                    if pB3_begin < pB3_end {
                        let mut acc_2: [f64; 64] = [0.0_f64; 64];
                        for pB_3 in pB3_begin..pB3_end {
                            let k = B3_crd.index(pB_3);
                            for lane in 0..64_usize {
                                acc_2[lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        D_vals.at(k * C2_dim + (r0 + lane)),
                                        acc_2[lane],
                                    );
                            }
                        }
                        for lane_ in 0..64_usize {
                            let sum = acc_2[lane_];
                            acc[lane_] = isa
                                .mul_add(
                                    C_vals.at(j * C2_dim + (r0 + lane_)),
                                    sum,
                                    acc[lane_],
                                );
                        }
                    }
                }
                for lane__ in 0..64_usize {
                    A_vals.set(i * C2_dim + (r0 + lane__), acc[lane__]);
                }
            }
            let r_end_2 = C2_dim / 32 * 32;
            for r0_ in (r_end..r_end_2).step_by(32) {
                let mut acc_3: [f64; 32] = [0.0_f64; 32];
                for pB_2_ in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                    let j_ = B2_crd.index(pB_2_);
                    let pB3_begin_ = B3_pos.index(pB_2_);
                    let pB3_end_ = B3_pos.index(pB_2_ + 1);
                    if pB3_begin_ < pB3_end_ {
                        let mut acc_4: [f64; 32] = [0.0_f64; 32];
                        for pB_3_ in pB3_begin_..pB3_end_ {
                            let k_ = B3_crd.index(pB_3_);
                            for lane___ in 0..32_usize {
                                acc_4[lane___] = isa
                                    .mul_add(
                                        B_vals.at(pB_3_),
                                        D_vals.at(k_ * C2_dim + (r0_ + lane___)),
                                        acc_4[lane___],
                                    );
                            }
                        }
                        for lane____ in 0..32_usize {
                            let sum_ = acc_4[lane____];
                            acc_3[lane____] = isa
                                .mul_add(
                                    C_vals.at(j_ * C2_dim + (r0_ + lane____)),
                                    sum_,
                                    acc_3[lane____],
                                );
                        }
                    }
                }
                for lane_____ in 0..32_usize {
                    A_vals.set(i * C2_dim + (r0_ + lane_____), acc_3[lane_____]);
                }
            }
            let r_end_3 = C2_dim / 8 * 8;
            for r0__ in (r_end_2..r_end_3).step_by(8) {
                let mut acc_5: [f64; 8] = [0.0_f64; 8];
                for pB_2__ in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                    let j__ = B2_crd.index(pB_2__);
                    let pB3_begin__ = B3_pos.index(pB_2__);
                    let pB3_end__ = B3_pos.index(pB_2__ + 1);
                    if pB3_begin__ < pB3_end__ {
                        let mut acc_6: [f64; 8] = [0.0_f64; 8];
                        for pB_3__ in pB3_begin__..pB3_end__ {
                            let k__ = B3_crd.index(pB_3__);
                            for lane______ in 0..8_usize {
                                acc_6[lane______] = isa
                                    .mul_add(
                                        B_vals.at(pB_3__),
                                        D_vals.at(k__ * C2_dim + (r0__ + lane______)),
                                        acc_6[lane______],
                                    );
                            }
                        }
                        for lane_______ in 0..8_usize {
                            let sum__ = acc_6[lane_______];
                            acc_5[lane_______] = isa
                                .mul_add(
                                    C_vals.at(j__ * C2_dim + (r0__ + lane_______)),
                                    sum__,
                                    acc_5[lane_______],
                                );
                        }
                    }
                }
                for lane________ in 0..8_usize {
                    A_vals.set(i * C2_dim + (r0__ + lane________), acc_5[lane________]);
                }
            }
            let r_end_4 = C2_dim / 4 * 4;
            for r0___ in (r_end_3..r_end_4).step_by(4) {
                let mut acc_7: [f64; 4] = [0.0_f64; 4];
                for pB_2___ in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                    let j___ = B2_crd.index(pB_2___);
                    let pB3_begin___ = B3_pos.index(pB_2___);
                    let pB3_end___ = B3_pos.index(pB_2___ + 1);
                    if pB3_begin___ < pB3_end___ {
                        let mut acc_8: [f64; 4] = [0.0_f64; 4];
                        for pB_3___ in pB3_begin___..pB3_end___ {
                            let k___ = B3_crd.index(pB_3___);
                            for lane_________ in 0..4_usize {
                                acc_8[lane_________] = isa
                                    .mul_add(
                                        B_vals.at(pB_3___),
                                        D_vals.at(k___ * C2_dim + (r0___ + lane_________)),
                                        acc_8[lane_________],
                                    );
                            }
                        }
                        for lane__________ in 0..4_usize {
                            let sum___ = acc_8[lane__________];
                            acc_7[lane__________] = isa
                                .mul_add(
                                    C_vals.at(j___ * C2_dim + (r0___ + lane__________)),
                                    sum___,
                                    acc_7[lane__________],
                                );
                        }
                    }
                }
                for lane___________ in 0..4_usize {
                    A_vals
                        .set(
                            i * C2_dim + (r0___ + lane___________),
                            acc_7[lane___________],
                        );
                }
            }
            for r in r_end_4..C2_dim {
                let mut t = 0.0_f64;
                for pB_2____ in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                    let j____ = B2_crd.index(pB_2____);
                    let pB3_begin____ = B3_pos.index(pB_2____);
                    let pB3_end____ = B3_pos.index(pB_2____ + 1);
                    if pB3_begin____ < pB3_end____ {
                        let mut t_2 = 0.0_f64;
                        for pB_3____ in pB3_begin____..pB3_end____ {
                            let k____ = B3_crd.index(pB_3____);
                            t_2 = isa
                                .mul_add(
                                    B_vals.at(pB_3____),
                                    D_vals.at(k____ * C2_dim + r),
                                    t_2,
                                );
                        }
                        t = isa.mul_add(C_vals.at(j____ * C2_dim + r), t_2, t);
                    }
                }
                A_vals.set(i * C2_dim + r, t);
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
    C2_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512,
            B1_dim,
            C2_dim,
            B2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
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
    C2_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2,
            B1_dim,
            C2_dim,
            B2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
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
    C2_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
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
                    C2_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
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
                    C2_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
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
                    C2_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    C_vals,
                    D_vals,
                    A_vals,
                )
            }
        }
    }
}
