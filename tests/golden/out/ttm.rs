/// A[i, j, l] = B[i, j, k] * C[k, l];
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
    C2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let pB1_begin = B1_pos.index(0);
        let pB1_end = B1_pos.index(1);
        rt::threads(
            isa,
            &Task_pB {
                C2_dim,
                B2_pos,
                B3_pos,
                B3_crd,
                B_vals,
                C_vals,
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
    B2_pos: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f64],
    C_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_pB<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pB { C2_dim, B2_pos, B3_pos, B3_crd, B_vals, C_vals, ref A_vals } = *self;
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
        unsafe { body_pB(chunk, C2_dim, B2_pos, B3_pos, B3_crd, B_vals, C_vals, A_vals) }
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
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut B2_begin = B2_pos.index(chunk.lo);
        for pB in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(pB + 1);
            let mut B3_begin = B3_pos.index(B2_begin);
            for pB_2 in B2_begin..B2_end {
                let B3_end = B3_pos.index(pB_2 + 1);
                let l_end = if isa.fits(1024) { C2_dim / 128 * 128 } else { 0 };
                for l0 in (0..l_end).step_by(128) {
                    let mut acc: [f64; 128] = [0.0_f64; 128];
                    for pB_3 in B3_begin..B3_end {
                        let k = B3_crd.index(pB_3);
                        for lane in 0..128_usize {
                            acc[lane] = isa
                                .mul_add(
                                    B_vals.at(pB_3),
                                    C_vals.at(k * C2_dim + l0 + lane),
                                    acc[lane],
                                );
                        }
                    }
                    for lane in 0..128_usize {
                        A_vals.set(pB_2 * C2_dim + l0 + lane, acc[lane]);
                    }
                }
                let l_end_2 = if isa.fits(256) { C2_dim / 32 * 32 } else { l_end };
                for l0 in (l_end..l_end_2).step_by(32) {
                    let mut acc_2: [f64; 32] = [0.0_f64; 32];
                    for pB_3 in B3_begin..B3_end {
                        let k = B3_crd.index(pB_3);
                        for lane in 0..32_usize {
                            acc_2[lane] = isa
                                .mul_add(
                                    B_vals.at(pB_3),
                                    C_vals.at(k * C2_dim + l0 + lane),
                                    acc_2[lane],
                                );
                        }
                    }
                    for lane in 0..32_usize {
                        A_vals.set(pB_2 * C2_dim + l0 + lane, acc_2[lane]);
                    }
                }
                let l_end_3 = C2_dim / 8 * 8;
                for l0 in (l_end_2..l_end_3).step_by(8) {
                    let mut acc_3: [f64; 8] = [0.0_f64; 8];
                    let mut next = B3_begin;
                    let end = B3_end;
                    let mut partial = [[0.0_f64; 8]; 4];
                    while next + 4 <= end {
                        for offset in 0..4 {
                            let pB_3 = next + offset;
                            let k = B3_crd.index(pB_3);
                            for lane in 0..8_usize {
                                partial[offset][lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        C_vals.at(k * C2_dim + l0 + lane),
                                        partial[offset][lane],
                                    );
                            }
                        }
                        next += 4;
                    }
                    for pB_3 in next..end {
                        let k = B3_crd.index(pB_3);
                        for lane in 0..8_usize {
                            acc_3[lane] = isa
                                .mul_add(
                                    B_vals.at(pB_3),
                                    C_vals.at(k * C2_dim + l0 + lane),
                                    acc_3[lane],
                                );
                        }
                    }
                    for at in 0..8 {
                        acc_3[at]
                            += partial[0][at] + partial[1][at]
                                + (partial[2][at] + partial[3][at]);
                    }
                    for lane in 0..8_usize {
                        A_vals.set(pB_2 * C2_dim + l0 + lane, acc_3[lane]);
                    }
                }
                let l_end_4 = C2_dim / 4 * 4;
                for l0 in (l_end_3..l_end_4).step_by(4) {
                    let mut acc_4: [f64; 4] = [0.0_f64; 4];
                    let mut next = B3_begin;
                    let end = B3_end;
                    let mut partial = [[0.0_f64; 4]; 4];
                    while next + 4 <= end {
                        for offset in 0..4 {
                            let pB_3 = next + offset;
                            let k = B3_crd.index(pB_3);
                            for lane in 0..4_usize {
                                partial[offset][lane] = isa
                                    .mul_add(
                                        B_vals.at(pB_3),
                                        C_vals.at(k * C2_dim + l0 + lane),
                                        partial[offset][lane],
                                    );
                            }
                        }
                        next += 4;
                    }
                    for pB_3 in next..end {
                        let k = B3_crd.index(pB_3);
                        for lane in 0..4_usize {
                            acc_4[lane] = isa
                                .mul_add(
                                    B_vals.at(pB_3),
                                    C_vals.at(k * C2_dim + l0 + lane),
                                    acc_4[lane],
                                );
                        }
                    }
                    for at in 0..4 {
                        acc_4[at]
                            += partial[0][at] + partial[1][at]
                                + (partial[2][at] + partial[3][at]);
                    }
                    for lane in 0..4_usize {
                        A_vals.set(pB_2 * C2_dim + l0 + lane, acc_4[lane]);
                    }
                }
                for l in l_end_4..C2_dim {
                    let mut t = 0.0_f64;
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
                                    isa.pick(|offset| C_vals.at(k[offset] * C2_dim + l)),
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
                                    isa.pick(|offset| C_vals.at(k[offset] * C2_dim + l)),
                                    partial,
                                );
                            partial = partial.first(end - next, kept);
                        } else {
                            isa.to_the_end();
                            for pB_3 in next..end {
                                let k = B3_crd.index(pB_3);
                                t = isa
                                    .mul_add(B_vals.at(pB_3), C_vals.at(k * C2_dim + l), t);
                            }
                        }
                        t += partial.sum();
                    } else if next < end {
                        next = isa.first_entry(next);
                        loop {
                            let pB_3 = next;
                            let k = B3_crd.index(pB_3);
                            t = isa
                                .mul_add(B_vals.at(pB_3), C_vals.at(k * C2_dim + l), t);
                            next = isa.next_entry(next);
                            if next >= end {
                                break;
                            }
                        }
                    }
                    A_vals.set(pB_2 * C2_dim + l, t);
                }
                B3_begin = B3_end;
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
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_pB(
            rt::Avx512::assume(),
            chunk,
            C2_dim,
            B2_pos,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pB<const SIZE: usize>(
    chunk: rt::Chunk,
    C2_dim: usize,
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_pB(
            rt::Avx2::assume(),
            chunk,
            C2_dim,
            B2_pos,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
            A_vals,
        )
    }
}
unsafe fn baseline_pB(
    chunk: rt::Chunk,
    C2_dim: usize,
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_pB(
            rt::Baseline,
            chunk,
            C2_dim,
            B2_pos,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C_vals,
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
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
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
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    C_vals,
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
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    C_vals,
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
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    C_vals,
                    A_vals,
                )
            }
        }
    }
}
