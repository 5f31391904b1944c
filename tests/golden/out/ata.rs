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
        let mut t0_memory = rt::workspace::Sort::<
            f64,
            _,
        >::new([A2_dim, A1_dim], 0.0_f64);
        let mut t0 = t0_memory.open();
        let mut A2_begin = A2_pos.index(0);
        for j in 0..A1_dim {
            let A2_end = A2_pos.index(j + 1);
            for pA in A2_begin..A2_end {
                let i_t0 = A2_crd.index(pA);
                let at = t0.place([i_t0, j]);
                t0.set(at, A_vals.at(pA));
            }
            A2_begin = A2_end;
        }
        let ([t01_crd, t02_crd], t0_vals) = t0.gather(rt::workspace::Last);
        let parts = (A2_pos.index(A1_dim) * (A2_pos.index(A1_dim) / A1_dim.max(1) + 1)
            / 4096)
            .min(64)
            .max(1);
        let i_step = (A2_dim + parts - 1) / parts;
        rt::grow(
            isa,
            &Task_part {
                A2_dim,
                A2_dim_2,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
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
        C2_pos.scan(A2_dim);
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
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
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
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
                A2_dim,
                A2_dim_2,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
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
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
    t01_crd: &[i32],
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
            let pt01_end = t01_crd.len();
            let pt0_begin = rt::lower_bound(&*t01_crd, 0, pt01_end, window_begin);
            let pt0_end = rt::lower_bound(&*t01_crd, pt0_begin, pt01_end, window_end);
            let mut pt0 = pt0_begin;
            while pt0 < pt0_end {
                let i = t01_crd.index(pt0);
                let mut pt0_next = pt0;
                while pt0_next < pt0_end && t01_crd.index(pt0_next) == i {
                    pt0_next += 1;
                }
                let C2_begin = C2_crd.len();
                let mut w = w_memory.open();
                for pt0_2 in pt0..pt0_next {
                    let j = t02_crd.index(pt0_2);
                    for pA in A2_pos.index(j)..A2_pos.index(j + 1) {
                        let k = A2_crd.index(pA);
                        let at = w.place([k]);
                        w.set(
                            at,
                            isa.mul_add(t0_vals.at(pt0_2), A_vals.at(pA), w.at(at)),
                        );
                    }
                }
                let ([w_crd], w_vals) = w.gather(rt::workspace::By(rt::monoid::Add));
                let pw1_end = w_crd.len();
                C2_crd.extend(w_crd, 0..pw1_end);
                C_vals.extend(w_vals, 0..pw1_end);
                C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
                pt0 = pt0_next;
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
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
    t01_crd: &[i32],
    t02_crd: &[i32],
    t0_vals: &[f64],
) {
    unsafe {
        body_part(
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
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
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
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
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
    A2_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
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
            A2_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
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
