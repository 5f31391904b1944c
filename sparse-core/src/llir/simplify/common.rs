//! What all cases do to a variable is done once, before them or after.
//!
//! ```text
//! if j == k { n += 1; p += 1; q += 1 } else if j < k { n += 1; p += 1 } else { n += 1; q += 1 }
//!     →   n += 1; if j == k { p += 1; q += 1 } else if j < k { p += 1 } else { q += 1 }
//! ```
//!
//! Cases are all of a chain, the last of which is taken if no condition holds: an `else if` stays one. Assignments alone move, whose
//! values depend on variables alone, so that they pass what stores; and they pass nothing that reads or changes the same variables.
//!
//! They go before the cases where they can. After them they go in launches alone: on the host a loop that merges ends with its cases
//! (`emit::rust::merges`).

use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Block, Expr, Program, Step, Stmt, VarId};

/// Moves such assignments; says whether it did.
pub(super) fn common(program: &mut Program) -> bool {
    let mut changed = false;
    for step in &mut program.steps {
        let in_launch = matches!(step, Step::Launch(_));
        if let Some(block) = step.code_mut() {
            changed |= in_block(block, in_launch);
        }
    }
    changed
}

fn in_block(block: &mut Block, in_launch: bool) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < block.len() {
        let (mut conds, mut cases) = (vec![], vec![]);
        if chain(&mut block[at], &mut conds, &mut cases) {
            let before = moved_up(&mut cases, &conds);
            let after = if in_launch { moved_down(&mut cases) } else { vec![] };
            cases.into_iter().for_each(|case| changed |= in_block(case, in_launch));
            changed |= !before.is_empty() || !after.is_empty();
            let moved = before.len() + after.len();
            block.splice(at + 1..at + 1, after);
            block.splice(at..at, before);
            at += moved;
        } else {
            block[at].for_each_block_mut(&mut |nested| changed |= in_block(nested, in_launch));
        }
        at += 1;
    }
    changed
}

/// The conditions and the cases of a chain; gives whether one of these is always taken.
fn chain<'a>(stmt: &'a mut Stmt, conds: &mut Vec<Expr>, cases: &mut Vec<&'a mut Block>) -> bool {
    let Stmt::If { cond, then, otherwise } = stmt else { return false };
    conds.push(cond.clone());
    cases.push(then);
    match &mut otherwise[..] {
        [] => false,
        [Stmt::If { .. }] => chain(&mut otherwise[0], conds, cases),
        _ => {
            cases.push(otherwise);
            true
        }
    }
}

/// Takes out of all cases what goes before them.
fn moved_up(cases: &mut [&mut Block], conds: &[Expr]) -> Block {
    let mut moved = Block::new();
    let mut n = 0;
    let free = |var: &VarId| !conds.iter().any(|cond| cond.mentions(*var));
    while let Some(stmt) = cases[0].get(n) {
        // A case may be long: what cannot move is not copied.
        if movable(stmt).filter(free).is_none() {
            n += 1;
            continue;
        }
        let stmt = stmt.clone();
        let place = |case: &Block| {
            let at = case.iter().position(|s| *s == stmt)?;
            passes(&stmt, &case[..at]).then_some(at)
        };
        match take(cases, place) {
            Some(()) => moved.push(stmt),
            None => n += 1,
        }
    }
    moved
}

/// Takes out of all cases what goes after them.
fn moved_down(cases: &mut [&mut Block]) -> Block {
    let mut moved = Block::new();
    let mut n = cases[0].len();
    while n > 0 {
        n -= 1;
        if movable(&cases[0][n]).is_none() {
            continue;
        }
        let stmt = cases[0][n].clone();
        let place = |case: &Block| {
            let at = case.iter().rposition(|s| *s == stmt)?;
            passes(&stmt, &case[at + 1..]).then_some(at)
        };
        if take(cases, place).is_some() {
            moved.insert(0, stmt);
        }
    }
    moved
}

/// Removes a statement from all cases if it has a place in each.
fn take(cases: &mut [&mut Block], place: impl Fn(&Block) -> Option<usize>) -> Option<()> {
    let places = cases.iter().map(|case| place(case)).collect::<Option<Vec<_>>>()?;
    for (case, at) in cases.iter_mut().zip(places) {
        case.remove(at);
    }
    Some(())
}

/// The variable that a statement assigns a value to, if that depends on variables alone.
fn movable(stmt: &Stmt) -> Option<VarId> {
    let Stmt::Assign { var, value } = stmt else { return None };
    let mut reads = false;
    value.visit(&mut |e| reads |= matches!(e, Expr::Load { .. } | Expr::Len(_) | Expr::Search { .. }));
    (!reads).then_some(*var)
}

/// May an assignment come on the other side of statements?
fn passes(stmt: &Stmt, others: &[Stmt]) -> bool {
    let Stmt::Assign { var, value } = stmt else { return false };
    let mut apart = true;
    visit_exprs(others, &mut |e| apart &= !e.is_var(*var));
    visit_stmts(others, &mut |s| {
        let changed = s.assigned().into_iter().chain(s.declared());
        apart &= changed.into_iter().all(|other| other != *var && !value.mentions(other));
        apart &= !matches!(s, Stmt::Exit);
    });
    apart
}
