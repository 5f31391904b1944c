//! Constant folding and identities of expressions.

use crate::llir::build::{add, and, count, eq, le, lt, max, min, mul, ne, sub};
use crate::llir::{Cmp, Expr, IndexOp};
use crate::scalar::{BinaryOp, UnaryOp, Value};

/// Folds an expression, operands first.
pub(super) fn fold(e: &mut Expr) {
    e.for_each_child_mut(&mut fold);
    fold_node(e);
}

/// Folds an expression of which the operands are folded.
pub(super) fn fold_node(e: &mut Expr) {
    let node = std::mem::replace(e, Expr::Cond(false));
    *e = folded(node);
}

fn folded(e: Expr) -> Expr {
    match e {
        Expr::IndexOp(op, a, b) => index_op(op, *a, *b),
        Expr::Cmp(op, a, b) => match op {
            Cmp::Eq => eq(*a, *b),
            Cmp::Ne => ne(*a, *b),
            Cmp::Lt => lt(*a, *b),
            Cmp::Le => match (*a, *b) {
                // `x + 1 <= y`
                (Expr::IndexOp(IndexOp::Add, x, one), y) if *one == Expr::Index(1) => lt(*x, y),
                (a, b) => le(a, b),
            },
        },
        Expr::And(a, b) => match (*a, *b) {
            (a, b) if a == b => a,
            (a, b) => and(a, b),
        },
        Expr::Or(a, b) => match (*a, *b) {
            (Expr::Cond(true), _) => Expr::Cond(true),
            (Expr::Cond(false), e) | (e, Expr::Cond(false)) => e,
            (a, b) if a == b => a,
            (a, b) => Expr::Or(Box::new(a), Box::new(b)),
        },
        Expr::Not(a) => not(*a),
        Expr::Select(c, a, b) => match *c {
            Expr::Cond(c) => *if c { a } else { b },
            _ if a == b => *a,
            c => Expr::Select(Box::new(c), a, b),
        },
        Expr::FromIndex(t, a) => match *a {
            // What every element type holds exactly.
            Expr::Index(n) if n <= 127 => Expr::Lit(t.from_i64(n as i64)),
            a => Expr::FromIndex(t, Box::new(a)),
        },
        Expr::Binary(op, a, b) => binary(op, *a, *b),
        Expr::Unary(op, a) => unary(op, *a),
        e => e,
    }
}

/// The negation of a condition.
pub(super) fn not(e: Expr) -> Expr {
    match e {
        Expr::Cond(c) => Expr::Cond(!c),
        Expr::Not(a) => *a,
        Expr::Cmp(Cmp::Eq, a, b) => Expr::Cmp(Cmp::Ne, a, b),
        Expr::Cmp(Cmp::Ne, a, b) => Expr::Cmp(Cmp::Eq, a, b),
        Expr::Cmp(Cmp::Lt, a, b) => Expr::Cmp(Cmp::Le, b, a),
        Expr::Cmp(Cmp::Le, a, b) => Expr::Cmp(Cmp::Lt, b, a),
        e => Expr::Not(Box::new(e)),
    }
}

/// `a / n * n + a % n` is a. What a variable holds is what `held` says.
pub(crate) fn whole(e: &Expr, held: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    let Expr::IndexOp(IndexOp::Add, product, rest) = e else { return None };
    let Expr::IndexOp(IndexOp::Mul, quotient, n) = &**product else { return None };
    let of = |e: &Expr| held(e).unwrap_or_else(|| e.clone());
    match (of(quotient), of(rest)) {
        (Expr::IndexOp(IndexOp::Div, a, by), Expr::IndexOp(IndexOp::Rem, b, m)) => {
            (a == b && by == *n && m == *n).then_some(*a)
        }
        _ => None,
    }
}

fn index_op(op: IndexOp, a: Expr, b: Expr) -> Expr {
    match (op, a, b) {
        // (a + m) + n, (a + m) - n
        (IndexOp::Add, Expr::IndexOp(IndexOp::Add, a, m), Expr::Index(n)) if matches!(*m, Expr::Index(_)) => {
            add(*a, add(*m, Expr::Index(n)))
        }
        (IndexOp::Sub, Expr::IndexOp(IndexOp::Add, a, m), Expr::Index(n)) if matches!(*m, Expr::Index(m) if m >= n) => {
            add(*a, sub(*m, Expr::Index(n)))
        }
        (IndexOp::Sub, a, b) if a == b => Expr::Index(0),
        (IndexOp::Add, a, b) => add(a, b),
        (IndexOp::Sub, a, b) => sub(a, b),
        (IndexOp::Mul, a, b) => mul(a, b),
        (IndexOp::Min, Expr::Index(0), _) | (IndexOp::Min, _, Expr::Index(0)) => Expr::Index(0),
        (IndexOp::Min, a, b) => min(a, b),
        (IndexOp::Max, a, b) => max(a, b),
        (IndexOp::Count, a, b) => count(a, b),
        (IndexOp::Div, Expr::Index(a), Expr::Index(b)) if b > 0 => Expr::Index(a / b),
        (IndexOp::Rem, Expr::Index(a), Expr::Index(b)) if b > 0 => Expr::Index(a % b),
        (IndexOp::Div, a, Expr::Index(1)) => a,
        (IndexOp::Rem, _, Expr::Index(1)) => Expr::Index(0),
        (IndexOp::Xor, Expr::Index(a), Expr::Index(b)) => Expr::Index(a ^ b),
        (IndexOp::And, Expr::Index(a), Expr::Index(b)) => Expr::Index(a & b),
        (
            op
            @ (IndexOp::Div | IndexOp::Rem | IndexOp::Xor | IndexOp::And | IndexOp::Place | IndexOp::Below),
            a,
            b,
        ) => Expr::IndexOp(op, Box::new(a), Box::new(b)),
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Lit(x), Expr::Lit(y)) => {
            if let Some(v) = op.apply(*x, *y) {
                return Expr::Lit(v);
            }
        }
        (_, Expr::Lit(y)) if is_neutral(op, *y, true) => return a,
        (Expr::Lit(x), _) if is_neutral(op, *x, false) => return b,
        _ => {}
    }
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// Does the operator give its other operand, bit for bit? (`x + 0.0` does not, for x = −0.)
fn is_neutral(op: BinaryOp, v: Value, on_the_right: bool) -> bool {
    let t = v.dtype();
    match op {
        BinaryOp::Mul => v == t.one(),
        BinaryOp::Div => on_the_right && v == t.one(),
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => !t.is_float() && v.is_zero(),
        BinaryOp::Sub => on_the_right && !t.is_float() && v.is_zero(),
        BinaryOp::And => Some(v) == t.all_ones(),
        _ => false,
    }
}

fn unary(op: UnaryOp, a: Expr) -> Expr {
    // Functions that a library computes may differ in the last bit between the compiler's machine and the user's.
    let exact = matches!(op, UnaryOp::Neg | UnaryOp::Not | UnaryOp::Abs);
    match a {
        Expr::Lit(v) if exact => match op.apply(v) {
            Some(v) => Expr::Lit(v),
            None => Expr::Unary(op, Box::new(a)),
        },
        a => Expr::Unary(op, Box::new(a)),
    }
}
