//! Outputs that a lane keeps in registers: innermost loops of constant size over the output, inside reductions.
//!
//! ```text
//! ∀jpos ∀kii C[i, k] += …   →   acc[0..4] = 0; ∀jpos ∀kii acc[kii] += …; ∀kii C[i, k] = acc[kii]
//! ```
//!
//! It is `precompute` of the whole right-hand side over these variables, done where it always pays: one pass over the
//! sparse operand for all of them, and one write each.

use super::super::state::{Lhs, State};
use super::super::{Lowered, Lowerer};
use crate::cin::grid::constant;
use crate::front::ast::IndexVar;
use crate::llir::Block;

/// Elements of the largest array that a lane keeps in registers.
const KEPT_COLUMNS: u64 = 32;

impl Lowerer<'_> {
    /// The loops at the end of the nest that a lane keeps the output of, if it pays.
    pub(in super::super) fn columns(&self, loops: &[IndexVar], st: &State) -> Option<Vec<IndexVar>> {
        if self.gpu.is_none()
            || !st.has_position()
            || st.op.is_none()
            || !matches!(st.lhs, Lhs::Output { .. })
            || self.is_located(st)
        {
            return None;
        }
        let columns = self.trailing_columns(loops);
        let reductions = loops.len() - columns.len();
        let reduces = |v: &IndexVar| {
            !self.unknown_roots(*v, st).iter().any(|r| self.out.vars.contains(r)) && !self.is_written(*v)
        };
        let pays = !columns.is_empty()
            && reductions > 0
            && loops[..reductions].iter().all(reduces)
            && self.decides(&columns, st)
            && st.opens.is_empty();
        pays.then_some(columns)
    }

    pub(in super::super) fn keep_columns(
        &mut self,
        loops: &[IndexVar],
        columns: Vec<IndexVar>,
        st: State,
    ) -> Lowered {
        let mut block = Block::new();
        let acc = self.accumulator(&columns, &st, &mut block);
        let producer = State { lhs: acc.lhs(), repeated: false, segment: None, ..st.clone() };
        let inner = self.lower(loops, producer)?;
        if inner.is_empty() {
            self.note_dropped(&st);
            return Ok(inner);
        }
        block.extend(inner);
        let mut written = st;
        self.end_loops(loops, &mut written);
        block.extend(self.write_accumulated(&acc, &columns, written)?);
        Ok(block)
    }

    /// Does a variable come from the output's alone?
    pub(super) fn is_written(&self, v: IndexVar) -> bool {
        self.provenance.roots(v).iter().all(|r| self.out.vars.contains(r))
    }

    /// Are all of the output's coordinates known inside these loops?
    pub(super) fn decides(&self, columns: &[IndexVar], st: &State) -> bool {
        self.out.vars.iter().all(|o| {
            let known = |v: &IndexVar| st.coords[v.index()].is_some();
            known(o) || self.provenance.leaves(*o).iter().all(|leaf| known(leaf) || columns.contains(leaf))
        })
    }

    /// The loops at the end of a nest that are over the output alone, short, and of constant size.
    pub(in super::super) fn trailing_columns(&self, loops: &[IndexVar]) -> Vec<IndexVar> {
        let kept = |v: &IndexVar| {
            !self.is_bound(*v)
                && constant(self.provenance, *v).is_some_and(|n| n <= KEPT_COLUMNS)
                && self.is_written(*v)
        };
        let reductions = loops.len() - loops.iter().rev().take_while(|v| kept(v)).count();
        let columns = loops[reductions..].to_vec();
        let size = columns.iter().filter_map(|v| constant(self.provenance, *v)).product::<u64>();
        if size <= KEPT_COLUMNS { columns } else { vec![] }
    }
}
