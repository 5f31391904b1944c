/// a[i] = b[i] ^ c[i];
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[bool],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[bool],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<bool>],
) -> [usize; 1] {
    unsafe {
        let mut a1_crd_len = 0_usize;
        a1_pos.set(0, 0);
        let pb1_end = b1_pos.index(1);
        let pc1_end = c1_pos.index(1);
        let mut pb = b1_pos.index(0);
        let mut pc = c1_pos.index(0);
        if pb < pb1_end && pc < pc1_end {
            rt::align();
            loop {
                let ib = b1_crd.index(pb);
                let ic = c1_crd.index(pc);
                if ib == ic {
                    a1_crd.set(a1_crd_len, ib as i32);
                    a_vals.set(a1_crd_len, b_vals.at(pb) ^ c_vals.at(pc));
                    a1_crd_len += 1;
                    pb += 1;
                    pc += 1;
                } else if ib < ic {
                    a1_crd.set(a1_crd_len, ib as i32);
                    a_vals.set(a1_crd_len, b_vals.at(pb));
                    a1_crd_len += 1;
                    pb += 1;
                } else {
                    a1_crd.set(a1_crd_len, ic as i32);
                    a_vals.set(a1_crd_len, c_vals.at(pc));
                    a1_crd_len += 1;
                    pc += 1;
                }
                if pb1_end <= pb || pc1_end <= pc {
                    break;
                }
            }
        }
        for pb_2 in rt::fiber(pb, pb1_end) {
            let i = b1_crd.index(pb_2);
            a1_crd.set(a1_crd_len, i as i32);
            a_vals.set(a1_crd_len, b_vals.at(pb_2));
            a1_crd_len += 1;
            rt::step_by_step();
        }
        for pc_2 in rt::fiber(pc, pc1_end) {
            let i = c1_crd.index(pc_2);
            a1_crd.set(a1_crd_len, i as i32);
            a_vals.set(a1_crd_len, c_vals.at(pc_2));
            a1_crd_len += 1;
            rt::step_by_step();
        }
        a1_pos.set(1, a1_crd_len as i32);
        [a1_crd_len]
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[bool],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[bool],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<bool>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            b1_dim,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a1_pos,
            a1_crd,
            a_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[bool],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[bool],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<bool>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            b1_dim,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a1_pos,
            a1_crd,
            a_vals,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[bool],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[bool],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<bool>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(
                    b1_dim,
                    b1_pos,
                    b1_crd,
                    b_vals,
                    c1_pos,
                    c1_crd,
                    c_vals,
                    a1_pos,
                    a1_crd,
                    a_vals,
                )
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(
                    b1_dim,
                    b1_pos,
                    b1_crd,
                    b_vals,
                    c1_pos,
                    c1_crd,
                    c_vals,
                    a1_pos,
                    a1_crd,
                    a_vals,
                )
            }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    b1_dim,
                    b1_pos,
                    b1_crd,
                    b_vals,
                    c1_pos,
                    c1_crd,
                    c_vals,
                    a1_pos,
                    a1_crd,
                    a_vals,
                )
            }
        }
    }
}
