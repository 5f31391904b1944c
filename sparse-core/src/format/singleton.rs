//! Storage of a singleton level: `crd`. Every parent position has one child, at the same position.
//!
//! Below a level that repeats its coordinates (COO) that is no limit: it repeats once an entry. Below a unique level
//! each parent has exactly one entry, as in a permutation, and entries that are otherwise are refused.

use super::assemble::{Assembly, Parents};
use super::storage::Segments;
use super::types::Unique;
use super::{Buffer, Capabilities, LevelArrays, Properties};
use crate::error::{Array, Error, Result};
use std::marker::PhantomData;
use std::sync::Arc;

/// One coordinate a parent position: no fewer, no more. With `NonUnique` they may repeat below equal coordinates of the
/// parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Singleton<U = Unique>(PhantomData<U>);

/// What stores the level.
pub(super) const ARRAYS: &[Array] = &[Array::Crd];
/// What can be done with it.
pub(super) const CAPABILITIES: Capabilities = Capabilities::ITERATE_POSITIONS.with(Capabilities::APPEND);

/// What holds of its coordinates.
pub(super) const fn properties(unique: bool) -> Properties {
    let always = Properties::ORDERED.with(Properties::COMPACT).with(Properties::BRANCHLESS);
    if unique { always.with(Properties::UNIQUE) } else { always }
}

/// Checks the array: length, coordinates in range and in order.
pub(super) fn validate(at: &mut Segments, size: usize, unique: bool, crd: &[i32]) -> Result<()> {
    let expected = at.positions;
    if crd.len() != expected {
        let (level, found) = (at.level, crd.len());
        return Err(Error::LengthMismatch { level, array: Array::Crd, expected, found });
    }
    at.descend(size, unique, crd, (0..expected).map(|p| p..p + 1))
}

/// The first position without exactly one coordinate, and those that it has: none, or two of them.
pub(super) fn misfit(state: &Assembly, column: &[i32]) -> Option<(usize, Vec<i32>)> {
    // `Own` is one entry a position.
    let Parents::At(at) = &state.parents else { return None };
    let mut covered = 0;
    for (e, &p) in at.iter().enumerate() {
        let p = p as usize;
        if p > covered {
            return Some((covered, vec![]));
        }
        if p < covered && column[e] != column[e - 1] {
            return Some((p, vec![column[e - 1], column[e]]));
        }
        covered = p + 1;
    }
    (covered < state.positions).then(|| (covered, vec![]))
}

/// Stores each position's coordinate: the same for all its entries, see [`misfit`].
pub(super) fn assemble(
    state: &Assembly,
    column: &mut Arc<Buffer<i32>>,
) -> Result<LevelArrays<Arc<Buffer<i32>>>> {
    let column = std::mem::take(column);
    let crd = match &state.parents {
        Parents::Own => column,
        Parents::Root => Arc::new(column[..state.positions.min(column.len())].into()),
        Parents::At(at) => {
            let mut crd = Buffer::try_with_capacity(state.positions)?;
            for (&p, &c) in at.iter().zip(&**column) {
                if p as usize == crd.len() {
                    crd.push(c);
                }
            }
            Arc::new(crd)
        }
    };
    Ok(LevelArrays::Singleton { crd })
}
