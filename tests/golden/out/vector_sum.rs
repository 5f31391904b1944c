/// a[i] = b[i] + c[i];
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
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    unsafe {
        let parts = ((b1_pos.index(1) + c1_pos.index(1)) / 4096).min(64).max(1);
        let i_step = (b1_dim + parts - 1) / parts;
        rt::threads(
            isa,
            &Task_part {
                b1_dim,
                i_step,
                b1_pos,
                b1_crd,
                b_vals,
                c1_pos,
                c1_crd,
                c_vals,
                a_vals: a_vals.shared(),
            },
            0..parts,
            b1_pos.index(1).saturating_add(c1_pos.index(1)),
            rt::Even,
        );
    }
}
/// What the iterations of `part` capture.
struct Task_part<'a> {
    b1_dim: usize,
    i_step: usize,
    b1_pos: &'a [i32],
    b1_crd: &'a [i32],
    b_vals: &'a [f64],
    c1_pos: &'a [i32],
    c1_crd: &'a [i32],
    c_vals: &'a [f64],
    a_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_part {
            b1_dim,
            i_step,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            ref a_vals,
        } = *self;
        let body_part = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_part,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_part,
            _ => baseline_part,
        };
        unsafe {
            body_part(
                chunk,
                b1_dim,
                i_step,
                b1_pos,
                b1_crd,
                b_vals,
                c1_pos,
                c1_crd,
                c_vals,
                a_vals,
            )
        }
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
    b1_dim: usize,
    i_step: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe {
        for part in chunk.lo..chunk.hi {
            let window_begin = (part * i_step).min(b1_dim);
            let window_end = (window_begin + i_step).min(b1_dim);
            let pb1_begin = b1_pos.index(0);
            let pb1_end = b1_pos.index(1);
            let pc1_begin = c1_pos.index(0);
            let pc1_end = c1_pos.index(1);
            let pb_begin = rt::lower_bound(b1_crd, pb1_begin, pb1_end, window_begin);
            let pb_end = rt::lower_bound(b1_crd, pb_begin, pb1_end, window_end);
            let pc_begin = rt::lower_bound(c1_crd, pc1_begin, pc1_end, window_begin);
            let pc_end = rt::lower_bound(c1_crd, pc_begin, pc1_end, window_end);
            let mut pb = pb_begin;
            let mut pc = pc_begin;
            if pb < pb_end && pc < pc_end {
                rt::align();
                loop {
                    let ib = b1_crd.index(pb);
                    let ic = c1_crd.index(pc);
                    if ib == ic {
                        a_vals.set(ib, b_vals.at(pb) + c_vals.at(pc));
                        pb += 1;
                        pc += 1;
                        if pb_end <= pb || pc_end <= pc {
                            break;
                        }
                    } else if ib < ic {
                        a_vals.set(ib, b_vals.at(pb));
                        pb += 1;
                        pc = rt::unforeseen(pc);
                        if pb_end <= pb {
                            break;
                        }
                    } else {
                        a_vals.set(ic, c_vals.at(pc));
                        pc += 1;
                        pb = rt::unforeseen(pb);
                        if pc_end <= pc {
                            break;
                        }
                    }
                }
            }
            for pb_2 in pb..pb_end {
                let i = b1_crd.index(pb_2);
                a_vals.set(i, b_vals.at(pb_2));
            }
            for pc_2 in pc..pc_end {
                let i = c1_crd.index(pc_2);
                a_vals.set(i, c_vals.at(pc_2));
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_part(
    chunk: rt::Chunk,
    b1_dim: usize,
    i_step: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Avx512::assume(),
            chunk,
            b1_dim,
            i_step,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_part(
    chunk: rt::Chunk,
    b1_dim: usize,
    i_step: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Avx2::assume(),
            chunk,
            b1_dim,
            i_step,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a_vals,
        )
    }
}
unsafe fn baseline_part(
    chunk: rt::Chunk,
    b1_dim: usize,
    i_step: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &rt::Shared<f64>,
) {
    unsafe {
        body_part(
            rt::Baseline,
            chunk,
            b1_dim,
            i_step,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            a_vals,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    b1_dim: usize,
    b1_pos: &[i32],
    b1_crd: &[i32],
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
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
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
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
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a_vals: &mut [MaybeUninit<f64>],
) {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe {
                avx512(b1_dim, b1_pos, b1_crd, b_vals, c1_pos, c1_crd, c_vals, a_vals)
            }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe {
                avx2(b1_dim, b1_pos, b1_crd, b_vals, c1_pos, c1_crd, c_vals, a_vals)
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
                    a_vals,
                )
            }
        }
    }
}
