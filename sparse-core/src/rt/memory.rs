//! Memory that generated code takes while it runs, and what happens where there is none.
//!
//! Loops on threads have no way to hand an error to their caller but the one that panics go: the call unwinds, rayon's
//! joins included, and its launcher makes an [`Error`] of that. No panic hook sees it. A program that is compiled with
//! `panic = "abort"` ends there, as it does when a `Vec` finds no memory.
//!
//! Arrays of a result need none of this: one that finds no memory to grow is counted ([`Grown`](super::Grown)).

use crate::error::{Error, Result};
use crate::format::Buffer;
use crate::scalar::Element;
use std::alloc::{Layout, alloc_zeroed};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What unwinds.
struct NoMemory(Error);

/// Runs a kernel's code. Arrays that it writes in place hold anything after an error.
///
/// # Errors
/// [`Error::OutOfMemory`] if it found no memory for what it computes with.
pub fn within_memory<R>(code: impl FnOnce() -> R) -> Result<R> {
    // What is left behind, the caller's arrays aside, is results of no length, which are dropped.
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| match payload.downcast::<NoMemory>() {
        Ok(none) => none.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// What was allocated; ends the call if nothing was.
#[inline]
pub(super) fn allocated<V>(memory: Result<V>) -> V {
    memory.unwrap_or_else(|error| no_memory(error))
}

#[cold]
#[inline(never)]
fn no_memory(error: Error) -> ! {
    resume_unwind(Box::new(NoMemory(error)))
}

/// So many copies of a value; ends the call if there is no memory.
pub(super) fn full<T: Element>(len: usize, value: T) -> Buffer<T> {
    allocated(Buffer::try_full(len, value))
}

/// So many zeros, whose pages are not touched if they are many; ends the call if there is no memory.
pub(super) fn zeros<T: Number>(len: usize) -> Vec<T> {
    if len == 0 {
        return vec![];
    }
    let Ok(layout) = Layout::array::<T>(len) else { out_of_memory::<T>(len) };
    // SAFETY: the layout has a size above 0, for no number is of size 0.
    let first = unsafe { alloc_zeroed(layout) }.cast::<T>();
    if first.is_null() {
        out_of_memory::<T>(len);
    }
    // SAFETY: the memory is the global allocator's, of the layout of so many elements, and zeros are a number.
    unsafe { Vec::from_raw_parts(first, len, len) }
}

/// Room for so many elements more; ends the call if there is no memory.
#[inline]
pub(super) fn reserve<T>(array: &mut Vec<T>, more: usize) {
    if array.capacity() - array.len() < more && array.try_reserve(more).is_err() {
        // It asks for twice as much, so as to grow less often.
        out_of_memory::<T>(array.len().saturating_add(more).max(array.capacity() * 2));
    }
}

#[cold]
#[inline(never)]
fn out_of_memory<T>(len: usize) -> ! {
    no_memory(Error::OutOfMemory { bytes: len as u128 * size_of::<T>() as u128 })
}

/// What zeros in memory are one of.
///
/// # Safety
/// They are, and its size is not 0.
pub(super) unsafe trait Number {}
// SAFETY: elements are integers, floating-point numbers and `bool`.
unsafe impl<T: Element> Number for T {}
// SAFETY: an integer.
unsafe impl Number for u32 {}
// SAFETY: an integer.
unsafe impl Number for u64 {}
// SAFETY: an array of integers, which is not empty.
unsafe impl Number for [u8; 64] {}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<R: std::fmt::Debug>(code: impl FnOnce() -> R) -> u128 {
        match within_memory(code) {
            Err(Error::OutOfMemory { bytes }) => bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_finds_no_memory_is_an_error() {
        assert_eq!(bytes(|| zeros::<f64>(1 << 57)), 1 << 60);
        assert_eq!(bytes(|| zeros::<[u8; 64]>(usize::MAX)), usize::MAX as u128 * 64);
        assert_eq!(bytes(|| full(1 << 57, 1.0_f32)), 1 << 59);
        assert_eq!(bytes(|| reserve(&mut vec![0_i32; 3], 1 << 58)), 4 * ((1 << 58) + 3));
        assert_eq!(within_memory(|| zeros::<i32>(1000)).unwrap(), [0; 1000]);
        assert!(within_memory(|| zeros::<bool>(0)).unwrap().is_empty());
    }

    #[test]
    fn panics_stay_panics() {
        let panic = catch_unwind(|| within_memory(|| panic!("a mistake")));
        assert_eq!(*panic.unwrap_err().downcast::<&str>().unwrap(), "a mistake");
    }
}
