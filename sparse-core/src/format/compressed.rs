//! Storage of a compressed level: `pos` and `crd`. The children of parent `p` have the positions
//! `pos[p]..pos[p + 1]`, and their coordinates are there in `crd`, in order.

use super::assemble::{Assembly, Parents};
use super::storage::Segments;
use super::types::Unique;
use super::{Buffer, Capabilities, LevelArrays, Properties};
use crate::error::{Array, Error, Result};
use std::marker::PhantomData;
use std::ops::Range;

/// The coordinates that are stored, delimited for each parent; with `NonUnique` they may repeat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compressed<U = Unique>(PhantomData<U>);

/// What stores the level.
pub(super) const ARRAYS: &[Array] = &[Array::Pos, Array::Crd];
/// What can be done with it.
pub(super) const CAPABILITIES: Capabilities = Capabilities::ITERATE_POSITIONS.with(Capabilities::APPEND);

/// What holds of its coordinates.
pub(super) const fn properties(unique: bool) -> Properties {
    let always = Properties::ORDERED.with(Properties::COMPACT);
    if unique { always.with(Properties::UNIQUE) } else { always }
}

/// The positions below a range of parents.
#[inline]
pub(super) fn children(pos: &[i32], parents: Range<usize>) -> Range<usize> {
    pos[parents.start] as usize..pos[parents.end] as usize
}

/// Checks the array of positions below so many parents: its length, and that it begins with 0 and never decreases.
/// Returns how many there are.
///
/// # Errors
/// [`Error::LengthMismatch`], [`Error::InvalidPosition`]
pub fn check_positions(level: usize, parents: usize, pos: &[i32]) -> Result<usize> {
    if pos.len() != parents + 1 {
        let (expected, found) = (parents + 1, pos.len());
        return Err(Error::LengthMismatch { level, array: Array::Pos, expected, found });
    }
    if pos[0] != 0 {
        return Err(Error::InvalidPosition { level, index: 0, found: pos[0] });
    }
    if let Some(p) = pos.windows(2).position(|w| w[1] < w[0]) {
        return Err(Error::InvalidPosition { level, index: p + 1, found: pos[p + 1] });
    }
    Ok(pos[parents] as usize)
}

/// Checks the arrays: lengths, `pos` from 0 and never decreasing, coordinates in range and in order.
pub(super) fn validate(at: &mut Segments, size: usize, unique: bool, pos: &[i32], crd: &[i32]) -> Result<()> {
    let level = at.level;
    let count = check_positions(level, at.positions, pos)?;
    if crd.len() != count {
        let (expected, found) = (count, crd.len());
        return Err(Error::LengthMismatch { level, array: Array::Crd, expected, found });
    }
    let fibers = pos.windows(2).map(|w| w[0] as usize..w[1] as usize);
    at.descend(size, unique, crd, fibers)
}

/// Stores the distinct coordinates below each parent. `group` is this level's column and those of the singletons
/// below, which share its positions; with `every`, each entry gets its own position, duplicates too.
pub(super) fn assemble(
    state: &mut Assembly,
    group: &mut [Buffer<i32>],
    every: bool,
) -> Result<LevelArrays<Buffer<i32>>> {
    let n = state.entries;
    let mut pos = Buffer::try_full(state.positions + 1, 0)?;
    let differs = |e: usize| every || group.iter().any(|column| column[e] != column[e - 1]);
    let mut at = Buffer::try_with_capacity(n)?;
    let mut crd = Buffer::try_with_capacity(n)?;
    let mut add = |parent: usize, e: usize, new: bool| {
        if new {
            pos[parent + 1] += 1;
            crd.push(group[0][e]);
        }
        at.push(crd.len() as i32 - 1);
    };
    match &state.parents {
        Parents::Root => (0..n).for_each(|e| add(0, e, e == 0 || differs(e))),
        Parents::Own => (0..n).for_each(|e| add(e, e, true)),
        Parents::At(p) => {
            (0..n).for_each(|e| add(p[e] as usize, e, e == 0 || p[e] != p[e - 1] || differs(e)));
        }
    }
    let mut sum = 0;
    for end in pos.iter_mut() {
        sum += *end;
        *end = sum;
    }
    crd.shrink();
    state.positions = crd.len();
    state.parents = if crd.len() == n { Parents::Own } else { Parents::At(at) };
    Ok(LevelArrays::Compressed { pos, crd })
}
