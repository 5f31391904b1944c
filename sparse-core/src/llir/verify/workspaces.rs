//! Sparse workspaces: what is scattered, and how long what was gathered may be read.

use super::code::{Place, Verifier};
use super::{Rule, VerifyError, broken, ensure};
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Elem, Expr, Stmt, Ty, Workspace, WorkspaceId};

impl<'a> Verifier<'a> {
    pub(super) fn mask(
        &mut self,
        id: WorkspaceId,
        crd: BufferId,
        range: [&Expr; 2],
        at: Place,
    ) -> Result<(), VerifyError> {
        let w = self.filling(id, at)?;
        ensure(w.masked, Rule::Workspaces, at, || format!("`{}` is not masked", w.name))?;
        ensure(!self.scattered.contains_key(&id), Rule::Workspaces, at, || {
            format!("`{}` is masked when it has elements, or a second time", w.name)
        })?;
        let elem = self.usable(crd, at)?.elem;
        ensure(elem == Elem::Index, Rule::Types, at, || "a mask lists coordinates".into())?;
        range.into_iter().try_for_each(|e| self.expect(e, Ty::Index, at))?;
        self.scattered.insert(id, self.threads.as_ref().map(|s| s.number));
        Ok(())
    }

    pub(super) fn scatter(
        &mut self,
        id: WorkspaceId,
        element: &[Expr],
        value: &Expr,
        at: Place,
    ) -> Result<(), VerifyError> {
        let w = self.filling(id, at)?;
        ensure(w.block.is_none(), Rule::Workspaces, at, || format!("`{}` has blocks", w.name))?;
        ensure(!w.masked || self.scattered.contains_key(&id), Rule::Workspaces, at, || {
            format!("the mask of `{}` comes after its elements", w.name)
        })?;
        self.written(id, element, at)?;
        self.expect(value, Ty::Scalar(w.init.dtype()), at)
    }

    pub(super) fn place(
        &mut self,
        id: WorkspaceId,
        element: &[Expr],
        block: BufferId,
        at: Place,
    ) -> Result<(), VerifyError> {
        let w = self.filling(id, at)?;
        let its_own = w.block.as_ref().is_some_and(|b| b.open == block);
        ensure(its_own, Rule::Workspaces, at, || format!("`{}` has no such blocks", w.name))?;
        self.written(id, element, at)?;
        (self.declared[block.index()], self.buffers[block.index()]) = (true, true);
        Ok(())
    }

    /// From here on a workspace has something at these coordinates.
    fn written(&mut self, id: WorkspaceId, element: &[Expr], at: Place) -> Result<(), VerifyError> {
        let w = &self.p.workspaces[id.index()];
        ensure(element.len() == w.dims.len(), Rule::Workspaces, at, || {
            format!("`{}` has {} dimensions", w.name, w.dims.len())
        })?;
        self.scattered.insert(id, self.threads.as_ref().map(|s| s.number));
        element.iter().try_for_each(|e| self.expect(e, Ty::Index, at))
    }

    pub(super) fn gather(&mut self, id: WorkspaceId, at: Place) -> Result<(), VerifyError> {
        let w = self.filling(id, at)?;
        ensure(!w.on_threads || self.threads.is_none(), Rule::Workspaces, at, || {
            format!("threads gather `{}` inside of a loop that they share", w.name)
        })?;
        self.scattered.remove(&id);
        self.gathered(id).into_iter().for_each(|b| self.buffers[b.index()] = true);
        Ok(())
    }

    /// A workspace that may be used here, and is not read.
    fn filling(&self, id: WorkspaceId, at: Place) -> Result<&'a Workspace, VerifyError> {
        let w = self.workspace(id, at)?;
        ensure(!self.buffers[w.vals.index()], Rule::Workspaces, at, || {
            format!("`{}` has been gathered, and is read", w.name)
        })?;
        let open = w.block.as_ref().is_some_and(|block| self.buffers[block.open.index()]);
        ensure(!open, Rule::Workspaces, at, || format!("a block of `{}` is in use", w.name))?;
        Ok(w)
    }

    /// A workspace that may be used here.
    fn workspace(&self, id: WorkspaceId, at: Place) -> Result<&'a Workspace, VerifyError> {
        let Some(w) = self.p.workspaces.get(id.index()) else {
            return broken(Rule::Ids, at(), format!("there is no workspace {}", id.0));
        };
        self.on_host(at)?;
        ensure(!self.in_lanes, Rule::Workspaces, at, || format!("lanes or a reduction use `{}`", w.name))?;
        let here = self.threads.as_ref().map(|s| s.number);
        let there = self.scattered.get(&id).copied().unwrap_or(here);
        ensure(there == here, Rule::Workspaces, at, || {
            format!("the elements of `{}` are those of another thread", w.name)
        })?;
        Ok(w)
    }

    /// What a block has gathered it reads, and the block that it has placed it writes, until it uses the same workspace again.
    pub(super) fn scatter_again(&mut self, before: &[Stmt], stmt: &Stmt) {
        for done in before {
            let (Stmt::Gather(id) | Stmt::Place { workspace: id, .. }) = done else { continue };
            let mut again = false;
            visit_stmts(std::slice::from_ref(stmt), &mut |s| {
                again |= matches!(s,
                    Stmt::Mask { workspace: w, .. } | Stmt::Scatter { workspace: w, .. } | Stmt::Place { workspace: w, .. } | Stmt::Gather(w)
                    if w == id);
            });
            if again {
                self.gathered(*id).into_iter().for_each(|b| self.buffers[b.index()] = false);
                self.placed(*id).into_iter().for_each(|b| self.buffers[b.index()] = false);
            }
        }
    }

    /// The block of a workspace that is in use.
    fn placed(&self, id: WorkspaceId) -> Option<BufferId> {
        self.p.workspaces.get(id.index())?.block.as_ref().map(|block| block.open)
    }

    /// The arrays that a workspace gathers into.
    pub(super) fn gathered(&self, id: WorkspaceId) -> Vec<BufferId> {
        self.p.workspaces.get(id.index()).map_or(vec![], |w| w.crd.iter().copied().chain([w.vals]).collect())
    }
}
