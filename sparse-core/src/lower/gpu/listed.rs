//! A result that is a list of elements, each scattered once: a transposition, a conversion.
//!
//! Its rows are the buckets and its coordinates those by which they are sorted. What is left is to bring the values from
//! where they stand in the list, a thread an entry, however long the rows are:
//!
//! ```text
//! pos[n] = begins[n]               for n up to the number of rows
//! vals[n] = list[order[n]]         for every entry
//! ```
//!
//! A list of coordinates, as `Coo`, has for each entry the number of its bucket, which is found by a search.

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::guard;
use super::super::state::State;
use super::list::THREADS;
use crate::cin::Workspace;
use crate::cin::algebra::{Nest, Val};
use crate::front::ast::IndexVar;
use crate::llir::{Array, Axis, Bound, BufferId, Expr, Launch, Space, Step, Stmt, Ty, build};
use crate::scalar::Value;

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
        // Rows, or tuples of coordinates.
        let rows = g.prefix == (0..1) && g.appended == [1..rank];
        let fits = rank > 1 && (rows || g.prefix.is_empty() && g.appended == [0..rank]);
        if !(self.out.is_assembled() && reads && fits && nest.op.is_none() && st.op.is_none()) {
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
        let has_rows = !self.out_groups().prefix.is_empty();
        let (pos, vals) =
            (self.out_array(Array::Pos(t, usize::from(has_rows))), self.out_array(Array::Vals(t)));
        let (begins, buckets) = self.lists[list].buckets();
        let (order, from) = (self.lists[list].order(), self.lists[list].values());
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        let at = self.fresh("at", Ty::Index);
        let number = build::add(build::mul(block, Expr::Index(THREADS)), thread);
        let mut body = vec![Stmt::Let { var: at, value: number }];
        let store = |buffer, index: Expr, value| Stmt::Store { buffer, index, value };
        let len = || build::load(begins, buckets.clone());
        let ends = build::add(buckets.clone(), Expr::Index(1));
        let value = build::load(from, build::load(order, at));
        let mut entry = vec![store(vals, at.into(), value)];
        let mut steps = vec![Step::Allocate { buffer: vals, len: all.clone(), init: None }];
        let threads = if has_rows {
            steps.push(Step::Allocate { buffer: pos, len: ends.clone(), init: None });
            let begin = store(pos, at.into(), build::load(begins, at));
            body.extend(guard(build::lt(at, ends.clone()), vec![begin]));
            build::max(ends, all.clone())
        } else {
            let crd = self.out_array(Array::Crd(t, 0));
            steps.push(Step::Allocate { buffer: crd, len: all.clone(), init: None });
            steps.push(Step::Allocate { buffer: pos, len: Expr::Index(2), init: Some(Value::I32(0)) });
            let end = store(pos, Expr::Index(1), len());
            body.extend(guard(build::eq(at, Expr::Index(0)), vec![end]));
            let after = build::search(Bound::Upper, begins, Expr::Index(0), ends, at);
            entry.insert(0, store(crd, at.into(), build::sub(after, Expr::Index(1))));
            all.clone()
        };
        body.extend(guard(build::lt(at, len()), entry));
        let grid = vec![Axis { var: block, blocks: ceil(threads, THREADS) }];
        let (name, threads) = (format!("{}_fill", self.kernel.name), THREADS as u32);
        steps.push(Step::Launch(Launch { name, grid, thread, threads, shared: vec![], body }));
        steps
    }
}
