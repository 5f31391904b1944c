//! Sparse workspaces of the interpreter. Of one that has dense blocks, the block in use is the array that code writes, and goes back
//! when the next one is.

use super::fault::Fault;
use super::interp::{Machine, binary};
use super::memory::Checked;
use crate::llir::{DenseBlock, WorkspaceId};
use crate::scalar::Value;
use std::collections::BTreeMap;

/// The blocks of a workspace.
#[derive(Clone, Default)]
pub(super) struct Blocks {
    /// Those that are not in use, by coordinates.
    held: BTreeMap<Vec<u64>, Vec<Value>>,
    /// The coordinates of the one that is.
    open: Option<Vec<u64>>,
}

impl Machine<'_> {
    pub(super) fn scatter(&mut self, workspace: WorkspaceId, at: Vec<u64>, value: Value) -> Checked<()> {
        let w = self.program.workspace(workspace);
        self.is_inside(workspace, &at)?;
        if w.masked && !self.masks[workspace.index()].contains(&at[0]) {
            return Ok(());
        }
        let element = self.workspaces[workspace.index()].entry(at).or_insert(w.init);
        *element = w.op.map_or(value, |op| binary(op.op(), *element, value));
        Ok(())
    }

    /// Are coordinates below the sizes of a workspace's dimensions?
    pub(super) fn is_inside(&self, workspace: WorkspaceId, at: &[u64]) -> Checked<()> {
        let w = self.program.workspace(workspace);
        for (&index, dim) in at.iter().zip(&w.dims) {
            let len = self.index(dim)? as usize;
            if index >= len as u64 {
                return Err(Box::new(Fault::OutOfBounds { buffer: w.name.clone(), index, len }));
            }
        }
        Ok(())
    }

    pub(super) fn gather(&mut self, workspace: WorkspaceId) -> Checked<()> {
        let w = self.program.workspace(workspace);
        let all: Vec<(Vec<u64>, Vec<Value>)> = match &w.block {
            Some(block) => self.take_blocks(workspace, block)?.into_iter().collect(),
            None => {
                let all = std::mem::take(&mut self.workspaces[workspace.index()]);
                all.into_iter().map(|(at, value)| (at, vec![value])).collect()
            }
        };
        for b in w.crd.iter().chain([&w.vals]) {
            let init = if *b == w.vals { w.init } else { Value::I32(0) };
            self.memory[b.index()].allocate(0, Some(init))?;
        }
        for (at, values) in all {
            for (&b, at) in w.crd.iter().zip(at) {
                let at = self.memory[b.index()].element(at)?;
                self.memory[b.index()].append(1, at)?;
            }
            values.into_iter().try_for_each(|value| self.memory[w.vals.index()].append(1, value))?;
        }
        Ok(())
    }

    /// The block of these coordinates is the array from here on.
    pub(super) fn place(&mut self, id: WorkspaceId, block: &DenseBlock, at: Vec<u64>) -> Checked<()> {
        self.put_back(id, block)?;
        let init = self.program.workspace(id).init;
        let len = self.index(&block.len())?;
        let blocks = &mut self.blocks[id.index()];
        let held = blocks.held.remove(&at);
        blocks.open = Some(at);
        let memory = &mut self.memory[block.open.index()];
        memory.allocate(len, Some(init))?;
        held.into_iter().flatten().zip(0..).try_for_each(|(value, n)| memory.store(n, value))
    }

    /// No block is in use.
    fn put_back(&mut self, id: WorkspaceId, block: &DenseBlock) -> Checked<()> {
        let Some(at) = self.blocks[id.index()].open.take() else { return Ok(()) };
        let memory = &self.memory[block.open.index()];
        let values = (0..memory.len() as u64).map(|n| memory.load(n)).collect::<Checked<_>>()?;
        self.blocks[id.index()].held.insert(at, values);
        Ok(())
    }

    /// All blocks, in order; the workspace is empty.
    fn take_blocks(
        &mut self,
        id: WorkspaceId,
        block: &DenseBlock,
    ) -> Checked<BTreeMap<Vec<u64>, Vec<Value>>> {
        self.put_back(id, block)?;
        Ok(std::mem::take(&mut self.blocks[id.index()].held))
    }
}
