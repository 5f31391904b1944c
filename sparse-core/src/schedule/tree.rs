//! Walks over a program's statements.

use crate::cin::{Expr, Stmt, Target};
use crate::front::ast::IndexVar;
use crate::scalar::Monoid;

/// The loops that stand directly inside each other, from the outermost.
pub(super) fn nest(s: &Stmt) -> Vec<IndexVar> {
    match s {
        Stmt::Forall { var, body } => [vec![*var], nest(body)].concat(),
        Stmt::Where { .. } | Stmt::Assign { .. } => vec![],
    }
}

/// Is there a loop over the variable?
pub(super) fn has_loop(s: &Stmt, v: IndexVar) -> bool {
    match s {
        Stmt::Forall { var, body } => *var == v || has_loop(body, v),
        Stmt::Where { consumer, producer } => has_loop(consumer, v) || has_loop(producer, v),
        Stmt::Assign { .. } => false,
    }
}

/// Calls `f` on each loop with its body, outer ones first, a consumer's before its producer's.
pub(super) fn for_each_loop<'a>(s: &'a Stmt, f: &mut impl FnMut(IndexVar, &'a Stmt)) {
    for_each_loop_within(s, &mut vec![], &mut |_, v, body| f(v, body));
}

/// Calls `f` on each loop with the loops around it, outermost first, and its body.
pub(super) fn for_each_loop_within<'a>(
    s: &'a Stmt,
    outside: &mut Vec<IndexVar>,
    f: &mut impl FnMut(&[IndexVar], IndexVar, &'a Stmt),
) {
    match s {
        Stmt::Forall { var, body } => {
            f(outside, *var, body);
            outside.push(*var);
            for_each_loop_within(body, outside, f);
            outside.pop();
        }
        Stmt::Where { consumer, producer } => {
            for_each_loop_within(consumer, outside, f);
            for_each_loop_within(producer, outside, f);
        }
        Stmt::Assign { .. } => {}
    }
}

/// An assignment, and the loops around it, outermost first.
pub(super) struct Assignment<'a> {
    pub(super) loops: &'a [IndexVar],
    pub(super) target: &'a Target,
    pub(super) op: Option<Monoid>,
    pub(super) rhs: &'a Expr,
}

/// Calls `f` on each assignment, a consumer's before its producer's. `outside` are the loops around the statement.
pub(super) fn for_each_assignment(s: &Stmt, outside: &mut Vec<IndexVar>, f: &mut impl FnMut(Assignment<'_>)) {
    match s {
        Stmt::Forall { var, body } => {
            outside.push(*var);
            for_each_assignment(body, outside, f);
            outside.pop();
        }
        Stmt::Where { consumer, producer } => {
            for_each_assignment(consumer, outside, f);
            for_each_assignment(producer, outside, f);
        }
        Stmt::Assign { target, op, rhs } => f(Assignment { loops: outside, target, op: *op, rhs }),
    }
}

/// Replaces each loop over a variable by a nest over others.
pub(super) fn replace_loop(s: Stmt, v: IndexVar, by: &[IndexVar]) -> Stmt {
    rewrite_loops(s, &|var, body| if var == v { Stmt::nest(by, body) } else { Stmt::nest(&[var], body) })
}

/// Rebuilds each loop, inner ones first, from its variable and its body.
pub(super) fn rewrite_loops(s: Stmt, f: &impl Fn(IndexVar, Stmt) -> Stmt) -> Stmt {
    match s {
        Stmt::Forall { var, body } => f(var, rewrite_loops(*body, f)),
        Stmt::Where { consumer, producer } => Stmt::Where {
            consumer: Box::new(rewrite_loops(*consumer, f)),
            producer: Box::new(rewrite_loops(*producer, f)),
        },
        assign @ Stmt::Assign { .. } => assign,
    }
}
