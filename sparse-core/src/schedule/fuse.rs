//! `fuse(i, j, f)`: two loops, one directly inside the other, become one.
//!
//! ```text
//! ∀i ∀j body     →   ∀f body        with f = i·|j| + j
//! ```
//!
//! The order of the iterations stays. If `j` counts the positions of an operand below the coordinate `i`, `f` counts
//! the positions of both levels: what `pos` of the fused coordinates gives. If `i` counts positions, or parts of them,
//! and `j` coordinates, each of them is visited with every coordinate: threads that share entries lie along the columns.
//!
//! Preconditions: `j`'s loop is directly inside `i`'s, wherever either stands; not both count positions, unless `j` counts
//! all of a fiber's, and the operand stores the coordinate `i` in the level above and in no other. An assembled result is
//! still written in its order.

use super::pos::dimensions;
use super::tree::{for_each_loop, has_loop, rewrite_loops};
use super::{Checked, Scheduler, fail, order};
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::{Access, Stmt};
use crate::front::ast::IndexVar;
use crate::front::command::Name;

pub(super) fn apply(s: &mut Scheduler<'_>, outer: &Name, inner: &Name, fused: &Name) -> Checked {
    let (i, j) = (s.plain_loop(outer)?, s.plain_loop(inner)?);
    if i == j {
        let message = format!("`{}` can't be fused with itself", inner.text);
        return fail("duplicate-name", inner.span, message, "name two loops, one directly inside the other");
    }
    nested(s, (i, outer), (j, inner))?;
    if !s.cin.provenance.is_position(j) && s.cin.provenance.comes_from_positions(j) {
        return fail(
            "fuse-position",
            inner.span,
            format!(
                "`{}` counts positions with coordinates, of which each fiber has another number",
                inner.text
            ),
            "fuse it the other way round, or leave the two loops as they are",
        );
    }
    if s.cin.provenance.is_position(j) {
        if s.cin.provenance.is_position(i) {
            return fail(
                "fuse-position",
                outer.span,
                format!("`{}` and `{}` both count positions", outer.text, inner.text),
                "fuse the coordinates first, and go to positions with `pos` then",
            );
        }
        neighbours(s, (i, outer), (j, inner))?;
    }
    let [f] = s.new_vars([fused])?;
    s.cin.root = rewrite_loops(s.cin.root.clone(), &|var, body| match body {
        Stmt::Forall { var: below, body } if var == i && below == j => Stmt::nest(&[f], *body),
        body => Stmt::nest(&[var], body),
    });
    s.cin.provenance.relate(Relation::Fuse { outer: i, inner: j, fused: f });
    order::check(s, |_| inner.span)
}

/// Do the positions that `j` counts lie one level below the coordinate `i`?
fn neighbours(s: &Scheduler<'_>, (i, outer): (IndexVar, &Name), (j, inner): (IndexVar, &Name)) -> Checked {
    let Some((leader, below)) = counted(s, j) else {
        return fail(
            "fuse-position",
            inner.span,
            format!("`{}` counts a part of the positions of a fiber", inner.text),
            "fuse first, and split the fused positions",
        );
    };
    let t = &s.kernel.tensors[leader.tensor.index()];
    let vars = level_vars(&t.spec, &leader);
    let start = below.first().and_then(|b| vars.iter().position(|v| v == b)).unwrap_or(0);
    let above = dimensions(s, i).unwrap_or_default();
    if let Some(v) = above.iter().find(|v| vars.iter().filter(|w| w == v).count() > 1) {
        return fail(
            "fuse-position",
            outer.span,
            format!("`{}` has `{}` at two levels, whose positions differ", t.name, s.name(*v)),
            "leave the two loops as they are, or fuse coordinates and stay in their space",
        );
    }
    if !above.is_empty() && vars[..start].ends_with(&above) {
        return Ok(());
    }
    fail(
        "fuse-position",
        outer.span,
        format!(
            "`{}` counts positions of `{}`, which does not store the whole of `{}` in the level above",
            inner.text, t.name, outer.text
        ),
        format!(
            "fuse it with the variable of that level, or fuse coordinates: the levels of `{}` are {}",
            t.name,
            s.list(&vars)
        ),
    )
}

/// The operand whose positions a variable counts fiber by fiber, and the coordinates that are read at them.
fn counted(s: &Scheduler<'_>, v: IndexVar) -> Option<(Access, Vec<IndexVar>)> {
    match s.cin.provenance.made_by(v)? {
        Relation::Pos { coord, access, .. } => Some((access.clone(), dimensions(s, *coord)?)),
        Relation::Fuse { outer, inner, .. } => {
            let (access, below) = counted(s, *inner)?;
            Some((access, [dimensions(s, *outer)?, below].concat()))
        }
        Relation::Split { .. } | Relation::Coord { .. } | Relation::Bound { .. } => None,
    }
}

/// Is there something else than loops between a loop over the one and one over the other inside of it?
fn apart(root: &Stmt, i: IndexVar, j: IndexVar) -> bool {
    let mut found = false;
    for_each_loop(root, &mut |v, body| {
        let mut at = body;
        while let Stmt::Forall { var, body } = at
            && *var != j
        {
            at = body;
        }
        found |= v == i && has_loop(body, j) && !matches!(at, Stmt::Forall { .. });
    });
    found
}

/// Is every loop over the one directly around a loop over the other, and are there no other loops over either?
fn nested(s: &Scheduler<'_>, (i, outer): (IndexVar, &Name), (j, inner): (IndexVar, &Name)) -> Checked {
    let (mut outers, mut inners, mut pairs) = (0, 0, 0);
    let (mut below, mut above) = (false, false);
    for_each_loop(&s.cin.root, &mut |v, body| {
        outers += usize::from(v == i);
        inners += usize::from(v == j);
        pairs += usize::from(v == i && matches!(body, Stmt::Forall { var, .. } if *var == j));
        below |= v == i && has_loop(body, j);
        above |= v == j && has_loop(body, i);
    });
    if pairs == outers && pairs == inners {
        return Ok(());
    }
    let (o, n) = (&outer.text, &inner.text);
    if below {
        let message = format!("the loop over `{n}` is not directly inside the loop over `{o}`");
        let help = match apart(&s.cin.root, i, j) {
            true => format!(
                "a workspace's loops stay apart: what is around its `where` can't be fused with `{n}`"
            ),
            false => "bring them together with `reorder` first".to_owned(),
        };
        return fail("not-adjacent", inner.span, message, help);
    }
    let message = format!("the loop over `{n}` is not inside the loop over `{o}`");
    let help = if above {
        format!(
            "write `fuse({n}, {o}, …)`, or `reorder({o}, {n})` first where operands can be read in that order"
        )
    } else {
        "fuse loops of one nest".to_owned()
    };
    fail("not-nested", inner.span, message, help)
}
