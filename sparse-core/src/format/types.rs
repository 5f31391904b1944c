//! Formats in the type system: what [`FormatSpec`] says as a value, said by marker types.
//!
//! A format is a tuple of levels, root first: `(Dense, Compressed)`. [`Reordered`] gives it another mode order,
//! [`Filled`] another fill. Levels that can't stand below each other do not compile:
//!
//! ```compile_fail
//! use sparse_core::format::{Dense, Format, Singleton};
//! fn spec<F: Format>() {}
//! spec::<(Singleton, Dense)>(); // one coordinate, below what?
//! ```
//!
//! ```compile_fail
//! use sparse_core::format::{Compressed, Dense, Format, NonUnique};
//! fn spec<F: Format>() {}
//! spec::<(Compressed<NonUnique>, Dense)>(); // a row for each of several equal coordinates?
//! ```

use super::{Compressed, Dense, Fill, FormatSpec, Level, LevelMap, Singleton};
use std::marker::PhantomData;

/// Coordinates below one parent are distinct.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unique;
/// Coordinates below one parent may repeat.
#[derive(Clone, Copy, Debug, Default)]
pub struct NonUnique;

/// [`Unique`] or [`NonUnique`].
pub trait Uniqueness: sealed::Sealed + Send + Sync + 'static {
    /// Are coordinates below one parent distinct?
    const UNIQUE: bool;
}
impl Uniqueness for Unique {
    const UNIQUE: bool = true;
}
impl Uniqueness for NonUnique {
    const UNIQUE: bool = false;
}

/// A level format in the type system.
pub trait LevelType: sealed::Sealed + Send + Sync + 'static {
    /// As a value.
    const LEVEL: Level;
}
impl LevelType for Dense {
    const LEVEL: Level = Level::Dense;
}
impl<U: Uniqueness> LevelType for Compressed<U> {
    const LEVEL: Level = Level::Compressed { unique: U::UNIQUE };
}
impl<U: Uniqueness> LevelType for Singleton<U> {
    const LEVEL: Level = Level::Singleton { unique: U::UNIQUE };
}

/// A level that can stand below the level `P`, or below [`Root`]. The same rules as [`Level::check_below`].
#[diagnostic::on_unimplemented(
    message = "level `{Self}` can't stand below `{P}`",
    note = "Singleton can't be first: it stores one coordinate for each position of the level above",
    note = "Dense can't stand below a level that is not unique"
)]
pub trait Below<P>: LevelType {}
/// Above the first level.
#[derive(Clone, Copy, Debug, Default)]
pub struct Root;
impl Below<Root> for Dense {}
impl Below<Dense> for Dense {}
impl Below<Compressed<Unique>> for Dense {}
impl Below<Singleton<Unique>> for Dense {}
impl<U: Uniqueness> Below<Root> for Compressed<U> {}
impl<U: Uniqueness, P: LevelType> Below<P> for Compressed<U> {}
impl<U: Uniqueness, P: LevelType> Below<P> for Singleton<U> {}

/// The value of what is not stored, in the type system.
pub trait FillType: sealed::Sealed + Send + Sync + 'static {
    /// As a value.
    const FILL: Fill;
}
macro_rules! fills {
    ($($(#[$doc:meta])* $name:ident),*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;
        impl sealed::Sealed for $name {}
        impl FillType for $name {
            const FILL: Fill = Fill::$name;
        }
    )* };
}
fills! {
    /// Fill 0, `false`.
    Zero,
    /// Fill 1, `true`.
    One,
    /// Fill +∞; `MAX` on integers.
    PosInf,
    /// Fill −∞; `MIN` on integers.
    NegInf
}

/// Coordinates or dimensions of a tensor: `[usize; R]`.
pub trait Coord:
    sealed::Sealed
    + Copy
    + AsRef<[usize]>
    + AsMut<[usize]>
    + Eq
    + Ord
    + std::hash::Hash
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// How many.
    const RANK: usize;
    /// All of them zero.
    const ZERO: Self;
    /// The row-major dense format of this rank.
    type Dense: DenseFormat<Coord = Self>;
}

/// A tensor's format: levels from the root, mode order, fill.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format",
    note = "a format is a tuple of at most 6 levels, such as `(Dense, Compressed)`, or `Reordered` or `Filled` over one"
)]
pub trait Format: sealed::Sealed + Send + Sync + 'static {
    /// Coordinates of an entry, and dimensions of a tensor.
    type Coord: Coord;
    /// Number of dimensions.
    const RANK: usize = <Self::Coord as Coord>::RANK;
    /// Level formats from the root down.
    const LEVELS: &'static [Level];
    /// Entry `l` is the dimension stored at level `l`.
    const ORDER: &'static [usize];
    /// The value of what is not stored.
    const FILL: Fill;

    /// As a value.
    fn spec() -> FormatSpec {
        let map = LevelMap::Permutation(Self::ORDER.to_vec());
        FormatSpec { levels: Self::LEVELS.to_vec(), map, fill: Self::FILL }
    }
}

/// A format whose levels are all dense.
pub trait DenseFormat: Format {}

const IDENTITY: [usize; super::MAX_RANK] = [0, 1, 2, 3, 4, 5];

macro_rules! tuples {
    ($($rank:literal ($($level:ident below $parent:ty, $dense:ident);*))*) => { $(
        impl<$($level: LevelType),*> sealed::Sealed for ($($level,)*) {}
        impl<$($level: Below<$parent>),*> Format for ($($level,)*) {
            type Coord = [usize; $rank];
            const LEVELS: &'static [Level] = &[$($level::LEVEL),*];
            const ORDER: &'static [usize] = IDENTITY.split_at($rank).0;
            const FILL: Fill = Fill::Zero;
        }
        impl DenseFormat for ($($dense,)*) {}
        impl Coord for [usize; $rank] {
            const RANK: usize = $rank;
            const ZERO: Self = [0; $rank];
            type Dense = ($($dense,)*);
        }
    )* };
}
tuples! {
    0 ()
    1 (A below Root, Dense)
    2 (A below Root, Dense; B below A, Dense)
    3 (A below Root, Dense; B below A, Dense; C below B, Dense)
    4 (A below Root, Dense; B below A, Dense; C below B, Dense; D below C, Dense)
    5 (A below Root, Dense; B below A, Dense; C below B, Dense; D below C, Dense; E below D, Dense)
    6 (A below Root, Dense; B below A, Dense; C below B, Dense; D below C, Dense; E below D, Dense; G below E, Dense)
}

/// A format with another mode order: entry `l` is the dimension stored at level `l`.
/// `Reordered<(Dense, Compressed), 1, 0>` is CSC. What is not a permutation does not compile:
///
/// ```compile_fail
/// use sparse_core::format::{Dense, Format, Reordered};
/// println!("{:?}", Reordered::<(Dense, Dense), 1, 1>::ORDER);
/// ```
pub struct Reordered<
    F,
    const D0: usize = 0,
    const D1: usize = 1,
    const D2: usize = 2,
    const D3: usize = 3,
    const D4: usize = 4,
    const D5: usize = 5,
>(PhantomData<fn() -> F>);

impl<F, const D0: usize, const D1: usize, const D2: usize, const D3: usize, const D4: usize, const D5: usize>
    sealed::Sealed for Reordered<F, D0, D1, D2, D3, D4, D5>
{
}
impl<
    F: Format,
    const D0: usize,
    const D1: usize,
    const D2: usize,
    const D3: usize,
    const D4: usize,
    const D5: usize,
> Format for Reordered<F, D0, D1, D2, D3, D4, D5>
{
    type Coord = F::Coord;
    const LEVELS: &'static [Level] = F::LEVELS;
    const ORDER: &'static [usize] = {
        assert!(same_order(F::ORDER, IDENTITY.split_at(F::RANK).0), "a format can be reordered only once");
        let all: &'static [usize] = &[D0, D1, D2, D3, D4, D5];
        let order = all.split_at(F::RANK).0;
        assert!(is_permutation(order), "the mode order must name every dimension once");
        order
    };
    const FILL: Fill = F::FILL;
}
impl<
    F: DenseFormat,
    const D0: usize,
    const D1: usize,
    const D2: usize,
    const D3: usize,
    const D4: usize,
    const D5: usize,
> DenseFormat for Reordered<F, D0, D1, D2, D3, D4, D5>
{
}

/// A format with another fill: `Filled<(Dense, Compressed), PosInf>`.
pub struct Filled<F, X: FillType>(PhantomData<fn() -> (F, X)>);
impl<F, X: FillType> sealed::Sealed for Filled<F, X> {}
impl<F: Format, X: FillType> Format for Filled<F, X> {
    type Coord = F::Coord;
    const LEVELS: &'static [Level] = F::LEVELS;
    const ORDER: &'static [usize] = F::ORDER;
    const FILL: Fill = X::FILL;
}
impl<F: DenseFormat, X: FillType> DenseFormat for Filled<F, X> {}

/// Is `F` the format with these levels, mode order and fill? For constant assertions in generated code.
pub const fn is_format<F: Format>(levels: &[Level], order: &[usize], fill: Fill) -> bool {
    if F::LEVELS.len() != levels.len() || F::FILL as u8 != fill as u8 {
        return false;
    }
    let mut l = 0;
    while l < levels.len() {
        if !F::LEVELS[l].same(levels[l]) {
            return false;
        }
        l += 1;
    }
    same_order(F::ORDER, order)
}

const fn same_order(a: &[usize], b: &[usize]) -> bool {
    let mut l = 0;
    while l < a.len() && l < b.len() && a[l] == b[l] {
        l += 1;
    }
    l == a.len() && l == b.len()
}

const fn is_permutation(order: &[usize]) -> bool {
    let (mut seen, mut l) = (0u32, 0);
    while l < order.len() {
        if order[l] >= order.len() {
            return false;
        }
        seen |= 1 << order[l];
        l += 1;
    }
    seen == (1 << order.len()) - 1
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Unique {}
    impl Sealed for super::NonUnique {}
    impl Sealed for super::Dense {}
    impl<U> Sealed for super::Compressed<U> {}
    impl<U> Sealed for super::Singleton<U> {}
    impl<const R: usize> Sealed for [usize; R] {}
}

#[cfg(test)]
mod tests {
    use super::*;

    type Csr = (Dense, Compressed);
    const _: () =
        assert!(is_format::<Csr>(&[Level::Dense, Level::Compressed { unique: true }], &[0, 1], Fill::Zero));
    const _: () = assert!(!is_format::<Filled<Reordered<Csr, 1, 0>, One>>(Csr::LEVELS, &[1, 0], Fill::Zero));

    #[test]
    fn types_and_values_agree() {
        assert_eq!(<()>::spec(), FormatSpec::new(vec![]));
        let csc = Filled::<Reordered<Csr, 1, 0>, NegInf>::spec();
        assert_eq!(csc, FormatSpec::new(Csr::LEVELS.to_vec()).reordered(vec![1, 0]).filled(Fill::NegInf));
        type Coo3 = (Compressed<NonUnique>, Singleton<NonUnique>, Singleton);
        assert!(Coo3::spec().check().is_ok());
        assert!(<(Dense, Singleton, Dense)>::spec().check().is_ok());
        assert!(<(Compressed, Singleton<NonUnique>, Singleton)>::spec().check().is_ok());
        assert_eq!(Reordered::<Coo3, 2>::RANK, 3);
        assert_eq!(Reordered::<Coo3, 2, 0, 1>::ORDER, [2, 0, 1]);
        assert_eq!(<(Dense, Dense, Dense, Dense, Dense, Compressed)>::ORDER, [0, 1, 2, 3, 4, 5]);
    }
}
