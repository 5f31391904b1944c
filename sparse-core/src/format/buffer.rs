//! A growing array, aligned to 64 bytes where we allocate it and adopted as it is where the user did.
//!
//! Alignment of dense storage to a cache line is the largest single effect on vector kernels, and `Vec` can't promise
//! it. A buffer made from a `Vec` keeps the `Vec`'s memory, and gives it back by [`Buffer::into_vec`] without a copy.

use super::memory::Memory;
use crate::error::{Error, Result};
use crate::scalar::Element;
use std::alloc::{Layout, handle_alloc_error};
use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Elements of an iterator that there is memory for before they come.
const EXPECTED: usize = 1 << 20;

/// An owned array of elements; reads as a slice.
pub struct Buffer<T: Element> {
    /// `cap > 0`: where the elements are in memory of the global allocator, of the layout that `memory` gives.
    ptr: NonNull<T>,
    /// The first `len <= cap` elements are initialised.
    len: usize,
    cap: usize,
    memory: Memory,
}

// SAFETY: a buffer owns its memory alone, as a `Vec` does, and elements are Send.
unsafe impl<T: Element> Send for Buffer<T> {}
// SAFETY: shared references only read, and elements are Sync.
unsafe impl<T: Element> Sync for Buffer<T> {}

impl<T: Element> Buffer<T> {
    /// Empty, without memory.
    pub const fn new() -> Self {
        Buffer { ptr: NonNull::dangling(), len: 0, cap: 0, memory: Memory::OURS }
    }

    /// Empty, with room for `cap` elements. Ends the program when memory runs out, as `Vec` does.
    pub fn with_capacity(cap: usize) -> Self {
        Self::try_with_capacity(cap).unwrap_or_else(|_| out_of_memory::<T>(cap))
    }

    /// Empty, with room for `cap` elements, or [`Error::OutOfMemory`].
    pub fn try_with_capacity(cap: usize) -> Result<Self> {
        if cap == 0 {
            return Ok(Self::new());
        }
        let out_of_memory = || Error::OutOfMemory { bytes: cap as u128 * size_of::<T>() as u128 };
        let (ptr, memory) = Memory::allocate(cap).ok_or_else(out_of_memory)?;
        Ok(Buffer { ptr, len: 0, cap, memory })
    }

    /// `len` copies of a value. Ends the program when memory runs out.
    pub fn full(len: usize, value: T) -> Self {
        let mut buffer = Self::with_capacity(len);
        buffer.resize(len, value);
        buffer
    }

    /// `len` copies of a value, or [`Error::OutOfMemory`].
    pub fn try_full(len: usize, value: T) -> Result<Self> {
        let mut buffer = Self::try_with_capacity(len)?;
        buffer.resize(len, value);
        Ok(buffer)
    }

    /// How many elements fit without allocating again.
    pub fn capacity(&self) -> usize {
        self.cap
    }

    /// Room for `additional` elements more. Ends the program when memory runs out.
    pub fn reserve(&mut self, additional: usize) {
        if self.try_reserve_within(additional, usize::MAX).is_err() {
            out_of_memory::<T>(self.len.saturating_add(additional));
        }
    }

    /// Room for `additional` elements more; what was written after the last one stays there. What is taken beyond that, so
    /// as to grow less often, stays within `most` elements in all.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    pub(crate) fn try_reserve_within(&mut self, additional: usize, most: usize) -> Result<()> {
        if self.cap - self.len >= additional {
            return Ok(());
        }
        let need = self.len.saturating_add(additional);
        self.try_move_to(self.cap.saturating_mul(2).max(16).min(most).max(need))
    }

    /// Appends one element.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.len == self.cap {
            self.reserve(1);
        }
        // SAFETY: there is room now.
        unsafe { self.push_unchecked(value) }
    }

    /// Appends `n` copies of an element.
    #[inline]
    pub fn push_n(&mut self, n: usize, value: T) {
        self.reserve(n);
        for _ in 0..n {
            // SAFETY: there is room for all of them.
            unsafe { self.push_unchecked(value) }
        }
    }

    /// Appends one element without asking whether there is room.
    ///
    /// # Safety
    /// `len() < capacity()`.
    #[inline(always)]
    pub unsafe fn push_unchecked(&mut self, value: T) {
        debug_assert!(self.len < self.cap);
        // SAFETY: the caller promises that the element lies inside the allocation.
        unsafe { self.ptr.add(self.len).write(value) };
        self.len += 1;
    }

    /// Appends a slice.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        self.reserve(values.len());
        // SAFETY: there is room, and a borrowed slice can't overlap memory that we hold alone.
        unsafe {
            self.ptr.add(self.len).copy_from_nonoverlapping(NonNull::from(values).cast(), values.len());
        }
        self.len += values.len();
    }

    /// Forgets the elements.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Cuts, or appends copies of a value, to a length.
    pub fn resize(&mut self, len: usize, value: T) {
        if len > self.len {
            self.reserve(len - self.len);
            for at in self.len..len {
                // SAFETY: `at < len <= cap`.
                unsafe { self.ptr.add(at).write(value) };
            }
        }
        self.len = len;
    }

    /// Sets the length.
    ///
    /// # Safety
    /// `len <= capacity()`, and the first `len` elements have been written.
    pub unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.cap);
        self.len = len;
    }

    /// The memory after the elements: write there, then [`Buffer::set_len`].
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        // SAFETY: `len..cap` lies in the allocation, which is ours alone; `MaybeUninit` need not be initialised.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr().add(self.len).cast(), self.cap - self.len) }
    }

    /// The memory, written or not: `capacity()` elements.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.ptr.as_ptr()
    }

    /// Gives back what is unused: `capacity()` is `len()` then. The memory is larger by what alignment costs, less than
    /// [`ALIGNMENT`](super::ALIGNMENT) bytes.
    pub fn shrink(&mut self) {
        if self.try_move_to(self.len).is_err() {
            out_of_memory::<T>(self.len);
        }
    }

    /// As a `Vec`: without a copy if it was one, and has not grown since.
    pub fn into_vec(self) -> Vec<T> {
        if self.cap > 0 && self.memory != Memory::Adopted {
            return self.to_vec();
        }
        let buffer = ManuallyDrop::new(self);
        // SAFETY: the memory is the global allocator's with `Vec`'s layout (or there is none, and the pointer
        // dangles aligned); `buffer` is not dropped.
        unsafe { Vec::from_raw_parts(buffer.ptr.as_ptr(), buffer.len, buffer.cap) }
    }

    /// Room for so many elements in all, if there is memory for them; nothing has changed if not.
    pub(crate) fn expect(&mut self, len: usize) {
        if len > self.cap && self.memory != Memory::Adopted {
            self.resize_memory(len);
        }
    }

    /// Changes the size of its memory, which is not to be empty before or after.
    fn resize_memory(&mut self, cap: usize) -> bool {
        if self.cap == 0 {
            return false;
        }
        // SAFETY: the elements are in this memory, and we hold it alone.
        let Some((ptr, memory)) = (unsafe { self.memory.resize(self.ptr, self.cap, cap) }) else {
            return false;
        };
        (self.ptr, self.memory, self.cap) = (ptr, memory, cap);
        true
    }

    /// Changes the capacity to another that is at least `len`. What was adopted grows into memory of ours. What was written
    /// after the last element stays, as far as there is room.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; nothing has changed then.
    fn try_move_to(&mut self, cap: usize) -> Result<()> {
        if cap == self.cap {
            return Ok(());
        }
        let stays = cap < self.cap || self.memory != Memory::Adopted;
        if cap > 0 && stays && self.resize_memory(cap) {
            return Ok(());
        }
        let mut moved = Self::try_with_capacity(cap)?;
        let (from, to) = (self.ptr.cast::<MaybeUninit<T>>(), moved.ptr.cast());
        // SAFETY: so much is in both allocations, which differ; what is not initialised is copied as such.
        unsafe { to.copy_from_nonoverlapping(from, self.cap.min(cap)) };
        moved.len = self.len;
        *self = moved;
        Ok(())
    }
}

/// Ends the program for want of memory for so many elements.
#[cold]
fn out_of_memory<T: Element>(len: usize) -> ! {
    handle_alloc_error(Memory::OURS.layout::<T>(len).unwrap_or(Layout::new::<T>()))
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.cap > 0 {
            // SAFETY: the elements are in this memory, which nobody has any more.
            unsafe { self.memory.free(self.ptr, self.cap) }
        }
    }
}

impl<T: Element> Deref for Buffer<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` elements are initialised.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}
impl<T: Element> DerefMut for Buffer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the first `len` elements are initialised, and we are borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}
impl<T: Element> Default for Buffer<T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<T: Element> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}
impl<T: Element> From<&[T]> for Buffer<T> {
    fn from(values: &[T]) -> Self {
        let mut buffer = Self::with_capacity(values.len());
        buffer.extend_from_slice(values);
        buffer
    }
}
impl<T: Element> From<Vec<T>> for Buffer<T> {
    /// Adopts the vector's memory.
    fn from(values: Vec<T>) -> Self {
        if values.capacity() == 0 {
            return Self::new();
        }
        let mut values = ManuallyDrop::new(values);
        let (len, cap) = (values.len(), values.capacity());
        let ptr = NonNull::new(values.as_mut_ptr()).unwrap_or(NonNull::dangling());
        Buffer { ptr, len, cap, memory: Memory::Adopted }
    }
}
impl<T: Element> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values = values.into_iter();
        // An iterator may promise more than it has.
        let expected = values.size_hint().0;
        let mut buffer = Self::with_capacity(expected.min(EXPECTED));
        values.for_each(|v| buffer.push(v));
        if expected > EXPECTED {
            buffer.shrink();
        }
        buffer
    }
}
impl<T: Element> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ALIGNMENT;

    /// Does it begin at a multiple of [`ALIGNMENT`]? An adopted buffer need not.
    fn is_aligned<T: Element>(b: &Buffer<T>) -> bool {
        b.cap == 0 || b.ptr.addr().get().is_multiple_of(ALIGNMENT)
    }

    #[test]
    fn what_we_allocate_is_aligned() {
        let mut b = Buffer::<f32>::new();
        for i in 0..1000 {
            b.push(i as f32);
            assert!(is_aligned(&b));
        }
        assert!(b.iter().enumerate().all(|(i, v)| *v == i as f32));
        b.resize(10, 0.0);
        b.shrink();
        assert_eq!((b.len(), b.capacity(), is_aligned(&b)), (10, 10, true));
        assert_eq!(b.clone().into_vec(), (0..10).map(|i| i as f32).collect::<Vec<_>>());
    }

    /// Whatever the lengths, and on the way through them.
    #[test]
    fn what_shrinks_is_exact_and_keeps_its_elements() {
        for len in [0_usize, 1, 2, 15, 16, 17, 1000, 100_000, 9_000_000] {
            for room in [0, 1, 7, len, 3 * len] {
                let mut b = Buffer::<i32>::with_capacity(len + room);
                (0..len as i32).for_each(|v| b.push(v));
                b.shrink();
                assert_eq!((b.len(), b.capacity(), is_aligned(&b)), (len, len, true));
                assert!(b.iter().zip(0..).all(|(a, v)| *a == v));
                b.push(-1);
                b.shrink();
                assert_eq!((b.len(), b.capacity(), is_aligned(&b)), (len + 1, len + 1, true));
                assert!(b[..len].iter().zip(0..).all(|(a, v)| *a == v) && b[len] == -1);
            }
        }
        let mut v = Vec::with_capacity(100);
        v.extend([1.5_f64, 2.5]);
        let mut b = Buffer::from(v);
        b.shrink();
        assert_eq!((b.capacity(), &*b), (2, &[1.5, 2.5][..]));
        let v = b.into_vec();
        assert_eq!((v.capacity(), v), (2, vec![1.5, 2.5]));
    }

    /// As an allocator does that moves memory to another remainder of 64.
    #[test]
    fn elements_move_to_where_memory_is_aligned() {
        // Blocks of many sizes between, so that none can grow where it is.
        let mut kept: Vec<(Buffer<u8>, Vec<u8>)> = vec![];
        for n in 1..400_usize {
            kept.push((Buffer::from(&[n as u8][..]), vec![0; n % 37]));
            for (b, _) in &mut kept {
                b.extend_from_slice(&[n as u8; 3]);
                assert!(is_aligned(b));
            }
        }
        for (n, (mut b, _)) in kept.into_iter().enumerate() {
            b.shrink();
            let expected = std::iter::once(n + 1).chain((n + 1..400).flat_map(|k| [k; 3]));
            assert!(b.iter().copied().eq(expected.map(|k| k as u8)));
        }
    }

    #[test]
    fn a_vec_is_adopted_and_given_back() {
        let v = vec![1i32, 2, 3];
        let at = v.as_ptr();
        let b = Buffer::from(v);
        assert_eq!(b.as_ptr(), at);
        let v = b.into_vec();
        assert_eq!(v.as_ptr(), at);
        let mut b = Buffer::from(Vec::<i32>::with_capacity(2));
        b.extend_from_slice(&[1, 2, 3]);
        assert!(is_aligned(&b));
        assert_eq!(b.into_vec(), [1, 2, 3]);
        assert_eq!(Buffer::<u8>::from(vec![]).into_vec(), []);
        assert_eq!(Buffer::<u8>::new().clone().into_vec(), []);
    }

    #[test]
    fn spare_memory_is_filled_from_outside() {
        let mut b = Buffer::with_capacity(4);
        b.push(1);
        b.spare_capacity_mut().iter_mut().zip(2..4).for_each(|(slot, v)| {
            slot.write(v);
        });
        // SAFETY: the first three elements have been written.
        unsafe { b.set_len(3) };
        assert_eq!(*b, [1, 2, 3]);
        assert_eq!(b.spare_capacity_mut().len(), 1);
        assert!(Buffer::<u8>::new().spare_capacity_mut().is_empty());
    }

    /// Also where it moves to other memory, as what was adopted does, and what does not fit where it is.
    #[test]
    fn what_was_written_after_the_elements_stays() {
        let adopted = Buffer::from(Vec::<i32>::with_capacity(8));
        for mut b in [adopted, Buffer::with_capacity(8)] {
            b.push(0);
            b.spare_capacity_mut()[..5].iter_mut().zip(1..).for_each(|(slot, v)| {
                slot.write(v);
            });
            for cap in [64, 10_000, 3_000_000] {
                b.try_reserve_within(cap - b.len(), cap).unwrap();
                assert!(b.capacity() >= cap);
            }
            // SAFETY: the first six elements have been written.
            unsafe { b.set_len(6) };
            assert_eq!(*b, [0, 1, 2, 3, 4, 5]);
        }
    }

    /// An iterator that promises as many elements as there may be.
    #[test]
    fn promises_of_iterators_take_no_memory() {
        struct Few(i32);
        impl Iterator for Few {
            type Item = i32;
            fn next(&mut self) -> Option<i32> {
                self.0 -= 1;
                (self.0 >= 0).then_some(self.0)
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                (usize::MAX, None)
            }
        }
        let b: Buffer<i32> = Few(3).collect();
        assert_eq!((&*b, b.capacity()), (&[2, 1, 0][..], 3));
        let b: Buffer<i32> = (0..3_000_000).collect();
        assert_eq!((b.len(), b.capacity()), (3_000_000, 3_000_000));
    }

    #[test]
    fn too_much_is_an_error() {
        assert!(matches!(Buffer::<f64>::try_with_capacity(usize::MAX), Err(Error::OutOfMemory { .. })));
        assert!(matches!(Buffer::<f64>::try_with_capacity(1 << 58), Err(Error::OutOfMemory { .. })));
    }
}
