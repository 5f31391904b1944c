//! A dense accumulator under a mask: it takes elements at listed coordinates alone, and needs no list of its own.
//!
//! A mark a coordinate says whether the mask lists it, and whether it was written. What was written is gathered in the order
//! of the mask, which is that of the coordinates: nothing is sorted, and what the mask does not list costs one look at a mark.
//!
//! Of a dimension that is too large for this ([`Far`]) what the mask lists is numbered, in a hash table.

use super::super::array::IndexArray;
use super::super::memory::{reserve, zeros};
use super::far::Far;
use super::{Combine, Gathered};
use crate::scalar::Element;

/// Marks of coordinates; of those that the mask does not list it is 0.
const LISTED: u8 = 1;
const WRITTEN: u8 = 2;

/// The memory.
#[derive(Debug)]
pub struct Masked<T> {
    /// By coordinate; of those that are listed.
    values: Vec<T>,
    /// By coordinate, or by number if the dimension is large; all 0 while it is not open.
    marks: Vec<u8>,
    /// What is listed, with its numbers and values, if the dimension is large.
    far: Far<T>,
    init: T,
    /// What was gathered last.
    crd: Vec<i32>,
    vals: Vec<T>,
}

impl<T: Element> Masked<T> {
    /// An empty one for the coordinates below a size. Ends the call if there is no memory for as many elements.
    pub fn new([size]: [usize; 1], init: T) -> Self {
        let (far, size) = Far::of(size, init);
        Masked { values: zeros(size), marks: zeros(size), far, init, crd: vec![], vals: vec![] }
    }

    /// To scatter into, at these coordinates alone; nothing is in it yet.
    ///
    /// # Safety
    /// `lo..hi` is in bounds and initialised, and its coordinates are in order and below the size.
    #[inline(always)]
    pub unsafe fn open<'a, A: IndexArray + ?Sized>(
        &'a mut self,
        mask: &'a A,
        lo: usize,
        hi: usize,
    ) -> OpenMasked<'a, T, A> {
        if self.far.is_far() {
            // SAFETY: the caller's promise.
            let (values, marks) = unsafe { self.number(mask, lo, hi) };
            return OpenMasked { values, marks, is_far: true, mask, lo, hi, home: self };
        }
        let (values, marks) = (self.values.as_mut_ptr(), self.marks.as_mut_ptr());
        for p in lo..hi {
            // SAFETY: the caller's promise.
            unsafe {
                let at = mask.index(p);
                *marks.add(at) = LISTED;
                *values.add(at) = self.init;
            }
        }
        OpenMasked { values, marks, is_far: false, mask, lo, hi, home: self }
    }

    /// Numbers what the mask lists, in its order; gives values and marks by number.
    ///
    /// # Safety
    /// As for [`Masked::open`].
    #[cold]
    #[inline(never)]
    unsafe fn number<A: IndexArray + ?Sized>(&mut self, mask: &A, lo: usize, hi: usize) -> (*mut T, *mut u8) {
        let (far, marks) = (self.far.table(), &mut self.marks);
        for p in lo..hi {
            // SAFETY: the caller's promise.
            unsafe { far.open().place([mask.index(p)]) };
        }
        let values = far.values();
        marks.clear();
        reserve(marks, values.len());
        marks.resize(values.len(), LISTED);
        (values.as_mut_ptr(), marks.as_mut_ptr())
    }

    /// The number of what the mask lists.
    #[cold]
    #[inline(never)]
    fn find(&mut self, at: usize) -> Option<usize> {
        self.far.table().find([at])
    }

    /// Gathers by number.
    #[cold]
    #[inline(never)]
    fn gather_far<A: IndexArray + ?Sized>(&mut self, mask: &A, lo: usize, hi: usize) -> Gathered<'_, T, 1> {
        let Masked { far, marks, crd, vals, .. } = self;
        let far = far.table();
        for p in lo..hi {
            // SAFETY: who opened it vouches for the mask.
            let at = unsafe { mask.index(p) };
            // What is listed twice is gathered once.
            if let Some(n) = far.find([at])
                && std::mem::take(&mut marks[n]) == WRITTEN
            {
                crd.push(at as i32);
                vals.push(far.values()[n]);
            }
        }
        far.clear();
        ([crd], vals)
    }
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenMasked<'a, T, A: ?Sized> {
    values: *mut T,
    marks: *mut u8,
    is_far: bool,
    mask: &'a A,
    lo: usize,
    hi: usize,
    home: &'a mut Masked<T>,
}

impl<'a, T: Element, A: IndexArray + ?Sized> OpenMasked<'a, T, A> {
    /// The place of an element, which counts as written from now on, if it is listed.
    ///
    /// # Safety
    /// The coordinate is below the size.
    #[inline(always)]
    pub unsafe fn place(&mut self, [at]: [usize; 1]) -> Option<usize> {
        let at = if self.is_far { self.home.find(at)? } else { at };
        // SAFETY: a coordinate below the size, or the number of what is listed.
        unsafe {
            let mark = self.marks.add(at);
            (*mark != 0).then(|| {
                *mark = WRITTEN;
                at
            })
        }
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenMasked::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        // SAFETY: a place is a coordinate below the size, or the number of what is listed.
        unsafe { *self.values.add(place) }
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenMasked::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        // SAFETY: as in `at`.
        unsafe { *self.values.add(place) = value }
    }

    /// What was written, in order; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, _: impl Combine<T>) -> Gathered<'a, T, 1> {
        let OpenMasked { mask, lo, hi, home, .. } = self;
        home.crd.clear();
        home.vals.clear();
        reserve(&mut home.crd, hi - lo);
        reserve(&mut home.vals, hi - lo);
        if home.far.is_far() {
            return home.gather_far(mask, lo, hi);
        }
        let (crd, vals) = (home.crd.as_mut_ptr(), home.vals.as_mut_ptr());
        let mut used = 0;
        for p in lo..hi {
            // SAFETY: who opened it vouches for the mask, which has no more coordinates than there is room for.
            unsafe {
                let at = mask.index(p);
                let mark = home.marks.as_mut_ptr().add(at);
                *crd.add(used) = at as i32;
                *vals.add(used) = *home.values.as_ptr().add(at);
                used += usize::from(*mark == WRITTEN);
                // What is listed twice is gathered once.
                *mark = 0;
            }
        }
        // SAFETY: so many have just been written.
        unsafe {
            home.crd.set_len(used);
            home.vals.set_len(used);
        }
        ([&home.crd], &home.vals)
    }
}
