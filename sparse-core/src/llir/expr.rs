//! Expressions: indices, scalars, conditions.

use super::{BufferId, VarId};
use crate::scalar::{BinaryOp, DType, UnaryOp, Value};

/// Arithmetic on indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexOp {
    /// Sum.
    Add,
    /// Difference; never negative in a correct program.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded down; the divisor is not zero.
    Div,
    /// Remainder.
    Rem,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Sum of counts, at most [`MOST`]: a count that large is of too many, whatever is added to it.
    Count,
    /// Exclusive or of the bits.
    Xor,
    /// The bits that both have.
    And,
    /// Where a table of so many places, a power of two, is looked into first for a key: [`place_of`].
    Place,
    /// How many of a word's lowest bits are set, of so many: 31 at most, as many as an index has.
    Below,
}

/// How many of a word's `n` lowest bits are set.
pub fn marks_below(word: u64, n: u64) -> u64 {
    u64::from((word & ((1 << n.min(31)) - 1)).count_ones())
}

/// Where a table of so many places, a power of two, is looked into first for a key. Runs of keys are spread over it, so that
/// one is not gone through where another ends; higher bits are folded to the lower ones first, so that multiples of a power of
/// two are spread too. Both exchange the keys below the number of places: in a table of as many each has its own.
pub fn place_of(key: u64, places: u64) -> u64 {
    let key = key as u32;
    u64::from((key ^ key >> 4 ^ key >> 9).wrapping_mul(SPREAD)) & places.wrapping_sub(1)
}

/// An odd number: by how far neighbours are apart in a table.
const SPREAD: u32 = 107;

/// The largest position: what counts of entries stop at.
pub const MOST: u64 = i32::MAX as u64;

/// Comparison of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
}

/// Which end of a run of equal keys a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// First position whose element is not below the key.
    Lower,
    /// First position whose element is above the key.
    Upper,
    /// As `Lower`, by steps from the range's beginning that double: a key that is not far is found soon, wherever the range
    /// ends (Bentley and Yao 1976).
    Gallop,
}

/// A typed expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An index constant.
    Index(u64),
    /// A scalar constant.
    Lit(Value),
    /// A condition constant.
    Cond(bool),
    /// A variable.
    Var(VarId),
    /// `buffer[index]`
    Load {
        /// Read buffer.
        buffer: BufferId,
        /// Index of the element.
        index: Box<Expr>,
    },
    /// Current length of a growable buffer or of a gathered one; in sizes of host steps, that of an input.
    Len(BufferId),
    /// Index arithmetic.
    IndexOp(IndexOp, Box<Expr>, Box<Expr>),
    /// Index comparison, a condition.
    Cmp(Cmp, Box<Expr>, Box<Expr>),
    /// A condition of the host's processor: do its vector registers hold a tile of so many bytes, and what a loop over it
    /// needs besides? Either answer is right, the other one is slow.
    Fits(u64),
    /// By about how many of the host's threads a loop of so many scalar operations is shared, whether they are awake or not, an
    /// index: one at least. Any answer is right, another one is slow.
    Workers(Box<Expr>),
    /// Short-circuit conjunction of conditions.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit disjunction of conditions.
    Or(Box<Expr>, Box<Expr>),
    /// Negation of a condition.
    Not(Box<Expr>),
    /// A binary operator on scalars of one type, which is the result's too.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A unary operator on a scalar.
    Unary(UnaryOp, Box<Expr>),
    /// An index converted to a scalar type.
    FromIndex(DType, Box<Expr>),
    /// `if cond { a } else { b }`, lazily; both of one type, index or scalar.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Binary search in `buffer[lo..hi]`, which is sorted: a position in `lo..=hi`.
    Search {
        /// Lower or upper bound.
        bound: Bound,
        /// An index buffer.
        buffer: BufferId,
        /// First position of the range.
        lo: Box<Expr>,
        /// End of the range.
        hi: Box<Expr>,
        /// Searched coordinate.
        key: Box<Expr>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_of_a_full_table_have_a_place_each() {
        for bits in 0..14 {
            let places = 1 << bits;
            let found: BTreeSet<u64> = (0..places).map(|key| place_of(key, places)).collect();
            assert_eq!(found.into_iter().collect::<Vec<_>>(), (0..places).collect::<Vec<_>>());
        }
        assert!((0..1000).all(|key| place_of(key * key, 64) < 64));
    }

    /// Runs that begin a table's size apart, and multiples of a power of two: who looks for one of them finds it soon.
    #[test]
    fn runs_of_keys_are_spread() {
        let places = 4096;
        let runs = |n: u64, run: u64| (0..n).flat_map(move |at| (0..run).map(move |k| at * 8192 + k));
        for keys in [
            runs(4, 700).collect::<Vec<_>>(),
            runs(100, 28).collect(),
            (0..2800).collect(),
            (0..2800).map(|k| k * 64).collect(),
            (0..2800).map(|k| k * 1024).collect(),
        ] {
            let mut table = vec![None; places as usize];
            let mut steps = 0;
            for &key in &keys {
                let mut at = place_of(key, places);
                while table[at as usize].is_some() {
                    (at, steps) = ((at + 1) % places, steps + 1);
                }
                table[at as usize] = Some(key);
            }
            assert!(steps < 3 * keys.len(), "{steps} steps for {} keys", keys.len());
        }
    }

    #[test]
    fn marks_are_counted_below_a_bit() {
        let word = 0b1011;
        assert_eq!([0, 1, 2, 3, 4, 31].map(|n| marks_below(word, n)), [0, 1, 2, 2, 3, 3]);
        assert_eq!(marks_below(MOST, 31), 31);
    }
}
