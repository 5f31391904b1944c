/// m[i] max= A[i, j];
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
    m_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        rt::threads(
            isa,
            &Task_i {
                A2_dim,
                A2_pos,
                A_vals,
                m_vals: m_vals.shared(),
            },
            0..A1_dim,
            rt::in_lanes(A2_pos.index(A1_dim), usize::MAX),
            rt::Positions(A2_pos),
        );
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_dim: usize,
    A2_pos: &'a [i32],
    A_vals: &'a [f64],
    m_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_dim, A2_pos, A_vals, ref m_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_dim, A2_pos, A_vals, m_vals) }
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
    A_vals: &[f64],
    m_vals: &rt::Shared<f64>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let mut t = -f64::INFINITY;
            if A2_end - A2_begin < A2_dim {
                t = t.max(0.0_f64);
            }
            let mut next = A2_begin;
            let end = A2_end;
            let width = isa.width::<f64>();
            if next + width <= end {
                let mut partial = isa.splat(-f64::INFINITY);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-f64::INFINITY); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let pA = next + offset * width;
                            each[offset % 4] = each[offset % 4]
                                .max(isa.load(A_vals, pA));
                        }
                        next += 8 * width;
                    }
                    partial = rt::largest(each);
                }
                if next + 2 * width <= end {
                    let mut each = [isa.splat(-f64::INFINITY); 2];
                    each[0] = partial;
                    while next + 2 * width <= end {
                        for offset in 0..2 {
                            let pA = next + offset * width;
                            each[offset] = each[offset].max(isa.load(A_vals, pA));
                        }
                        next += 2 * width;
                    }
                    partial = rt::largest(each);
                }
                if next + width <= end {
                    let pA = next;
                    partial = partial.max(isa.load(A_vals, pA));
                    next += width;
                }
                t = t.max(partial.largest());
            }
            for pA in next..end {
                t = t.max(A_vals.at(pA));
            }
            m_vals.set(i, t);
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A_vals: &[f64],
    m_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Avx512::assume(), chunk, A2_dim, A2_pos, A_vals, m_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A_vals: &[f64],
    m_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Avx2::assume(), chunk, A2_dim, A2_pos, A_vals, m_vals) }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_dim: usize,
    A2_pos: &[i32],
    A_vals: &[f64],
    m_vals: &rt::Shared<f64>,
) {
    unsafe { body_i(rt::Baseline, chunk, A2_dim, A2_pos, A_vals, m_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    m_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx512::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, m_vals) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    m_vals: &mut [MaybeUninit<f64>],
) {
    unsafe { body(rt::Avx2::assume(), A1_dim, A2_dim, A2_pos, A2_crd, A_vals, m_vals) }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    m_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, m_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_pos, A2_crd, A_vals, m_vals) }
        }
        _ => {
            unsafe { body(rt::Baseline, A1_dim, A2_dim, A2_pos, A2_crd, A_vals, m_vals) }
        }
    }
}
