//! Dense workspaces that stand outside of all loops: arrays of the call, in the device's memory.
//!
//! ```text
//! (∀i y[i] = t0[i] + c[i]) where (∀j ∀i_t0 t0[i_t0] += A[i_t0, j] * x[j])
//!
//! allocate t0, the reduction's identity, or not initialised if all of it is written
//! launch f_t0:  ∀j ∀i_t0 t0[i_t0] += A[i_t0, j] * x[j]
//! launch f:     ∀i y[i] = t0[i] + c[i]
//! ```
//!
//! Blocks do not wait for each other but at the end of a launch. That which fills the array is lowered as if the array were a dense
//! result: who writes an element, whether updates are atomic and what is carried out follow from the loops as there.

use super::super::output::Output;
use super::super::state::{Lhs, State};
use super::super::{Lowerer, internal};
use crate::cin::grid::Grid;
use crate::cin::launches::{Loops, launches};
use crate::cin::val::{Constant, Production};
use crate::cin::{Cin, Workspace};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Elem, Space, Step};

/// A launch before the statement's own, by the array that it fills.
pub(in super::super) struct Before {
    fills: Workspace,
    loops: Vec<IndexVar>,
    grid: Grid,
}

impl Before {
    pub(super) fn fills(&self, w: Workspace) -> bool {
        self.fills == w
    }
}

/// Those of a program.
pub(in super::super) fn before(cin: &Cin) -> Vec<Before> {
    let before = |launch: Loops| {
        let grid = Grid::of_launch(cin, &launch);
        Some(Before { fills: launch.fills?, loops: launch.vars, grid })
    };
    launches(cin).into_iter().filter_map(before).collect()
}

impl Lowerer<'_> {
    /// Steps that fill the workspaces which stand outside of all loops, which the state reads as operands after.
    pub(in super::super) fn fill_outside(
        &mut self,
        loops: &[IndexVar],
        st: &mut State,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let mut steps = Vec::new();
        while let Some(w) = st.opening(loops.len()) {
            if self.workspaces[w.index()].format.is_sparse() {
                steps.extend(self.fill_list(w, loops, st)?);
            } else if let Some(launch) = self.before.iter().position(|b| b.fills(w)) {
                steps.extend(self.fill_array(w, launch, st)?);
            } else {
                break;
            }
        }
        Ok(steps)
    }

    /// The steps of one of these launches, which writes an array of the call, or adds to the result as to one.
    pub(super) fn launch_into(
        &mut self,
        out: Output,
        launch: usize,
        loops: &[IndexVar],
        producer: State,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let Before { fills, loops: launched, grid } = &self.before[launch];
        let suffix = format!("_{}", self.workspaces[fills.index()].name);
        (self.root, self.grid) = (None, grid.clone());
        self.launched.clone_from(launched);
        self.on_gpu();
        let (steps, _) = self.with_output(out, |l| {
            l.out.needs_init = producer.is_noop(l);
            l.written_steps(loops, producer, &suffix)
        })?;
        Ok(steps)
    }

    /// Is a loop over the variable one of the launch that is lowered?
    pub(super) fn is_launched(&self, v: IndexVar) -> bool {
        self.before.is_empty() || self.launched.contains(&v)
    }

    fn fill_array(
        &mut self,
        w: Workspace,
        launch: usize,
        st: &mut State,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let mut production = None;
        st.rhs.for_each_production(&mut |p| {
            if p.workspace == w {
                production.get_or_insert_with(|| p.clone());
            }
        });
        let Some(Production { nest, written, .. }) = production else {
            return Err(internal(self.kernel, "a workspace is filled that nothing reads"));
        };
        let dims = self.dims(w)?;
        let background = self.before(&nest).map_or(self.dtype.zero(), Constant::value);
        let (loops, mut producer) = st.producer(nest, Lhs::Output { block: None });
        let mut steps = self.fill_outside(&loops, &mut producer)?;
        let name = self.workspaces[w.index()].name.clone();
        let array = self.local(&name, Elem::Scalar(self.dtype), Space::Output);
        let out = Output::of_array(array, written, background, (self.out.tensor, producer.rhs.clone()));
        steps.extend(self.launch_into(out, launch, &loops, producer)?);
        for read in st.reads(w) {
            let access = self.read(array, &dims, &read, st);
            st.read_operand(w, &read, access);
        }
        Ok(steps)
    }
}
