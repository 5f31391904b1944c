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
            &Task_chunk {
                px1_end,
                A2_pos,
                A2_crd,
                A_vals,
                x1_crd,
                x_vals,
                y_vals: y_vals.shared(),
            },
            0..(px1_end + 15) / 16,
            A2_pos.index(A1_dim),
            rt::Even,
        );
    }
}
/// What the iterations of `chunk` capture.
struct Task_chunk<'a> {
    px1_end: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x1_crd: &'a [i32],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_chunk<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk_: rt::Chunk) {
        let Task_chunk { px1_end, A2_pos, A2_crd, A_vals, x1_crd, x_vals, ref y_vals } = *self;
        let body_chunk = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_chunk,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_chunk,
            _ => baseline_chunk,
        };
        unsafe {
            body_chunk(chunk_, px1_end, A2_pos, A2_crd, A_vals, x1_crd, x_vals, y_vals)
        }
    }
}
/// Iterations of `chunk`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_chunk(
    isa: impl rt::Isa,
    chunk_: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        for chunk in chunk_.lo..chunk_.hi {
            let jpos2_begin = chunk * 16;
            let jpos2_end = (jpos2_begin + 16).min(px1_end);
            for px in jpos2_begin..jpos2_end {
                let j = x1_crd.index(px);
                for pA in rt::fiber(A2_pos.index(j), A2_pos.index(j + 1)) {
                    let i = A2_crd.index(pA);
                    y_vals
                        .combine(
                            chunk_.alone,
                            i,
                            A_vals.at(pA) * x_vals.at(px),
                            rt::monoid::Add,
                        );
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_chunk(
    chunk_: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_chunk(
            rt::Avx512::assume(),
            chunk_,
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
unsafe fn avx2_chunk(
    chunk_: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_chunk(
            rt::Avx2::assume(),
            chunk_,
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
unsafe fn baseline_chunk(
    chunk_: rt::Chunk,
    px1_end: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_chunk(
            rt::Baseline,
            chunk_,
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
