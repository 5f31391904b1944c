//! A cleaner program that does the same: what the lowering writes in general form comes out as a person would write it.
//!
//! Three passes, until none changes anything:
//!
//! - [`forward`], in the order of execution: constants fold, a `let` of a constant or of another constant variable
//!   is replaced by it, and a load that a variable still holds is not repeated.
//! - [`dead`]: variables that nothing reads go, and a variable that never changes is declared by [`Stmt::Let`]. In the end so do
//!   arrays that a launch shares and does not use.
//! - [`control`]: loops and branches that do nothing or whose conditions are known go, and an empty `then` is turned
//!   around.
//!
//! After them [`invariant`] takes the values of stored entries out of loops, [`batch`] lets several entries of a loop load
//! together, and [`sink`] finds coordinates behind loops that do not need them, and does not name what is only handed on.
//!
//! Evaluation has no side effects, so that removing it is always right. Sums of floats are not reassociated, and what
//! could change a bit of a float's result stays. Comments stay, unless the loop or branch around them goes.

pub(crate) mod batch;
mod control;
mod dead;
mod fold;
mod forward;
mod invariant;
mod sink;
#[cfg(test)]
mod tests;

use super::{Program, Step};

/// The passes on a whole program.
pub fn simplify(mut program: Program) -> Program {
    for step in &mut program.steps {
        match step {
            Step::Allocate { len: size, .. }
            | Step::Reserve { capacity: Some(size), .. }
            | Step::Fits { len: size, .. }
            | Step::Read { index: size, .. } => fold::fold(size),
            Step::AtMost { most, index, .. } => [most, index].into_iter().for_each(fold::fold),
            Step::Launch(launch) => launch.grid.iter_mut().for_each(|axis| fold::fold(&mut axis.blocks)),
            Step::Reserve { capacity: None, .. } | Step::Fibers { .. } | Step::Fill { .. } | Step::Run(_) => {
            }
        }
    }
    loop {
        forward::forward(&mut program);
        // Only these two make more work for the first.
        let changed = dead::dead(&mut program) | control::control(&mut program);
        if !changed {
            break;
        }
    }
    invariant::invariant(&mut program);
    batch::batch(&mut program);
    sink::sink(&mut program);
    sink::hand_on(&mut program);
    dead::unshare(&mut program);
    program
}
