//! Rust code as text: the native body of a program.
//!
//! The files:
//!
//! - `native`: the body, and one function an instruction set around it
//! - `sizes`: for which constant sizes it is compiled
//! - `stmt`, `expr`: straight code
//! - `partial`, `entries`: reductions as partial sums, of adjacent elements and of a row's entries
//! - `around`: loops around such sums, which keep the partial ones
//! - `carried`: rows that begin where the one before ended
//! - `merges`: loops that merge
//! - `gathers`: programs that are not compiled for AVX-512
//! - `unroll`: loops as copies of their bodies
//! - `tasks`, `captures`: loops on threads as functions that threads call, and what these take from outside
//! - `shared`: loops on threads that do the same
//! - `appending`: arrays that tasks append to
//! - `twins`: arrays that grow together
//! - `workspaces`, `runs`: sparse workspaces, and results that what they gathered is copied to
//! - `quote`, `text`, `names`: templates, literals and identifiers

mod appending;
mod around;
mod captures;
mod carried;
mod entries;
pub(crate) mod expr;
mod gathers;
mod merges;
pub(crate) mod names;
pub(crate) mod native;
mod partial;
pub(crate) mod quote;
mod runs;
mod shared;
mod sizes;
mod stmt;
mod tasks;
pub(crate) mod text;
mod twins;
mod unroll;
mod workspaces;

use crate::llir::Program;

/// The native code of a program alone, without the launcher: for golden files and reading.
pub fn native(program: &Program) -> String {
    native::native(&names::Names::new(program)).into_text()
}

#[cfg(test)]
mod tests;
