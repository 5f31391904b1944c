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
        let mut t0_memory = rt::workspace::Sort::<f64, _>::new([B1_dim, B2_dim], 0.0_f64)
            .on_threads();
        let mut t0 = t0_memory.open();
        let mut A2_begin = A2_pos.index(0);
        for j in 0..A1_dim {
            let A2_end = A2_pos.index(j + 1);
            for pA in A2_begin..A2_end {
                let i_t0 = A2_crd.index(pA);
                let A_val = A_vals.at(pA);
                for pA_2 in rt::fiber(A2_begin, A2_end) {
                    let k_t0 = A2_crd.index(pA_2);
                    let at = t0.place([i_t0, k_t0]);
                    t0.set(at, isa.mul_add(A_val, A_vals.at(pA_2), t0.at(at)));
                }
            }
            A2_begin = A2_end;
        }
        let ([t01_crd, t02_crd], t0_vals) = t0
            .gather(rt::workspace::By(rt::monoid::Add));
        let parts = (A2_pos.index(A1_dim) * (A2_pos.index(A1_dim) / A1_dim.max(1) + 1)
            / 4096)
            .min(64)
            .max(1);
        let i_step = (B1_dim + parts - 1) / parts;
        rt::grow(
            isa,
            &Task_part {
                B1_dim,
                i_step,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
                t01_crd: &*t01_crd,
                t02_crd: &*t02_crd,
                t0_vals: &*t0_vals,
            },
            0..parts,
            A2_pos
                .index(A1_dim)
                .saturating_mul(
                    (A2_pos.index(A1_dim) / A1_dim.max(1)).saturating_add(1),
                ),
            rt::Even,
        );
        C2_pos.scan(B1_dim);
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    B1_dim: usize,
    i_step: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
    t01_crd: &'a [i32],
    t02_crd: &'a [i32],
    t0_vals: &'a [f64],
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            B1_dim,
            i_step,
            B2_pos,
            B2_crd,
            B_vals,
            ref C2_pos,
            C2_crd,
            C_vals,
            t01_crd,
            t02_crd,
            t0_vals,
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
                i_step,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
                t01_crd,
                t02_crd,
                t0_vals,
            )
        }
    }
}
impl rt::Grower<f64, 1> for Task_part<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 1], rt::Own<rt::Grown<f64>>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 1],
        C_vals: rt::Own<rt::Grown<f64>>,
    ) -> Self {
        Task_part {
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
unsafe fn body_part(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t01_crd: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(B1_dim);
            let window_end = (window_begin + i_step).min(B1_dim);
            let pt01_end = t01_crd.len();
            let pt0_begin = rt::lower_bound(&*t01_crd, 0, pt01_end, window_begin);
            let pt0_end = rt::lower_bound(&*t01_crd, pt0_begin, pt01_end, window_end);
            let mut pt0 = pt0_begin;
            let mut i_start = window_begin;
            while pt0 < pt0_end {
                let i = t01_crd.index(pt0);
                for window in 0..i - i_start {
                    let i_2 = i_start + window;
                    let C2_begin = C2_crd.len();
                    for pB in rt::fiber(B2_pos.index(i_2), B2_pos.index(i_2 + 1)) {
                        let k = B2_crd.index(pB);
                        C2_crd.push(k as i32);
                        C_vals.push(B_vals.at(pB));
                    }
                    C2_pos.set(i_2, (C2_crd.len() - C2_begin) as i32);
                }
                let mut pt0_next = pt0;
                while pt0_next < pt0_end && t01_crd.index(pt0_next) == i {
                    pt0_next += 1;
                }
                let C2_begin = C2_crd.len();
                let pB2_end = B2_pos.index(i + 1);
                let mut pB = B2_pos.index(i);
                let mut pt0_2 = pt0;
                if pB < pB2_end && pt0_2 < pt0_next {
                    rt::align();
                    loop {
                        let kB = B2_crd.index(pB);
                        let kt0 = t02_crd.index(pt0_2);
                        if kB == kt0 {
                            C2_crd.push(kB as i32);
                            C_vals.push(B_vals.at(pB) + t0_vals.at(pt0_2));
                            pB += 1;
                            pt0_2 += 1;
                        } else if kB < kt0 {
                            C2_crd.push(kB as i32);
                            C_vals.push(B_vals.at(pB));
                            pB += 1;
                        } else {
                            C2_crd.push(kt0 as i32);
                            C_vals.push(t0_vals.at(pt0_2));
                            pt0_2 += 1;
                        }
                        if pB2_end <= pB || pt0_next <= pt0_2 {
                            break;
                        }
                    }
                }
                for pB_2 in rt::rest(pB, pB2_end) {
                    let k = B2_crd.index(pB_2);
                    C2_crd.push(k as i32);
                    C_vals.push(B_vals.at(pB_2));
                }
                C2_crd.extend(t02_crd, pt0_2..pt0_next);
                C_vals.extend(t0_vals, pt0_2..pt0_next);
                C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
                pt0 = pt0_next;
                i_start = i + 1;
            }
            for window in 0..window_end - i_start {
                let i = i_start + window;
                let C2_begin = C2_crd.len();
                for pB in rt::fiber(B2_pos.index(i), B2_pos.index(i + 1)) {
                    let k = B2_crd.index(pB);
                    C2_crd.push(k as i32);
                    C_vals.push(B_vals.at(pB));
                }
                C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t01_crd: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            i_step,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t01_crd,
            t02_crd,
            t0_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t01_crd: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            i_step,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t01_crd,
            t02_crd,
            t0_vals,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t01_crd: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            B1_dim,
            i_step,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            t01_crd,
            t02_crd,
            t0_vals,
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
