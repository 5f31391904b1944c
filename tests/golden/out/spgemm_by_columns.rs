/// C[i, k] = A[i, j] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut t1_next_memory = rt::Scratch::<i32>::new();
        let mut t12_pos_memory = rt::Scratch::<i32>::new();
        let mut t12_crd_memory = rt::Scratch::<i32>::new();
        let mut t1_vals_memory = rt::Scratch::<f64>::new();
        let mut t0_next_memory = rt::Scratch::<i32>::new();
        let mut t02_pos_memory = rt::Scratch::<i32>::new();
        let mut t02_crd_memory = rt::Scratch::<i32>::new();
        let mut t0_vals_memory = rt::Scratch::<f64>::new();
        let entries = B2_pos.index(A2_dim);
        let j_t1_parts = rt::workers(entries / 2).min(entries / B2_dim.max(1) + 1);
        let t1_next = t1_next_memory.array(j_t1_parts * B2_dim, 0_i32);
        let t12_pos = t12_pos_memory.unwritten(B2_dim + 1);
        rt::threads(
            isa,
            &Task_part {
                dim: B2_dim,
                dim_2: A2_dim,
                entries,
                parts: j_t1_parts,
                pos: B2_pos,
                crd: B2_crd,
                next: t1_next.shared(),
            },
            0..j_t1_parts,
            entries / 2,
            rt::Even,
        );
        t12_pos.set(0, 0);
        let mut t1_all = 0_usize;
        for t1_row in 0..B2_dim {
            for part in 0..j_t1_parts {
                let t1_at = part * B2_dim + t1_row;
                let t1_count = t1_next.index(t1_at);
                t1_next.set(t1_at, t1_all as i32);
                t1_all += t1_count;
            }
            t12_pos.set(t1_row + 1, t1_all as i32);
        }
        let t1_len = if t1_all <= 2147483647 { t1_all } else { 72057594037927935 };
        let t12_crd = t12_crd_memory.unwritten(t1_len);
        let t1_vals = t1_vals_memory.unwritten(t1_len);
        rt::threads(
            isa,
            &Task_part_2 {
                dim: B2_dim,
                dim_2: A2_dim,
                entries,
                parts: j_t1_parts,
                pos: B2_pos,
                crd: B2_crd,
                vals: B_vals,
                crd_2: t12_crd.shared(),
                vals_2: t1_vals.shared(),
                next: t1_next.shared(),
            },
            0..j_t1_parts,
            entries / 2,
            rt::Even,
        );
        let entries_2 = A2_pos.index(A1_dim);
        let i_t0_parts = rt::workers(entries_2 / 2).min(entries_2 / A2_dim.max(1) + 1);
        let t0_next = t0_next_memory.array(i_t0_parts * A2_dim, 0_i32);
        let t02_pos = t02_pos_memory.unwritten(A2_dim + 1);
        rt::threads(
            isa,
            &Task_part {
                dim_2: A1_dim,
                dim: A2_dim,
                entries: entries_2,
                parts: i_t0_parts,
                pos: A2_pos,
                crd: A2_crd,
                next: t0_next.shared(),
            },
            0..i_t0_parts,
            entries_2 / 2,
            rt::Even,
        );
        t02_pos.set(0, 0);
        let mut t0_all = 0_usize;
        for t0_row in 0..A2_dim {
            for part in 0..i_t0_parts {
                let t0_at = part * A2_dim + t0_row;
                let t0_count = t0_next.index(t0_at);
                t0_next.set(t0_at, t0_all as i32);
                t0_all += t0_count;
            }
            t02_pos.set(t0_row + 1, t0_all as i32);
        }
        let t0_len = if t0_all <= 2147483647 { t0_all } else { 72057594037927935 };
        let t02_crd = t02_crd_memory.unwritten(t0_len);
        let t0_vals = t0_vals_memory.unwritten(t0_len);
        rt::threads(
            isa,
            &Task_part_2 {
                dim_2: A1_dim,
                dim: A2_dim,
                entries: entries_2,
                parts: i_t0_parts,
                pos: A2_pos,
                crd: A2_crd,
                vals: A_vals,
                crd_2: t02_crd.shared(),
                vals_2: t0_vals.shared(),
                next: t0_next.shared(),
            },
            0..i_t0_parts,
            entries_2 / 2,
            rt::Even,
        );
        let parts = (entries * (t02_pos.index(A2_dim) / A2_dim.max(1) + 1) / 4096)
            .min(64)
            .max(1);
        let k_step = (B2_dim + parts - 1) / parts;
        rt::grow(
            isa,
            &Task_part_3 {
                A1_dim,
                B2_dim,
                k_step,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
                t12_pos: rt::written(t12_pos),
                t12_crd: rt::written(t12_crd),
                t1_vals: rt::written(t1_vals),
                t02_pos: rt::written(t02_pos),
                t02_crd: rt::written(t02_crd),
                t0_vals: rt::written(t0_vals),
            },
            0..parts,
            entries
                .saturating_mul(
                    (t02_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            rt::Even,
        );
        C2_pos.scan(B2_dim);
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &'a [i32],
    crd: &'a [i32],
    next: rt::Shared<i32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part { dim, dim_2, entries, parts, pos, crd, ref next } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe { body_part(chunk, dim, dim_2, entries, parts, pos, crd, next) }
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
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * dim;
            let begin = rt::lower_bound(pos, 0, dim_2, entries * part / parts);
            let end = if part + 1 == parts {
                dim_2
            } else {
                rt::lower_bound(pos, 0, dim_2, entries * (part + 1) / parts)
            };
            for pB in pos.index(begin)..pos.index(end) {
                let k_t1 = crd.index(pB);
                let row = first + k_t1;
                next.set(row, (next.index(row) + 1) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            dim,
            dim_2,
            entries,
            parts,
            pos,
            crd,
            next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(rt::Avx2::assume(), chunk, dim, dim_2, entries, parts, pos, crd, next)
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    next: &rt::Shared<i32>,
) {
    unsafe { body_part(rt::Baseline, chunk, dim, dim_2, entries, parts, pos, crd, next) }
}
/// What the iterations of `part` capture.
struct Task_part_2<'a> {
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &'a [i32],
    crd: &'a [i32],
    vals: &'a [f64],
    crd_2: rt::Shared<i32>,
    vals_2: rt::Shared<f64>,
    next: rt::Shared<i32>,
}
impl rt::Task for Task_part_2<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_2 {
            dim,
            dim_2,
            entries,
            parts,
            pos,
            crd,
            vals,
            ref crd_2,
            ref vals_2,
            ref next,
        } = *self;
        let body_part_2 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part_2,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part_2,
            _ => baseline_part_2,
        };
        unsafe {
            body_part_2(
                chunk,
                dim,
                dim_2,
                entries,
                parts,
                pos,
                crd,
                vals,
                crd_2,
                vals_2,
                next,
            )
        }
    }
}
/// Iterations of `part`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_part_2(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    vals: &[f64],
    crd_2: &rt::Shared<i32>,
    vals_2: &rt::Shared<f64>,
    next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * dim;
            let begin = rt::lower_bound(pos, 0, dim_2, entries * part / parts);
            let end = if part + 1 == parts {
                dim_2
            } else {
                rt::lower_bound(pos, 0, dim_2, entries * (part + 1) / parts)
            };
            for j_t1 in begin..end {
                for pB in pos.index(j_t1)..pos.index(j_t1 + 1) {
                    let k_t1 = crd.index(pB);
                    let row = first + k_t1;
                    let at = next.index(row);
                    next.set(row, (at + 1) as i32);
                    crd_2.set(at, j_t1 as i32);
                    vals_2.set(at, vals.at(pB));
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_2(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    vals: &[f64],
    crd_2: &rt::Shared<i32>,
    vals_2: &rt::Shared<f64>,
    next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx512::assume(),
            chunk,
            dim,
            dim_2,
            entries,
            parts,
            pos,
            crd,
            vals,
            crd_2,
            vals_2,
            next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_2(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    vals: &[f64],
    crd_2: &rt::Shared<i32>,
    vals_2: &rt::Shared<f64>,
    next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx2::assume(),
            chunk,
            dim,
            dim_2,
            entries,
            parts,
            pos,
            crd,
            vals,
            crd_2,
            vals_2,
            next,
        )
    }
}
unsafe fn baseline_part_2(
    chunk: rt::Chunk,
    dim: usize,
    dim_2: usize,
    entries: usize,
    parts: usize,
    pos: &[i32],
    crd: &[i32],
    vals: &[f64],
    crd_2: &rt::Shared<i32>,
    vals_2: &rt::Shared<f64>,
    next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Baseline,
            chunk,
            dim,
            dim_2,
            entries,
            parts,
            pos,
            crd,
            vals,
            crd_2,
            vals_2,
            next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_3<'a> {
    A1_dim: usize,
    B2_dim: usize,
    k_step: usize,
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
    t12_pos: &'a [i32],
    t12_crd: &'a [i32],
    t1_vals: &'a [f64],
    t02_pos: &'a [i32],
    t02_crd: &'a [i32],
    t0_vals: &'a [f64],
}
impl rt::Task for Task_part_3<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_3 {
            A1_dim,
            B2_dim,
            k_step,
            ref C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        } = *self;
        let body_part_3 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part_3,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part_3,
            _ => baseline_part_3,
        };
        unsafe {
            body_part_3(
                chunk,
                A1_dim,
                B2_dim,
                k_step,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
                t12_pos,
                t12_crd,
                t1_vals,
                t02_pos,
                t02_crd,
                t0_vals,
            )
        }
    }
}
impl rt::Grower<f64, 1> for Task_part_3<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 1], rt::Own<rt::Grown<f64>>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 1],
        C_vals: rt::Own<rt::Grown<f64>>,
    ) -> Self {
        Task_part_3 {
            C2_crd,
            C_vals,
            ..*self
        }
    }
}
/// Iterations of `part`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_part_3(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    k_step: usize,
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([A1_dim], 0.0_f64));
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * k_step).min(B2_dim);
            let window_end = (window_begin + k_step).min(B2_dim);
            for k in window_begin..window_end {
                let C2_begin = C2_crd.len();
                let mut w = w_memory.open();
                for pt1 in t12_pos.index(k)..t12_pos.index(k + 1) {
                    let j = t12_crd.index(pt1);
                    for pt0 in t02_pos.index(j)..t02_pos.index(j + 1) {
                        let i = t02_crd.index(pt0);
                        let at_2 = w.place([i]);
                        w.set(
                            at_2,
                            isa.mul_add(t0_vals.at(pt0), t1_vals.at(pt1), w.at(at_2)),
                        );
                    }
                }
                w.append(
                    rt::workspace::By(rt::monoid::Add),
                    |n| (C2_crd.extended(n), C_vals.extended(n)),
                );
                C2_pos.set(k, (C2_crd.len() - C2_begin) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_3(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    k_step: usize,
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx512::assume(),
            chunk,
            A1_dim,
            B2_dim,
            k_step,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_3(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    k_step: usize,
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx2::assume(),
            chunk,
            A1_dim,
            B2_dim,
            k_step,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        )
    }
}
unsafe fn baseline_part_3(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    k_step: usize,
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Baseline,
            chunk,
            A1_dim,
            B2_dim,
            k_step,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    B2_dim,
                    A2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    B2_dim,
                    A2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    A2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
