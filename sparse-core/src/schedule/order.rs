//! The orders that storage asks of loops: levels of operands and of sparse workspaces from the root down, entries of an
//! assembled result one after another.

use super::tree::for_each_assignment;
use super::{Checked, Scheduler, fail};
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::ResultKind;
use crate::cin::single::singles;
use crate::cin::verify::discordant_level;
use crate::cin::{Access, Target, Workspace};
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
    check_workspaces(s, &span)?;
    check_coordinates(s, &span)?;
    check_result(s, span)
}

/// What a sparse workspace holds is read in the order of its dimensions: it is one list, sorted by them.
fn check_workspaces(s: &Scheduler<'_>, span: impl Fn(IndexVar) -> Span) -> Checked {
    let p = &s.cin.provenance;
    let mut broken = None;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        let late = |vars: &[IndexVar]| {
            let inside = |pair: &&[IndexVar]| p.depth(pair[0], a.loops) > p.depth(pair[1], a.loops);
            vars.windows(2).find(inside).map(|pair| (pair[0], pair[1]))
        };
        let is_sparse = |w: Workspace| s.cin.workspaces[w.index()].format.is_sparse();
        let read = a.rhs.workspace(&|w, read| is_sparse(w) && late(read).is_some());
        if let (Some((w, read)), None) = (read, &broken) {
            let mut ordered = read.to_vec();
            ordered.sort_by_key(|v| p.depth(*v, a.loops));
            broken = late(read).map(|pair| (w, pair, ordered));
        }
    });
    let Some((w, (first, then), ordered)) = broken else { return Ok(()) };
    let w = &s.cin.workspaces[w.index()];
    fail(
        "level-order",
        span(then),
        format!(
            "`{}` stores `{}` below `{}`, in a sparse workspace: it can't be reached before `{}` is known",
            w.name,
            s.name(then),
            s.name(first),
            s.name(first)
        ),
        format!("name its variables in the order of the loops that read it: {}", s.list(&ordered)),
    )
}

/// The coordinates that a part of some positions spans are known where that part is: inside the loops over the outer
/// parts.
fn check_coordinates(s: &Scheduler<'_>, span: impl Fn(IndexVar) -> Span) -> Checked {
    let p = &s.cin.provenance;
    let mut broken = None;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        for r in p.relations() {
            let Relation::Coord { pos, coord } = *r else { continue };
            let Some(at) = p.first_depth(coord, a.loops) else { continue };
            let outside = |outer: &IndexVar| p.depth(*outer, a.loops).is_some_and(|d| d < at);
            if let Some(outer) = outer_parts(s, pos).into_iter().find(|o| !outside(o)) {
                broken.get_or_insert((coord, outer));
            }
        }
    });
    let Some((coord, outer)) = broken else { return Ok(()) };
    fail(
        "coord-order",
        span(coord),
        format!(
            "the coordinates `{}` are those between two positions, which are not known before `{}` is",
            s.name(coord),
            s.name(outer)
        ),
        format!("keep the loops over {} outside", s.list(&p.leaves(outer))),
    )
}

/// The outer parts of the splits that a part of positions is the inner part of.
fn outer_parts(s: &Scheduler<'_>, v: IndexVar) -> Vec<IndexVar> {
    let mut parts = Vec::new();
    let mut at = v;
    while let Some(&Relation::Split { parent, outer, .. }) = s.cin.provenance.made_by(at) {
        parts.push(outer);
        at = parent;
    }
    parts
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
    let lhs = &s.kernel.assignment.lhs;
    let t = &s.kernel.tensors[lhs.tensor.index()];
    let lhs = Access { tensor: lhs.tensor, indices: lhs.indices.clone() };
    let vars = appended(s, &lhs);
    let inside = match lhs.indices.len() - vars.len() {
        0 if s.kernel.vars.len() == vars.len() => "",
        0 => ", with reductions inside",
        _ => ", with all others inside",
    };
    fail(
        "result-order",
        span(v),
        format!(
            "the entries of `{}` are assembled by loops over {} in this order{inside}: the loop over `{}` would break it",
            t.name,
            s.list(&vars),
            s.name(v)
        ),
        "keep that order, or return a tensor whose levels are all dense",
    )
}

/// The variables of the levels that are written in order: all but the dense ones at the leaves, of which a block is there before
/// anything is written into it.
fn appended(s: &Scheduler<'_>, lhs: &Access) -> Vec<IndexVar> {
    let spec = &s.kernel.tensors[lhs.tensor.index()].spec;
    let mut vars = level_vars(spec, lhs);
    vars.truncate(vars.len() - spec.block_levels());
    vars
}

/// A loop that is not in the order of the written levels.
fn disorder(s: &Scheduler<'_>, lhs: &Access, loops: &[IndexVar]) -> Option<IndexVar> {
    let p = &s.cin.provenance;
    let vars = appended(s, lhs);
    let singles = singles(s.kernel, &s.cin, |_| true);
    // Inside of what it is below, a sum of one term comes to each coordinate once.
    let is_single = |at: usize, v: IndexVar| {
        let inside = |above: &IndexVar| p.leaves(*above).iter().all(|leaf| loops[..at].contains(leaf));
        let of = |root: &IndexVar| singles.iter().any(|s| s.var == *root && s.above.iter().all(inside));
        p.roots(v).iter().all(of)
    };
    let loops = loops.iter().enumerate().filter(|(at, v)| !is_single(*at, **v)).map(|(_, v)| v);
    let mut written: Vec<IndexVar> = Vec::new();
    for leaf in vars.iter().flat_map(|&v| p.leaves(v)) {
        if !written.contains(&leaf) {
            written.push(leaf);
        }
    }
    let fused = |v: IndexVar| p.roots(v).len() > 1;
    let wrong = loops.zip(&written).find(|(have, want)| have != want).map(|(have, _)| *have);
    wrong.or_else(|| written.into_iter().find(|&v| fused(v)))
}
