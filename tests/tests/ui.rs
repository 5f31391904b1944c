//! Kernels with a mistake: what the user reads.
//!
//! `ui/dsl` holds one kernel a diagnostic, and beside it the compiler's output. `TRYBUILD=overwrite` writes the
//! outputs anew; read them, they are what a user gets.

#[test]
fn mistakes_are_explained_at_their_tokens() {
    trybuild::TestCases::new().compile_fail("ui/dsl/*.rs");
}
