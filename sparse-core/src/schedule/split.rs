//! `split(i, i0, i1, n)`: a loop becomes two, of which the inner has `n` iterations.
//!
//! ```text
//! ∀i body        →   ∀i0 ∀i1 body        with i = i0·n + i1
//! ```
//!
//! Where `n` does not divide the size, the last of the outer iterations does less: lowering guards it, unless a `bound`
//! promises that it divides. Of a variable in position space the positions are split.
//!
//! Precondition: `n` is positive.

use super::{Checked, Scheduler, fail};
use crate::cin::provenance::{Part, Relation};
use crate::front::command::{Factor, Name};

pub(super) fn apply(s: &mut Scheduler<'_>, var: &Name, made: [&Name; 2], factor: Factor) -> Checked {
    halves(s, var, made, factor, Part::Inner(factor.value))
}

/// Replaces a loop by an outer and an inner one.
pub(super) fn halves(
    s: &mut Scheduler<'_>,
    var: &Name,
    made: [&Name; 2],
    factor: Factor,
    part: Part,
) -> Checked {
    let parent = s.plain_loop(var)?;
    check_factor(factor)?;
    let [outer, inner] = s.new_vars(made)?;
    s.replace(parent, &[outer, inner]);
    s.cin.provenance.relate(Relation::Split { parent, outer, inner, part });
    Ok(())
}

/// Whatever the loop.
pub(super) fn check_factor(factor: Factor) -> Checked {
    if factor.value == 0 {
        let help = "write a positive number, such as 64";
        return fail("zero-factor", factor.span, "a loop can't be split by 0", help);
    }
    Ok(())
}
