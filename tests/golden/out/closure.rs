/// R[i, k] |= A[i, k] | A[i, j] & A[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        rt::grow(
            isa,
            &Task_i {
                A2_dim,
                A2_dim_2,
                A2_pos,
                A2_crd,
                A_vals,
                R2_pos: R2_pos.shared(),
                R2_crd: rt::Own::of(R2_crd),
                R_vals: rt::Own::of(R_vals),
            },
            0..A1_dim,
            A2_pos
                .index(A1_dim)
                .saturating_add(
                    A2_pos
                        .index(A1_dim)
                        .saturating_mul(
                            (A2_pos.index(A1_dim) / A1_dim.max(1)).saturating_add(1),
                        ),
                ),
            rt::Positions(A2_pos),
        );
        R2_pos.scan(A1_dim);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [bool],
    R2_pos: rt::Shared<i32>,
    R2_crd: rt::Own<rt::Grown<i32>>,
    R_vals: rt::Own<rt::Grown<bool>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            ref R2_pos,
            R2_crd,
            R_vals,
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
                A2_dim,
                A2_dim_2,
                A2_pos,
                A2_crd,
                A_vals,
                R2_pos,
                R2_crd.get(),
                R_vals.get(),
            )
        }
    }
}
impl rt::Grower<bool, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 1], rt::Own<rt::Grown<bool>>) {
        ([self.R2_crd], self.R_vals)
    }
    fn with(
        &self,
        [R2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 1],
        R_vals: rt::Own<rt::Grown<bool>>,
    ) -> Self {
        Task_i { R2_crd, R_vals, ..*self }
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
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &rt::Shared<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::List::<bool>::new([A2_dim], false));
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let R2_begin = R2_crd.len();
            let mut w = w_memory.open();
            if A2_end - A2_begin < A2_dim_2 {
                for pA in A2_begin..A2_end {
                    let k = A2_crd.index(pA);
                    let at = w.place([k]);
                    w.set(at, w.at(at) | A_vals.at(pA));
                }
            }
            for pA in A2_begin..A2_end {
                let j = A2_crd.index(pA);
                let pA2_end_3 = A2_pos.index(j + 1);
                let mut pA_2 = A2_begin;
                let mut pA_3 = A2_pos.index(j);
                if pA_2 < A2_end && pA_3 < pA2_end_3 {
                    rt::align();
                    loop {
                        let kA = A2_crd.index(pA_2);
                        let kA_2 = A2_crd.index(pA_3);
                        if kA == kA_2 {
                            let at = w.place([kA]);
                            w.set(
                                at,
                                w.at(at)
                                    | (A_vals.at(pA_2) | A_vals.at(pA) & A_vals.at(pA_3)),
                            );
                            pA_2 += 1;
                            pA_3 += 1;
                            if A2_end <= pA_2 || pA2_end_3 <= pA_3 {
                                break;
                            }
                        } else if kA < kA_2 {
                            let at = w.place([kA]);
                            w.set(at, w.at(at) | A_vals.at(pA_2));
                            pA_2 += 1;
                            pA_3 = rt::unforeseen(pA_3);
                            if A2_end <= pA_2 {
                                break;
                            }
                        } else {
                            let at = w.place([kA_2]);
                            w.set(at, w.at(at) | A_vals.at(pA) & A_vals.at(pA_3));
                            pA_3 += 1;
                            pA_2 = rt::unforeseen(pA_2);
                            if pA2_end_3 <= pA_3 {
                                break;
                            }
                        }
                    }
                }
                for pA_4 in rt::fiber(pA_2, A2_end) {
                    let k = A2_crd.index(pA_4);
                    let at = w.place([k]);
                    w.set(at, w.at(at) | A_vals.at(pA_4));
                }
                let A_val = A_vals.at(pA);
                for pA_4 in rt::fiber(pA_3, pA2_end_3) {
                    let k = A2_crd.index(pA_4);
                    let at = w.place([k]);
                    w.set(at, w.at(at) | A_val & A_vals.at(pA_4));
                }
            }
            w.append(
                rt::workspace::By(rt::monoid::Or),
                |n| (R2_crd.extended(n), R_vals.extended(n)),
            );
            R2_pos.set(i, (R2_crd.len() - R2_begin) as i32);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &rt::Shared<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &rt::Shared<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &rt::Shared<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            R2_pos,
            R2_crd,
            R_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    R2_pos: &mut [MaybeUninit<i32>],
    R2_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<bool>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    A2_dim,
                    A2_dim_2,
                    A2_pos,
                    A2_crd,
                    A_vals,
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
                    A1_dim,
                    A2_dim,
                    A2_dim_2,
                    A2_pos,
                    A2_crd,
                    A_vals,
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
                    A1_dim,
                    A2_dim,
                    A2_dim_2,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    R2_pos,
                    R2_crd,
                    R_vals,
                )
            }
        }
    }
}
