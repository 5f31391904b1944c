/// w[i] = A[i, j]; y[i] = w[i] + w[m - 1 - i]
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[i64],
    y_vals: &mut [MaybeUninit<i64>],
) {
    unsafe {
        let mut w_memory = rt::Scratch::<i64>::new();
        let w = w_memory.array(A1_dim, 0_i64);
        rt::threads(
            isa,
            &Task_i {
                A2_pos,
                A_vals,
                w: w.shared(),
            },
            0..A1_dim,
            16777216,
            rt::Positions(A2_pos),
        );
        rt::threads(
            isa,
            &Task_r {
                A1_dim,
                y_vals: y_vals.shared(),
                w: &*w,
            },
            0..A1_dim,
            16777216,
            rt::Even,
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A_vals: &'a [i64],
    w: rt::Shared<i64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_pos, A_vals, ref w } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_pos, A_vals, w) }
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
    A_vals: &[i64],
    w: &rt::Shared<i64>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = 0_i64;
            for p in A2_begin..A2_end {
                t = t.wrapping_add(A_vals.at(p));
            }
            w.set(i, t);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A_vals: &[i64],
    w: &rt::Shared<i64>,
) {
    unsafe { body_i(rt::Avx512::assume(), chunk, A2_pos, A_vals, w) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(chunk: rt::Chunk, A2_pos: &[i32], A_vals: &[i64], w: &rt::Shared<i64>) {
    unsafe { body_i(rt::Avx2::assume(), chunk, A2_pos, A_vals, w) }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A_vals: &[i64],
    w: &rt::Shared<i64>,
) {
    unsafe { body_i(rt::Baseline, chunk, A2_pos, A_vals, w) }
}
/// What the iterations of `r` capture.
struct Task_r<'a> {
    A1_dim: usize,
    y_vals: rt::Shared<i64>,
    w: &'a [i64],
}
impl rt::Task for Task_r<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_r { A1_dim, ref y_vals, w } = *self;
        let body_r = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_r,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_r,
            _ => baseline_r,
        };
        unsafe { body_r(chunk, A1_dim, y_vals, w) }
    }
}
/// Iterations of `r`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_r(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A1_dim: usize,
    y_vals: &rt::Shared<i64>,
    w: &[i64],
) {
    unsafe {
        for r in chunk.lo..chunk.hi {
            y_vals.set(r, w.at(r).wrapping_add(w.at(A1_dim - 1 - r)));
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_r(
    chunk: rt::Chunk,
    A1_dim: usize,
    y_vals: &rt::Shared<i64>,
    w: &[i64],
) {
    unsafe { body_r(rt::Avx512::assume(), chunk, A1_dim, y_vals, w) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_r(chunk: rt::Chunk, A1_dim: usize, y_vals: &rt::Shared<i64>, w: &[i64]) {
    unsafe { body_r(rt::Avx2::assume(), chunk, A1_dim, y_vals, w) }
}
unsafe fn baseline_r(
    chunk: rt::Chunk,
    A1_dim: usize,
    y_vals: &rt::Shared<i64>,
    w: &[i64],
) {
    unsafe { body_r(rt::Baseline, chunk, A1_dim, y_vals, w) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[i64],
    y_vals: &mut [MaybeUninit<i64>],
) {
    unsafe { body(rt::Avx512::assume(), A1_dim, A2_pos, A2_crd, A_vals, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[i64],
    y_vals: &mut [MaybeUninit<i64>],
) {
    unsafe { body(rt::Avx2::assume(), A1_dim, A2_pos, A2_crd, A_vals, y_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[i64],
    y_vals: &mut [MaybeUninit<i64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => unsafe { avx512(A1_dim, A2_pos, A2_crd, A_vals, y_vals) }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => unsafe { avx2(A1_dim, A2_pos, A2_crd, A_vals, y_vals) }
        _ => unsafe { body(rt::Baseline, A1_dim, A2_pos, A2_crd, A_vals, y_vals) }
    }
}
