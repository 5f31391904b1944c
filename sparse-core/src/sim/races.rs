//! Races: elements that two iterations of a loop on threads touch, one of them in a way that the other could see.

use super::fault::{Access, Fault, Visit};
use super::memory::Checked;
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Program, Space, Stmt};
use std::collections::HashMap;

/// What the iterations of one loop have touched.
pub(super) struct Races<'a> {
    program: &'a Program,
    /// By buffer: do the iterations share it?
    shared: Vec<bool>,
    iteration: u64,
    elements: HashMap<(BufferId, u64), Vec<Visit>>,
}

impl<'a> Races<'a> {
    /// Nothing is touched yet. What the body declares is an iteration's own, and so are private copies and what tasks append
    /// to.
    pub(super) fn new(program: &'a Program, body: &[Stmt], own: &[BufferId]) -> Self {
        let mut shared: Vec<bool> =
            program.buffers.iter().map(|b| !matches!(b.space, Space::Input | Space::Gathered)).collect();
        own.iter().for_each(|b| shared[b.index()] = false);
        visit_stmts(body, &mut |s| {
            if let Stmt::Local { buffer, .. }
            | Stmt::Alloc { buffer, .. }
            | Stmt::Place { block: buffer, .. } = s
            {
                shared[buffer.index()] = false;
            }
        });
        Races { program, shared, iteration: 0, elements: HashMap::new() }
    }

    /// From now on it is this iteration that touches.
    pub(super) fn enter(&mut self, iteration: u64) {
        self.iteration = iteration;
    }

    /// The current iteration touches an element.
    pub(super) fn touch(&mut self, buffer: BufferId, index: u64, access: Access) -> Checked<()> {
        if !self.shared[buffer.index()] {
            return Ok(());
        }
        let visit = Visit { iteration: self.iteration, access };
        let visits = self.elements.entry((buffer, index)).or_default();
        if let Some(other) = visits.iter().find(|v| v.iteration != visit.iteration && race(v.access, access))
        {
            let buffer = self.program.buffer(buffer).name.clone();
            return Err(Box::new(Fault::Race { buffer, index, first: *other, second: visit }));
        }
        // Of two iterations that do the same, one is another than any that comes.
        if visits.iter().filter(|v| v.access == access).count() < 2 && !visits.contains(&visit) {
            visits.push(visit);
        }
        Ok(())
    }
}

/// Could two threads that do this see each other? Updates by one operator commute.
fn race(a: Access, b: Access) -> bool {
    match (a, b) {
        (Access::Read, Access::Read) => false,
        (Access::Atomic(a), Access::Atomic(b)) => a != b,
        (Access::Claim, Access::Claim) => false,
        _ => true,
    }
}
