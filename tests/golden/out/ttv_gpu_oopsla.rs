/// A[i, j] = B[i, j, k] * c[k];
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
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        let pB1_begin = B1_pos.index(0);
        let pB1_end = B1_pos.index(1);
        rt::threads(
            isa,
            &Task_pB {
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals: A_vals.shared(),
            },
            pB1_begin..pB1_end,
            B3_pos.index(B2_pos.index(pB1_end)),
            rt::Positions(&*B2_pos),
        );
    }
}
/// What the iterations of `pB` capture.
struct Task_pB<'a> {
    B2_dim: usize,
    B1_crd: &'a [i32],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f32],
    c_vals: &'a [f32],
    A_vals: rt::Shared<f32>,
}
impl rt::Task for Task_pB<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pB {
            B2_dim,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            c_vals,
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
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals,
            )
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
    B2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        for pB in chunk.lo..chunk.hi {
            let i = B1_crd.index(pB);
            for pB_2 in rt::fiber(B2_pos.index(pB), B2_pos.index(pB + 1)) {
                let j = B2_crd.index(pB_2);
                let mut t = 0.0_f32;
                let mut next = B3_pos.index(pB_2);
                let end = B3_pos.index(pB_2 + 1);
                if 3 * B3_pos.len() <= B3_crd.len() {
                    let mut partial = isa.four(0.0_f32);
                    while next + 4 < end {
                        let pB_3 = next;
                        let k = isa.four_indices(B3_crd, pB_3);
                        partial = isa
                            .mul_add(
                                isa.load_four(B_vals, pB_3),
                                isa.pick(|offset| c_vals.at(k[offset])),
                                partial,
                            );
                        next += 4;
                    }
                    if next + 4 <= B3_crd.len() {
                        let kept = partial;
                        let pB_3 = next;
                        let k = isa.last_four_indices(B3_crd, pB_3);
                        partial = isa
                            .mul_add(
                                isa.load_four(B_vals, pB_3),
                                isa.pick(|offset| c_vals.at(k[offset])),
                                partial,
                            );
                        partial = partial.first(end - next, kept);
                    } else {
                        rt::cold();
                        for pB_3 in next..end {
                            let k = B3_crd.index(pB_3);
                            t = isa.mul_add(B_vals.at(pB_3), c_vals.at(k), t);
                        }
                    }
                    t += partial.sum();
                } else {
                    rt::align();
                    for pB_3 in rt::fiber(next, end) {
                        let k = B3_crd.index(pB_3);
                        t = isa.mul_add(B_vals.at(pB_3), c_vals.at(k), t);
                    }
                }
                A_vals.set(i * B2_dim + j, t);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_pB(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        if rt::streams(B3_crd, B_vals) {
            body_pB(
                rt::Streaming(rt::Avx512::assume()),
                chunk,
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals,
            )
        } else {
            body_pB(
                rt::Avx512::assume(),
                chunk,
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals,
            )
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pB(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        if rt::streams(B3_crd, B_vals) {
            body_pB(
                rt::Streaming(rt::Avx2::assume()),
                chunk,
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals,
            )
        } else {
            body_pB(
                rt::Avx2::assume(),
                chunk,
                B2_dim,
                B1_crd,
                B2_pos,
                B2_crd,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals,
            )
        }
    }
}
unsafe fn baseline_pB(
    chunk: rt::Chunk,
    B2_dim: usize,
    B1_crd: &[i32],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_pB(
            rt::Baseline,
            chunk,
            B2_dim,
            B1_crd,
            B2_pos,
            B2_crd,
            B3_pos,
            B3_crd,
            B_vals,
            c_vals,
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
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
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
            c_vals,
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
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
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
            c_vals,
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
    B_vals: &[f32],
    c_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
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
                    c_vals,
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
                    c_vals,
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
                    c_vals,
                    A_vals,
                )
            }
        }
    }
}
