//! `C[i, j] = A[i, j] * X[i, k] * Y[j, k]`, X and Y by rows

use super::isa::multiversion;
use super::lanes::{Lanes, fma};
use crate::real::Real;
use crate::view::CsrView;

multiversion! {
    /// A dot product an entry, written to `out` in the order of the entries.
    pub(crate) fn sddmm<T>(a: CsrView<'_, T>, x: &[T], y: &[T], k: usize, out: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: CsrView<'_, T>, x: &[T], y: &[T], k: usize, out: &mut [T]) {
    assert!(x.len() == a.rows * k && y.len() == a.cols * k && out.len() == a.crd.len());
    match k {
        32 => rows::<T, FMA>(a, x, y, 32, out),
        128 => rows::<T, FMA>(a, x, y, 128, out),
        _ => rows::<T, FMA>(a, x, y, k, out),
    }
}

#[inline(always)]
fn rows<T: Real, const FMA: bool>(a: CsrView<'_, T>, x: &[T], y: &[T], k: usize, out: &mut [T]) {
    // SAFETY: positions are below the number of entries, and coordinates below the rows of y.
    let row_of =
        |p: usize| unsafe { y.get_unchecked(*a.crd.get_unchecked(p) as usize * k..).get_unchecked(..k) };
    let mut store = |p: usize, dot: T| unsafe {
        // SAFETY: p is a position, and `out` is as long as the values.
        *out.get_unchecked_mut(p) = *a.vals.get_unchecked(p) * dot;
    };
    let mut p = 0;
    for i in 0..a.rows {
        let end = a.pos[i + 1] as usize;
        let x = &x[i * k..(i + 1) * k];
        while p + 4 <= end {
            let dots = dots::<T, FMA, 16, 4>(x, [row_of(p), row_of(p + 1), row_of(p + 2), row_of(p + 3)]);
            for (l, dot) in dots.into_iter().enumerate() {
                store(p + l, dot);
            }
            p += 4;
        }
        while p < end {
            let [dot] = dots::<T, FMA, 16, 1>(x, [row_of(p)]);
            store(p, dot);
            p += 1;
        }
    }
}

/// The dot products of `x` with each of `ys`, all of one length: every load of `x` serves them all.
#[inline(always)]
fn dots<T: Real, const FMA: bool, const L: usize, const N: usize>(x: &[T], ys: [&[T]; N]) -> [T; N] {
    let k = x.len();
    let mut sums = [Lanes::<T, L>::ZERO; N];
    let mut at = 0;
    while at + L <= k {
        // SAFETY: `at + L` is inside x, and each of ys is as long.
        unsafe {
            let x = Lanes::load(x, at);
            for n in 0..N {
                sums[n].mul_acc::<FMA>(x, Lanes::load(ys[n], at));
            }
        }
        at += L;
    }
    let mut dots = sums.map(Lanes::sum);
    while at < k {
        for n in 0..N {
            dots[n] = fma::<T, FMA>(x[at], ys[n][at], dots[n]);
        }
        at += 1;
    }
    dots
}
