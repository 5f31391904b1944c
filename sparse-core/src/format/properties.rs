//! Properties and capabilities of a level format, as bit flags.

/// What holds of a level's coordinates. Combine with [`Properties::with`], ask with [`Properties::has`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Properties(u8);

impl Properties {
    /// Every coordinate of the dimension is stored.
    pub const FULL: Properties = Properties(1);
    /// Coordinates below one parent never decrease.
    pub const ORDERED: Properties = Properties(2);
    /// No coordinate occurs twice below one parent.
    pub const UNIQUE: Properties = Properties(4);
    /// Every parent position has exactly one child.
    pub const BRANCHLESS: Properties = Properties(8);
    /// There are no positions without a coordinate.
    pub const COMPACT: Properties = Properties(16);

    /// All of both.
    #[must_use]
    pub const fn with(self, other: Properties) -> Properties {
        Properties(self.0 | other.0)
    }

    /// Are all of `other` among these?
    pub const fn has(self, other: Properties) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What can be done with a level. Combine with [`Capabilities::with`], ask with [`Capabilities::has`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capabilities(u8);

impl Capabilities {
    /// The positions below a parent are enumerated, and each has its coordinate in `crd`.
    pub const ITERATE_POSITIONS: Capabilities = Capabilities(1);
    /// The coordinates below a parent are enumerated, and each has its position.
    pub const ITERATE_COORDINATES: Capabilities = Capabilities(2);
    /// A coordinate's position is computed, not searched.
    pub const LOCATE: Capabilities = Capabilities(4);
    /// A result can be written in any order.
    pub const INSERT: Capabilities = Capabilities(8);
    /// A result can be written in the order of its coordinates.
    pub const APPEND: Capabilities = Capabilities(16);

    /// All of both.
    #[must_use]
    pub const fn with(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }

    /// Are all of `other` among these?
    pub const fn has(self, other: Capabilities) -> bool {
        self.0 & other.0 == other.0
    }
}
