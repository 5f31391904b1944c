//! `y[i] = A[i, j] * x[j]`

use super::isa::multiversion;
use super::lanes::fma;
use crate::real::Real;
use crate::view::CsrView;

multiversion! {
    /// Rows of dot products, four partial sums each.
    pub(crate) fn spmv<T>(a: CsrView<'_, T>, x: &[T], y: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: CsrView<'_, T>, x: &[T], y: &mut [T]) {
    assert!(x.len() == a.cols && y.len() == a.rows && a.pos.len() == a.rows + 1);
    // SAFETY: the view's invariants keep positions below the number of entries and coordinates below `x.len()`.
    let term = |p: usize, sum: T| unsafe {
        let j = *a.crd.get_unchecked(p) as usize;
        fma::<T, FMA>(*a.vals.get_unchecked(p), *x.get_unchecked(j), sum)
    };
    let short = has_short_rows(&a);
    let mut p = 0;
    for (out, end) in y.iter_mut().zip(&a.pos[1..]) {
        *out = row(&mut p, *end as usize, short, term);
    }
}

/// Where rows are short, the end of each is a mispredicted branch, and a second loop is a second one.
#[inline(always)]
pub(super) fn has_short_rows<T>(a: &CsrView<'_, T>) -> bool {
    a.crd.len() < 10 * a.rows
}

/// The sum of a row's terms from `p` on, in four partial sums if it is not short; `p` is its end then.
#[inline(always)]
pub(super) fn row<T: Real>(p: &mut usize, end: usize, short: bool, term: impl Fn(usize, T) -> T) -> T {
    let mut sum = [T::ZERO; 4];
    if !short {
        while *p + 4 <= end {
            for (l, s) in sum.iter_mut().enumerate() {
                *s = term(*p + l, *s);
            }
            *p += 4;
        }
    }
    let mut rest = T::ZERO;
    while *p < end {
        rest = term(*p, rest);
        *p += 1;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}
