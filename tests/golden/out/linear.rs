/// Y[i, k] = X[i, j] * W[k, j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    X1_dim: usize,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                W1_dim,
                X2_dim,
                X_vals,
                W_vals,
                Y_vals: Y_vals.shared(),
            },
            0..X1_dim,
            rt::in_lanes(
                X1_dim.saturating_mul(W1_dim).min(2147483648).saturating_mul(X2_dim),
                X2_dim,
            ),
            rt::Even,
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &'a [f32],
    W_vals: &'a [f32],
    Y_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { W1_dim, X2_dim, X_vals, W_vals, ref Y_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match X2_dim {
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
                match X2_dim {
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
        unsafe { body_i(chunk, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
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
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe {
        for i in chunk.lo..chunk.hi {
            for k in 0..W1_dim {
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = X2_dim;
                let width = isa.width::<f32>();
                if next + width <= end {
                    let mut partial = isa.splat(-0.0_f32);
                    if next + 8 * width <= end {
                        let mut each = [isa.splat(-0.0_f32); 4];
                        each[0] = partial;
                        while next + 8 * width <= end {
                            for offset in 0..8 {
                                let j = next + offset * width;
                                each[offset % 4] = isa
                                    .mul_add(
                                        isa.load(X_vals, i * X2_dim + j),
                                        isa.load(W_vals, k * X2_dim + j),
                                        each[offset % 4],
                                    );
                            }
                            next += 8 * width;
                        }
                        partial = rt::sum(each);
                    }
                    if next + 2 * width <= end {
                        let mut each = [isa.splat(-0.0_f32); 2];
                        each[0] = partial;
                        while next + 2 * width <= end {
                            for offset in 0..2 {
                                let j = next + offset * width;
                                each[offset] = isa
                                    .mul_add(
                                        isa.load(X_vals, i * X2_dim + j),
                                        isa.load(W_vals, k * X2_dim + j),
                                        each[offset],
                                    );
                            }
                            next += 2 * width;
                        }
                        partial = rt::sum(each);
                    }
                    if next + width <= end {
                        let j = next;
                        partial = isa
                            .mul_add(
                                isa.load(X_vals, i * X2_dim + j),
                                isa.load(W_vals, k * X2_dim + j),
                                partial,
                            );
                        next += width;
                    }
                    t += partial.sum();
                }
                for j in next..end {
                    t = isa
                        .mul_add(
                            X_vals.at(i * X2_dim + j),
                            W_vals.at(k * X2_dim + j),
                            t,
                        );
                }
                Y_vals.set(i * W1_dim + k, t);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let X2_dim = if SIZE == 0 { X2_dim } else { SIZE };
    unsafe {
        body_i(rt::Avx512::assume(), chunk, W1_dim, X2_dim, X_vals, W_vals, Y_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let X2_dim = if SIZE == 0 { X2_dim } else { SIZE };
    unsafe { body_i(rt::Avx2::assume(), chunk, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe { body_i(rt::Baseline, chunk, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    X1_dim: usize,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe { body(rt::Avx512::assume(), X1_dim, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    X1_dim: usize,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe { body(rt::Avx2::assume(), X1_dim, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    X1_dim: usize,
    W1_dim: usize,
    X2_dim: usize,
    X_vals: &[f32],
    W_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(X1_dim, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(X1_dim, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, X1_dim, W1_dim, X2_dim, X_vals, W_vals, Y_vals) }
        }
    }
}
