/// C[k, l] = X[i, k] * Y[i, l];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_k {
                X2_dim,
                Y2_dim,
                X1_dim,
                X_vals,
                Y_vals,
                C_vals: C_vals.shared(),
            },
            0..X2_dim,
            rt::in_lanes(
                X2_dim.saturating_mul(Y2_dim).min(2147483648).saturating_mul(X1_dim),
                Y2_dim,
            ),
            rt::Even,
        );
    }
}
/// What the iterations of `k` capture.
struct Task_k<'a> {
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &'a [f32],
    Y_vals: &'a [f32],
    C_vals: rt::Shared<f32>,
}
impl rt::Task for Task_k<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_k { X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, ref C_vals } = *self;
        let body_k = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match Y2_dim {
                    4 => avx512_k::<4>,
                    8 => avx512_k::<8>,
                    16 => avx512_k::<16>,
                    32 => avx512_k::<32>,
                    64 => avx512_k::<64>,
                    128 => avx512_k::<128>,
                    _ => avx512_k::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match Y2_dim {
                    4 => avx2_k::<4>,
                    8 => avx2_k::<8>,
                    16 => avx2_k::<16>,
                    32 => avx2_k::<32>,
                    64 => avx2_k::<64>,
                    128 => avx2_k::<128>,
                    _ => avx2_k::<0>,
                }
            }
            _ => baseline_k,
        };
        unsafe { body_k(chunk, X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
    }
}
/// Iterations of `k`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_k(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &rt::Shared<f32>,
) {
    unsafe {
        for k in chunk.lo..chunk.hi {
            let l_end = if isa.fits(512) { Y2_dim / 128 * 128 } else { 0 };
            for l0 in (0..l_end).step_by(128) {
                let mut acc: [f32; 128] = [0.0_f32; 128];
                for i in 0..X1_dim {
                    for lane in 0..128_usize {
                        acc[lane] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l0 + lane),
                                acc[lane],
                            );
                    }
                }
                for lane in 0..128_usize {
                    C_vals.set(k * Y2_dim + l0 + lane, acc[lane]);
                }
            }
            let l_end_2 = if isa.fits(256) { Y2_dim / 64 * 64 } else { l_end };
            for l0 in (l_end..l_end_2).step_by(64) {
                let mut acc_2: [f32; 64] = [0.0_f32; 64];
                for i in 0..X1_dim {
                    for lane in 0..64_usize {
                        acc_2[lane] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l0 + lane),
                                acc_2[lane],
                            );
                    }
                }
                for lane in 0..64_usize {
                    C_vals.set(k * Y2_dim + l0 + lane, acc_2[lane]);
                }
            }
            let l_end_3 = Y2_dim / 32 * 32;
            for l0 in (l_end_2..l_end_3).step_by(32) {
                let mut acc_3: [f32; 32] = [0.0_f32; 32];
                let mut next = 0_usize;
                let end = X1_dim;
                let mut partial = [[0.0_f32; 32]; 2];
                while next + 2 <= end {
                    for offset in 0..2 {
                        let i = next + offset;
                        for lane in 0..32_usize {
                            partial[offset][lane] = isa
                                .mul_add(
                                    X_vals.at(i * X2_dim + k),
                                    Y_vals.at(i * Y2_dim + l0 + lane),
                                    partial[offset][lane],
                                );
                        }
                    }
                    next += 2;
                }
                for i in next..end {
                    for lane in 0..32_usize {
                        acc_3[lane] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l0 + lane),
                                acc_3[lane],
                            );
                    }
                }
                for at in 0..32 {
                    acc_3[at] += partial[0][at] + partial[1][at];
                }
                for lane in 0..32_usize {
                    C_vals.set(k * Y2_dim + l0 + lane, acc_3[lane]);
                }
            }
            let l_end_4 = Y2_dim / 8 * 8;
            for l0 in (l_end_3..l_end_4).step_by(8) {
                let mut acc_4: [f32; 8] = [0.0_f32; 8];
                let mut next = 0_usize;
                let end = X1_dim;
                let mut partial = [[0.0_f32; 8]; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let i = next + offset;
                        for lane in 0..8_usize {
                            partial[offset][lane] = isa
                                .mul_add(
                                    X_vals.at(i * X2_dim + k),
                                    Y_vals.at(i * Y2_dim + l0 + lane),
                                    partial[offset][lane],
                                );
                        }
                    }
                    next += 4;
                }
                for i in next..end {
                    for lane in 0..8_usize {
                        acc_4[lane] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l0 + lane),
                                acc_4[lane],
                            );
                    }
                }
                for at in 0..8 {
                    acc_4[at]
                        += partial[0][at] + partial[1][at]
                            + (partial[2][at] + partial[3][at]);
                }
                for lane in 0..8_usize {
                    C_vals.set(k * Y2_dim + l0 + lane, acc_4[lane]);
                }
            }
            let l_end_5 = Y2_dim / 4 * 4;
            for l0 in (l_end_4..l_end_5).step_by(4) {
                let mut acc_5: [f32; 4] = [0.0_f32; 4];
                let mut next = 0_usize;
                let end = X1_dim;
                let mut partial = [[0.0_f32; 4]; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let i = next + offset;
                        for lane in 0..4_usize {
                            partial[offset][lane] = isa
                                .mul_add(
                                    X_vals.at(i * X2_dim + k),
                                    Y_vals.at(i * Y2_dim + l0 + lane),
                                    partial[offset][lane],
                                );
                        }
                    }
                    next += 4;
                }
                for i in next..end {
                    for lane in 0..4_usize {
                        acc_5[lane] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l0 + lane),
                                acc_5[lane],
                            );
                    }
                }
                for at in 0..4 {
                    acc_5[at]
                        += partial[0][at] + partial[1][at]
                            + (partial[2][at] + partial[3][at]);
                }
                for lane in 0..4_usize {
                    C_vals.set(k * Y2_dim + l0 + lane, acc_5[lane]);
                }
            }
            for l in l_end_5..Y2_dim {
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = X1_dim;
                let mut partial = [0.0_f32; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let i = next + offset;
                        partial[offset] = isa
                            .mul_add(
                                X_vals.at(i * X2_dim + k),
                                Y_vals.at(i * Y2_dim + l),
                                partial[offset],
                            );
                    }
                    next += 4;
                }
                for i in next..end {
                    t = isa
                        .mul_add(
                            X_vals.at(i * X2_dim + k),
                            Y_vals.at(i * Y2_dim + l),
                            t,
                        );
                }
                t += partial[0] + partial[1] + (partial[2] + partial[3]);
                C_vals.set(k * Y2_dim + l, t);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_k<const SIZE: usize>(
    chunk: rt::Chunk,
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &rt::Shared<f32>,
) {
    let Y2_dim = if SIZE == 0 { Y2_dim } else { SIZE };
    unsafe {
        body_k(
            rt::Avx512::assume(),
            chunk,
            X2_dim,
            Y2_dim,
            X1_dim,
            X_vals,
            Y_vals,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_k<const SIZE: usize>(
    chunk: rt::Chunk,
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &rt::Shared<f32>,
) {
    let Y2_dim = if SIZE == 0 { Y2_dim } else { SIZE };
    unsafe {
        body_k(rt::Avx2::assume(), chunk, X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals)
    }
}
unsafe fn baseline_k(
    chunk: rt::Chunk,
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_k(rt::Baseline, chunk, X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe { body(rt::Avx512::assume(), X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe { body(rt::Avx2::assume(), X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    X2_dim: usize,
    Y2_dim: usize,
    X1_dim: usize,
    X_vals: &[f32],
    Y_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, X2_dim, Y2_dim, X1_dim, X_vals, Y_vals, C_vals) }
        }
    }
}
