/// C[i, k] = M[i, k] * A[i, j] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    M1_dim: usize,
    M2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f32>],
) -> [usize; 1] {
    unsafe {
        let mut C2_crd_len = 0_usize;
        rt::Lens {
            indices: [C2_crd_len],
            values: _,
        } = rt::append(
            isa,
            &Task_i {
                M2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                M2_pos,
                M2_crd,
                M_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: C2_crd.shared(),
                C_vals: C_vals.shared(),
            },
            rt::Lens {
                indices: [C2_crd_len],
                values: C2_crd_len,
            },
            |i| M2_pos.index(i),
            0..M1_dim,
            A2_pos
                .index(M1_dim)
                .saturating_mul(
                    (B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            (rt::Positions(A2_pos), rt::Positions(M2_pos)),
        );
        C2_pos.scan(M1_dim);
        [C2_crd_len]
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    M2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f32],
    M2_pos: &'a [i32],
    M2_crd: &'a [i32],
    M_vals: &'a [f32],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Shared<i32>,
    C_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = rt::Lens<1>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<1> {
        let Task_i {
            M2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
            ref C2_pos,
            ref C2_crd,
            ref C_vals,
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
                M2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                M2_pos,
                M2_crd,
                M_vals,
                C2_pos,
                C2_crd,
                C_vals,
            )
        }
    }
}
impl rt::Appender<f32, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 1], rt::Shared<f32>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(&self, [C2_crd]: [rt::Shared<i32>; 1], C_vals: rt::Shared<f32>) -> Self {
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
    M2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f32>,
) -> rt::Lens<1> {
    unsafe {
        let mut t0_memory = chunk
            .home
            .keep(0, || rt::workspace::Masked::<f32>::new([M2_dim], 0.0_f32));
        let mut C2_crd_len = 0_usize;
        let mut M2_begin = M2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let M2_end = M2_pos.index(i + 1);
            let C2_begin = C2_crd_len;
            if M2_begin < M2_end {
                let mut t0 = t0_memory.open(M2_crd, M2_begin, M2_end);
                for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                    let j = A2_crd.index(pA);
                    let A_val = A_vals.at(pA);
                    for pB in rt::fiber(B2_pos.index(j), B2_pos.index(j + 1)) {
                        let k_t0 = B2_crd.index(pB);
                        if let Some(at) = t0.place([k_t0]) {
                            t0.set(at, isa.mul_add(A_val, B_vals.at(pB), t0.at(at)));
                        }
                    }
                }
                let ([t0_crd], t0_vals) = t0.gather(rt::workspace::By(rt::monoid::Add));
                let pt01_end = t0_crd.len();
                let mut pM = M2_begin;
                let mut pt0 = 0_usize;
                if pM < M2_end && pt0 < pt01_end {
                    rt::align();
                    loop {
                        let kM = M2_crd.index(pM);
                        let kt0 = t0_crd.index(pt0);
                        if kM == kt0 {
                            C2_crd.set(C2_crd_len, kM as i32);
                            C_vals.set(C2_crd_len, M_vals.at(pM) * t0_vals.at(pt0));
                            C2_crd_len += 1;
                            pM += 1;
                            pt0 += 1;
                            if M2_end <= pM || pt01_end <= pt0 {
                                break;
                            }
                        } else if kM < kt0 {
                            pM = rt::gallop(M2_crd, pM + 1, M2_end, kt0);
                            if M2_end <= pM {
                                break;
                            }
                        } else {
                            pt0 = rt::gallop(&*t0_crd, pt0 + 1, pt01_end, kM);
                            if pt01_end <= pt0 {
                                break;
                            }
                        }
                    }
                }
            }
            C2_pos.set(i, (C2_crd_len - C2_begin) as i32);
            M2_begin = M2_end;
        }
        rt::Lens {
            indices: [C2_crd_len],
            values: C2_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    M2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f32>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            M2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
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
    M2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f32>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            M2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    M2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f32>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            M2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    M1_dim: usize,
    M2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f32>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            M1_dim,
            M2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    M1_dim: usize,
    M2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f32>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            M1_dim,
            M2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            M2_pos,
            M2_crd,
            M_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    M1_dim: usize,
    M2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    M2_pos: &[i32],
    M2_crd: &[i32],
    M_vals: &[f32],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f32>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    M1_dim,
                    M2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    M2_pos,
                    M2_crd,
                    M_vals,
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
                    M1_dim,
                    M2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    M2_pos,
                    M2_crd,
                    M_vals,
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
                    M1_dim,
                    M2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    M2_pos,
                    M2_crd,
                    M_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
