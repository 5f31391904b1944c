//! Storage from entries that are sorted in level order: one pass a level, root first.

use super::{Buffer, FormatSpec, Level, LevelArrays, check_dims, compressed, dense, path, singleton, views};
use crate::error::{Error, Result};
use std::sync::Arc;

/// The position of each entry at the level assembled last.
#[derive(Clone, Debug)]
pub enum Parents {
    /// All are at the root's one position.
    Root,
    /// Entry `e` is at position `e`.
    Own,
    /// Entry `e` is at position `at[e]`; never decreasing.
    At(Arc<Buffer<i32>>),
}

/// Entries on their way down.
pub(super) struct Assembly {
    pub(super) entries: usize,
    /// How many positions the level assembled last has.
    pub(super) positions: usize,
    pub(super) parents: Parents,
}

/// The levels of a tensor, and where each entry's value belongs.
#[derive(Debug)]
pub struct Assembled {
    /// From the root down.
    pub levels: Vec<LevelArrays<Arc<Buffer<i32>>>>,
    /// The number of values.
    pub positions: usize,
    /// Where each entry's value belongs.
    pub leaf: Parents,
}

impl Assembled {
    /// Puts the entries' values into `out`, `positions` copies of the fill; duplicates are summed.
    pub fn place<V: Copy>(&self, values: &[V], out: &mut [V], sum: impl Fn(V, V) -> V) {
        match &self.leaf {
            Parents::Own => out.copy_from_slice(values),
            Parents::Root => {
                if let Some(v) = values.iter().copied().reduce(sum) {
                    out[0] = v;
                }
            }
            Parents::At(at) => {
                let mut last = -1;
                for (&p, &v) in at.iter().zip(values) {
                    let slot = &mut out[p as usize];
                    *slot = if p == last { sum(*slot, v) } else { v };
                    last = p;
                }
            }
        }
    }
}

/// Why entries cannot be stored in a format: [`Error::NotOneEntry`], if it is that. The arguments are [`assemble`]'s.
pub fn misfit(spec: &FormatSpec, dims: &[usize], columns: Vec<Buffer<i32>>, entries: usize) -> Option<Error> {
    let columns = columns.into_iter().map(Arc::new).collect();
    assemble(spec, dims, columns, entries, false).err()
}

/// Builds the levels of a tensor from its entries' coordinates: `columns[l][e]` is entry `e`'s at level `l`. The
/// entries are sorted by level, and the coordinates are in range. Duplicates share a position, unless
/// `keep_duplicates` is given and the last level is not unique. A column that is a level's array as it stands becomes that array.
///
/// # Errors
/// [`Error::NotOneEntry`] if the format does not [hold every tensor](FormatSpec::holds_every_tensor) and not this one.
pub fn assemble(
    spec: &FormatSpec,
    dims: &[usize],
    mut columns: Vec<Arc<Buffer<i32>>>,
    entries: usize,
    keep_duplicates: bool,
) -> Result<Assembled> {
    check_dims(spec.rank(), dims)?;
    if entries > i32::MAX as usize {
        return Err(Error::TooManyEntries { count: entries as u128 });
    }
    let mut state = Assembly { entries, positions: 1, parents: Parents::Root };
    let levels = descend(spec, dims, &mut columns, &mut state, keep_duplicates)?;
    Ok(Assembled { levels, positions: state.positions, leaf: state.parents })
}

/// The same where the last level is compressed, of its fibers that have entries: their coordinates above, which all differ, where each
/// ends, and all that is in them, which stays as it is.
pub fn assemble_fibers(
    spec: &FormatSpec,
    dims: &[usize],
    mut columns: Vec<Arc<Buffer<i32>>>,
    ends: &[i32],
    crd: Arc<Buffer<i32>>,
) -> Result<Assembled> {
    check_dims(spec.rank(), dims)?;
    let mut state = Assembly { entries: ends.len(), positions: 1, parents: Parents::Root };
    let mut levels = descend(spec, dims, &mut columns, &mut state, false)?;
    let pos = Arc::new(compressed::fibers(&state, ends)?);
    let positions = crd.len();
    levels.push(LevelArrays::Compressed { pos, crd });
    Ok(Assembled { levels, positions, leaf: Parents::Own })
}

/// The levels of these columns.
fn descend(
    spec: &FormatSpec,
    dims: &[usize],
    columns: &mut [Arc<Buffer<i32>>],
    state: &mut Assembly,
    keep_duplicates: bool,
) -> Result<Vec<LevelArrays<Arc<Buffer<i32>>>>> {
    let rank = spec.rank();
    let mut levels = Vec::with_capacity(rank);
    for (l, &format) in spec.levels.iter().enumerate().take(columns.len()) {
        levels.push(match format {
            Level::Dense => {
                let size = dims[spec.map.dim_of_level(l)];
                dense::assemble(size, state, &mut columns[l])?;
                LevelArrays::Dense
            }
            Level::Compressed { .. } => {
                let end = spec.tuple(l).end;
                let every = keep_duplicates && end == rank && !spec.levels[rank - 1].is_unique();
                compressed::assemble(state, &mut columns[l..end], every)?
            }
            Level::Singleton { .. } => {
                if spec.has_one_child(l)
                    && let Some((position, found)) = singleton::misfit(state, &columns[l])
                {
                    let above = views(&spec.levels[..l], &spec.level_sizes(dims), &levels);
                    let parent = spec.order().iter().copied().zip(path(&above, position)).collect();
                    return Err(Error::NotOneEntry { level: l, parent, found });
                }
                singleton::assemble(state, &mut columns[l])?
            }
        });
    }
    Ok(levels)
}
