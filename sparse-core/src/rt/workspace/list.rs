//! A dense accumulator with a list of what was written: Gustavson's.
//!
//! The list is of blocks of 64 coordinates, each with a bit a coordinate: it is 64 times shorter at best, and what it
//! names comes in order within a block, so that sorting is of blocks, or, where many of a range were written, a walk
//! over all of it.

use super::{Combine, Gathered};
use crate::scalar::Element;

/// A bit a coordinate.
const BLOCK: usize = 64;

/// The memory.
#[derive(Debug)]
pub struct List<T> {
    /// By coordinate; `init` where nothing was written.
    values: Vec<T>,
    /// By block, which of its coordinates were written.
    written: Vec<u64>,
    /// The blocks that have some: as long as `written`, used up to a number that is kept elsewhere.
    blocks: Vec<u32>,
    init: T,
    /// What was gathered last.
    crd: Vec<i32>,
    vals: Vec<T>,
}

impl<T: Element> List<T> {
    /// An empty one for the coordinates below a size.
    pub fn new([size]: [usize; 1], init: T) -> Self {
        let blocks = size.div_ceil(BLOCK);
        List {
            values: vec![init; size],
            written: vec![0; blocks],
            blocks: vec![0; blocks],
            init,
            crd: vec![],
            vals: vec![],
        }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenList<'_, T> {
        OpenList {
            values: self.values.as_mut_ptr(),
            written: self.written.as_mut_ptr(),
            blocks: self.blocks.as_mut_ptr(),
            used: 0,
            home: self,
        }
    }
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenList<'a, T> {
    values: *mut T,
    written: *mut u64,
    blocks: *mut u32,
    used: usize,
    home: &'a mut List<T>,
}

impl<'a, T: Element> OpenList<'a, T> {
    /// The place of an element, which counts as written from now on.
    ///
    /// # Safety
    /// The coordinate is below the size.
    #[inline(always)]
    pub unsafe fn place(&mut self, [at]: [usize; 1]) -> usize {
        let block = at / BLOCK;
        // SAFETY: the block of a coordinate below the size. A block is listed when its first bit is set, and loses its
        // bits only when the list is emptied: there are never more listed than there are blocks.
        unsafe {
            let written = self.written.add(block);
            if *written == 0 {
                *self.blocks.add(self.used) = block as u32;
                self.used += 1;
            }
            *written |= 1 << (at % BLOCK);
        }
        at
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenList::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        // SAFETY: a place is a coordinate below the size.
        unsafe { *self.values.add(place) }
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenList::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        // SAFETY: a place is a coordinate below the size.
        unsafe { *self.values.add(place) = value }
    }

    /// What was written, in order; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, _: impl Combine<T>) -> Gathered<'a, T, 1> {
        self.home.gather(self.used)
    }
}

impl<T: Element> List<T> {
    fn gather(&mut self, used: usize) -> Gathered<'_, T, 1> {
        let List { values, written, blocks, init, crd, vals } = self;
        let blocks = &mut blocks[..used];
        let mut count = 0;
        let (mut first, mut last, mut sorted) = (usize::MAX, 0, true);
        let mut before = 0;
        for &mut b in &mut *blocks {
            count += written[b as usize].count_ones() as usize;
            (first, last) = (first.min(b as usize), last.max(b as usize));
            sorted &= before <= b;
            before = b;
        }
        crd.clear();
        vals.clear();
        // One block more than there are elements: a block is written whole.
        crd.reserve(count + BLOCK);
        vals.reserve(count + BLOCK);
        let mut out = Out { crd: crd.as_mut_ptr(), vals: vals.as_mut_ptr(), len: 0 };
        let mut block = |b: usize| {
            let bits = std::mem::take(&mut written[b]);
            let end = values.len().min((b + 1) * BLOCK);
            // SAFETY: there is room for a block after all elements.
            unsafe { out.block(b * BLOCK, bits, &mut values[b * BLOCK..end], *init) };
        };
        // A walk over the range takes a step a block; sorting takes about ten for each that is listed.
        if sorted {
            blocks.iter().for_each(|&b| block(b as usize));
        } else if last - first < used.saturating_mul(8) {
            (first..=last).for_each(block);
        } else {
            blocks.sort_unstable();
            blocks.iter().for_each(|&b| block(b as usize));
        }
        debug_assert_eq!(out.len, count);
        // SAFETY: so many were written.
        unsafe {
            crd.set_len(count);
            vals.set_len(count);
        }
        ([crd], vals)
    }
}

/// Where elements are gathered.
struct Out<T> {
    crd: *mut i32,
    vals: *mut T,
    len: usize,
}

impl<T: Element> Out<T> {
    /// The elements of a block, which are set back.
    ///
    /// # Safety
    /// There is room for a whole block.
    #[inline(always)]
    unsafe fn block(&mut self, first: usize, mut bits: u64, values: &mut [T], init: T) {
        if bits == u64::MAX {
            for (n, value) in values.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { self.set(n, first + n, std::mem::replace(value, init)) };
            }
            self.len += BLOCK;
            return;
        }
        let mut n = 0;
        while bits != 0 {
            let at = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // SAFETY: bits are set of coordinates below the size alone, `values`' end; the caller's promise.
            unsafe { self.set(n, first + at, std::mem::replace(values.get_unchecked_mut(at), init)) };
            n += 1;
        }
        self.len += n;
    }

    /// # Safety
    /// There is room for the `n`th from now.
    #[inline(always)]
    unsafe fn set(&mut self, n: usize, at: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe {
            *self.crd.add(self.len + n) = at as i32;
            *self.vals.add(self.len + n) = value;
        }
    }
}
