//! The loop around a statement whose operands or terms are gathered first.
//!
//! ```text
//! (∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j ∀i t0[i, j] = A[j, i])
//!     →   (∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j ∀i_t0 t0[i_t0, j] = A[j, i_t0])
//! ```
//!
//! The producer's loop gets a name of its own, so that the other one can be parallel.

use crate::cin::{Access, Cin, Expr, Stmt, Target, Workspace};
use crate::front::ast::IndexVar;

/// The first loop that goes over what the workspaces outside of it hold, and the same program in which no other loop has its
/// variable. None if it only copies what was gathered; nor after an array is filled, which has had most of the work.
pub(super) fn outermost(mut cin: Cin) -> Option<(Cin, IndexVar)> {
    let mut at = &cin.root;
    while let Stmt::Where { consumer, producer } = at {
        if !filled(producer).is_some_and(|w| cin.workspaces[w.0 as usize].format.is_sparse()) {
            return None;
        }
        at = consumer;
    }
    let Stmt::Forall { var, .. } = *at else { return None };
    if let (Stmt::Where { .. }, Stmt::Assign { rhs: Expr::Workspace(..), op: None, .. }) =
        (&cin.root, inside(at))
    {
        return None;
    }
    let mut root = cin.root.clone();
    let mut at = &mut root;
    while let Stmt::Where { consumer, producer } = at {
        if has(producer, var) {
            let name = own_name(&cin, var, filled(producer));
            let own = cin.provenance.rename(var, &name);
            rename(producer, var, own);
        }
        at = consumer;
    }
    cin.root = root;
    Some((cin, var))
}

fn inside(mut stmt: &Stmt) -> &Stmt {
    while let Stmt::Forall { body, .. } = stmt {
        stmt = body;
    }
    stmt
}

/// The workspace that a statement fills.
pub(super) fn filled(stmt: &Stmt) -> Option<Workspace> {
    match stmt {
        Stmt::Forall { body, .. } => filled(body),
        Stmt::Where { consumer, .. } => filled(consumer),
        Stmt::Assign { target: Target::Workspace(w, _), .. } => Some(*w),
        Stmt::Assign { .. } => None,
    }
}

/// A name that nothing else has.
fn own_name(cin: &Cin, v: IndexVar, w: Option<Workspace>) -> String {
    let suffix = w.map_or("", |w| &cin.workspaces[w.0 as usize].name);
    let mut name = format!("{}_{suffix}", cin.provenance.name(v));
    while cin.provenance.find(&name).is_some() {
        name.push('_');
    }
    name
}

fn has(stmt: &Stmt, v: IndexVar) -> bool {
    match stmt {
        Stmt::Forall { var, body } => *var == v || has(body, v),
        Stmt::Where { consumer, producer } => has(consumer, v) || has(producer, v),
        Stmt::Assign { .. } => false,
    }
}

fn rename(stmt: &mut Stmt, from: IndexVar, to: IndexVar) {
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
