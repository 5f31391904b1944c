//! What was written, one after another: sorted by its coordinates, and what is equal combined.
//!
//! Sorting is stable, one dimension after the other from the last to the first, so that values are combined in the order
//! in which they were written. A dimension whose coordinates are in order already takes no sorting: a transposition
//! sorts by one dimension, a conversion by none.

use super::{Combine, Gathered};
use crate::scalar::Element;

/// The memory.
#[derive(Debug)]
pub struct Sort<T, const R: usize> {
    dims: [usize; R],
    crd: [Vec<i32>; R],
    vals: Vec<T>,
    init: T,
    /// Elements in the order of coordinates: their numbers, now and before the last dimension was sorted.
    order: Vec<u32>,
    before: Vec<u32>,
    /// How many elements have a coordinate.
    counts: Vec<u32>,
    /// What was gathered last.
    sorted_crd: [Vec<i32>; R],
    sorted_vals: Vec<T>,
}

impl<T: Element, const R: usize> Sort<T, R> {
    /// An empty one for coordinates below these sizes.
    pub fn new(dims: [usize; R], init: T) -> Self {
        Sort {
            dims,
            crd: std::array::from_fn(|_| vec![]),
            vals: vec![],
            init,
            order: vec![],
            before: vec![],
            counts: vec![],
            sorted_crd: std::array::from_fn(|_| vec![]),
            sorted_vals: vec![],
        }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenSort<'_, T, R> {
        OpenSort { home: self }
    }

    /// Brings the numbers of elements in the order of one dimension, those with equal coordinates as they are.
    fn by(&mut self, dim: usize) {
        let Sort { dims, crd, order, before, counts, .. } = self;
        let crd = &crd[dim];
        let at = |n: u32| crd[n as usize] as usize;
        if order.windows(2).all(|w| at(w[0]) <= at(w[1])) {
            return;
        }
        if dims[dim] > order.len().saturating_mul(4) {
            return order.sort_by_key(|&n| at(n));
        }
        counts.clear();
        counts.resize(dims[dim] + 1, 0);
        order.iter().for_each(|&n| counts[at(n) + 1] += 1);
        for c in 1..counts.len() {
            counts[c] += counts[c - 1];
        }
        before.clear();
        before.resize(order.len(), 0);
        for &n in &*order {
            let next = &mut counts[at(n)];
            before[*next as usize] = n;
            *next += 1;
        }
        std::mem::swap(order, before);
    }

    fn gather(&mut self, combine: impl Combine<T>) -> Gathered<'_, T, R> {
        self.order.clear();
        self.order.extend(0..self.vals.len() as u32);
        (0..R).rev().for_each(|dim| self.by(dim));
        let Sort { crd, vals, order, sorted_crd, sorted_vals, .. } = self;
        sorted_crd.iter_mut().for_each(Vec::clear);
        sorted_vals.clear();
        let mut last: Option<[i32; R]> = None;
        for &n in &*order {
            let key: [i32; R] = std::array::from_fn(|dim| crd[dim][n as usize]);
            let value = vals[n as usize];
            match sorted_vals.last_mut() {
                Some(sum) if last == Some(key) => *sum = combine.combine(*sum, value),
                _ => {
                    sorted_crd.iter_mut().zip(key).for_each(|(to, c)| to.push(c));
                    sorted_vals.push(value);
                    last = Some(key);
                }
            }
        }
        crd.iter_mut().for_each(Vec::clear);
        vals.clear();
        (std::array::from_fn(|dim| &sorted_crd[dim][..]), sorted_vals)
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
        home.crd.iter_mut().zip(at).for_each(|(crd, c)| crd.push(c as i32));
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
