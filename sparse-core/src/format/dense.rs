//! Storage of a dense level: no arrays. Child `c` of parent `p` has position `p · size + c`.

use super::assemble::{Assembly, Parents};
use super::{Buffer, Capabilities, Properties};
use crate::error::{Array, Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// All coordinates of a dimension, stored as its size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dense;

/// What stores the level.
pub(super) const ARRAYS: &[Array] = &[];
/// What holds of its coordinates.
pub(super) const PROPERTIES: Properties =
    Properties::FULL.with(Properties::ORDERED).with(Properties::UNIQUE).with(Properties::COMPACT);
/// What can be done with it.
pub(super) const CAPABILITIES: Capabilities =
    Capabilities::ITERATE_COORDINATES.with(Capabilities::LOCATE).with(Capabilities::INSERT);

/// Number of positions below so many parents, if 32 bits can count them.
pub(super) fn positions(size: usize, parents: usize) -> Result<usize> {
    let count = parents as u128 * size as u128;
    if count > i32::MAX as u128 { Err(Error::TooManyEntries { count }) } else { Ok(count as usize) }
}

/// Number of positions below so many parents of dense levels of these sizes, from the root down, if 32 bits can count those
/// of each level: also of the levels above one of size 0, below which nothing is stored.
///
/// # Errors
/// [`Error::TooManyEntries`]
pub fn dense_positions(parents: usize, sizes: impl IntoIterator<Item = usize>) -> Result<usize> {
    sizes.into_iter().try_fold(parents, |parents, size| positions(size, parents))
}

/// A loop over all coordinates of dimensions of these sizes, or with so many entries, must have iterations that can be counted.
///
/// # Errors
/// [`Error::FusedTooLong`]
pub fn check_fused(variable: &str, sizes: &[usize]) -> Result<()> {
    let iterations = sizes.iter().try_fold(1_u64, |n, size| n.checked_mul(*size as u64));
    if iterations.is_some_and(|n| n <= 1 << 62) || sizes.contains(&0) {
        return Ok(());
    }
    Err(Error::FusedTooLong { variable: variable.into(), sizes: sizes.to_vec() })
}

/// The positions below a range of parents. Parents are unique, so the range is one position or none.
pub(super) fn children(size: usize, parents: Range<usize>) -> Range<usize> {
    parents.start * size..parents.end * size
}

/// The position of a coordinate.
pub(super) fn locate(size: usize, parents: Range<usize>, coordinate: usize) -> Range<usize> {
    let at = parents.start * size + coordinate;
    at..at + parents.len().min(1)
}

/// Moves the entries to their positions below their parents.
pub(super) fn assemble(size: usize, state: &mut Assembly, column: &mut Arc<Buffer<i32>>) -> Result<()> {
    let count = positions(size, state.positions)?;
    // Neither products nor sums are above `count`, which fits.
    let size = size as i32;
    let mut at = std::mem::take(column);
    match &state.parents {
        Parents::Root => {}
        Parents::Own => own(&mut at)?.iter_mut().zip(0..).for_each(|(c, e)| *c += e * size),
        Parents::At(parents) => own(&mut at)?.iter_mut().zip(&***parents).for_each(|(c, p)| *c += p * size),
    }
    state.parents = Parents::At(at);
    state.positions = count;
    Ok(())
}

/// A column to be changed: a copy of it, if others read it.
fn own(column: &mut Arc<Buffer<i32>>) -> Result<&mut Buffer<i32>> {
    if Arc::get_mut(column).is_none() {
        let mut copy = Buffer::try_with_capacity(column.len())?;
        copy.extend_from_slice(column);
        *column = Arc::new(copy);
    }
    // It has no other owner now.
    Ok(Arc::make_mut(column))
}
