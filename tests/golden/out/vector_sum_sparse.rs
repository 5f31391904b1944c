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
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<f64>],
) -> [usize; 1] {
    unsafe {
        let mut a1_crd_len = 0_usize;
        a1_pos.set(0, 0);
        let parts = ((b1_pos.index(1) + c1_pos.index(1)) / 4096).min(64).max(1);
        let i_step = (b1_dim + parts - 1) / parts;
        rt::Lens {
            indices: [a1_crd_len],
            values: _,
        } = rt::append(
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
                a1_crd: a1_crd.shared(),
                a_vals: a_vals.shared(),
            },
            rt::Lens {
                indices: [a1_crd_len],
                values: a1_crd_len,
            },
            |part| {
                rt::lower_bound(
                    b1_crd,
                    b1_pos.index(0),
                    b1_pos.index(1),
                    (part * i_step).min(b1_dim),
                )
                    + rt::lower_bound(
                        c1_crd,
                        c1_pos.index(0),
                        c1_pos.index(1),
                        (part * i_step).min(b1_dim),
                    )
            },
            0..parts,
            b1_pos.index(1).saturating_add(c1_pos.index(1)),
            rt::Even,
        );
        a1_pos.set(1, a1_crd_len as i32);
        [a1_crd_len]
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
    a1_crd: rt::Shared<i32>,
    a_vals: rt::Shared<f64>,
}
impl rt::Task for Task_part<'_> {
    type Appended = rt::Lens<1>;
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) -> rt::Lens<1> {
        let Task_part {
            b1_dim,
            i_step,
            b1_pos,
            b1_crd,
            b_vals,
            c1_pos,
            c1_crd,
            c_vals,
            ref a1_crd,
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
                a1_crd,
                a_vals,
            )
        }
    }
}
impl rt::Appender<f64, 1> for Task_part<'_> {
    fn arrays(&self) -> ([rt::Shared<i32>; 1], rt::Shared<f64>) {
        ([self.a1_crd], self.a_vals)
    }
    fn with(&self, [a1_crd]: [rt::Shared<i32>; 1], a_vals: rt::Shared<f64>) -> Self {
        Task_part {
            a1_crd,
            a_vals,
            ..*self
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
    a1_crd: &rt::Shared<i32>,
    a_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
    unsafe {
        let mut a1_crd_len = 0_usize;
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
                        a1_crd.set(a1_crd_len, ib as i32);
                        a_vals.set(a1_crd_len, b_vals.at(pb) + c_vals.at(pc));
                        a1_crd_len += 1;
                        pb += 1;
                        pc += 1;
                        if pb_end <= pb || pc_end <= pc {
                            break;
                        }
                    } else if ib < ic {
                        a1_crd.set(a1_crd_len, ib as i32);
                        a_vals.set(a1_crd_len, b_vals.at(pb));
                        a1_crd_len += 1;
                        pb += 1;
                        pc = rt::unforeseen(pc);
                        if pb_end <= pb {
                            break;
                        }
                    } else {
                        a1_crd.set(a1_crd_len, ic as i32);
                        a_vals.set(a1_crd_len, c_vals.at(pc));
                        a1_crd_len += 1;
                        pc += 1;
                        pb = rt::unforeseen(pb);
                        if pc_end <= pc {
                            break;
                        }
                    }
                }
            }
            for pb_2 in rt::rest(pb, pb_end) {
                let i = b1_crd.index(pb_2);
                a1_crd.set(a1_crd_len, i as i32);
                a_vals.set(a1_crd_len, b_vals.at(pb_2));
                a1_crd_len += 1;
            }
            for pc_2 in rt::rest(pc, pc_end) {
                let i = c1_crd.index(pc_2);
                a1_crd.set(a1_crd_len, i as i32);
                a_vals.set(a1_crd_len, c_vals.at(pc_2));
                a1_crd_len += 1;
            }
        }
        rt::Lens {
            indices: [a1_crd_len],
            values: a1_crd_len,
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
    a1_crd: &rt::Shared<i32>,
    a_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
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
            a1_crd,
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
    a1_crd: &rt::Shared<i32>,
    a_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
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
            a1_crd,
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
    a1_crd: &rt::Shared<i32>,
    a_vals: &rt::Shared<f64>,
) -> rt::Lens<1> {
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
            a1_crd,
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
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<f64>],
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
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<f64>],
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
    b_vals: &[f64],
    c1_pos: &[i32],
    c1_crd: &[i32],
    c_vals: &[f64],
    a1_pos: &mut [MaybeUninit<i32>],
    a1_crd: &mut [MaybeUninit<i32>],
    a_vals: &mut [MaybeUninit<f64>],
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
