/// C[i, k] = E[i, k] + A[i, j] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    E1_dim: usize,
    E2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        rt::grow(
            isa,
            &Task_i {
                E2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                E2_pos,
                E2_crd,
                E_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            0..E1_dim,
            A2_pos
                .index(E1_dim)
                .saturating_mul((B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1))
                .saturating_add(E2_pos.index(E1_dim)),
            (rt::Positions(A2_pos), rt::Positions(E2_pos)),
        );
        C2_pos.scan(E1_dim);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    E2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    E2_pos: &'a [i32],
    E2_crd: &'a [i32],
    E_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            E2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
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
                E2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                E2_pos,
                E2_crd,
                E_vals,
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
    E2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut t0_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([E2_dim], 0.0_f64));
        for i in chunk.lo..chunk.hi {
            let C2_begin = C2_crd.len();
            let mut t0 = t0_memory.open();
            for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                let j = A2_crd.index(pA);
                let A_val = A_vals.at(pA);
                for pB in rt::fiber(B2_pos.index(j), B2_pos.index(j + 1)) {
                    let k_t0 = B2_crd.index(pB);
                    let at = t0.place([k_t0]);
                    t0.set(at, isa.mul_add(A_val, B_vals.at(pB), t0.at(at)));
                }
            }
            let ([t0_crd], t0_vals) = t0.gather(rt::workspace::By(rt::monoid::Add));
            let pE2_end = E2_pos.index(i + 1);
            let pt01_end = t0_crd.len();
            let mut pE = E2_pos.index(i);
            let mut pt0 = 0_usize;
            if pE < pE2_end && pt0 < pt01_end {
                rt::align();
                loop {
                    let kE = E2_crd.index(pE);
                    let kt0 = t0_crd.index(pt0);
                    if kE == kt0 {
                        C2_crd.push(kE as i32);
                        C_vals.push(E_vals.at(pE) + t0_vals.at(pt0));
                        pE += 1;
                        pt0 += 1;
                        if pE2_end <= pE || pt01_end <= pt0 {
                            break;
                        }
                    } else if kE < kt0 {
                        C2_crd.push(kE as i32);
                        C_vals.push(E_vals.at(pE));
                        pE += 1;
                        pt0 = rt::unforeseen(pt0);
                        if pE2_end <= pE {
                            break;
                        }
                    } else {
                        C2_crd.push(kt0 as i32);
                        C_vals.push(t0_vals.at(pt0));
                        pt0 += 1;
                        pE = rt::unforeseen(pE);
                        if pt01_end <= pt0 {
                            break;
                        }
                    }
                }
            }
            for pE_2 in rt::rest(pE, pE2_end) {
                let k = E2_crd.index(pE_2);
                C2_crd.push(k as i32);
                C_vals.push(E_vals.at(pE_2));
            }
            C2_crd.extend(t0_crd, pt0..pt01_end);
            C_vals.extend(t0_vals, pt0..pt01_end);
            C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    E2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            E2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
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
    E2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            E2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    E2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            E2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    E1_dim: usize,
    E2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            E1_dim,
            E2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    E1_dim: usize,
    E2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            E1_dim,
            E2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            E2_pos,
            E2_crd,
            E_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    E1_dim: usize,
    E2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    E2_pos: &[i32],
    E2_crd: &[i32],
    E_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    E1_dim,
                    E2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    E2_pos,
                    E2_crd,
                    E_vals,
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
                    E1_dim,
                    E2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    E2_pos,
                    E2_crd,
                    E_vals,
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
                    E1_dim,
                    E2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    E2_pos,
                    E2_crd,
                    E_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
