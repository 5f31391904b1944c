//! The front: from tokens to checked index notation.
//!
//! `parse` reads tokens, `resolve` gives names their meaning, `check` applies the rules of the language; each phase
//! reports all of its mistakes.

pub mod ast;
