/// C[i, k] = A[i, j] * B[j, k];
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
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i0 {
                A1_dim,
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B_vals,
                C_vals: C_vals.shared(),
            },
            0..(A1_dim + 15) / 16,
            rt::in_lanes(A2_pos.index(A1_dim).saturating_mul(B2_dim), B2_dim),
            rt::Even,
        );
    }
}
/// What the iterations of `i0` capture.
struct Task_i0<'a> {
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B_vals: &'a [f64],
    C_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i0<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i0 { A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, ref C_vals } = *self;
        let body_i0 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match B2_dim {
                    4 => avx512_i0::<4>,
                    8 => avx512_i0::<8>,
                    16 => avx512_i0::<16>,
                    32 => avx512_i0::<32>,
                    64 => avx512_i0::<64>,
                    128 => avx512_i0::<128>,
                    _ => avx512_i0::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match B2_dim {
                    4 => avx2_i0::<4>,
                    8 => avx2_i0::<8>,
                    16 => avx2_i0::<16>,
                    32 => avx2_i0::<32>,
                    64 => avx2_i0::<64>,
                    128 => avx2_i0::<128>,
                    _ => avx2_i0::<0>,
                }
            }
            _ => baseline_i0,
        };
        unsafe { body_i0(chunk, A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals) }
    }
}
/// Iterations of `i0`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i0(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        for i0 in chunk.lo..chunk.hi {
            let i1_begin = i0 * 16;
            let i1_end = (i1_begin + 16).min(A1_dim);
            for i in i1_begin..i1_end {
                let pA2_begin = A2_pos.index(i);
                let pA2_end = A2_pos.index(i + 1);
                for jpos0 in 0..(pA2_end - pA2_begin + 7) / 8 {
                    let k_end = if isa.fits(1024) { B2_dim / 128 * 128 } else { 0 };
                    for k0 in (0..k_end).step_by(128) {
                        let mut acc: [f64; 128] = [0.0_f64; 128];
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        for pA in jpos1_begin..jpos1_end {
                            let j = A2_crd.index(pA);
                            for lane in 0..128_usize {
                                acc[lane] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k0 + lane),
                                        acc[lane],
                                    );
                            }
                        }
                        for lane in 0..128_usize {
                            let at = i * B2_dim + k0 + lane;
                            C_vals.set(at, C_vals.at(at) + acc[lane]);
                        }
                    }
                    let k_end_2 = if isa.fits(256) { B2_dim / 32 * 32 } else { k_end };
                    for k0 in (k_end..k_end_2).step_by(32) {
                        let mut acc_2: [f64; 32] = [0.0_f64; 32];
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        for pA in jpos1_begin..jpos1_end {
                            let j = A2_crd.index(pA);
                            for lane in 0..32_usize {
                                acc_2[lane] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k0 + lane),
                                        acc_2[lane],
                                    );
                            }
                        }
                        for lane in 0..32_usize {
                            let at = i * B2_dim + k0 + lane;
                            C_vals.set(at, C_vals.at(at) + acc_2[lane]);
                        }
                    }
                    let k_end_3 = B2_dim / 8 * 8;
                    for k0 in (k_end_2..k_end_3).step_by(8) {
                        let mut acc_3: [f64; 8] = [0.0_f64; 8];
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        let mut next = jpos1_begin;
                        let end = jpos1_end;
                        let mut partial = [[0.0_f64; 8]; 4];
                        while next + 4 <= end {
                            for offset in 0..4 {
                                let pA = next + offset;
                                let j = A2_crd.index(pA);
                                for lane in 0..8_usize {
                                    partial[offset][lane] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k0 + lane),
                                            partial[offset][lane],
                                        );
                                }
                            }
                            next += 4;
                        }
                        for pA in next..end {
                            let j = A2_crd.index(pA);
                            for lane in 0..8_usize {
                                acc_3[lane] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k0 + lane),
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
                            let at = i * B2_dim + k0 + lane;
                            C_vals.set(at, C_vals.at(at) + acc_3[lane]);
                        }
                    }
                    let k_end_4 = B2_dim / 4 * 4;
                    for k0 in (k_end_3..k_end_4).step_by(4) {
                        let mut acc_4: [f64; 4] = [0.0_f64; 4];
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        let mut next = jpos1_begin;
                        let end = jpos1_end;
                        let mut partial = [[0.0_f64; 4]; 4];
                        while next + 4 <= end {
                            for offset in 0..4 {
                                let pA = next + offset;
                                let j = A2_crd.index(pA);
                                for lane in 0..4_usize {
                                    partial[offset][lane] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k0 + lane),
                                            partial[offset][lane],
                                        );
                                }
                            }
                            next += 4;
                        }
                        for pA in next..end {
                            let j = A2_crd.index(pA);
                            for lane in 0..4_usize {
                                acc_4[lane] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k0 + lane),
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
                            let at = i * B2_dim + k0 + lane;
                            C_vals.set(at, C_vals.at(at) + acc_4[lane]);
                        }
                    }
                    for k in k_end_4..B2_dim {
                        let mut t = 0.0_f64;
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        let mut next = jpos1_begin;
                        let end = jpos1_end;
                        let mut partial = [0.0_f64; 4];
                        while next + 4 <= end {
                            for offset in 0..4 {
                                let pA = next + offset;
                                let j = A2_crd.index(pA);
                                partial[offset] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k),
                                        partial[offset],
                                    );
                            }
                            next += 4;
                        }
                        for pA in next..end {
                            let j = A2_crd.index(pA);
                            t = isa.mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                        }
                        t += partial[0] + partial[1] + (partial[2] + partial[3]);
                        let at = i * B2_dim + k;
                        C_vals.set(at, C_vals.at(at) + t);
                    }
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i0<const SIZE: usize>(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    let B2_dim = if SIZE == 0 { B2_dim } else { SIZE };
    unsafe {
        body_i0(
            rt::Avx512::assume(),
            chunk,
            A1_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i0<const SIZE: usize>(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    let B2_dim = if SIZE == 0 { B2_dim } else { SIZE };
    unsafe {
        body_i0(
            rt::Avx2::assume(),
            chunk,
            A1_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
unsafe fn baseline_i0(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Baseline,
            chunk,
            A1_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
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
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
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
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
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
