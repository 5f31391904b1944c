/// A[i, k] = B[i, k] * C[i, j] * D[j, k];
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                B2_dim,
                C2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C_vals,
                D_vals,
                A_vals: A_vals.shared(),
            },
            0..B1_dim,
            B2_pos.index(B1_dim).saturating_mul(C2_dim.min(65536)),
            rt::Positions(&*B2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f32],
    C_vals: &'a [f32],
    D_vals: &'a [f32],
    A_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
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
            body_i(chunk, B2_dim, C2_dim, B2_pos, B2_crd, B_vals, C_vals, D_vals, A_vals)
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        for i in chunk.lo..chunk.hi {
            for pB in B2_pos.index(i)..B2_pos.index(i + 1) {
                let k = B2_crd.index(pB);
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = C2_dim;
                let mut partial = [0.0_f32; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let j = next + offset;
                        partial[offset] = isa
                            .mul_add(
                                C_vals.at(i * C2_dim + j),
                                D_vals.at(j * B2_dim + k),
                                partial[offset],
                            );
                    }
                    next += 4;
                }
                for j in next..end {
                    t = isa
                        .mul_add(
                            C_vals.at(i * C2_dim + j),
                            D_vals.at(j * B2_dim + k),
                            t,
                        );
                }
                t += partial[0] + partial[1] + (partial[2] + partial[3]);
                if 0 < C2_dim {
                    t = B_vals.at(pB) * t;
                }
                A_vals.set(pB, t);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D_vals,
            A_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
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
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
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
                    C2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C_vals,
                    D_vals,
                    A_vals,
                )
            }
        }
    }
}
