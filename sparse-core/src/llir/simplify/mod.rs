//! A cleaner program that does the same: what the lowering writes in general form comes out as a person would write it.
//!
//! Four passes, until none changes anything:
//!
//! - [`forward`], in the order of execution: constants fold, a `let` of a constant or of another constant variable
//!   is replaced by it, a load that a variable still holds is not repeated, and a quotient and a remainder are again the whole.
//! - [`dead`]: variables that nothing reads go, a last value that is a constant is not assigned, and a variable that never changes
//!   is declared by [`Stmt::Let`]. In the end arrays go that a launch shares and does not use.
//! - [`control`]: loops and branches that do nothing or whose conditions are known go, and an empty `then` is turned
//!   around.
//! - [`common`]: what all cases do to a variable is done once, before them or after.
//!
//! After them [`unswitch`] takes conditions out of loops, [`rebase`] lets loops count from where they begin, [`invariant`] takes the values of stored entries out of loops, [`batch`] lets several entries of a loop load
//! together, and [`sink`] finds coordinates behind loops that do not need them, and does not name what is only handed on.
//!
//! Evaluation has no side effects, so that removing it is always right. Sums of floats are not reassociated, and what
//! could change a bit of a float's result stays. Comments stay, unless the loop or branch around them goes.

pub(crate) mod batch;
mod common;
mod control;
mod dead;
mod fold;
mod forward;
mod invariant;
mod rebase;
mod sink;
#[cfg(test)]
mod tests;
mod unswitch;

use super::Program;
pub(crate) use fold::whole;

/// The passes on a whole program.
pub fn simplify(mut program: Program) -> Program {
    for step in &mut program.steps {
        step.sizes_mut().into_iter().for_each(fold::fold);
    }
    loop {
        forward::forward(&mut program);
        // Only these make more work for the first.
        let changed =
            dead::dead(&mut program) | control::control(&mut program) | common::common(&mut program);
        if !changed {
            break;
        }
    }
    unswitch::unswitch(&mut program);
    rebase::rebase(&mut program);
    invariant::invariant(&mut program);
    batch::batch(&mut program);
    sink::sink(&mut program);
    sink::hand_on(&mut program);
    dead::unshare(&mut program);
    program
}
