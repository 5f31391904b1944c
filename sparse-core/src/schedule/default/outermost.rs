//! The loop around a statement whose operands or terms are gathered first.
//!
//! ```text
//! (∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])
//!  ↑
//! ```

use crate::cin::copies::gathered;
use crate::cin::{Cin, Stmt, WorkspaceDecl};
use crate::front::ast::IndexVar;

/// The first loop that goes over what the workspaces outside of it hold. None if it only copies what was gathered; nor after an
/// array is filled that has as many dimensions as there are loops, which has had most of the work, unless its loop is shared too.
pub(super) fn outermost(cin: &Cin) -> Option<IndexVar> {
    let is_alone = |w: &WorkspaceDecl| !w.format.is_sparse() && w.rows.is_none();
    if cin.outside().any(|(_, w)| is_alone(w) && w.vars.len() >= loops(&cin.root)) {
        return None;
    }
    let mut at = &cin.root;
    while let Stmt::Where { consumer, .. } = at {
        at = consumer;
    }
    let Stmt::Forall { var, .. } = *at else { return None };
    gathered(cin).is_none().then_some(var)
}

/// How many loops stand around the statement.
fn loops(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::Forall { body, .. } => 1 + loops(body),
        Stmt::Where { consumer, .. } => loops(consumer),
        Stmt::Assign { .. } => 0,
    }
}
