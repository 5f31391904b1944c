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
}

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
