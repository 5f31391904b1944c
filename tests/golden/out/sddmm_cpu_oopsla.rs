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
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i0 {
                B1_dim,
                B2_dim,
                C2_dim,
                B2_pos,
                B2_crd,
                B_vals,
                C_vals,
                D_vals,
                A_vals: A_vals.shared(),
            },
            0..(B1_dim + 15) / 16,
            B2_pos.index(B1_dim).saturating_mul(C2_dim),
            rt::Even,
        );
    }
}
/// What the iterations of `i0` capture.
struct Task_i0<'a> {
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C_vals: &'a [f64],
    D_vals: &'a [f64],
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i0<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i0 {
            B1_dim,
            B2_dim,
            C2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            C_vals,
            D_vals,
            ref A_vals,
        } = *self;
        let body_i0 = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i0,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i0,
            _ => baseline_i0,
        };
        unsafe {
            body_i0(
                chunk,
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
/// Iterations of `i0`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_i0(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        for i0 in chunk.lo..chunk.hi {
            let i1_begin = i0 * 16;
            let i1_end = (i1_begin + 16).min(B1_dim);
            for i in i1_begin..i1_end {
                let pB2_begin = B2_pos.index(i);
                let pB2_end = B2_pos.index(i + 1);
                let kpos0_end = (pB2_end - pB2_begin) / 8;
                for kpos0 in 0..kpos0_end {
                    for j in 0..C2_dim {
                        let kpos1_begin = pB2_begin + kpos0 * 8;
                        {
                            let next = kpos1_begin;
                            {
                                let pB = next;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 1;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 2;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 3;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 4;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 5;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 6;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 7;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                        }
                    }
                }
                if kpos0_end * 8 < pB2_end - pB2_begin {
                    for j in 0..C2_dim {
                        let kpos1_begin = pB2_begin + kpos0_end * 8;
                        let kpos1_end = (kpos1_begin + 8).min(pB2_end);
                        let mut next = kpos1_begin;
                        let end = kpos1_end;
                        while next + 7 < end {
                            {
                                let pB = next;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 1;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 2;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 3;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 4;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 5;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 6;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            {
                                let pB = next + 7;
                                let k = B2_crd.index(pB);
                                A_vals
                                    .set(
                                        pB,
                                        isa
                                            .mul_add(
                                                B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                                D_vals.at(j * B2_dim + k),
                                                A_vals.at(pB),
                                            ),
                                    );
                            }
                            next += 8;
                        }
                        for pB in next..end {
                            let k = B2_crd.index(pB);
                            A_vals
                                .set(
                                    pB,
                                    isa
                                        .mul_add(
                                            B_vals.at(pB) * C_vals.at(i * C2_dim + j),
                                            D_vals.at(j * B2_dim + k),
                                            A_vals.at(pB),
                                        ),
                                );
                        }
                    }
                }
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i0(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Avx512::assume(),
            chunk,
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
unsafe fn avx2_i0(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Avx2::assume(),
            chunk,
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
unsafe fn baseline_i0(
    chunk: rt::Chunk,
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_i0(
            rt::Baseline,
            chunk,
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
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
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
    B_vals: &[f64],
    C_vals: &[f64],
    D_vals: &[f64],
    A_vals: &mut [MaybeUninit<f64>],
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
    B_vals: &[f64],
    C_vals: &[f64],
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
