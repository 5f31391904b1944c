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
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let pB1_begin = B1_pos.index(0);
        let pB1_end = B1_pos.index(1);
        rt::threads(
            isa,
            &Task_pB {
                B2_pos,
                B3_pos,
                B3_crd,
                B_vals,
                c_vals,
                A_vals: A_vals.shared(),
            },
            pB1_begin..pB1_end,
            B3_pos.index(B2_pos.index(pB1_end)),
            rt::Positions(B2_pos),
        );
    }
}
/// What the iterations of `pB` capture.
struct Task_pB<'a> {
    B2_pos: &'a [i32],
    B3_pos: &'a [i32],
    B3_crd: &'a [i32],
    B_vals: &'a [f64],
    c_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_pB<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_pB { B2_pos, B3_pos, B3_crd, B_vals, c_vals, ref A_vals } = *self;
        let body_pB = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_pB,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_pB,
            _ => baseline_pB,
        };
        unsafe { body_pB(chunk, B2_pos, B3_pos, B3_crd, B_vals, c_vals, A_vals) }
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
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut B2_begin = B2_pos.index(chunk.lo);
        for pB in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(pB + 1);
            let mut B3_begin = B3_pos.index(B2_begin);
            for pB_2 in B2_begin..B2_end {
                let B3_end = B3_pos.index(pB_2 + 1);
                let mut t = 0.0_f64;
                let mut next = B3_begin;
                let end = B3_end;
                if isa.in_fours(B3_pos, B3_crd) {
                    let mut partial = isa.four(0.0_f64);
                    while rt::more_than_four(next, end) {
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
                    if isa.over_the_end() && next + 4 <= B3_crd.len() {
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
                        isa.to_the_end();
                        for pB_3 in next..end {
                            let k = B3_crd.index(pB_3);
                            t = isa.mul_add(B_vals.at(pB_3), c_vals.at(k), t);
                        }
                    }
                    t += partial.sum();
                } else if next < end {
                    next = isa.first_entry(next);
                    loop {
                        let pB_3 = next;
                        let k = B3_crd.index(pB_3);
                        t = isa.mul_add(B_vals.at(pB_3), c_vals.at(k), t);
                        next = isa.next_entry(next);
                        if next >= end {
                            break;
                        }
                    }
                }
                A_vals.set(pB_2, t);
                B3_begin = B3_end;
            }
            B2_begin = B2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_pB(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(B3_pos, B3_crd, B_vals) {
            rt::Rows::Streamed => {
                body_pB(
                    rt::Streaming(rt::Avx512::assume()),
                    chunk,
                    B2_pos,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    c_vals,
                    A_vals,
                )
            }
            rt::Rows::Alike => {
                body_pB(
                    rt::Alike(rt::Avx512::assume()),
                    chunk,
                    B2_pos,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    c_vals,
                    A_vals,
                )
            }
            rt::Rows::Irregular => {
                body_pB(
                    rt::Avx512::assume(),
                    chunk,
                    B2_pos,
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
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_pB(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        match rt::Rows::of(B3_pos, B3_crd, B_vals) {
            rt::Rows::Streamed => {
                body_pB(
                    rt::Streaming(rt::Avx2::assume()),
                    chunk,
                    B2_pos,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    c_vals,
                    A_vals,
                )
            }
            rt::Rows::Alike => {
                body_pB(
                    rt::Alike(rt::Avx2::assume()),
                    chunk,
                    B2_pos,
                    B3_pos,
                    B3_crd,
                    B_vals,
                    c_vals,
                    A_vals,
                )
            }
            rt::Rows::Irregular => {
                body_pB(
                    rt::Avx2::assume(),
                    chunk,
                    B2_pos,
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
unsafe fn baseline_pB(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B3_pos: &[i32],
    B3_crd: &[i32],
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_pB(rt::Baseline, chunk, B2_pos, B3_pos, B3_crd, B_vals, c_vals, A_vals)
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
    c_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
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
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
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
    B_vals: &[f64],
    c_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
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
