//! CIN as text: `∀i ∀j y[i] += A[i, j] * x[j]`.

use super::{Access, Cin, Expr, Stmt, Target};
use crate::front::ast::Kernel;
use crate::scalar::{BinaryOp, UnaryOp};

/// The whole program on one line.
pub fn print(cin: &Cin, kernel: &Kernel) -> String {
    stmt(&cin.root, kernel)
}

fn stmt(s: &Stmt, k: &Kernel) -> String {
    match s {
        Stmt::Forall { var, body } => format!("∀{} {}", k.vars[var.0 as usize].name, stmt(body, k)),
        Stmt::Where { consumer, producer } => {
            format!("({}) where ({})", stmt(consumer, k), stmt(producer, k))
        }
        Stmt::Assign { target, op, rhs } => {
            let target = match target {
                Target::Tensor(a) => access(a, k),
                Target::Workspace(w) => format!("t{}", w.0),
            };
            let op = op.map_or("", |m| m.symbol());
            format!("{target} {op}= {}", expr(rhs, k, 0))
        }
    }
}

fn access(a: &Access, k: &Kernel) -> String {
    let name = &k.tensors[a.tensor.index()].name;
    if a.indices.is_empty() {
        return name.to_string();
    }
    let vars: Vec<_> = a.indices.iter().map(|v| k.vars[v.0 as usize].name.as_str()).collect();
    format!("{name}[{}]", vars.join(", "))
}

fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => 1,
        Or => 2,
        Xor => 3,
        And => 4,
        Add | Sub => 5,
        Mul | Div => 6,
        Min | Max => 8,
    }
}

fn expr(e: &Expr, k: &Kernel, outer: u8) -> String {
    match e {
        Expr::Access(a) => access(a, k),
        Expr::Workspace(w) => format!("t{}", w.0),
        Expr::Literal(v) => v.to_string(),
        Expr::Scalar(n) => k.scalars[*n].name.to_string(),
        Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), a) => format!("{}{}", op.symbol(), expr(a, k, 7)),
        Expr::Unary(op, a) => format!("{}({})", op.symbol(), expr(a, k, 0)),
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
            format!("{}({}, {})", op.symbol(), expr(a, k, 0), expr(b, k, 0))
        }
        Expr::Binary(op, a, b) => {
            let p = precedence(*op);
            let text = format!("{} {} {}", expr(a, k, p), op.symbol(), expr(b, k, p + 1));
            if p < outer { format!("({text})") } else { text }
        }
    }
}
