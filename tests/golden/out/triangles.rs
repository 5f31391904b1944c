/// t = A[i, j] * A[j, k] * A[i, k];
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
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        let parts = (A2_pos.index(A1_dim) * (A2_pos.index(A2_dim) / A2_dim.max(1) + 1)
            / 4096)
            .min(64)
            .max(1);
        let i_step = (A1_dim + parts - 1) / parts;
        rt::threads_with_copies(
            isa,
            &Task_part {
                A1_dim,
                A2_dim_2,
                i_step,
                A2_pos,
                A2_crd,
                A_vals,
                t_vals: t_vals.shared(),
            },
            rt::monoid::Add,
            0..parts,
            A2_pos
                .index(A1_dim)
                .saturating_mul(
                    (A2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    A1_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    t_vals: rt::Shared<f32>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part { A1_dim, A2_dim_2, i_step, A2_pos, A2_crd, A_vals, ref t_vals } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe {
            body_part(chunk, A1_dim, A2_dim_2, i_step, A2_pos, A2_crd, A_vals, t_vals)
        }
    }
}
impl rt::Reducer<f32> for Task_part<'_> {
    fn target(&self) -> rt::Shared<f32> {
        self.t_vals
    }
    fn with(&self, copy: rt::Shared<f32>) -> Self {
        Task_part { t_vals: copy, ..*self }
    }
}
/// Iterations of `part`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_part(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    A1_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &rt::Shared<f32>,
) {
    unsafe {
        let mut A2_after_memory = chunk.home.keep(0, || rt::Table::new());
        for part in chunk.lo..chunk.hi {
            let mut t = 0.0_f32;
            let window_begin = (part * i_step).min(A1_dim);
            let window_end = (window_begin + i_step).min(A1_dim);
            for i in window_begin..window_end {
                let pA2_begin = A2_pos.index(i);
                let pA2_end = A2_pos.index(i + 1);
                if pA2_begin < pA2_end {
                    let A2_after = A2_after_memory.array(A2_dim_2);
                    for pA in pA2_begin..pA2_end {
                        A2_after.set(A2_crd.index(pA), (pA + 1) as i32);
                    }
                    for pA in pA2_begin..pA2_end {
                        let j = A2_crd.index(pA);
                        let A_val = A_vals.at(pA);
                        for pA_2 in rt::fiber(A2_pos.index(j), A2_pos.index(j + 1)) {
                            let k = A2_crd.index(pA_2);
                            let pA2_after = A2_after.index(k);
                            if pA2_begin < pA2_after && pA2_after <= pA2_end {
                                t = isa
                                    .mul_add(
                                        A_val * A_vals.at(pA_2),
                                        A_vals.at(pA2_after - 1),
                                        t,
                                    );
                            }
                        }
                    }
                }
            }
            t_vals.set(0, t_vals.at(0) + t);
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            A1_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            t_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            A1_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            t_vals,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    A1_dim: usize,
    A2_dim_2: usize,
    i_step: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &rt::Shared<f32>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            A1_dim,
            A2_dim_2,
            i_step,
            A2_pos,
            A2_crd,
            A_vals,
            t_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            t_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &mut [MaybeUninit<f32>],
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_dim,
            A2_dim_2,
            A2_pos,
            A2_crd,
            A_vals,
            t_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_dim: usize,
    A2_dim_2: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    t_vals: &mut [MaybeUninit<f32>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_dim, A2_dim_2, A2_pos, A2_crd, A_vals, t_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_dim, A2_dim_2, A2_pos, A2_crd, A_vals, t_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_dim,
                    A2_dim_2,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    t_vals,
                )
            }
        }
    }
}
