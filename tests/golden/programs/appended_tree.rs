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
    A_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        C1_pos.set(0, 0);
        rt::grow(
            isa,
            &Task_i {
                A2_pos,
                A2_crd,
                A_vals,
                C1_crd: rt::Own::of(C1_crd),
                C2_pos: rt::Own::of(C2_pos),
                C2_crd: rt::Own::of(C2_crd),
                C_vals: rt::Own::of(C_vals),
            },
            0..A1_dim,
            16777216,
            rt::Positions(A2_pos),
        );
        C2_pos.scan(C2_pos.len());
        C1_pos.set(1, C1_crd.len() as i32);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f32],
    C1_crd: rt::Own<rt::Grown<i32>>,
    C2_pos: rt::Own<rt::Grown<i32>>,
    C2_crd: rt::Own<rt::Grown<i32>>,
    C_vals: rt::Own<rt::Grown<f32>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i { A2_pos, A2_crd, A_vals, C1_crd, C2_pos, C2_crd, C_vals } = *self;
        let body_i = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_i,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_i,
            _ => baseline_i,
        };
        unsafe {
            body_i(
                chunk,
                A2_pos,
                A2_crd,
                A_vals,
                C1_crd.get(),
                C2_pos.get(),
                C2_crd.get(),
                C_vals.get(),
            )
        }
    }
}
impl rt::Grower<f32, 3> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 3], rt::Own<rt::Grown<f32>>) {
        ([self.C1_crd, self.C2_pos, self.C2_crd], self.C_vals)
    }
    fn with(
        &self,
        [C1_crd,
        C2_pos,
        C2_crd,
        ]: [rt::Own<rt::Grown<i32>>; 3],
        C_vals: rt::Own<rt::Grown<f32>>,
    ) -> Self {
        Task_i {
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
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
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let begin = C2_crd.len();
            for p in A2_begin..A2_end {
                if A2_crd.index(p) % 2 == 0 {
                    C2_crd.push(A2_crd.index(p) as i32);
                    C_vals.push(A_vals.at(p));
                }
            }
            if begin < C2_crd.len() {
                C1_crd.push(i as i32);
                C2_pos.push((C2_crd.len() - begin) as i32);
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            C1_crd,
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
    A_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            A2_pos,
            A2_crd,
            A_vals,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            C1_pos,
            C1_crd,
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
    A_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            A2_pos,
            A2_crd,
            A_vals,
            C1_pos,
            C1_crd,
            C2_pos,
            C2_crd,
            C_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    C1_pos: &mut [MaybeUninit<i32>],
    C1_crd: &mut rt::Grown<i32>,
    C2_pos: &mut rt::Grown<i32>,
    C2_crd: &mut rt::Grown<i32>,
    C_vals: &mut rt::Grown<f32>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    C1_pos,
                    C1_crd,
                    C2_pos,
                    C2_crd,
                    C_vals,
                )
            }
        }
    }
}
