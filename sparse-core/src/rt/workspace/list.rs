//! A dense accumulator with a list of what was written: Gustavson's.
//!
//! A mark a coordinate says whether it is in the list. A short list is brought in order by ranking, a longer one by a walk
//! over the marks, where many coordinates of a range were written, by a walk over bits that are set for it, where there are
//! fewer, or by sorting. It is then what was gathered.
//!
//! Of a dimension that is too large for this ([`Far`]) it is a hash table.

use super::super::memory::{reserve, zeros};
use super::far::Far;
use super::ranks::{MOST, ranks};
use super::{Combine, Gathered};
use crate::scalar::Element;
use std::mem::MaybeUninit;

/// Marks, a byte each, or bits that are looked at together.
const BLOCK: usize = 64;
/// A walk over marks may be so many times longer than the list.
const DENSE: usize = 8;
/// A walk over bits takes a step a block of blocks, and so many steps a coordinate at most.
const SPARSE: usize = BLOCK * BLOCK;
/// Lists of up to so many coordinates are ranked without a look at them.
const SHORT: usize = 32;

/// The memory.
#[derive(Debug)]
pub struct List<T> {
    /// By coordinate; of those that have a mark.
    values: Vec<T>,
    /// By coordinate, 1 where something was written and 0 elsewhere; whole blocks.
    marks: Vec<[u8; BLOCK]>,
    /// The coordinates that have a mark: as long as `values`, or as what is ranked may be, used up to a number that is kept
    /// elsewhere.
    crd: Vec<i32>,
    /// Those that were ranked, where they have no other place.
    ranked: [i32; MOST],
    order: Order,
    init: T,
    /// Values that were gathered last.
    vals: Vec<T>,
    /// Instead of all this, if the dimension is large.
    far: Far<T>,
}

impl<T: Element> List<T> {
    /// An empty one for the coordinates below a size. Ends the call if there is no memory for as many elements.
    pub fn new([size]: [usize; 1], init: T) -> Self {
        let (far, size) = Far::of(size, init);
        let marks = zeros(size.div_ceil(BLOCK));
        let (values, order) = (zeros(size), Order::new(size));
        let crd = zeros(size.max(MOST));
        List { values, marks, crd, ranked: [0; MOST], order, init, vals: vec![], far }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenList<'_, T> {
        OpenList {
            values: self.values.as_mut_ptr(),
            marks: self.marks.as_mut_ptr().cast(),
            crd: self.crd.as_mut_ptr(),
            init: self.init,
            used: 0,
            is_far: self.far.is_far(),
            home: self,
        }
    }

    /// As [`OpenList::place`] in the hash table, and where its values are then. It has no reference to what is open, whose parts are
    /// in registers.
    #[cold]
    #[inline(never)]
    fn place_far(&mut self, at: [usize; 1]) -> (usize, *mut T) {
        let far = self.far.table();
        // SAFETY: none is needed.
        let place = unsafe { far.open().place(at) };
        (place, far.values().as_mut_ptr())
    }
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenList<'a, T> {
    values: *mut T,
    marks: *mut u8,
    crd: *mut i32,
    init: T,
    used: usize,
    is_far: bool,
    home: &'a mut List<T>,
}

impl<'a, T: Element> OpenList<'a, T> {
    /// The place of an element, which counts as written from now on.
    ///
    /// # Safety
    /// The coordinate is below the size.
    #[inline(always)]
    pub unsafe fn place(&mut self, [at]: [usize; 1]) -> usize {
        if self.is_far {
            let place;
            (place, self.values) = self.home.place_far([at]);
            return place;
        }
        // SAFETY: a coordinate below the size. It is listed when it is marked, and loses its mark only when the list is
        // emptied: there are never more listed than there are.
        unsafe {
            let mark = self.marks.add(at);
            if *mark == 0 {
                *mark = 1;
                // What is read next has just been written: that does not wait for memory, as an element that an earlier
                // row left in order would.
                *self.values.add(at) = self.init;
                *self.crd.add(self.used) = at as i32;
                self.used += 1;
            }
        }
        at
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenList::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        // SAFETY: a place is a coordinate below the size, or the number of a value of the hash table's.
        unsafe { *self.values.add(place) }
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenList::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        // SAFETY: as in `at`.
        unsafe { *self.values.add(place) = value }
    }

    /// What was written, in order; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, _: impl Combine<T>) -> Gathered<'a, T, 1> {
        self.home.gather(self.used)
    }

    /// [`OpenList::gather`] at the end of other arrays, which make room for so many coordinates and values, or count them
    /// only.
    ///
    /// # Safety
    /// There is room where they say.
    #[inline(always)]
    pub unsafe fn append(
        self,
        _: impl Combine<T>,
        room: impl FnOnce(usize) -> (Option<*mut i32>, Option<*mut T>),
    ) {
        let (home, used) = (self.home, self.used);
        if used > SHORT || self.is_far {
            let ([crd], vals) = home.gather(used);
            let (to_crd, to_vals) = room(crd.len());
            // SAFETY: the caller's promise; nothing else has a reference to that room.
            unsafe {
                to_crd.into_iter().for_each(|to| to.copy_from_nonoverlapping(crd.as_ptr(), crd.len()));
                to_vals.into_iter().for_each(|to| to.copy_from_nonoverlapping(vals.as_ptr(), vals.len()));
            }
            return;
        }
        // Where an array has no room, its part comes here, and is lost.
        reserve(&mut home.vals, SHORT);
        let (crd, vals) = (home.ranked.as_mut_ptr(), home.vals.as_mut_ptr());
        let (to_crd, to_vals) = room(used);
        // SAFETY: as many are listed; the caller's promise.
        unsafe { home.rank(used, to_crd.unwrap_or(crd), to_vals.unwrap_or(vals)) }
    }
}

impl<T: Element> List<T> {
    fn gather(&mut self, used: usize) -> Gathered<'_, T, 1> {
        if self.far.is_far() {
            return self.far.table().gather();
        }
        self.vals.clear();
        reserve(&mut self.vals, used);
        // SAFETY: there is room for what is listed.
        unsafe {
            if used <= SHORT {
                self.rank_here(used);
            } else {
                self.sort(used);
            }
            self.vals.set_len(used);
        }
        ([&self.crd[..used]], &self.vals)
    }

    /// Ranks a list, straight to its place: a copy took a tenth of the time of rows of five to ten entries.
    ///
    /// # Safety
    /// So many are listed, [`MOST`] or fewer, and there is room for as many, which is not that of the list.
    #[inline(never)]
    unsafe fn rank(&mut self, used: usize, crd: *mut i32, vals: *mut T) {
        let mut room = [const { MaybeUninit::uninit() }; MOST];
        let listed = self.crd.first_chunk().expect("as long as what is ranked may be");
        let ranks = ranks(listed, used, &mut room);
        for (&c, &rank) in listed[..used].iter().zip(ranks) {
            let (at, rank) = (c as usize, rank as usize);
            // SAFETY: what is listed is below the size, no two are equal, and so each rank is another number below their
            // number.
            unsafe {
                self.marks.get_unchecked_mut(at / BLOCK)[at % BLOCK] = 0;
                *crd.add(rank) = c;
                *vals.add(rank) = *self.values.get_unchecked(at);
            }
        }
    }

    /// Ranks a list in its own place.
    ///
    /// # Safety
    /// As for [`List::rank`]; there is room for as many values.
    unsafe fn rank_here(&mut self, used: usize) {
        let (crd, vals) = (self.ranked.as_mut_ptr(), self.vals.as_mut_ptr());
        // SAFETY: the caller's promise.
        unsafe { self.rank(used, crd, vals) }
        self.crd[..used].copy_from_slice(&self.ranked[..used]);
    }

    /// Gathers a list.
    ///
    /// # Safety
    /// So many are listed, one at least, and there is room for as many values.
    unsafe fn sort(&mut self, used: usize) {
        let crd = &self.crd[..used];
        let (mut first, mut last, mut before, mut sorted) = (i32::MAX, 0, 0, true);
        for &c in crd {
            (first, last) = (first.min(c), last.max(c));
            sorted &= before <= c;
            before = c;
        }
        let (first, last) = (first as usize, last as usize);
        let is_dense = last - first < used.saturating_mul(DENSE);
        if !sorted && !is_dense && used <= MOST {
            // SAFETY: the caller's promise.
            return unsafe { self.rank_here(used) };
        }
        let List { values, marks, crd, order, vals, .. } = self;
        let crd = &mut crd[..used];
        let mut out = Out { crd: crd.as_mut_ptr(), vals: vals.as_mut_ptr(), len: 0 };
        if !sorted && is_dense {
            for (block, marks) in (first / BLOCK..).zip(&mut marks[first / BLOCK..=last / BLOCK]) {
                let from = block * BLOCK;
                let end = values.len().min(from + BLOCK);
                // SAFETY: as many are marked as are listed, and the list is not read any more.
                unsafe { out.block(from, marks, &values[from..end]) };
            }
            debug_assert_eq!(out.len, used);
            return;
        }
        if !sorted && last - first < used.saturating_mul(SPARSE) {
            order.sort(crd, first, last);
        } else if !sorted {
            crd.sort_unstable();
        }
        for (n, &c) in crd.iter().enumerate() {
            let at = c as usize;
            // SAFETY: what is listed is below the size, and there is room for all of it.
            unsafe {
                marks.get_unchecked_mut(at / BLOCK)[at % BLOCK] = 0;
                *out.vals.add(n) = *values.get_unchecked(at);
            }
        }
    }
}

/// Sorts by setting bits. Between calls all are 0.
#[derive(Debug)]
struct Order {
    /// A bit a coordinate.
    bits: Vec<u64>,
    /// A bit a block of them that has some.
    blocks: Vec<u64>,
}

impl Order {
    fn new(size: usize) -> Self {
        let blocks = size.div_ceil(BLOCK);
        Order { bits: zeros(blocks), blocks: zeros(blocks.div_ceil(BLOCK)) }
    }

    /// Sorts coordinates below the size, no two equal, of which these are the first and the last.
    fn sort(&mut self, crd: &mut [i32], first: usize, last: usize) {
        let Order { bits, blocks } = self;
        for &c in &*crd {
            let block = c as usize / BLOCK;
            bits[block] |= 1 << (c as usize % BLOCK);
            blocks[block / BLOCK] |= 1 << (block % BLOCK);
        }
        let mut sorted = crd.iter_mut();
        for (n, block) in (first / SPARSE..).zip(&mut blocks[first / SPARSE..=last / SPARSE]) {
            for block in ones(std::mem::take(block)).map(|b| n * BLOCK + b) {
                let coordinates = ones(std::mem::take(&mut bits[block])).map(|b| block * BLOCK + b);
                coordinates.zip(&mut sorted).for_each(|(c, to)| *to = c as i32);
            }
        }
        debug_assert!(sorted.next().is_none());
    }
}

/// Which bits are set.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            at
        })
    })
}

/// Where elements are gathered.
struct Out<T> {
    crd: *mut i32,
    vals: *mut T,
    len: usize,
}

impl<T: Element> Out<T> {
    /// The elements of a block, whose marks are taken away.
    ///
    /// # Safety
    /// There is room for what is marked, and marked is what has a value.
    #[inline(always)]
    unsafe fn block(&mut self, first: usize, marks: &mut [u8; BLOCK], values: &[T]) {
        let mut bits = bits(marks);
        if bits == 0 {
            return;
        }
        *marks = [0; BLOCK];
        if bits == u64::MAX {
            for (n, value) in values.iter().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { self.set(n, first + n, *value) };
            }
            self.len += BLOCK;
            return;
        }
        let mut n = 0;
        while bits != 0 {
            let at = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // SAFETY: the caller's promise.
            unsafe { self.set(n, first + at, *values.get_unchecked(at)) };
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

/// A bit a mark.
#[inline(always)]
fn bits(marks: &[u8; BLOCK]) -> u64 {
    let (eights, _) = marks.as_chunks::<8>();
    if eights.iter().fold(0, |all, e| all | u64::from_le_bytes(*e)) == 0 {
        return 0;
    }
    let bits = |(n, e): (usize, &[u8; 8])| {
        // The product has the lowest bits of all bytes, each 0 or 1, in its highest byte.
        u64::from_le_bytes(*e).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * n)
    };
    eights.iter().enumerate().map(bits).fold(0, |all, b| all | b)
}
