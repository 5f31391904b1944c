//! A hash table of what was written: open addressing with linear probing, and the elements in the order of their coming.

use super::{Combine, Gathered};
use crate::scalar::Element;

/// The memory.
#[derive(Debug)]
pub struct Hash<T, const R: usize> {
    /// Numbers of elements, counted from 1; 0 where there is none. A power of two, at least twice as many as elements.
    table: Vec<u32>,
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

impl<T: Element, const R: usize> Hash<T, R> {
    /// An empty one. It grows with what is written, whatever the sizes.
    pub fn new(_: [usize; R], init: T) -> Self {
        Hash {
            table: vec![0; SMALLEST],
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

    /// Where the element's number is in the table, or would be.
    #[inline(always)]
    fn find(&self, key: &[i32; R]) -> usize {
        let mask = self.table.len() - 1;
        let mut at = spread(key) & mask;
        loop {
            match self.table[at] {
                0 => return at,
                n if self.keys[n as usize - 1] == *key => return at,
                _ => at = (at + 1) & mask,
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for n in 0..self.keys.len() {
            let at = self.find(&self.keys[n]);
            self.table[at] = n as u32 + 1;
        }
    }

    fn gather(&mut self) -> Gathered<'_, T, R> {
        let Hash { table, keys, values, order, crd, vals, .. } = self;
        order.clear();
        order.extend(0..keys.len() as u32);
        order.sort_unstable_by_key(|&n| keys[n as usize]);
        for (dim, crd) in crd.iter_mut().enumerate() {
            crd.clear();
            crd.extend(order.iter().map(|&n| keys[n as usize][dim]));
        }
        vals.clear();
        vals.extend(order.iter().map(|&n| values[n as usize]));
        // To look for the elements takes longer than to clear a table that they fill.
        if keys.len() * 16 < table.len() {
            let mask = table.len() - 1;
            for key in &*keys {
                let mut at = spread(key) & mask;
                while table[at] != 0 {
                    table[at] = 0;
                    at = (at + 1) & mask;
                }
            }
        } else {
            table.fill(0);
        }
        keys.clear();
        values.clear();
        (std::array::from_fn(|dim| &crd[dim][..]), vals)
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
        let mut slot = home.find(&key);
        if home.table[slot] == 0 {
            if home.keys.len() * 2 >= home.table.len() {
                home.grow();
                slot = home.find(&key);
            }
            home.keys.push(key);
            home.values.push(home.init);
            home.table[slot] = home.keys.len() as u32;
        }
        home.table[slot] as usize - 1
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
