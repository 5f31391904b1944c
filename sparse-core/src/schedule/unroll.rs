//! `unroll(i, n)`: `n` iterations of a loop are written out one after another.
//!
//! ```text
//! ∀i body        →   ∀i{unroll n} body
//! ```
//!
//! The loop may have any number of iterations: what is left over after the last whole group runs as it did.
//!
//! Precondition: `n` is positive.

use super::{Checked, Scheduler, fail};
use crate::front::command::{Factor, Name};

pub(super) fn apply(s: &mut Scheduler<'_>, var: &Name, factor: Factor) -> Checked {
    let v = s.loop_over(var)?;
    let times = times(factor)?;
    if let Some(n) = s.cin.provenance.tag(v).unroll {
        let message = format!("the loop over `{}` is unrolled {n} times already", var.text);
        return fail("tagged-loop", var.span, message, "keep one of the two");
    }
    s.cin.provenance.tag_mut(v).unroll = Some(times);
    Ok(())
}

/// How often, whatever the loop.
pub(super) fn times(factor: Factor) -> Checked<u32> {
    match u32::try_from(factor.value) {
        Ok(n @ 1..=MAX) => Ok(n),
        Ok(0) => {
            let help = "write how often, such as 4";
            fail("zero-factor", factor.span, "a loop can't be unrolled 0 times", help)
        }
        _ => {
            let message = format!("a loop is unrolled at most {MAX} times");
            fail("bad-factor", factor.span, message, "write a smaller number: the code is repeated")
        }
    }
}

/// More copies of a body than this help nobody.
const MAX: u32 = 1024;
