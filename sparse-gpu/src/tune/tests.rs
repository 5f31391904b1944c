//! Tests of the tuner.

mod model;
