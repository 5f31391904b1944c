//! Index notation as text, as a person writes it.

use super::ast::{Access, AssignOp, Expr, Kernel};
use super::command::{CommandKind, Name};
use crate::scalar::{BinaryOp, UnaryOp, Value};
use std::fmt::Write as _;

/// The statement: `C[i, k] = A[i, j] * B[j, k];`.
pub fn statement(kernel: &Kernel) -> String {
    let a = &kernel.assignment;
    let mut out = String::new();
    access(kernel, &a.lhs, &mut out);
    match a.op {
        AssignOp::Assign => out.push_str(" = "),
        AssignOp::Reduce(m) => {
            let _ = write!(out, " {}= ", m.symbol());
        }
    }
    write_expr(kernel, &a.rhs, 0, &mut out);
    out.push(';');
    out
}

/// A scheduling command: `split(i, i0, i1, 64)`.
pub fn command(kernel: &Kernel, kind: &CommandKind) -> String {
    let list = |names: &[Name]| names.iter().map(|n| n.text.as_str()).collect::<Vec<_>>().join(", ");
    match kind {
        CommandKind::Split { var, outer, inner, factor } => {
            format!("split({}, {}, {}, {})", var.text, outer.text, inner.text, factor.value)
        }
        CommandKind::Divide { var, outer, inner, factor } => {
            format!("divide({}, {}, {}, {})", var.text, outer.text, inner.text, factor.value)
        }
        CommandKind::Fuse { outer, inner, fused } => {
            format!("fuse({}, {}, {})", outer.text, inner.text, fused.text)
        }
        CommandKind::Reorder { order } => format!("reorder({})", list(order)),
        CommandKind::Pos { var, pos, access: a } => {
            let mut text = String::new();
            access(kernel, a, &mut text);
            format!("pos({}, {}, {text})", var.text, pos.text)
        }
        CommandKind::Coord { pos, var } => format!("coord({}, {})", pos.text, var.text),
        CommandKind::Precompute { expr, vars, renamed, workspace, format, .. } => format!(
            "precompute({}, [{}], [{}], {}{})",
            print(kernel, expr),
            list(vars),
            list(renamed),
            workspace.text,
            format.map_or(String::new(), |f| format!(", {f}"))
        ),
        CommandKind::Bound { var, bounded, size, kind } => {
            format!("bound({}, {}, {}, {kind})", var.text, bounded.text, size.value)
        }
        CommandKind::Unroll { var, factor } => format!("unroll({}, {})", var.text, factor.value),
        CommandKind::MergeBy { var, merge } => format!("mergeby({}, {merge})", var.text),
        CommandKind::Parallelize { var, unit, strategy, .. } => {
            format!("parallelize({}, {unit}, {strategy})", var.text)
        }
    }
}

/// An expression: `A[i, j] * B[j, k]`.
pub fn print(kernel: &Kernel, e: &Expr) -> String {
    let mut out = String::new();
    write_expr(kernel, e, 0, &mut out);
    out
}

fn access(kernel: &Kernel, a: &Access, out: &mut String) {
    let _ = write!(out, "{}", kernel.tensors[a.tensor.index()].name);
    if a.indices.is_empty() {
        return;
    }
    out.push('[');
    for (n, v) in a.indices.iter().enumerate() {
        out.push_str(if n > 0 { ", " } else { "" });
        out.push_str(&kernel.vars[v.index()].name);
    }
    out.push(']');
}

/// Rust's precedence; functions bind tightest.
fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Min | Max => 8,
        Mul | Div => 6,
        Add | Sub => 5,
        And => 4,
        Xor => 3,
        Or => 2,
        Eq | Ne | Lt | Le | Gt | Ge => 1,
    }
}

/// Writes an expression where only operators of at least a precedence can stand without parentheses.
fn write_expr(kernel: &Kernel, e: &Expr, lowest: u8, out: &mut String) {
    match e {
        Expr::Access(a) => access(kernel, a, out),
        Expr::Literal(v) => out.push_str(&literal(*v)),
        Expr::Scalar(n) => {
            let _ = write!(out, "{}", kernel.scalars[*n].name);
        }
        Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), arg) => {
            out.push_str(op.symbol());
            write_expr(kernel, arg, 7, out);
        }
        Expr::Unary(op, arg) => call(kernel, op.symbol(), &[arg], out),
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) => {
            let mut args = Vec::new();
            flatten(*op, e, &mut args);
            call(kernel, op.symbol(), &args, out);
        }
        Expr::Binary(op, a, b) => {
            let p = precedence(*op);
            let parens = p < lowest;
            out.push_str(if parens { "(" } else { "" });
            write_expr(kernel, a, if op.is_comparison() { p + 1 } else { p }, out);
            let _ = write!(out, " {} ", op.symbol());
            write_expr(kernel, b, p + 1, out);
            out.push_str(if parens { ")" } else { "" });
        }
    }
}

/// `min(min(a, b), c)` is `min(a, b, c)`.
fn flatten<'a>(op: BinaryOp, e: &'a Expr, args: &mut Vec<&'a Expr>) {
    match e {
        Expr::Binary(o, a, b) if *o == op => {
            flatten(op, a, args);
            args.push(b);
        }
        e => args.push(e),
    }
}

fn call(kernel: &Kernel, name: &str, args: &[&Expr], out: &mut String) {
    out.push_str(name);
    out.push('(');
    for (n, arg) in args.iter().enumerate() {
        out.push_str(if n > 0 { ", " } else { "" });
        write_expr(kernel, arg, 0, out);
    }
    out.push(')');
}

/// A whole number without its `.0`.
fn literal(v: Value) -> String {
    let text = v.to_string();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
