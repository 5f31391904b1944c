//! `divide(i, i0, i1, n)`: a loop becomes two, of which the outer has `n` iterations.
//!
//! ```text
//! ∀i body        →   ∀i0 ∀i1 body        with i = i0·⌈|i|/n⌉ + i1
//! ```
//!
//! Precondition: `n` is positive.

use super::split::halves;
use super::{Checked, Scheduler};
use crate::cin::provenance::Part;
use crate::front::command::{Factor, Name};

pub(super) fn apply(s: &mut Scheduler<'_>, var: &Name, made: [&Name; 2], factor: Factor) -> Checked {
    halves(s, var, made, factor, Part::Outer(factor.value))
}
