//! A few values side by side, which the optimiser keeps in vector registers.

use crate::real::Real;

/// `a · b + c`: fused where the instruction set has it (elsewhere `mul_add` is a library call).
#[inline(always)]
pub(crate) fn fma<T: Real, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// `L` accumulators.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<T, const L: usize>(pub(crate) [T; L]);

impl<T: Real, const L: usize> Lanes<T, L> {
    /// All zero.
    pub(crate) const ZERO: Self = Lanes([T::ZERO; L]);

    /// `L` values from `at` on.
    ///
    /// # Safety
    /// `at + L` must not exceed the length.
    #[inline(always)]
    pub(crate) unsafe fn load(from: &[T], at: usize) -> Self {
        // SAFETY: the caller keeps `at + L` inside.
        Lanes(unsafe { from.as_ptr().add(at).cast::<[T; L]>().read_unaligned() })
    }

    /// Writes the values from `at` on.
    ///
    /// # Safety
    /// `at + L` must not exceed the length.
    #[inline(always)]
    pub(crate) unsafe fn store(self, to: &mut [T], at: usize) {
        // SAFETY: the caller keeps `at + L` inside.
        unsafe { to.as_mut_ptr().add(at).cast::<[T; L]>().write_unaligned(self.0) }
    }

    /// `self += a · b`, lane by lane.
    #[inline(always)]
    pub(crate) fn axpy<const FMA: bool>(&mut self, a: T, b: Self) {
        for l in 0..L {
            self.0[l] = fma::<T, FMA>(a, b.0[l], self.0[l]);
        }
    }

    /// `self += a · b`, both by lanes.
    #[inline(always)]
    pub(crate) fn mul_acc<const FMA: bool>(&mut self, a: Self, b: Self) {
        for l in 0..L {
            self.0[l] = fma::<T, FMA>(a.0[l], b.0[l], self.0[l]);
        }
    }

    /// `self += b`, lane by lane.
    #[inline(always)]
    pub(crate) fn add(&mut self, b: Self) {
        for l in 0..L {
            self.0[l] += b.0[l];
        }
    }

    /// The sum of the lanes, pairwise. `L` must be a power of two.
    #[inline(always)]
    pub(crate) fn sum(mut self) -> T {
        let mut half = L / 2;
        while half > 0 {
            for l in 0..half {
                let upper = self.0[l + half];
                self.0[l] += upper;
            }
            half /= 2;
        }
        self.0[0]
    }
}
