//! The sparse tensor compiler and its host tensors.
#![allow(clippy::wrong_self_convention)]
// Templates of generated code are read a token at a time.
#![recursion_limit = "512"]

// Loops count products of dimensions in `usize`, and elements of 64 bits are updated atomically where they lie.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("tensor kernels run on 64-bit processors, which this target is not");

pub mod cin;
mod concurrent;
pub mod diag;
pub mod driver;
pub mod emit;
pub mod error;
pub mod expand;
pub mod format;
pub mod front;
#[cfg(feature = "io")]
pub mod io;
pub mod llir;
pub mod looplet;
pub mod lower;
pub mod rt;
pub mod scalar;
pub mod schedule;
pub mod sim;
pub mod tensor;
pub mod work;
