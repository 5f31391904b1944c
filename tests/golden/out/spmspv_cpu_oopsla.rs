/// y[i] = A[i, j] * x[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let px1_end = x1_pos.index(1);
        rt::threads(
            isa,
            &Task_jpos0 {
                px1_end,
                A2_pos,
                A2_crd,
                A_vals,
                x1_crd,
                x_vals,
                y_vals: y_vals.shared(),
            },
            0..(px1_end + 15) / 16,
            A2_pos
                .index(A1_dim)
                .min(
                    px1_end
                        .saturating_mul(
                            (A2_pos.index(A1_dim) / A1_dim.max(1)).saturating_add(1),
                        ),
                ),
            rt::Even,
        );
    }
}
/// What the iterations of `jpos0` capture.
struct Task_jpos0<'a> {
    px1_end: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x1_crd: &'a [i32],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_jpos0<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_jpos0 { px1_end, A2_pos, A2_crd, A_vals, x1_crd, x_vals, ref y_vals } = *self;
        let body_jpos0 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_jpos0,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_jpos0,
            _ => baseline_jpos0,
        };
        unsafe {
            body_jpos0(chunk, px1_end, A2_pos, A2_crd, A_vals, x1_crd, x_vals, y_vals)
        }
    }
}
/// Iterations of `jpos0`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_jpos0(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        for jpos0 in chunk.lo..chunk.hi {
            let jpos1_begin = jpos0 * 16;
            let jpos1_end = (jpos1_begin + 16).min(px1_end);
            for px in jpos1_begin..jpos1_end {
                let j = x1_crd.index(px);
                let x_val = x_vals.at(px);
                for pA in rt::fiber(A2_pos.index(j), A2_pos.index(j + 1)) {
                    let i = A2_crd.index(pA);
                    y_vals
                        .combine(chunk.alone, i, A_vals.at(pA) * x_val, rt::monoid::Add);
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_jpos0(
    chunk: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_jpos0(
            rt::Avx512::assume(),
            chunk,
            px1_end,
            A2_pos,
            A2_crd,
            A_vals,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_jpos0(
    chunk: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_jpos0(
            rt::Avx2::assume(),
            chunk,
            px1_end,
            A2_pos,
            A2_crd,
            A_vals,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
unsafe fn baseline_jpos0(
    chunk: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_jpos0(
            rt::Baseline,
            chunk,
            px1_end,
            A2_pos,
            A2_crd,
            A_vals,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A2_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A2_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
