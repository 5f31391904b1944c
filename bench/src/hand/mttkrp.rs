//! `M[i, r] = A[i, k, l] * C[k, r] * D[l, r]`, dense matrices by rows

use super::isa::multiversion;
use super::lanes::Lanes;
use crate::real::Real;
use crate::view::Csf3View;

multiversion! {
    /// By fibers: the sum over l is scaled by a row of C once, and a row of M stays in registers.
    pub(crate) fn mttkrp<T>(a: Csf3View<'_, T>, c: &[T], d: &[T], r: usize, m: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: Csf3View<'_, T>, c: &[T], d: &[T], r: usize, m: &mut [T]) {
    assert!(m.len() == a.dims[0] * r && c.len() == a.dims[1] * r && d.len() == a.dims[2] * r);
    m.fill(T::ZERO);
    for (n, i) in a.crd1.iter().enumerate() {
        let fibers = a.pos2[n] as usize..a.pos2[n + 1] as usize;
        let row = &mut m[*i as usize * r..(*i as usize + 1) * r];
        let mut at = 0;
        while at + 32 <= r {
            strip::<T, FMA, 16, 2>(a, c, d, r, fibers.clone(), at, row);
            at += 32;
        }
        while at < r {
            strip::<T, FMA, 1, 1>(a, c, d, r, fibers.clone(), at, row);
            at += 1;
        }
    }
}

/// Columns `at .. at + L · R` of one row of M.
#[inline(always)]
fn strip<T: Real, const FMA: bool, const L: usize, const R: usize>(
    a: Csf3View<'_, T>,
    c: &[T],
    d: &[T],
    width: usize,
    fibers: std::ops::Range<usize>,
    at: usize,
    row: &mut [T],
) {
    let mut total = [Lanes::<T, L>::ZERO; R];
    for q in fibers {
        let mut sum = [Lanes::<T, L>::ZERO; R];
        // SAFETY: q is a fiber; its positions are below the number of entries, coordinates below the rows of C and
        // D, and the strip is inside a row.
        unsafe {
            let (start, end) = (*a.pos3.get_unchecked(q) as usize, *a.pos3.get_unchecked(q + 1) as usize);
            for p in start..end {
                let l = *a.crd3.get_unchecked(p) as usize * width + at;
                for n in 0..R {
                    sum[n].axpy::<FMA>(*a.vals.get_unchecked(p), Lanes::load(d, l + n * L));
                }
            }
            let k = *a.crd2.get_unchecked(q) as usize * width + at;
            for n in 0..R {
                total[n].mul_acc::<FMA>(sum[n], Lanes::load(c, k + n * L));
            }
        }
    }
    for n in 0..R {
        // SAFETY: the strip is inside the row.
        unsafe { total[n].store(row, at + n * L) };
    }
}
