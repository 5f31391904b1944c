/// A[i, j] = B[i, j] + C[i, j] + D[i, j];
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
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                B2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C_vals,
                D2_pos,
                D2_crd,
                D_vals,
                A_vals: A_vals.shared(),
            },
            0..B1_dim,
            B1_dim.saturating_mul(B2_dim),
            rt::Even,
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C_vals: &'a [f64],
    D2_pos: &'a [i32],
    D2_crd: &'a [i32],
    D_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            ref A_vals,
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
                B2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C_vals,
                D2_pos,
                D2_crd,
                D_vals,
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
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        for i in chunk.lo..chunk.hi {
            let pB2_end = B2_pos.index(i + 1);
            let pD2_end = D2_pos.index(i + 1);
            let mut pB = B2_pos.index(i);
            let mut pD = D2_pos.index(i);
            let mut j_start = 0_usize;
            while pB < pB2_end && pD < pD2_end {
                let jB = B2_crd.index(pB);
                let jD = D2_crd.index(pD);
                let j = jB.min(jD);
                for j_2 in j_start..j {
                    A_vals.set(i * B2_dim + j_2, C_vals.at(i * B2_dim + j_2));
                }
                if jB == jD {
                    A_vals
                        .set(
                            i * B2_dim + jB,
                            B_vals.at(pB) + C_vals.at(i * B2_dim + jB) + D_vals.at(pD),
                        );
                    pB += 1;
                    pD += 1;
                } else if jB < jD {
                    A_vals
                        .set(
                            i * B2_dim + jB,
                            B_vals.at(pB) + C_vals.at(i * B2_dim + jB),
                        );
                    pB += 1;
                } else {
                    A_vals
                        .set(
                            i * B2_dim + jD,
                            C_vals.at(i * B2_dim + jD) + D_vals.at(pD),
                        );
                    pD += 1;
                }
                j_start = j + 1;
            }
            while pB < pB2_end {
                let j = B2_crd.index(pB);
                for j_2 in j_start..j {
                    A_vals.set(i * B2_dim + j_2, C_vals.at(i * B2_dim + j_2));
                }
                A_vals.set(i * B2_dim + j, B_vals.at(pB) + C_vals.at(i * B2_dim + j));
                pB += 1;
                j_start = j + 1;
            }
            while pD < pD2_end {
                let j = D2_crd.index(pD);
                for j_2 in j_start..j {
                    A_vals.set(i * B2_dim + j_2, C_vals.at(i * B2_dim + j_2));
                }
                A_vals.set(i * B2_dim + j, C_vals.at(i * B2_dim + j) + D_vals.at(pD));
                pD += 1;
                j_start = j + 1;
            }
            for j in j_start..B2_dim {
                A_vals.set(i * B2_dim + j, C_vals.at(i * B2_dim + j));
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            A_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D2_pos,
            D2_crd,
            D_vals,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D2_pos: &[i32],
    D2_crd: &[i32],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D2_pos,
                    D2_crd,
                    D_vals,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D2_pos,
                    D2_crd,
                    D_vals,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D2_pos,
                    D2_crd,
                    D_vals,
                    A_vals,
                )
            }
        }
    }
}
