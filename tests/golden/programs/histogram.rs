/// y[j] += 1 where A[i, j]
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
    A_vals: &[i32],
    y_vals: &mut [MaybeUninit<i32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_p {
                A2_crd,
                y_vals: y_vals.shared(),
            },
            0..A2_pos.index(A1_dim),
            16777216,
            rt::Even,
        );
    }
}
/// What the iterations of `p` capture.
struct Task_p<'a> {
    A2_crd: &'a [i32],
    y_vals: rt::Shared<i32>,
}
impl rt::Task for Task_p<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_p { A2_crd, ref y_vals } = *self;
        let body_p = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_p,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_p,
            _ => baseline_p,
        };
        unsafe { body_p(chunk, A2_crd, y_vals) }
    }
}
/// Iterations of `p`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_p(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A2_crd: &[i32],
    y_vals: &rt::Shared<i32>,
) {
    unsafe {
        for p in chunk.lo..chunk.hi {
            y_vals.combine(chunk.alone, A2_crd.index(p), 1_i32, rt::monoid::Add);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_p(chunk: rt::Chunk, A2_crd: &[i32], y_vals: &rt::Shared<i32>) {
    unsafe { body_p(rt::Avx512::assume(), chunk, A2_crd, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_p(chunk: rt::Chunk, A2_crd: &[i32], y_vals: &rt::Shared<i32>) {
    unsafe { body_p(rt::Avx2::assume(), chunk, A2_crd, y_vals) }
}
unsafe fn baseline_p(chunk: rt::Chunk, A2_crd: &[i32], y_vals: &rt::Shared<i32>) {
    unsafe { body_p(rt::Baseline, chunk, A2_crd, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[i32],
    y_vals: &mut [MaybeUninit<i32>],
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
    A_vals: &[i32],
    y_vals: &mut [MaybeUninit<i32>],
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
    A_vals: &[i32],
    y_vals: &mut [MaybeUninit<i32>],
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
