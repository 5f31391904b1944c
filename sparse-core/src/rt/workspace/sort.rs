//! What was written, one after another: sorted by its coordinates, and what is equal combined.
//!
//! Sorting is stable, one dimension after the other from the last to the first, so that values are combined in the order
//! in which they were written. A dimension whose coordinates are in order already takes no sorting: a transposition
//! sorts by one dimension, a conversion by none. The first dimension is sorted by moving the elements themselves, if it is not
//! so large that it takes comparisons; the others by numbers of elements.

use super::super::memory::reserve;
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

    fn push(&mut self, key: [i32; R], value: T) {
        self.crd.iter_mut().zip(key).for_each(|(crd, c)| crd.push(c));
        self.vals.push(value);
    }

    fn truncate(&mut self, len: usize) {
        self.crd.iter_mut().for_each(|crd| crd.truncate(len));
        self.vals.truncate(len);
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
    /// How many elements have a coordinate.
    counts: Vec<N>,
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
    fn by(&mut self, crd: &[i32], size: usize) {
        if self.has_order(crd) {
            return;
        }
        self.begin(crd.len());
        if is_large(size, crd.len()) {
            return self.by_comparing(crd);
        }
        self.count(crd, size);
        let Numbers { order, before, counts, .. } = self;
        before.clear();
        reserve(before, order.len());
        before.resize(order.len(), N::default());
        for &n in &*order {
            let next = &mut counts[crd[n.at()] as usize];
            before[next.at()] = n;
            *next = N::of(next.at() + 1);
        }
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

    /// How many elements have smaller coordinates, by coordinate.
    fn count(&mut self, crd: &[i32], size: usize) {
        let counts = &mut self.counts;
        counts.clear();
        reserve(counts, size + 1);
        counts.resize(size + 1, N::default());
        for &c in crd {
            let count = &mut counts[c as usize + 1];
            *count = N::of(count.at() + 1);
        }
        let mut sum = 0;
        for count in counts {
            sum += count.at();
            *count = N::of(sum);
        }
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
        Sort { dims, written, init, numbers: Numbers::default(), sorted }
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
        let Sort { dims, written, sorted, .. } = self;
        numbers.order.clear();
        sorted.clear();
        (1..R).rev().for_each(|dim| numbers.by(&written.crd[dim], dims[dim]));
        let len = written.vals.len();
        if numbers.has_order(&written.crd[0]) {
            if numbers.order.is_empty() {
                std::mem::swap(written, sorted);
            }
        } else if is_large(dims[0], len) {
            numbers.begin(len);
            numbers.by_comparing(&written.crd[0]);
        } else {
            numbers.count(&written.crd[0], dims[0]);
            let counts = &mut numbers.counts;
            match numbers.order.is_empty() {
                true => place(written, sorted, counts, 0..len),
                false => place(written, sorted, counts, numbers.order.iter().map(|n| n.at())),
            }
            numbers.order.clear();
        }
        if !numbers.order.is_empty() {
            sorted.reserve(len);
            numbers.order.iter().for_each(|n| sorted.push(written.key(n.at()), written.vals[n.at()]));
        }
        written.clear();
        sorted.combine(combine);
    }
}

/// Moves elements, in this order, to where those with their first coordinate stand: from as many on as are counted to have
/// smaller ones.
fn place<T: Element, N: Number, const R: usize>(
    written: &Elements<T, R>,
    sorted: &mut Elements<T, R>,
    begins: &mut [N],
    order: impl Iterator<Item = usize>,
) {
    let len = written.vals.len();
    sorted.reserve(len);
    for n in order {
        let next = &mut begins[written.crd[0][n] as usize];
        let at = next.at();
        *next = N::of(at + 1);
        assert!(at < len, "counted");
        // SAFETY: below the length, for which there is room.
        unsafe {
            for (to, from) in sorted.crd.iter_mut().zip(&written.crd).skip(1) {
                *to.as_mut_ptr().add(at) = from[n];
            }
            *sorted.vals.as_mut_ptr().add(at) = written.vals[n];
        }
    }
    // Where one coordinate's elements end, the next one's begin.
    let first = &mut sorted.crd[0];
    for (c, end) in begins.iter().enumerate() {
        first.resize(end.at().max(first.len()), c as i32);
    }
    assert_eq!(first.len(), len, "counted");
    // SAFETY: each place was written: there are as many as elements, and each coordinate's are from where it begins on.
    unsafe {
        sorted.crd.iter_mut().skip(1).for_each(|crd| crd.set_len(len));
        sorted.vals.set_len(len);
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
