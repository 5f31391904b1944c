//! Constructors of index and condition expressions that fold constants as they build, so that the lowering can
//! write the general form and the trivial one comes out.

use super::{Bound, BufferId, Cmp, Expr, IndexOp, MOST, VarId};

impl From<VarId> for Expr {
    fn from(v: VarId) -> Expr {
        Expr::Var(v)
    }
}

/// `a + b`
pub fn add(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Index(0), e) | (e, Expr::Index(0)) => e,
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.saturating_add(b)),
        (a, b) => Expr::IndexOp(IndexOp::Add, Box::new(a), Box::new(b)),
    }
}

/// `a + b`, of counts.
pub fn count(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Index(0), e) | (e, Expr::Index(0)) => e,
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.saturating_add(b).min(MOST)),
        (a, b) => Expr::IndexOp(IndexOp::Count, Box::new(a), Box::new(b)),
    }
}

/// `a - b`, for a not below b.
pub fn sub(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (e, Expr::Index(0)) => e,
        (Expr::Index(a), Expr::Index(b)) if a >= b => Expr::Index(a - b),
        (a, b) => Expr::IndexOp(IndexOp::Sub, Box::new(a), Box::new(b)),
    }
}

/// `a * b`
pub fn mul(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Index(0), _) | (_, Expr::Index(0)) => Expr::Index(0),
        (Expr::Index(1), e) | (e, Expr::Index(1)) => e,
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.saturating_mul(b)),
        (a, b) => Expr::IndexOp(IndexOp::Mul, Box::new(a), Box::new(b)),
    }
}

/// The smaller of two indices.
pub fn min(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.min(b)),
        (a, b) if a == b => a,
        (a, b) => Expr::IndexOp(IndexOp::Min, Box::new(a), Box::new(b)),
    }
}

/// One of two values, by a condition.
pub fn select(cond: Expr, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::Select(Box::new(cond), Box::new(a.into()), Box::new(b.into()))
}

/// An operation of two indices, as it is: nothing is simplified.
pub fn op(op: IndexOp, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(b.into()))
}

/// The quotient of two indices, rounded down.
pub fn div(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    op(IndexOp::Div, a, b)
}

/// What is left when an index is divided by another.
pub fn rem(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    op(IndexOp::Rem, a, b)
}

/// The larger of two indices.
pub fn max(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Index(0), e) | (e, Expr::Index(0)) => e,
        (Expr::Index(a), Expr::Index(b)) => Expr::Index(a.max(b)),
        (a, b) if a == b => a,
        (a, b) => Expr::IndexOp(IndexOp::Max, Box::new(a), Box::new(b)),
    }
}

fn cmp(op: Cmp, a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Index(x), Expr::Index(y)) => Expr::Cond(match op {
            Cmp::Eq => x == y,
            Cmp::Ne => x != y,
            Cmp::Lt => x < y,
            Cmp::Le => x <= y,
        }),
        (Expr::Index(0), _) if op == Cmp::Le => Expr::Cond(true),
        (_, Expr::Index(0)) if op == Cmp::Lt => Expr::Cond(false),
        _ if a == b => Expr::Cond(matches!(op, Cmp::Eq | Cmp::Le)),
        _ => Expr::Cmp(op, Box::new(a), Box::new(b)),
    }
}

/// `a == b`
pub fn eq(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    cmp(Cmp::Eq, a.into(), b.into())
}

/// `a != b`
pub fn ne(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    cmp(Cmp::Ne, a.into(), b.into())
}

/// `a < b`
pub fn lt(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    cmp(Cmp::Lt, a.into(), b.into())
}

/// `a <= b`
pub fn le(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    cmp(Cmp::Le, a.into(), b.into())
}

/// Conjunction of conditions.
pub fn and(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Cond(true), e) | (e, Expr::Cond(true)) => e,
        (Expr::Cond(false), _) => Expr::Cond(false),
        (a, b) => Expr::And(Box::new(a), Box::new(b)),
    }
}

/// Disjunction of conditions.
pub fn or(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    match (a.into(), b.into()) {
        (Expr::Cond(false), e) | (e, Expr::Cond(false)) => e,
        (Expr::Cond(true), _) => Expr::Cond(true),
        (a, b) => Expr::Or(Box::new(a), Box::new(b)),
    }
}

/// `buffer[index]`
pub fn load(buffer: BufferId, index: impl Into<Expr>) -> Expr {
    Expr::Load { buffer, index: Box::new(index.into()) }
}

/// Binary search in `buffer[lo..hi]`.
pub fn search(
    bound: Bound,
    buffer: BufferId,
    lo: impl Into<Expr>,
    hi: impl Into<Expr>,
    key: impl Into<Expr>,
) -> Expr {
    Expr::Search {
        bound,
        buffer,
        lo: Box::new(lo.into()),
        hi: Box::new(hi.into()),
        key: Box::new(key.into()),
    }
}
