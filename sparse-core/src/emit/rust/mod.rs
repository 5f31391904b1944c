//! Rust tokens: the native body of a program, and the typed function around it.
//!
//! `expr` and `stmt` turn LLIR into straight code, `partial` its reductions into partial sums; `native` wraps it in one function an instruction set; `item` is
//! what the user sees: the function, its module, the glue between tensors and arrays; `failure` stands in when there is
//! no program.

mod expr;
mod names;
mod native;
mod partial;
mod stmt;

use crate::llir::Program;
use proc_macro2::TokenStream;

/// The native code of a program alone, without the launcher: for golden files and reading.
pub fn native(program: &Program) -> TokenStream {
    native::native(&names::Names::new(program))
}

#[cfg(test)]
mod tests;
