//! Reading storage level by level, whatever its format: for readers and conversions. Kernels read a format by the
//! looplets it exposes.

use super::{Buffer, Level, LevelArrays, LevelView, MAX_RANK};
use crate::error::Result;
use std::ops::Range;
use std::sync::Arc;

/// The positions at the last level of the entries with these coordinates, given in level order; empty if none is
/// stored, more than one if duplicates are.
pub fn locate(levels: &[LevelView<'_>], coordinates: &[usize]) -> Range<usize> {
    let mut at = 0..1;
    for (level, &c) in levels.iter().zip(coordinates) {
        // Nothing is at positions of this level, which need not be positions of the last.
        if at.is_empty() {
            return 0..0;
        }
        at = level.locate(at, c);
    }
    at
}

/// The coordinates on the way down to a position of the last level, in level order.
pub(super) fn path(levels: &[LevelView<'_>], mut position: usize) -> Vec<usize> {
    let mut coordinates = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        coordinates.push(level.coordinate(position));
        position = level.parent(position);
    }
    coordinates.reverse();
    coordinates
}

/// The coordinates of all stored entries: `columns[l][p]` is that of level `l` of the entry at position `p`.
pub fn expand(levels: &[LevelView<'_>]) -> Result<Vec<Buffer<i32>>> {
    let mut columns: Vec<Buffer<i32>> = vec![];
    let mut positions = 1;
    for level in levels {
        let count = widen(&mut columns, level, positions)?;
        columns.push(own(level, positions, count)?);
        positions = count;
    }
    Ok(columns)
}

/// The same; of levels below which each position has one entry, and which store coordinates, the arrays themselves.
pub fn expand_shared(
    levels: &[LevelView<'_>],
    arrays: &[LevelArrays<Arc<Buffer<i32>>>],
) -> Result<Vec<Arc<Buffer<i32>>>> {
    let below = (1..levels.len()).rev().find(|&l| !levels[l].format().is_branchless()).unwrap_or(0);
    let mut columns = expand(&levels[..below])?;
    let mut positions = levels[..below].iter().fold(1, |n, level| level.children(0..n).len());
    let mut shared = vec![];
    for (level, arrays) in levels.iter().zip(arrays).skip(below) {
        let count = widen(&mut columns, level, positions)?;
        shared.push(match arrays.crd() {
            Some(crd) => crd.clone(),
            None => Arc::new(own(level, positions, count)?),
        });
        positions = count;
    }
    Ok(columns.into_iter().map(Arc::new).chain(shared).collect())
}

/// The coordinates above, of so many positions, for each position of a level, of which there are as many as it returns.
fn widen(columns: &mut [Buffer<i32>], level: &LevelView<'_>, positions: usize) -> Result<usize> {
    let count = level.children(0..positions).len();
    if !level.format().is_branchless() {
        for column in columns {
            let mut wide = Buffer::try_with_capacity(count)?;
            for (p, &c) in column.iter().enumerate() {
                let end = level.children(p..p + 1).end;
                wide.resize(end, c);
            }
            *column = wide;
        }
    }
    Ok(count)
}

/// A level's own coordinates.
fn own(level: &LevelView<'_>, positions: usize, count: usize) -> Result<Buffer<i32>> {
    let mut own = Buffer::try_with_capacity(count)?;
    match level.format() {
        Level::Dense => (0..positions).for_each(|_| (0..level.size() as i32).for_each(|c| own.push(c))),
        Level::Compressed { .. } | Level::Singleton { .. } => own.extend_from_slice(level.crd()),
    }
    Ok(own)
}

/// Stored entries in level order: coordinates by level, and the position at the last level.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    levels: Vec<LevelView<'a>>,
    coordinates: [usize; MAX_RANK],
    at: [Range<usize>; MAX_RANK],
    begun: bool,
}

impl<'a> Walk<'a> {
    /// From the first entry.
    pub fn new(levels: Vec<LevelView<'a>>) -> Self {
        Walk { levels, coordinates: [0; MAX_RANK], at: [const { 0..0 }; MAX_RANK], begun: false }
    }

    /// The next entry.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<(&[usize], usize)> {
        let rank = self.levels.len();
        if rank == 0 {
            return (!std::mem::replace(&mut self.begun, true)).then_some((&[], 0));
        }
        let mut l = rank - 1;
        if std::mem::replace(&mut self.begun, true) {
            self.at[l].start += 1;
        } else {
            l = 0;
            self.at[0] = self.levels[0].children(0..1);
        }
        loop {
            let p = self.at[l].start;
            if self.at[l].is_empty() {
                if l == 0 {
                    return None;
                }
                l -= 1;
                self.at[l].start += 1;
                continue;
            }
            self.coordinates[l] = self.levels[l].coordinate(p);
            l += 1;
            if l == rank {
                return Some((&self.coordinates[..rank], p));
            }
            self.at[l] = self.levels[l].children(p..p + 1);
        }
    }
}
