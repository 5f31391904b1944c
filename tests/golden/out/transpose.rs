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
        let mut w_memory = rt::workspace::Sort::<f64, _>::new([B2_dim, B1_dim], 0.0_f64);
        A2_pos.set(0, 0);
        let mut w = w_memory.open();
        let mut B2_begin = B2_pos.index(0);
        for i in 0..B1_dim {
            let B2_end = B2_pos.index(i + 1);
            for pB in B2_begin..B2_end {
                let j = B2_crd.index(pB);
                let at = w.place([j, i]);
                w.set(at, B_vals.at(pB));
            }
            B2_begin = B2_end;
        }
        let ([w1_crd, w2_crd], w_vals) = w.gather(rt::workspace::Last);
        let pw1_end = w1_crd.len();
        let mut pw = 0_usize;
        while pw < pw1_end {
            let j = w1_crd.index(pw);
            let mut pw_next = pw;
            while pw_next < pw1_end && w1_crd.index(pw_next) == j {
                pw_next += 1;
            }
            for pw_2 in pw..pw_next {
                let i = w2_crd.index(pw_2);
                A2_crd.set(A2_crd_len, i as i32);
                A_vals.set(A2_crd_len, w_vals.at(pw_2));
                A2_crd_len += 1;
            }
            A2_pos.set(j + 1, A2_crd_len as i32);
            pw = pw_next;
        }
        for row in 0..B2_dim {
            A2_pos.set(row + 1, (A2_pos.index(row).max(A2_pos.index(row + 1))) as i32);
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
