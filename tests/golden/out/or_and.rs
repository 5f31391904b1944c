/// y[i] |= A[i, j] & x[j];
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &mut [MaybeUninit<bool>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                A2_pos,
                A2_crd,
                A_vals,
                x1_pos,
                x1_crd,
                x_vals,
                y_vals: y_vals.shared(),
            },
            0..A1_dim,
            A2_pos.index(A1_dim),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [bool],
    x1_pos: &'a [i32],
    x1_crd: &'a [i32],
    x_vals: &'a [bool],
    y_vals: rt::Shared<bool>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_pos, A2_crd, A_vals, x1_pos, x1_crd, x_vals, ref y_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_pos, A2_crd, A_vals, x1_pos, x1_crd, x_vals, y_vals) }
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &rt::Shared<bool>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = false;
            let px1_end = x1_pos.index(1);
            let mut pA = A2_begin;
            let mut px = x1_pos.index(0);
            if pA < A2_end && px < px1_end {
                rt::align();
                loop {
                    let jA = A2_crd.index(pA);
                    let jx = x1_crd.index(px);
                    if jA == jx {
                        t |= A_vals.at(pA) & x_vals.at(px);
                        pA += 1;
                        px += 1;
                        if A2_end <= pA || px1_end <= px {
                            break;
                        }
                    } else if jA < jx {
                        pA = rt::gallop(A2_crd, pA + 1, A2_end, jx);
                        if A2_end <= pA {
                            break;
                        }
                    } else {
                        px = rt::gallop(x1_crd, px + 1, px1_end, jA);
                        if px1_end <= px {
                            break;
                        }
                    }
                }
            }
            y_vals.set(i, t);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &rt::Shared<bool>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &rt::Shared<bool>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &rt::Shared<bool>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &mut [MaybeUninit<bool>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &mut [MaybeUninit<bool>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[bool],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[bool],
    y_vals: &mut [MaybeUninit<bool>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x1_pos,
                    x1_crd,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
