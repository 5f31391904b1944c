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
        rt::grow(
            isa,
            &Task_i {
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            0..A1_dim,
            A2_pos
                .index(A1_dim)
                .saturating_mul(
                    (B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            rt::Positions(A2_pos),
        );
        C2_pos.scan(A1_dim);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f64>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
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
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
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
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<f64>::new([B2_dim], 0.0_f64));
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let C2_begin = C2_crd.len();
            let mut w = w_memory.open();
            for pA in A2_begin..A2_end {
                let j = A2_crd.index(pA);
                let A_val = A_vals.at(pA);
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
            C2_pos.set(i, (C2_crd.len() - C2_begin) as i32);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
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
unsafe fn avx2_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
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
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
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
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
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
            A1_dim,
            B2_dim,
            A2_dim,
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
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
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
            A1_dim,
            B2_dim,
            A2_dim,
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
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
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
                    A1_dim,
                    B2_dim,
                    A2_dim,
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
                    A1_dim,
                    B2_dim,
                    A2_dim,
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
                    A1_dim,
                    B2_dim,
                    A2_dim,
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
