//! Storage of a compressed level: `pos` and `crd`. The children of parent `p` have the positions
//! `pos[p]..pos[p + 1]`, and their coordinates are there in `crd`, in order.

use super::assemble::{Assembly, Parents};
use super::storage::Segments;
use super::types::Unique;
use super::{Buffer, Capabilities, LevelArrays, Properties};
use crate::error::{Array, Error, Result};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

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
/// below, which share its positions; with `every`, each entry gets its own position, duplicates too. Entries that all
/// differ keep their column.
pub(super) fn assemble(
    state: &mut Assembly,
    group: &mut [Arc<Buffer<i32>>],
    every: bool,
) -> Result<LevelArrays<Arc<Buffer<i32>>>> {
    let n = state.entries;
    let mut telling: Vec<&[i32]> = group.iter().map(|column| &***column).collect();
    let distinct = match &state.parents {
        _ if every => true,
        Parents::Own => true,
        Parents::Root => all_differ(n, &telling),
        Parents::At(p) => {
            telling.push(p);
            all_differ(n, &telling)
        }
    };
    if distinct {
        let pos = Arc::new(ends(state)?);
        let mut crd = std::mem::take(&mut group[0]);
        // Another tensor's has been shrunk.
        if let Some(own) = Arc::get_mut(&mut crd) {
            own.shrink();
        }
        (state.positions, state.parents) = (n, Parents::Own);
        return Ok(LevelArrays::Compressed { pos, crd });
    }
    let differs = |e: usize| group.iter().any(|column| column[e] != column[e - 1]);
    let mut pos = Buffer::try_full(state.positions + 1, 0)?;
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
        Parents::Root | Parents::Own => (0..n).for_each(|e| add(0, e, e == 0 || differs(e))),
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
    state.parents = Parents::At(Arc::new(at));
    Ok(LevelArrays::Compressed { pos: Arc::new(pos), crd: Arc::new(crd) })
}

/// Does each of so many entries differ from the one before, in one of these columns?
fn all_differ(entries: usize, columns: &[&[i32]]) -> bool {
    // In parts, whose loops are without branches, that is, in vectors.
    const PART: usize = 1024;
    (1..entries).step_by(PART).all(|begin| {
        let mut equal = [true; PART];
        let equal = &mut equal[..PART.min(entries - begin)];
        for column in columns {
            let (before, part) = (&column[begin - 1..], &column[begin..]);
            equal.iter_mut().zip(before.iter().zip(part)).for_each(|(equal, (a, b))| *equal &= a == b);
        }
        !equal.iter().fold(false, |any, equal| any | equal)
    })
}

/// Where the entries of each parent end, all of which are positions of their own.
fn ends(state: &Assembly) -> Result<Buffer<i32>> {
    let mut pos = Buffer::try_full(state.positions + 1, 0)?;
    match &state.parents {
        Parents::Root => pos[1] = state.entries as i32,
        Parents::Own => pos.iter_mut().zip(0..).for_each(|(end, e)| *end = e),
        Parents::At(p) => {
            p.iter().zip(1..).for_each(|(&p, end)| pos[p as usize + 1] = end);
            let mut last = 0;
            for end in pos.iter_mut() {
                last = last.max(*end);
                *end = last;
            }
        }
    }
    Ok(pos)
}

/// Where the fiber of each position ends, of entries that are fibers, which all have positions of their own.
pub(super) fn fibers(state: &Assembly, ends: &[i32]) -> Result<Buffer<i32>> {
    let mut pos = Buffer::try_full(state.positions + 1, 0)?;
    match &state.parents {
        Parents::At(p) => {
            p.iter().zip(ends).for_each(|(&p, &end)| pos[p as usize + 1] = end);
            let mut last = 0;
            for end in pos.iter_mut() {
                last = last.max(*end);
                *end = last;
            }
        }
        Parents::Root | Parents::Own => pos[1..].copy_from_slice(ends),
    }
    Ok(pos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(state: &mut Assembly, column: &[i32], every: bool) -> (bool, Vec<i32>, Vec<i32>) {
        let mut group = [Arc::new(Buffer::from(column))];
        let at = group[0].as_ptr();
        let Ok(LevelArrays::Compressed { pos, crd }) = assemble(state, &mut group, every) else { panic!() };
        (crd.as_ptr() == at, pos.to_vec(), crd.to_vec())
    }

    #[test]
    fn entries_that_all_differ_keep_their_column() {
        let parents = |at: &[i32]| Parents::At(Arc::new(at.into()));
        let below = |entries, positions, parents| Assembly { entries, positions, parents };
        let mut state = below(4, 5, parents(&[0, 2, 2, 3]));
        assert_eq!(
            assembled(&mut state, &[1, 0, 1, 1], false),
            (true, vec![0, 1, 1, 3, 4, 4], vec![1, 0, 1, 1])
        );
        assert!(matches!(state.parents, Parents::Own) && state.positions == 4);
        let mut state = below(4, 3, parents(&[0, 2, 2, 2]));
        assert_eq!(assembled(&mut state, &[1, 0, 0, 1], false), (false, vec![0, 1, 1, 3], vec![1, 0, 1]));
        assert!(matches!(&state.parents, Parents::At(at) if ***at == [0, 1, 1, 2]) && state.positions == 3);
        let mut state = below(3, 1, Parents::Root);
        assert_eq!(assembled(&mut state, &[1, 1, 4], true), (true, vec![0, 3], vec![1, 1, 4]));
        let mut state = below(2, 2, Parents::Own);
        assert_eq!(assembled(&mut state, &[7, 7], false), (true, vec![0, 1, 2], vec![7, 7]));
        let mut state = below(0, 2, parents(&[]));
        assert_eq!(assembled(&mut state, &[], false), (true, vec![0, 0, 0], vec![]));
    }
}
