/// Y[i, k] = A[i, j] * X[j, l] * W[l, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    W2_dim: usize,
    A2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                W2_dim,
                X2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                X_vals,
                W_vals,
                Y_vals: Y_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(
                A2_pos
                    .index(A1_dim)
                    .saturating_mul(X2_dim)
                    .saturating_add(
                        A1_dim
                            .saturating_mul(W2_dim)
                            .min(2147483648)
                            .saturating_mul(X2_dim),
                    ),
                W2_dim,
            ),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    W2_dim: usize,
    X2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    X_vals: &'a [f32],
    W_vals: &'a [f32],
    Y_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            W2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            ref Y_vals,
        } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match W2_dim {
                    4 => avx512_i::<4>,
                    8 => avx512_i::<8>,
                    16 => avx512_i::<16>,
                    32 => avx512_i::<32>,
                    64 => avx512_i::<64>,
                    128 => avx512_i::<128>,
                    _ => avx512_i::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match W2_dim {
                    4 => avx2_i::<4>,
                    8 => avx2_i::<8>,
                    16 => avx2_i::<16>,
                    32 => avx2_i::<32>,
                    64 => avx2_i::<64>,
                    128 => avx2_i::<128>,
                    _ => avx2_i::<0>,
                }
            }
            _ => baseline_i,
        };
        unsafe {
            body_i(chunk, W2_dim, X2_dim, A2_pos, A2_crd, A_vals, X_vals, W_vals, Y_vals)
        }
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
    W2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe {
        let mut t0_memory = chunk.home.keep(0, || rt::Scratch::<f32>::new());
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let t0 = t0_memory.array(X2_dim, 0.0_f32);
            for pA in A2_begin..A2_end {
                let j = A2_crd.index(pA);
                let A_val = A_vals.at(pA);
                for l_t0 in 0..X2_dim {
                    t0.set(
                        l_t0,
                        isa.mul_add(A_val, X_vals.at(j * X2_dim + l_t0), t0.at(l_t0)),
                    );
                }
            }
            if A2_begin < A2_end {
                let k_end = if isa.fits(512) { W2_dim / 128 * 128 } else { 0 };
                for k0 in (0..k_end).step_by(128) {
                    let mut acc: [f32; 128] = [0.0_f32; 128];
                    for l in 0..X2_dim {
                        for lane in 0..128_usize {
                            acc[lane] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k0 + lane),
                                    acc[lane],
                                );
                        }
                    }
                    for lane in 0..128_usize {
                        Y_vals.set(i * W2_dim + k0 + lane, acc[lane]);
                    }
                }
                let k_end_2 = if isa.fits(256) { W2_dim / 64 * 64 } else { k_end };
                for k0 in (k_end..k_end_2).step_by(64) {
                    let mut acc_2: [f32; 64] = [0.0_f32; 64];
                    for l in 0..X2_dim {
                        for lane in 0..64_usize {
                            acc_2[lane] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k0 + lane),
                                    acc_2[lane],
                                );
                        }
                    }
                    for lane in 0..64_usize {
                        Y_vals.set(i * W2_dim + k0 + lane, acc_2[lane]);
                    }
                }
                let k_end_3 = W2_dim / 32 * 32;
                for k0 in (k_end_2..k_end_3).step_by(32) {
                    let mut acc_3: [f32; 32] = [0.0_f32; 32];
                    let mut next = 0_usize;
                    let end = X2_dim;
                    let mut partial = [[0.0_f32; 32]; 2];
                    while next + 2 <= end {
                        for offset in 0..2 {
                            let l = next + offset;
                            for lane in 0..32_usize {
                                partial[offset][lane] = isa
                                    .mul_add(
                                        t0.at(l),
                                        W_vals.at(l * W2_dim + k0 + lane),
                                        partial[offset][lane],
                                    );
                            }
                        }
                        next += 2;
                    }
                    for l in next..end {
                        for lane in 0..32_usize {
                            acc_3[lane] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k0 + lane),
                                    acc_3[lane],
                                );
                        }
                    }
                    for at in 0..32 {
                        acc_3[at] += partial[0][at] + partial[1][at];
                    }
                    for lane in 0..32_usize {
                        Y_vals.set(i * W2_dim + k0 + lane, acc_3[lane]);
                    }
                }
                let k_end_4 = W2_dim / 8 * 8;
                for k0 in (k_end_3..k_end_4).step_by(8) {
                    let mut acc_4: [f32; 8] = [0.0_f32; 8];
                    let mut next = 0_usize;
                    let end = X2_dim;
                    let mut partial = [[0.0_f32; 8]; 4];
                    while next + 4 <= end {
                        for offset in 0..4 {
                            let l = next + offset;
                            for lane in 0..8_usize {
                                partial[offset][lane] = isa
                                    .mul_add(
                                        t0.at(l),
                                        W_vals.at(l * W2_dim + k0 + lane),
                                        partial[offset][lane],
                                    );
                            }
                        }
                        next += 4;
                    }
                    for l in next..end {
                        for lane in 0..8_usize {
                            acc_4[lane] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k0 + lane),
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
                        Y_vals.set(i * W2_dim + k0 + lane, acc_4[lane]);
                    }
                }
                let k_end_5 = W2_dim / 4 * 4;
                for k0 in (k_end_4..k_end_5).step_by(4) {
                    let mut acc_5: [f32; 4] = [0.0_f32; 4];
                    let mut next = 0_usize;
                    let end = X2_dim;
                    let mut partial = [[0.0_f32; 4]; 4];
                    while next + 4 <= end {
                        for offset in 0..4 {
                            let l = next + offset;
                            for lane in 0..4_usize {
                                partial[offset][lane] = isa
                                    .mul_add(
                                        t0.at(l),
                                        W_vals.at(l * W2_dim + k0 + lane),
                                        partial[offset][lane],
                                    );
                            }
                        }
                        next += 4;
                    }
                    for l in next..end {
                        for lane in 0..4_usize {
                            acc_5[lane] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k0 + lane),
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
                        Y_vals.set(i * W2_dim + k0 + lane, acc_5[lane]);
                    }
                }
                for k in k_end_5..W2_dim {
                    let mut t = 0.0_f32;
                    let mut next = 0_usize;
                    let end = X2_dim;
                    let mut partial = [0.0_f32; 4];
                    while next + 4 <= end {
                        for offset in 0..4 {
                            let l = next + offset;
                            partial[offset] = isa
                                .mul_add(
                                    t0.at(l),
                                    W_vals.at(l * W2_dim + k),
                                    partial[offset],
                                );
                        }
                        next += 4;
                    }
                    for l in next..end {
                        t = isa.mul_add(t0.at(l), W_vals.at(l * W2_dim + k), t);
                    }
                    t += partial[0] + partial[1] + (partial[2] + partial[3]);
                    Y_vals.set(i * W2_dim + k, t);
                }
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    W2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let W2_dim = if SIZE == 0 { W2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            W2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    W2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let W2_dim = if SIZE == 0 { W2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            W2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            Y_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    W2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            W2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    W2_dim: usize,
    A2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            W2_dim,
            A2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    W2_dim: usize,
    A2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            W2_dim,
            A2_dim,
            X2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            W_vals,
            Y_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    W2_dim: usize,
    A2_dim: usize,
    X2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    W2_dim,
                    A2_dim,
                    X2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    X_vals,
                    W_vals,
                    Y_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    W2_dim,
                    A2_dim,
                    X2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    X_vals,
                    W_vals,
                    Y_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    W2_dim,
                    A2_dim,
                    X2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    X_vals,
                    W_vals,
                    Y_vals,
                )
            }
        }
    }
}
