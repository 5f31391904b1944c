//! Kernels with a mistake: what the user reads.
//!
//! `dsl`, `schedule` and `devices` hold kernels for the diagnostics, and beside each file the compiler's output. `types`
//! holds what the Rust compiler's own types refuse: its words, which may change with its version. `TRYBUILD=overwrite`
//! writes the outputs anew; read them, they are what a user gets.

#[test]
fn mistakes_are_explained_at_their_tokens() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("dsl/*.rs");
    cases.compile_fail("schedule/*.rs");
    cases.compile_fail("devices/*.rs");
}

#[test]
fn types_refuse_what_does_not_fit() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("types/*.rs");
}
