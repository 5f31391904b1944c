//! Reductions.

use super::{BinaryOp, DType, Value};

/// A commutative monoid that a statement reduces with: `+= *= min= max= &= |=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Monoid {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise or logical and.
    And,
    /// Bitwise or logical or.
    Or,
}

impl Monoid {
    /// Every monoid.
    pub const ALL: [Monoid; 6] =
        [Monoid::Add, Monoid::Mul, Monoid::Min, Monoid::Max, Monoid::And, Monoid::Or];

    /// Does a GPU of compute capability 9.0 on update a vector of such elements in global memory at once? Others are updated
    /// one by one.
    pub fn updates_vectors(self, of: DType) -> bool {
        self == Monoid::Add && of == DType::F32
    }

    /// Is the result the same in whatever order values are combined, and does hardware combine them in memory?
    pub fn is_exact(self, t: DType) -> bool {
        matches!(t, DType::I32 | DType::I64) && self != Monoid::Mul
    }

    /// The operator that combines two values.
    pub fn op(self) -> BinaryOp {
        match self {
            Monoid::Add => BinaryOp::Add,
            Monoid::Mul => BinaryOp::Mul,
            Monoid::Min => BinaryOp::Min,
            Monoid::Max => BinaryOp::Max,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        }
    }

    /// Is combining a value once as good as any number of times, `(a ∘ v) ∘ v = a ∘ v` for every a? Of a product that is so if
    /// `v · v = v`, bit by bit: 0, 1 and ∞ are such, and NaN, which nothing changes any more. What a sign changes, −0 or −∞, is not.
    pub fn needs_once(self, v: Value) -> bool {
        self.op().is_idempotent() || self == Monoid::Mul && BinaryOp::Mul.apply(v, v) == Some(v)
    }

    /// Is it defined on this element type?
    pub fn accepts(self, t: DType) -> bool {
        self.op().accepts(t)
    }

    /// The neutral element; `None` where the monoid does not exist on the type.
    pub fn identity(self, t: DType) -> Option<Value> {
        if self.accepts(t) { self.op().left_identity(t) } else { None }
    }

    /// As written in an assignment, without the `=`.
    pub fn symbol(self) -> &'static str {
        self.op().symbol()
    }
}
