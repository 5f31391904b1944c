/// C[i, k] = A[i, j] * B[j, k];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i0 {
                A1_dim,
                B2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B_vals,
                C_vals: C_vals.shared(),
            },
            0..(A1_dim + 15) / 16,
            A2_pos.index(A1_dim).saturating_mul(B2_dim.min(65536)),
            rt::Even,
        );
    }
}
/// What the iterations of `i0` capture.
struct Task_i0<'a> {
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B_vals: &'a [f64],
    C_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i0<'_> {
    unsafe fn baseline(&self, chunk: rt::Chunk) {
        let Task_i0 { A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, ref C_vals } = *self;
        unsafe {
            baseline_i0(chunk, A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
        }
    }
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx2(&self, chunk: rt::Chunk) {
        let Task_i0 { A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, ref C_vals } = *self;
        unsafe { avx2_i0(chunk, A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals) }
    }
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx512(&self, chunk: rt::Chunk) {
        let Task_i0 { A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, ref C_vals } = *self;
        unsafe {
            avx512_i0(chunk, A1_dim, B2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
        }
    }
}
/// Iterations of `i0`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i0(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        for i0 in chunk.lo..chunk.hi {
            let i1_begin = i0 * 16;
            let i1_end = (i1_begin + 16).min(A1_dim);
            for i1 in 0..i1_end - i1_begin {
                let i = i1_begin + i1;
                let pA2_begin = A2_pos.index(i);
                let pA2_end = A2_pos.index(i + 1);
                for jpos0 in 0..(pA2_end - pA2_begin + 7) / 8 {
                    let mut next = 0_usize;
                    let end = B2_dim;
                    while next + 7 < end {
                        {
                            let k = next;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 1;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 2;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 3;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 4;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 5;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 6;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        {
                            let k = next + 7;
                            let mut t = 0.0_f64;
                            let jpos1_begin = pA2_begin + jpos0 * 8;
                            let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                            let mut next = jpos1_begin;
                            let end = jpos1_end;
                            let mut partial = [0.0_f64; 4];
                            while next + 4 <= end {
                                for offset in 0..4 {
                                    let pA = next + offset;
                                    let j = A2_crd.index(pA);
                                    partial[offset] = isa
                                        .mul_add(
                                            A_vals.at(pA),
                                            B_vals.at(j * B2_dim + k),
                                            partial[offset],
                                        );
                                }
                                next += 4;
                            }
                            for pA in next..end {
                                let j = A2_crd.index(pA);
                                t = isa
                                    .mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                            }
                            t += partial[0] + partial[1] + (partial[2] + partial[3]);
                            let at = i * B2_dim + k;
                            C_vals.set(at, C_vals.at(at) + t);
                        }
                        next += 8;
                    }
                    for k in next..end {
                        let mut t = 0.0_f64;
                        let jpos1_begin = pA2_begin + jpos0 * 8;
                        let jpos1_end = (jpos1_begin + 8).min(pA2_end);
                        let mut next = jpos1_begin;
                        let end = jpos1_end;
                        let mut partial = [0.0_f64; 4];
                        while next + 4 <= end {
                            for offset in 0..4 {
                                let pA = next + offset;
                                let j = A2_crd.index(pA);
                                partial[offset] = isa
                                    .mul_add(
                                        A_vals.at(pA),
                                        B_vals.at(j * B2_dim + k),
                                        partial[offset],
                                    );
                            }
                            next += 4;
                        }
                        for pA in next..end {
                            let j = A2_crd.index(pA);
                            t = isa.mul_add(A_vals.at(pA), B_vals.at(j * B2_dim + k), t);
                        }
                        t += partial[0] + partial[1] + (partial[2] + partial[3]);
                        let at = i * B2_dim + k;
                        C_vals.set(at, C_vals.at(at) + t);
                    }
                }
            }
        }
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i0(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Avx512::assume(),
            chunk,
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
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i0(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Avx2::assume(),
            chunk,
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
/// # Safety
/// As for `body`.
unsafe fn baseline_i0(
    chunk: rt::Chunk,
    A1_dim: usize,
    B2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Baseline,
            chunk,
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
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`, and the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            B2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B_vals,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B_vals: &[f64],
    C_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(A1_dim, B2_dim, A2_dim, A2_pos, A2_crd, A_vals, B_vals, C_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    A2_dim,
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
