//! May a reduction move from an expression to a part of it?

use crate::cin::{Expr, Workspace};
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// How an expression depends on the part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not at all.
    Fixed,
    /// `f(a ⊕ b) = f(a) ⊕ f(b)`, and the identity of ⊕ gives itself.
    Distributes,
}

/// Is `rest`, with a workspace where the part was, the same reduced as its part reduced?
pub(super) fn distributes(rest: &Expr, w: Workspace, m: Monoid, t: DType) -> bool {
    kind(rest, w, m, t) == Some(Kind::Distributes)
}

fn kind(e: &Expr, w: Workspace, m: Monoid, t: DType) -> Option<Kind> {
    use Kind::*;
    match e {
        Expr::Workspace(v, _) if *v == w => Some(Distributes),
        Expr::Workspace(..) | Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => Some(Fixed),
        Expr::Unary(op, a) => match (kind(a, w, m, t)?, op) {
            (Fixed, _) => Some(Fixed),
            (Distributes, UnaryOp::Neg) if m == Monoid::Add => Some(Distributes),
            (Distributes, _) => None,
        },
        Expr::Binary(op, a, b) => match (kind(a, w, m, t)?, kind(b, w, m, t)?) {
            (Fixed, Fixed) => Some(Fixed),
            (Distributes, Distributes) => {
                let sum = *op == m.op() || (m == Monoid::Add && *op == BinaryOp::Sub);
                sum.then_some(Distributes)
            }
            (Distributes, Fixed) => (over(*op, m, t) || over_left(*op, m, t)).then_some(Distributes),
            (Fixed, Distributes) => over(*op, m, t).then_some(Distributes),
        },
    }
}

/// `(a ⊕ b) ∘ c = (a ∘ c) ⊕ (b ∘ c)`, on both sides.
fn over(op: BinaryOp, m: Monoid, t: DType) -> bool {
    match (m, op) {
        (Monoid::Add, BinaryOp::Mul)
        | (Monoid::Min, BinaryOp::Max)
        | (Monoid::Max, BinaryOp::Min)
        | (Monoid::And, BinaryOp::Or)
        | (Monoid::Or, BinaryOp::And) => true,
        // An integer's largest value is no infinity: a sum with it wraps.
        (Monoid::Min | Monoid::Max, BinaryOp::Add) => t.is_float(),
        _ => false,
    }
}

/// The same where the fixed operand is the right one.
fn over_left(op: BinaryOp, m: Monoid, t: DType) -> bool {
    match (m, op) {
        // A sum of rounded quotients is not the rounded quotient of the sum.
        (Monoid::Add, BinaryOp::Div) | (Monoid::Min | Monoid::Max, BinaryOp::Sub) => t.is_float(),
        _ => false,
    }
}
