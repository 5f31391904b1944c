//! Coordinates that only what comes after a loop needs are found after it.
//!
//! ```text
//! let i = crd[p]; for q in … { … }; y[i] = acc   →   for q in … { … }; let i = crd[p]; y[i] = acc
//! ```
//!
//! In a launch alone: a thread's registers decide how many others run beside it, and a compiler that is short of them in
//! the loop stores in memory what it could have looked up again.

use super::super::walk::{visit_exprs, visit_stmts};
use crate::llir::{Block, Expr, Program, Space, Step, Stmt};

/// Moves such declarations behind loops.
pub(super) fn sink(program: &mut Program) {
    let mut steps = std::mem::take(&mut program.steps);
    for step in &mut steps {
        if let Step::Launch(launch) = step {
            block(program, &mut launch.body);
        }
    }
    program.steps = steps;
}

fn block(program: &Program, stmts: &mut Block) {
    // The last first: what it needs may then follow it.
    for at in (0..stmts.len()).rev() {
        if let Some(to) = target(program, stmts, at) {
            let stmt = stmts.remove(at);
            stmts.insert(to - 1, stmt);
        }
    }
    stmts.iter_mut().for_each(|stmt| stmt.for_each_block_mut(&mut |nested| block(program, nested)));
}

/// Before which statement a declaration may stand as well, behind a loop.
fn target(program: &Program, stmts: &[Stmt], at: usize) -> Option<usize> {
    let Stmt::Let { var, value } = &stmts[at] else { return None };
    if !is_lookup(program, value) {
        return None;
    }
    let user = (at + 1..stmts.len()).find(|n| stmts[*n].mentions(*var))?;
    let between = &stmts[at + 1..user];
    let passes_loop = between.iter().any(|s| matches!(s, Stmt::For { .. } | Stmt::While { .. }));
    let mut changes = false;
    visit_stmts(between, &mut |s| changes |= s.assigned().is_some_and(|v| value.mentions(v)));
    // Remarks stay at what they are about.
    let remarks = between.iter().rev().take_while(|s| matches!(s, Stmt::Comment(_))).count();
    (passes_loop && !changes).then_some(user - remarks)
}

/// Is it found in arrays that the launch does not write?
fn is_lookup(program: &Program, value: &Expr) -> bool {
    let (mut looks, mut fixed) = (false, true);
    value.visit(&mut |e| {
        if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } = e {
            looks = true;
            fixed &= program.buffer(*buffer).space == Space::Input;
        }
    });
    looks && fixed
}

/// What is only handed on is not named: `let value = e; sum = value;` is `sum = e;`.
pub(super) fn hand_on(program: &mut Program) {
    for step in &mut program.steps {
        let Step::Launch(launch) = step else { continue };
        let mut reads = vec![0_usize; program.vars.len()];
        visit_exprs(&launch.body, &mut |e| {
            if let Expr::Var(v) = e {
                reads[v.index()] += 1;
            }
        });
        handed_on(&mut launch.body, &reads);
    }
}

fn handed_on(stmts: &mut Block, reads: &[usize]) {
    let mut at = 0;
    while at < stmts.len() {
        stmts[at].for_each_block_mut(&mut |nested| handed_on(nested, reads));
        if let [Stmt::Let { var, value }, Stmt::Assign { value: next, .. }, ..] = &mut stmts[at..]
            && next.is_var(*var)
            && reads[var.index()] == 1
        {
            *next = std::mem::replace(value, Expr::Cond(false));
            stmts.remove(at);
        } else {
            at += 1;
        }
    }
}
