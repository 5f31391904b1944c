//! The arrays of a tensor's levels, and what must hold of them.

use super::{Buffer, FormatSpec, Level, compressed, dense, singleton};
use crate::error::{Array, Error, Result};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The arrays of one level, in whatever holds them: buffers, shared buffers, device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelArrays<A> {
    /// No arrays.
    Dense,
    /// Where each parent's children begin, and their coordinates.
    Compressed {
        /// One element more than there are parent positions.
        pos: A,
        /// One element a position.
        crd: A,
    },
    /// One coordinate a parent position.
    Singleton {
        /// One element a position.
        crd: A,
    },
}

impl<A> LevelArrays<A> {
    /// Moves every array into another holder.
    pub fn map<B>(self, mut f: impl FnMut(A) -> B) -> LevelArrays<B> {
        match self {
            LevelArrays::Dense => LevelArrays::Dense,
            LevelArrays::Compressed { pos, crd } => LevelArrays::Compressed { pos: f(pos), crd: f(crd) },
            LevelArrays::Singleton { crd } => LevelArrays::Singleton { crd: f(crd) },
        }
    }

    /// Moves every array into another holder; the first failure ends it.
    pub fn try_map<B, E>(self, mut f: impl FnMut(A) -> Result<B, E>) -> Result<LevelArrays<B>, E> {
        Ok(match self {
            LevelArrays::Dense => LevelArrays::Dense,
            LevelArrays::Compressed { pos, crd } => LevelArrays::Compressed { pos: f(pos)?, crd: f(crd)? },
            LevelArrays::Singleton { crd } => LevelArrays::Singleton { crd: f(crd)? },
        })
    }

    /// The same, of references.
    pub fn as_ref(&self) -> LevelArrays<&A> {
        match self {
            LevelArrays::Dense => LevelArrays::Dense,
            LevelArrays::Compressed { pos, crd } => LevelArrays::Compressed { pos, crd },
            LevelArrays::Singleton { crd } => LevelArrays::Singleton { crd },
        }
    }

    /// Those of a level of this format, each from its name.
    ///
    /// # Errors
    /// The first failure to give one.
    pub fn try_build<E>(format: Level, mut array: impl FnMut(Array) -> Result<A, E>) -> Result<Self, E> {
        Ok(match format {
            Level::Dense => LevelArrays::Dense,
            Level::Compressed { .. } => {
                LevelArrays::Compressed { pos: array(Array::Pos)?, crd: array(Array::Crd)? }
            }
            Level::Singleton { .. } => LevelArrays::Singleton { crd: array(Array::Crd)? },
        })
    }

    /// Where each parent's children begin, if that is stored.
    #[inline]
    pub fn pos(&self) -> Option<&A> {
        match self {
            LevelArrays::Compressed { pos, .. } => Some(pos),
            LevelArrays::Dense | LevelArrays::Singleton { .. } => None,
        }
    }

    /// The coordinates, if they are stored.
    #[inline]
    pub fn crd(&self) -> Option<&A> {
        match self {
            LevelArrays::Compressed { crd, .. } | LevelArrays::Singleton { crd } => Some(crd),
            LevelArrays::Dense => None,
        }
    }

    /// Which arrays there are.
    pub fn arrays(&self) -> &'static [Array] {
        match self {
            LevelArrays::Dense => dense::ARRAYS,
            LevelArrays::Compressed { .. } => compressed::ARRAYS,
            LevelArrays::Singleton { .. } => singleton::ARRAYS,
        }
    }
}

/// An array of coordinates or positions that the host can read.
pub trait Indices {
    /// As a slice.
    fn indices(&self) -> &[i32];
}
impl Indices for Buffer<i32> {
    fn indices(&self) -> &[i32] {
        self
    }
}
impl Indices for Vec<i32> {
    fn indices(&self) -> &[i32] {
        self
    }
}
impl<A: Indices> Indices for &A {
    fn indices(&self) -> &[i32] {
        (**self).indices()
    }
}
impl<A: Indices> Indices for Arc<A> {
    fn indices(&self) -> &[i32] {
        self.deref().indices()
    }
}

/// One level of a tensor, borrowed. Arrays that the level format lacks are empty.
#[derive(Clone, Copy, Debug)]
pub struct LevelView<'a> {
    format: Level,
    size: usize,
    pos: &'a [i32],
    crd: &'a [i32],
}

impl<'a> LevelView<'a> {
    /// A level of a format, a dimension's size, and arrays. The caller sees to it that they fit each other.
    pub fn new<A: Indices>(format: Level, size: usize, arrays: &'a LevelArrays<A>) -> Self {
        let slice = |array: Option<&'a A>| array.map_or(&[][..], A::indices);
        LevelView { format, size, pos: slice(arrays.pos()), crd: slice(arrays.crd()) }
    }

    /// The level format.
    pub fn format(&self) -> Level {
        self.format
    }

    /// The size of the dimension that the level stores.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where each parent's children begin: one element more than there are parent positions.
    #[inline]
    pub fn pos(&self) -> &'a [i32] {
        self.pos
    }

    /// One coordinate a position.
    #[inline]
    pub fn crd(&self) -> &'a [i32] {
        self.crd
    }

    /// The positions below a range of parent positions.
    #[inline]
    pub fn children(&self, parents: Range<usize>) -> Range<usize> {
        match self.format {
            Level::Dense => dense::children(self.size, parents),
            Level::Compressed { .. } => compressed::children(self.pos, parents),
            Level::Singleton { .. } => parents,
        }
    }

    /// The coordinate at a position.
    #[inline]
    pub fn coordinate(&self, position: usize) -> usize {
        match self.format {
            Level::Dense => position % self.size,
            Level::Compressed { .. } | Level::Singleton { .. } => self.crd[position] as usize,
        }
    }

    /// The parent's position.
    pub(super) fn parent(&self, position: usize) -> usize {
        match self.format {
            Level::Dense => position / self.size,
            Level::Compressed { .. } => self.pos.partition_point(|&begin| begin as usize <= position) - 1,
            Level::Singleton { .. } => position,
        }
    }

    /// The positions of a coordinate below a range of parents whose coordinates are equal.
    pub fn locate(&self, parents: Range<usize>, coordinate: usize) -> Range<usize> {
        match self.format {
            Level::Dense => dense::locate(self.size, parents, coordinate),
            Level::Compressed { .. } | Level::Singleton { .. } => {
                let all = self.children(parents);
                let crd = &self.crd[all.clone()];
                let lo = crd.partition_point(|&c| (c as usize) < coordinate);
                let hi = lo + crd[lo..].partition_point(|&c| c as usize == coordinate);
                all.start + lo..all.start + hi
            }
        }
    }
}

/// The levels of a tensor, borrowed, from the root down.
pub fn views<'a, A: Indices>(
    formats: &[Level],
    sizes: &[usize],
    levels: &'a [LevelArrays<A>],
) -> Vec<LevelView<'a>> {
    let arrays = formats.iter().zip(sizes).zip(levels);
    arrays.map(|((&format, &size), arrays)| LevelView::new(format, size, arrays)).collect()
}

/// Does the format have this many dimensions, and does each fit 32-bit coordinates?
pub fn check_dims(rank: usize, dims: &[usize]) -> Result<()> {
    if dims.len() != rank {
        return Err(Error::RankMismatch { expected: rank, found: dims.len() });
    }
    match dims.iter().position(|&size| size > i32::MAX as usize) {
        Some(dim) => Err(Error::DimensionTooLarge { dim, size: dims[dim] }),
        None => Ok(()),
    }
}

/// Checks everything that holds of a tensor's storage: lengths agree, `pos` is monotone, coordinates are in range,
/// in order, and distinct where the level is unique. Compiled kernels rely on it.
pub fn validate<A: Indices>(
    spec: &FormatSpec,
    dims: &[usize],
    levels: &[LevelArrays<A>],
    values: usize,
) -> Result<()> {
    spec.check()?;
    check_dims(spec.rank(), dims)?;
    if levels.len() != spec.rank() {
        return Err(Error::RankMismatch { expected: spec.rank(), found: levels.len() });
    }
    let mut at = Segments { level: 0, dim: 0, positions: 1, starts: None };
    for (level, (&format, arrays)) in spec.levels.iter().zip(levels).enumerate() {
        at.level = level;
        at.dim = spec.map.dim_of_level(level);
        let size = dims[at.dim];
        match (format, arrays) {
            (Level::Dense, LevelArrays::Dense) => at.positions = dense::positions(size, at.positions)?,
            (Level::Compressed { unique }, LevelArrays::Compressed { pos, crd }) => {
                compressed::validate(&mut at, size, unique, pos.indices(), crd.indices())?;
            }
            (Level::Singleton { unique }, LevelArrays::Singleton { crd }) => {
                singleton::validate(&mut at, size, unique, crd.indices())?;
            }
            (Level::Dense | Level::Compressed { .. } | Level::Singleton { .. }, _) => {
                let (expected, found) = (format.arrays(), arrays.arrays());
                return Err(Error::LevelMismatch { level, expected, found });
            }
        }
    }
    if values != at.positions {
        let (level, expected) = (spec.rank(), at.positions);
        return Err(Error::LengthMismatch { level, array: Array::Vals, expected, found: values });
    }
    Ok(())
}

/// How far validation has come down. A *segment* is a range of positions whose coordinates are equal, from the root
/// down: one position, but below levels that are not unique. Order and uniqueness hold within a segment's children.
pub(super) struct Segments {
    /// The level that is looked at.
    pub(super) level: usize,
    /// The dimension that it stores.
    dim: usize,
    /// How many positions the level above has.
    pub(super) positions: usize,
    /// Does a position begin a segment? `None`: all do.
    starts: Option<Vec<bool>>,
}

impl Segments {
    /// Checks the coordinates of a level, given the positions below each parent.
    pub(super) fn descend(
        &mut self,
        size: usize,
        unique: bool,
        crd: &[i32],
        fibers: impl Iterator<Item = Range<usize>>,
    ) -> Result<()> {
        let (level, dim) = (self.level, self.dim);
        if crd.len() > i32::MAX as usize {
            return Err(Error::TooManyEntries { count: crd.len() as u128 });
        }
        if let Some(entry) = crd.iter().position(|&c| c as u32 as usize >= size) {
            return Err(Error::CoordinateOutOfRange { entry, dim, coordinate: crd[entry] as i64, size });
        }
        let mut starts = (!unique).then(|| vec![true; crd.len()]);
        // −1 is below every coordinate: nothing stands before the first of a segment.
        let mut last = -1;
        for (parent, fiber) in fibers.enumerate() {
            if self.starts.as_ref().is_none_or(|s| s[parent]) {
                last = -1;
            }
            for position in fiber {
                let c = crd[position];
                if c < last {
                    return Err(Error::UnsortedCoordinates { level, position });
                }
                if c == last {
                    match &mut starts {
                        None => return Err(Error::DuplicateCoordinate { level, position }),
                        Some(starts) => starts[position] = false,
                    }
                }
                last = c;
            }
        }
        self.positions = crd.len();
        self.starts = starts;
        Ok(())
    }
}
