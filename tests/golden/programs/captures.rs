/// y[i] += alpha * A[i, j]
///
/// # Safety
/// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
/// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
/// instruction set are called on processors that have it.
#[inline(always)]
unsafe fn body(
    isa: impl rt::Isa,
    A1_dim: usize,
    alpha: f32,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    y_vals: &mut [f32],
    list: &mut rt::Grown<i32>,
    again: &mut [MaybeUninit<i32>],
) -> [usize; 1] {
    unsafe {
        let mut again_len = 0_usize;
        let mut A2_begin = A2_pos.index(0);
        for n in 0..A1_dim {
            let A2_end = A2_pos.index(n + 1);
            if A2_begin < A2_end {
                list.push(n as i32);
                again.set(again_len, n as i32);
                again_len += 1;
            }
            A2_begin = A2_end;
        }
        let mut last = 0_usize;
        let any = 0 < again_len;
        last = again_len;
        rt::threads(
            isa,
            &Task_r {
                alpha,
                last,
                any,
                again_len,
                A2_pos,
                A_vals,
                y_vals: y_vals.shared(),
                list: &*list,
                again: &*again,
            },
            0..list.len(),
            rt::in_lanes(16777216, usize::MAX),
            rt::Even,
        );
        [again_len]
    }
}
/// What the iterations of `r` capture.
struct Task_r<'a> {
    alpha: f32,
    last: usize,
    any: bool,
    again_len: usize,
    A2_pos: &'a [i32],
    A_vals: &'a [f32],
    y_vals: rt::Shared<f32>,
    list: &'a [i32],
    again: &'a [MaybeUninit<i32>],
}
impl rt::Task for Task_r<'_> {
    type Appended = ();
    unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
        let Task_r {
            alpha,
            last,
            any,
            again_len,
            A2_pos,
            A_vals,
            ref y_vals,
            list,
            again,
        } = *self;
        let body_r = match isa {
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx512 => avx512_r,
            #[cfg(target_arch = "x86_64")]
            rt::Level::Avx2 => avx2_r,
            _ => baseline_r,
        };
        unsafe {
            body_r(
                chunk,
                alpha,
                last,
                any,
                again_len,
                A2_pos,
                A_vals,
                y_vals,
                list,
                again,
            )
        }
    }
}
/// Iterations of `r`.
///
/// # Safety
/// As for `body`, and no other thread runs these.
#[inline(always)]
unsafe fn body_r(
    isa: impl rt::Isa,
    chunk: rt::Chunk,
    alpha: f32,
    last: usize,
    any: bool,
    again_len: usize,
    A2_pos: &[i32],
    A_vals: &[f32],
    y_vals: &rt::Shared<f32>,
    list: &[i32],
    again: &[MaybeUninit<i32>],
) {
    unsafe {
        for r in chunk.lo..chunk.hi {
            let i = list.index(r);
            let mut t = 0.0_f32;
            let mut next = A2_pos.index(i);
            let end = A2_pos.index(i + 1);
            let width = isa.width::<f32>();
            if next + width <= end {
                let mut partial = isa.splat(-0.0_f32);
                if next + 8 * width <= end {
                    let mut each = [isa.splat(-0.0_f32); 4];
                    each[0] = partial;
                    while next + 8 * width <= end {
                        for offset in 0..8 {
                            let p = next + offset * width;
                            each[offset % 4] += isa.load(A_vals, p);
                        }
                        next += 8 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + 2 * width <= end {
                    let mut each = [isa.splat(-0.0_f32); 2];
                    each[0] = partial;
                    while next + 2 * width <= end {
                        for offset in 0..2 {
                            let p = next + offset * width;
                            each[offset] += isa.load(A_vals, p);
                        }
                        next += 2 * width;
                    }
                    partial = rt::sum(each);
                }
                if next + width <= end {
                    let p = next;
                    partial += isa.load(A_vals, p);
                    next += width;
                }
                t += partial.sum();
            }
            for p in next..end {
                t += A_vals.at(p);
            }
            if any && (again.index(r) == i && (list.len() == again_len && r < last)) {
                y_vals.set(i, isa.mul_add(alpha, t, y_vals.at(i)));
            }
        }
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512_r(
    chunk: rt::Chunk,
    alpha: f32,
    last: usize,
    any: bool,
    again_len: usize,
    A2_pos: &[i32],
    A_vals: &[f32],
    y_vals: &rt::Shared<f32>,
    list: &[i32],
    again: &[MaybeUninit<i32>],
) {
    unsafe {
        body_r(
            rt::Avx512::assume(),
            chunk,
            alpha,
            last,
            any,
            again_len,
            A2_pos,
            A_vals,
            y_vals,
            list,
            again,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2_r(
    chunk: rt::Chunk,
    alpha: f32,
    last: usize,
    any: bool,
    again_len: usize,
    A2_pos: &[i32],
    A_vals: &[f32],
    y_vals: &rt::Shared<f32>,
    list: &[i32],
    again: &[MaybeUninit<i32>],
) {
    unsafe {
        body_r(
            rt::Avx2::assume(),
            chunk,
            alpha,
            last,
            any,
            again_len,
            A2_pos,
            A_vals,
            y_vals,
            list,
            again,
        )
    }
}
unsafe fn baseline_r(
    chunk: rt::Chunk,
    alpha: f32,
    last: usize,
    any: bool,
    again_len: usize,
    A2_pos: &[i32],
    A_vals: &[f32],
    y_vals: &rt::Shared<f32>,
    list: &[i32],
    again: &[MaybeUninit<i32>],
) {
    unsafe {
        body_r(
            rt::Baseline,
            chunk,
            alpha,
            last,
            any,
            again_len,
            A2_pos,
            A_vals,
            y_vals,
            list,
            again,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
unsafe fn avx512(
    A1_dim: usize,
    alpha: f32,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    y_vals: &mut [f32],
    list: &mut rt::Grown<i32>,
    again: &mut [MaybeUninit<i32>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx512::assume(),
            A1_dim,
            alpha,
            A2_pos,
            A2_crd,
            A_vals,
            y_vals,
            list,
            again,
        )
    }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2")]
unsafe fn avx2(
    A1_dim: usize,
    alpha: f32,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    y_vals: &mut [f32],
    list: &mut rt::Grown<i32>,
    again: &mut [MaybeUninit<i32>],
) -> [usize; 1] {
    unsafe {
        body(
            rt::Avx2::assume(),
            A1_dim,
            alpha,
            A2_pos,
            A2_crd,
            A_vals,
            y_vals,
            list,
            again,
        )
    }
}
/// # Safety
/// As for `body`.
pub(super) unsafe fn run(
    A1_dim: usize,
    alpha: f32,
    A2_pos: &[i32],
    A2_crd: &[i32],
    A_vals: &[f32],
    y_vals: &mut [f32],
    list: &mut rt::Grown<i32>,
    again: &mut [MaybeUninit<i32>],
) -> [usize; 1] {
    match rt::isa() {
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx512 => {
            unsafe { avx512(A1_dim, alpha, A2_pos, A2_crd, A_vals, y_vals, list, again) }
        }
        #[cfg(target_arch = "x86_64")]
        rt::Level::Avx2 => {
            unsafe { avx2(A1_dim, alpha, A2_pos, A2_crd, A_vals, y_vals, list, again) }
        }
        _ => {
            unsafe {
                body(
                    rt::Baseline,
                    A1_dim,
                    alpha,
                    A2_pos,
                    A2_crd,
                    A_vals,
                    y_vals,
                    list,
                    again,
                )
            }
        }
    }
}
