//! Tests of the tuner.

mod cost;
mod limits;
mod model;
mod registers;
