//! Tests of the whole: what they share is the crate `suite`, which is optimised, so that random kernels are quick, where the tests
//! here are not, so that they are soon compiled. [`book`] tests the book of `docs/`, [`memory`] is for those that run out of it.

pub mod book;
pub mod memory;

pub use suite::*;

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
