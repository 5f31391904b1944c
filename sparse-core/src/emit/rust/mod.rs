//! Rust tokens: the native body of a program, and the typed function around it.
//!
//! `expr` and `stmt` turn LLIR into straight code, `partial` and `entries` its reductions into partial sums; `native`
//! wraps it in one function an instruction set, and `sizes` tells for which constant sizes.

mod entries;
pub(crate) mod expr;
mod merges;
pub(crate) mod names;
pub(crate) mod native;
mod partial;
mod sizes;
mod stmt;
mod twins;

use crate::llir::Program;
use proc_macro2::TokenStream;

/// The native code of a program alone, without the launcher: for golden files and reading.
pub fn native(program: &Program) -> TokenStream {
    native::native(&names::Names::new(program))
}

#[cfg(test)]
mod tests;
