//! What was written, one after another: sorted by its coordinates, and what is equal combined.
//!
//! Sorting is stable, one dimension after the other from the last to the first, so that values are combined in the order
//! in which they were written. A dimension whose coordinates are in order already takes no sorting: a transposition
//! sorts by one dimension, a conversion by none.

use super::super::memory::reserve;
use super::{Combine, Gathered, Number};
use crate::scalar::Element;

/// The memory.
#[derive(Debug)]
pub struct Sort<T, const R: usize> {
    dims: [usize; R],
    crd: [Vec<i32>; R],
    vals: Vec<T>,
    init: T,
    /// Of as many elements as 32 bits count; the memory for the numbers of more is not kept.
    numbers: Numbers<u32>,
    /// What was gathered last.
    sorted_crd: [Vec<i32>; R],
    sorted_vals: Vec<T>,
}

/// Elements in the order of coordinates.
#[derive(Debug, Default)]
struct Numbers<N> {
    /// Their numbers, now and before the last dimension was sorted.
    order: Vec<N>,
    before: Vec<N>,
    /// Coordinates, and where their elements stand.
    keys: Vec<(i32, N)>,
    /// How many elements have a coordinate.
    counts: Vec<N>,
}

impl<N: Number> Numbers<N> {
    /// Brings the numbers of elements in the order of one dimension, those with equal coordinates as they are.
    fn by(&mut self, crd: &[i32], size: usize) {
        let Numbers { order, before, keys, counts } = self;
        let at = |n: N| crd[n.at()] as usize;
        if order.windows(2).all(|w| at(w[0]) <= at(w[1])) {
            return;
        }
        before.clear();
        reserve(before, order.len());
        if size > order.len().saturating_mul(4) {
            keys.clear();
            reserve(keys, order.len());
            keys.extend(order.iter().enumerate().map(|(place, n)| (crd[n.at()], N::of(place))));
            keys.sort_unstable();
            before.extend(keys.iter().map(|(_, place)| order[place.at()]));
            return std::mem::swap(order, before);
        }
        counts.clear();
        reserve(counts, size + 1);
        counts.resize(size + 1, N::default());
        let add = |count: &mut N, n: N| *count = N::of(count.at() + n.at());
        order.iter().for_each(|&n| add(&mut counts[at(n) + 1], N::of(1)));
        for c in 1..counts.len() {
            let smaller = counts[c - 1];
            add(&mut counts[c], smaller);
        }
        before.resize(order.len(), N::default());
        for &n in &*order {
            let next = &mut counts[at(n)];
            before[next.at()] = n;
            add(next, N::of(1));
        }
        std::mem::swap(order, before);
    }
}

impl<T: Element, const R: usize> Sort<T, R> {
    /// An empty one for coordinates below these sizes.
    pub fn new(dims: [usize; R], init: T) -> Self {
        Sort {
            dims,
            crd: std::array::from_fn(|_| vec![]),
            vals: vec![],
            init,
            numbers: Numbers::default(),
            sorted_crd: std::array::from_fn(|_| vec![]),
            sorted_vals: vec![],
        }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenSort<'_, T, R> {
        OpenSort { home: self }
    }

    fn gather(&mut self, combine: impl Combine<T>) -> Gathered<'_, T, R> {
        if u32::try_from(self.vals.len()).is_ok() {
            let mut numbers = std::mem::take(&mut self.numbers);
            self.sort(&mut numbers, combine);
            self.numbers = numbers;
        } else {
            self.sort(&mut Numbers::<u64>::default(), combine);
        }
        (std::array::from_fn(|dim| &self.sorted_crd[dim][..]), &self.sorted_vals)
    }

    /// Moves what was written to what was gathered last.
    fn sort<N: Number>(&mut self, numbers: &mut Numbers<N>, combine: impl Combine<T>) {
        let Sort { dims, crd, vals, sorted_crd, sorted_vals, .. } = self;
        numbers.order.clear();
        reserve(&mut numbers.order, vals.len());
        numbers.order.extend((0..vals.len()).map(N::of));
        (0..R).rev().for_each(|dim| numbers.by(&crd[dim], dims[dim]));
        sorted_crd.iter_mut().for_each(Vec::clear);
        sorted_vals.clear();
        let mut last: Option<[i32; R]> = None;
        for &n in &numbers.order {
            let key: [i32; R] = std::array::from_fn(|dim| crd[dim][n.at()]);
            let value = vals[n.at()];
            match sorted_vals.last_mut() {
                Some(sum) if last == Some(key) => *sum = combine.combine(*sum, value),
                _ => {
                    sorted_crd.iter_mut().zip(key).for_each(|(to, c)| {
                        reserve(to, 1);
                        to.push(c);
                    });
                    reserve(sorted_vals, 1);
                    sorted_vals.push(value);
                    last = Some(key);
                }
            }
        }
        crd.iter_mut().for_each(Vec::clear);
        vals.clear();
    }
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenSort<'a, T, const R: usize> {
    home: &'a mut Sort<T, R>,
}

impl<'a, T: Element, const R: usize> OpenSort<'a, T, R> {
    /// A new place for an element.
    ///
    /// # Safety
    /// The coordinates are below the sizes.
    #[inline(always)]
    pub unsafe fn place(&mut self, at: [usize; R]) -> usize {
        let home = &mut *self.home;
        home.crd.iter_mut().zip(at).for_each(|(crd, c)| {
            reserve(crd, 1);
            crd.push(c as i32);
        });
        reserve(&mut home.vals, 1);
        home.vals.push(home.init);
        home.vals.len() - 1
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenSort::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        self.home.vals[place]
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenSort::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        self.home.vals[place] = value;
    }

    /// What was written, in order and combined; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, combine: impl Combine<T>) -> Gathered<'a, T, R> {
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
            }
            let [mut narrow, mut wide] = memory;
            narrow.sort(&mut Numbers::<u32>::default(), By(Add));
            wide.sort(&mut Numbers::<u64>::default(), By(Add));
            assert!(narrow.sorted_vals.len() >= 15 && narrow.vals.is_empty());
            assert_eq!((narrow.sorted_crd, narrow.sorted_vals), (wide.sorted_crd, wide.sorted_vals));
        }
    }
}
