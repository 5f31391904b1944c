//! Launches that follow others: where they wait for these, and what a compiler must not move across the wait.

use crate::emit::signature::Passes;
use crate::llir::walk::visit_exprs;
use crate::llir::{Expr, Launch, Program, Space, Stmt};
use std::collections::BTreeSet;

/// What stands around a launch among those that follow each other.
pub(super) struct Row<'a> {
    /// The arrays that launches before it write, which may still run when it starts.
    pub(super) written: &'a BTreeSet<Passes>,
    /// Does another one follow it?
    pub(super) goes_on: bool,
}

impl Row<'_> {
    /// The arrays that cannot be `__restrict__`, so that their loads stay on their side of the wait: those in
    /// [`Row::written`], and those that statements before the wait read. Of what is `const` and `__restrict__` compilers take
    /// it that nobody writes it while the kernel runs, and ptxas moves its loads across the wait.
    pub(super) fn ordered(&self, before: &[Stmt]) -> BTreeSet<Passes> {
        let mut arrays = self.written.clone();
        visit_exprs(before, &mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } = e {
                arrays.insert(Passes::Buffer(*buffer));
            }
        });
        arrays
    }
}

/// What a launch that follows another runs before it waits, and the rest: first declarations that read arguments alone, which
/// no launch writes.
pub(super) fn around_wait<'a>(program: &Program, launch: &'a Launch) -> (&'a [Stmt], &'a [Stmt]) {
    let reads_arguments = |value: &Expr| {
        let mut arguments = true;
        value.visit(&mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } = e {
                arguments &= program.buffer(*buffer).space == Space::Input;
            }
        });
        arguments
    };
    let early = |s: &&Stmt| matches!(s, Stmt::Let { value, .. } if reads_arguments(value));
    let before = if launch.follows { launch.body.iter().take_while(early).count() } else { 0 };
    launch.body.split_at(before)
}
