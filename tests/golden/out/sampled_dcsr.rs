/// R[i, j] = S[i, j] * A[i, k] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    S1_dim: usize,
    S2_dim: usize,
    A2_dim: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut [MaybeUninit<i32>],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut [MaybeUninit<i32>],
    R_vals: &mut [MaybeUninit<f32>],
) -> [usize; 3] {
    unsafe {
        let mut R1_crd_len = 0_usize;
        let mut R2_pos_len = 0_usize;
        let mut R2_crd_len = 0_usize;
        let mut B1_parts_memory = rt::Scratch::<i32>::new();
        let B1_len = B1_pos.index(1);
        let B1_parts_len = (if S2_pos.index(S1_pos.index(1)) < B1_len {
            1
        } else {
            S2_dim.min(B1_len * 4)
        })
            .max(1);
        let B1_scale = B1_parts_len * 4294967296 / S2_dim.max(1);
        let B1_parts = B1_parts_memory.unwritten(B1_parts_len + 1);
        let mut next = 0_usize;
        for part in 0..B1_parts_len {
            while next < B1_len && B1_crd.index(next) * B1_scale / 4294967296 < part {
                next += 1;
            }
            B1_parts.set(part, next as i32);
        }
        B1_parts.set(B1_parts_len, B1_len as i32);
        R1_pos.set(0, 0);
        let parts = (S2_pos.index(S1_pos.index(1))
            * (A2_pos.index(A1_pos.index(1)) / A1_pos.index(1).max(1) + 1) / 4096)
            .min(64)
            .max(1);
        let i_step = (S1_dim + parts - 1) / parts;
        rt::Lens {
            indices: [R1_crd_len, R2_pos_len, R2_crd_len],
            values: _,
        } = rt::append(
            isa,
            &Task_part {
                S1_dim,
                A2_dim,
                i_step,
                B1_len,
                B1_scale,
                S1_pos,
                S1_crd,
                S2_pos,
                S2_crd,
                S_vals,
                A1_pos,
                A1_crd,
                A2_pos,
                A2_crd,
                A_vals,
                B1_pos,
                B1_crd,
                B2_pos,
                B2_crd,
                B_vals,
                R1_crd: R1_crd.shared(),
                R2_pos: R2_pos.shared(),
                R2_crd: R2_crd.shared(),
                R_vals: R_vals.shared(),
                B1_parts: rt::written(B1_parts),
            },
            rt::Lens {
                indices: [R1_crd_len, R2_pos_len, R2_crd_len],
                values: R2_crd_len,
            },
            |part| {
                S2_pos
                    .index(
                        rt::lower_bound(
                            S1_crd,
                            S1_pos.index(0),
                            S1_pos.index(1),
                            (part * i_step).min(S1_dim),
                        ),
                    )
            },
            0..parts,
            S2_pos
                .index(S1_pos.index(1))
                .saturating_mul(
                    (A2_pos.index(A1_pos.index(1)) / A1_pos.index(1).max(1))
                        .saturating_add(1),
                ),
            rt::Even,
        );
        R2_pos.scan(R2_pos_len);
        R2_pos_len += 1;
        R1_pos.set(1, R1_crd_len as i32);
        [R1_crd_len, R2_pos_len, R2_crd_len]
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    S1_dim: usize,
    A2_dim: usize,
    i_step: usize,
    B1_len: usize,
    B1_scale: usize,
    S1_pos: &'a [i32],
    S1_crd: &'a [i32],
    S2_pos: &'a [i32],
    S2_crd: &'a [i32],
    S_vals: &'a [f32],
    A1_pos: &'a [i32],
    A1_crd: &'a [i32],
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    B1_pos: &'a [i32],
    B1_crd: &'a [i32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f32],
    R1_crd: rt::Shared<i32>,
    R2_pos: rt::Shared<i32>,
    R2_crd: rt::Shared<i32>,
    R_vals: rt::Shared<f32>,
    B1_parts: &'a [i32],
}
impl rt::Task for Task_part<'_> {
    type Appended = rt::Lens<3>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<3> {
        let Task_part {
            S1_dim,
            A2_dim,
            i_step,
            B1_len,
            B1_scale,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            ref R1_crd,
            ref R2_pos,
            ref R2_crd,
            ref R_vals,
            B1_parts,
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
                S1_dim,
                A2_dim,
                i_step,
                B1_len,
                B1_scale,
                S1_pos,
                S1_crd,
                S2_pos,
                S2_crd,
                S_vals,
                A1_pos,
                A1_crd,
                A2_pos,
                A2_crd,
                A_vals,
                B1_pos,
                B1_crd,
                B2_pos,
                B2_crd,
                B_vals,
                R1_crd,
                R2_pos,
                R2_crd,
                R_vals,
                B1_parts,
            )
        }
    }
}
impl rt::Appender<f32, 3> for Task_part<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 3], rt::Shared<f32>) {
        ([self.R1_crd, self.R2_pos, self.R2_crd], self.R_vals)
    }
    fn with(
        &self,
        [R1_crd,
        R2_pos,
        R2_crd,
        ]: [rt::Shared<i32>; 3],
        R_vals: rt::Shared<f32>,
    ) -> Self {
        Task_part {
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
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
    S1_dim: usize,
    A2_dim: usize,
    i_step: usize,
    B1_len: usize,
    B1_scale: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_crd: &rt::Shared<i32>,
    R2_pos: &rt::Shared<i32>,
    R2_crd: &rt::Shared<i32>,
    R_vals: &rt::Shared<f32>,
    B1_parts: &[i32],
) -> rt::Lens<3> {
    unsafe {
        let mut A2_after_memory = chunk.home.keep(0, || rt::Table::new());
        let mut R1_crd_len = 0_usize;
        let mut R2_pos_len = 0_usize;
        let mut R2_crd_len = 0_usize;
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(S1_dim);
            let window_end = (window_begin + i_step).min(S1_dim);
            let pS1_begin = S1_pos.index(0);
            let pS1_end = S1_pos.index(1);
            let pA1_begin = A1_pos.index(0);
            let pA1_end = A1_pos.index(1);
            let pS_begin = rt::lower_bound(S1_crd, pS1_begin, pS1_end, window_begin);
            let pS_end = rt::lower_bound(S1_crd, pS_begin, pS1_end, window_end);
            let pA_begin = rt::lower_bound(A1_crd, pA1_begin, pA1_end, window_begin);
            let pA_end = rt::lower_bound(A1_crd, pA_begin, pA1_end, window_end);
            let mut pS = pS_begin;
            let mut pA = pA_begin;
            if pS < pS_end && pA < pA_end {
                rt::align();
                loop {
                    let iS = S1_crd.index(pS);
                    let iA = A1_crd.index(pA);
                    if iS == iA {
                        let R2_begin = R2_crd_len;
                        let pA2_begin = A2_pos.index(pA);
                        let pA2_end = A2_pos.index(pA + 1);
                        if A2_dim <= 67108864 {
                            let A2_after = A2_after_memory.array(A2_dim);
                            for pA_2 in pA2_begin..pA2_end {
                                A2_after.set(A2_crd.index(pA_2), (pA_2 + 1) as i32);
                            }
                            let pS2_end = S2_pos.index(pS + 1);
                            let mut pS_2 = S2_pos.index(pS);
                            let mut pB = B1_pos.index(0);
                            if pS_2 < pS2_end && pB < B1_len {
                                rt::align();
                                loop {
                                    let jS = S2_crd.index(pS_2);
                                    let jB = B1_crd.index(pB);
                                    if jS == jB {
                                        let mut t = 0.0_f32;
                                        let mut some = false;
                                        let S_val = S_vals.at(pS_2);
                                        for pB_2 in B2_pos.index(pB)..B2_pos.index(pB + 1) {
                                            let k = B2_crd.index(pB_2);
                                            let pA2_after = A2_after.index(k);
                                            if pA2_begin < pA2_after && pA2_after <= pA2_end {
                                                t = isa
                                                    .mul_add(
                                                        S_val * A_vals.at(pA2_after - 1),
                                                        B_vals.at(pB_2),
                                                        t,
                                                    );
                                                some = true;
                                            }
                                        }
                                        if some {
                                            R2_crd.set(R2_crd_len, jS as i32);
                                            R_vals.set(R2_crd_len, t);
                                            R2_crd_len += 1;
                                        }
                                        pS_2 += 1;
                                        pB += 1;
                                        if pS2_end <= pS_2 || B1_len <= pB {
                                            break;
                                        }
                                    } else if jS < jB {
                                        pS_2 = rt::gallop(S2_crd, pS_2 + 1, pS2_end, jB);
                                        if pS2_end <= pS_2 {
                                            break;
                                        }
                                    } else {
                                        let part_2 = jS * B1_scale / 4294967296;
                                        pB = rt::lower_bound(
                                            B1_crd,
                                            B1_parts.index(part_2),
                                            B1_parts.index(part_2 + 1),
                                            jS,
                                        );
                                        if B1_len <= pB {
                                            break;
                                        }
                                    }
                                }
                            }
                        } else {
                            let pS2_end = S2_pos.index(pS + 1);
                            let mut pS_2 = S2_pos.index(pS);
                            let mut pB = B1_pos.index(0);
                            if pS_2 < pS2_end && pB < B1_len {
                                rt::align();
                                loop {
                                    let jS = S2_crd.index(pS_2);
                                    let jB = B1_crd.index(pB);
                                    if jS == jB {
                                        let mut t = 0.0_f32;
                                        let mut some = false;
                                        let pB2_end = B2_pos.index(pB + 1);
                                        let mut pA_2 = pA2_begin;
                                        let mut pB_2 = B2_pos.index(pB);
                                        if pA_2 < pA2_end && pB_2 < pB2_end {
                                            rt::align();
                                            loop {
                                                let kA = A2_crd.index(pA_2);
                                                let kB = B2_crd.index(pB_2);
                                                if kA == kB {
                                                    t = isa
                                                        .mul_add(
                                                            S_vals.at(pS_2) * A_vals.at(pA_2),
                                                            B_vals.at(pB_2),
                                                            t,
                                                        );
                                                    some = true;
                                                    pA_2 += 1;
                                                    pB_2 += 1;
                                                    if pA2_end <= pA_2 || pB2_end <= pB_2 {
                                                        break;
                                                    }
                                                } else if kA < kB {
                                                    pA_2 += 1;
                                                    if pA2_end <= pA_2 {
                                                        break;
                                                    }
                                                } else {
                                                    pB_2 += 1;
                                                    if pB2_end <= pB_2 {
                                                        break;
                                                    }
                                                }
                                            }
                                        }
                                        if some {
                                            R2_crd.set(R2_crd_len, jS as i32);
                                            R_vals.set(R2_crd_len, t);
                                            R2_crd_len += 1;
                                        }
                                        pS_2 += 1;
                                        pB += 1;
                                        if pS2_end <= pS_2 || B1_len <= pB {
                                            break;
                                        }
                                    } else if jS < jB {
                                        pS_2 = rt::gallop(S2_crd, pS_2 + 1, pS2_end, jB);
                                        if pS2_end <= pS_2 {
                                            break;
                                        }
                                    } else {
                                        let part_2 = jS * B1_scale / 4294967296;
                                        pB = rt::lower_bound(
                                            B1_crd,
                                            B1_parts.index(part_2),
                                            B1_parts.index(part_2 + 1),
                                            jS,
                                        );
                                        if B1_len <= pB {
                                            break;
                                        }
                                    }
                                }
                            }
                        }
                        if R2_begin < R2_crd_len {
                            R1_crd.set(R1_crd_len, iS as i32);
                            R1_crd_len += 1;
                            R2_pos.set(R2_pos_len, (R2_crd_len - R2_begin) as i32);
                            R2_pos_len += 1;
                        }
                        pS += 1;
                        pA += 1;
                        if pS_end <= pS || pA_end <= pA {
                            break;
                        }
                    } else if iS < iA {
                        pS += 1;
                        if pS_end <= pS {
                            break;
                        }
                    } else {
                        pA += 1;
                        if pA_end <= pA {
                            break;
                        }
                    }
                }
            }
        }
        rt::Lens {
            indices: [R1_crd_len, R2_pos_len, R2_crd_len],
            values: R2_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    S1_dim: usize,
    A2_dim: usize,
    i_step: usize,
    B1_len: usize,
    B1_scale: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_crd: &rt::Shared<i32>,
    R2_pos: &rt::Shared<i32>,
    R2_crd: &rt::Shared<i32>,
    R_vals: &rt::Shared<f32>,
    B1_parts: &[i32],
) -> rt::Lens<3> {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            S1_dim,
            A2_dim,
            i_step,
            B1_len,
            B1_scale,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
            B1_parts,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    S1_dim: usize,
    A2_dim: usize,
    i_step: usize,
    B1_len: usize,
    B1_scale: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_crd: &rt::Shared<i32>,
    R2_pos: &rt::Shared<i32>,
    R2_crd: &rt::Shared<i32>,
    R_vals: &rt::Shared<f32>,
    B1_parts: &[i32],
) -> rt::Lens<3> {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            S1_dim,
            A2_dim,
            i_step,
            B1_len,
            B1_scale,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
            B1_parts,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    S1_dim: usize,
    A2_dim: usize,
    i_step: usize,
    B1_len: usize,
    B1_scale: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_crd: &rt::Shared<i32>,
    R2_pos: &rt::Shared<i32>,
    R2_crd: &rt::Shared<i32>,
    R_vals: &rt::Shared<f32>,
    B1_parts: &[i32],
) -> rt::Lens<3> {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            S1_dim,
            A2_dim,
            i_step,
            B1_len,
            B1_scale,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
            B1_parts,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    S1_dim: usize,
    S2_dim: usize,
    A2_dim: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut [MaybeUninit<i32>],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut [MaybeUninit<i32>],
    R_vals: &mut [MaybeUninit<f32>],
) -> [usize; 3] {
    unsafe {
        body(
            rt::Avx512::assume(),
            S1_dim,
            S2_dim,
            A2_dim,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            R1_pos,
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    S1_dim: usize,
    S2_dim: usize,
    A2_dim: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut [MaybeUninit<i32>],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut [MaybeUninit<i32>],
    R_vals: &mut [MaybeUninit<f32>],
) -> [usize; 3] {
    unsafe {
        body(
            rt::Avx2::assume(),
            S1_dim,
            S2_dim,
            A2_dim,
            S1_pos,
            S1_crd,
            S2_pos,
            S2_crd,
            S_vals,
            A1_pos,
            A1_crd,
            A2_pos,
            A2_crd,
            A_vals,
            B1_pos,
            B1_crd,
            B2_pos,
            B2_crd,
            B_vals,
            R1_pos,
            R1_crd,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    S1_dim: usize,
    S2_dim: usize,
    A2_dim: usize,
    S1_pos: &[i32],
    S1_crd: &[i32],
    S2_pos: &[i32],
    S2_crd: &[i32],
    S_vals: &[f32],
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B1_pos: &[i32],
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut [MaybeUninit<i32>],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut [MaybeUninit<i32>],
    R_vals: &mut [MaybeUninit<f32>],
) -> [usize; 3] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    S1_dim,
                    S2_dim,
                    A2_dim,
                    S1_pos,
                    S1_crd,
                    S2_pos,
                    S2_crd,
                    S_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    S1_dim,
                    S2_dim,
                    A2_dim,
                    S1_pos,
                    S1_crd,
                    S2_pos,
                    S2_crd,
                    S_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    S1_dim,
                    S2_dim,
                    A2_dim,
                    S1_pos,
                    S1_crd,
                    S2_pos,
                    S2_crd,
                    S_vals,
                    A1_pos,
                    A1_crd,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B1_pos,
                    B1_crd,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R_vals,
                )
            }
        }
    }
}
