/// A[j, i] = B[i, j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut w_next_memory = rt::Scratch::<i32>::new();
        let entries = B2_pos.index(B1_dim);
        let i_parts = rt::workers(entries / 2).min(entries / B2_dim.max(1) + 1);
        let w_next = w_next_memory.array(i_parts * B2_dim, 0_i32);
        rt::threads(
            isa,
            &Task_part {
                B2_dim,
                B1_dim,
                entries,
                i_parts,
                B2_pos,
                B2_crd,
                w_next: w_next.shared(),
            },
            0..i_parts,
            entries / 2,
            rt::Even,
        );
        A2_pos.set(0, 0);
        let mut w_all = 0_usize;
        for w_row in 0..B2_dim {
            for part in 0..i_parts {
                let w_at = part * B2_dim + w_row;
                let w_count = w_next.index(w_at);
                w_next.set(w_at, w_all as i32);
                w_all += w_count;
            }
            A2_pos.set(w_row + 1, w_all as i32);
        }
        rt::threads(
            isa,
            &Task_part_2 {
                B2_dim,
                B1_dim,
                entries,
                i_parts,
                B2_pos,
                B2_crd,
                B_vals,
                A2_crd: A2_crd.shared(),
                A_vals: A_vals.shared(),
                w_next: w_next.shared(),
            },
            0..i_parts,
            entries / 2,
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    w_next: rt::Shared<i32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part { B2_dim, B1_dim, entries, i_parts, B2_pos, B2_crd, ref w_next } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe {
            body_part(chunk, B2_dim, B1_dim, entries, i_parts, B2_pos, B2_crd, w_next)
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
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * B2_dim;
            let i_begin = rt::lower_bound(B2_pos, 0, B1_dim, entries * part / i_parts);
            let i_end = if part + 1 == i_parts {
                B1_dim
            } else {
                rt::lower_bound(B2_pos, 0, B1_dim, entries * (part + 1) / i_parts)
            };
            for pB in B2_pos.index(i_begin)..B2_pos.index(i_end) {
                let j = B2_crd.index(pB);
                let row = first + j;
                w_next.set(row, (w_next.index(row) + 1) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            w_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            w_next,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            w_next,
        )
    }
}
/// What the iterations of `part` capture.
struct Task_part_2<'a> {
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    A2_crd: rt::Shared<i32>,
    A_vals: rt::Shared<f64>,
    w_next: rt::Shared<i32>,
}
impl rt::Task for Task_part_2<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part_2 {
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            B_vals,
            ref A2_crd,
            ref A_vals,
            ref w_next,
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
                B2_dim,
                B1_dim,
                entries,
                i_parts,
                B2_pos,
                B2_crd,
                B_vals,
                A2_crd,
                A_vals,
                w_next,
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
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let first = part * B2_dim;
            let i_begin = rt::lower_bound(B2_pos, 0, B1_dim, entries * part / i_parts);
            let i_end = if part + 1 == i_parts {
                B1_dim
            } else {
                rt::lower_bound(B2_pos, 0, B1_dim, entries * (part + 1) / i_parts)
            };
            for i in i_begin..i_end {
                for pB in B2_pos.index(i)..B2_pos.index(i + 1) {
                    let j = B2_crd.index(pB);
                    let row = first + j;
                    let at = w_next.index(row);
                    w_next.set(row, (at + 1) as i32);
                    A2_crd.set(at, i as i32);
                    A_vals.set(at, B_vals.at(pB));
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part_2(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            B_vals,
            A2_crd,
            A_vals,
            w_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part_2(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            B_vals,
            A2_crd,
            A_vals,
            w_next,
        )
    }
}
unsafe fn baseline_part_2(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_dim: usize,
    entries: usize,
    i_parts: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
    w_next: &rt::Shared<i32>,
) {
    unsafe {
        body_part_2(
            rt::Baseline,
            chunk,
            B2_dim,
            B1_dim,
            entries,
            i_parts,
            B2_pos,
            B2_crd,
            B_vals,
            A2_crd,
            A_vals,
            w_next,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B2_dim,
            B1_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B2_dim,
            B1_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(B2_dim, B1_dim, B2_pos, B2_crd, B_vals, A2_pos, A2_crd, A_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(B2_dim, B1_dim, B2_pos, B2_crd, B_vals, A2_pos, A2_crd, A_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B2_dim,
                    B1_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                )
            }
        }
    }
}
