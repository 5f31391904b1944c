//! Array access without bounds checks.
//!
//! Every function here is `unsafe` for one reason: the caller vouches that indices are in bounds and that what is
//! read was written. Generated code does so by the tensors' validated invariants (monotone `pos`, `crd` in range,
//! array lengths that agree) and by the verifier of the program it came from.
//!
//! Elements are [`Element`]s, so that a load from `[MaybeUninit<T>]` can only be a `T`.

use super::search::{first, first_near};
use super::shared::Shared;
use crate::scalar::Element;
use std::mem::MaybeUninit;

/// Reads elements. Slices of elements and slices of `MaybeUninit` hold different things, which the bound on the former
/// tells the compiler: `x[i] += …` infers `T` in both.
pub trait Load<T> {
    /// The element at `i`.
    ///
    /// # Safety
    /// `i` is in bounds and the element is initialised.
    unsafe fn at(&self, i: usize) -> T;

    /// Where the element at `i` is.
    ///
    /// # Safety
    /// `i` is in bounds.
    unsafe fn address(&self, i: usize) -> *const T;
}

/// Writes elements.
pub trait Store<T> {
    /// Overwrites the element at `i`.
    ///
    /// # Safety
    /// `i` is in bounds.
    unsafe fn set(&mut self, i: usize, value: T);

    /// Overwrites `n` elements from `i` on.
    ///
    /// # Safety
    /// `i..i + n` is in bounds.
    unsafe fn set_n(&mut self, i: usize, n: usize, value: T);

    /// The array as several threads write it.
    fn shared(&mut self) -> Shared<T>;
}

impl<T: Element> Load<T> for [T] {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> T {
        debug_assert!(i < self.len(), "load at {i} of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { *self.get_unchecked(i) }
    }

    #[inline(always)]
    unsafe fn address(&self, i: usize) -> *const T {
        // SAFETY: the caller's promise.
        unsafe { self.as_ptr().add(i) }
    }
}

impl<T: Element> Load<T> for [MaybeUninit<T>] {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> T {
        debug_assert!(i < self.len(), "load at {i} of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { self.get_unchecked(i).assume_init() }
    }

    #[inline(always)]
    unsafe fn address(&self, i: usize) -> *const T {
        // SAFETY: the caller's promise.
        unsafe { self.as_ptr().add(i).cast() }
    }
}

impl<T: Element> Store<T> for [T] {
    #[inline(always)]
    unsafe fn set(&mut self, i: usize, value: T) {
        debug_assert!(i < self.len(), "store at {i} of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { *self.get_unchecked_mut(i) = value }
    }

    #[inline(always)]
    unsafe fn set_n(&mut self, i: usize, n: usize, value: T) {
        debug_assert!(n <= self.len() && i <= self.len() - n, "store at {i}, {n} times, of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { self.get_unchecked_mut(i..i + n) }.fill(value)
    }

    #[inline(always)]
    fn shared(&mut self) -> Shared<T> {
        // SAFETY: of one layout, and what is stored through it is initialised.
        Shared::new(unsafe { &mut *(std::ptr::from_mut(self) as *mut [MaybeUninit<T>]) })
    }
}

impl<T: Element> Store<T> for [MaybeUninit<T>] {
    #[inline(always)]
    unsafe fn set(&mut self, i: usize, value: T) {
        debug_assert!(i < self.len(), "store at {i} of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { *self.get_unchecked_mut(i) = MaybeUninit::new(value) }
    }

    #[inline(always)]
    unsafe fn set_n(&mut self, i: usize, n: usize, value: T) {
        debug_assert!(n <= self.len() && i <= self.len() - n, "store at {i}, {n} times, of {}", self.len());
        // SAFETY: the caller's promise.
        unsafe { self.get_unchecked_mut(i..i + n) }.fill(MaybeUninit::new(value))
    }

    #[inline(always)]
    fn shared(&mut self) -> Shared<T> {
        Shared::new(self)
    }
}

/// Reads positions and coordinates: i32 in memory, never negative, and machine words in registers.
pub trait IndexArray: Load<i32> {
    /// The index at `i`.
    ///
    /// # Safety
    /// As for [`Load::at`].
    #[inline(always)]
    unsafe fn index(&self, i: usize) -> usize {
        // SAFETY: the caller's promise. Through u32, because a zero extension is free where a sign extension is not.
        unsafe { self.at(i) as u32 as usize }
    }
}

impl<A: Load<i32> + ?Sized> IndexArray for A {}

/// An array all of which has been written.
///
/// # Safety
/// It has.
#[inline(always)]
pub unsafe fn written<T: Element>(array: &[MaybeUninit<T>]) -> &[T] {
    // SAFETY: of one layout, and initialised by the caller's promise.
    unsafe { array.assume_init_ref() }
}

/// First position in `lo..hi` of a sorted array whose element is not below `key`.
///
/// # Safety
/// `lo <= hi`, and `lo..hi` is in bounds and initialised.
#[inline]
pub unsafe fn lower_bound(array: &(impl IndexArray + ?Sized), lo: usize, hi: usize, key: usize) -> usize {
    // SAFETY: indices of the range, by the caller's promise.
    first(lo, hi, |i| unsafe { array.index(i) } >= key)
}

/// The same as [`lower_bound`], for a position that is not far from `lo`.
///
/// # Safety
/// `lo <= hi`, and `lo..hi` is in bounds and initialised.
#[inline]
pub unsafe fn gallop(array: &(impl IndexArray + ?Sized), lo: usize, hi: usize, key: usize) -> usize {
    // SAFETY: indices of the range, by the caller's promise.
    first_near(lo, hi, |i| unsafe { array.index(i) } >= key)
}

/// First position in `lo..hi` of a sorted array whose element is above `key`.
///
/// # Safety
/// `lo <= hi`, and `lo..hi` is in bounds and initialised.
#[inline]
pub unsafe fn upper_bound(array: &(impl IndexArray + ?Sized), lo: usize, hi: usize, key: usize) -> usize {
    // SAFETY: indices of the range, by the caller's promise.
    first(lo, hi, |i| unsafe { array.index(i) } > key)
}

#[cfg(test)]
mod tests {
    use super::{gallop, lower_bound};

    #[test]
    fn galloping_finds_what_halving_does() {
        for len in [0, 1, 2, 3, 7, 8, 9, 100] {
            let array: Vec<i32> = (0..len).map(|n| n * n / 3).collect();
            for lo in 0..=array.len() {
                for hi in lo..=array.len() {
                    for key in
                        (0..array.last().map_or(2, |last| *last as usize + 2)).step_by(1 + array.len() / 9)
                    {
                        // SAFETY: the range is in bounds.
                        let found =
                            unsafe { [gallop(&*array, lo, hi, key), lower_bound(&*array, lo, hi, key)] };
                        assert_eq!(found[0], found[1], "{lo}..{hi}: {key}");
                    }
                }
            }
        }
    }
}
