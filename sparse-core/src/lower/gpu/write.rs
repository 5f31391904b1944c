//! How a value reaches memory: by a plain store where the writer is the only one, else through its group, else atomically.

use super::super::Lowerer;
use super::super::region::guard;
use super::super::state::{Lhs, State};
use super::super::update::Update;
use crate::cin::grid::{self, constant};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::llir::{Arrive, Block, BufferId, Collective, Expr, Group, Sole, Space, Stmt, VarId, Write, build};
use crate::scalar::Monoid;

/// Who else writes an element, given the bound loops around the write.
struct Writers {
    /// The group whose lanes all reduce into the element, and how.
    group: Option<(u32, Strategy)>,
    /// Others write it too.
    shared: bool,
    /// Others write it too, and a strategy says that updates are atomic.
    atomic: bool,
}

impl Lowerer<'_> {
    /// The group of a loop whose lanes reduce together.
    fn reducing(&self, leaf: IndexVar) -> Option<(u32, Strategy)> {
        match self.provenance.tag(leaf).parallel {
            Some((Unit::GpuGroup(r), strategy)) if strategy.is_grouped() => Some((r, strategy)),
            _ => None,
        }
    }

    /// Do several bound iterations write an element from here, and atomically?
    pub(in super::super) fn races_on_gpu(&self, st: &State) -> bool {
        self.writers(st).atomic
    }

    fn writers(&self, st: &State) -> Writers {
        let target = match &st.lhs {
            Lhs::Array(target) => &target.indices,
            _ => &self.out.vars,
        };
        // Each block has its own shared array.
        let own = |v: &IndexVar| self.unit(*v) == Some(Unit::GpuBlock) && matches!(st.lhs, Lhs::Array(_));
        let apart = |v: &IndexVar| own(v) || grid::tells_apart(self.kernel, self.provenance, *v, target);
        let racing: Vec<IndexVar> = st.bound.iter().copied().filter(|v| !apart(v)).collect();
        // A lane that has a row, or after a scatter a column, for itself writes it alone.
        let group = racing.iter().find_map(|v| self.reducing(*v));
        let group = group.filter(|_| st.sole.is_none() && !st.scattered);
        // The group resolves its loop if all of the loop's threads are one group, whose lanes do not have another's segments when a
        // loop around comes to them again.
        let resolved = |v: &IndexVar| match self.reducing(*v) {
            Some((_, s)) if s.is_segmented() && self.is_in_turns(*v, st) => false,
            Some((r, _)) => constant(self.provenance, *v) == Some(u64::from(r)),
            None => false,
        };
        let left = racing.iter().any(|v| !resolved(v));
        let licensed = st.bound.iter().any(|v| match self.provenance.tag(*v).parallel {
            Some((_, s)) => s == Strategy::Atomics || s.is_grouped(),
            // Nobody scheduled these threads, so nobody promised anything.
            None => self.root == Some(*v),
        });
        Writers { group, shared: left, atomic: left && licensed }
    }

    /// Is there a loop around, of one thread after the other, that has other parts of what the variable's loop goes over?
    fn is_in_turns(&self, v: IndexVar, st: &State) -> bool {
        let roots = self.provenance.roots(v);
        let outside = st.around.iter().take_while(|w| **w != v);
        let mut serial = outside.filter(|w| !self.is_bound(**w));
        serial.any(|w| self.provenance.roots(*w).iter().any(|r| roots.contains(r)))
    }

    /// The group whose lanes all reduce into what is written.
    pub(super) fn group_of(&self, st: &State) -> Option<(u32, Strategy)> {
        self.writers(st).group
    }

    /// Will lanes of a group reduce together, after conditions that each of them decides by itself?
    pub(in super::super) fn meets(&self, st: &State) -> bool {
        let group = st.segment.is_some() || st.bound.iter().any(|v| self.reducing(*v).is_some());
        group
            && st.has_position()
            && st.sole.is_none()
            && matches!(st.lhs, Lhs::Output { .. })
            && st.op.is_some()
            && self.is_conditional(st)
    }

    /// Has an operand a sparse level that is not walked yet?
    pub(super) fn is_conditional(&self, st: &State) -> bool {
        let mut conditional = false;
        st.rhs.for_each_access(&mut |a| {
            let levels = &self.levels[a.index()][st.cursors[a.index()].level..];
            conditional |= levels.iter().any(|l| !l.level.is_full());
        });
        conditional
    }

    /// `buffer[index] op= value`, by one of the threads that have it.
    pub(in super::super) fn store_on_gpu(
        &mut self,
        st: &State,
        buffer: BufferId,
        index: Expr,
        value: Expr,
    ) -> Block {
        let one = self.one_thread(st);
        let accumulates = self.out.accumulates();
        let Some(op) = st.op else {
            return guard(one, vec![Stmt::Store { buffer, index, value }]);
        };
        if let Some(segment) = st.segment.clone() {
            self.out.needs_init |= !accumulates;
            return self.store_segment(&segment, Update { buffer, index, op, value }, one, st);
        }
        let Writers { group, shared, atomic } = self.writers(st);
        let combines = accumulates || st.repeated || shared;
        self.out.needs_init |= !accumulates && combines;
        let Some(size) = self.tree(group, st) else {
            let update = Update { buffer, index, op, value };
            if let (Some(sole), Some(carried)) = (&st.sole, &st.carried) {
                return guard(one, self.store_or_carry(sole.clone(), carried, update, st));
            }
            if let (true, Some(sole)) = (atomic, &st.sole) {
                return guard(one, self.store_sole(sole.clone(), update));
            }
            let write = match (atomic, combines) {
                (true, _) => update.atomic(),
                (false, true) => update.combined(),
                (false, false) => update.stored(),
            };
            return guard(one, vec![write]);
        };
        let write = match (atomic, combines) {
            (true, _) => Write::Atomic,
            (false, true) => Write::Sole(Sole::Combine),
            (false, false) => Write::Sole(Sole::Store),
        };
        vec![self.by_tree(size, Update { buffer, index, op, value }, one, write)]
    }

    /// The size of a group that reduces one element.
    fn tree(&mut self, group: Option<(u32, Strategy)>, st: &State) -> Option<u32> {
        if group.is_some() && self.lanes_decide(st) {
            self.refused = Some(self.no_segments());
        }
        if let Some((_, Strategy::ReduceScatter)) = group
            && self.refused.is_none()
        {
            self.refused = Some(self.no_columns(1));
        }
        group.map(|(size, _)| size)
    }

    /// Do the lanes of a group that reduces have elements of their own, of the output or of a workspace?
    pub(super) fn lanes_decide(&self, st: &State) -> bool {
        let of_output = |r: &IndexVar| matches!(st.lhs, Lhs::Output { .. }) && self.out.vars.contains(r);
        let decides = |v: &IndexVar| match &st.lhs {
            // Elements may be of a part of what the lanes have parts of.
            Lhs::Array(target) => target.indices.iter().any(|i| self.provenance.comes_from(*v, *i)),
            _ => self.provenance.roots(*v).iter().any(of_output),
        };
        st.bound.iter().filter(|v| self.reducing(**v).is_some()).any(decides)
    }

    pub(super) fn no_segments(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "unsorted-segment",
                self.kernel.assignment.lhs.span,
                "the lanes of a group have different outputs, but no segments of equal ones are known where it writes",
            )
            .help("`reorder` so that the parts of the positions are nested from the coarsest to the finest; of an operand that stores all coordinates of each entry, as `Coo` does, give each lane one position; or write `Atomics`"),
        )
    }

    /// An element of a workspace that a block's threads share.
    pub(in super::super) fn store_shared(
        &mut self,
        st: &State,
        buffer: BufferId,
        index: Expr,
        value: Expr,
    ) -> Block {
        let one = self.one_thread(st);
        let Some(op) = st.op else {
            return guard(one, vec![Stmt::Store { buffer, index, value }]);
        };
        // It holds the identity before.
        let Writers { group, atomic, .. } = self.writers(st);
        let Some(size) = self.tree(group, st) else {
            let update = Update { buffer, index, op, value };
            return guard(one, vec![if atomic { update.atomic() } else { update.combined() }]);
        };
        let write = if atomic { Write::Atomic } else { Write::Sole(Sole::Combine) };
        vec![self.by_tree(size, Update { buffer, index, op, value }, one, write)]
    }

    /// All lanes of a group reduce into one element, and the one for which `when` holds writes it.
    fn by_tree(&self, size: u32, update: Update, when: Expr, write: Write) -> Stmt {
        let Update { buffer, index, op, value } = update;
        let group = Group { size, arrive: Arrive::Warp };
        let value = self.begun(value, op);
        Stmt::Collective(Collective::Reduce { group, segments: None, op, value, buffer, index, when, write })
    }

    /// What a lane brings to its group, or is the first in a table. It begins with the identity, as what is accumulated
    /// does: so a minimum of nothing but NaN is the same whether a thread has one entry or all.
    pub(super) fn begun(&self, value: Expr, op: Monoid) -> Expr {
        let accumulated = match &value {
            Expr::Var(v) => self.accumulators.contains(v),
            Expr::Load { buffer, .. } => matches!(self.buffers[buffer.index()].space, Space::Register { .. }),
            _ => false,
        };
        match op.identity(self.dtype) {
            Some(identity)
                if matches!(op, Monoid::Min | Monoid::Max) && self.dtype.is_float() && !accumulated =>
            {
                Expr::Binary(op.op(), Box::new(Expr::Lit(identity)), Box::new(value))
            }
            _ => value,
        }
    }

    /// Does a thread come by again, in a loop that it runs itself?
    pub(in super::super) fn comes_again(&self, st: &State) -> bool {
        let serial = |v: &IndexVar| !self.is_bound(*v);
        let known = (0..self.provenance.len() as u32)
            .map(IndexVar)
            .filter(|v| st.coords[v.index()].is_some() && self.provenance.made_by(*v).is_none());
        st.around.iter().any(serial)
            || known.into_iter().any(|v| self.provenance.leaves(v).iter().any(serial))
    }

    /// Loops that reduced into what is written now: the threads of those that a unit runs have a part of it each.
    pub(in super::super) fn end_loops(&self, loops: &[IndexVar], st: &mut State) {
        let bound: Vec<IndexVar> = loops.iter().copied().filter(|v| self.is_bound(*v)).collect();
        st.bound.extend(&bound);
        st.ended.extend(&bound);
    }

    /// Whatever bound loop does not stand around the write: one of its threads writes. Of a loop that has ended the
    /// threads that it does not have do not.
    pub(in super::super) fn one_thread(&self, st: &State) -> Expr {
        let gpu = self.gpu();
        let has = |wanted: fn(Unit) -> bool| st.bound.iter().any(|v| self.unit(*v).is_some_and(wanted));
        let mut one = Expr::Cond(true);
        for (n, block) in gpu.grid.blocks.iter().enumerate() {
            if !st.bound.contains(block) && !matches!(st.lhs, Lhs::Array(_)) {
                one = build::and(one, build::eq(gpu.axes[n].0, Expr::Index(0)));
            }
        }
        let (warp, thread) = (
            has(|u| u == Unit::GpuWarp) || gpu.grid.warps == 1 || gpu.of_class,
            has(|u| matches!(u, Unit::GpuThread | Unit::GpuGroup(_))),
        );
        for v in &st.ended {
            if let (Some(unit), Some(n)) = (self.unit(*v), constant(self.provenance, *v))
                && unit != Unit::GpuBlock
            {
                let (own, count) = self.hardware(unit);
                if n < count {
                    one = build::and(one, build::lt(own, Expr::Index(n)));
                }
            }
        }
        let zero = |e: Expr| build::eq(e, Expr::Index(0));
        match (warp, thread) {
            (true, true) => one,
            // Not a block's padding either.
            (true, false) if gpu.grid.warps > 1 && gpu.grid.lanes == 1 => one,
            // What the team does is shared out when the row is complete.
            (true, false) if gpu.grid.team.is_some() => one,
            (true, false) => build::and(one, zero(self.hardware(Unit::GpuThread).0)),
            (false, true) => build::and(one, zero(self.hardware(Unit::GpuWarp).0)),
            (false, false) => build::and(one, zero(Expr::Var(gpu.thread))),
        }
    }

    /// After loops that reduced into a lane's own scalar: the lanes' partial values come together.
    pub(in super::super) fn total(
        &mut self,
        var: VarId,
        op: Monoid,
        loops: &[IndexVar],
    ) -> Result<Block, Box<Diagnostic>> {
        let bound: Vec<IndexVar> = loops.iter().copied().filter(|v| self.is_bound(*v)).collect();
        match &bound[..] {
            [] => Ok(vec![]),
            [v] => match self.reducing(*v) {
                Some((_, Strategy::ReduceScatter)) => Err(self.no_columns(1)),
                Some((size, _)) if constant(self.provenance, *v) == Some(u64::from(size)) => {
                    let group = Group { size, arrive: Arrive::Warp };
                    Ok(vec![Stmt::Collective(Collective::Total { var, op, group })])
                }
                _ => Err(self.parallel_term()),
            },
            _ => Err(self.parallel_term()),
        }
    }

    fn parallel_term(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "parallel-term",
                self.kernel.assignment.lhs.span,
                "the parallel loop sums one term of the statement into a scalar, which only one group of threads can share",
            )
            .help("split so that the loop has as many iterations as its `GPUGroup`, with `ParallelReduction`; or write the terms as statements of their own"),
        )
    }
}
