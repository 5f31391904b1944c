//! Where an expression stands in the program: itself, or among the factors of a product or the terms of a sum.

use super::Request;
use crate::cin::{Access, Expr, Provenance, Stmt, Target, terms};
use crate::front::ast::{self, IndexVar};
use crate::scalar::{BinaryOp, Monoid};
use crate::schedule::{Checked, Scheduler, fail};

/// From a statement to one inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Body,
    Consumer,
    Producer,
}

/// The assignment with the expression.
pub(super) struct Site {
    pub(super) path: Vec<Turn>,
    /// The loops on the path, with their places in it.
    pub(super) loops: Vec<(usize, IndexVar)>,
    pub(super) target: Target,
    pub(super) op: Option<Monoid>,
    /// The expression as it stands there.
    pub(super) found: Expr,
    /// The right-hand side with the workspace in its place.
    pub(super) rest: Expr,
}

/// The first assignment that has the expression inside loops over all the variables, or else the first that has it.
pub(super) fn find(
    s: &Scheduler<'_>,
    pattern: &Expr,
    hole: &Expr,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked<Site> {
    let mut sites = Vec::new();
    let search = Search { provenance: &s.cin.provenance, pattern, hole };
    search.collect(&s.cin.root, &mut vec![], &mut vec![], &mut sites);
    let suits = |site: &Site| {
        let loops: Vec<_> = site.loops.iter().map(|&(_, v)| v).collect();
        vars.iter().all(|&v| s.cin.provenance.depth(v, &loops).is_some())
    };
    let best = sites.iter().position(suits).unwrap_or(0);
    match sites.into_iter().nth(best) {
        Some(site) => Ok(site),
        None if terms::plain(&s.kernel.assignment.rhs).any(&|e| e == pattern) => fail(
            "precompute-not-found",
            request.span,
            format!(
                "`{}` has a sum of its own, which is computed before what stands around it",
                ast::print(s.kernel, request.expr)
            ),
            "precompute that sum, or a part of it: `explain` shows the loops that it has",
        ),
        None => fail(
            "precompute-not-found",
            request.span,
            format!("`{}` is not a part of the statement", ast::print(s.kernel, request.expr)),
            "write a subexpression as the statement has it, or some factors of a product, or some terms of a sum",
        ),
    }
}

struct Search<'a> {
    provenance: &'a Provenance,
    pattern: &'a Expr,
    hole: &'a Expr,
}

impl Search<'_> {
    fn collect(
        &self,
        s: &Stmt,
        path: &mut Vec<Turn>,
        loops: &mut Vec<(usize, IndexVar)>,
        sites: &mut Vec<Site>,
    ) {
        let mut go = |turn, s: &Stmt, loops: &mut Vec<_>| {
            path.push(turn);
            self.collect(s, path, loops, sites);
            path.pop();
        };
        match s {
            Stmt::Forall { var, body } => {
                loops.push((path.len(), *var));
                path.push(Turn::Body);
                self.collect(body, path, loops, sites);
                path.pop();
                loops.pop();
            }
            Stmt::Where { consumer, producer } => {
                go(Turn::Consumer, consumer, loops);
                go(Turn::Producer, producer, loops);
            }
            Stmt::Assign { target, op, rhs } => {
                let mut found = None;
                let rest = self.replace(rhs, &mut found);
                if let Some(found) = found {
                    let (path, loops) = (path.clone(), loops.clone());
                    sites.push(Site { path, loops, target: target.clone(), op: *op, found, rest });
                }
            }
        }
    }

    /// With the workspace in place of every occurrence; `found` is the first.
    fn replace(&self, e: &Expr, found: &mut Option<Expr>) -> Expr {
        if let Some((part, rest)) = self.here(e)
            && found.as_ref().is_none_or(|f| *f == part)
        {
            *found = Some(part);
            return rest;
        }
        match e {
            Expr::Unary(op, a) => Expr::Unary(*op, Box::new(self.replace(a, found))),
            Expr::Binary(op, a, b) => {
                let a = self.replace(a, found);
                Expr::Binary(*op, Box::new(a), Box::new(self.replace(b, found)))
            }
            leaf => leaf.clone(),
        }
    }

    /// The pattern at the root of an expression, and what the expression becomes.
    fn here(&self, e: &Expr) -> Option<(Expr, Expr)> {
        if self.same(e, self.pattern) {
            return Some((e.clone(), self.hole.clone()));
        }
        let (Expr::Binary(op, ..), Expr::Binary(wanted, ..)) = (e, self.pattern) else { return None };
        let op = op.joining()?;
        if wanted.joining() != Some(op) {
            return None;
        }
        let (args, parts) = (op.arguments(e, &Expr::binary), op.arguments(self.pattern, &Expr::binary));
        if parts.len() < 2 || parts.len() > args.len() {
            return None;
        }
        let mut taken = Vec::new();
        for (negative, part) in &parts {
            let at = (0..args.len())
                .find(|&k| !taken.contains(&k) && args[k].0 == *negative && self.same(args[k].1, part))?;
            taken.push(at);
        }
        taken.sort_unstable();
        let part = rebuild(op, taken.iter().map(|&k| (args[k].0, args[k].1.clone())))?;
        let hole = |k: usize| (k == taken[0]).then(|| (false, self.hole.clone()));
        let rest = (0..args.len())
            .filter_map(|k| if taken.contains(&k) { hole(k) } else { Some((args[k].0, args[k].1.clone())) });
        Some((part, rebuild(op, rest)?))
    }

    /// Equal, but for new names of the variables?
    fn same(&self, e: &Expr, pattern: &Expr) -> bool {
        match (e, pattern) {
            (Expr::Access(a), Expr::Access(b)) => self.same_access(a, b),
            (Expr::Unary(o, a), Expr::Unary(p, b)) => o == p && self.same(a, b),
            (Expr::Binary(o, a, b), Expr::Binary(p, c, d)) => o == p && self.same(a, c) && self.same(b, d),
            (e, pattern) => e == pattern,
        }
    }

    fn same_access(&self, a: &Access, b: &Access) -> bool {
        let original = a.indices.iter().map(|&v| self.provenance.original(v));
        a.tensor == b.tensor && original.eq(b.indices.iter().copied())
    }
}

/// The expression of arguments; `None` if the first is subtracted.
fn rebuild(op: BinaryOp, args: impl Iterator<Item = (bool, Expr)>) -> Option<Expr> {
    args.fold(None, |sum: Option<Option<Expr>>, (negative, e)| match sum {
        None => Some((!negative).then_some(e)),
        Some(sum) => Some(sum.map(|sum| {
            let op = if negative { BinaryOp::Sub } else { op };
            Expr::Binary(op, Box::new(sum), Box::new(e))
        })),
    })?
}

/// The program with the statement at a path changed.
pub(super) fn edit(s: Stmt, path: &[Turn], f: &mut impl FnMut(Stmt) -> Stmt) -> Stmt {
    let Some((turn, rest)) = path.split_first() else { return f(s) };
    match (s, turn) {
        (Stmt::Forall { var, body }, _) => Stmt::Forall { var, body: Box::new(edit(*body, rest, f)) },
        (Stmt::Where { consumer, producer }, Turn::Producer) => {
            Stmt::Where { consumer, producer: Box::new(edit(*producer, rest, f)) }
        }
        (Stmt::Where { consumer, producer }, _) => {
            Stmt::Where { consumer: Box::new(edit(*consumer, rest, f)), producer }
        }
        (assign @ Stmt::Assign { .. }, _) => assign,
    }
}
