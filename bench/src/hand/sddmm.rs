//! `C[i, j] = A[i, j] * X[i, k] * Y[j, k]`, X and Y by rows

use super::isa::multiversion;
use super::lanes::{Lanes, fma};
use crate::real::Real;
use crate::view::CsrView;
use std::hint::black_box;
use std::mem::MaybeUninit;

multiversion! {
    /// A dot product an entry, in the order of the entries.
    pub(crate) fn sddmm<T>(a: CsrView<'_, T>, x: &[T], y: &[T], k: usize) -> Vec<T> = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: CsrView<'_, T>, x: &[T], y: &[T], k: usize) -> Vec<T> {
    assert!(x.len() == a.rows * k && y.len() == a.cols * k && a.vals.len() == a.crd.len());
    let mut vals = Vec::with_capacity(a.crd.len());
    let out = &mut vals.spare_capacity_mut()[..a.crd.len()];
    // One register's worth of lanes, and a constant trip count where it pays.
    match (size_of::<T>(), k) {
        (4, 32) => rows::<T, FMA, 16>(a, x, y, 32, out),
        (4, 128) => rows::<T, FMA, 16>(a, x, y, 128, out),
        (4, _) => rows::<T, FMA, 16>(a, x, y, k, out),
        (_, 32) => rows::<T, FMA, 8>(a, x, y, 32, out),
        (_, 128) => rows::<T, FMA, 8>(a, x, y, 128, out),
        (_, _) => rows::<T, FMA, 8>(a, x, y, k, out),
    }
    // SAFETY: `rows` has written a value for every entry.
    unsafe { vals.set_len(a.crd.len()) };
    vals
}

#[inline(always)]
fn rows<T: Real, const FMA: bool, const L: usize>(
    a: CsrView<'_, T>,
    x: &[T],
    y: &[T],
    k: usize,
    out: &mut [MaybeUninit<T>],
) {
    let mut p = 0;
    for i in 0..a.rows {
        let end = a.pos[i + 1] as usize;
        let x = &x[i * k..(i + 1) * k];
        while p < end {
            // SAFETY: p is a position, below the number of entries; its coordinate is below the rows of y.
            unsafe {
                let j = *a.crd.get_unchecked(p) as usize;
                let y = y.get_unchecked(j * k..(j + 1) * k);
                out.get_unchecked_mut(p).write(*a.vals.get_unchecked(p) * dot::<T, FMA, L>(x, y));
            }
            p += 1;
        }
    }
}

/// The dot product of two slices of one length.
#[inline(always)]
fn dot<T: Real, const FMA: bool, const L: usize>(x: &[T], y: &[T]) -> T {
    let k = x.len();
    let mut sum = Lanes::<T, L>::ZERO;
    let mut at = 0;
    while at + L <= k {
        // SAFETY: `at + L` is inside both.
        unsafe { sum.mul_acc::<FMA>(Lanes::load(x, at), Lanes::load(y, at)) };
        at += L;
    }
    // Without the barrier the optimiser turns the final sum's pairs into the shape of the whole product, in vectors of
    // two: four times slower.
    let mut dot = black_box(sum).sum();
    while at < k {
        dot = fma::<T, FMA>(x[at], y[at], dot);
        at += 1;
    }
    dot
}
