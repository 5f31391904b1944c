/// y[i] = A[i, j] * x[j];
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
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut x1_parts_memory = rt::Scratch::<i32>::new();
        let x1_len = x1_pos.index(1);
        let x1_parts_len = (if A2_pos.index(A1_dim) < x1_len {
            1
        } else {
            A2_dim.min(x1_len * 4)
        })
            .max(1);
        let x1_scale = x1_parts_len * 4294967296 / A2_dim.max(1);
        let x1_parts = x1_parts_memory.unwritten(x1_parts_len + 1);
        let mut next = 0_usize;
        for part in 0..x1_parts_len {
            while next < x1_len && x1_crd.index(next) * x1_scale / 4294967296 < part {
                next += 1;
            }
            x1_parts.set(part, next as i32);
        }
        x1_parts.set(x1_parts_len, x1_len as i32);
        rt::threads(
            isa,
            &Task_i {
                x1_len,
                x1_scale,
                A2_pos,
                A2_crd,
                A_vals,
                x1_pos,
                x1_crd,
                x_vals,
                y_vals: y_vals.shared(),
                x1_parts: rt::written(x1_parts),
            },
            0..A1_dim,
            A2_pos.index(A1_dim),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    x1_len: usize,
    x1_scale: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x1_pos: &'a [i32],
    x1_crd: &'a [i32],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
    x1_parts: &'a [i32],
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            x1_len,
            x1_scale,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            ref y_vals,
            x1_parts,
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
                x1_len,
                x1_scale,
                A2_pos,
                A2_crd,
                A_vals,
                x1_pos,
                x1_crd,
                x_vals,
                y_vals,
                x1_parts,
            )
        }
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
    x1_len: usize,
    x1_scale: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    x1_parts: &[i32],
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = 0.0_f64;
            let mut pA = A2_begin;
            let mut px = x1_pos.index(0);
            if pA < A2_end && px < x1_len {
                rt::align();
                loop {
                    let jA = A2_crd.index(pA);
                    let jx = x1_crd.index(px);
                    if jA == jx {
                        t = isa.mul_add(A_vals.at(pA), x_vals.at(px), t);
                        pA += 1;
                        px += 1;
                        if A2_end <= pA || x1_len <= px {
                            break;
                        }
                    } else if jA < jx {
                        pA = rt::gallop(A2_crd, pA + 1, A2_end, jx);
                        if A2_end <= pA {
                            break;
                        }
                    } else {
                        let part = jA * x1_scale / 4294967296;
                        px = rt::lower_bound(
                            x1_crd,
                            x1_parts.index(part),
                            x1_parts.index(part + 1),
                            jA,
                        );
                        if x1_len <= px {
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
    x1_len: usize,
    x1_scale: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    x1_parts: &[i32],
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            x1_len,
            x1_scale,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
            x1_parts,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    x1_len: usize,
    x1_scale: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    x1_parts: &[i32],
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            x1_len,
            x1_scale,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
            x1_parts,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    x1_len: usize,
    x1_scale: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    x1_parts: &[i32],
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            x1_len,
            x1_scale,
            A2_pos,
            A2_crd,
            A_vals,
            x1_pos,
            x1_crd,
            x_vals,
            y_vals,
            x1_parts,
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
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
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
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
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
    A_vals: &[f64],
    x1_pos: &[i32],
    x1_crd: &[i32],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
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
