/// y[i, m] = A[i, j, m, l] * x[j, l];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A3_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                A3_dim,
                A4_dim,
                A2_pos,
                A2_crd,
                A_vals,
                x_vals,
                y_vals: y_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(
                A2_pos.index(A1_dim).saturating_mul(A3_dim).saturating_mul(A4_dim),
                A4_dim,
            ),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A3_dim: usize,
    A4_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A3_dim, A4_dim, A2_pos, A2_crd, A_vals, x_vals, ref y_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match A4_dim {
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
                match A4_dim {
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
        unsafe { body_i(chunk, A3_dim, A4_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
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
    A3_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        for i in chunk.lo..chunk.hi {
            if isa.fits(256) && (1 < A4_dim && A4_dim <= 6) && A3_dim == A4_dim {
                let mut acc: [f64; 6] = [0.0_f64; 6];
                for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j = A2_crd.index(pA);
                    for l in 0..A4_dim {
                        for lane in 0..A4_dim {
                            acc[lane] = isa
                                .mul_add(
                                    A_vals.at((pA * A4_dim + lane) * A4_dim + l),
                                    x_vals.at(j * A4_dim + l),
                                    acc[lane],
                                );
                        }
                    }
                }
                for lane in 0..A4_dim {
                    y_vals.set(i * A4_dim + lane, acc[lane]);
                }
            } else {
                for m in 0..A3_dim {
                    let mut t = 0.0_f64;
                    let mut partial = isa.splat(-0.0_f64);
                    let mut fours = isa.four(-0.0_f64);
                    for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                        let j = A2_crd.index(pA);
                        let mut next = 0_usize;
                        let end = A4_dim;
                        let width = isa.width::<f64>();
                        if next + 4 <= end {
                            if next + width <= end {
                                if next + 8 * width <= end {
                                    let mut each = [isa.splat(-0.0_f64); 4];
                                    each[0] = partial;
                                    while next + 8 * width <= end {
                                        for offset in 0..8 {
                                            let l = next + offset * width;
                                            each[offset % 4] = isa
                                                .mul_add(
                                                    isa.load(A_vals, (pA * A3_dim + m) * A4_dim + l),
                                                    isa.load(x_vals, j * A4_dim + l),
                                                    each[offset % 4],
                                                );
                                        }
                                        next += 8 * width;
                                    }
                                    partial = rt::sum(each);
                                }
                                if next + 2 * width <= end {
                                    let mut each = [isa.splat(-0.0_f64); 2];
                                    each[0] = partial;
                                    while next + 2 * width <= end {
                                        for offset in 0..2 {
                                            let l = next + offset * width;
                                            each[offset] = isa
                                                .mul_add(
                                                    isa.load(A_vals, (pA * A3_dim + m) * A4_dim + l),
                                                    isa.load(x_vals, j * A4_dim + l),
                                                    each[offset],
                                                );
                                        }
                                        next += 2 * width;
                                    }
                                    partial = rt::sum(each);
                                }
                                if next + width <= end {
                                    let l = next;
                                    partial = isa
                                        .mul_add(
                                            isa.load(A_vals, (pA * A3_dim + m) * A4_dim + l),
                                            isa.load(x_vals, j * A4_dim + l),
                                            partial,
                                        );
                                    next += width;
                                }
                            }
                            while next + 4 <= end {
                                let l = next;
                                fours = isa
                                    .mul_add(
                                        isa.load_four(A_vals, (pA * A3_dim + m) * A4_dim + l),
                                        isa.load_four(x_vals, j * A4_dim + l),
                                        fours,
                                    );
                                next += 4;
                            }
                        }
                        for l in next..end {
                            t = isa
                                .mul_add(
                                    A_vals.at((pA * A3_dim + m) * A4_dim + l),
                                    x_vals.at(j * A4_dim + l),
                                    t,
                                );
                        }
                    }
                    t += partial.sum() + fours.sum();
                    y_vals.set(i * A3_dim + m, t);
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    A3_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    let A4_dim = if SIZE == 0 { A4_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A3_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    A3_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    let A4_dim = if SIZE == 0 { A4_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            A3_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A3_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            A3_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A3_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A3_dim,
            A2_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A3_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A3_dim,
            A2_dim,
            A4_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A3_dim: usize,
    A2_dim: usize,
    A4_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    A3_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    A3_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A3_dim,
                    A2_dim,
                    A4_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
