//! Rust code as text: the native body of a program.
//!
//! `expr` and `stmt` turn LLIR into straight code, `partial` and `entries` its reductions into partial sums, `unroll` a
//! loop into copies of its body, `tasks` a loop on threads into a function that threads call; `native` wraps it all in
//! one function an instruction set, and `sizes` tells for which constant sizes.

mod appending;
mod captures;
mod carried;
mod entries;
pub(crate) mod expr;
mod merges;
pub(crate) mod names;
pub(crate) mod native;
mod partial;
pub(crate) mod quote;
mod runs;
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
