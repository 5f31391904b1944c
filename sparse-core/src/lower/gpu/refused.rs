//! Sparse workspaces that a GPU's threads cannot have.

use super::super::Lowerer;
use crate::diag::Diagnostic;
use crate::llir::walk::visit_exprs;
use crate::llir::{Expr, Stmt, Workspace, WorkspaceId};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// A workspace that the counting of what is scattered reads, though no workspace has elements yet.
    pub(in super::super) fn read_before_filled(&self, body: &[Stmt]) -> Option<WorkspaceId> {
        let mut read = BTreeSet::new();
        visit_exprs(body, &mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } | Expr::Len(buffer) = e {
                read.insert(*buffer);
            }
        });
        let is_read = |w: &&Workspace| w.crd.iter().chain([&w.vals]).any(|b| read.contains(b));
        let at = self.spas.iter().position(|w| is_read(&w))?;
        Some(WorkspaceId(at as u32))
    }

    pub(in super::super) fn refuse_chain(&self, read: WorkspaceId) -> Box<Diagnostic> {
        let name = &self.spas[read.index()].name;
        self.scattered_on_gpu(
            format!(
                "a workspace is filled from the workspace `{name}`: how large it has to be is known when that has been filled only"
            ),
            "leave out what `precompute` makes; or store the operands of the terms in the same order (convert them on the CPU), write `schedule cuda = none;`, or return a tensor whose levels are all dense",
        )
    }

    pub(in super::super) fn refuse_scattered(&self, w: crate::cin::Workspace) -> Box<Diagnostic> {
        let out = &self.kernel.tensors[self.out.tensor.index()].name;
        let name = &self.workspaces[w.index()].name;
        if !self.out.is_assembled() {
            return self.scattered_on_gpu(
                format!(
                    "the sparse workspace `{name}` has no memory on a GPU: tables are those of rows that are assembled, and `{out}` is not assembled"
                ),
                "leave the workspace out, so that threads update the result itself; or give it constant dimensions, `Dense`; or return a sparse tensor",
            );
        }
        self.scattered_on_gpu(
            format!(
                "the workspace `{name}` would be filled by many threads: it does not stand inside the loops over rows of `{out}`"
            ),
            "store the operands so that the result's rows can be the outermost loops (convert them on the CPU); or write `schedule cuda = none;`, or return a tensor whose levels are all dense",
        )
    }

    fn scattered_on_gpu(&self, message: String, help: &str) -> Box<Diagnostic> {
        let statement = self.kernel.assignment.lhs.span;
        Box::new(Diagnostic::new("scattered-on-gpu", statement, message).help(help))
    }
}
