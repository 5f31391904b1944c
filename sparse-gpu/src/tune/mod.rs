//! Choosing a kernel's schedule for its inputs.
//!
//! [`Model`] says how long a GPU would take for what the simulator counted.

mod figure;
mod model;
#[cfg(test)]
mod tests;

pub use figure::{Figure, Measured, Predicted};
pub use model::{Limit, Model, Times};
