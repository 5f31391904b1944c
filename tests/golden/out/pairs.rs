/// R[i, k, l] = A[i, j] * B[j, k] * C[j, l];
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
    C2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        R1_pos.set(0, 0);
        rt::grow(
            isa,
            &Task_i {
                B2_dim,
                C2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                R1_crd: rt::Own::of(R1_crd),
                R2_pos: rt::Own::of(R2_pos),
                R2_crd: rt::Own::of(R2_crd),
                R3_pos: rt::Own::of(R3_pos),
                R3_crd: rt::Own::of(R3_crd),
                R_vals: rt::Own::of(R_vals),
            },
            0..A1_dim,
            A2_pos
                .index(A1_dim)
                .saturating_mul((B2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1))
                .min(2147483648)
                .saturating_mul(
                    (C2_pos.index(A2_dim) / A2_dim.max(1)).saturating_add(1),
                ),
            rt::Positions(A2_pos),
        );
        R2_pos.scan(R2_pos.len());
        R3_pos.scan(R3_pos.len());
        R1_pos.set(1, R1_crd.len() as i32);
    }
}
/// What the iterations of `i` capture.
struct Task_i<'a> {
    B2_dim: usize,
    C2_dim: usize,
    A2_pos: &'a [i32],
    A2_crd: &'a [i32],
    A_vals: &'a [f64],
    B2_pos: &'a [i32],
    B2_crd: &'a [i32],
    B_vals: &'a [f64],
    C2_pos: &'a [i32],
    C2_crd: &'a [i32],
    C_vals: &'a [f64],
    R1_crd: rt::Own<rt::Grown<i32>>,
    R2_pos: rt::Own<rt::Grown<i32>>,
    R2_crd: rt::Own<rt::Grown<i32>>,
    R3_pos: rt::Own<rt::Grown<i32>>,
    R3_crd: rt::Own<rt::Grown<i32>>,
    R_vals: rt::Own<rt::Grown<f64>>,
}
impl rt::Task for Task_i<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_i {
            B2_dim,
            C2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        } = *self;
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
                B2_dim,
                C2_dim,
                A2_pos,
                A2_crd,
                A_vals,
                B2_pos,
                B2_crd,
                B_vals,
                C2_pos,
                C2_crd,
                C_vals,
                R1_crd.get(),
                R2_pos.get(),
                R2_crd.get(),
                R3_pos.get(),
                R3_crd.get(),
                R_vals.get(),
            )
        }
    }
}
impl rt::Grower<f64, 5> for Task_i<'_> {
    fn arrays(&self) -> ([rt::Own<rt::Grown<i32>>; 5], rt::Own<rt::Grown<f64>>) {
        ([self.R1_crd, self.R2_pos, self.R2_crd, self.R3_pos, self.R3_crd], self.R_vals)
    }
    fn with(
        &self,
        [R1_crd,
        R2_pos,
        R2_crd,
        R3_pos,
        R3_crd,
        ]: [rt::Own<rt::Grown<i32>>; 5],
        R_vals: rt::Own<rt::Grown<f64>>,
    ) -> Self {
        Task_i {
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
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
    B2_dim: usize,
    C2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        let mut w_memory = chunk
            .home
            .keep(0, || rt::workspace::Sort::<f64, _>::new([B2_dim, C2_dim], 0.0_f64));
        let mut A2_begin = A2_pos.index(chunk.lo);
        for i in chunk.lo..chunk.hi {
            let A2_end = A2_pos.index(i + 1);
            let R2_begin = R2_crd.len();
            let mut w = w_memory.open();
            for pA in A2_begin..A2_end {
                let j = A2_crd.index(pA);
                let A_val = A_vals.at(pA);
                for pB in rt::fiber(B2_pos.index(j), B2_pos.index(j + 1)) {
                    let k = B2_crd.index(pB);
                    let B_val = B_vals.at(pB);
                    for pC in rt::fiber(C2_pos.index(j), C2_pos.index(j + 1)) {
                        let l = C2_crd.index(pC);
                        let at = w.place([k, l]);
                        w.set(at, isa.mul_add(A_val * B_val, C_vals.at(pC), w.at(at)));
                    }
                }
            }
            let ([w1_crd, w2_crd], w_vals) = w
                .gather(rt::workspace::By(rt::monoid::Add));
            let pw1_end = w1_crd.len();
            let mut pw = 0_usize;
            while pw < pw1_end {
                let k = w1_crd.index(pw);
                let mut pw_next = pw;
                while pw_next < pw1_end && w1_crd.index(pw_next) == k {
                    pw_next += 1;
                }
                let R3_begin = R3_crd.len();
                R3_crd.extend(w2_crd, pw..pw_next);
                R_vals.extend(w_vals, pw..pw_next);
                if R3_begin < R3_crd.len() {
                    R2_crd.push(k as i32);
                    R3_pos.push((R3_crd.len() - R3_begin) as i32);
                }
                pw = pw_next;
            }
            if R2_begin < R2_crd.len() {
                R1_crd.push(i as i32);
                R2_pos.push((R2_crd.len() - R2_begin) as i32);
            }
            A2_begin = A2_end;
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    C2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx512::assume(),
            chunk,
            B2_dim,
            C2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    C2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Avx2::assume(),
            chunk,
            B2_dim,
            C2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        )
    }
}
unsafe fn baseline_i(
    chunk: rt::Chunk,
    B2_dim: usize,
    C2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body_i(
            rt::Baseline,
            chunk,
            B2_dim,
            C2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            B2_dim,
            C2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_pos,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            B2_dim,
            C2_dim,
            A2_dim,
            A2_pos,
            A2_crd,
            A_vals,
            B2_pos,
            B2_crd,
            B_vals,
            C2_pos,
            C2_crd,
            C_vals,
            R1_pos,
            R1_crd,
            R2_pos,
            R2_crd,
            R3_pos,
            R3_crd,
            R_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    B2_dim: usize,
    C2_dim: usize,
    A2_dim: usize,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f64],
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    C2_pos: &[i32],
    C2_crd: &[i32],
    C_vals: &[f64],
    R1_pos: &mut [MaybeUninit<i32>],
    R1_crd: &mut rt::Grown<i32>,
    R2_pos: &mut rt::Grown<i32>,
    R2_crd: &mut rt::Grown<i32>,
    R3_pos: &mut rt::Grown<i32>,
    R3_crd: &mut rt::Grown<i32>,
    R_vals: &mut rt::Grown<f64>,
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    A1_dim,
                    B2_dim,
                    C2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R3_pos,
                    R3_crd,
                    R_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    A1_dim,
                    B2_dim,
                    C2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R3_pos,
                    R3_crd,
                    R_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    B2_dim,
                    C2_dim,
                    A2_dim,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    C2_pos,
                    C2_crd,
                    C_vals,
                    R1_pos,
                    R1_crd,
                    R2_pos,
                    R2_crd,
                    R3_pos,
                    R3_crd,
                    R_vals,
                )
            }
        }
    }
}
