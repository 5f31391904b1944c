//! What was written, one after another: sorted by its coordinates, and what is equal combined.
//!
//! Sorting is stable, one dimension after the other from the last to the first, so that values are combined in the order
//! in which they were written. A dimension whose coordinates are in order already takes no sorting: a transposition
//! sorts by one dimension, a conversion by none. The first dimension is sorted by moving the elements themselves, if it is not
//! so large that it takes comparisons; the others by numbers of elements.

use super::super::memory::reserve;
use super::super::shared::Shared;
use super::counting::Counting;
use super::{Combine, Gathered, Number};
use crate::scalar::Element;

/// The memory.
#[derive(Debug)]
pub struct Sort<T, const R: usize> {
    dims: [usize; R],
    written: Elements<T, R>,
    init: T,
    /// Of as many elements as 32 bits count; the memory for the numbers of more is not kept.
    numbers: Numbers<u32>,
    /// What was gathered last.
    sorted: Elements<T, R>,
    /// May threads sort it?
    threads: bool,
}

/// Coordinates by dimension, and values: arrays of one length.
#[derive(Debug)]
struct Elements<T, const R: usize> {
    crd: [Vec<i32>; R],
    vals: Vec<T>,
}

impl<T, const R: usize> Default for Elements<T, R> {
    fn default() -> Self {
        Elements { crd: std::array::from_fn(|_| vec![]), vals: vec![] }
    }
}

impl<T: Element, const R: usize> Elements<T, R> {
    fn clear(&mut self) {
        self.crd.iter_mut().for_each(Vec::clear);
        self.vals.clear();
    }

    /// Room for so many more.
    fn reserve(&mut self, more: usize) {
        self.crd.iter_mut().for_each(|crd| reserve(crd, more));
        reserve(&mut self.vals, more);
    }

    /// Room for some more: twice as many as there are.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.reserve(self.vals.len().max(16));
    }

    fn truncate(&mut self, len: usize) {
        self.crd.iter_mut().for_each(|crd| crd.truncate(len));
        self.vals.truncate(len);
    }

    /// The first coordinates have their length already.
    ///
    /// # Safety
    /// So many of the others, and values, have been written.
    unsafe fn set_len(&mut self, len: usize) {
        assert_eq!(self.crd[0].len(), len, "counted");
        // SAFETY: the caller's promise.
        unsafe {
            self.crd.iter_mut().skip(1).for_each(|crd| crd.set_len(len));
            self.vals.set_len(len);
        }
    }

    fn key(&self, at: usize) -> [i32; R] {
        std::array::from_fn(|dim| self.crd[dim][at])
    }

    /// What stands beside its equals becomes one.
    fn combine(&mut self, combine: impl Combine<T>) {
        let len = self.vals.len();
        let Some(first) = (1..len).find(|&at| self.crd.iter().all(|crd| crd[at] == crd[at - 1])) else {
            return;
        };
        let mut last = first - 1;
        for at in first..len {
            let (key, value) = (self.key(at), self.vals[at]);
            if key == self.key(last) {
                self.vals[last] = combine.combine(self.vals[last], value);
            } else {
                last += 1;
                self.crd.iter_mut().zip(key).for_each(|(crd, c)| crd[last] = c);
                self.vals[last] = value;
            }
        }
        self.truncate(last + 1);
    }
}

/// Elements in the order of coordinates, by their numbers.
#[derive(Debug, Default)]
struct Numbers<N> {
    /// Now; none as long as it is the one in which they were written.
    order: Vec<N>,
    /// Before the last dimension was sorted.
    before: Vec<N>,
    /// Coordinates, and where their elements stand.
    keys: Vec<(i32, N)>,
    counting: Counting<N>,
}

impl<N: Number> Numbers<N> {
    /// Have so many elements this order by one dimension already?
    fn has_order(&self, crd: &[i32]) -> bool {
        match self.order.is_empty() {
            true => crd.is_sorted(),
            false => self.order.is_sorted_by_key(|n| crd[n.at()]),
        }
    }

    /// Begins with the order in which so many elements were written.
    fn begin(&mut self, len: usize) {
        if self.order.is_empty() {
            reserve(&mut self.order, len);
            self.order.extend((0..len).map(N::of));
        }
    }

    /// Brings the numbers of elements in the order of one dimension, those with equal coordinates as they are.
    fn by(&mut self, crd: &[i32], size: usize, threads: bool) {
        if self.has_order(crd) {
            return;
        }
        self.begin(crd.len());
        if is_large(size, crd.len()) {
            return self.by_comparing(crd);
        }
        let Numbers { order, before, counting, .. } = self;
        before.clear();
        reserve(before, order.len());
        let to = Shared::new(before.spare_capacity_mut());
        let put = |n: usize, at: usize| {
            assert!(at < to.len(), "counted");
            // SAFETY: in bounds, and no place is given twice.
            unsafe { to.set(at, order[n]) }
        };
        counting.place((order.len(), size), threads, |n| crd[order[n].at()] as usize, put);
        // SAFETY: as many different places were given as there are elements.
        unsafe { before.set_len(order.len()) };
        std::mem::swap(order, before);
    }

    fn by_comparing(&mut self, crd: &[i32]) {
        let Numbers { order, before, keys, .. } = self;
        keys.clear();
        reserve(keys, order.len());
        keys.extend(order.iter().enumerate().map(|(place, n)| (crd[n.at()], N::of(place))));
        keys.sort_unstable();
        before.clear();
        reserve(before, order.len());
        before.extend(keys.iter().map(|(_, place)| order[place.at()]));
        std::mem::swap(order, before);
    }
}

/// Are there so few coordinates of a dimension that to count them all takes longer than to compare them?
fn is_large(size: usize, len: usize) -> bool {
    size > len.saturating_mul(4)
}

impl<T: Element, const R: usize> Sort<T, R> {
    /// An empty one for coordinates below these sizes.
    pub fn new(dims: [usize; R], init: T) -> Self {
        let (written, sorted) = (Elements::default(), Elements::default());
        Sort { dims, written, init, numbers: Numbers::default(), sorted, threads: false }
    }

    /// The same, which threads may sort.
    #[must_use]
    pub fn on_threads(self) -> Self {
        Sort { threads: true, ..self }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenSort<'_, T, R> {
        let (written, init) = (std::mem::take(&mut self.written), self.init);
        OpenSort { written, init, home: self }
    }

    fn gather(&mut self, combine: impl Combine<T>) -> Gathered<'_, T, R> {
        if u32::try_from(self.written.vals.len()).is_ok() {
            let mut numbers = std::mem::take(&mut self.numbers);
            self.sort(&mut numbers, combine);
            self.numbers = numbers;
        } else {
            self.sort(&mut Numbers::<u64>::default(), combine);
        }
        (std::array::from_fn(|dim| &self.sorted.crd[dim][..]), &self.sorted.vals)
    }

    /// Moves what was written to what was gathered last.
    fn sort<N: Number>(&mut self, numbers: &mut Numbers<N>, combine: impl Combine<T>) {
        let Sort { dims, written, sorted, threads, .. } = self;
        numbers.order.clear();
        sorted.clear();
        (1..R).rev().for_each(|dim| numbers.by(&written.crd[dim], dims[dim], *threads));
        let (len, first) = (written.vals.len(), &written.crd[0]);
        let has_order = numbers.has_order(first);
        if has_order && numbers.order.is_empty() {
            std::mem::swap(written, sorted);
        } else if has_order || is_large(dims[0], len) {
            numbers.begin(len);
            if !has_order {
                numbers.by_comparing(first);
            }
            let room = Room::new(written, sorted);
            numbers.order.iter().enumerate().for_each(|(at, n)| room.put(n.at(), at));
            sorted.crd[0].extend(numbers.order.iter().map(|n| first[n.at()]));
            // SAFETY: every place below the length was written.
            unsafe { sorted.set_len(len) };
        } else {
            let room = Room::new(written, sorted);
            let Numbers { order, counting, .. } = numbers;
            let (shape, threads) = ((len, dims[0]), *threads);
            let ends = match order.is_empty() {
                true => counting.place(shape, threads, |n| first[n] as usize, |n, at| room.put(n, at)),
                false => {
                    let key = |n: usize| first[order[n].at()] as usize;
                    counting.place(shape, threads, key, |n, at| room.put(order[n].at(), at))
                }
            };
            // Where one coordinate's elements end, the next one's begin.
            let first = &mut sorted.crd[0];
            ends.iter().enumerate().for_each(|(c, end)| first.resize(end.at(), c as i32));
            // SAFETY: as many different places below the length were written.
            unsafe { sorted.set_len(len) };
        }
        written.clear();
        sorted.combine(combine);
    }
}

/// Room for all elements but their first coordinates, which threads may move there.
struct Room<'w, T, const R: usize> {
    written: &'w Elements<T, R>,
    crd: [Shared<i32>; R],
    vals: Shared<T>,
}

impl<'w, T: Element, const R: usize> Room<'w, T, R> {
    /// In an empty place.
    fn new(written: &'w Elements<T, R>, sorted: &mut Elements<T, R>) -> Self {
        sorted.reserve(written.vals.len());
        let crd = sorted.crd.each_mut().map(|crd| Shared::new(crd.spare_capacity_mut()));
        Room { written, crd, vals: Shared::new(sorted.vals.spare_capacity_mut()) }
    }

    /// Moves an element there. No two are moved to one place.
    #[inline(always)]
    fn put(&self, n: usize, at: usize) {
        let written = self.written;
        assert!(at < written.vals.len(), "counted");
        // SAFETY: below the length, for which there is room, and nobody else writes there.
        unsafe {
            for (to, from) in self.crd.iter().zip(&written.crd).skip(1) {
                to.set(at, from[n]);
            }
            self.vals.set(at, written.vals[n]);
        }
    }
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenSort<'a, T, const R: usize> {
    /// Apart from its home, so that a store to elsewhere does not change it for all that the compiler knows.
    written: Elements<T, R>,
    init: T,
    home: &'a mut Sort<T, R>,
}

impl<'a, T: Element, const R: usize> OpenSort<'a, T, R> {
    /// A new place for an element.
    ///
    /// # Safety
    /// The coordinates are below the sizes.
    #[inline(always)]
    pub unsafe fn place(&mut self, at: [usize; R]) -> usize {
        let written = &mut self.written;
        let place = written.vals.len();
        let full = |len: usize, capacity: usize| len == capacity;
        if full(place, written.vals.capacity()) || written.crd.iter().any(|crd| full(place, crd.capacity())) {
            written.grow();
        }
        // SAFETY: arrays of one length, each of which has room for one more.
        unsafe {
            for (crd, c) in written.crd.iter_mut().zip(at) {
                *crd.as_mut_ptr().add(place) = c as i32;
                crd.set_len(place + 1);
            }
            *written.vals.as_mut_ptr().add(place) = self.init;
            written.vals.set_len(place + 1);
        }
        place
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenSort::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        // SAFETY: a place is below the length.
        unsafe { *self.written.vals.get_unchecked(place) }
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenSort::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        // SAFETY: a place is below the length.
        unsafe { *self.written.vals.get_unchecked_mut(place) = value }
    }

    /// What was written, in order and combined; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, combine: impl Combine<T>) -> Gathered<'a, T, R> {
        self.home.written = self.written;
        self.home.gather(combine)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::monoid::Add;
    use super::super::By;
    use super::*;

    /// As for more elements than 32 bits count.
    #[test]
    fn wide_numbers_sort_alike() {
        for size in [5, 100_000] {
            let mut memory = [(); 2].map(|()| Sort::new([size, 3], 0_i64));
            for sort in &mut memory {
                let mut w = sort.open();
                for n in 0..700 {
                    // SAFETY: below the sizes.
                    unsafe {
                        let place = w.place([n * 7919 % size, n % 3]);
                        w.set(place, n as i64);
                    }
                }
                w.home.written = w.written;
            }
            let [mut narrow, mut wide] = memory;
            narrow.sort(&mut Numbers::<u32>::default(), By(Add));
            wide.sort(&mut Numbers::<u64>::default(), By(Add));
            assert!(narrow.sorted.vals.len() >= 15 && narrow.written.vals.is_empty());
            assert_eq!((narrow.sorted.crd, narrow.sorted.vals), (wide.sorted.crd, wide.sorted.vals));
        }
    }
}
