//! Rust tokens: the native body of a program, and the typed function around it.
//!
//! `expr` and `stmt` turn LLIR into straight code, `partial` its reductions into partial sums; `native` wraps it in one function an instruction set, `sizes` tells for which constant sizes; `launch` is
//! the glue between tensors and arrays; `item` is what the user sees, the function and its module; `failure` stands in when there is
//! no program.

mod expr;
mod failure;
mod header;
mod item;
mod launch;
mod names;
mod native;
mod partial;
mod sizes;
mod stmt;

pub use failure::failure;
pub use item::item;

use crate::llir::Program;
use proc_macro2::TokenStream;

/// The native code of a program alone, without the launcher: for golden files and reading.
pub fn native(program: &Program) -> TokenStream {
    native::native(&names::Names::new(program))
}

#[cfg(test)]
mod tests;
