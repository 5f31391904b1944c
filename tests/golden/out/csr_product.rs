/// A[i, j] = B[i, j] * C[i, j];
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
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut A2_crd_len = 0_usize;
        rt::Lens {
            indices: [A2_crd_len],
            values: _,
        } = rt::append(
            isa,
            &Task_i {
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                A2_pos: A2_pos.shared(),
                A2_crd: A2_crd.shared(),
                A_vals: A_vals.shared(),
            },
            rt::Lens {
                indices: [A2_crd_len],
                values: A2_crd_len,
            },
            |i| {
                if B2_pos.index(B1_dim) <= C2_pos.index(B1_dim) {
                    B2_pos.index(i)
                } else {
                    C2_pos.index(i)
                }
            },
            0..B1_dim,
            B2_pos.index(B1_dim).saturating_add(C2_pos.index(B1_dim)),
            (rt::Positions(B2_pos), rt::Positions(C2_pos)),
        );
        A2_pos.scan(B1_dim);
        [A2_crd_len]
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: &'a [i32],
    C2_crd: &'a [i32],
    C_vals: &'a [f64],
    A2_pos: rt::Shared<i32>,
    A2_crd: rt::Shared<i32>,
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = rt::Lens<1>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<1> {
        let Task_i {
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            ref A2_pos,
            ref A2_crd,
            ref A_vals,
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
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                A2_pos,
                A2_crd,
                A_vals,
            )
        }
    }
}
impl rt::Appender<f64, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 1], rt::Shared<f64>) {
        ([self.A2_crd], self.A_vals)
    }
    fn with(&self, [A2_crd]: [rt::Shared<i32>; 1], A_vals: rt::Shared<f64>) -> Self {
        Task_i { A2_crd, A_vals, ..*self }
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
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        let mut A2_crd_len = 0_usize;
        for i in chunk.lo..chunk.hi {
            let A2_begin = A2_crd_len;
            let pB2_end = B2_pos.index(i + 1);
            let pC2_end = C2_pos.index(i + 1);
            let mut pB = B2_pos.index(i);
            let mut pC = C2_pos.index(i);
            if pB < pB2_end && pC < pC2_end {
                rt::align();
                loop {
                    let jB = B2_crd.index(pB);
                    let jC = C2_crd.index(pC);
                    if jB == jC {
                        A2_crd.set(A2_crd_len, jB as i32);
                        A_vals.set(A2_crd_len, B_vals.at(pB) * C_vals.at(pC));
                        A2_crd_len += 1;
                        pB += 1;
                        pC += 1;
                        if pB2_end <= pB || pC2_end <= pC {
                            break;
                        }
                    } else if jB < jC {
                        pB += 1;
                        if pB2_end <= pB {
                            break;
                        }
                    } else {
                        pC += 1;
                        if pC2_end <= pC {
                            break;
                        }
                    }
                }
            }
            A2_pos.set(i, (A2_crd_len - A2_begin) as i32);
        }
        rt::Lens {
            indices: [A2_crd_len],
            values: A2_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A2_pos,
                    A2_crd,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A2_pos,
                    A2_crd,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                )
            }
        }
    }
}
