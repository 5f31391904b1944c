//! A result that is a list of elements, each scattered once: a transposition, a conversion.
//!
//! Its rows are the buckets and its coordinates those by which they are sorted. What is left is to bring the values from
//! where they stand in the list, a thread an entry, however long the rows are:
//!
//! ```text
//! pos[n] = begins[n]      for n up to the number of rows
//! vals[n] = list[order[n]]      for every entry
//! ```

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::guard;
use super::super::state::State;
use super::list::THREADS;
use crate::cin::Workspace;
use crate::cin::algebra::{Nest, Val};
use crate::front::ast::IndexVar;
use crate::llir::{Array, Axis, BufferId, Expr, Launch, Space, Step, Stmt, Ty, build};

impl Lowerer<'_> {
    /// The arrays of the result that hold the further coordinates of a workspace, if the result is what is scattered there.
    pub(super) fn listed_result(
        &mut self,
        w: Workspace,
        nest: &Nest,
        loops: &[IndexVar],
        st: &State,
    ) -> Option<Vec<BufferId>> {
        let same = |read: &[IndexVar]| *read == self.out.vars[..] && *loops == self.out.vars[..];
        let reads = matches!(&st.rhs, Val::Work(p) if p.workspace == w && same(&p.read));
        let (g, rank) = (self.out_groups(), self.out.vars.len());
        let rows = g.prefix == (0..1) && g.appended.len() == 1 && g.appended[0] == (1..rank);
        if !(self.out.is_assembled() && reads && rows && nest.op.is_none() && st.op.is_none()) {
            return None;
        }
        let t = self.out.tensor;
        let arrays: Vec<BufferId> = (1..rank).map(|l| self.out_array(Array::Crd(t, l))).collect();
        for buffer in self.buffers.iter_mut().filter(|b| b.space == Space::Growable) {
            buffer.space = Space::Output;
        }
        Some(arrays)
    }

    /// What makes the result of its list, which has so many elements.
    pub(super) fn finish_listed(&mut self, list: usize, all: &Expr) -> Vec<Step> {
        let t = self.out.tensor;
        let (pos, vals) = (self.out_array(Array::Pos(t, 1)), self.out_array(Array::Vals(t)));
        let (begins, buckets) = self.lists[list].buckets();
        let (order, from) = (self.lists[list].order(), self.lists[list].values());
        let ends = build::add(buckets.clone(), Expr::Index(1));
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        let at = self.fresh("at", Ty::Index);
        let number = build::add(build::mul(block, Expr::Index(THREADS)), thread);
        let begin = Stmt::Store { buffer: pos, index: at.into(), value: build::load(begins, at) };
        let value = build::load(from, build::load(order, at));
        let entry = Stmt::Store { buffer: vals, index: at.into(), value };
        let mut body = vec![Stmt::Let { var: at, value: number }];
        body.extend(guard(build::lt(at, ends.clone()), vec![begin]));
        body.extend(guard(build::lt(at, build::load(begins, buckets)), vec![entry]));
        let grid = vec![Axis { var: block, blocks: ceil(build::max(ends.clone(), all.clone()), THREADS) }];
        let (name, threads) = (format!("{}_fill", self.kernel.name), THREADS as u32);
        vec![
            Step::Allocate { buffer: pos, len: ends, init: None },
            Step::Allocate { buffer: vals, len: all.clone(), init: None },
            Step::Launch(Launch { name, grid, thread, threads, shared: vec![], body }),
        ]
    }
}
