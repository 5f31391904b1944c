/// C[i, k] = B[i, k] + A[j, i] * A[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B1_dim: usize,
    B2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut t1_next_memory = rt::Scratch::<i32>::new();
        let mut t12_pos_memory = rt::Scratch::<i32>::new();
        let mut t12_crd_memory = rt::Scratch::<i32>::new();
        let mut t1_vals_memory = rt::Scratch::<f64>::new();
        let entries = A2_pos.index(A1_dim);
        let j_t1_parts = rt::workers(entries / 2).min(entries / B1_dim.max(1) + 1);
        let t1_next = t1_next_memory.array(j_t1_parts * B1_dim, 0_i32);
        let t12_pos = t12_pos_memory.unwritten(B1_dim + 1);
        rt::threads(
            isa,
            &Task_part {
                B1_dim,
                A1_dim,
                entries,
                j_t1_parts,
                A2_pos,
                A2_crd,
                t1_next: t1_next.shared(),
            },
            0..j_t1_parts,
            entries / 2,
            rt::Even,
        );
        t12_pos.set(0, 0);
        let mut t1_all = 0_usize;
        for t1_row in 0..B1_dim {
            for part in 0..j_t1_parts {
                let t1_at = part * B1_dim + t1_row;
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
                B1_dim,
                A1_dim,
                entries,
                j_t1_parts,
                A2_pos,
                A2_crd,
                A_vals,
                t12_crd: t12_crd.shared(),
                t1_vals: t1_vals.shared(),
                t1_next: t1_next.shared(),
            },
            0..j_t1_parts,
            entries / 2,
            rt::Even,
        );
        let parts = ((entries * (entries / A1_dim.max(1) + 1) + B2_pos.index(B1_dim))
            / 4096)
            .min(64)
            .max(1);
        let i_step = (B1_dim + parts - 1) / parts;
        rt::grow(
            isa,
            &Task_part_3 {
                B1_dim,
                B2_dim,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
                t12_pos: rt::written(t12_pos),
                t12_crd: rt::written(t12_crd),
                t1_vals: rt::written(t1_vals),
            },
            0..parts,
            entries
                .saturating_mul((entries / A1_dim.max(1)).saturating_add(1))
                .saturating_add(B2_pos.index(B1_dim)),
            rt::Even,
        );
        C2_pos.scan(B1_dim);
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    t1_next: rt::Shared<i32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            ref t1_next,
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
                B1_dim,
                A1_dim,
                entries,
                j_t1_parts,
                A2_pos,
                A2_crd,
                t1_next,
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
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * B1_dim;
            let j_t1_begin = rt::lower_bound(
                A2_pos,
                0,
                A1_dim,
                entries * part / j_t1_parts,
            );
            let j_t1_end = if part + 1 == j_t1_parts {
                A1_dim
            } else {
                rt::lower_bound(A2_pos, 0, A1_dim, entries * (part + 1) / j_t1_parts)
            };
            for pA in A2_pos.index(j_t1_begin)..A2_pos.index(j_t1_end) {
                let i_t1 = A2_crd.index(pA);
                let row = first + i_t1;
                t1_next.set(row, (t1_next.index(row) + 1) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            t1_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            t1_next,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            t1_next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_2<'a> {
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    t12_crd: rt::Shared<i32>,
    t1_vals: rt::Shared<f64>,
    t1_next: rt::Shared<i32>,
}
impl rt::Task for Task_part_2<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_2 {
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            A_vals,
            ref t12_crd,
            ref t1_vals,
            ref t1_next,
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
                B1_dim,
                A1_dim,
                entries,
                j_t1_parts,
                A2_pos,
                A2_crd,
                A_vals,
                t12_crd,
                t1_vals,
                t1_next,
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
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t12_crd: &rt::Shared<i32>,
    t1_vals: &rt::Shared<f64>,
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * B1_dim;
            let j_t1_begin = rt::lower_bound(
                A2_pos,
                0,
                A1_dim,
                entries * part / j_t1_parts,
            );
            let j_t1_end = if part + 1 == j_t1_parts {
                A1_dim
            } else {
                rt::lower_bound(A2_pos, 0, A1_dim, entries * (part + 1) / j_t1_parts)
            };
            for j_t1 in j_t1_begin..j_t1_end {
                for pA in A2_pos.index(j_t1)..A2_pos.index(j_t1 + 1) {
                    let i_t1 = A2_crd.index(pA);
                    let row = first + i_t1;
                    let at = t1_next.index(row);
                    t1_next.set(row, (at + 1) as i32);
                    t12_crd.set(at, j_t1 as i32);
                    t1_vals.set(at, A_vals.at(pA));
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_2(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t12_crd: &rt::Shared<i32>,
    t1_vals: &rt::Shared<f64>,
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t12_crd,
            t1_vals,
            t1_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_2(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t12_crd: &rt::Shared<i32>,
    t1_vals: &rt::Shared<f64>,
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t12_crd,
            t1_vals,
            t1_next,
        )
    }
}
unsafe fn baseline_part_2(
    chunk: rt::Chunk,
    B1_dim: usize,
    A1_dim: usize,
    entries: usize,
    j_t1_parts: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    t12_crd: &rt::Shared<i32>,
    t1_vals: &rt::Shared<f64>,
    t1_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Baseline,
            chunk,
            B1_dim,
            A1_dim,
            entries,
            j_t1_parts,
            A2_pos,
            A2_crd,
            A_vals,
            t12_crd,
            t1_vals,
            t1_next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_3<'a> {
    B1_dim: usize,
    B2_dim: usize,
    i_step: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
    t12_pos: &'a [i32],
    t12_crd: &'a [i32],
    t1_vals: &'a [f64],
}
impl rt::Task for Task_part_3<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_3 {
            B1_dim,
            B2_dim,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            ref C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
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
                B1_dim,
                B2_dim,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
                t12_pos,
                t12_crd,
                t1_vals,
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
    B1_dim: usize,
    B2_dim: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
) {
    unsafe {
        let mut t0_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([B2_dim], 0.0_f64));
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(B1_dim);
            let window_end = (window_begin + i_step).min(B1_dim);
            for i in window_begin..window_end {
                let C2_begin = C2_crd.len();
                let mut t0 = t0_memory.open();
                for pt1 in t12_pos.index(i)..t12_pos.index(i + 1) {
                    let j = t12_crd.index(pt1);
                    for pA in A2_pos.index(j)..A2_pos.index(j + 1) {
                        let k_t0 = A2_crd.index(pA);
                        let at_2 = t0.place([k_t0]);
                        t0.set(
                            at_2,
                            isa.mul_add(t1_vals.at(pt1), A_vals.at(pA), t0.at(at_2)),
                        );
                    }
                }
                let ([t0_crd], t0_vals) = t0.gather(rt::workspace::By(rt::monoid::Add));
                let pB2_end = B2_pos.index(i + 1);
                let pt01_end = t0_crd.len();
                let mut pB = B2_pos.index(i);
                let mut pt0 = 0_usize;
                if pB < pB2_end && pt0 < pt01_end {
                    rt::align();
                    loop {
                        let kB = B2_crd.index(pB);
                        let kt0 = t0_crd.index(pt0);
                        if kB == kt0 {
                            C2_crd.push(kB as i32);
                            C_vals.push(B_vals.at(pB) + t0_vals.at(pt0));
                            pB += 1;
                            pt0 += 1;
                            if pB2_end <= pB || pt01_end <= pt0 {
                                break;
                            }
                        } else if kB < kt0 {
                            C2_crd.push(kB as i32);
                            C_vals.push(B_vals.at(pB));
                            pB += 1;
                            pt0 = rt::unforeseen(pt0);
                            if pB2_end <= pB {
                                break;
                            }
                        } else {
                            C2_crd.push(kt0 as i32);
                            C_vals.push(t0_vals.at(pt0));
                            pt0 += 1;
                            pB = rt::unforeseen(pB);
                            if pt01_end <= pt0 {
                                break;
                            }
                        }
                    }
                }
                for pB_2 in rt::rest(pB, pB2_end) {
                    let k = B2_crd.index(pB_2);
                    C2_crd.push(k as i32);
                    C_vals.push(B_vals.at(pB_2));
                }
                C2_crd.extend(t0_crd, pt0..pt01_end);
                C_vals.extend(t0_vals, pt0..pt01_end);
                C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_3(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            B2_dim,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_3(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            B2_dim,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
        )
    }
}
unsafe fn baseline_part_3(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t12_pos: &[i32],
    t12_crd: &[i32],
    t1_vals: &[f64],
) {
    unsafe {
        body_part_3(
            rt::Baseline,
            chunk,
            B1_dim,
            B2_dim,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t12_pos,
            t12_crd,
            t1_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
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
                    B1_dim,
                    B2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
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
                    B1_dim,
                    B2_dim,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
