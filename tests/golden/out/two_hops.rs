/// y[i] = A[i, h] * A[h, j] * x[j];
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
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut t0_memory = rt::Scratch::<f64>::new();
        let mut shortest_of_memory = rt::Scratch::<i32>::new();
        if 2 * A2_dim <= A2_pos.index(A1_dim) {
            let t0 = t0_memory.unwritten(A2_dim);
            rt::threads(
                isa,
                &Task_h_t0 {
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand: x_vals,
                    result: t0.shared(),
                },
                0..A2_dim,
                A2_pos.index(A2_dim),
                rt::Positions(A2_pos),
            );
            let shortest_of = shortest_of_memory.unwritten(64);
            rt::threads(
                isa,
                &Task_part {
                    A2_dim,
                    A2_pos,
                    shortest_of: shortest_of.shared(),
                },
                0..64_usize,
                A2_dim,
                rt::Even,
            );
            let mut shortest = 1_usize;
            for part in 0..64_usize {
                shortest = shortest.min(shortest_of.index(part));
            }
            if 0 < shortest {
                rt::threads(
                    isa,
                    &Task_h_t0 {
                        A2_pos,
                        A2_crd,
                        A_vals,
                        result: y_vals.shared(),
                        operand: rt::written(t0),
                    },
                    0..A1_dim,
                    A2_pos.index(A1_dim),
                    rt::Positions(A2_pos),
                );
            } else {
                rt::threads(
                    isa,
                    &Task_i {
                        A2_pos,
                        A2_crd,
                        A_vals,
                        y_vals: y_vals.shared(),
                        t0: rt::written(t0),
                    },
                    0..A1_dim,
                    A2_pos.index(A1_dim),
                    rt::Positions(A2_pos),
                );
            }
        } else {
            rt::threads(
                isa,
                &Task_i_2 {
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals: y_vals.shared(),
                },
                0..A1_dim,
                A2_pos
                    .index(A1_dim)
                    .saturating_mul(
                        (A2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                    ),
                rt::Positions(A2_pos),
            );
        }
    }
}
/// What the iterations of `h_t0`, and of `i` capture.
struct Task_h_t0<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    operand: &'a [f64],
    result: rt::Shared<f64>,
}
impl rt::Task for Task_h_t0<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_h_t0 { A2_pos, A2_crd, A_vals, operand, ref result } = *self;
        let body_h_t0 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_h_t0,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_h_t0,
            _ => baseline_h_t0,
        };
        unsafe { body_h_t0(chunk, A2_pos, A2_crd, A_vals, operand, result) }
    }
}
/// Iterations of `h_t0`, and of `i`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_h_t0(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    operand: &[f64],
    result: &rt::Shared<f64>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for h_t0 in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(h_t0 + 1);
            let mut t = 0.0_f64;
            let mut next = A2_begin;
            let end = A2_end;
            if isa.in_fours(A2_pos, A2_crd) {
                let mut partial = isa.four(0.0_f64);
                while rt::more_than_four(next, end) {
                    let pA = next;
                    let j = isa.four_indices(A2_crd, pA);
                    partial = isa
                        .mul_add(
                            isa.load_four(A_vals, pA),
                            isa.pick(|offset| operand.at(j[offset])),
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
                            isa.pick(|offset| operand.at(j[offset])),
                            partial,
                        );
                    partial = partial.first(end - next, kept);
                } else {
                    isa.to_the_end();
                    for pA in next..end {
                        let j = A2_crd.index(pA);
                        t = isa.mul_add(A_vals.at(pA), operand.at(j), t);
                    }
                }
                t += partial.sum();
            } else if next < end {
                next = isa.first_entry(next);
                loop {
                    let pA = next;
                    let j = A2_crd.index(pA);
                    t = isa.mul_add(A_vals.at(pA), operand.at(j), t);
                    next = isa.next_entry(next);
                    if next >= end {
                        break;
                    }
                }
            }
            result.set(h_t0, t);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_h_t0(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    operand: &[f64],
    result: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_h_t0(
                    rt::Streaming(rt::Avx512::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
            rt::Rows::Alike => {
                body_h_t0(
                    rt::Alike(rt::Avx512::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
            rt::Rows::Irregular => {
                body_h_t0(
                    rt::Avx512::assume(),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_h_t0(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    operand: &[f64],
    result: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_h_t0(
                    rt::Streaming(rt::Avx2::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
            rt::Rows::Alike => {
                body_h_t0(
                    rt::Alike(rt::Avx2::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
            rt::Rows::Irregular => {
                body_h_t0(
                    rt::Avx2::assume(),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    operand,
                    result,
                )
            }
        }
    }
}
unsafe fn baseline_h_t0(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    operand: &[f64],
    result: &rt::Shared<f64>,
) {
    unsafe { body_h_t0(rt::Baseline, chunk, A2_pos, A2_crd, A_vals, operand, result) }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    A2_dim: usize,
    A2_pos: &'a [i32],
    shortest_of: rt::Shared<i32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part { A2_dim, A2_pos, ref shortest_of } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe { body_part(chunk, A2_dim, A2_pos, shortest_of) }
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
    A2_dim: usize,
    A2_pos: &[i32],
    shortest_of: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let begin = (part * ((A2_dim + 63) / 64)).min(A2_dim);
            let mut shortest = 1_usize;
            for h in begin..(begin + (A2_dim + 63) / 64).min(A2_dim) {
                shortest = shortest.min(A2_pos.index(h + 1) - A2_pos.index(h));
            }
            shortest_of.set(part, shortest as i32);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    shortest_of: &rt::Shared<i32>,
) {
    unsafe { body_part(rt::Avx512::assume(), chunk, A2_dim, A2_pos, shortest_of) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    shortest_of: &rt::Shared<i32>,
) {
    unsafe { body_part(rt::Avx2::assume(), chunk, A2_dim, A2_pos, shortest_of) }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    shortest_of: &rt::Shared<i32>,
) {
    unsafe { body_part(rt::Baseline, chunk, A2_dim, A2_pos, shortest_of) }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
    t0: &'a [f64],
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_pos, A2_crd, A_vals, ref y_vals, t0 } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_pos, A2_crd, A_vals, y_vals, t0) }
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
    t0: &[f64],
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = 0.0_f64;
            for pA in A2_begin..A2_end {
                let h = A2_crd.index(pA);
                if A2_pos.index(h) < A2_pos.index(h + 1) {
                    t = isa.mul_add(A_vals.at(pA), t0.at(h), t);
                }
            }
            y_vals.set(i, t);
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
    t0: &[f64],
) {
    unsafe { body_i(rt::Avx512::assume(), chunk, A2_pos, A2_crd, A_vals, y_vals, t0) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    t0: &[f64],
) {
    unsafe { body_i(rt::Avx2::assume(), chunk, A2_pos, A2_crd, A_vals, y_vals, t0) }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    t0: &[f64],
) {
    unsafe { body_i(rt::Baseline, chunk, A2_pos, A2_crd, A_vals, y_vals, t0) }
}
/// What the iterations of `i` capture.
struct Task_i_2<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i_2<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i_2 { A2_pos, A2_crd, A_vals, x_vals, ref y_vals } = *self;
        let body_i_2 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i_2,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i_2,
            _ => baseline_i_2,
        };
        unsafe { body_i_2(chunk, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
    }
}
/// Iterations of `i`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i_2(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = 0.0_f64;
            for pA in A2_begin..A2_end {
                let h = A2_crd.index(pA);
                let pA2_begin = A2_pos.index(h);
                let pA2_end = A2_pos.index(h + 1);
                if pA2_begin < pA2_end {
                    let mut t_2 = 0.0_f64;
                    let mut next = pA2_begin;
                    let end = pA2_end;
                    if isa.in_fours(A2_pos, A2_crd) {
                        let mut partial = isa.four(0.0_f64);
                        while rt::more_than_four(next, end) {
                            let pA_2 = next;
                            let j = isa.four_indices(A2_crd, pA_2);
                            partial = isa
                                .mul_add(
                                    isa.load_four(A_vals, pA_2),
                                    isa.pick(|offset| x_vals.at(j[offset])),
                                    partial,
                                );
                            next += 4;
                        }
                        if isa.over_the_end() && next + 4 <= A2_crd.len() {
                            let kept = partial;
                            let pA_2 = next;
                            let j = isa.last_four_indices(A2_crd, pA_2);
                            partial = isa
                                .mul_add(
                                    isa.load_four(A_vals, pA_2),
                                    isa.pick(|offset| x_vals.at(j[offset])),
                                    partial,
                                );
                            partial = partial.first(end - next, kept);
                        } else {
                            isa.to_the_end();
                            for pA_2 in next..end {
                                let j = A2_crd.index(pA_2);
                                t_2 = isa.mul_add(A_vals.at(pA_2), x_vals.at(j), t_2);
                            }
                        }
                        t_2 += partial.sum();
                    } else if next < end {
                        next = isa.first_entry(next);
                        loop {
                            let pA_2 = next;
                            let j = A2_crd.index(pA_2);
                            t_2 = isa.mul_add(A_vals.at(pA_2), x_vals.at(j), t_2);
                            next = isa.next_entry(next);
                            if next >= end {
                                break;
                            }
                        }
                    }
                    t = isa.mul_add(A_vals.at(pA), t_2, t);
                }
            }
            y_vals.set(i, t);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i_2(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_i_2(
                    rt::Streaming(rt::Avx512::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
            rt::Rows::Alike => {
                body_i_2(
                    rt::Alike(rt::Avx512::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
            rt::Rows::Irregular => {
                body_i_2(
                    rt::Avx512::assume(),
                    chunk,
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
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i_2(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(A2_pos, A2_crd, A_vals) {
            rt::Rows::Streamed => {
                body_i_2(
                    rt::Streaming(rt::Avx2::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
            rt::Rows::Alike => {
                body_i_2(
                    rt::Alike(rt::Avx2::assume()),
                    chunk,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
            rt::Rows::Irregular => {
                body_i_2(
                    rt::Avx2::assume(),
                    chunk,
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
unsafe fn baseline_i_2(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe { body_i_2(rt::Baseline, chunk, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
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
            A2_dim,
            A2_dim_2,
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
    A2_dim: usize,
    A2_dim_2: usize,
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
            A2_dim,
            A2_dim_2,
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
    A2_dim: usize,
    A2_dim_2: usize,
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
                avx512(A1_dim, A2_dim, A2_dim_2, A2_pos, A2_crd, A_vals, x_vals, y_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(A1_dim, A2_dim, A2_dim_2, A2_pos, A2_crd, A_vals, x_vals, y_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A2_dim_2,
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
