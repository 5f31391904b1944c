/// H[i, f] max= A[i, j] * X[j, f];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                X2_dim,
                A2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                X_vals,
                H_vals: H_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(A2_pos.index(A1_dim).saturating_mul(X2_dim), X2_dim),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    X_vals: &'a [f32],
    H_vals: rt::Shared<f32>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { X2_dim, A2_dim, A2_pos, A2_crd, A_vals, X_vals, ref H_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match X2_dim {
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
                match X2_dim {
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
        unsafe { body_i(chunk, X2_dim, A2_dim, A2_pos, A2_crd, A_vals, X_vals, H_vals) }
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
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &rt::Shared<f32>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let f_end = if isa.fits(512) { X2_dim / 128 * 128 } else { 0 };
            for f0 in (0..f_end).step_by(128) {
                let mut acc: [f32; 128] = [-f32::INFINITY; 128];
                if A2_end - A2_begin < A2_dim {
                    for lane in 0..128_usize {
                        acc[lane] = acc[lane].max(0.0_f32);
                    }
                }
                for pA in A2_begin..A2_end {
                    let j = A2_crd.index(pA);
                    for lane in 0..128_usize {
                        acc[lane] = acc[lane]
                            .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                    }
                }
                for lane in 0..128_usize {
                    H_vals.set(i * X2_dim + f0 + lane, acc[lane]);
                }
            }
            let f_end_2 = if isa.fits(256) { X2_dim / 64 * 64 } else { f_end };
            for f0 in (f_end..f_end_2).step_by(64) {
                let mut acc_2: [f32; 64] = [-f32::INFINITY; 64];
                if A2_end - A2_begin < A2_dim {
                    for lane in 0..64_usize {
                        acc_2[lane] = acc_2[lane].max(0.0_f32);
                    }
                }
                for pA in A2_begin..A2_end {
                    let j = A2_crd.index(pA);
                    for lane in 0..64_usize {
                        acc_2[lane] = acc_2[lane]
                            .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                    }
                }
                for lane in 0..64_usize {
                    H_vals.set(i * X2_dim + f0 + lane, acc_2[lane]);
                }
            }
            let f_end_3 = X2_dim / 32 * 32;
            for f0 in (f_end_2..f_end_3).step_by(32) {
                let mut acc_3: [f32; 32] = [-f32::INFINITY; 32];
                if A2_end - A2_begin < A2_dim {
                    for lane in 0..32_usize {
                        acc_3[lane] = acc_3[lane].max(0.0_f32);
                    }
                }
                let mut next = A2_begin;
                let end = A2_end;
                let mut partial = [[-f32::INFINITY; 32]; 2];
                while next + 2 <= end {
                    for offset in 0..2 {
                        let pA = next + offset;
                        let j = A2_crd.index(pA);
                        for lane in 0..32_usize {
                            partial[offset][lane] = partial[offset][lane]
                                .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                        }
                    }
                    next += 2;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    for lane in 0..32_usize {
                        acc_3[lane] = acc_3[lane]
                            .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                    }
                }
                for at in 0..32 {
                    acc_3[at] = acc_3[at].max(partial[0][at].max(partial[1][at]));
                }
                for lane in 0..32_usize {
                    H_vals.set(i * X2_dim + f0 + lane, acc_3[lane]);
                }
            }
            let f_end_4 = X2_dim / 8 * 8;
            for f0 in (f_end_3..f_end_4).step_by(8) {
                let mut acc_4: [f32; 8] = [-f32::INFINITY; 8];
                if A2_end - A2_begin < A2_dim {
                    for lane in 0..8_usize {
                        acc_4[lane] = acc_4[lane].max(0.0_f32);
                    }
                }
                let mut next = A2_begin;
                let end = A2_end;
                let mut partial = [[-f32::INFINITY; 8]; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let pA = next + offset;
                        let j = A2_crd.index(pA);
                        for lane in 0..8_usize {
                            partial[offset][lane] = partial[offset][lane]
                                .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                        }
                    }
                    next += 4;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    for lane in 0..8_usize {
                        acc_4[lane] = acc_4[lane]
                            .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                    }
                }
                for at in 0..8 {
                    acc_4[at] = acc_4[at]
                        .max(
                            partial[0][at]
                                .max(partial[1][at])
                                .max(partial[2][at].max(partial[3][at])),
                        );
                }
                for lane in 0..8_usize {
                    H_vals.set(i * X2_dim + f0 + lane, acc_4[lane]);
                }
            }
            let f_end_5 = X2_dim / 4 * 4;
            for f0 in (f_end_4..f_end_5).step_by(4) {
                let mut acc_5: [f32; 4] = [-f32::INFINITY; 4];
                if A2_end - A2_begin < A2_dim {
                    for lane in 0..4_usize {
                        acc_5[lane] = acc_5[lane].max(0.0_f32);
                    }
                }
                let mut next = A2_begin;
                let end = A2_end;
                let mut partial = [[-f32::INFINITY; 4]; 4];
                while next + 4 <= end {
                    for offset in 0..4 {
                        let pA = next + offset;
                        let j = A2_crd.index(pA);
                        for lane in 0..4_usize {
                            partial[offset][lane] = partial[offset][lane]
                                .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                        }
                    }
                    next += 4;
                }
                for pA in next..end {
                    let j = A2_crd.index(pA);
                    for lane in 0..4_usize {
                        acc_5[lane] = acc_5[lane]
                            .max(A_vals.at(pA) * X_vals.at(j * X2_dim + f0 + lane));
                    }
                }
                for at in 0..4 {
                    acc_5[at] = acc_5[at]
                        .max(
                            partial[0][at]
                                .max(partial[1][at])
                                .max(partial[2][at].max(partial[3][at])),
                        );
                }
                for lane in 0..4_usize {
                    H_vals.set(i * X2_dim + f0 + lane, acc_5[lane]);
                }
            }
            for f in f_end_5..X2_dim {
                let mut t = -f32::INFINITY;
                if A2_end - A2_begin < A2_dim {
                    t = t.max(0.0_f32);
                }
                let mut next = A2_begin;
                let end = A2_end;
                if isa.in_fours(A2_pos, A2_crd) {
                    let mut partial = isa.four(-f32::INFINITY);
                    while rt::more_than_four(next, end) {
                        let pA = next;
                        let j = isa.four_indices(A2_crd, pA);
                        partial = partial
                            .max(
                                isa.load_four(A_vals, pA)
                                    * isa.pick(|offset| X_vals.at(j[offset] * X2_dim + f)),
                            );
                        next += 4;
                    }
                    if isa.over_the_end() && next + 4 <= A2_crd.len() {
                        let kept = partial;
                        let pA = next;
                        let j = isa.last_four_indices(A2_crd, pA);
                        partial = partial
                            .max(
                                isa.load_four(A_vals, pA)
                                    * isa.pick(|offset| X_vals.at(j[offset] * X2_dim + f)),
                            );
                        partial = partial.first(end - next, kept);
                    } else {
                        isa.to_the_end();
                        for pA in next..end {
                            let j = A2_crd.index(pA);
                            t = t.max(A_vals.at(pA) * X_vals.at(j * X2_dim + f));
                        }
                    }
                    t = t.max(partial.largest());
                } else if next < end {
                    next = isa.first_entry(next);
                    loop {
                        let pA = next;
                        let j = A2_crd.index(pA);
                        t = t.max(A_vals.at(pA) * X_vals.at(j * X2_dim + f));
                        next = isa.next_entry(next);
                        if next >= end {
                            break;
                        }
                    }
                }
                H_vals.set(i * X2_dim + f, t);
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &rt::Shared<f32>,
) {
    let X2_dim = if SIZE == 0 { X2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            X2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            H_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &rt::Shared<f32>,
) {
    let X2_dim = if SIZE == 0 { X2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            X2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            H_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            X2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            H_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            X2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            H_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            X2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            X_vals,
            H_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    X2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    X_vals: &[f32],
    H_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(A1_dim, X2_dim, A2_dim, A2_pos, A2_crd, A_vals, X_vals, H_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(A1_dim, X2_dim, A2_dim, A2_pos, A2_crd, A_vals, X_vals, H_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    X2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    X_vals,
                    H_vals,
                )
            }
        }
    }
}
