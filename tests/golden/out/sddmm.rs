/// A[i, j] = B[i, j] * C[i, k] * D[j, k];
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
                C2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C_vals,
                D_vals,
                A_vals: A_vals.shared(),
            },
            0..B1_dim,
            rt::in_lanes(B2_pos.index(B1_dim).saturating_mul(C2_dim), C2_dim),
            rt::Positions(B2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
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
        let Task_i { C2_dim, B2_pos, B2_crd, B_vals, C_vals, D_vals, ref A_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match C2_dim {
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
                match C2_dim {
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
        unsafe { body_i(chunk, C2_dim, B2_pos, B2_crd, B_vals, C_vals, D_vals, A_vals) }
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
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    unsafe {
        let mut B2_begin = B2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(i + 1);
            for pB in B2_begin..B2_end {
                let j = B2_crd.index(pB);
                let mut t = 0.0_f32;
                let mut next = 0_usize;
                let end = C2_dim;
                let width = isa.width::<f32>();
                if next + width <= end {
                    let mut partial = isa.splat(-0.0_f32);
                    if next + 8 * width <= end {
                        let mut each = [isa.splat(-0.0_f32); 4];
                        each[0] = partial;
                        while next + 8 * width <= end {
                            for offset in 0..8 {
                                let k = next + offset * width;
                                each[offset % 4] = isa
                                    .mul_add(
                                        isa.load(C_vals, i * C2_dim + k),
                                        isa.load(D_vals, j * C2_dim + k),
                                        each[offset % 4],
                                    );
                            }
                            next += 8 * width;
                        }
                        partial = rt::sum(each);
                    }
                    if next + 2 * width <= end {
                        let mut each = [isa.splat(-0.0_f32); 2];
                        each[0] = partial;
                        while next + 2 * width <= end {
                            for offset in 0..2 {
                                let k = next + offset * width;
                                each[offset] = isa
                                    .mul_add(
                                        isa.load(C_vals, i * C2_dim + k),
                                        isa.load(D_vals, j * C2_dim + k),
                                        each[offset],
                                    );
                            }
                            next += 2 * width;
                        }
                        partial = rt::sum(each);
                    }
                    if next + width <= end {
                        let k = next;
                        partial = isa
                            .mul_add(
                                isa.load(C_vals, i * C2_dim + k),
                                isa.load(D_vals, j * C2_dim + k),
                                partial,
                            );
                        next += width;
                    }
                    t += partial.sum();
                }
                for k in next..end {
                    t = isa
                        .mul_add(
                            C_vals.at(i * C2_dim + k),
                            D_vals.at(j * C2_dim + k),
                            t,
                        );
                }
                if 0 < C2_dim {
                    t = B_vals.at(pB) * t;
                }
                A_vals.set(pB, t);
            }
            B2_begin = B2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
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
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f32],
    C_vals: &[f32],
    D_vals: &[f32],
    A_vals: &rt::Shared<f32>,
) {
    let C2_dim = if SIZE == 0 { C2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
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
