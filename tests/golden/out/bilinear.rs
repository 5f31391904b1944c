/// s = y[i] * A[i, j] * x[j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let parts = (A2_pos.index(y1_dim) / 4096).min(64).max(1);
        let i_step = (y1_dim + parts - 1) / parts;
        rt::threads_with_copies(
            isa,
            &Task_part {
                y1_dim,
                i_step,
                y_vals,
                A2_pos,
                A2_crd,
                A_vals,
                x_vals,
                s_vals: s_vals.shared(),
            },
            rt::monoid::Add,
            0..parts,
            A2_pos.index(y1_dim),
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    y1_dim: usize,
    i_step: usize,
    y_vals: &'a [f64],
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x_vals: &'a [f64],
    s_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            y1_dim,
            i_step,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            ref s_vals,
        } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe {
            body_part(
                chunk,
                y1_dim,
                i_step,
                y_vals,
                A2_pos,
                A2_crd,
                A_vals,
                x_vals,
                s_vals,
            )
        }
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
    y1_dim: usize,
    i_step: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let mut t = 0.0_f64;
            let window_begin = (part * i_step).min(y1_dim);
            let window_end = (window_begin + i_step).min(y1_dim);
            for i in window_begin..window_end {
                let pA2_begin = A2_pos.index(i);
                let pA2_end = A2_pos.index(i + 1);
                if pA2_begin < pA2_end {
                    let mut t_2 = 0.0_f64;
                    let mut next = pA2_begin;
                    let end = pA2_end;
                    if isa.in_fours(A2_pos, A2_crd) {
                        let mut partial = isa.four(0.0_f64);
                        while rt::more_than_four(next, end) {
                            let pA = next;
                            let j = isa.four_indices(A2_crd, pA);
                            partial = isa
                                .mul_add(
                                    isa.load_four(A_vals, pA),
                                    isa.pick(|offset| x_vals.at(j[offset])),
                                    partial,
                                );
                            next += 4;
                        }
                        if isa.over_the_end() && next + 4 <= A2_crd.len() {
                            let kept = partial;
                            let pA = next;
                            let j = isa.last_four_indices(A2_crd, pA);
                            partial = isa
                                .mul_add(
                                    isa.load_four(A_vals, pA),
                                    isa.pick(|offset| x_vals.at(j[offset])),
                                    partial,
                                );
                            partial = partial.first(end - next, kept);
                        } else {
                            isa.to_the_end();
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t_2 = isa.mul_add(A_vals.at(pA), x_vals.at(j), t_2);
                            }
                        }
                        t_2 += partial.sum();
                    } else if next < end {
                        next = isa.first_entry(next);
                        loop {
                            let pA = next;
                            let j = A2_crd.index(pA);
                            t_2 = isa.mul_add(A_vals.at(pA), x_vals.at(j), t_2);
                            next = isa.next_entry(next);
                            if next >= end {
                                break;
                            }
                        }
                    }
                    t = isa.mul_add(y_vals.at(i), t_2, t);
                }
            }
            s_vals.set(0, s_vals.at(0) + t);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    y1_dim: usize,
    i_step: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_part(
                    rt::Streaming(rt::Avx512::assume()),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
            rt::Rows::Alike => {
                body_part(
                    rt::Alike(rt::Avx512::assume()),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
            rt::Rows::Irregular => {
                body_part(
                    rt::Avx512::assume(),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    y1_dim: usize,
    i_step: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_part(
                    rt::Streaming(rt::Avx2::assume()),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
            rt::Rows::Alike => {
                body_part(
                    rt::Alike(rt::Avx2::assume()),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
            rt::Rows::Irregular => {
                body_part(
                    rt::Avx2::assume(),
                    chunk,
                    y1_dim,
                    i_step,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
        }
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    y1_dim: usize,
    i_step: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            y1_dim,
            i_step,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            s_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            y1_dim,
            A2_dim,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            s_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            y1_dim,
            A2_dim,
            y_vals,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            s_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    y1_dim: usize,
    A2_dim: usize,
    y_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    s_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(y1_dim, A2_dim, y_vals, A2_pos, A2_crd, A_vals, x_vals, s_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(y1_dim, A2_dim, y_vals, A2_pos, A2_crd, A_vals, x_vals, s_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    y1_dim,
                    A2_dim,
                    y_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    s_vals,
                )
            }
        }
    }
}
