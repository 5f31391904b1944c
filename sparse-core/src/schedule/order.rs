//! The orders that storage asks of loops: levels of operands from the root down, entries of an assembled result one
//! after another.

use super::tree::for_each_assignment;
use super::{Checked, Scheduler, fail};
use crate::cin::order::level_vars;
use crate::cin::result::ResultKind;
use crate::cin::verify::discordant_level;
use crate::cin::{Access, Target};
use crate::front::ast::IndexVar;
use proc_macro2::Span;

/// Can every operand be walked, and an assembled result written in order? `span` is the token to blame for a
/// variable's place.
pub(super) fn check(s: &Scheduler<'_>, span: impl Fn(IndexVar) -> Span) -> Checked {
    let mut broken = None;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        a.rhs.for_each_access(&mut |access| {
            let found = discordant_level(&s.cin, s.kernel, access, a.loops);
            if let (Some(found), None) = (found, &broken) {
                broken = Some((access.clone(), found));
            }
        });
    });
    if let Some((access, found)) = broken {
        let t = &s.kernel.tensors[access.tensor.index()];
        let vars = level_vars(&t.spec, &access);
        let (first, then) = (vars[found.first], vars[found.then]);
        return fail(
            "level-order",
            span(then),
            format!(
                "`{}` stores `{}` below `{}`, in a {} level: it can't be reached before `{}` is known",
                t.name,
                s.name(then),
                s.name(first),
                t.spec.levels[found.then],
                s.name(first)
            ),
            format!(
                "keep the loops over {} outside those over {}, or store `{}` in another mode order",
                s.list(&s.cin.provenance.leaves(first)),
                s.list(&s.cin.provenance.leaves(then)),
                t.name
            ),
        );
    }
    check_result(s, span)
}

fn check_result(s: &Scheduler<'_>, span: impl Fn(IndexVar) -> Span) -> Checked {
    if s.result != ResultKind::Append {
        return Ok(());
    }
    let mut broken = None;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        if let Target::Tensor(lhs) = a.target
            && broken.is_none()
        {
            broken = disorder(s, lhs, a.loops);
        }
    });
    let Some(v) = broken else { return Ok(()) };
    let t = &s.kernel.tensors[s.kernel.assignment.lhs.tensor.index()];
    let vars = level_vars(
        &t.spec,
        &crate::cin::Access {
            tensor: s.kernel.assignment.lhs.tensor,
            indices: s.kernel.assignment.lhs.indices.clone(),
        },
    );
    fail(
        "result-order",
        span(v),
        format!(
            "the entries of `{}` are assembled in the order of {}, with reductions inside: the loop over `{}` would break it",
            t.name,
            s.list(&vars),
            s.name(v)
        ),
        "keep that order, or return a tensor whose levels are all dense",
    )
}

/// A loop that is not in the order of the written levels.
fn disorder(s: &Scheduler<'_>, lhs: &Access, loops: &[IndexVar]) -> Option<IndexVar> {
    let p = &s.cin.provenance;
    let vars = level_vars(&s.kernel.tensors[lhs.tensor.index()].spec, lhs);
    let mut written: Vec<IndexVar> = Vec::new();
    for leaf in vars.iter().flat_map(|&v| p.leaves(v)) {
        if !written.contains(&leaf) {
            written.push(leaf);
        }
    }
    let mixed = |v: IndexVar| p.roots(v).iter().any(|r| !vars.contains(r));
    let wrong = loops.iter().zip(&written).find(|(have, want)| have != want).map(|(have, _)| *have);
    wrong.or_else(|| written.into_iter().find(|&v| mixed(v)))
}
