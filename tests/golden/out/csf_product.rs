/// A[i, j, k] = B[i, j, k] * C[i, j, k];
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
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_pos: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 5] {
    unsafe {
        let mut A1_crd_len = 0_usize;
        let mut A2_pos_len = 0_usize;
        let mut A2_crd_len = 0_usize;
        let mut A3_pos_len = 0_usize;
        let mut A3_crd_len = 0_usize;
        A1_pos.set(0, 0);
        let parts = ((B3_pos.index(B2_pos.index(B1_pos.index(1)))
            + C3_pos.index(C2_pos.index(C1_pos.index(1)))) / 4096)
            .min(64)
            .max(1);
        let i_step = (B1_dim + parts - 1) / parts;
        rt::Lens {
            indices: [A1_crd_len, A2_pos_len, A2_crd_len, A3_pos_len, A3_crd_len],
            values: _,
        } = rt::append(
            isa,
            &Task_part {
                B1_dim,
                i_step,
                B1_pos,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                C1_pos,
                C1_crd,
                C2_pos,
                C2_crd,
                C3_pos,
                C3_crd,
                C_vals,
                A1_crd: A1_crd.shared(),
                A2_pos: A2_pos.shared(),
                A2_crd: A2_crd.shared(),
                A3_pos: A3_pos.shared(),
                A3_crd: A3_crd.shared(),
                A_vals: A_vals.shared(),
            },
            rt::Lens {
                indices: [A1_crd_len, A2_pos_len, A2_crd_len, A3_pos_len, A3_crd_len],
                values: A3_crd_len,
            },
            |part| {
                if B3_pos.index(B2_pos.index(B1_pos.index(1)))
                    <= C3_pos.index(C2_pos.index(C1_pos.index(1)))
                {
                    B3_pos
                        .index(
                            B2_pos
                                .index(
                                    rt::lower_bound(
                                        B1_crd,
                                        B1_pos.index(0),
                                        B1_pos.index(1),
                                        (part * i_step).min(B1_dim),
                                    ),
                                ),
                        )
                } else {
                    C3_pos
                        .index(
                            C2_pos
                                .index(
                                    rt::lower_bound(
                                        C1_crd,
                                        C1_pos.index(0),
                                        C1_pos.index(1),
                                        (part * i_step).min(B1_dim),
                                    ),
                                ),
                        )
                }
            },
            0..parts,
            B3_pos
                .index(B2_pos.index(B1_pos.index(1)))
                .saturating_add(C3_pos.index(C2_pos.index(C1_pos.index(1)))),
            rt::Even,
        );
        A2_pos.scan(A2_pos_len);
        A2_pos_len += 1;
        A3_pos.scan(A3_pos_len);
        A3_pos_len += 1;
        A1_pos.set(1, A1_crd_len as i32);
        [A1_crd_len, A2_pos_len, A2_crd_len, A3_pos_len, A3_crd_len]
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    B1_dim: usize,
    i_step: usize,
    B1_pos: &'a [i32],
    B1_crd: &'a [i32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f64],
    C1_pos: &'a [i32],
    C1_crd: &'a [i32],
    C2_pos: &'a [i32],
    C2_crd: &'a [i32],
    C3_pos: &'a [i32],
    C3_crd: &'a [i32],
    C_vals: &'a [f64],
    A1_crd: rt::Shared<i32>,
    A2_pos: rt::Shared<i32>,
    A2_crd: rt::Shared<i32>,
    A3_pos: rt::Shared<i32>,
    A3_crd: rt::Shared<i32>,
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = rt::Lens<5>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<5> {
        let Task_part {
            B1_dim,
            i_step,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            ref A1_crd,
            ref A2_pos,
            ref A2_crd,
            ref A3_pos,
            ref A3_crd,
            ref A_vals,
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
                B1_pos,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                C1_pos,
                C1_crd,
                C2_pos,
                C2_crd,
                C3_pos,
                C3_crd,
                C_vals,
                A1_crd,
                A2_pos,
                A2_crd,
                A3_pos,
                A3_crd,
                A_vals,
            )
        }
    }
}
impl rt::Appender<f64, 5> for Task_part<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 5], rt::Shared<f64>) {
        ([self.A1_crd, self.A2_pos, self.A2_crd, self.A3_pos, self.A3_crd], self.A_vals)
    }
    fn with(
        &self,
        [A1_crd,
        A2_pos,
        A2_crd,
        A3_pos,
        A3_crd,
        ]: [rt::Shared<i32>; 5],
        A_vals: rt::Shared<f64>,
    ) -> Self {
        Task_part {
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
            A3_crd,
            A_vals,
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
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_pos: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<5> {
    unsafe {
        let mut A1_crd_len = 0_usize;
        let mut A2_pos_len = 0_usize;
        let mut A2_crd_len = 0_usize;
        let mut A3_pos_len = 0_usize;
        let mut A3_crd_len = 0_usize;
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(B1_dim);
            let window_end = (window_begin + i_step).min(B1_dim);
            let pB1_begin = B1_pos.index(0);
            let pB1_end = B1_pos.index(1);
            let pC1_begin = C1_pos.index(0);
            let pC1_end = C1_pos.index(1);
            let pB_begin = rt::lower_bound(B1_crd, pB1_begin, pB1_end, window_begin);
            let pB_end = rt::lower_bound(B1_crd, pB_begin, pB1_end, window_end);
            let pC_begin = rt::lower_bound(C1_crd, pC1_begin, pC1_end, window_begin);
            let pC_end = rt::lower_bound(C1_crd, pC_begin, pC1_end, window_end);
            let mut pB = pB_begin;
            let mut pC = pC_begin;
            if pB < pB_end && pC < pC_end {
                rt::align();
                loop {
                    let iB = B1_crd.index(pB);
                    let iC = C1_crd.index(pC);
                    if iB == iC {
                        let A2_begin = A2_crd_len;
                        let pB2_end = B2_pos.index(pB + 1);
                        let pC2_end = C2_pos.index(pC + 1);
                        let mut pB_2 = B2_pos.index(pB);
                        let mut pC_2 = C2_pos.index(pC);
                        if pB_2 < pB2_end && pC_2 < pC2_end {
                            rt::align();
                            loop {
                                let jB = B2_crd.index(pB_2);
                                let jC = C2_crd.index(pC_2);
                                if jB == jC {
                                    let A3_begin = A3_crd_len;
                                    let pB3_end = B3_pos.index(pB_2 + 1);
                                    let pC3_end = C3_pos.index(pC_2 + 1);
                                    let mut pB_3 = B3_pos.index(pB_2);
                                    let mut pC_3 = C3_pos.index(pC_2);
                                    if pB_3 < pB3_end && pC_3 < pC3_end {
                                        rt::align();
                                        loop {
                                            let kB = B3_crd.index(pB_3);
                                            let kC = C3_crd.index(pC_3);
                                            if kB == kC {
                                                A3_crd.set(A3_crd_len, kB as i32);
                                                A_vals.set(A3_crd_len, B_vals.at(pB_3) * C_vals.at(pC_3));
                                                A3_crd_len += 1;
                                                pB_3 += 1;
                                                pC_3 += 1;
                                                if pB3_end <= pB_3 || pC3_end <= pC_3 {
                                                    break;
                                                }
                                            } else if kB < kC {
                                                pB_3 += 1;
                                                if pB3_end <= pB_3 {
                                                    break;
                                                }
                                            } else {
                                                pC_3 += 1;
                                                if pC3_end <= pC_3 {
                                                    break;
                                                }
                                            }
                                        }
                                    }
                                    if A3_begin < A3_crd_len {
                                        A2_crd.set(A2_crd_len, jB as i32);
                                        A2_crd_len += 1;
                                        A3_pos.set(A3_pos_len, (A3_crd_len - A3_begin) as i32);
                                        A3_pos_len += 1;
                                    }
                                    pB_2 += 1;
                                    pC_2 += 1;
                                    if pB2_end <= pB_2 || pC2_end <= pC_2 {
                                        break;
                                    }
                                } else if jB < jC {
                                    pB_2 += 1;
                                    if pB2_end <= pB_2 {
                                        break;
                                    }
                                } else {
                                    pC_2 += 1;
                                    if pC2_end <= pC_2 {
                                        break;
                                    }
                                }
                            }
                        }
                        if A2_begin < A2_crd_len {
                            A1_crd.set(A1_crd_len, iB as i32);
                            A1_crd_len += 1;
                            A2_pos.set(A2_pos_len, (A2_crd_len - A2_begin) as i32);
                            A2_pos_len += 1;
                        }
                        pB += 1;
                        pC += 1;
                        if pB_end <= pB || pC_end <= pC {
                            break;
                        }
                    } else if iB < iC {
                        pB += 1;
                        if pB_end <= pB {
                            break;
                        }
                    } else {
                        pC += 1;
                        if pC_end <= pC {
                            break;
                        }
                    }
                }
            }
        }
        rt::Lens {
            indices: [A1_crd_len, A2_pos_len, A2_crd_len, A3_pos_len, A3_crd_len],
            values: A3_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_pos: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<5> {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            B1_dim,
            i_step,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
            A3_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_pos: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<5> {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            B1_dim,
            i_step,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
            A3_crd,
            A_vals,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    B1_dim: usize,
    i_step: usize,
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_pos: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A3_pos: &rt::Shared<i32>,
    A3_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<5> {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            B1_dim,
            i_step,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
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
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_pos: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 5] {
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
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
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
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_pos: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 5] {
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
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C3_pos,
            C3_crd,
            C_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A3_pos,
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
    C1_pos: &[i32],
    C1_crd: &[i32],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C3_pos: &[i32],
    C3_crd: &[i32],
    C_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A3_pos: &mut [MaybeUninit<i32>],
    A3_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 5] {
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
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C3_pos,
                    C3_crd,
                    C_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A3_pos,
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
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C3_pos,
                    C3_crd,
                    C_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A3_pos,
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
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C3_pos,
                    C3_crd,
                    C_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A3_pos,
                    A3_crd,
                    A_vals,
                )
            }
        }
    }
}
