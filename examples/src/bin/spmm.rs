//! SpMM.
fn main() {}
