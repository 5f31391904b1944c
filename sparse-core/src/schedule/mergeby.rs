//! `mergeby(i, TwoFinger | Gallop)`: how a loop merges the sorted coordinates of its operands.
//!
//! ```text
//! ∀i body        →   ∀i{Gallop} body
//! ```
//!
//! With `TwoFinger` each operand is stepped; with `Gallop` those behind search for the one ahead, which pays where one
//! is much shorter. A loop that merges nothing is left as it is, with a warning.

use super::gaps::swept;
use super::tree::for_each_loop_within;
use super::{Checked, Scheduler, fail};
use crate::front::command::{Merge, Name};

pub(super) fn apply(s: &mut Scheduler<'_>, var: &Name, merge: Merge) -> Checked {
    let v = s.loop_over(var)?;
    if let Some(merge) = s.cin.provenance.tag(v).merge {
        let message = format!("the loop over `{}` merges by {merge} already", var.text);
        return fail("tagged-loop", var.span, message, "keep one of the two");
    }
    s.cin.provenance.tag_mut(v).merge = Some(merge);
    Ok(())
}

/// Warns of loops that were to merge and have nothing to.
pub(super) fn warn(s: &mut Scheduler<'_>) {
    let mut idle = Vec::new();
    for v in s.cin.root.loops() {
        let Some(merge) = s.cin.provenance.tag(v).merge else { continue };
        let mut merges = false;
        for_each_loop_within(&s.cin.root, &mut vec![], &mut |outside, w, body| {
            merges |= w == v && swept(s, v, outside, body).len() > 1;
        });
        if !merges {
            idle.push(format!("`mergeby({}, {merge})` has no effect: the loop merges nothing", s.name(v)));
        }
    }
    s.warnings.extend(idle);
}
