//! Arrays in the shared memory of a block: workspaces that its threads fill or read by loops of theirs, and what it
//! searches once for all of them.
//!
//! The producer runs, a barrier, the consumer; and another barrier where the threads come by again. Where a nest is lowered
//! in two versions, of which one runs, both use the same arrays.

use super::super::Lowerer;
use crate::cin::Workspace;
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::kernel::SHARED_BYTES;
use crate::llir::{BufferId, Elem, Expr, LoopKind, Space, Stmt, Ty};
use crate::scalar::Value;

/// What a shared array is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Shared {
    Workspace(Workspace),
    /// Where positions of an operand's level end that a block's threads search between.
    Ends(AccessId, usize),
}

/// The arrays of a launch.
#[derive(Default)]
pub(super) struct Tiles {
    /// In the version that is lowered.
    used: Vec<(Shared, BufferId)>,
    /// In the one before, and not in this one yet.
    spare: Vec<(Shared, BufferId)>,
}

impl Lowerer<'_> {
    /// Another version of the nest is lowered.
    pub(super) fn reuse_tiles(&mut self) {
        if let Some(Tiles { used, spare }) = self.gpu.as_mut().map(|gpu| &mut gpu.tiles) {
            *spare = std::mem::take(used);
        }
    }

    /// An array of so many elements that a block's threads share: the one that the other version has for the same, if it is
    /// there.
    pub(in super::super) fn shared_array(
        &mut self,
        of: Shared,
        name: &str,
        elem: Elem,
        len: u32,
    ) -> BufferId {
        let spare = self.gpu.as_mut().and_then(|gpu| {
            let spare = &mut gpu.tiles.spare;
            let at = spare.iter().position(|(known, _)| *known == of)?;
            Some(spare.remove(at).1)
        });
        let buffer = spare.unwrap_or_else(|| {
            let buffer = self.local(name, elem, Space::Shared { len });
            self.share(buffer);
            buffer
        });
        if let Some(gpu) = &mut self.gpu {
            gpu.tiles.used.push((of, buffer));
        }
        buffer
    }

    /// Bytes that the launch shares already, and no version of it can have again.
    pub(in super::super) fn shared_bytes(&self) -> u64 {
        let gpu = self.gpu();
        let spare = |b: &BufferId| gpu.tiles.spare.iter().any(|(_, spare)| spare == b);
        gpu.shared.iter().filter(|b| !spare(b)).map(|b| self.buffers[b.index()].shared_bytes()).sum()
    }

    /// The block's threads fill a shared array.
    pub(in super::super) fn fill_shared(&mut self, buffer: BufferId, len: u64, init: Value) -> Stmt {
        let gpu = self.gpu();
        let (thread, threads) = (gpu.thread, gpu.grid.threads() as u32);
        let var = self.fresh("at", Ty::Index);
        let store = Stmt::Store { buffer, index: var.into(), value: Expr::Lit(init) };
        Stmt::For {
            var,
            lo: thread.into(),
            hi: Expr::Index(len),
            step: threads,
            kind: LoopKind::Serial,
            body: vec![store],
        }
    }

    /// The launch shares a buffer.
    pub(in super::super) fn share(&mut self, buffer: BufferId) {
        if let Some(gpu) = &mut self.gpu {
            gpu.shared.push(buffer);
        }
    }

    /// The same, where that may be known.
    pub(super) fn share_once(&mut self, buffer: BufferId) {
        if !self.gpu().shared.contains(&buffer) {
            self.share(buffer);
        }
    }

    pub(in super::super) fn refuse_shared(&self, name: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "shared-workspace",
                self.kernel.assignment.lhs.span,
                format!("the workspace `{name}` would be shared by blocks, which do not wait for each other"),
            )
            .help("precompute over variables whose loops stand inside the loops on `GPUBlock`"),
        )
    }

    /// Is the loop one on warps, of which a block has several?
    pub(in super::super) fn is_one_of_warps(&self, v: IndexVar) -> bool {
        self.unit(v) == Some(Unit::GpuWarp) && self.gpu().grid.warps > 1
    }

    pub(in super::super) fn refuse_of_warps(&self, name: &str, warp: IndexVar) -> Box<Diagnostic> {
        let warp = self.name(warp);
        Box::new(
            Diagnostic::new(
                "shared-workspace",
                self.kernel.assignment.lhs.span,
                format!(
                    "a block's warps would fill the workspace `{name}` at once, each for itself: it stands inside the loop over `{warp}`"
                ),
            )
            .help(format!(
                "`reorder` so that the loop over `{warp}` is inside of the loops that say which part of an operand is in the workspace; or keep the workspace to each thread: no loop over its elements on threads"
            )),
        )
    }

    pub(in super::super) fn refuse_heap(&self, name: &str, most: u64) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "workspace-size",
                self.kernel.assignment.lhs.span,
                format!("the workspace `{name}` is no array of a constant number of elements up to {most}"),
            )
            .help("precompute over the inner part of a split, or over a variable with a `bound`"),
        )
    }

    pub(in super::super) fn refuse_dimension(&self, name: &str, v: IndexVar) -> Box<Diagnostic> {
        let v = self.name(v);
        Box::new(
            Diagnostic::new(
                "workspace-size",
                self.kernel.assignment.lhs.span,
                format!(
                    "the workspace `{name}` would have a dimension of `{v}`, whose size is not constant: on a GPU it is an array in registers or in a block's shared memory"
                ),
            )
            .help(format!(
                "precompute over the inner part of a split, `split({v}, {v}0, {v}1, 32)`, or over a variable with a `bound`"
            )),
        )
    }

    pub(in super::super) fn refuse_bytes(&self, name: &str, bytes: u64, taken: u64) -> Box<Diagnostic> {
        let others = if taken == 0 { String::new() } else { format!(", of which others take {taken}") };
        Box::new(
            Diagnostic::new(
                "workspace-size",
                self.kernel.assignment.lhs.span,
                format!(
                    "the workspace `{name}` takes {bytes} bytes: the shared memory of a block has {SHARED_BYTES}{others}"
                ),
            )
            .help("split its variables with smaller factors"),
        )
    }
}
