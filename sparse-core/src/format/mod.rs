//! Formats: how a tensor's coordinates are stored, one level format a level.
//!
//! A tensor's storage is a tree. Each level stores the coordinates of one dimension below a parent position; the
//! mode order says which dimension each level stores, and the fill is the value of everything that is not stored.
//! The value types here ([`Level`], [`FormatSpec`]) are what the compiler reasons about; the marker types
//! of [`types`] spell the same thing in the type system (`(Dense, Compressed)`).

mod assemble;
mod buffer;
mod children;
mod compressed;
mod dense;
mod kept;
mod memory;
mod properties;
mod singleton;
mod storage;
mod traverse;
pub mod types;
mod workspace;

pub use assemble::{Assembled, Parents, assemble, assemble_fibers, misfit};
pub use buffer::Buffer;
pub use children::Children;
pub use compressed::Compressed;
pub use compressed::check_positions;
pub use dense::{Dense, check_fused, dense_positions};
pub use memory::ALIGNMENT;
pub use properties::{Capabilities, Properties};
pub use singleton::Singleton;
pub use storage::{Indices, LevelArrays, LevelView, check_dims, validate, views};
use traverse::path;
pub use traverse::{Walk, expand, expand_shared, locate};
pub use types::{DenseFormat, Filled, Format, NegInf, NonUnique, One, PosInf, Reordered, Unique, Zero};

pub use workspace::WorkspaceFormat;

/// The name of an array that stores a tensor.
pub use crate::error::Array as StorageArray;

use crate::error::{Array, Error, FormatProblem, Result};
use crate::scalar::{DType, Value};
use std::fmt;
use std::ops::Range;

/// The highest rank that a tensor can have.
pub const MAX_RANK: usize = 6;

/// A tensor, by its number in a kernel's declaration: the parameters in order, then a returned result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub u32);

impl TensorId {
    /// As an index into a table of tensors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A level format, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// All coordinates, stored as a size.
    Dense,
    /// `pos`, `crd`: the coordinates below parent `p` are `crd[pos[p]..pos[p+1]]`. Not unique: equal coordinates may
    /// follow each other (the root of COO).
    Compressed {
        /// Are the coordinates below one parent distinct?
        unique: bool,
    },
    /// `crd`: one coordinate a parent position. Below a unique level that is exactly one entry a parent, as in a
    /// permutation matrix; below one that is not, a tuple's further coordinate (COO).
    Singleton {
        /// Are the coordinates below one range of parent positions distinct?
        unique: bool,
    },
}

impl Level {
    /// What holds of its coordinates.
    pub const fn properties(self) -> Properties {
        match self {
            Level::Dense => dense::PROPERTIES,
            Level::Compressed { unique } => compressed::properties(unique),
            Level::Singleton { unique } => singleton::properties(unique),
        }
    }

    /// What can be done with it.
    pub const fn capabilities(self) -> Capabilities {
        match self {
            Level::Dense => dense::CAPABILITIES,
            Level::Compressed { .. } => compressed::CAPABILITIES,
            Level::Singleton { .. } => singleton::CAPABILITIES,
        }
    }

    /// The arrays that store it.
    pub const fn arrays(self) -> &'static [Array] {
        match self {
            Level::Dense => dense::ARRAYS,
            Level::Compressed { .. } => compressed::ARRAYS,
            Level::Singleton { .. } => singleton::ARRAYS,
        }
    }

    /// Is `pos` among them?
    pub fn has_pos(self) -> bool {
        self.arrays().contains(&Array::Pos)
    }

    /// Is `crd`?
    pub fn has_crd(self) -> bool {
        self.arrays().contains(&Array::Crd)
    }

    /// Every position has its coordinate in `crd`, in order below each parent, so that loops may step through it and searches
    /// look there. The coordinates of other levels are computed.
    pub const fn lists_coordinates(self) -> bool {
        self.capabilities().has(Capabilities::ITERATE_POSITIONS)
    }

    /// Every coordinate of the dimension is stored.
    pub const fn is_full(self) -> bool {
        self.properties().has(Properties::FULL)
    }

    /// No coordinate occurs twice below one parent.
    pub const fn is_unique(self) -> bool {
        self.properties().has(Properties::UNIQUE)
    }

    /// Exactly one child a parent position.
    pub const fn is_branchless(self) -> bool {
        self.properties().has(Properties::BRANCHLESS)
    }

    /// A coordinate's position is computed, not searched.
    pub const fn can_locate(self) -> bool {
        self.capabilities().has(Capabilities::LOCATE)
    }

    /// The same level format? `==` for constant expressions.
    pub const fn same(self, other: Level) -> bool {
        match (self, other) {
            (Level::Dense, Level::Dense) => true,
            (Level::Compressed { unique: a }, Level::Compressed { unique: b }) => a == b,
            (Level::Singleton { unique: a }, Level::Singleton { unique: b }) => a == b,
            (Level::Dense | Level::Compressed { .. } | Level::Singleton { .. }, _) => false,
        }
    }

    /// May it stand below `parent` (`None`: as the root)? The marker types state the same rules as
    /// [`types::Below`].
    pub const fn check_below(self, parent: Option<Level>) -> Result<(), FormatProblem> {
        match (self, parent) {
            (Level::Singleton { .. }, None) => Err(FormatProblem::SingletonAtRoot),
            (Level::Dense, Some(p)) if !p.is_unique() => Err(FormatProblem::DenseBelowNonUnique),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Dense => "Dense",
            Level::Compressed { unique: true } => "Compressed",
            Level::Compressed { unique: false } => "Compressed<NonUnique>",
            Level::Singleton { unique: true } => "Singleton",
            Level::Singleton { unique: false } => "Singleton<NonUnique>",
        })
    }
}

/// The value of what is not stored. `PosInf` and `NegInf` are `MAX` and `MIN` on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// 0, `false`
    #[default]
    Zero,
    /// 1, `true`
    One,
    /// +∞
    PosInf,
    /// −∞
    NegInf,
}

impl Fill {
    /// The fill in an element type.
    pub fn value(self, t: DType) -> Value {
        match self {
            Fill::Zero => t.zero(),
            Fill::One => t.one(),
            Fill::PosInf => t.pos_inf(),
            Fill::NegInf => t.neg_inf(),
        }
    }
}

/// How dimensions map to levels. Blocked and diagonal maps (`(i/b, j/b, i%b, j%b)`, `(j−i, i)`) will be further
/// variants; until then every map is a permutation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LevelMap {
    /// Entry `l` is the dimension stored at level `l`.
    Permutation(Vec<usize>),
}

impl LevelMap {
    /// The dimension stored at a level.
    pub fn dim_of_level(&self, level: usize) -> usize {
        match self {
            LevelMap::Permutation(order) => order[level],
        }
    }

    /// The level that stores a dimension.
    pub fn level_of_dim(&self, dim: usize) -> usize {
        match self {
            LevelMap::Permutation(order) => {
                order.iter().position(|&d| d == dim).expect("a permutation holds every dimension")
            }
        }
    }

    /// Is level `l` dimension `l` throughout?
    pub fn is_identity(&self) -> bool {
        match self {
            LevelMap::Permutation(order) => order.iter().enumerate().all(|(l, &d)| l == d),
        }
    }
}

/// A whole format, as a value: levels from the root, the level map, the fill.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormatSpec {
    /// Level formats from the root down.
    pub levels: Vec<Level>,
    /// Which dimension each level stores.
    pub map: LevelMap,
    /// The value of what is not stored.
    pub fill: Fill,
}

impl FormatSpec {
    /// Levels in dimension order, fill zero.
    pub fn new(levels: Vec<Level>) -> Self {
        let map = LevelMap::Permutation((0..levels.len()).collect());
        FormatSpec { levels, map, fill: Fill::Zero }
    }

    /// With another mode order.
    #[must_use]
    pub fn reordered(mut self, order: Vec<usize>) -> Self {
        self.map = LevelMap::Permutation(order);
        self
    }

    /// With another fill.
    #[must_use]
    pub fn filled(mut self, fill: Fill) -> Self {
        self.fill = fill;
        self
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.levels.len()
    }

    /// The mode order: entry `l` is the dimension stored at level `l`.
    pub fn order(&self) -> &[usize] {
        match &self.map {
            LevelMap::Permutation(order) => order,
        }
    }

    /// Sizes of the levels of a tensor with these dimensions; the format must be [checked](Self::check).
    pub fn level_sizes(&self, dims: &[usize]) -> Vec<usize> {
        (0..self.rank()).map(|l| dims[self.map.dim_of_level(l)]).collect()
    }

    /// Can every tensor of this rank be stored so? Not where a [`Level::Singleton`] stands below a unique level: each of
    /// its parents has exactly one entry, and [`Error::NotOneEntry`] refuses the rest.
    pub fn holds_every_tensor(&self) -> bool {
        !(0..self.rank()).any(|l| self.has_one_child(l))
    }

    /// Is this level a singleton whose parents have exactly one entry each? The others are in a [tuple](Self::tuple).
    pub fn has_one_child(&self, level: usize) -> bool {
        let above =
            self.levels[..level].iter().rposition(|l| !matches!(l, Level::Singleton { unique: false }));
        matches!(self.levels[level], Level::Singleton { .. })
            && above.is_some_and(|a| self.levels[a].is_unique())
    }

    /// The levels whose coordinates a position of this compressed level stores as a tuple: itself if it is unique, else
    /// the singletons down to a unique one too.
    pub fn tuple(&self, level: usize) -> Range<usize> {
        let mut end = level + 1;
        while let Some(Level::Singleton { .. }) = self.levels.get(end)
            && !self.levels[end - 1].is_unique()
        {
            end += 1;
        }
        level..end
    }

    /// Can tensors have this format? [`Self::holds_every_tensor`] says whether all can.
    pub fn check(&self) -> Result<()> {
        let rank = self.rank();
        if rank > MAX_RANK {
            return Err(Error::InvalidFormat { level: MAX_RANK, problem: FormatProblem::RankTooLarge });
        }
        let mut parent = None;
        for (level, &format) in self.levels.iter().enumerate() {
            format.check_below(parent).map_err(|problem| Error::InvalidFormat { level, problem })?;
            parent = Some(format);
        }
        let order = self.order();
        match (0..order.len().max(rank)).find(|d| order.iter().filter(|o| *o == d).count() != 1) {
            Some(level) => Err(Error::InvalidFormat { level, problem: FormatProblem::NotAPermutation }),
            None if order.len() != rank => {
                Err(Error::InvalidFormat { level: rank, problem: FormatProblem::NotAPermutation })
            }
            None => Ok(()),
        }
    }

    /// Are all levels dense?
    pub fn is_dense(&self) -> bool {
        self.levels.iter().all(|l| l.is_full())
    }

    /// How many dense levels are below the last sparse one: those of the block that is stored at each of its entries, as in
    /// BCSR. All, if none is sparse.
    pub fn block_levels(&self) -> usize {
        self.levels.iter().rev().take_while(|l| l.is_full()).count()
    }
}

impl fmt::Display for FormatSpec {
    /// As the type is spelled: `Reordered<(Dense, Compressed), 1, 0>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.levels.iter().map(Level::to_string).collect();
        let comma = if levels.len() == 1 { "," } else { "" };
        let mut text = format!("({}{comma})", levels.join(", "));
        if !self.map.is_identity() {
            let order: Vec<String> = self.order().iter().map(usize::to_string).collect();
            text = format!("Reordered<{text}, {}>", order.join(", "));
        }
        if self.fill != Fill::Zero {
            text = format!("Filled<{text}, {:?}>", self.fill);
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_without_meaning_are_refused() {
        let (dense, unique) = (Level::Dense, Level::Compressed { unique: true });
        let (repeats, one) = (Level::Compressed { unique: false }, Level::Singleton { unique: true });
        let problem = |spec: FormatSpec| match spec.check() {
            Err(Error::InvalidFormat { problem, .. }) => Some(problem),
            _ => None,
        };
        assert_eq!(problem(FormatSpec::new(vec![one])), Some(FormatProblem::SingletonAtRoot));
        assert_eq!(problem(FormatSpec::new(vec![repeats, dense])), Some(FormatProblem::DenseBelowNonUnique));
        assert_eq!(problem(FormatSpec::new(vec![dense; 7])), Some(FormatProblem::RankTooLarge));
        for order in [vec![0, 0], vec![1, 2], vec![0], vec![0, 1, 2]] {
            let spec = FormatSpec::new(vec![dense; 2]).reordered(order);
            assert_eq!(problem(spec), Some(FormatProblem::NotAPermutation));
        }
        for levels in [vec![], vec![repeats, one], vec![dense, unique], vec![repeats, unique], vec![dense; 6]]
        {
            let spec = FormatSpec::new(levels);
            assert!(spec.check().is_ok() && spec.holds_every_tensor());
        }
        for levels in [vec![dense, one], vec![unique, one, dense], vec![repeats, one, one]] {
            let spec = FormatSpec::new(levels);
            assert!(spec.check().is_ok() && !spec.holds_every_tensor());
        }
    }

    #[test]
    fn a_format_prints_as_its_type() {
        let spec = FormatSpec::new(vec![Level::Dense, Level::Compressed { unique: false }]);
        assert_eq!(spec.to_string(), "(Dense, Compressed<NonUnique>)");
        let spec = spec.reordered(vec![1, 0]).filled(Fill::PosInf);
        assert_eq!(spec.to_string(), "Filled<Reordered<(Dense, Compressed<NonUnique>), 1, 0>, PosInf>");
        assert_eq!(FormatSpec::new(vec![Level::Dense]).to_string(), "(Dense,)");
    }
}
