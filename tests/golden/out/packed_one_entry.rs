/// A[i, j] = B[i, j];
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
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut A1_crd_len = 0_usize;
        A1_pos.set(0, 0);
        rt::Lens {
            indices: [A1_crd_len, _],
            values: _,
        } = rt::append(
            isa,
            &Task_i {
                B2_pos,
                B2_crd,
                B_vals,
                A1_crd: A1_crd.shared(),
                A2_crd: A2_crd.shared(),
                A_vals: A_vals.shared(),
            },
            rt::Lens {
                indices: [A1_crd_len, A1_crd_len],
                values: A1_crd_len,
            },
            |i| B2_pos.index(i),
            0..B1_dim,
            B2_pos.index(B1_dim),
            rt::Positions(B2_pos),
        );
        A1_pos.set(1, A1_crd_len as i32);
        [A1_crd_len]
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    A1_crd: rt::Shared<i32>,
    A2_crd: rt::Shared<i32>,
    A_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = rt::Lens<2>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<2> {
        let Task_i { B2_pos, B2_crd, B_vals, ref A1_crd, ref A2_crd, ref A_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, B2_pos, B2_crd, B_vals, A1_crd, A2_crd, A_vals) }
    }
}
impl rt::Appender<f64, 2> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 2], rt::Shared<f64>) {
        ([self.A1_crd, self.A2_crd], self.A_vals)
    }
    fn with(
        &self,
        [A1_crd,
        A2_crd,
        ]: [rt::Shared<i32>; 2],
        A_vals: rt::Shared<f64>,
    ) -> Self {
        Task_i {
            A1_crd,
            A2_crd,
            A_vals,
            ..*self
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
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<2> {
    unsafe {
        let mut A1_crd_len = 0_usize;
        let mut B2_begin = B2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let B2_end = B2_pos.index(i + 1);
            for pB in rt::fiber(B2_begin, B2_end) {
                let j = B2_crd.index(pB);
                A1_crd.set(A1_crd_len, i as i32);
                A2_crd.set(A1_crd_len, j as i32);
                A_vals.set(A1_crd_len, B_vals.at(pB));
                A1_crd_len += 1;
            }
            B2_begin = B2_end;
        }
        rt::Lens {
            indices: [A1_crd_len, A1_crd_len],
            values: A1_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<2> {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_pos,
            B2_crd,
            B_vals,
            A1_crd,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<2> {
    unsafe {
        body_i(rt::Avx2::assume(), chunk, B2_pos, B2_crd, B_vals, A1_crd, A2_crd, A_vals)
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_crd: &rt::Shared<i32>,
    A2_crd: &rt::Shared<i32>,
    A_vals: &rt::Shared<f64>,
) -> rt::Lens<2> {
    unsafe {
        body_i(rt::Baseline, chunk, B2_pos, B2_crd, B_vals, A1_crd, A2_crd, A_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            B1_dim,
            B2_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A1_pos,
            A1_crd,
            A2_crd,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B1_dim: usize,
    B2_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A1_pos: &mut [MaybeUninit<i32>],
    A1_crd: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    B1_dim,
                    B2_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
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
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A1_pos,
                    A1_crd,
                    A2_crd,
                    A_vals,
                )
            }
        }
    }
}
