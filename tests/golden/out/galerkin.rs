/// C[i, l] = R[i, j] * A[j, k] * P[k, l];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    R1_dim: usize,
    P2_dim: usize,
    R2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        rt::grow(
            isa,
            &Task_i {
                P2_dim,
                A2_dim,
                R2_pos,
                R2_crd,
                R_vals,
                A2_pos,
                A2_crd,
                A_vals,
                P2_pos,
                P2_crd,
                P_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            0..R1_dim,
            R2_pos
                .index(R1_dim)
                .saturating_mul((P2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1))
                .min(2147483648)
                .saturating_mul(
                    (A2_pos.index(R2_dim) / R2_dim.max(1)).saturating_add(1),
                ),
            rt::Positions(R2_pos),
        );
        C2_pos.scan(R1_dim);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    P2_dim: usize,
    A2_dim: usize,
    R2_pos: &'a [i32],
    R2_crd: &'a [i32],
    R_vals: &'a [f64],
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    P2_pos: &'a [i32],
    P2_crd: &'a [i32],
    P_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            P2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            ref C2_pos,
            C2_crd,
            C_vals,
        } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe {
            body_i(
                chunk,
                P2_dim,
                A2_dim,
                R2_pos,
                R2_crd,
                R_vals,
                A2_pos,
                A2_crd,
                A_vals,
                P2_pos,
                P2_crd,
                P_vals,
                C2_pos,
                C2_crd.get(),
                C_vals.get(),
            )
        }
    }
}
impl rt::Grower<f64, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 1], rt::Own<rt::Grown<f64>>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 1],
        C_vals: rt::Own<rt::Grown<f64>>,
    ) -> Self {
        Task_i { C2_crd, C_vals, ..*self }
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
    P2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut t0_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([A2_dim], 0.0_f64));
        let mut w_memory = chunk
            .home
            .keep(1, || rt::workspace::List::<f64>::new([P2_dim], 0.0_f64));
        let mut R2_begin = R2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let R2_end = R2_pos.index(i + 1);
            let C2_begin = C2_crd.len();
            let mut t0 = t0_memory.open();
            for pR in R2_begin..R2_end {
                let j = R2_crd.index(pR);
                let R_val = R_vals.at(pR);
                for pA in rt::fiber(A2_pos.index(j), A2_pos.index(j + 1)) {
                    let k_t0 = A2_crd.index(pA);
                    let at = t0.place([k_t0]);
                    t0.set(at, isa.mul_add(R_val, A_vals.at(pA), t0.at(at)));
                }
            }
            let ([t0_crd], t0_vals) = t0.gather(rt::workspace::By(rt::monoid::Add));
            let pt01_end = t0_crd.len();
            let mut w = w_memory.open();
            for pt0 in 0..pt01_end {
                let k = t0_crd.index(pt0);
                for pP in P2_pos.index(k)..P2_pos.index(k + 1) {
                    let l = P2_crd.index(pP);
                    let at = w.place([l]);
                    w.set(at, isa.mul_add(t0_vals.at(pt0), P_vals.at(pP), w.at(at)));
                }
            }
            w.append(
                rt::workspace::By(rt::monoid::Add),
                |n| (C2_crd.extended(n), C_vals.extended(n)),
            );
            C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
            R2_begin = R2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    P2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            P2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    P2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            P2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    P2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            P2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    R1_dim: usize,
    P2_dim: usize,
    R2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            R1_dim,
            P2_dim,
            R2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    R1_dim: usize,
    P2_dim: usize,
    R2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            R1_dim,
            P2_dim,
            R2_dim,
            A2_dim,
            R2_pos,
            R2_crd,
            R_vals,
            A2_pos,
            A2_crd,
            A_vals,
            P2_pos,
            P2_crd,
            P_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    R1_dim: usize,
    P2_dim: usize,
    R2_dim: usize,
    A2_dim: usize,
    R2_pos: &[i32],
    R2_crd: &[i32],
    R_vals: &[f64],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    P2_pos: &[i32],
    P2_crd: &[i32],
    P_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    R1_dim,
                    P2_dim,
                    R2_dim,
                    A2_dim,
                    R2_pos,
                    R2_crd,
                    R_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    P2_pos,
                    P2_crd,
                    P_vals,
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
                    R1_dim,
                    P2_dim,
                    R2_dim,
                    A2_dim,
                    R2_pos,
                    R2_crd,
                    R_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    P2_pos,
                    P2_crd,
                    P_vals,
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
                    R1_dim,
                    P2_dim,
                    R2_dim,
                    A2_dim,
                    R2_pos,
                    R2_crd,
                    R_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    P2_pos,
                    P2_crd,
                    P_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
