//! Sparse workspaces: elements are scattered into them in any order, and gathered in the order of their coordinates.
//!
//! A workspace's memory outlives what it holds: generated code makes it once a thread, opens it before it scatters, and
//! gathers what was scattered, which empties it. While it is open its arrays are in the code's own variables, which stores
//! into them cannot change for all that the compiler knows. Where there is no memory, the call ends with an error
//! (`rt::memory`).

mod blocks;
mod counting;
mod far;
mod hash;
mod list;
mod masked;
mod ranks;
mod sort;
#[cfg(test)]
mod tests;

pub use blocks::{Blocks, OpenBlocks};
pub use hash::{Hash, OpenHash};
pub use list::{List, OpenList};
pub use masked::{Masked, OpenMasked};
pub use sort::{OpenSort, Sort};

use super::memory;
use super::monoid::Monoid;
use crate::scalar::Element;

/// How values of one element that stand apart are combined.
pub trait Combine<T> {
    /// The earlier and the later one as one.
    fn combine(&self, earlier: T, later: T) -> T;
}

/// By a monoid.
#[derive(Clone, Copy, Debug)]
pub struct By<M>(pub M);

impl<T: Element, M: Monoid<T>> Combine<T> for By<M> {
    #[inline(always)]
    fn combine(&self, earlier: T, later: T) -> T {
        self.0.combine(earlier, later)
    }
}

/// The later one counts.
#[derive(Clone, Copy, Debug)]
pub struct Last;

impl<T> Combine<T> for Last {
    #[inline(always)]
    fn combine(&self, _: T, later: T) -> T {
        later
    }
}

/// The number of an element: in 32 bits, or in 64 where there are more than these count.
trait Number: memory::Number + Copy + Default + Ord + Send + Sync {
    /// Of a number that fits.
    fn of(n: usize) -> Self;
    /// As an index.
    fn at(self) -> usize;
}

impl Number for u32 {
    #[inline(always)]
    fn of(n: usize) -> Self {
        n as u32
    }

    #[inline(always)]
    fn at(self) -> usize {
        self as usize
    }
}

impl Number for u64 {
    #[inline(always)]
    fn of(n: usize) -> Self {
        n as u64
    }

    #[inline(always)]
    fn at(self) -> usize {
        self as usize
    }
}

/// What was gathered: coordinates by dimension, and values, in one order.
pub type Gathered<'a, T, const R: usize> = ([&'a [i32]; R], &'a [T]);
