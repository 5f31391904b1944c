//! The loop around a statement whose operands or terms are gathered first.
//!
//! ```text
//! (∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j ∀i t0[i, j] = A[j, i])
//!     →   (∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j ∀i_t0 t0[i_t0, j] = A[j, i_t0])
//! ```
//!
//! The producer's loop gets a name of its own, so that the other one can be parallel.

use crate::cin::{Cin, Expr, Stmt, Workspace};
use crate::front::ast::IndexVar;
use crate::schedule::tree::{filled, has_loop, rename};

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
        if has_loop(producer, var) {
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

/// A name that nothing else has.
fn own_name(cin: &Cin, v: IndexVar, w: Option<Workspace>) -> String {
    let suffix = w.map_or("", |w| &cin.workspaces[w.0 as usize].name);
    let mut name = format!("{}_{suffix}", cin.provenance.name(v));
    while cin.provenance.find(&name).is_some() {
        name.push('_');
    }
    name
}
