/// C[i, k] = A[j, i] * A[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A2_dim: usize,
    A2_dim_2: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut t0_next_memory = rt::Scratch::<i32>::new();
        let mut t02_pos_memory = rt::Scratch::<i32>::new();
        let mut t02_crd_memory = rt::Scratch::<i32>::new();
        let mut t0_vals_memory = rt::Scratch::<f64>::new();
        let entries = A2_pos.index(A1_dim);
        let j_t0_parts = rt::workers(entries / 2).min(entries / A2_dim.max(1) + 1);
        let t0_next = t0_next_memory.array(j_t0_parts * A2_dim, 0_i32);
        let t02_pos = t02_pos_memory.unwritten(A2_dim + 1);
        rt::threads(
            isa,
            &Task_part {
                A2_dim,
                A1_dim,
                entries,
                j_t0_parts,
                A2_pos,
                A2_crd,
                t0_next: t0_next.shared(),
            },
            0..j_t0_parts,
            entries / 2,
            rt::Even,
        );
        t02_pos.set(0, 0);
        let mut t0_all = 0_usize;
        for t0_row in 0..A2_dim {
            for part in 0..j_t0_parts {
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
                A2_dim,
                A1_dim,
                entries,
                j_t0_parts,
                A2_pos,
                A2_crd,
                A_vals,
                t02_crd: t02_crd.shared(),
                t0_vals: t0_vals.shared(),
                t0_next: t0_next.shared(),
            },
            0..j_t0_parts,
            entries / 2,
            rt::Even,
        );
        let parts = (entries * (entries / A1_dim.max(1) + 1) / 4096).min(64).max(1);
        let i_step = (A2_dim + parts - 1) / parts;
        rt::grow(
            isa,
            &Task_part_3 {
                A2_dim,
                A2_dim_2,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
                t02_pos: rt::written(t02_pos),
                t02_crd: rt::written(t02_crd),
                t0_vals: rt::written(t0_vals),
            },
            0..parts,
            entries.saturating_mul((entries / A1_dim.max(1)).saturating_add(1)),
            rt::Even,
        );
        C2_pos.scan(A2_dim);
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    t0_next: rt::Shared<i32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            ref t0_next,
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
                A2_dim,
                A1_dim,
                entries,
                j_t0_parts,
                A2_pos,
                A2_crd,
                t0_next,
            )
        }
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
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * A2_dim;
            let j_t0_begin = rt::lower_bound(
                A2_pos,
                0,
                A1_dim,
                entries * part / j_t0_parts,
            );
            let j_t0_end = if part + 1 == j_t0_parts {
                A1_dim
            } else {
                rt::lower_bound(A2_pos, 0, A1_dim, entries * (part + 1) / j_t0_parts)
            };
            for pA in A2_pos.index(j_t0_begin)..A2_pos.index(j_t0_end) {
                let i_t0 = A2_crd.index(pA);
                let row = first + i_t0;
                t0_next.set(row, (t0_next.index(row) + 1) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            t0_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            t0_next,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            t0_next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_2<'a> {
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    t02_crd: rt::Shared<i32>,
    t0_vals: rt::Shared<f64>,
    t0_next: rt::Shared<i32>,
}
impl rt::Task for Task_part_2<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_2 {
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            A_vals,
            ref t02_crd,
            ref t0_vals,
            ref t0_next,
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
                A2_dim,
                A1_dim,
                entries,
                j_t0_parts,
                A2_pos,
                A2_crd,
                A_vals,
                t02_crd,
                t0_vals,
                t0_next,
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
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t02_crd: &rt::Shared<i32>,
    t0_vals: &rt::Shared<f64>,
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * A2_dim;
            let j_t0_begin = rt::lower_bound(
                A2_pos,
                0,
                A1_dim,
                entries * part / j_t0_parts,
            );
            let j_t0_end = if part + 1 == j_t0_parts {
                A1_dim
            } else {
                rt::lower_bound(A2_pos, 0, A1_dim, entries * (part + 1) / j_t0_parts)
            };
            for j_t0 in j_t0_begin..j_t0_end {
                for pA in A2_pos.index(j_t0)..A2_pos.index(j_t0 + 1) {
                    let i_t0 = A2_crd.index(pA);
                    let row = first + i_t0;
                    let at = t0_next.index(row);
                    t0_next.set(row, (at + 1) as i32);
                    t02_crd.set(at, j_t0 as i32);
                    t0_vals.set(at, A_vals.at(pA));
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_2(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t02_crd: &rt::Shared<i32>,
    t0_vals: &rt::Shared<f64>,
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx512::assume(),
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t02_crd,
            t0_vals,
            t0_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_2(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t02_crd: &rt::Shared<i32>,
    t0_vals: &rt::Shared<f64>,
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx2::assume(),
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t02_crd,
            t0_vals,
            t0_next,
        )
    }
}
unsafe fn baseline_part_2(
    chunk: rt::Chunk,
    A2_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t0_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t02_crd: &rt::Shared<i32>,
    t0_vals: &rt::Shared<f64>,
    t0_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Baseline,
            chunk,
            A2_dim,
            A1_dim,
            entries,
            j_t0_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t02_crd,
            t0_vals,
            t0_next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_3<'a> {
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
    t02_pos: &'a [i32],
    t02_crd: &'a [i32],
    t0_vals: &'a [f64],
}
impl rt::Task for Task_part_3<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_3 {
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            ref C2_pos,
            C2_crd,
            C_vals,
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
                A2_dim,
                A2_dim_2,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
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
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([A2_dim_2], 0.0_f64));
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(A2_dim);
            let window_end = (window_begin + i_step).min(A2_dim);
            for i in window_begin..window_end {
                let C2_begin = C2_crd.len();
                let mut w = w_memory.open();
                for pt0 in t02_pos.index(i)..t02_pos.index(i + 1) {
                    let j = t02_crd.index(pt0);
                    for pA in A2_pos.index(j)..A2_pos.index(j + 1) {
                        let k = A2_crd.index(pA);
                        let at_2 = w.place([k]);
                        w.set(
                            at_2,
                            isa.mul_add(t0_vals.at(pt0), A_vals.at(pA), w.at(at_2)),
                        );
                    }
                }
                w.append(
                    rt::workspace::By(rt::monoid::Add),
                    |n| (C2_crd.extended(n), C_vals.extended(n)),
                );
                C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_3(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx512::assume(),
            chunk,
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
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
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx2::assume(),
            chunk,
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        )
    }
}
unsafe fn baseline_part_3(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t02_pos: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Baseline,
            chunk,
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t02_pos,
            t02_crd,
            t0_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A2_dim: usize,
    A2_dim_2: usize,
    A1_dim: usize,
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
            A2_dim,
            A2_dim_2,
            A1_dim,
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
    A2_dim: usize,
    A2_dim_2: usize,
    A1_dim: usize,
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
            A2_dim,
            A2_dim_2,
            A1_dim,
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
    A2_dim: usize,
    A2_dim_2: usize,
    A1_dim: usize,
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
                    A2_dim,
                    A2_dim_2,
                    A1_dim,
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
                    A2_dim,
                    A2_dim_2,
                    A1_dim,
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
                    A2_dim,
                    A2_dim_2,
                    A1_dim,
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
