//! Loops that merge: `while p < p_end && q < q_end`, by cases.
//!
//! Half of their time goes into branches that the processor foresees wrongly. It foresees a branch by those taken before it,
//! so that a loop wants few of them, and each where it can be told apart: every case asks itself whether what it has moved is
//! at its end, and goes on from there. One question for all of them at the bottom cost the sum of two matrices a quarter
//! to a third of its speed. Where the code lies matters too: begun 16 bytes into a cache line, the same loop took 1.1 to 1.4
//! times as long, so that all begin with one.
//!
//! The Rust compiler would make loops within the loop of cases that leave a position as it is. Where such a case does
//! nothing but move on, as in the intersection of two rows, they are what an author writes, `while j < k`. Where it also
//! writes, they take the registers, and an entry or two ends them: positions that a case leaves alone are hidden from the
//! compiler there.

use super::quote::{Tokens, quote};
use super::stmt::Stmts;
use crate::llir::walk::visit_stmts;
use crate::llir::{Cmp, Expr, Stmt, VarId};

/// The loop, if it is one.
pub(super) fn emit(stmts: Stmts<'_>, cond: &Expr, body: &[Stmt]) -> Option<Tokens> {
    let (cases, before) = body.split_last()?;
    let (parts, arms) = (parts(cond)?, arms(cases)?);
    if parts.iter().any(|p| p.changes_in(before)) {
        return None;
    }
    let moves = |block: &&[Stmt]| matches!(block, [Stmt::Assign { .. }]);
    let inner = arms.iter().any(moves);
    let (before, cases) = (stmts.block(before), Cases { stmts, parts, inner }.arm(cases));
    let cond = stmts.exprs.expr(cond);
    Some(quote! {
        if #cond {
            rt::align();
            loop { #before #cases }
        }
    })
}

/// One part of the condition, `var < bound`.
struct Part<'a> {
    var: VarId,
    bound: &'a Expr,
}

impl Part<'_> {
    /// Can a block change it?
    fn changes_in(&self, block: &[Stmt]) -> bool {
        let mut changes = false;
        visit_stmts(block, &mut |s| {
            changes |= s.assigned().is_some_and(|v| v == self.var || self.bound.mentions(v))
        });
        changes
    }
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

/// How the cases of a loop end.
struct Cases<'a> {
    stmts: Stmts<'a>,
    /// The condition of the loop.
    parts: Vec<Part<'a>>,
    /// May the Rust compiler make loops of single cases?
    inner: bool,
}

impl Cases<'_> {
    /// A case, and those after it.
    fn arm(&self, cases: &Stmt) -> Tokens {
        let Stmt::If { cond, then, otherwise } = cases else { return Tokens::new() };
        let (cond, then) = (self.stmts.exprs.expr(cond), self.ended(then));
        match &otherwise[..] {
            [next @ Stmt::If { .. }] => {
                let rest = self.arm(next);
                quote!(if #cond { #then } else #rest)
            }
            last => {
                let last = self.ended(last);
                quote!(if #cond { #then } else { #last })
            }
        }
    }

    /// A case, which ends with the question that it raises.
    fn ended(&self, block: &[Stmt]) -> Tokens {
        let (moved, left): (Vec<_>, Vec<_>) = self.parts.iter().partition(|p| p.changes_in(block));
        let stop = self.stop(&moved);
        let block = self.stmts.block(block);
        let mut hidden = Tokens::new();
        for part in left.iter().filter(|_| !self.inner) {
            let position = self.stmts.exprs.expr(&Expr::Var(part.var));
            hidden = quote!(#hidden #position = rt::unforeseen(#position););
        }
        quote!(#block #hidden #stop)
    }

    /// Leaves the loop if one of these parts of its condition does not hold.
    fn stop(&self, parts: &[&Part<'_>]) -> Tokens {
        let over =
            parts.iter().map(|p| Expr::Cmp(Cmp::Le, Box::new(p.bound.clone()), Box::new(Expr::Var(p.var))));
        match over.reduce(|a, b| Expr::Or(Box::new(a), Box::new(b))) {
            None => Tokens::new(),
            Some(over) => {
                let over = self.stmts.exprs.expr(&over);
                quote!(if #over { break; })
            }
        }
    }
}
