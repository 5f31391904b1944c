//! Loops in which some cases do nothing but move on.
//!
//! `while p < p_end && q < q_end` asks both after every step, though a step moves one as a rule. Where a step is nothing
//! else, as in the intersection of two rows, that is half of the work, and the branches of all cases meet in one place,
//! where the processor can't tell them apart: asked by the cases, each what it has changed, they are 1.3 times as fast
//! on rows without a pattern. Where every case also writes, it does not pay.

use super::stmt::Stmts;
use crate::llir::walk::visit_stmts;
use crate::llir::{Cmp, Expr, Stmt, VarId};
use proc_macro2::TokenStream;
use quote::quote;

/// The loop, if it is one.
pub(super) fn emit(stmts: Stmts<'_>, cond: &Expr, body: &[Stmt]) -> Option<TokenStream> {
    let Some((cases @ Stmt::If { .. }, before)) = body.split_last() else { return None };
    let parts = parts(cond)?;
    let all = arms(cases)?;
    let moves = |block: &[Stmt]| matches!(block, [Stmt::Assign { .. }]);
    if changes(before, &parts).next().is_some() || !all.into_iter().any(moves) {
        return None;
    }
    let (before, cases) = (stmts.block(before), arm(stmts, cases, &parts));
    let cond = stmts.exprs.expr(cond);
    Some(quote!(if #cond { loop { #before #cases } }))
}

/// One part of the condition, `var < bound`.
struct Part<'a> {
    var: VarId,
    bound: &'a Expr,
}

/// A conjunction of comparisons between variables.
fn parts(cond: &Expr) -> Option<Vec<Part<'_>>> {
    match cond {
        Expr::And(a, b) => {
            let mut all = parts(a)?;
            all.extend(parts(b)?);
            Some(all)
        }
        Expr::Cmp(Cmp::Lt, a, bound) => match (&**a, &**bound) {
            (Expr::Var(var), Expr::Var(_)) => Some(vec![Part { var: *var, bound }]),
            _ => None,
        },
        _ => None,
    }
}

/// The cases' bodies, if one of them is always taken.
fn arms(cases: &Stmt) -> Option<Vec<&[Stmt]>> {
    match cases {
        Stmt::If { then, otherwise, .. } => {
            let mut all = vec![&then[..]];
            match &otherwise[..] {
                [] => return None,
                [next @ Stmt::If { .. }] => all.extend(arms(next)?),
                last => all.push(last),
            }
            Some(all)
        }
        _ => None,
    }
}

/// Which parts of the condition a block can change.
fn changes<'a>(block: &[Stmt], parts: &'a [Part<'a>]) -> impl Iterator<Item = &'a Part<'a>> {
    let mut assigned = vec![];
    visit_stmts(block, &mut |s| assigned.extend(s.assigned()));
    parts.iter().filter(move |p| assigned.iter().any(|v| *v == p.var || p.bound.mentions(*v)))
}

/// A case, which ends with the question that it raises, and those after it.
fn arm(stmts: Stmts<'_>, cases: &Stmt, parts: &[Part<'_>]) -> TokenStream {
    let ended = |block: &[Stmt]| {
        let over = changes(block, parts)
            .map(|p| Expr::Cmp(Cmp::Le, Box::new(p.bound.clone()), Box::new(Expr::Var(p.var))));
        let over = over.reduce(|a, b| Expr::Or(Box::new(a), Box::new(b)));
        let stop = over.map(|e| {
            let over = stmts.exprs.expr(&e);
            quote!(if #over { break; })
        });
        let block = stmts.block(block);
        quote!(#block #stop)
    };
    let Stmt::If { cond, then, otherwise } = cases else { return TokenStream::new() };
    let (cond, then) = (stmts.exprs.expr(cond), ended(then));
    match &otherwise[..] {
        [next @ Stmt::If { .. }] => {
            let rest = arm(stmts, next, parts);
            quote!(if #cond { #then } else #rest)
        }
        last => {
            let last = ended(last);
            quote!(if #cond { #then } else { #last })
        }
    }
}
