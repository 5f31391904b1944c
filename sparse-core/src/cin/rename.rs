//! Other names for index variables.

use super::{Access, Expr, Stmt, Target};
use crate::front::ast::IndexVar;

/// Gives a variable another name, in loops and in what stands inside.
pub fn rename(stmt: &mut Stmt, from: IndexVar, to: IndexVar) {
    match stmt {
        Stmt::Forall { var, body } => {
            rename_in(std::slice::from_mut(var), from, to);
            rename(body, from, to);
        }
        Stmt::Where { consumer, producer } => {
            rename(consumer, from, to);
            rename(producer, from, to);
        }
        Stmt::Assign { target, rhs, .. } => {
            match target {
                Target::Tensor(Access { indices, .. }) | Target::Workspace(_, indices) => {
                    rename_in(indices, from, to);
                }
            }
            rename_expr(rhs, from, to);
        }
    }
}

fn rename_expr(e: &mut Expr, from: IndexVar, to: IndexVar) {
    match e {
        Expr::Access(Access { indices, .. }) | Expr::Workspace(_, indices) => rename_in(indices, from, to),
        Expr::Unary(_, a) => rename_expr(a, from, to),
        Expr::Binary(_, a, b) => {
            rename_expr(a, from, to);
            rename_expr(b, from, to);
        }
        Expr::Literal(_) | Expr::Scalar(_) => {}
    }
}

fn rename_in(vars: &mut [IndexVar], from: IndexVar, to: IndexVar) {
    vars.iter_mut().filter(|v| **v == from).for_each(|v| *v = to);
}
