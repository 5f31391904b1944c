/// y[i] = 2 * A[i, j] * x[j]
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let mut all_memory = rt::Scratch::<f64>::new();
        let all = all_memory.array(A1_dim * A2_dim, 0.0_f64);
        rt::threads(
            isa,
            &Task_i {
                A2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                x_vals,
                y_vals: y_vals.shared(),
                all: all.shared(),
            },
            0..A1_dim,
            rt::in_lanes(16777216, A2_dim),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    x_vals: &'a [f64],
    y_vals: rt::Shared<f64>,
    all: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_dim, A2_pos, A2_crd, A_vals, x_vals, ref y_vals, ref all } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => {
                match A2_dim {
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
                match A2_dim {
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
        unsafe { body_i(chunk, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals, all) }
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
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    all: &rt::Shared<f64>,
) {
    unsafe {
        let mut row_memory = chunk.home.keep(0, || rt::Scratch::<f64>::new());
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let row = row_memory.array(A2_dim, 0.0_f64);
            for p in A2_begin..A2_end {
                let at = A2_crd.index(p);
                row.set(at, row.at(at) + A_vals.at(p));
            }
            let mut next = 0_usize;
            let end = A2_dim;
            while next + 3 < end {
                {
                    let j = next;
                    all.set(i * A2_dim + j, row.at(j));
                }
                {
                    let j = next + 1;
                    all.set(i * A2_dim + j, row.at(j));
                }
                {
                    let j = next + 2;
                    all.set(i * A2_dim + j, row.at(j));
                }
                {
                    let j = next + 3;
                    all.set(i * A2_dim + j, row.at(j));
                }
                next += 4;
            }
            for j in next..end {
                all.set(i * A2_dim + j, row.at(j));
            }
            let mut t = 0.0_f64;
            let mut next = 0_usize;
            let end = A2_dim;
            let width = isa.width::<f64>();
            if next + width <= end {
                let mut partial = isa.splat(-0.0_f64);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let k = next + offset * width;
                            each[offset % 4] = isa
                                .mul_add(
                                    isa.load(all, i * A2_dim + k),
                                    isa.load(x_vals, k),
                                    each[offset % 4],
                                );
                        }
                        next += 8 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + 2 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 2];
                    each[0] = partial;
                    while next + 2 * width <= end {
                        for offset in 0..2 {
                            let k = next + offset * width;
                            each[offset] = isa
                                .mul_add(
                                    isa.load(all, i * A2_dim + k),
                                    isa.load(x_vals, k),
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
                            isa.load(all, i * A2_dim + k),
                            isa.load(x_vals, k),
                            partial,
                        );
                    next += width;
                }
                t += partial.sum();
            }
            for k in next..end {
                t = isa.mul_add(all.at(i * A2_dim + k), x_vals.at(k), t);
            }
            let mut u = 0.0_f64;
            let mut next = 0_usize;
            let end = A2_dim;
            let width = isa.width::<f64>();
            if next + width <= end {
                let mut partial = isa.splat(-0.0_f64);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let l = next + offset * width;
                            each[offset % 4] = isa
                                .mul_add(
                                    isa.load(row, l),
                                    isa.load(x_vals, l),
                                    each[offset % 4],
                                );
                        }
                        next += 8 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + 2 * width <= end {
                    let mut each = [isa.splat(-0.0_f64); 2];
                    each[0] = partial;
                    while next + 2 * width <= end {
                        for offset in 0..2 {
                            let l = next + offset * width;
                            each[offset] = isa
                                .mul_add(
                                    isa.load(row, l),
                                    isa.load(x_vals, l),
                                    each[offset],
                                );
                        }
                        next += 2 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + width <= end {
                    let l = next;
                    partial = isa
                        .mul_add(isa.load(row, l), isa.load(x_vals, l), partial);
                    next += width;
                }
                u += partial.sum();
            }
            for l in next..end {
                u = isa.mul_add(row.at(l), x_vals.at(l), u);
            }
            y_vals.set(i, t + u);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i<const SIZE: usize>(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    all: &rt::Shared<f64>,
) {
    let A2_dim = if SIZE == 0 { A2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
            all,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i<const SIZE: usize>(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    all: &rt::Shared<f64>,
) {
    let A2_dim = if SIZE == 0 { A2_dim } else { SIZE };
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            x_vals,
            y_vals,
            all,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &rt::Shared<f64>,
    all: &rt::Shared<f64>,
) {
    unsafe {
        body_i(rt::Baseline, chunk, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals, all)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
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
            A2_pos,
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    x_vals: &[f64],
    y_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, x_vals, y_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    x_vals,
                    y_vals,
                )
            }
        }
    }
}
