/// A[i, r] = B[i, j, k] * C[j, r] * D[k, r];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
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
        let pB1_begin = B1_pos.index(0);
        let pB1_end = B1_pos.index(1);
        rt::threads(
            isa,
            &Task_pB {
                C2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                C_vals,
                D_vals,
                A_vals: A_vals.shared(),
            },
            pB1_begin..pB1_end,
            rt::in_lanes(
                B3_pos.index(B2_pos.index(pB1_end)).saturating_mul(C2_dim),
                C2_dim,
            ),
            rt::Positions(B2_pos),
        );
    }
}
/// What the iterations of `pB` capture.
struct Task_pB<'a> {
    C2_dim: usize,
    B1_crd: &'a [i32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f64],
    C_vals: &'a [f64],
    D_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_pB<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pB {
            C2_dim,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
            D_vals,
            ref A_vals,
        } = *self;
        let body_pB = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match C2_dim {
                    4 => avx512_pB::<4>,
                    8 => avx512_pB::<8>,
                    16 => avx512_pB::<16>,
                    32 => avx512_pB::<32>,
                    64 => avx512_pB::<64>,
                    128 => avx512_pB::<128>,
                    _ => avx512_pB::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match C2_dim {
                    4 => avx2_pB::<4>,
                    8 => avx2_pB::<8>,
                    16 => avx2_pB::<16>,
                    32 => avx2_pB::<32>,
                    64 => avx2_pB::<64>,
                    128 => avx2_pB::<128>,
                    _ => avx2_pB::<0>,
                }
            }
            _ => baseline_pB,
        };
        unsafe {
            body_pB(
                chunk,
                C2_dim,
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
/// Iterations of `pB`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_pB(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    C2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut B2_begin = B2_pos.index(chunk.lo);
        for pB in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(pB + 1);
            let i = B1_crd.index(pB);
            let r_end = if isa.fits(1024) { C2_dim / 128 * 128 } else { 0 };
            for r0 in (0..r_end).step_by(128) {
                let mut acc: [f64; 128] = [0.0_f64; 128];
                let mut B3_begin = B3_pos.index(B2_begin);
                for pB_2 in rt::fiber(B2_begin, B2_end) {
                    let B3_end = B3_pos.index(pB_2 + 1);
                    let j = B2_crd.index(pB_2);
                    if B3_begin < B3_end {
                        let mut acc_2: [f64; 128] = [0.0_f64; 128];
                        for pB_3 in rt::fiber(B3_begin, B3_end) {
                            let k = B3_crd.index(pB_3);
                            for lane in 0..128_usize {
                                acc_2[lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        D_vals.at(k * C2_dim + r0 + lane),
                                        acc_2[lane],
                                    );
                            }
                        }
                        for lane in 0..128_usize {
                            let sum = acc_2[lane];
                            acc[lane] = isa
                                .mul_add(C_vals.at(j * C2_dim + r0 + lane), sum, acc[lane]);
                        }
                    }
                    B3_begin = B3_end;
                }
                for lane in 0..128_usize {
                    A_vals.set(i * C2_dim + r0 + lane, acc[lane]);
                }
            }
            let r_end_2 = if isa.fits(256) { C2_dim / 32 * 32 } else { r_end };
            for r0 in (r_end..r_end_2).step_by(32) {
                let mut acc_3: [f64; 32] = [0.0_f64; 32];
                let mut B3_begin = B3_pos.index(B2_begin);
                for pB_2 in rt::fiber(B2_begin, B2_end) {
                    let B3_end = B3_pos.index(pB_2 + 1);
                    let j = B2_crd.index(pB_2);
                    if B3_begin < B3_end {
                        let mut acc_4: [f64; 32] = [0.0_f64; 32];
                        for pB_3 in rt::fiber(B3_begin, B3_end) {
                            let k = B3_crd.index(pB_3);
                            for lane in 0..32_usize {
                                acc_4[lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        D_vals.at(k * C2_dim + r0 + lane),
                                        acc_4[lane],
                                    );
                            }
                        }
                        for lane in 0..32_usize {
                            let sum = acc_4[lane];
                            acc_3[lane] = isa
                                .mul_add(
                                    C_vals.at(j * C2_dim + r0 + lane),
                                    sum,
                                    acc_3[lane],
                                );
                        }
                    }
                    B3_begin = B3_end;
                }
                for lane in 0..32_usize {
                    A_vals.set(i * C2_dim + r0 + lane, acc_3[lane]);
                }
            }
            let r_end_3 = C2_dim / 8 * 8;
            for r0 in (r_end_2..r_end_3).step_by(8) {
                let mut acc_5: [f64; 8] = [0.0_f64; 8];
                let mut B3_begin = B3_pos.index(B2_begin);
                for pB_2 in rt::fiber(B2_begin, B2_end) {
                    let B3_end = B3_pos.index(pB_2 + 1);
                    let j = B2_crd.index(pB_2);
                    if B3_begin < B3_end {
                        let mut acc_6: [f64; 8] = [0.0_f64; 8];
                        for pB_3 in rt::fiber(B3_begin, B3_end) {
                            let k = B3_crd.index(pB_3);
                            for lane in 0..8_usize {
                                acc_6[lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        D_vals.at(k * C2_dim + r0 + lane),
                                        acc_6[lane],
                                    );
                            }
                        }
                        for lane in 0..8_usize {
                            let sum = acc_6[lane];
                            acc_5[lane] = isa
                                .mul_add(
                                    C_vals.at(j * C2_dim + r0 + lane),
                                    sum,
                                    acc_5[lane],
                                );
                        }
                    }
                    B3_begin = B3_end;
                }
                for lane in 0..8_usize {
                    A_vals.set(i * C2_dim + r0 + lane, acc_5[lane]);
                }
            }
            let r_end_4 = C2_dim / 4 * 4;
            for r0 in (r_end_3..r_end_4).step_by(4) {
                let mut acc_7: [f64; 4] = [0.0_f64; 4];
                let mut B3_begin = B3_pos.index(B2_begin);
                for pB_2 in rt::fiber(B2_begin, B2_end) {
                    let B3_end = B3_pos.index(pB_2 + 1);
                    let j = B2_crd.index(pB_2);
                    if B3_begin < B3_end {
                        let mut acc_8: [f64; 4] = [0.0_f64; 4];
                        for pB_3 in rt::fiber(B3_begin, B3_end) {
                            let k = B3_crd.index(pB_3);
                            for lane in 0..4_usize {
                                acc_8[lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        D_vals.at(k * C2_dim + r0 + lane),
                                        acc_8[lane],
                                    );
                            }
                        }
                        for lane in 0..4_usize {
                            let sum = acc_8[lane];
                            acc_7[lane] = isa
                                .mul_add(
                                    C_vals.at(j * C2_dim + r0 + lane),
                                    sum,
                                    acc_7[lane],
                                );
                        }
                    }
                    B3_begin = B3_end;
                }
                for lane in 0..4_usize {
                    A_vals.set(i * C2_dim + r0 + lane, acc_7[lane]);
                }
            }
            for r in r_end_4..C2_dim {
                let mut t = 0.0_f64;
                let mut B3_begin = B3_pos.index(B2_begin);
                for pB_2 in rt::fiber(B2_begin, B2_end) {
                    let B3_end = B3_pos.index(pB_2 + 1);
                    let j = B2_crd.index(pB_2);
                    if B3_begin < B3_end {
                        let mut t_2 = 0.0_f64;
                        let mut next = B3_begin;
                        let end = B3_end;
                        if isa.in_fours(B3_pos, B3_crd) {
                            let mut partial = isa.four(0.0_f64);
                            while rt::more_than_four(next, end) {
                                let pB_3 = next;
                                let k = isa.four_indices(B3_crd, pB_3);
                                partial = isa
                                    .mul_add(
                                        isa.load_four(B_vals, pB_3),
                                        isa.pick(|offset| D_vals.at(k[offset] * C2_dim + r)),
                                        partial,
                                    );
                                next += 4;
                            }
                            if isa.over_the_end() && next + 4 <= B3_crd.len() {
                                let kept = partial;
                                let pB_3 = next;
                                let k = isa.last_four_indices(B3_crd, pB_3);
                                partial = isa
                                    .mul_add(
                                        isa.load_four(B_vals, pB_3),
                                        isa.pick(|offset| D_vals.at(k[offset] * C2_dim + r)),
                                        partial,
                                    );
                                partial = partial.first(end - next, kept);
                            } else {
                                isa.to_the_end();
                                for pB_3 in next..end {
                                    let k = B3_crd.index(pB_3);
                                    t_2 = isa
                                        .mul_add(B_vals.at(pB_3), D_vals.at(k * C2_dim + r), t_2);
                                }
                            }
                            t_2 += partial.sum();
                        } else if next < end {
                            next = isa.first_entry(next);
                            loop {
                                let pB_3 = next;
                                let k = B3_crd.index(pB_3);
                                t_2 = isa
                                    .mul_add(B_vals.at(pB_3), D_vals.at(k * C2_dim + r), t_2);
                                next = isa.next_entry(next);
                                if next >= end {
                                    break;
                                }
                            }
                        }
                        t = isa.mul_add(C_vals.at(j * C2_dim + r), t_2, t);
                    }
                    B3_begin = B3_end;
                }
                A_vals.set(i * C2_dim + r, t);
            }
            B2_begin = B2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_pB<const SIZE: usize>(
    chunk: rt::Chunk,
    C2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_pB(
            rt::Avx512::assume(),
            chunk,
            C2_dim,
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
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pB<const SIZE: usize>(
    chunk: rt::Chunk,
    C2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_pB(
            rt::Avx2::assume(),
            chunk,
            C2_dim,
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
unsafe fn baseline_pB(
    chunk: rt::Chunk,
    C2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_pB(
            rt::Baseline,
            chunk,
            C2_dim,
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
            rt::Avx512::assume(),
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
            rt::Avx2::assume(),
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
