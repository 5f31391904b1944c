//! Launches inside a program: the interpreter's memory to the simulated device and back.

use super::fault::InterpError;
use super::grid::{self, Array, Binding, Param};
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
        let arrays = self.memory.iter().zip(&used).map(|(m, u)| u.map(|_| m.to_device()).transpose());
        let mut arrays: Vec<Option<Array>> = arrays.collect::<Checked<_>>().map_err(here)?;
        let bindings = arrays.iter_mut().zip(&used).map(|(array, used)| match (array, used) {
            (Some(array), Some(true)) => Binding::Write(array),
            (Some(array), _) => Binding::Read(array),
            (None, _) => Binding::None,
        });
        let mut left = self.max_steps - self.steps;
        let report =
            grid::launch(program, launch, blocks, &params, bindings.collect(), self.order, &mut left);
        self.reports.push(report.map_err(|e| *e)?);
        self.steps = self.max_steps - left;
        for ((memory, array), used) in self.memory.iter_mut().zip(&arrays).zip(used) {
            if let (Some(array), Some(true)) = (array, used) {
                memory.take_back(array);
            }
        }
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
