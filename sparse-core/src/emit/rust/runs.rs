//! Loops over what a workspace gathered that only append it: whole runs of elements, copied at once, or gathered where they
//! are appended.

use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use super::workspaces;
use crate::llir::walk::visit_exprs;
use crate::llir::{BufferId, Expr, Space, Stmt, VarId, WorkspaceFormat};

/// How many statements [`gathered`] has in view.
pub(super) const GATHERED: usize = 3;

/// What a block begins with, if that is a list that is gathered and appended, and not looked at after that.
pub(super) fn gathered(stmts: Stmts<'_>, block: &[Stmt]) -> Option<Tokens> {
    let (run, rest) = block.split_at_checked(GATHERED)?;
    let [Stmt::Gather(id), Stmt::Let { var: end, value: Expr::Len(counted) }, append] = run else {
        return None;
    };
    let workspace = stmts.names.program.workspace(*id);
    let ([crd], vals) = (&workspace.crd[..], workspace.vals) else { return None };
    let Stmt::For { var, lo: Expr::Index(0), hi, step: 1, body, .. } = append else { return None };
    let [mut to_crd, mut to_vals] = <[Copy; 2]>::try_from(copies(stmts, *var, body)?).ok()?;
    if to_crd.from == vals {
        std::mem::swap(&mut to_crd, &mut to_vals);
    }
    let mut used = false;
    visit_exprs(rest, &mut |e| {
        used |= e.is_var(*end) || e.buffer().is_some_and(|b| [*crd, vals].contains(&b));
    });
    let all = *hi == Expr::Var(*end)
        && [*crd, vals].contains(counted)
        && (to_crd.from, to_vals.from) == (*crd, vals)
        && workspace.format == WorkspaceFormat::List
        && !workspace.masked;
    (all && !used).then(|| workspaces::append(stmts.names, *id, to_crd.to, to_vals.to))
}

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
