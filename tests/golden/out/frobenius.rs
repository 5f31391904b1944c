/// s = A[i, j] * A[i, j];
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
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let pA2_end = A2_pos.index(A1_dim);
        let parts = (pA2_end / 4096).min(64).max(1);
        let position_step = (pA2_end + parts - 1) / parts;
        rt::threads_with_copies(
            isa,
            &Task_part {
                pA2_end,
                position_step,
                A_vals,
                s_vals: s_vals.shared(),
            },
            rt::monoid::Add,
            0..parts,
            rt::in_lanes(pA2_end, usize::MAX),
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    pA2_end: usize,
    position_step: usize,
    A_vals: &'a [f64],
    s_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part { pA2_end, position_step, A_vals, ref s_vals } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe { body_part(chunk, pA2_end, position_step, A_vals, s_vals) }
    }
}
impl rt::Reducer<f64> for Task_part<'_> {
    fn target(&self) -> rt::Shared<f64> {
        self.s_vals
    }
    fn with(&self, copy: rt::Shared<f64>) -> Self {
        Task_part { s_vals: copy, ..*self }
    }
}
/// Iterations of `part`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_part(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    pA2_end: usize,
    position_step: usize,
    A_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let mut t = 0.0_f64;
            let window_begin = (part * position_step).min(pA2_end);
            let window_end = (window_begin + position_step).min(pA2_end);
            let mut next = window_begin;
            let end = window_end;
            let width = isa.width::<f64>();
            if next + width <= end {
                let mut partial = isa.splat(-0.0_f64);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let pA = next + offset * width;
                            each[offset % 4] = isa
                                .mul_add(
                                    isa.load(A_vals, pA),
                                    isa.load(A_vals, pA),
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
                            let pA = next + offset * width;
                            each[offset] = isa
                                .mul_add(
                                    isa.load(A_vals, pA),
                                    isa.load(A_vals, pA),
                                    each[offset],
                                );
                        }
                        next += 2 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + width <= end {
                    let pA = next;
                    partial = isa
                        .mul_add(isa.load(A_vals, pA), isa.load(A_vals, pA), partial);
                    next += width;
                }
                t += partial.sum();
            }
            for pA in next..end {
                t = isa.mul_add(A_vals.at(pA), A_vals.at(pA), t);
            }
            s_vals.set(0, s_vals.at(0) + t);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    pA2_end: usize,
    position_step: usize,
    A_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(rt::Avx512::assume(), chunk, pA2_end, position_step, A_vals, s_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    pA2_end: usize,
    position_step: usize,
    A_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(rt::Avx2::assume(), chunk, pA2_end, position_step, A_vals, s_vals)
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    pA2_end: usize,
    position_step: usize,
    A_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe { body_part(rt::Baseline, chunk, pA2_end, position_step, A_vals, s_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx512::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, A1_dim, A2_dim, A2_pos, A2_crd, A_vals, s_vals) }
        }
    }
}
