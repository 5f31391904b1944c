//! `coord(p, i)`: a loop over positions becomes one over the coordinates that they span.
//!
//! ```text
//! ∀p body        →   ∀i body        with i from the coordinate of the first position to that of the next range
//! ```
//!
//! Preconditions: `p` is in position space, and its positions are those of one level: a fused position spans the
//! coordinates of several. It is a whole range, or the inner part of one whose outer parts are outside. No workspace has
//! an element a position: a loop over coordinates does not count them.

use super::tree::for_each_assignment;
use super::{Checked, Scheduler, fail, order};
use crate::cin::provenance::{Provenance, Relation};
use crate::cin::{Stmt, Target, Workspace};
use crate::front::ast::IndexVar;
use crate::front::command::Name;

pub(super) fn apply(s: &mut Scheduler<'_>, pos: &Name, var: &Name) -> Checked {
    let p = s.plain_loop(pos)?;
    if !s.cin.provenance.is_position(p) {
        return fail(
            "coord-of-coordinate",
            pos.span,
            format!("`{}` is a coordinate already", pos.text),
            "`coord` takes a variable that `pos` has made",
        );
    }
    let roots = s.cin.provenance.roots(p);
    if roots.len() > 1 {
        return fail(
            "coord-of-fused",
            pos.span,
            format!(
                "`{}` counts positions of {} together, which have no one coordinate",
                pos.text,
                s.list(&roots)
            ),
            "fuse, split and reorder coordinates instead, or stay in position space",
        );
    }
    if let Some((outer, inner)) = outer_part(&s.cin.provenance, p) {
        let mut parts = [s.cin.provenance.leaves(outer), s.cin.provenance.leaves(inner)].concat();
        let last = parts.pop().unwrap_or(inner);
        return fail(
            "coord-of-outer",
            pos.span,
            format!(
                "`{}` counts parts of positions, which span no range of coordinates by themselves",
                pos.text
            ),
            format!(
                "take the coordinates of `{}`, inside of the loops over {}",
                s.name(last),
                s.list(&parts)
            ),
        );
    }
    if let Some(w) = counts(s, &s.cin.root, p) {
        let name = &s.cin.workspaces[w.index()].name;
        return fail(
            "coord-of-workspace",
            pos.span,
            format!("`{name}` has an element for each of the positions that `{}` counts", pos.text),
            "precompute over the coordinates: `coord` first, and `precompute` after it",
        );
    }
    let [coord] = s.new_vars([var])?;
    s.replace(p, &[coord]);
    s.cin.provenance.relate(Relation::Coord { pos: p, coord });
    order::check(s, |_| pos.span)
}

/// The parts of a split among which a variable counts, or counts parts of, and what is in each of them.
fn outer_part(provenance: &Provenance, v: IndexVar) -> Option<(IndexVar, IndexVar)> {
    let mut at = v;
    while let Some(&Relation::Split { parent, outer, inner, .. }) = provenance.made_by(at) {
        if outer == at {
            return Some((outer, inner));
        }
        at = parent;
    }
    None
}

/// A workspace whose elements are numbered by positions of which `p` counts some.
fn counts(s: &Scheduler<'_>, stmt: &Stmt, p: IndexVar) -> Option<Workspace> {
    let provenance = &s.cin.provenance;
    let counted = |v: &IndexVar| provenance.is_position(*v) && provenance.leaves(*v).contains(&p);
    let mut found = None;
    for_each_assignment(stmt, &mut vec![], &mut |a| {
        let written = match a.target {
            Target::Workspace(w, vars) if vars.iter().any(counted) => Some(*w),
            _ => None,
        };
        let here = written.or_else(|| a.rhs.workspace(&|_, vars| vars.iter().any(counted)).map(|(w, _)| w));
        found = found.or(here);
    });
    found
}
