/// C[i, k] = A[i, j] * B[j, k]
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        let k_end = B2_dim / 8 * 8;
        rt::threads(
            isa,
            &Task_i {
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B_vals,
                C_vals: C_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(16777216, B2_dim),
            rt::Positions(A2_pos),
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
    C_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { B2_dim, A2_pos, A2_crd, A_vals, B_vals, ref C_vals } = *self;
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
        unsafe { body_i(chunk, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals) }
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
    C_vals: &rt::Shared<f32>,
) {
    unsafe {
        let k_end = B2_dim / 8 * 8;
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            for k0 in (0..k_end).step_by(8) {
                let mut acc: [f32; 8] = [0.0_f32; 8];
                let mut next = A2_begin;
                let end = A2_end;
                let mut partial = [[0.0_f32; 8]; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let p = next + offset;
                        for lane in 0..8_usize {
                            partial[offset][lane] = isa
                                .mul_add(
                                    A_vals.at(p),
                                    B_vals.at(A2_crd.index(p) * B2_dim + k0 + lane),
                                    partial[offset][lane],
                                );
                        }
                    }
                    next += 4;
                }
                for p in next..end {
                    for lane in 0..8_usize {
                        acc[lane] = isa
                            .mul_add(
                                A_vals.at(p),
                                B_vals.at(A2_crd.index(p) * B2_dim + k0 + lane),
                                acc[lane],
                            );
                    }
                }
                for at in 0..8 {
                    acc[at]
                        += partial[0][at] + partial[1][at]
                            + (partial[2][at] + partial[3][at]);
                }
                for l in 0..8_usize {
                    C_vals.set(i * B2_dim + k0 + l, acc[l]);
                }
            }
            for k in k_end..B2_dim {
                let mut t = 0.0_f32;
                let mut next = A2_begin;
                let end = A2_end;
                let mut partial = [0.0_f32; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let q = next + offset;
                        partial[offset] = isa
                            .mul_add(
                                A_vals.at(q),
                                B_vals.at(A2_crd.index(q) * B2_dim + k),
                                partial[offset],
                            );
                    }
                    next += 4;
                }
                for q in next..end {
                    t = isa
                        .mul_add(
                            A_vals.at(q),
                            B_vals.at(A2_crd.index(q) * B2_dim + k),
                            t,
                        );
                }
                t += partial[0] + partial[1] + (partial[2] + partial[3]);
                C_vals.set(i * B2_dim + k, t);
            }
            A2_begin = A2_end;
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
    C_vals: &rt::Shared<f32>,
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
    C_vals: &rt::Shared<f32>,
) {
    let B2_dim = if SIZE == 0 { B2_dim } else { SIZE };
    unsafe {
        body_i(rt::Avx2::assume(), chunk, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(rt::Baseline, chunk, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(rt::Avx2::assume(), A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    B_vals: &[f32],
    C_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B_vals,
                    C_vals,
                )
            }
        }
    }
}
