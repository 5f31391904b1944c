//! A loop that counts from 0, of which each iteration needs where it is, starts where it is.
//!
//! ```text
//! for n in 0..end - begin { let i = begin + n; y[i] = x[i] }   →   for i in begin..end { y[i] = x[i] }
//! ```

use super::super::walk::{visit_exprs, visit_stmts};
use crate::llir::{Block, Expr, IndexOp, Program, Stmt, VarId};

/// Moves the ranges of such loops.
pub(super) fn rebase(program: &mut Program) {
    program.steps.iter_mut().filter_map(|step| step.code_mut()).for_each(block);
}

fn block(stmts: &mut Block) {
    for stmt in stmts {
        stmt.for_each_block_mut(&mut block);
        let Stmt::For { var, lo, hi, body, .. } = stmt else { continue };
        let Expr::IndexOp(IndexOp::Sub, end, begin) = hi else { continue };
        if *lo != Expr::Index(0) || !matches!(**begin, Expr::Var(_) | Expr::Index(_)) {
            continue;
        }
        if let Some((at, place)) = place(body, *var, begin) {
            body.remove(at);
            *var = place;
            let (begin, end) = (
                std::mem::replace(&mut **begin, Expr::Index(0)),
                std::mem::replace(&mut **end, Expr::Index(0)),
            );
            (*lo, *hi) = (begin, end);
        }
    }
}

/// The declaration of `begin + n`, if that is all that `n` is for, and `begin` stays what it is.
fn place(body: &Block, n: VarId, begin: &Expr) -> Option<(usize, VarId)> {
    let is_place = |e: &Expr| matches!(e, Expr::IndexOp(IndexOp::Add, a, b) if **a == *begin && b.is_var(n) || **b == *begin && a.is_var(n));
    let found = body.iter().enumerate().find_map(|(at, s)| match s {
        Stmt::Let { var, value } if is_place(value) => Some((at, *var)),
        _ => None,
    })?;
    let mut uses = 0;
    visit_exprs(body, &mut |e| uses += usize::from(e.is_var(n)));
    let mut changes = false;
    visit_stmts(body, &mut |s| changes |= s.assigned().is_some_and(|var| begin.mentions(var)));
    (uses == 1 && !changes).then_some(found)
}
