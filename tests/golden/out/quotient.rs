/// a[i] = b[i] / c[i];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let pb1_begin = b1_pos.index(0);
        let pb1_end = b1_pos.index(1);
        rt::threads(
            isa,
            &Task_pb {
                b1_crd,
                b_vals,
                c_vals,
                a_vals: a_vals.shared(),
            },
            pb1_begin..pb1_end,
            pb1_end,
            rt::Even,
        );
    }
}
/// What the iterations of `pb` capture.
struct Task_pb<'a> {
    b1_crd: &'a [i32],
    b_vals: &'a [f64],
    c_vals: &'a [f64],
    a_vals: rt::Shared<f64>,
}
impl rt::Task for Task_pb<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pb { b1_crd, b_vals, c_vals, ref a_vals } = *self;
        let body_pb = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx2_pb,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_pb,
            _ => baseline_pb,
        };
        unsafe { body_pb(chunk, b1_crd, b_vals, c_vals, a_vals) }
    }
}
/// Iterations of `pb`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_pb(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe {
        for pb in chunk.lo..chunk.hi {
            let i = b1_crd.index(pb);
            a_vals.set(pb, b_vals.at(pb) / c_vals.at(i));
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pb(
    chunk: rt::Chunk,
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe { body_pb(rt::Avx2::assume(), chunk, b1_crd, b_vals, c_vals, a_vals) }
}
unsafe fn baseline_pb(
    chunk: rt::Chunk,
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe { body_pb(rt::Baseline, chunk, b1_crd, b_vals, c_vals, a_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx2::assume(), b1_dim, b1_pos, b1_crd, b_vals, c_vals, a_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx2(b1_dim, b1_pos, b1_crd, b_vals, c_vals, a_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(b1_dim, b1_pos, b1_crd, b_vals, c_vals, a_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, b1_dim, b1_pos, b1_crd, b_vals, c_vals, a_vals) }
        }
    }
}
