/// A[i, k, j, l] = B[i, j] * C[k, l];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B1_dim: usize,
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                C1_dim,
                B2_dim,
                C2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                A_vals: A_vals.shared(),
            },
            0..B1_dim,
            B2_pos
                .index(B1_dim)
                .saturating_mul(C1_dim)
                .min(2147483648)
                .saturating_mul(
                    (C2_pos.index(C1_dim) / C1_dim.max(1)).saturating_add(1),
                ),
            rt::Positions(B2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: &'a [i32],
    C2_crd: &'a [i32],
    C_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            C1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            ref A_vals,
        } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx2_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe {
            body_i(
                chunk,
                C1_dim,
                B2_dim,
                C2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                A_vals,
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
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut B2_begin = B2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(i + 1);
            let mut C2_begin = C2_pos.index(0);
            for k in 0..C1_dim {
                let C2_end = C2_pos.index(k + 1);
                for pB in B2_begin..B2_end {
                    let j = B2_crd.index(pB);
                    let B_val = B_vals.at(pB);
                    for pC in rt::fiber(C2_begin, C2_end) {
                        let l = C2_crd.index(pC);
                        A_vals
                            .set(
                                ((i * C1_dim + k) * B2_dim + j) * C2_dim + l,
                                B_val * C_vals.at(pC),
                            );
                    }
                }
                C2_begin = C2_end;
            }
            B2_begin = B2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            C1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            C1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            C1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    C1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx2(
                    B1_dim,
                    C1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    B1_dim,
                    C1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B1_dim,
                    C1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    A_vals,
                )
            }
        }
    }
}
