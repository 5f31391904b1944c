/// C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        rt::grow(
            isa,
            &Task_i {
                B2_dim,
                A3_dim,
                B4_dim,
                A4_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            0..A1_dim,
            rt::in_lanes(
                A2_pos
                    .index(A1_dim)
                    .saturating_mul(A3_dim)
                    .saturating_mul(A4_dim)
                    .saturating_mul(
                        (B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                    )
                    .min(2147483648)
                    .saturating_mul(B4_dim),
                B4_dim,
            ),
            rt::Positions(A2_pos),
        );
        C2_pos.scan(A1_dim);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A4_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f32],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f32>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            B2_dim,
            A3_dim,
            B4_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            ref C2_pos,
            C2_crd,
            C_vals,
        } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match B4_dim {
                    2 => avx512_i::<2>,
                    3 => avx512_i::<3>,
                    4 => avx512_i::<4>,
                    5 => avx512_i::<5>,
                    6 => avx512_i::<6>,
                    8 => avx512_i::<8>,
                    16 => avx512_i::<16>,
                    32 => avx512_i::<32>,
                    _ => avx512_i::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match B4_dim {
                    2 => avx2_i::<2>,
                    3 => avx2_i::<3>,
                    4 => avx2_i::<4>,
                    5 => avx2_i::<5>,
                    6 => avx2_i::<6>,
                    8 => avx2_i::<8>,
                    16 => avx2_i::<16>,
                    32 => avx2_i::<32>,
                    _ => avx2_i::<0>,
                }
            }
            _ => baseline_i,
        };
        unsafe {
            body_i(
                chunk,
                B2_dim,
                A3_dim,
                B4_dim,
                A4_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
            )
        }
    }
}
impl rt::Grower<f32, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 1], rt::Own<rt::Grown<f32>>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 1],
        C_vals: rt::Own<rt::Grown<f32>>,
    ) -> Self {
        Task_i { C2_crd, C_vals, ..*self }
    }
}
/// Iterations of `i`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(
                0,
                || rt::workspace::Blocks::<
                    f32,
                >::new([B2_dim], A3_dim.saturating_mul(B4_dim), 0.0_f32),
            );
        for i in chunk.lo..chunk.hi {
            let C2_begin = C2_crd.len();
            let mut w = w_memory.open();
            if 0 < A3_dim && 0 < B4_dim && 0 < A4_dim {
                for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j = A2_crd.index(pA);
                    for pB in rt::fiber(B2_pos.index(j), B2_pos.index(j + 1)) {
                        let k = B2_crd.index(pB);
                        let w_block = w.block([k]);
                        if isa.fits(256) && (1 < B4_dim && B4_dim <= 8)
                            && A3_dim == B4_dim && A4_dim == B4_dim
                        {
                            for m in 0..B4_dim {
                                let mut acc: [f32; 8] = [0.0_f32; 8];
                                for l in 0..B4_dim {
                                    for lane in 0..B4_dim {
                                        acc[lane] = isa
                                            .mul_add(
                                                A_vals.at((pA * B4_dim + m) * B4_dim + l),
                                                B_vals.at((pB * B4_dim + l) * B4_dim + lane),
                                                acc[lane],
                                            );
                                    }
                                }
                                for lane in 0..B4_dim {
                                    let at = m * B4_dim + lane;
                                    w_block.set(at, w_block.at(at) + acc[lane]);
                                }
                            }
                        } else {
                            for m in 0..A3_dim {
                                let n_end = if isa.fits(512) {
                                    B4_dim / 128 * 128
                                } else {
                                    0
                                };
                                for n0 in (0..n_end).step_by(128) {
                                    let mut acc_2: [f32; 128] = [0.0_f32; 128];
                                    for l in 0..A4_dim {
                                        for lane in 0..128_usize {
                                            acc_2[lane] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                    acc_2[lane],
                                                );
                                        }
                                    }
                                    for lane in 0..128_usize {
                                        let at = m * B4_dim + n0 + lane;
                                        w_block.set(at, w_block.at(at) + acc_2[lane]);
                                    }
                                }
                                let n_end_2 = if isa.fits(256) {
                                    B4_dim / 64 * 64
                                } else {
                                    n_end
                                };
                                for n0 in (n_end..n_end_2).step_by(64) {
                                    let mut acc_3: [f32; 64] = [0.0_f32; 64];
                                    for l in 0..A4_dim {
                                        for lane in 0..64_usize {
                                            acc_3[lane] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                    acc_3[lane],
                                                );
                                        }
                                    }
                                    for lane in 0..64_usize {
                                        let at = m * B4_dim + n0 + lane;
                                        w_block.set(at, w_block.at(at) + acc_3[lane]);
                                    }
                                }
                                let n_end_3 = B4_dim / 32 * 32;
                                for n0 in (n_end_2..n_end_3).step_by(32) {
                                    let mut acc_4: [f32; 32] = [0.0_f32; 32];
                                    let mut next = 0_usize;
                                    let end = A4_dim;
                                    let mut partial = [[0.0_f32; 32]; 2];
                                    while next + 2 <= end {
                                        for offset in 0..2 {
                                            let l = next + offset;
                                            for lane in 0..32_usize {
                                                partial[offset][lane] = isa
                                                    .mul_add(
                                                        A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                        B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                        partial[offset][lane],
                                                    );
                                            }
                                        }
                                        next += 2;
                                    }
                                    for l in next..end {
                                        for lane in 0..32_usize {
                                            acc_4[lane] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                    acc_4[lane],
                                                );
                                        }
                                    }
                                    for at in 0..32 {
                                        acc_4[at] += partial[0][at] + partial[1][at];
                                    }
                                    for lane in 0..32_usize {
                                        let at = m * B4_dim + n0 + lane;
                                        w_block.set(at, w_block.at(at) + acc_4[lane]);
                                    }
                                }
                                let n_end_4 = B4_dim / 8 * 8;
                                for n0 in (n_end_3..n_end_4).step_by(8) {
                                    let mut acc_5: [f32; 8] = [0.0_f32; 8];
                                    let mut next = 0_usize;
                                    let end = A4_dim;
                                    let mut partial = [[0.0_f32; 8]; 4];
                                    while next + 4 <= end {
                                        for offset in 0..4 {
                                            let l = next + offset;
                                            for lane in 0..8_usize {
                                                partial[offset][lane] = isa
                                                    .mul_add(
                                                        A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                        B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                        partial[offset][lane],
                                                    );
                                            }
                                        }
                                        next += 4;
                                    }
                                    for l in next..end {
                                        for lane in 0..8_usize {
                                            acc_5[lane] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                    acc_5[lane],
                                                );
                                        }
                                    }
                                    for at in 0..8 {
                                        acc_5[at]
                                            += partial[0][at] + partial[1][at]
                                                + (partial[2][at] + partial[3][at]);
                                    }
                                    for lane in 0..8_usize {
                                        let at = m * B4_dim + n0 + lane;
                                        w_block.set(at, w_block.at(at) + acc_5[lane]);
                                    }
                                }
                                let n_end_5 = B4_dim / 4 * 4;
                                for n0 in (n_end_4..n_end_5).step_by(4) {
                                    let mut acc_6: [f32; 4] = [0.0_f32; 4];
                                    let mut next = 0_usize;
                                    let end = A4_dim;
                                    let mut partial = [[0.0_f32; 4]; 4];
                                    while next + 4 <= end {
                                        for offset in 0..4 {
                                            let l = next + offset;
                                            for lane in 0..4_usize {
                                                partial[offset][lane] = isa
                                                    .mul_add(
                                                        A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                        B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                        partial[offset][lane],
                                                    );
                                            }
                                        }
                                        next += 4;
                                    }
                                    for l in next..end {
                                        for lane in 0..4_usize {
                                            acc_6[lane] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n0 + lane),
                                                    acc_6[lane],
                                                );
                                        }
                                    }
                                    for at in 0..4 {
                                        acc_6[at]
                                            += partial[0][at] + partial[1][at]
                                                + (partial[2][at] + partial[3][at]);
                                    }
                                    for lane in 0..4_usize {
                                        let at = m * B4_dim + n0 + lane;
                                        w_block.set(at, w_block.at(at) + acc_6[lane]);
                                    }
                                }
                                for n in n_end_5..B4_dim {
                                    let mut t = 0.0_f32;
                                    let mut next = 0_usize;
                                    let end = A4_dim;
                                    let mut partial = [0.0_f32; 4];
                                    while next + 4 <= end {
                                        for offset in 0..4 {
                                            let l = next + offset;
                                            partial[offset] = isa
                                                .mul_add(
                                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                    B_vals.at((pB * A4_dim + l) * B4_dim + n),
                                                    partial[offset],
                                                );
                                        }
                                        next += 4;
                                    }
                                    for l in next..end {
                                        t = isa
                                            .mul_add(
                                                A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                                B_vals.at((pB * A4_dim + l) * B4_dim + n),
                                                t,
                                            );
                                    }
                                    t += partial[0] + partial[1] + (partial[2] + partial[3]);
                                    let at = m * B4_dim + n;
                                    w_block.set(at, w_block.at(at) + t);
                                }
                            }
                        }
                    }
                }
            }
            w.append(
                rt::workspace::By(rt::monoid::Add),
                |n| (C2_crd.extended(n), C_vals.extended(n * (A3_dim * B4_dim))),
            );
            C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    let B4_dim = if SIZE == 0 { B4_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            A3_dim,
            B4_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    let B4_dim = if SIZE == 0 { B4_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            A3_dim,
            B4_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
            A3_dim,
            B4_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            A3_dim,
            B4_dim,
            A2_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            B2_dim,
            A3_dim,
            B4_dim,
            A2_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A3_dim: usize,
    B4_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    B2_dim,
                    A3_dim,
                    B4_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    B2_dim,
                    A3_dim,
                    B4_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    A3_dim,
                    B4_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
