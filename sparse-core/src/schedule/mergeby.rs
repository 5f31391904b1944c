//! `mergeby(i, TwoFinger | Gallop)`: how a loop merges the sorted coordinates of its operands.
//!
//! ```text
//! ∀i body        →   ∀i{Gallop} body
//! ```
//!
//! With `TwoFinger` each operand is stepped; with `Gallop` those behind search for the one ahead, which pays where one
//! is much shorter. A loop that merges nothing is left as it is.

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
