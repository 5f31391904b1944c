//! The sparse tensor compiler and its host tensors.
#![allow(clippy::wrong_self_convention)]

pub mod diag;
pub mod format;
pub mod front;
pub mod llir;
pub mod scalar;
