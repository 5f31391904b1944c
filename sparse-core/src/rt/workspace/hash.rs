//! A hash table of what was written: open addressing with linear probing, and the elements in the order of their coming.

use super::super::memory::{reserve, zeros};
use super::{Combine, Gathered, Number};
use crate::scalar::Element;

/// The memory.
#[derive(Debug)]
pub struct Hash<T, const R: usize> {
    table: Table<u32>,
    /// Instead of the table, if there are more elements than 32 bits count; its memory is not kept.
    wide: Table<u64>,
    /// So many elements are in the table at most.
    most: usize,
    /// Coordinates and values by number.
    keys: Vec<[i32; R]>,
    values: Vec<T>,
    init: T,
    /// Numbers in the order of coordinates.
    order: Vec<u32>,
    /// What was gathered last.
    crd: [Vec<i32>; R],
    vals: Vec<T>,
}

/// Places of the smallest table.
const SMALLEST: usize = 64;

/// Numbers of elements, counted from 1; 0 where there is none. A power of two, at least twice as many as elements.
#[derive(Debug)]
struct Table<N>(Vec<N>);

impl<N: Number> Table<N> {
    /// Of these elements, all different.
    fn of<const R: usize>(keys: &[[i32; R]], places: usize) -> Self {
        let mut table = Table(zeros(places));
        for (n, key) in keys.iter().enumerate() {
            let at = table.find(keys, key);
            table.0[at] = N::of(n + 1);
        }
        table
    }

    /// Where the element's number is in the table, or would be.
    #[inline(always)]
    fn find<const R: usize>(&self, keys: &[[i32; R]], key: &[i32; R]) -> usize {
        let mask = self.0.len() - 1;
        let mut at = spread(key) & mask;
        loop {
            match self.0[at].at() {
                0 => return at,
                n if keys[n - 1] == *key => return at,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The number of an element, counted from 0; of a new one, that of the next.
    #[inline(always)]
    fn place<const R: usize>(&mut self, keys: &[[i32; R]], key: &[i32; R]) -> usize {
        let mut slot = self.find(keys, key);
        if self.0[slot].at() == 0 {
            if keys.len() * 2 >= self.0.len() {
                self.grow(keys);
                slot = self.find(keys, key);
            }
            self.0[slot] = N::of(keys.len() + 1);
        }
        self.0[slot].at() - 1
    }

    #[cold]
    fn grow<const R: usize>(&mut self, keys: &[[i32; R]]) {
        *self = Table::of(keys, self.0.len() * 2);
    }

    /// Takes these elements out, which are all.
    fn clear<const R: usize>(&mut self, keys: &[[i32; R]]) {
        // To look for the elements takes longer than to clear a table that they fill.
        if keys.len() * 16 < self.0.len() {
            let mask = self.0.len() - 1;
            for key in keys {
                let mut at = spread(key) & mask;
                while self.0[at].at() != 0 {
                    self.0[at] = N::default();
                    at = (at + 1) & mask;
                }
            }
        } else {
            self.0.fill(N::default());
        }
    }
}

impl<T: Element, const R: usize> Hash<T, R> {
    /// An empty one. It grows with what is written, whatever the sizes.
    pub fn new(_: [usize; R], init: T) -> Self {
        Self::up_to(u32::MAX as usize, init)
    }

    /// One of which 32 bits count so many elements.
    pub(super) fn up_to(most: usize, init: T) -> Self {
        Hash {
            table: Table(zeros(SMALLEST)),
            wide: Table(vec![]),
            most,
            keys: vec![],
            values: vec![],
            init,
            order: vec![],
            crd: std::array::from_fn(|_| vec![]),
            vals: vec![],
        }
    }

    /// To scatter into; nothing is in it yet.
    #[inline(always)]
    pub fn open(&mut self) -> OpenHash<'_, T, R> {
        OpenHash { home: self }
    }

    /// As [`Table::place`], where the table has as many elements as it may.
    #[cold]
    #[inline(never)]
    fn place_wide(&mut self, key: &[i32; R]) -> usize {
        if self.wide.0.is_empty() {
            self.wide = Table::of(&self.keys, (self.keys.len() * 2).next_power_of_two().max(SMALLEST));
        }
        self.wide.place(&self.keys, key)
    }

    /// The number of an element, if it was written; there are no more than [`Hash::up_to`] says.
    #[inline]
    pub(super) fn find(&self, at: [usize; R]) -> Option<usize> {
        let place = self.table.find(&self.keys, &at.map(|c| c as i32));
        self.table.0[place].at().checked_sub(1)
    }

    /// The values by number.
    #[inline]
    pub(super) fn values(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Forgets what was written.
    pub(super) fn clear(&mut self) {
        self.wide = Table(vec![]);
        self.table.clear(&self.keys);
        self.keys.clear();
        self.values.clear();
    }

    pub(super) fn gather(&mut self) -> Gathered<'_, T, R> {
        if self.wide.0.is_empty() {
            let mut order = std::mem::take(&mut self.order);
            self.sort(&mut order);
            self.order = order;
        } else {
            self.sort(&mut Vec::<u64>::new());
        }
        self.clear();
        (std::array::from_fn(|dim| &self.crd[dim][..]), &self.vals)
    }

    /// Copies what was written to what was gathered last.
    fn sort<N: Number>(&mut self, order: &mut Vec<N>) {
        let Hash { keys, values, crd, vals, .. } = self;
        order.clear();
        reserve(order, keys.len());
        order.extend((0..keys.len()).map(N::of));
        order.sort_unstable_by_key(|&n| keys[n.at()]);
        for (dim, crd) in crd.iter_mut().enumerate() {
            crd.clear();
            reserve(crd, keys.len());
            crd.extend(order.iter().map(|&n| keys[n.at()][dim]));
        }
        vals.clear();
        reserve(vals, keys.len());
        vals.extend(order.iter().map(|&n| values[n.at()]));
    }
}

/// A hash of coordinates, good in its low bits (Fibonacci hashing, the upper half folded down).
#[inline(always)]
fn spread<const R: usize>(key: &[i32; R]) -> usize {
    let mut h = 0_u64;
    for &k in key {
        h = (h ^ u64::from(k as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (h ^ (h >> 32)) as usize
}

/// Open to scatter into.
#[derive(Debug)]
pub struct OpenHash<'a, T, const R: usize> {
    home: &'a mut Hash<T, R>,
}

impl<'a, T: Element, const R: usize> OpenHash<'a, T, R> {
    /// The place of an element, which counts as written from now on.
    ///
    /// # Safety
    /// None is needed: as of the other workspaces.
    #[inline(always)]
    pub unsafe fn place(&mut self, at: [usize; R]) -> usize {
        let key = at.map(|c| c as i32);
        let home = &mut *self.home;
        let place = if home.keys.len() < home.most {
            home.table.place(&home.keys, &key)
        } else {
            home.place_wide(&key)
        };
        if place == home.keys.len() {
            reserve(&mut home.keys, 1);
            home.keys.push(key);
            reserve(&mut home.values, 1);
            home.values.push(home.init);
        }
        place
    }

    /// The value at a place.
    ///
    /// # Safety
    /// [`OpenHash::place`] gave it.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> T {
        self.home.values[place]
    }

    /// Overwrites the value at a place.
    ///
    /// # Safety
    /// As of [`OpenHash::at`].
    #[inline(always)]
    pub unsafe fn set(&mut self, place: usize, value: T) {
        self.home.values[place] = value;
    }

    /// What was written, in order; nothing is in it any more.
    #[inline(always)]
    pub fn gather(self, _: impl Combine<T>) -> Gathered<'a, T, R> {
        self.home.gather()
    }
}
