//! Loops over what a workspace gathered that only append it: whole runs of elements, copied at once.

use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::{BufferId, Expr, Space, Stmt, VarId};

/// What is appended to what.
struct Copy {
    from: BufferId,
    to: BufferId,
}

/// The copies that a loop from `lo` to `hi` makes, if it makes nothing else.
pub(super) fn emit(stmts: Stmts<'_>, var: VarId, lo: &Expr, hi: &Expr, body: &[Stmt]) -> Option<Tokens> {
    let copies = copies(stmts, var, body)?;
    let (lo, hi) = (stmts.exprs.expr(lo), stmts.exprs.expr(hi));
    let copies = copies.iter().map(|c| {
        let (from, to) = (stmts.names.buffer(c.from), stmts.names.buffer(c.to));
        quote!(#to.extend(#from, #lo..#hi);)
    });
    Some(copies.collect())
}

fn copies(stmts: Stmts<'_>, var: VarId, body: &[Stmt]) -> Option<Vec<Copy>> {
    let program = stmts.names.program;
    let element = |value: &Expr| match value {
        Expr::Load { buffer, index } if **index == Expr::Var(var) => {
            (program.buffer(*buffer).space == Space::Gathered).then_some(*buffer)
        }
        _ => None,
    };
    let (mut named, mut copies) = (vec![], Vec::<Copy>::new());
    for stmt in body {
        match stmt {
            Stmt::Let { var, value } => named.push((*var, element(value)?)),
            Stmt::Append { buffer: to, value } => {
                let from = match value {
                    Expr::Var(v) => named.iter().find(|(name, _)| name == v)?.1,
                    value => element(value)?,
                };
                let grows = !stmts.names.is_bounded(*to) && copies.iter().all(|c| c.to != *to);
                let alike = program.buffer(from).elem == program.buffer(*to).elem;
                (grows && alike).then(|| copies.push(Copy { from, to: *to }))?;
            }
            _ => return None,
        }
    }
    (!copies.is_empty()).then_some(copies)
}
