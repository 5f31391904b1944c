//! What generated code calls, called by hand.

#[cfg(feature = "threads")]
mod parts;
#[cfg(feature = "threads")]
mod threads;
