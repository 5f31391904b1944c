/// A[i, j] = B[i, k, l] * C[k, j] * D[l, j];
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
        rt::threads(
            isa,
            &Task_i1 {
                B1_dim,
                C2_dim,
                B1_pos,
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
            0..(B1_dim + 15) / 16,
            rt::in_lanes(
                B3_pos.index(B2_pos.index(B1_pos.index(1))).saturating_mul(C2_dim),
                C2_dim,
            ),
            rt::Even,
        );
    }
}
/// What the iterations of `i1` capture.
struct Task_i1<'a> {
    B1_dim: usize,
    C2_dim: usize,
    B1_pos: &'a [i32],
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
impl rt::Task for Task_i1<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i1 {
            B1_dim,
            C2_dim,
            B1_pos,
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
        let body_i1 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match C2_dim {
                    4 => avx512_i1::<4>,
                    8 => avx512_i1::<8>,
                    16 => avx512_i1::<16>,
                    32 => avx512_i1::<32>,
                    64 => avx512_i1::<64>,
                    128 => avx512_i1::<128>,
                    _ => avx512_i1::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match C2_dim {
                    4 => avx2_i1::<4>,
                    8 => avx2_i1::<8>,
                    16 => avx2_i1::<16>,
                    32 => avx2_i1::<32>,
                    64 => avx2_i1::<64>,
                    128 => avx2_i1::<128>,
                    _ => avx2_i1::<0>,
                }
            }
            _ => baseline_i1,
        };
        unsafe {
            body_i1(
                chunk,
                B1_dim,
                C2_dim,
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
/// Iterations of `i1`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i1(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B1_dim: usize,
    C2_dim: usize,
    B1_pos: &[i32],
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
        for i1 in chunk.lo..chunk.hi {
            let i2_begin = i1 * 16;
            let i2_end = (i2_begin + 16).min(B1_dim);
            let pB1_begin = B1_pos.index(0);
            let pB1_end = B1_pos.index(1);
            let pB_begin = rt::lower_bound(B1_crd, pB1_begin, pB1_end, i2_begin);
            let pB_end = rt::lower_bound(B1_crd, pB_begin, pB1_end, i2_end);
            for pB in pB_begin..pB_end {
                let i = B1_crd.index(pB);
                let j_end = if isa.fits(1024) { C2_dim / 128 * 128 } else { 0 };
                for j0 in (0..j_end).step_by(128) {
                    let mut acc: [f64; 128] = [0.0_f64; 128];
                    let mut B3_begin = B3_pos.index(B2_pos.index(pB));
                    for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                        let B3_end = B3_pos.index(pB_2 + 1);
                        let k = B2_crd.index(pB_2);
                        if B3_begin < B3_end {
                            let mut acc_2: [f64; 128] = [0.0_f64; 128];
                            for pB_3 in rt::fiber(B3_begin, B3_end) {
                                let l = B3_crd.index(pB_3);
                                for lane in 0..128_usize {
                                    acc_2[lane] = isa
                                        .mul_add(
                                            B_vals.at(pB_3),
                                            D_vals.at(l * C2_dim + j0 + lane),
                                            acc_2[lane],
                                        );
                                }
                            }
                            for lane in 0..128_usize {
                                let sum = acc_2[lane];
                                acc[lane] = isa
                                    .mul_add(C_vals.at(k * C2_dim + j0 + lane), sum, acc[lane]);
                            }
                        }
                        B3_begin = B3_end;
                    }
                    for lane in 0..128_usize {
                        A_vals.set(i * C2_dim + j0 + lane, acc[lane]);
                    }
                }
                let j_end_2 = if isa.fits(256) { C2_dim / 32 * 32 } else { j_end };
                for j0 in (j_end..j_end_2).step_by(32) {
                    let mut acc_3: [f64; 32] = [0.0_f64; 32];
                    let mut B3_begin = B3_pos.index(B2_pos.index(pB));
                    for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                        let B3_end = B3_pos.index(pB_2 + 1);
                        let k = B2_crd.index(pB_2);
                        if B3_begin < B3_end {
                            let mut acc_4: [f64; 32] = [0.0_f64; 32];
                            for pB_3 in rt::fiber(B3_begin, B3_end) {
                                let l = B3_crd.index(pB_3);
                                for lane in 0..32_usize {
                                    acc_4[lane] = isa
                                        .mul_add(
                                            B_vals.at(pB_3),
                                            D_vals.at(l * C2_dim + j0 + lane),
                                            acc_4[lane],
                                        );
                                }
                            }
                            for lane in 0..32_usize {
                                let sum = acc_4[lane];
                                acc_3[lane] = isa
                                    .mul_add(
                                        C_vals.at(k * C2_dim + j0 + lane),
                                        sum,
                                        acc_3[lane],
                                    );
                            }
                        }
                        B3_begin = B3_end;
                    }
                    for lane in 0..32_usize {
                        A_vals.set(i * C2_dim + j0 + lane, acc_3[lane]);
                    }
                }
                let j_end_3 = C2_dim / 8 * 8;
                for j0 in (j_end_2..j_end_3).step_by(8) {
                    let mut acc_5: [f64; 8] = [0.0_f64; 8];
                    let mut B3_begin = B3_pos.index(B2_pos.index(pB));
                    for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                        let B3_end = B3_pos.index(pB_2 + 1);
                        let k = B2_crd.index(pB_2);
                        if B3_begin < B3_end {
                            let mut acc_6: [f64; 8] = [0.0_f64; 8];
                            for pB_3 in rt::fiber(B3_begin, B3_end) {
                                let l = B3_crd.index(pB_3);
                                for lane in 0..8_usize {
                                    acc_6[lane] = isa
                                        .mul_add(
                                            B_vals.at(pB_3),
                                            D_vals.at(l * C2_dim + j0 + lane),
                                            acc_6[lane],
                                        );
                                }
                            }
                            for lane in 0..8_usize {
                                let sum = acc_6[lane];
                                acc_5[lane] = isa
                                    .mul_add(
                                        C_vals.at(k * C2_dim + j0 + lane),
                                        sum,
                                        acc_5[lane],
                                    );
                            }
                        }
                        B3_begin = B3_end;
                    }
                    for lane in 0..8_usize {
                        A_vals.set(i * C2_dim + j0 + lane, acc_5[lane]);
                    }
                }
                let j_end_4 = C2_dim / 4 * 4;
                for j0 in (j_end_3..j_end_4).step_by(4) {
                    let mut acc_7: [f64; 4] = [0.0_f64; 4];
                    let mut B3_begin = B3_pos.index(B2_pos.index(pB));
                    for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                        let B3_end = B3_pos.index(pB_2 + 1);
                        let k = B2_crd.index(pB_2);
                        if B3_begin < B3_end {
                            let mut acc_8: [f64; 4] = [0.0_f64; 4];
                            for pB_3 in rt::fiber(B3_begin, B3_end) {
                                let l = B3_crd.index(pB_3);
                                for lane in 0..4_usize {
                                    acc_8[lane] = isa
                                        .mul_add(
                                            B_vals.at(pB_3),
                                            D_vals.at(l * C2_dim + j0 + lane),
                                            acc_8[lane],
                                        );
                                }
                            }
                            for lane in 0..4_usize {
                                let sum = acc_8[lane];
                                acc_7[lane] = isa
                                    .mul_add(
                                        C_vals.at(k * C2_dim + j0 + lane),
                                        sum,
                                        acc_7[lane],
                                    );
                            }
                        }
                        B3_begin = B3_end;
                    }
                    for lane in 0..4_usize {
                        A_vals.set(i * C2_dim + j0 + lane, acc_7[lane]);
                    }
                }
                for j in j_end_4..C2_dim {
                    let mut t = 0.0_f64;
                    let mut B3_begin = B3_pos.index(B2_pos.index(pB));
                    for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                        let B3_end = B3_pos.index(pB_2 + 1);
                        let k = B2_crd.index(pB_2);
                        if B3_begin < B3_end {
                            let mut t_2 = 0.0_f64;
                            let mut next = B3_begin;
                            let end = B3_end;
                            if isa.in_fours(B3_pos, B3_crd) {
                                let mut partial = isa.four(0.0_f64);
                                while rt::more_than_four(next, end) {
                                    let pB_3 = next;
                                    let l = isa.four_indices(B3_crd, pB_3);
                                    partial = isa
                                        .mul_add(
                                            isa.load_four(B_vals, pB_3),
                                            isa.pick(|offset| D_vals.at(l[offset] * C2_dim + j)),
                                            partial,
                                        );
                                    next += 4;
                                }
                                if isa.over_the_end() && next + 4 <= B3_crd.len() {
                                    let kept = partial;
                                    let pB_3 = next;
                                    let l = isa.last_four_indices(B3_crd, pB_3);
                                    partial = isa
                                        .mul_add(
                                            isa.load_four(B_vals, pB_3),
                                            isa.pick(|offset| D_vals.at(l[offset] * C2_dim + j)),
                                            partial,
                                        );
                                    partial = partial.first(end - next, kept);
                                } else {
                                    isa.to_the_end();
                                    for pB_3 in next..end {
                                        let l = B3_crd.index(pB_3);
                                        t_2 = isa
                                            .mul_add(B_vals.at(pB_3), D_vals.at(l * C2_dim + j), t_2);
                                    }
                                }
                                t_2 += partial.sum();
                            } else if next < end {
                                next = isa.first_entry(next);
                                loop {
                                    let pB_3 = next;
                                    let l = B3_crd.index(pB_3);
                                    t_2 = isa
                                        .mul_add(B_vals.at(pB_3), D_vals.at(l * C2_dim + j), t_2);
                                    next = isa.next_entry(next);
                                    if next >= end {
                                        break;
                                    }
                                }
                            }
                            t = isa.mul_add(C_vals.at(k * C2_dim + j), t_2, t);
                        }
                        B3_begin = B3_end;
                    }
                    A_vals.set(i * C2_dim + j, t);
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i1<const SIZE: usize>(
    chunk: rt::Chunk,
    B1_dim: usize,
    C2_dim: usize,
    B1_pos: &[i32],
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
        body_i1(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            C2_dim,
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
unsafe fn avx2_i1<const SIZE: usize>(
    chunk: rt::Chunk,
    B1_dim: usize,
    C2_dim: usize,
    B1_pos: &[i32],
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
        body_i1(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            C2_dim,
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
unsafe fn baseline_i1(
    chunk: rt::Chunk,
    B1_dim: usize,
    C2_dim: usize,
    B1_pos: &[i32],
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
        body_i1(
            rt::Baseline,
            chunk,
            B1_dim,
            C2_dim,
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
