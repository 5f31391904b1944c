//! Launches inside a program, on the interpreter's memory, which they move to the simulated device.

use super::fault::InterpError;
use super::grid::{self, Binding, Param};
use super::interp::Machine;
use super::memory::Checked;
use crate::llir::print::print_step_headline;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{self, BufferId, Expr, Launch, Space, Step, Stmt, Ty};

impl Machine<'_> {
    pub(super) fn launch(&mut self, launch: &Launch) -> Result<(), InterpError> {
        let program = self.program;
        let here = |fault: Box<super::Fault>| {
            let place = format!("`{}`", print_step_headline(program, &Step::Launch(launch.clone())));
            InterpError { fault: *fault, place, thread: None }
        };
        let mut blocks = [1; 3];
        for (blocks, axis) in blocks.iter_mut().zip(&launch.grid) {
            *blocks = self.index(&axis.blocks).map_err(here)?;
        }
        let params = program.params.iter().filter_map(|p| {
            let (llir::Param::Dim { var, .. } | llir::Param::Scalar { var, .. }) = p;
            match program.var(*var).ty {
                Ty::Index => Some((*var, Param::Index(self.indices[var.index()]))),
                Ty::Scalar(_) => Some((*var, Param::Scalar(self.scalars[var.index()]))),
                Ty::Cond | Ty::Segments => None,
            }
        });
        let params: Vec<_> = params.collect();
        let used = self.uses(launch);
        let bindings = self.memory.iter_mut().zip(used).map(|(memory, writes)| match writes {
            Some(true) => memory.on_device(true).map(Binding::Write),
            Some(false) => memory.on_device(false).map(|array| Binding::Read(array)),
            None => Ok(Binding::None),
        });
        let bindings = bindings.collect::<Checked<_>>().map_err(here)?;
        let mut left = self.max_steps - self.steps;
        let report = grid::launch(program, launch, blocks, &params, bindings, self.order, &mut left);
        self.reports.push(report.map_err(|e| *e)?);
        self.steps = self.max_steps - left;
        Ok(())
    }

    /// By buffer in the device's memory that the launch uses: does it write it?
    fn uses(&self, launch: &Launch) -> Vec<Option<bool>> {
        let mut used = vec![None; self.program.buffers.len()];
        visit_exprs(&launch.body, &mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } = e {
                used[buffer.index()].get_or_insert(false);
            }
        });
        visit_stmts(&launch.body, &mut |s| {
            if let Stmt::Store { buffer, .. }
            | Stmt::Reduce { buffer, .. }
            | Stmt::Atomic { buffer, .. }
            | Stmt::Claim { buffer, .. }
            | Stmt::Fetch { buffer, .. }
            | Stmt::StoreVector { buffer, .. } = s
            {
                used[buffer.index()] = Some(true);
            }
            if let Stmt::Collective(c) = s {
                c.written().into_iter().for_each(|buffer| used[buffer.index()] = Some(true));
            }
            if let Stmt::LoadVector { buffer, .. } = s {
                used[buffer.index()].get_or_insert(false);
            }
        });
        for (at, used) in used.iter_mut().enumerate() {
            let space = self.program.buffer(BufferId(at as u32)).space;
            if matches!(space, Space::Register { .. } | Space::Shared { .. }) {
                *used = None;
            }
        }
        used
    }
}
