//! The interpreter: the second executor of a program, which checks what compiled code assumes.
//!
//! [`run`] takes any verified [`Program`](crate::llir::Program) and tensors whose formats are known at run time, and
//! does what the compiled function does, slowly: serial, every access in bounds and initialised, every index
//! difference non-negative, every append within what was reserved, no two iterations of a loop on threads in each
//! other's way. The user's mistakes are [`RunError::Tensor`] and its
//! neighbours, the same that the compiled function reports; a [`Fault`] is a mistake of the compiler.

mod fault;
pub mod grid;
mod host;
mod interp;
mod launch;
mod memory;
mod races;
#[cfg(test)]
mod tests;
mod threads;
mod workspaces;

pub use fault::{Access, Fault, GridThread, InterpError, Party, Touch, Visit};
pub use grid::LaunchReport;
pub use host::{Arg, Limits, RunError, fibers, run, run_reporting, run_shuffled, run_with};
