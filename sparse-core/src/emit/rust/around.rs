//! Loops around partial sums, as those over the blocks of a block matrix's row: they keep what is summed side by side, and add it
//! up once, after the last block. To do so takes as long as several of a block's rows, which are few elements, or less than a vector:
//! what is left of vectors is taken by fours. So it is with several scalars or register arrays, of which a block of two or three
//! elements fills none.

use super::names::Names;
use super::partial::{Accumulator, Partial, is_position_loop};
use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Expr, LoopKind, Stmt};

/// The loop, around partial sums that all go into one total, which it does nothing with but add to.
pub(super) fn emit(stmts: Stmts<'_>, stmt: &Stmt) -> Option<Tokens> {
    let Stmt::For { kind: LoopKind::Serial, var, body, .. } = stmt else { return None };
    let in_positions = stmts.in_positions || is_position_loop(stmts.names.program, *var, body);
    let inner = summed(stmts.names, body, in_positions)?;
    let around = stmts.keeping(inner.accumulator).stmt(stmt);
    let (start, combine) = inner.kept(stmts);
    Some(quote!(#start #around #combine))
}

/// One of the sums.
fn summed<'a>(names: &Names<'_>, body: &'a [Stmt], in_positions: bool) -> Option<Partial<'a>> {
    let mut sums: Vec<Partial<'a>> = vec![];
    find(names, body, in_positions, &mut sums);
    let first = sums.first()?;
    let (total, op) = (first.accumulator, first.op);
    // Partial sums of other kinds, or totals, would be named alike.
    let mut fits = first.can_be_kept(in_positions) && sums.iter().all(|s| s.is_beside(first));
    visit_stmts(body, &mut |s| match (s, total) {
        (Stmt::Update { var, op: by, .. }, Accumulator::Var(total)) => fits &= *var != total || *by == op,
        (
            Stmt::Let { var, .. } | Stmt::Mut { var, .. } | Stmt::Assign { var, .. },
            Accumulator::Var(total),
        ) => {
            fits &= *var != total;
        }
        (Stmt::Reduce { buffer, op: by, .. }, Accumulator::Array(total)) => {
            fits &= *buffer != total || *by == op;
        }
        (Stmt::Threads { .. }, _) => fits = false,
        (s, Accumulator::Array(total)) => fits &= !s.buffers().contains(&total),
        _ => {}
    });
    visit_exprs(body, &mut |e| {
        fits &= match total {
            Accumulator::Var(total) => !e.is_var(total),
            Accumulator::Array(total) => !matches!(e, Expr::Load { buffer, .. } if *buffer == total),
        }
    });
    sums.into_iter().next().filter(|_| fits)
}

/// The loops over partial sums in a block, which may be inside a loop over stored entries.
fn find<'a>(names: &Names<'_>, block: &'a [Stmt], in_positions: bool, found: &mut Vec<Partial<'a>>) {
    for stmt in block {
        if let Some(partial) = Partial::of(names.program, &names.lets, stmt, in_positions) {
            found.push(partial);
            continue;
        }
        let over_positions =
            matches!(stmt, Stmt::For { var, body, .. } if is_position_loop(names.program, *var, body));
        for nested in stmt.blocks() {
            find(names, nested, in_positions || over_positions, found);
        }
    }
}
