//! Loops that merge: `while p < p_end && q < q_end`, by cases.
//!
//! Half of their time goes into branches that the processor foresees wrongly, and how well it does depends on where they
//! lie: the same instructions took 1.35 times as long in f32 as in f64. So these loops begin at a cache line.
//!
//! Where some case does nothing but move on, as in the intersection of two rows, every case asks what it has changed
//! itself: fewer questions, and branches that the processor can tell apart, 1.3 times as fast on rows without a
//! pattern. Where every case also writes, that does not pay.

use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::walk::visit_stmts;
use crate::llir::{Cmp, Expr, Stmt, VarId};

/// The loop, if it is one.
pub(super) fn emit(stmts: Stmts<'_>, cond: &Expr, body: &[Stmt]) -> Option<Tokens> {
    let (cases, before) = body.split_last()?;
    let (parts, arms) = (parts(cond)?, arms(cases)?);
    if changes(before, &parts).next().is_some() {
        return None;
    }
    let moves = |block: &&[Stmt]| matches!(block, [Stmt::Assign { .. }]);
    let body = if arms.iter().any(moves) {
        let (before, cases) = (stmts.block(before), arm(stmts, cases, &parts));
        quote!(#before #cases)
    } else {
        let (body, stop) = (stmts.block(body), stop(stmts, parts.iter()));
        quote!(#body #stop)
    };
    let cond = stmts.exprs.expr(cond);
    Some(quote! {
        if #cond {
            rt::align();
            loop { #body }
        }
    })
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

/// Leaves the loop if one of these parts of its condition does not hold.
fn stop<'a>(stmts: Stmts<'_>, parts: impl Iterator<Item = &'a Part<'a>>) -> Tokens {
    let over = parts.map(|p| Expr::Cmp(Cmp::Le, Box::new(p.bound.clone()), Box::new(Expr::Var(p.var))));
    match over.reduce(|a, b| Expr::Or(Box::new(a), Box::new(b))) {
        None => Tokens::new(),
        Some(over) => {
            let over = stmts.exprs.expr(&over);
            quote!(if #over { break; })
        }
    }
}

/// A case, which ends with the question that it raises, and those after it.
fn arm(stmts: Stmts<'_>, cases: &Stmt, parts: &[Part<'_>]) -> Tokens {
    let ended = |block: &[Stmt]| {
        let stop = stop(stmts, changes(block, parts));
        let block = stmts.block(block);
        quote!(#block #stop)
    };
    let Stmt::If { cond, then, otherwise } = cases else { return Tokens::new() };
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
