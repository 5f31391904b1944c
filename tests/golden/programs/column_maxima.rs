/// y[j] max= A[i, j]
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                A2_pos,
                A2_crd,
                A_vals,
                y_vals: y_vals.shared(),
            },
            0..A1_dim,
            16777216,
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_pos, A2_crd, A_vals, ref y_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_pos, A2_crd, A_vals, y_vals) }
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            for p in A2_begin..A2_end {
                y_vals
                    .combine(
                        chunk.alone,
                        A2_crd.index(p),
                        A_vals.at(p),
                        rt::monoid::Max,
                    );
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Avx512::assume(), chunk, A2_pos, A2_crd, A_vals, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Avx2::assume(), chunk, A2_pos, A2_crd, A_vals, y_vals) }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Baseline, chunk, A2_pos, A2_crd, A_vals, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx512::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, y_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, y_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, y_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, A1_dim, A2_dim, A2_pos, A2_crd, A_vals, y_vals) }
        }
    }
}
