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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        C1_pos.set(0, 0);
        let pA1_begin = A1_pos.index(0);
        let pA1_end = A1_pos.index(1);
        rt::grow(
            isa,
            &Task_pA {
                B2_dim,
                A1_crd,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C1_crd: rt::Own::of(C1_crd),
                C2_pos: rt::Own::of(C2_pos),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            pA1_begin..pA1_end,
            A2_pos
                .index(pA1_end)
                .saturating_mul(
                    (B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            rt::Positions(A2_pos),
        );
        C2_pos.scan(C2_pos.len());
        C1_pos.set(1, C1_crd.len() as i32);
    }
}
/// What the iterations of `pA` capture.
struct Task_pA<'a> {
    B2_dim: usize,
    A1_crd: &'a [i32],
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f32],
    C1_crd: rt::Own<rt::Grown<i32>>,
    C2_pos: rt::Own<rt::Grown<i32>>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f32>>,
}
impl rt::Task for Task_pA<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pA {
            B2_dim,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        } = *self;
        let body_pA = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_pA,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_pA,
            _ => baseline_pA,
        };
        unsafe {
            body_pA(
                chunk,
                B2_dim,
                A1_crd,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C1_crd.get(),
                C2_pos.get(),
                C2_crd.get(),
                C_vals.get(),
            )
        }
    }
}
impl rt::Grower<f32, 3> for Task_pA<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 3], rt::Own<rt::Grown<f32>>) {
        ([self.C1_crd, self.C2_pos, self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C1_crd,
        C2_pos,
        C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 3],
        C_vals: rt::Own<rt::Grown<f32>>,
    ) -> Self {
        Task_pA {
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
            ..*self
        }
    }
}
/// Iterations of `pA`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_pA(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B2_dim: usize,
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f32>::new([B2_dim], 0.0_f32));
        let mut A2_begin = A2_pos.index(chunk.lo);
        for pA in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(pA + 1);
            let i = A1_crd.index(pA);
            let C2_begin = C2_crd.len();
            let mut w = w_memory.open();
            for pA_2 in rt::fiber(A2_begin, A2_end) {
                let j = A2_crd.index(pA_2);
                let A_val = A_vals.at(pA_2);
                for pB in rt::fiber(B2_pos.index(j), B2_pos.index(j + 1)) {
                    let k = B2_crd.index(pB);
                    let at = w.place([k]);
                    w.set(at, isa.mul_add(A_val, B_vals.at(pB), w.at(at)));
                }
            }
            w.append(
                rt::workspace::By(rt::monoid::Add),
                |n| (C2_crd.extended(n), C_vals.extended(n)),
            );
            if C2_begin < C2_crd.len() {
                C1_crd.push(i as i32);
                C2_pos.push((C2_crd.len() - C2_begin) as i32);
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_pA(
    chunk: rt::Chunk,
    B2_dim: usize,
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_pA(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pA(
    chunk: rt::Chunk,
    B2_dim: usize,
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_pA(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_pA(
    chunk: rt::Chunk,
    B2_dim: usize,
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_pA(
            rt::Baseline,
            chunk,
            B2_dim,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_pos,
            C1_crd,
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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C1_pos,
            C1_crd,
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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    B2_dim,
                    A2_dim,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C1_pos,
                    C1_crd,
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
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C1_pos,
                    C1_crd,
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
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
