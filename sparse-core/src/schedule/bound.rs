//! `bound(i, ib, n, MaxExact | Divisible)`: a promise about the size of a dimension.
//!
//! ```text
//! ∀i body        →   ∀ib body        with i = ib, and |i| = n (MaxExact) or a multiple of n (Divisible)
//! ```
//!
//! Lowering uses it: constants for sizes, no guard where a split divides. The call checks it.
//!
//! Preconditions: the variable is the coordinate of a whole dimension, and no other promise contradicts this one.

use super::{Checked, Scheduler, fail};
use crate::cin::provenance::Relation;
use crate::front::ast::IndexVar;
use crate::front::command::{BoundKind, Factor, Name};

pub(super) fn apply(
    s: &mut Scheduler<'_>,
    var: &Name,
    bounded: &Name,
    size: Factor,
    kind: BoundKind,
) -> Checked {
    let parent = s.plain_loop(var)?;
    let Some(root) = dimension(s, parent) else {
        let message = format!(
            "`{}` is not the coordinate of a whole dimension: its size is not an argument's",
            var.text
        );
        let help = "bound the variable before it is split or fused, and before `pos`";
        return fail("bound-derived", var.span, message, help);
    };
    if size.value == 0 {
        let message = "a dimension is not bounded by 0";
        return fail("zero-factor", size.span, message, "write the size that every argument has");
    }
    let exact = kind == BoundKind::MaxExact;
    contradiction(s, root, size, exact)?;
    let [child] = s.new_vars([bounded])?;
    s.replace(parent, &[child]);
    s.cin.provenance.relations.push(Relation::Bound { parent, child, size: size.value, exact });
    Ok(())
}

/// The index variable whose whole dimension a variable ranges over.
fn dimension(s: &Scheduler<'_>, v: IndexVar) -> Option<IndexVar> {
    match s.cin.provenance.made_by(v) {
        None => Some(s.cin.provenance.original(v)),
        Some(Relation::Bound { parent, .. }) => dimension(s, *parent),
        Some(_) => None,
    }
}

/// Promises about the same dimension hold together.
fn contradiction(s: &Scheduler<'_>, root: IndexVar, size: Factor, exact: bool) -> Checked {
    for r in &s.cin.provenance.relations {
        let Relation::Bound { parent, size: known, exact: known_exact, .. } = *r else { continue };
        if dimension(s, parent) != Some(root) {
            continue;
        }
        let holds = match (known_exact, exact) {
            (true, true) => known == size.value,
            (true, false) => known.is_multiple_of(size.value),
            (false, true) => size.value.is_multiple_of(known),
            (false, false) => true,
        };
        if !holds {
            let is = |exact: bool, n: u64| if exact { format!("{n}") } else { format!("a multiple of {n}") };
            return fail(
                "contradicting-bounds",
                size.span,
                format!(
                    "the size of `{}` can't be {}: a `bound` says that it is {}",
                    s.name(root),
                    is(exact, size.value),
                    is(known_exact, known)
                ),
                "keep the one that every argument satisfies",
            );
        }
    }
    Ok(())
}
