//! `bound(i, ib, n, MaxExact | Divisible)`: a promise about the size of a dimension.
//!
//! ```text
//! ∀i body        →   ∀ib body        with i = ib, and |i| = n (MaxExact) or a multiple of n (Divisible)
//! ```
//!
//! Lowering uses it: constants for sizes, no guard where a split divides. The call checks it.
//!
//! An outer part of a split can be bounded too: `split(k, ko, ki, 4); bound(ko, t, 8, MaxExact)` promises that `k` has
//! 8 parts of 4, of which the last may be smaller. Of an inner part the size is known: a bound can only repeat it.
//!
//! Preconditions: the variable counts coordinates of one dimension, or parts of it, and no other promise contradicts this
//! one.

use super::{Checked, Scheduler, fail};
use crate::cin::provenance::{Relation, Size};
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
    check_size(size)?;
    let exact = kind == BoundKind::MaxExact;
    match (s.cin.provenance.parts_of(parent), s.cin.provenance.size(parent)) {
        (Some((root, 1)), _) => contradiction(s, root, size, exact)?,
        (_, Size::Const(known)) => constant(s, parent, known, size, exact)?,
        (Some(_), _) if exact => {}
        (Some(_), _) => {
            let message = format!(
                "`{}` counts parts of a dimension, of which only the number can be promised",
                var.text
            );
            let help = "write `MaxExact`, or bound the variable before it is split";
            return fail("bound-derived", var.span, message, help);
        }
        (None, _) => {
            let message = format!(
                "`{}` counts no coordinates of one dimension: its size is not an argument's",
                var.text
            );
            let help = "bound the variable before it is fused, and before `pos`";
            return fail("bound-derived", var.span, message, help);
        }
    }
    let [child] = s.new_vars([bounded])?;
    s.replace(parent, &[child]);
    s.cin.provenance.relate(Relation::Bound { parent, child, size: size.value, exact });
    Ok(())
}

/// Whatever the dimension.
pub(super) fn check_size(size: Factor) -> Checked {
    if size.value == 0 {
        let message = "a dimension is not bounded by 0";
        return fail("zero-factor", size.span, message, "write the size that every argument has");
    }
    Ok(())
}

/// A size that is known already.
fn constant(s: &Scheduler<'_>, v: IndexVar, known: u64, size: Factor, exact: bool) -> Checked {
    let holds = if exact { known == size.value } else { known.is_multiple_of(size.value) };
    if holds {
        return Ok(());
    }
    fail(
        "contradicting-bounds",
        size.span,
        format!(
            "the size of `{}` can't be {}{}: it is {known}",
            s.name(v),
            if exact { "" } else { "a multiple of " },
            size.value
        ),
        format!("write {known}, or leave the bound out"),
    )
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
    for r in s.cin.provenance.relations() {
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
