//! Scalar types, typed literals, operators and reduction monoids.
//!
//! Everything the compiler knows about arithmetic is here: which element types exist, what an operator computes,
//! and its algebra (identity, annihilator, commutativity, idempotence). The optimiser folds constants, the LLIR
//! interpreter executes, and the dense oracle checks with the same [`BinaryOp::apply`] and [`UnaryOp::apply`].
//!
//! Integer arithmetic wraps; an integer division by zero gives zero. `min` and `max` follow IEEE 754 minNum and
//! maxNum: a NaN operand loses. On `bool`, `+` in a sum of duplicates is `|`.

mod dtype;
mod element;
mod monoid;
mod operator;
mod typed;
mod value;

pub use dtype::{DType, VECTOR_BYTES};
pub use element::Element;
pub use monoid::Monoid;
pub use operator::{BinaryOp, UnaryOp};
pub use typed::{Family, Typed};
pub use value::Value;
