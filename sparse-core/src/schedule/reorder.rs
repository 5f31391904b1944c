//! `reorder(j, i, …)`: these loops, each directly inside another, in this order.
//!
//! ```text
//! ∀i ∀j body     →   ∀j ∀i body
//! ```
//!
//! Preconditions: the loops are directly nested. A `where` between two of them is a reduction of its own, and what
//! stands outside it does not distribute over it. Afterwards every operand's levels are reached from the root down, and
//! an assembled result is written in its order.

use super::tree::{for_each_loop, has_loop};
use super::{Checked, Scheduler, fail, order};
use crate::cin::Stmt;
use crate::front::ast::IndexVar;
use crate::front::command::Name;
use proc_macro2::Span;

pub(super) fn apply(s: &mut Scheduler<'_>, names: &[Name]) -> Checked {
    let mut vars = Vec::new();
    for name in names {
        let v = s.loop_over(name)?;
        if vars.contains(&v) {
            let message = format!("`{}` stands twice in the new order", name.text);
            return fail("duplicate-name", name.span, message, "name each loop once");
        }
        vars.push(v);
    }
    let mut whole = false;
    match rewrite(s.cin.root.clone(), &vars, &mut whole) {
        Some(root) if whole => s.cin.root = root,
        _ => return apart(s, names, &vars),
    }
    order::check(s, |v| {
        let leaves = s.cin.provenance.leaves(v);
        let at = vars.iter().position(|w| leaves.contains(w));
        at.map_or_else(|| names.first().map_or_else(Span::call_site, |n| n.span), |at| names[at].span)
    })
}

/// With every run of these loops in the new order. `None` if some of them are nested in others, but not directly.
fn rewrite(s: Stmt, order: &[IndexVar], whole: &mut bool) -> Option<Stmt> {
    Some(match s {
        Stmt::Forall { var, body } if order.contains(&var) => {
            let mut here = vec![var];
            let mut rest = *body;
            loop {
                match rest {
                    Stmt::Forall { var, body } if order.contains(&var) => {
                        here.push(var);
                        rest = *body;
                    }
                    other => {
                        rest = other;
                        break;
                    }
                }
            }
            if order.iter().any(|&v| has_loop(&rest, v)) {
                return None;
            }
            *whole |= here.len() == order.len();
            let sorted: Vec<_> = order.iter().copied().filter(|v| here.contains(v)).collect();
            Stmt::nest(&sorted, rest)
        }
        Stmt::Forall { var, body } => Stmt::nest(&[var], rewrite(*body, order, whole)?),
        Stmt::Where { consumer, producer } => Stmt::Where {
            consumer: Box::new(rewrite(*consumer, order, whole)?),
            producer: Box::new(rewrite(*producer, order, whole)?),
        },
        assign @ Stmt::Assign { .. } => assign,
    })
}

/// Why loops can't be reordered: which two of them stand apart, and what is between them.
fn apart(s: &Scheduler<'_>, names: &[Name], vars: &[IndexVar]) -> Checked {
    let mut found = None;
    for_each_loop(&s.cin.root, &mut |outer, body| {
        if !vars.contains(&outer) || found.is_some() {
            return;
        }
        let mut at = body;
        let mut between = Vec::new();
        loop {
            match at {
                Stmt::Forall { var, body } if vars.contains(var) && between.is_empty() => {
                    at = body;
                }
                Stmt::Forall { var, .. } if vars.contains(var) => {
                    found = Some((outer, *var, Some(between)));
                    return;
                }
                Stmt::Forall { var, body } => {
                    between.push(*var);
                    at = body;
                }
                inside => {
                    if let Some(&v) = vars.iter().find(|&&v| has_loop(inside, v)) {
                        found = Some((outer, v, None));
                    }
                    return;
                }
            }
        }
    });
    let span = |v| names.iter().zip(vars).find(|(_, w)| **w == v).map_or(names[0].span, |(n, _)| n.span);
    match found {
        Some((outer, inner, Some(between))) => {
            let between = s.list(&between);
            let message = format!(
                "the loops over `{}` and `{}` are not directly nested: {between} stands between them",
                s.name(outer),
                s.name(inner)
            );
            fail("not-adjacent", span(inner), message, format!("name {between} in the new order too"))
        }
        Some((outer, inner, None)) => {
            let (outer, inner_name) = (s.name(outer), s.name(inner));
            let message = format!(
                "the loops over `{outer}` and `{inner_name}` have a `where` between them: what is outside it would move into the reduction inside, over which it does not distribute"
            );
            let help = "reorder loops on one side of the `where`; `explain` shows where it stands";
            fail("reorder-reduction", span(inner), message, help)
        }
        None => {
            let message = "these loops are not all in one nest";
            fail("not-nested", names[0].span, message, "name loops of which each is directly inside another")
        }
    }
}
