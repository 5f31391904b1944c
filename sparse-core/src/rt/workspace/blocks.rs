//! Dense blocks with a list of the coordinates that have one: an accumulator of a row of blocks.
//!
//! The list holds the number of each coordinate's block; blocks lie one after another in the order in which they came, so
//! that those of a row stay in the cache however far apart their coordinates are. A block is found once for all of its elements,
//! and moved once, to where it is gathered.

use super::super::memory::reserve;
use super::list::{List, OpenList};
use super::{Combine, Gathered, Last};
use crate::scalar::Element;

/// The number of a block that is not there yet.
const NEW: i32 = -1;

/// The memory.
#[derive(Debug)]
pub struct Blocks<T> {
    numbers: List<i32>,
    /// By number.
    values: Vec<T>,
    /// Elements of a block.
    len: usize,
    init: T,
    /// Values that were gathered last.
    vals: Vec<T>,
}

impl<T: Element> Blocks<T> {
    /// None yet, of so many elements each, for the coordinates below a size. Ends the call if there is no memory for the list.
    pub fn new([size]: [usize; 1], len: usize, init: T) -> Self {
        Blocks { numbers: List::new([size], NEW), values: vec![], len, init, vals: vec![] }
    }

    /// To write into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenBlocks<'_, T> {
        self.values.clear();
        OpenBlocks {
            numbers: self.numbers.open(),
            values: &mut self.values,
            len: self.len,
            init: self.init,
            used: 0,
            vals: &mut self.vals,
        }
    }
}

/// Open to write into.
#[derive(Debug)]
pub struct OpenBlocks<'a, T> {
    numbers: OpenList<'a, i32>,
    values: &'a mut Vec<T>,
    len: usize,
    init: T,
    used: i32,
    vals: &'a mut Vec<T>,
}

impl<'a, T: Element> OpenBlocks<'a, T> {
    /// The block of a coordinate, which is there from now on. Ends the call if there is no memory for it.
    ///
    /// # Safety
    /// The coordinate is below the size.
    #[inline(always)]
    pub unsafe fn block(&mut self, at: [usize; 1]) -> &mut [T] {
        // SAFETY: the caller's promise; what the list gives is a place of it. Each number is that of a block that was made.
        unsafe {
            let place = self.numbers.place(at);
            let mut number = self.numbers.at(place);
            if number == NEW {
                number = self.used;
                self.numbers.set(place, number);
                self.used += 1;
                reserve(self.values, self.len);
                self.values.resize(self.values.len() + self.len, self.init);
            }
            let first = number as usize * self.len;
            self.values.get_unchecked_mut(first..first + self.len)
        }
    }

    /// What was written, in order; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, _: impl Combine<T>) -> Gathered<'a, T, 1> {
        let OpenBlocks { numbers, values, len, vals, .. } = self;
        let ([crd], numbers) = numbers.gather(Last);
        vals.clear();
        reserve(vals, values.len());
        // SAFETY: there is room for as many blocks as there are numbers, each that of another block.
        unsafe {
            move_blocks(numbers, values, len, vals.as_mut_ptr());
            vals.set_len(values.len());
        }
        ([crd], vals)
    }

    /// [`OpenBlocks::gather`] at the end of other arrays, which make room for so many coordinates and values, or count them only.
    ///
    /// # Safety
    /// There is room where they say.
    #[inline(always)]
    pub unsafe fn append(
        self,
        _: impl Combine<T>,
        room: impl FnOnce(usize) -> (Option<*mut i32>, Option<*mut T>),
    ) {
        let OpenBlocks { numbers, values, len, .. } = self;
        let ([crd], numbers) = numbers.gather(Last);
        let (to_crd, to_vals) = room(crd.len());
        // SAFETY: the caller's promise; nothing else has a reference to that room. Each number is that of another block.
        unsafe {
            to_crd.into_iter().for_each(|to| to.copy_from_nonoverlapping(crd.as_ptr(), crd.len()));
            to_vals.into_iter().for_each(|to| move_blocks(numbers, values, len, to));
        }
    }
}

/// Copies blocks in the order of their numbers.
///
/// # Safety
/// Each is the number of a block, and there is room for as many where they go.
#[inline(always)]
unsafe fn move_blocks<T: Element>(numbers: &[i32], values: &[T], len: usize, mut to: *mut T) {
    for &number in numbers {
        // SAFETY: the caller's promise.
        unsafe {
            let block = values.as_ptr().add(number as usize * len);
            // A loop, because blocks are small, and their size is not known where it is compiled.
            for n in 0..len {
                *to.add(n) = *block.add(n);
            }
            to = to.add(len);
        }
    }
}
