//! One number of a whole matrix: `s = A[i, j] * A[i, j]`, `s = y[i] * A[i, j] * x[j]`.

use super::isa::multiversion;
use super::lanes::{Lanes, fma};
use super::spmv::{has_short_rows, row};
use crate::real::Real;
use crate::view::CsrView;

/// Values side by side in a total of neighbours, in four sums, each of which waits for its own last addition alone.
const LANES: usize = 8;

multiversion! {
    /// The squares of all entries, whichever rows they are of.
    pub(crate) fn norm<T>(a: CsrView<'_, T>) -> T = squares;
}

#[inline(always)]
fn squares<T: Real, const FMA: bool>(a: CsrView<'_, T>) -> T {
    let mut sums = [Lanes::<T, LANES>::ZERO; 4];
    let parts = a.vals.chunks_exact(4 * LANES);
    let mut rest = T::ZERO;
    for v in parts.remainder() {
        rest = fma::<T, FMA>(*v, *v, rest);
    }
    for part in parts {
        for (n, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a part has this many values.
            let v = unsafe { Lanes::load(part, n * LANES) };
            sum.mul_acc::<FMA>(v, v);
        }
    }
    let [mut a, b, mut c, d] = sums;
    a.add(b);
    c.add(d);
    a.add(c);
    a.sum() + rest
}

multiversion! {
    /// Rows as in [`super::spmv`], and each times its element of `y`.
    pub(crate) fn bilinear<T>(a: CsrView<'_, T>, x: &[T], y: &[T]) -> T = rows;
}

#[inline(always)]
fn rows<T: Real, const FMA: bool>(a: CsrView<'_, T>, x: &[T], y: &[T]) -> T {
    assert!(x.len() == a.cols && y.len() == a.rows && a.pos.len() == a.rows + 1);
    // SAFETY: the view's invariants keep positions below the number of entries and coordinates below `x.len()`.
    let term = |p: usize, sum: T| unsafe {
        let j = *a.crd.get_unchecked(p) as usize;
        fma::<T, FMA>(*a.vals.get_unchecked(p), *x.get_unchecked(j), sum)
    };
    let short = has_short_rows(&a);
    let (mut total, mut p) = (T::ZERO, 0);
    for (y, end) in y.iter().zip(&a.pos[1..]) {
        total = fma::<T, FMA>(*y, row(&mut p, *end as usize, short, term), total);
    }
    total
}
