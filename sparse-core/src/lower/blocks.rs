//! Sparse workspaces of dense blocks: a block is found once, where its coordinates are known, and what it takes is written as into
//! any array, in vectors and register tiles.
//!
//! Where something is still to be looked for inside of a block, which may not be there, a block is found for each element that is.

use super::region::guard;
use super::state::{ArrayTarget, Lhs, SparseTarget, State};
use super::{Lowered, Lowerer};
use crate::front::ast::IndexVar;
use crate::llir::{Block, DenseBlock, Expr, Stmt, WorkspaceId, build};

/// A block that is to be written.
pub(super) struct NextBlock {
    workspace: WorkspaceId,
    /// Its coordinates, by variables.
    at: Vec<IndexVar>,
    element: ArrayTarget,
}

impl Lowerer<'_> {
    /// The block of a sparse workspace whose coordinates are known by now, if all that is left is dense: all of it is written, or
    /// nothing, where there is nothing to sum.
    pub(super) fn next_block(&self, loops: &[IndexVar], st: &State) -> Option<NextBlock> {
        let Lhs::Scattered(target) = &st.lhs else { return None };
        let next = self.block_of(target)?;
        let known = next.at.iter().all(|v| self.known(*v, st).is_some());
        let plain = |v: &IndexVar| self.provenance.made_by(*v).is_none() && !self.runs_on_threads(*v);
        let dense = known && loops.iter().all(plain) && self.is_dense_below(st);
        (dense && st.locatable(self).is_none()).then_some(next)
    }

    /// Is all that is read from here on in dense levels?
    fn is_dense_below(&self, st: &State) -> bool {
        let mut dense = true;
        st.rhs.for_each_access(&mut |a| {
            let left = &self.levels[a.index()][st.cursors[a.index()].level..];
            dense &= left.iter().all(|level| level.level.is_full());
        });
        st.rhs.for_each_production(&mut |_| dense = false);
        dense
    }

    /// The block that an element of a sparse workspace is in, if that has blocks.
    fn block_of(&self, target: &SparseTarget) -> Option<NextBlock> {
        let workspace = target.workspace?;
        let w = &self.spas[workspace.index()];
        let DenseBlock { dims, open } = w.block.as_ref()?;
        let (at, indices) = target.indices.split_at(w.dims.len());
        let element = ArrayTarget {
            buffer: *open,
            indices: indices.to_vec(),
            dims: dims.clone(),
            init: Some(target.init),
            shared: false,
            part: false,
            placed: true,
        };
        Some(NextBlock { workspace, at: at.to_vec(), element })
    }

    /// Finds a block, and goes on with what is written into it.
    pub(super) fn place_block(&mut self, next: NextBlock, loops: &[IndexVar], st: State) -> Lowered {
        let mut block = vec![self.place_stmt(&next, &st)];
        let inner = State { lhs: Lhs::Array(next.element), ..st };
        let inner = self.lower(loops, inner)?;
        if inner.is_empty() {
            return Ok(inner);
        }
        block.extend(inner);
        // Without elements or terms there is no block.
        let some = |v: &IndexVar| build::lt(Expr::Index(0), self.extent(*v));
        let some = loops.iter().map(some).fold(Expr::Cond(true), build::and);
        Ok(guard(some, block))
    }

    /// Writes an element of a block; `None` if the workspace has none.
    pub(super) fn scatter_into_block(
        &mut self,
        target: &SparseTarget,
        st: &State,
        value: Expr,
    ) -> Result<Block, Expr> {
        let Some(next) = self.block_of(target) else { return Err(value) };
        let place = self.place_stmt(&next, st);
        let element = State { lhs: Lhs::Array(next.element), ..st.clone() };
        let mut block = vec![place];
        block.extend(self.write(&element, value));
        Ok(block)
    }

    fn place_stmt(&self, next: &NextBlock, st: &State) -> Stmt {
        let at = next.at.iter().map(|v| {
            self.known(*v, st)
                .unwrap_or_else(|| unreachable!("a block's coordinates are known where it is placed"))
        });
        Stmt::Place { workspace: next.workspace, at: at.collect(), block: next.element.buffer }
    }
}
