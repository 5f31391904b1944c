//! Formats: how a tensor's coordinates are stored, one level format a level.
//!
//! A tensor's storage is a tree. Each level stores the coordinates of one dimension below a parent position; the
//! mode order says which dimension each level stores, and the fill is the value of everything that is not stored.
//! The value types here ([`Level`], [`FormatSpec`]) are what the compiler reasons about; the marker types
//! of [`types`] spell the same thing in the type system (`(Dense, Compressed)`).

use crate::scalar::{DType, Value};
use std::fmt;

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
    /// `crd`: one coordinate a parent position.
    Singleton {
        /// Are the coordinates below one range of parent positions distinct?
        unique: bool,
    },
}

impl Level {
    /// Every coordinate of the dimension is stored.
    pub fn is_full(self) -> bool {
        matches!(self, Level::Dense)
    }

    /// No coordinate occurs twice below one parent.
    pub fn is_unique(self) -> bool {
        match self {
            Level::Dense => true,
            Level::Compressed { unique } | Level::Singleton { unique } => unique,
        }
    }

    /// Exactly one child a parent position.
    pub fn is_branchless(self) -> bool {
        matches!(self, Level::Singleton { .. })
    }

    /// A coordinate's position is computed, not searched.
    pub fn can_locate(self) -> bool {
        matches!(self, Level::Dense)
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

    /// Are all levels dense?
    pub fn is_dense(&self) -> bool {
        self.levels.iter().all(|l| l.is_full())
    }
}
