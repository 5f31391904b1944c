/// A[j, i] = B[i, j];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut A2_crd_len = 0_usize;
        let mut w2_pos_memory = rt::Scratch::<i32>::new();
        let mut w2_crd_memory = rt::Scratch::<i32>::new();
        let mut w_vals_memory = rt::Scratch::<f64>::new();
        A2_pos.set(0, 0);
        let w2_pos = w2_pos_memory.array(B2_dim + 2, 0_i32);
        let mut B2_begin = B2_pos.index(0);
        for i in 0..B1_dim {
            let B2_end = B2_pos.index(i + 1);
            for pB in B2_begin..B2_end {
                let j = B2_crd.index(pB);
                let row = j + 2;
                w2_pos.set(row, (w2_pos.index(row) + 1) as i32);
            }
            B2_begin = B2_end;
        }
        for w_row in 1..B2_dim + 1 {
            w2_pos
                .set(w_row + 1, (w2_pos.index(w_row) + w2_pos.index(w_row + 1)) as i32);
        }
        let w_len = w2_pos.index(B2_dim + 1);
        let w2_crd = w2_crd_memory.array(w_len, 0_i32);
        let w_vals = w_vals_memory.array(w_len, 0.0_f64);
        let mut B2_begin = B2_pos.index(0);
        for i in 0..B1_dim {
            let B2_end = B2_pos.index(i + 1);
            for pB in B2_begin..B2_end {
                let j = B2_crd.index(pB);
                let row = j + 1;
                let at = w2_pos.index(row);
                w2_pos.set(row, (at + 1) as i32);
                w2_crd.set(at, i as i32);
                w_vals.set(at, B_vals.at(pB));
            }
            B2_begin = B2_end;
        }
        for j in 0..B2_dim {
            let pw2_begin = w2_pos.index(j);
            let pw2_end = w2_pos.index(j + 1);
            for pw in pw2_begin..pw2_end {
                let i = w2_crd.index(pw);
                A2_crd.set(A2_crd_len, i as i32);
                A_vals.set(A2_crd_len, w_vals.at(pw));
                A2_crd_len += 1;
            }
            A2_pos.set(j + 1, A2_crd_len as i32);
        }
        [A2_crd_len]
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            B2_dim,
            B1_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            B2_dim,
            B1_dim,
            B2_pos,
            B2_crd,
            B_vals,
            A2_pos,
            A2_crd,
            A_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    B2_dim: usize,
    B1_dim: usize,
    B2_pos: &[i32],
    B2_crd: &[i32],
    B_vals: &[f64],
    A2_pos: &mut [MaybeUninit<i32>],
    A2_crd: &mut [MaybeUninit<i32>],
    A_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(B2_dim, B1_dim, B2_pos, B2_crd, B_vals, A2_pos, A2_crd, A_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(B2_dim, B1_dim, B2_pos, B2_crd, B_vals, A2_pos, A2_crd, A_vals)
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    B2_dim,
                    B1_dim,
                    B2_pos,
                    B2_crd,
                    B_vals,
                    A2_pos,
                    A2_crd,
                    A_vals,
                )
            }
        }
    }
}
