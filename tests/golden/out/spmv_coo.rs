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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let parts = (A1_pos.index(1) / 4096).min(64).max(1);
        let i_step = (A1_dim + parts - 1) / parts;
        rt::threads(
            isa,
            &Task_part {
                A1_dim,
                i_step,
                A1_pos,
                A1_crd,
                A2_crd,
                A_vals,
                x_vals,
                y_vals: y_vals.shared(),
            },
            0..parts,
            A1_pos.index(1),
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    A1_dim: usize,
    i_step: usize,
    A1_pos: &'a [i32],
    A1_crd: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            A1_dim,
            i_step,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
            x_vals,
            ref y_vals,
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
                A1_dim,
                i_step,
                A1_pos,
                A1_crd,
                A2_crd,
                A_vals,
                x_vals,
                y_vals,
            )
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
    A1_dim: usize,
    i_step: usize,
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(A1_dim);
            let window_end = (window_begin + i_step).min(A1_dim);
            let pA1_begin = A1_pos.index(0);
            let pA1_end = A1_pos.index(1);
            let pA_begin = rt::lower_bound(A1_crd, pA1_begin, pA1_end, window_begin);
            let pA_end = rt::lower_bound(A1_crd, pA_begin, pA1_end, window_end);
            let mut pA = pA_begin;
            while pA < pA_end {
                let i = A1_crd.index(pA);
                let mut pA_next = pA;
                while pA_next < pA_end && A1_crd.index(pA_next) == i {
                    pA_next += 1;
                }
                let mut t = 0.0_f64;
                let mut next = pA;
                let end = pA_next;
                let mut partial = [0.0_f64; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let pA_2 = next + offset;
                        let j = A2_crd.index(pA_2);
                        partial[offset] = isa
                            .mul_add(A_vals.at(pA_2), x_vals.at(j), partial[offset]);
                    }
                    next += 4;
                }
                for pA_2 in next..end {
                    let j = A2_crd.index(pA_2);
                    t = isa.mul_add(A_vals.at(pA_2), x_vals.at(j), t);
                }
                t += partial[0] + partial[1] + (partial[2] + partial[3]);
                y_vals.set(i, t);
                pA = pA_next;
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    i_step: usize,
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            A1_dim,
            i_step,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    i_step: usize,
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            A1_dim,
            i_step,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    i_step: usize,
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            A1_dim,
            i_step,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_dim,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
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
    A1_pos: &[i32],
    A1_crd: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(A1_dim, A2_dim, A1_pos, A1_crd, A2_crd, A_vals, x_vals, y_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(A1_dim, A2_dim, A1_pos, A1_crd, A2_crd, A_vals, x_vals, y_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A1_pos,
                    A1_crd,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
