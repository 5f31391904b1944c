//! Loops around sums of vectors, as those over the blocks of a block matrix's row: they keep the vector of partial sums, and add up
//! its elements once, after the last block. To do so takes as long as several vectors, and a block's rows are few, or less than one: what is left of
//! them is taken by fours.

use super::names::Names;
use super::partial::{Accumulator, Partial};
use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{LoopKind, Stmt, VarId};
use crate::scalar::Monoid;

/// The loop, around sums of vectors that all go into one total, which it does nothing with but add to.
pub(super) fn emit(stmts: Stmts<'_>, stmt: &Stmt) -> Option<Tokens> {
    let Stmt::For { kind: LoopKind::Serial, body, .. } = stmt else { return None };
    let (total, inner) = summed(stmts.names, body)?;
    let (partial, fours, isa) = (&stmts.names.partial, &stmts.names.fours, &stmts.names.isa);
    let zero = inner.zero();
    let around = stmts.keeping(total).stmt(stmt);
    let combine = inner.sum_up(stmts, quote!(#partial.sum() + #fours.sum()));
    Some(quote! {
        let mut #partial = #isa.splat(-#zero);
        let mut #fours = #isa.four(-#zero);
        #around
        #combine
    })
}

/// The total, and one of the sums.
fn summed<'a>(names: &Names<'_>, body: &'a [Stmt]) -> Option<(VarId, Partial<'a>)> {
    let mut sums: Vec<Partial<'a>> = vec![];
    visit_stmts(body, &mut |s| sums.extend(Partial::of(names.program, &names.lets, s, false)));
    let Accumulator::Var(total) = sums.first()?.accumulator else { return None };
    // Partial sums of other kinds, or totals, would be named alike.
    let mut fits =
        sums.iter().all(|s| s.accumulator == Accumulator::Var(total) && s.vector_end().is_some() && s.adds());
    visit_stmts(body, &mut |s| match s {
        Stmt::Update { var, op, .. } => fits &= *var != total || *op == Monoid::Add,
        Stmt::Let { var, .. } | Stmt::Mut { var, .. } | Stmt::Assign { var, .. } => fits &= *var != total,
        Stmt::Threads { .. } => fits = false,
        _ => {}
    });
    visit_exprs(body, &mut |e| fits &= !e.is_var(total));
    let first = sums.into_iter().next().filter(|_| fits)?;
    Some((total, first))
}
