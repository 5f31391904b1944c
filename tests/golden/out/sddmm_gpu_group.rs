/// Y[i, j] = A[i, j] * B[i, k] * C[j, k];
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
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B_vals,
                C_vals,
                Y_vals: Y_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(A2_pos.index(A1_dim).saturating_mul(B2_dim.min(65536)), B2_dim),
            rt::Positions(&*A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    B_vals: &'a [f32],
    C_vals: &'a [f32],
    Y_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals, ref Y_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match B2_dim {
                    4 => avx512_i::<4>,
                    8 => avx512_i::<8>,
                    16 => avx512_i::<16>,
                    32 => avx512_i::<32>,
                    64 => avx512_i::<64>,
                    128 => avx512_i::<128>,
                    _ => avx512_i::<0>,
                }
            }
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => {
                match B2_dim {
                    4 => avx2_i::<4>,
                    8 => avx2_i::<8>,
                    16 => avx2_i::<16>,
                    32 => avx2_i::<32>,
                    64 => avx2_i::<64>,
                    128 => avx2_i::<128>,
                    _ => avx2_i::<0>,
                }
            }
            _ => baseline_i,
        };
        unsafe { body_i(chunk, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals, Y_vals) }
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe {
        for i in chunk.lo..chunk.hi {
            for pA in A2_pos.index(i)..A2_pos.index(i + 1) {
                let j = A2_crd.index(pA);
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = B2_dim;
                let width = isa.width::<f32>();
                if next + width <= end {
                    let mut partial = isa.splat(0.0_f32);
                    if next + 32 * width < end {
                        let mut each = [partial; 4];
                        while next + 4 * width <= end {
                            for offset in 0..4 {
                                let k = next + offset * width;
                                each[offset] = isa
                                    .mul_add(
                                        isa.load(B_vals, i * B2_dim + k),
                                        isa.load(C_vals, j * B2_dim + k),
                                        each[offset],
                                    );
                            }
                            next += 4 * width;
                        }
                        partial = rt::sum(each);
                    }
                    while next + width <= end {
                        let k = next;
                        partial = isa
                            .mul_add(
                                isa.load(B_vals, i * B2_dim + k),
                                isa.load(C_vals, j * B2_dim + k),
                                partial,
                            );
                        next += width;
                    }
                    t += partial.sum();
                }
                for k in next..end {
                    t = isa
                        .mul_add(
                            B_vals.at(i * B2_dim + k),
                            C_vals.at(j * B2_dim + k),
                            t,
                        );
                }
                if 0 < B2_dim {
                    t = A_vals.at(pA) * t;
                }
                Y_vals.set(pA, t);
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let B2_dim = if SIZE == 0 { B2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    let B2_dim = if SIZE == 0 { B2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
            Y_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
            Y_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
            Y_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &[f32],
    Y_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    A2_dim,
                    B2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B_vals,
                    C_vals,
                    Y_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    A2_dim,
                    B2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B_vals,
                    C_vals,
                    Y_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    B2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B_vals,
                    C_vals,
                    Y_vals,
                )
            }
        }
    }
}
