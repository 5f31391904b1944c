//! Arrays that several threads write, and arrays that one iteration writes.

use super::array::Load;
use super::memory::allocated;
use super::monoid::Monoid;
use super::nontemporal::Destination;
use crate::format::Buffer;
use crate::scalar::Element;
use std::mem::MaybeUninit;

/// An array that several threads read and write: an address, not a reference, for no thread has it to itself.
///
/// Every access is `unsafe`: beside what [`Load`] asks, the caller vouches that the memory is still there, and that no
/// other thread touches an element that one writes, but by [`Shared::combine`] where all do. Generated code stays within
/// the loop that borrows the array; that iterations keep apart is the compiler's promise, which its interpreter checks
/// access by access.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T> {
    ptr: *mut T,
    len: usize,
}

// SAFETY: it is an address, and elements are Send and Sync; what is done with it is the promise of each access.
unsafe impl<T: Copy + Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Copy + Send + Sync> Sync for Shared<T> {}

impl<T: Copy + Send + Sync> Shared<T> {
    pub(super) fn new(array: &mut [MaybeUninit<T>]) -> Self {
        Shared { ptr: array.as_mut_ptr().cast(), len: array.len() }
    }

    /// How many elements.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// How much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Overwrites the element at `i`.
    ///
    /// # Safety
    /// `i` is in bounds, the array is still there, and no other thread touches the element.
    #[inline(always)]
    pub unsafe fn set(&self, i: usize, value: T) {
        debug_assert!(i < self.len, "store at {i} of {}", self.len);
        // SAFETY: the caller's promise.
        unsafe { self.ptr.add(i).write(value) }
    }

    /// Overwrites `n` elements from `i` on.
    ///
    /// # Safety
    /// As for [`Shared::set`], of all of them.
    #[inline(always)]
    pub unsafe fn set_n(&self, i: usize, n: usize, value: T)
    where
        T: Copy,
    {
        debug_assert!(n <= self.len && i <= self.len - n, "store at {i}, {n} times, of {}", self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.add(i).cast::<MaybeUninit<T>>(), n) }
            .fill(MaybeUninit::new(value));
    }

    /// The array from an element on.
    ///
    /// # Safety
    /// `i` is in bounds, or the end.
    pub(super) unsafe fn from(self, i: usize) -> Self {
        debug_assert!(i <= self.len, "an array from {i} on of {}", self.len);
        // SAFETY: the caller's promise.
        Shared { ptr: unsafe { self.ptr.add(i) }, len: self.len - i }
    }

    /// Copies a slice to the elements from `i` on.
    ///
    /// # Safety
    /// They are in bounds, the array is still there, and no other thread touches any of them.
    pub(super) unsafe fn copy(self, i: usize, from: &[T], destination: Destination)
    where
        T: Element,
    {
        debug_assert!(from.len() <= self.len && i <= self.len - from.len());
        // SAFETY: the caller's promise.
        unsafe { destination.copy(from, self.ptr.add(i)) }
    }

    /// Combines a value into the element at `i`, which other threads may do too. A thread that is alone need not pay
    /// for that.
    ///
    /// # Safety
    /// `i` is in bounds, the array is still there, the element is initialised, and no other thread touches it but in
    /// this way by this monoid; if `alone`, none does at all.
    #[inline(always)]
    pub unsafe fn combine<M: Monoid<T>>(&self, alone: bool, i: usize, value: T, monoid: M)
    where
        T: Element,
    {
        debug_assert!(i < self.len, "update at {i} of {}", self.len);
        // SAFETY: the caller's promise.
        unsafe {
            let element = self.ptr.add(i);
            if alone {
                element.write(monoid.combine(element.read(), value));
            } else {
                monoid.combine_atomic(element, value);
            }
        }
    }

    /// The elements of a range, as one thread's.
    ///
    /// # Safety
    /// The range is in bounds, the array is still there, all elements are initialised, and no other thread touches one.
    pub(super) unsafe fn part<'a>(self, lo: usize, hi: usize) -> &'a mut [T] {
        debug_assert!(lo <= hi && hi <= self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.add(lo), hi - lo) }
    }
}

impl<T: Element> Load<T> for Shared<T> {
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> T {
        debug_assert!(i < self.len, "load at {i} of {}", self.len);
        // SAFETY: the caller's promise.
        unsafe { self.ptr.add(i).read() }
    }

    #[inline(always)]
    unsafe fn address(&self, i: usize) -> *const T {
        // SAFETY: the caller's promise.
        unsafe { self.ptr.add(i) }
    }
}

/// Memory of a workspace, which is declared again and again.
#[derive(Debug, Default)]
pub struct Scratch<T: Element>(Buffer<T>);

impl<T: Element> Scratch<T> {
    /// No memory yet.
    pub const fn new() -> Self {
        Scratch(Buffer::new())
    }

    /// An array of copies of a value, aligned to 64 bytes, in the memory of the one before if it fits. Ends the call when
    /// memory runs out.
    #[inline]
    pub fn array(&mut self, len: usize, init: T) -> &mut [T] {
        self.unwritten(len).fill(MaybeUninit::new(init));
        // SAFETY: there is room for `len` elements, and all have just been written.
        unsafe { self.0.set_len(len) };
        &mut self.0
    }

    /// The same, of elements that nobody has written.
    #[inline]
    pub fn unwritten(&mut self, len: usize) -> &mut [MaybeUninit<T>] {
        if self.0.capacity() < len {
            // What the array before held is not moved.
            let twice = self.0.capacity().saturating_mul(2);
            self.0 = Buffer::new();
            self.0 = allocated(Buffer::try_with_capacity(len.max(twice)));
        }
        // SAFETY: no elements are initialised.
        unsafe { self.0.set_len(0) };
        &mut self.0.spare_capacity_mut()[..len]
    }
}

#[cfg(test)]
mod tests {
    use super::super::array::Store;
    use super::super::monoid::Add;
    use super::*;

    #[test]
    fn a_shared_array_is_the_array() {
        let mut array = [1.0, 2.0, 3.0];
        let shared = array[..].shared();
        // SAFETY: in bounds, and nobody else is there.
        unsafe {
            shared.set(1, 5.0);
            shared.combine(true, 2, 4.0, Add);
            shared.combine(false, 0, 7.0, Add);
            assert_eq!([shared.at(0), shared.at(1), shared.at(2)], [8.0, 5.0, 7.0]);
            assert_eq!(shared.part(1, 3), [5.0, 7.0]);
        }
        assert_eq!(array, [8.0, 5.0, 7.0]);
    }

    #[test]
    fn scratch_is_aligned_and_set_each_time() {
        let mut memory = Scratch::new();
        for len in [3, 0, 17, 4, 1000] {
            let array = memory.array(len, 2.0_f32);
            assert_eq!(array, vec![2.0; len]);
            assert!(array.as_ptr().addr().is_multiple_of(64) || len == 0);
            array.fill(9.0);
        }
        let before = memory.array(1000, 0.0).as_ptr();
        assert_eq!(memory.array(10, 0.0).as_ptr(), before);
        let array = memory.unwritten(1000);
        assert_eq!((array.len(), array.as_ptr().cast()), (1000, before));
    }
}
