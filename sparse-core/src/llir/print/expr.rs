//! Expressions as text, in parentheses where grouping asks for them.

use crate::llir::{Bound, BufferId, Cmp, Expr, IndexOp, Program, TensorId, VarId};
use crate::scalar::{BinaryOp, Monoid, UnaryOp, Value};

/// How tightly an operator binds, as in Rust.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    Lowest,
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Sum,
    Product,
    Cast,
    Prefix,
    Atom,
}

impl Prec {
    fn tighter(self) -> Prec {
        use Prec::*;
        match self {
            Lowest => Or,
            Or => And,
            And => Compare,
            Compare => BitOr,
            BitOr => BitXor,
            BitXor => BitAnd,
            BitAnd => Sum,
            Sum => Product,
            Product => Cast,
            Cast => Prefix,
            Prefix | Atom => Atom,
        }
    }
}

pub(super) fn var_name(program: &Program, id: VarId) -> String {
    program.vars.get(id.index()).map_or_else(|| format!("v{}?", id.0), |v| v.name.clone())
}

pub(super) fn buffer_name(program: &Program, id: BufferId) -> String {
    program.buffers.get(id.index()).map_or_else(|| format!("b{}?", id.0), |b| b.name.clone())
}

pub(super) fn tensor_name(program: &Program, id: TensorId) -> String {
    program.tensors.get(id.index()).map_or_else(|| format!("t{}?", id.0), |t| t.name.clone())
}

/// Text of an expression that stands where an operator at least as tight as `outer` is needed.
pub(super) fn expr(p: &Program, e: &Expr, outer: Prec) -> String {
    let infix = |prec: Prec, op: &str, a: &Expr, b: &Expr| {
        (prec, format!("{} {op} {}", expr(p, a, prec), expr(p, b, prec.tighter())))
    };
    let free = |e: &Expr| expr(p, e, Prec::Lowest);
    let call = |name: &str, args: &[&Expr]| {
        let args: Vec<String> = args.iter().map(|e| free(e)).collect();
        (Prec::Atom, format!("{name}({})", args.join(", ")))
    };
    let (prec, text) = match e {
        Expr::Index(n) => (Prec::Atom, n.to_string()),
        Expr::Lit(v) => literal(*v),
        Expr::Cond(c) => (Prec::Atom, c.to_string()),
        Expr::Var(v) => (Prec::Atom, var_name(p, *v)),
        Expr::Fits(bytes) => (Prec::Atom, format!("fits({bytes})")),
        Expr::Workers(work) => call("workers", &[work]),
        Expr::Load { buffer, index } => (Prec::Atom, format!("{}[{}]", buffer_name(p, *buffer), free(index))),
        Expr::Len(buffer) => (Prec::Atom, format!("{}.len()", buffer_name(p, *buffer))),
        Expr::IndexOp(op, a, b) => match op {
            // Sums and products of indices are exact: the grouping on the right says nothing.
            IndexOp::Add => {
                (Prec::Sum, format!("{} + {}", expr(p, a, Prec::Sum), expr(p, b, right(IndexOp::Add, b))))
            }
            IndexOp::Mul => (
                Prec::Product,
                format!("{} * {}", expr(p, a, Prec::Product), expr(p, b, right(IndexOp::Mul, b))),
            ),
            IndexOp::Sub => infix(Prec::Sum, "-", a, b),
            IndexOp::Div => infix(Prec::Product, "/", a, b),
            IndexOp::Rem => infix(Prec::Product, "%", a, b),
            IndexOp::Min => call("min", &[a, b]),
            IndexOp::Max => call("max", &[a, b]),
            IndexOp::Count => call("count", &[a, b]),
            IndexOp::Xor => call("xor", &[a, b]),
            IndexOp::And => call("and", &[a, b]),
            IndexOp::Place => call("place", &[a, b]),
            IndexOp::Below => call("marks_below", &[a, b]),
        },
        Expr::Cmp(op, a, b) => {
            let op = match op {
                Cmp::Eq => "==",
                Cmp::Ne => "!=",
                Cmp::Lt => "<",
                Cmp::Le => "<=",
            };
            // Comparisons do not chain: both sides bind tighter.
            (Prec::Compare, format!("{} {op} {}", expr(p, a, Prec::BitOr), expr(p, b, Prec::BitOr)))
        }
        Expr::And(a, b) => infix(Prec::And, "&&", a, b),
        Expr::Or(a, b) => infix(Prec::Or, "||", a, b),
        Expr::Not(a) => (Prec::Prefix, format!("!{}", expr(p, a, Prec::Prefix))),
        Expr::Binary(op, a, b) => {
            use BinaryOp::*;
            match op {
                Add | Sub => infix(Prec::Sum, op.symbol(), a, b),
                Mul | Div => infix(Prec::Product, op.symbol(), a, b),
                And => infix(Prec::BitAnd, op.symbol(), a, b),
                Or => infix(Prec::BitOr, op.symbol(), a, b),
                Xor => infix(Prec::BitXor, op.symbol(), a, b),
                Min | Max => call(op.symbol(), &[a, b]),
                Eq | Ne | Lt | Le | Gt | Ge => {
                    let (a, b) = (expr(p, a, Prec::BitOr), expr(p, b, Prec::BitOr));
                    (Prec::Compare, format!("{a} {} {b}", op.symbol()))
                }
            }
        }
        Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), a) => {
            // `--a` would read as a decrement.
            let inner = if matches!(**a, Expr::Unary(UnaryOp::Neg, _)) { Prec::Atom } else { Prec::Prefix };
            (Prec::Prefix, format!("{}{}", op.symbol(), expr(p, a, inner)))
        }
        Expr::Unary(op, a) => call(op.symbol(), &[a]),
        Expr::FromIndex(t, a) => (Prec::Cast, format!("{} as {t}", expr(p, a, Prec::Cast))),
        Expr::Select(c, a, b) => {
            (Prec::Lowest, format!("if {} {{ {} }} else {{ {} }}", free(c), free(a), free(b)))
        }
        Expr::Search { bound, buffer, lo, hi, key } => {
            let name = match bound {
                Bound::Lower => "lower_bound",
                Bound::Upper => "upper_bound",
                Bound::Gallop => "gallop",
            };
            let range = format!("{}..{}", expr(p, lo, Prec::Or), expr(p, hi, Prec::Or));
            (Prec::Atom, format!("{name}({}, {range}, {})", buffer_name(p, *buffer), free(key)))
        }
    };
    if prec < outer { format!("({text})") } else { text }
}

/// What the right operand of an exact associative operator must bind as tightly as.
fn right(op: IndexOp, operand: &Expr) -> Prec {
    let prec = if op == IndexOp::Add { Prec::Sum } else { Prec::Product };
    let same = matches!(operand, Expr::IndexOp(inner, ..) if *inner == op);
    if same { prec } else { prec.tighter() }
}

pub(super) fn literal(v: Value) -> (Prec, String) {
    let text = v.to_string();
    let prec = if text.starts_with('-') { Prec::Cast } else { Prec::Atom };
    (prec, text)
}

pub(super) fn range(p: &Program, lo: &Expr, hi: &Expr) -> String {
    format!("{}..{}", expr(p, lo, Prec::Or), expr(p, hi, Prec::Or))
}

/// `op=` of an assignment.
pub(super) fn assign_op(op: Monoid) -> String {
    format!("{}=", op.symbol())
}
