/// C[i, j] = A[i, j] if j is even
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut C2_crd_len = 0_usize;
        rt::Lens {
            indices: [C2_crd_len],
            values: _,
        } = rt::append(
            isa,
            &Task_i {
                A2_pos,
                A2_crd,
                A_vals,
                C2_pos: C2_pos.shared(),
                C2_crd: C2_crd.shared(),
                C_vals: C_vals.shared(),
            },
            rt::Lens {
                indices: [C2_crd_len],
                values: C2_crd_len,
            },
            |i| A2_pos.index(i),
            0..A1_dim,
            16777216,
            rt::Positions(A2_pos),
        );
        C2_pos.scan(A1_dim);
        [C2_crd_len]
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    C2_pos: rt::Shared<i32>,
    C2_crd: rt::Shared<i32>,
    C_vals: rt::Shared<f64>,
}
impl rt::Task for Task_i<'_> {
    type Appended = rt::Lens<1>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<1> {
        let Task_i { A2_pos, A2_crd, A_vals, ref C2_pos, ref C2_crd, ref C_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe { body_i(chunk, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals) }
    }
}
impl rt::Appender<f64, 1> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 1], rt::Shared<f64>) {
        ([self.C2_crd], self.C_vals)
    }
    fn with(&self, [C2_crd]: [rt::Shared<i32>; 1], C_vals: rt::Shared<f64>) -> Self {
        Task_i { C2_crd, C_vals, ..*self }
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        let mut C2_crd_len = 0_usize;
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let begin = C2_crd_len;
            for p in A2_begin..A2_end {
                if A2_crd.index(p) % 2 == 0 {
                    C2_crd.set(C2_crd_len, A2_crd.index(p) as i32);
                    C_vals.set(C2_crd_len, A_vals.at(p));
                    C2_crd_len += 1;
                }
            }
            C2_pos.set(i, (C2_crd_len - begin) as i32);
            A2_begin = A2_end;
        }
        rt::Lens {
            indices: [C2_crd_len],
            values: C2_crd_len,
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(rt::Avx2::assume(), chunk, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals)
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &rt::Shared<i32>,
    C2_crd: &rt::Shared<i32>,
    C_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        body_i(rt::Baseline, chunk, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals)
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(rt::Avx2::assume(), A1_dim, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals)
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    C2_pos: &mut [MaybeUninit<i32>],
    C2_crd: &mut [MaybeUninit<i32>],
    C_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, A2_pos, A2_crd, A_vals, C2_pos, C2_crd, C_vals) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
