/// A[i, j, k] = B[i, j, k];
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
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut A1_crd_len = 0_usize;
        A1_pos.set(0, 0);
        let pB1_begin = B1_pos.index(0);
        let pB1_end = B1_pos.index(1);
        rt::Lens {
            indices: [A1_crd_len, _, _],
            values: _,
        } = rt::append(
            isa,
            &Task_pB {
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                A1_crd: A1_crd.shared(),
                A2_crd: A2_crd.shared(),
                A3_crd: A3_crd.shared(),
                A_vals: A_vals.shared(),
            },
            rt::Lens {
                indices: [A1_crd_len, A1_crd_len, A1_crd_len],
                values: A1_crd_len,
            },
            |pB| B3_pos.index(B2_pos.index(pB)),
            pB1_begin..pB1_end,
            B3_pos.index(B2_pos.index(pB1_end)),
            rt::Positions(B2_pos),
        );
        A1_pos.set(1, A1_crd_len as i32);
        [A1_crd_len]
    }
}
/// What the iterations of `pB` capture.
struct Task_pB<'a> {
    B1_crd: &'a [i32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f64],
    A1_crd: rt::Shared<i32>,
    A2_crd: rt::Shared<i32>,
    A3_crd: rt::Shared<i32>,
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_pB<'_> {
    type Appended = rt::Lens<3>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<3> {
        let Task_pB {
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            ref A1_crd,
            ref A2_crd,
            ref A3_crd,
            ref A_vals,
        } = *self;
        let body_pB = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_pB,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_pB,
            _ => baseline_pB,
        };
        unsafe {
            body_pB(
                chunk,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                A1_crd,
                A2_crd,
                A3_crd,
                A_vals,
            )
        }
    }
}
impl rt::Appender<f64, 3> for Task_pB<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 3], rt::Shared<f64>) {
        ([self.A1_crd, self.A2_crd, self.A3_crd], self.A_vals)
    }
    fn with(
        &self,
        [A1_crd,
        A2_crd,
        A3_crd,
        ]: [rt::Shared<i32>; 3],
        A_vals: rt::Shared<f64>,
    ) -> Self {
        Task_pB {
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
            ..*self
        }
    }
}
/// Iterations of `pB`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_pB(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<3> {
    unsafe {
        let mut A1_crd_len = 0_usize;
        let mut B2_begin = B2_pos.index(chunk.lo);
        for pB in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(pB + 1);
            let i = B1_crd.index(pB);
            let mut B3_begin = B3_pos.index(B2_begin);
            for pB_2 in rt::fiber(B2_begin, B2_end) {
                let B3_end = B3_pos.index(pB_2 + 1);
                let j = B2_crd.index(pB_2);
                for pB_3 in rt::fiber(B3_begin, B3_end) {
                    let k = B3_crd.index(pB_3);
                    A1_crd.set(A1_crd_len, i as i32);
                    A2_crd.set(A1_crd_len, j as i32);
                    A3_crd.set(A1_crd_len, k as i32);
                    A_vals.set(A1_crd_len, B_vals.at(pB_3));
                    A1_crd_len += 1;
                }
                B3_begin = B3_end;
            }
            B2_begin = B2_end;
        }
        rt::Lens {
            indices: [A1_crd_len, A1_crd_len, A1_crd_len],
            values: A1_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_pB(
    chunk: rt::Chunk,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<3> {
    unsafe {
        body_pB(
            rt::Avx512::assume(),
            chunk,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pB(
    chunk: rt::Chunk,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<3> {
    unsafe {
        body_pB(
            rt::Avx2::assume(),
            chunk,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
        )
    }
}
unsafe fn baseline_pB(
    chunk: rt::Chunk,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<3> {
    unsafe {
        body_pB(
            rt::Baseline,
            chunk,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            A1_pos,
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            B3_dim,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            A1_pos,
            A1_crd,
            A2_crd,
            A3_crd,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    B3_dim: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
                    A3_crd,
                    A_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    B1_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
                    A3_crd,
                    A_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B1_dim,
                    B2_dim,
                    B3_dim,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
                    A3_crd,
                    A_vals,
                )
            }
        }
    }
}
