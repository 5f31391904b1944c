//! Loops and branches that do nothing, or whose conditions are known.

use super::fold::not;
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, LoopKind, Program, Stmt, Var};
use std::collections::BTreeSet;

/// Removes, splices and turns around; says whether it did.
pub(super) fn control(program: &mut Program) -> bool {
    let Program { steps, vars, .. } = program;
    let mut changed = false;
    for step in steps {
        if let Some(block) = step.code_mut() {
            changed |= clean(block, vars);
        }
    }
    changed
}

/// Does the block do nothing?
fn is_idle(block: &Block) -> bool {
    block.iter().all(|s| matches!(s, Stmt::Comment(_)))
}

/// Has the range no element, whatever the variables are?
fn is_empty(lo: &Expr, hi: &Expr) -> bool {
    lo == hi || matches!((lo, hi), (Expr::Index(lo), Expr::Index(hi)) if lo >= hi)
}

fn clean(block: &mut Block, vars: &[Var]) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < block.len() {
        block[at].for_each_block_mut(&mut |nested| changed |= clean(nested, vars));
        match &mut block[at] {
            Stmt::For { lo, hi, body, .. } | Stmt::Threads { lo, hi, body, .. }
                if is_empty(lo, hi) || is_idle(body) =>
            {
                block.remove(at);
                changed = true;
                continue;
            }
            Stmt::For { kind: kind @ LoopKind::Unroll(1), .. } => {
                *kind = LoopKind::Serial;
                changed = true;
            }
            // A program ends: an idle loop's condition is false.
            Stmt::While { cond, body } if *cond == Expr::Cond(false) || is_idle(body) => {
                block.remove(at);
                changed = true;
                continue;
            }
            Stmt::If { cond, then, otherwise } => {
                if is_idle(then) && is_idle(otherwise) {
                    block.remove(at);
                    changed = true;
                    continue;
                }
                if let Expr::Cond(c) = cond {
                    let taken = std::mem::take(if *c { then } else { otherwise });
                    changed |= splice(block, at, taken, vars);
                } else if is_idle(then) {
                    *cond = not(std::mem::replace(cond, Expr::Cond(false)));
                    *then = std::mem::take(otherwise);
                    changed = true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    changed
}

/// Puts the taken branch of the `if` at a place in its stead, unless a name that it declares is declared again
/// later in the enclosing block: then it stays the only branch.
fn splice(block: &mut Block, at: usize, taken: Block, vars: &[Var]) -> bool {
    let mut later = BTreeSet::new();
    visit_stmts(&block[at + 1..], &mut |s| later.extend(s.declared().map(|v| vars[v.index()].name.as_str())));
    let collides = taken
        .iter()
        .filter(|s| s.blocks().is_empty())
        .flat_map(|s| s.declared())
        .any(|v| later.contains(vars[v.index()].name.as_str()));
    if collides {
        let unchanged =
            matches!(&block[at], Stmt::If { cond: Expr::Cond(true), otherwise, .. } if otherwise.is_empty());
        block[at] = Stmt::If { cond: Expr::Cond(true), then: taken, otherwise: vec![] };
        return !unchanged;
    }
    block.splice(at..=at, taken);
    true
}
