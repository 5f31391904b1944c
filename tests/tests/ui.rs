//! Kernels with a mistake: what the user reads.
//!
//! `ui/dsl`, `ui/schedule` and `ui/devices` hold one kernel a diagnostic, and beside it the compiler's output. `ui/types`
//! holds what the Rust compiler's own types refuse: its words, which may change with its version. `TRYBUILD=overwrite`
//! writes the outputs anew; read them, they are what a user gets.

#[test]
fn mistakes_are_explained_at_their_tokens() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/dsl/*.rs");
    cases.compile_fail("ui/schedule/*.rs");
    cases.compile_fail("ui/devices/*.rs");
}

#[test]
fn types_refuse_what_does_not_fit() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/types/*.rs");
}
