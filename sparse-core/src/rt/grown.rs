//! Arrays that grow without a known bound, and never past what positions can count.
//!
//! To find out late that a result is too large would take all memory first. So an array grows to 2²⁷ elements, and further
//! only where what is done says that positions are going to count it. Else it only counts from there on, whereupon the
//! launcher knows the exact length: it refuses the call, or runs it again with just so much room. One that finds no memory
//! to grow only counts from there on, too, because to grow takes more than there are elements. Nothing is asked for an
//! element but what growing asks anyway.

use super::Counts;
use super::array::Store;
use super::host::MOST;
use super::limits::limits;
use super::parts::Done;
use super::shared::Shared;
use crate::error::{Error, Result};
use crate::format::Buffer;
use crate::scalar::Element;
use std::ops::{Deref, Range};

/// A growing array of a result.
#[derive(Debug)]
pub struct Grown<T: Element> {
    array: Buffer<T>,
    /// Elements that it holds at most.
    most: usize,
    /// Elements that are counted only, after the others.
    beyond: usize,
}

impl<T: Element> Grown<T> {
    /// An empty one.
    pub fn new() -> Self {
        Grown::up_to(limits().grown)
    }

    /// An empty one that holds so many elements.
    pub(super) fn up_to(most: usize) -> Self {
        Grown { array: Buffer::new(), most, beyond: 0 }
    }

    /// Forgets its elements; holds so many from now on.
    pub(super) fn clear(&mut self, most: usize) {
        self.array.clear();
        (self.most, self.beyond) = (most, 0);
    }

    /// Its memory, written or not.
    pub(super) fn memory(&mut self) -> Shared<T> {
        // SAFETY: generated code writes elements, and nothing uninitialised.
        unsafe { super::room(&mut self.array) }.shared()
    }

    /// Its memory, larger where a length needs that which it may have, if there is so much; so much is done when it has that
    /// length. What was written there stays.
    pub(super) fn reach(&mut self, len: usize, done: Done) -> Shared<T> {
        if self.array.capacity() < len {
            self.expect(done.expects(len));
            if len <= self.most {
                // Without memory it stays as long as it is, and lacks what comes after.
                let _ = self.array.try_reserve_within(len - self.array.len(), self.most);
            }
        }
        self.memory()
    }

    /// Is it to have room for so many elements, when so much is done?
    pub(super) fn may_reach(&self, len: usize, done: Done) -> bool {
        let likely = limits().likely;
        len <= self.most || (len <= likely && done.expects(len).is_some_and(|len| len <= likely))
    }

    /// Room for so many elements, which are all that are expected, if it may have that, and there is memory. That of a known
    /// length has it.
    pub(super) fn expect(&mut self, len: Option<usize>) {
        if let Some(len) = len
            && !self.is_short()
            && self.array.capacity() < self.most
        {
            let likely = limits().likely;
            if len <= likely {
                // The first part of a loop may say too little.
                self.most = self.most.max(likely.min(2 * len));
            }
            self.array.expect(len.min(self.most));
        }
    }

    /// The array when so many elements have been written to its memory; if there is not so much of it, or some are missing,
    /// they are counted alone.
    ///
    /// # Safety
    /// They have been, if there is.
    pub(super) unsafe fn with_len(mut self, len: usize, short: bool) -> Self {
        if short || len > self.array.capacity() {
            (self.array, self.beyond) = (Buffer::new(), len);
        } else {
            // SAFETY: the caller's promise; `reach` was asked for the length of each element's part.
            unsafe { self.array.set_len(len) };
        }
        self
    }

    /// How many of so many parts may hold: all, if the length is known.
    pub(super) fn share(&self, parts: usize) -> usize {
        if self.array.capacity() >= self.most { self.most } else { self.most.div_ceil(parts) }
    }

    /// How many elements were appended.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.array.len() + self.beyond
    }

    /// Appends one element.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.array.len() == self.array.capacity() && !self.makes_room(1) {
            return;
        }
        // SAFETY: there is room.
        unsafe { self.array.push_unchecked(value) }
    }

    /// Appends copies of an element.
    #[inline]
    pub fn push_n(&mut self, n: usize, value: T) {
        if self.array.capacity() - self.array.len() >= n || self.makes_room(n) {
            self.array.push_n(n, value);
        }
    }

    /// Appends as many elements, each told by its number.
    #[inline(always)]
    pub fn push_tile<const N: usize>(&mut self, element: impl Fn(usize) -> T) {
        let len = self.array.len();
        if self.array.capacity() - len < N && !self.makes_room(N) {
            return;
        }
        // SAFETY: there is room for them, and all are written here.
        unsafe {
            let to = self.array.as_mut_ptr().add(len);
            for lane in 0..N {
                to.add(lane).write(element(lane));
            }
            self.array.set_len(len + N);
        }
    }

    /// Appends elements of an array.
    ///
    /// # Safety
    /// The range is in bounds, or empty.
    #[inline]
    pub unsafe fn extend(&mut self, from: &[T], range: Range<usize>) {
        debug_assert!(range.is_empty() || range.end <= from.len());
        let n = range.len();
        if n > 0 && (self.array.capacity() - self.array.len() >= n || self.makes_room(n)) {
            // SAFETY: the caller's promise.
            self.array.extend_from_slice(unsafe { from.get_unchecked(range) });
        }
    }

    /// Is longer by so many elements from now on: where they are to be written; `None` where they are counted only.
    ///
    /// # Safety
    /// They are written at once, before anything is read or unwinds.
    #[inline]
    pub unsafe fn extended(&mut self, n: usize) -> Option<*mut T> {
        let len = self.array.len();
        (self.array.capacity() - len >= n || self.makes_room(n)).then(|| {
            // SAFETY: there is room, and the caller's promise.
            unsafe {
                self.array.set_len(len + n);
                self.array.as_mut_ptr().add(len)
            }
        })
    }

    /// Room for more elements, which are counted if there is to be none, or no memory for it.
    #[cold]
    #[inline(never)]
    fn makes_room(&mut self, n: usize) -> bool {
        let fits = self.beyond == 0
            && n <= self.most.saturating_sub(self.array.len())
            && self.array.try_reserve_within(n, self.most).is_ok();
        if !fits {
            self.beyond += n;
        }
        fits
    }

    /// The element at `i`, or any where elements are counted only: no control flow hangs on a result's values.
    ///
    /// # Safety
    /// `i < len()`
    #[inline(always)]
    pub unsafe fn at(&self, i: usize) -> T {
        debug_assert!(i < self.len());
        self.array.get(i).copied().unwrap_or(T::from_f64(0.0))
    }

    /// Overwrites the element at `i`, if it is held.
    ///
    /// # Safety
    /// `i < len()`
    #[inline(always)]
    pub unsafe fn set(&mut self, i: usize, value: T) {
        debug_assert!(i < self.len());
        if let Some(element) = self.array.get_mut(i) {
            *element = value;
        }
    }

    /// Are elements missing that were counted?
    pub fn is_short(&self) -> bool {
        self.beyond > 0
    }

    /// An empty one with room for as many elements as were appended.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] if positions could not count them, [`Error::OutOfMemory`].
    pub fn again(self) -> Result<Self> {
        let len = self.len();
        drop(self);
        // An array of positions has one element more than there are positions.
        if len > MOST + 1 {
            return Err(Error::TooManyEntries { count: len as u128 });
        }
        Ok(Grown { array: Buffer::try_with_capacity(len)?, most: len, beyond: 0 })
    }

    /// The elements, in memory for just so many.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if some are missing: threads that append to parts of their own may find no memory for these
    /// where there is some for the whole.
    pub fn into_buffer(mut self) -> Result<Buffer<T>> {
        if self.is_short() {
            return Err(Error::OutOfMemory { bytes: self.len() as u128 * size_of::<T>() as u128 });
        }
        self.array.shrink();
        Ok(self.array)
    }
}

impl<T: Element> Default for Grown<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Element> Deref for Grown<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.array
    }
}

impl Counts for Grown<i32> {
    unsafe fn scan(&mut self, n: usize) {
        debug_assert_eq!(n, self.len());
        if self.is_short() {
            self.beyond += 1;
        } else if self.array.capacity() > n || self.makes_room(1) {
            // SAFETY: the caller's promise; there is room for one more.
            unsafe { self.array.scan(n) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends `n` numbers, then makes positions of them.
    fn fill(array: &mut Grown<i32>, n: usize) {
        for k in 0..n {
            match k % 5 {
                0 => array.push(1),
                1 => array.push_n(1, 1),
                // SAFETY: the element is written.
                2 => unsafe {
                    if let Some(to) = array.extended(1) {
                        to.write(1);
                    }
                },
                // SAFETY: in bounds.
                3 => unsafe { array.extend(&[0, 1], 1..2) },
                _ => array.push_tile::<1>(|_| 1),
            }
        }
        assert_eq!(array.len(), n);
        // SAFETY: all elements are those that were appended.
        unsafe {
            array.set(n - 1, 1);
            assert!([0, 1].contains(&array.at(n - 1)));
            array.scan(n);
        }
        assert_eq!(array.len(), n + 1);
    }

    #[test]
    fn what_is_too_long_is_counted_and_comes_again() {
        for most in [0, 1, 15, 16, 17, 39, 40, 41, 100] {
            let mut array = Grown::up_to(most);
            fill(&mut array, 40);
            assert_eq!(array.is_short(), most < 41);
            if array.is_short() {
                assert!(array.array.len() <= most);
                array = array.again().expect("so many can be counted");
                fill(&mut array, 40);
                assert_eq!(array.array.capacity(), 41);
            }
            assert!(!array.is_short());
            let array = array.into_buffer().expect("memory");
            assert_eq!((&*array, array.capacity()), (&*(0..41).collect::<Vec<_>>(), 41));
        }
    }

    #[test]
    fn what_is_likely_to_be_counted_grows() {
        let cases = [
            (Some(30), false),
            (Some(20), false),
            (Some(19), true),
            (None, true),
            (Some(limits().likely + 1), true),
        ];
        for (expected, is_short) in cases {
            let mut array = Grown::up_to(10);
            array.expect(expected);
            fill(&mut array, 39);
            assert_eq!(array.is_short(), is_short, "{expected:?}");
        }
        // What has room for all that was counted stays as it is.
        let mut array = Grown::<i32>::up_to(0);
        array.push_n(10, 1);
        let mut array = array.again().expect("memory");
        array.expect(Some(20));
        assert_eq!((array.most, array.array.capacity()), (10, 10));
    }

    #[test]
    fn more_than_positions_count_is_an_error() {
        let mut array = Grown::<f64>::new();
        array.push(0.0);
        array.push_n(MOST + 1, 1.0);
        assert!(array.array.capacity() < 100 && array.is_short());
        assert!(matches!(array.again(), Err(Error::TooManyEntries { count }) if count == MOST as u128 + 2));
    }
}
