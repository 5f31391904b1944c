//! `fuse(i, j, f)`: two loops, one directly inside the other, become one.
//!
//! ```text
//! ∀i ∀j body     →   ∀f body        with f = i·|j| + j
//! ```
//!
//! The order of the iterations stays. If `j` counts the positions of an operand below the coordinate `i`, `f` counts
//! the positions of both levels: what `pos` of the fused coordinates gives.
//!
//! Preconditions: `j`'s loop is directly inside `i`'s, wherever either stands; `i` is in coordinate space.

use super::tree::{for_each_loop, has_loop, rewrite_loops};
use super::{Checked, Scheduler, fail, order};
use crate::cin::Stmt;
use crate::cin::provenance::Relation;
use crate::front::ast::IndexVar;
use crate::front::command::Name;

pub(super) fn apply(s: &mut Scheduler<'_>, outer: &Name, inner: &Name, fused: &Name) -> Checked {
    let (i, j) = (s.plain_loop(outer)?, s.plain_loop(inner)?);
    nested(s, (i, outer), (j, inner))?;
    if s.cin.provenance.is_position(i) {
        return fail(
            "fuse-position",
            outer.span,
            format!("`{}` counts positions, so it can't be the outer of two fused variables", outer.text),
            "fuse the coordinates first, and go to positions with `pos` then",
        );
    }
    let [f] = s.new_vars([fused])?;
    s.cin.root = rewrite_loops(s.cin.root.clone(), &|var, body| match body {
        Stmt::Forall { var: below, body } if var == i && below == j => Stmt::nest(&[f], *body),
        body => Stmt::nest(&[var], body),
    });
    s.cin.provenance.relations.push(Relation::Fuse { outer: i, inner: j, fused: f });
    order::check(s, |_| inner.span)
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
        let help = format!(
            "bring them together with `reorder` first; a workspace's loops stay apart: a `where` between `{o}` and `{n}` can't be fused over"
        );
        return fail("not-adjacent", inner.span, message, help);
    }
    let message = format!("the loop over `{n}` is not inside the loop over `{o}`");
    let help = if above {
        format!("write `fuse({n}, {o}, …)`, or `reorder({o}, {n})` first")
    } else {
        "fuse loops of one nest".to_owned()
    };
    fail("not-nested", inner.span, message, help)
}
