//! `Y[i, j] = A[i, j, k] * x[k]`, Y dense

use super::isa::multiversion;
use super::lanes::fma;
use crate::real::Real;
use crate::view::Csf3View;

multiversion! {
    /// Clears the output, then one dot product a fiber.
    pub(crate) fn ttv<T>(a: Csf3View<'_, T>, x: &[T], y: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: Csf3View<'_, T>, x: &[T], y: &mut [T]) {
    assert!(x.len() == a.dims[2] && y.len() == a.dims[0] * a.dims[1]);
    y.fill(T::ZERO);
    for (n, i) in a.crd1.iter().enumerate() {
        let row = *i as usize * a.dims[1];
        for q in a.pos2[n] as usize..a.pos2[n + 1] as usize {
            // SAFETY: q is a fiber; its positions are below the number of entries, and coordinates below their
            // dimensions.
            unsafe {
                let j = *a.crd2.get_unchecked(q) as usize;
                let (start, end) = (*a.pos3.get_unchecked(q) as usize, *a.pos3.get_unchecked(q + 1) as usize);
                let mut sum = T::ZERO;
                for p in start..end {
                    let k = *a.crd3.get_unchecked(p) as usize;
                    sum = fma::<T, FMA>(*a.vals.get_unchecked(p), *x.get_unchecked(k), sum);
                }
                *y.get_unchecked_mut(row + j) = sum;
            }
        }
    }
}
