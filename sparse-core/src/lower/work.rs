//! How much there is to do in a loop, and how it is spread over the iterations: whether threads are worth it, and where each begins.

use super::state::{Lhs, SparseTarget, State};
use super::{LevelRef, Lowerer, Operand};
use crate::cin::grid::positions_of;
use crate::cin::val::{AccessId, Production, Val};
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::{BufferId, Expr, IndexOp, build};
use std::collections::BTreeSet;

/// What is multiplied by another size counts for so much work at most, as any size does: the estimate must not overflow.
const MOST_WORK: u64 = 1 << 31;

impl Lowerer<'_> {
    /// About how many scalar operations the statement takes: those of each part of it that is nothing without a sparse operand,
    /// added up, and of what fills arrays first. Loops that go to gaps take all coordinates; sums that were taken before the loop take
    /// none of it.
    pub(super) fn work(&self, leaf: IndexVar, st: &State, gaps: &[IndexVar]) -> Expr {
        if !gaps.is_empty() {
            return self.work_of(leaf, None, st, gaps);
        }
        let stages = self.stages(st);
        let mut works: Vec<Expr> = match &stages[..] {
            [alone] => self.works(leaf, alone, |own, _| own.map(|a| (a, self.levels[a.index()].len()))),
            _ => {
                let around = |own, part: &State| self.around(leaf, own, part);
                stages.iter().flat_map(|stage| self.works(leaf, stage, around)).collect()
            }
        };
        // Sums of three products do not overflow.
        if works.len() > 3 {
            for work in works.iter_mut().filter(|work| matches!(work, Expr::IndexOp(IndexOp::Mul, ..))) {
                *work = build::min(work.clone(), Expr::Index(MOST_WORK));
            }
        }
        let all = works.into_iter().reduce(build::add);
        all.unwrap_or_else(|| {
            let all = (0..self.accesses.len() as u32).map(AccessId).filter(|a| self.is_sparse(*a));
            let leader = self.largest(all.collect()).map(|a| (a, self.levels[a.index()].len()));
            self.work_of(leaf, leader, st, gaps)
        })
    }

    /// What fills the arrays that hold parts of products, one after another, and then what reads them. A list is read as often as it
    /// may have elements, which its own operands say.
    fn stages(&self, st: &State) -> Vec<State> {
        let is_array = |p: &Production| {
            let decl = &self.workspaces[p.workspace.index()];
            decl.part && !decl.format.is_sparse()
        };
        // Who reads a part has its variables in other factors, too.
        let read = |v: &Val| matches!(v, Val::Work(p) if is_array(p)).then_some(Val::Temp(0));
        let (mut parts, mut stages) = (vec![], vec![]);
        st.rhs.for_each_production(&mut |p| {
            if is_array(p) && !parts.contains(&p.workspace) {
                parts.push(p.workspace);
                let target = SparseTarget {
                    workspace: None,
                    indices: p.written.clone(),
                    init: self.dtype.zero(),
                    masks: vec![],
                };
                let (rhs, lhs, op) = (p.nest.rhs.map(&read), Lhs::Scattered(target), p.nest.op);
                stages.push(State { rhs, lhs, op, ..st.clone() });
            }
        });
        stages.push(State { rhs: st.rhs.map(&read), ..st.clone() });
        stages
    }

    /// The work of each part of a statement that is nothing without a sparse operand: of all of it, if there is none, but there are
    /// rows of others around.
    fn works(
        &self,
        leaf: IndexVar,
        st: &State,
        leader: impl Fn(Option<AccessId>, &State) -> Option<(AccessId, usize)>,
    ) -> Vec<Expr> {
        let (mut works, mut left) = (vec![], st.clone());
        while let Some(a) = self.largest(self.sparse_operands(&left)) {
            let share = self.share_of(a, &left);
            works.push(self.work_of(leaf, leader(Some(a), &share), &share, &[]));
            left = left.without(self, &[a]);
        }
        if let (true, leader @ Some(_)) = (works.is_empty(), leader(None, st)) {
            works.push(self.work_of(leaf, leader, st, &[]));
        }
        works
    }

    /// The operand that says how often one of several stages is come to, and how many of its levels do: its own, if the loop walks that,
    /// or the one that loops around walk, which most of its levels may be of.
    fn around(&self, leaf: IndexVar, own: Option<AccessId>, st: &State) -> Option<(AccessId, usize)> {
        let whole = |a: AccessId| (a, self.levels[a.index()].len());
        let of_leaf = |v: &IndexVar| {
            self.provenance
                .roots(leaf)
                .iter()
                .any(|r| self.provenance.original(*r) == self.provenance.original(*v))
        };
        let walked = |a: &AccessId| self.level_vars[a.index()].iter().any(of_leaf);
        if let Some(a) = own.filter(walked) {
            return Some(whole(a));
        }
        let gone = |v: &&IndexVar| self.goes_through(leaf, st, self.provenance.original(**v));
        let all = (0..self.accesses.len() as u32).map(AccessId).filter(|a| self.is_sparse(*a) && walked(a));
        let around = all.map(|a| (a, self.level_vars[a.index()].iter().take_while(gone).count()));
        let most = around.filter(|(_, n)| *n > 0).max_by_key(|(a, n)| (*n, u32::MAX - a.0));
        most.or(own.map(whole))
    }

    /// The tensors among a statement's operands that store which entries they have.
    fn sparse_operands(&self, st: &State) -> Vec<AccessId> {
        let mut found = vec![];
        st.rhs.for_each_access(&mut |a| found.push(a));
        found.retain(|a| a.index() < self.accesses.len() && self.is_sparse(*a));
        found
    }

    /// The one of the most levels, of these the first.
    fn largest(&self, of: Vec<AccessId>) -> Option<AccessId> {
        of.into_iter().max_by_key(|a| (self.levels[a.index()].len(), u32::MAX - a.0))
    }

    /// A statement without the operands that are something where this one is not, and it where they are not.
    fn share_of(&self, a: AccessId, st: &State) -> State {
        let without = |b: AccessId| st.clone().without(self, &[b]).rhs;
        let left = without(a);
        let mut others = vec![];
        st.rhs.for_each_access(&mut |b| others.push(b));
        others.retain(|b| *b != a && left.contains(*b) && without(*b).contains(a));
        st.clone().without(self, &others)
    }

    /// The same of one part: the stored entries of its largest operand, or what its first levels store, and of those that are merged with
    /// it all along, times the sizes of the dimensions that it lacks, or as many as rows of another sparse operand have on average. The loop may go
    /// over positions of another operand, which comes to some of these entries alone.
    fn work_of(
        &self,
        leaf: IndexVar,
        leader: Option<(AccessId, usize)>,
        st: &State,
        gaps: &[IndexVar],
    ) -> Expr {
        let entries = leader.map_or(Expr::Index(1), |(a, levels)| {
            if levels < self.levels[a.index()].len() {
                return self.positions_below(a, levels);
            }
            let all = self.entries_merged(a, leaf, st);
            self.entries_met(a, leaf).map_or(all.clone(), |met| build::min(all, met))
        });
        let is = |w: &IndexVar, v: &IndexVar| self.provenance.original(*w) == *v;
        let has = |v: &IndexVar| {
            leader.is_some_and(|(a, levels)| self.level_vars[a.index()][..levels].iter().any(|w| is(w, v)))
        };
        let others = (0..self.kernel.vars.len() as u32).map(IndexVar);
        let others = others.filter(|v| !has(v) && self.goes_through(leaf, st, *v));
        let sparse = (0..self.accesses.len() as u32).map(AccessId).filter(|a| self.is_sparse(*a));
        let sparse: Vec<_> = sparse.chain(self.bucketed()).collect();
        let sizes = others.map(|v| {
            let mut stored = sparse.iter().filter(|_| !gaps.contains(&v));
            stored.find_map(|a| self.average_fiber(*a, v)).unwrap_or_else(|| self.extent(v))
        });
        // Two sizes do not overflow.
        let first = usize::from(leader.is_some());
        sizes.enumerate().fold(entries, |work, (n, size)| match n + first {
            0 | 1 => build::mul(work, size),
            _ => build::mul(build::min(work, Expr::Index(MOST_WORK)), size),
        })
    }

    /// The stored entries of an operand and of others over the same variables, unless the loop goes over one's positions, for
    /// which the others are searched.
    fn entries_merged(&self, a: AccessId, leaf: IndexVar, st: &State) -> Expr {
        let of = |a: AccessId| self.level_vars[a.index()].iter().collect::<BTreeSet<_>>();
        let mut merged: BTreeSet<_> =
            self.sparse_operands(st).into_iter().filter(|b| of(*b) == of(a)).collect();
        if positions_of(self.provenance, leaf).is_some() {
            merged.clear();
        }
        merged.insert(a);
        merged.into_iter().map(|b| self.stored_entries(b)).fold(Expr::Index(0), build::add)
    }

    /// Does a loop, or one inside, go through a variable's coordinates?
    fn goes_through(&self, leaf: IndexVar, st: &State, v: IndexVar) -> bool {
        let of =
            |w: IndexVar| self.provenance.roots(w).iter().any(|root| self.provenance.original(*root) == v);
        let mut found = of(leaf) || st.varies(self, v);
        st.rhs.for_each_access(&mut |a| {
            let levels = &self.level_vars[a.index()][st.cursors[a.index()].level..];
            found |= levels.iter().any(|w| of(*w));
        });
        found
    }

    /// Copies of operands, in rows that are known by now.
    fn bucketed(&self) -> impl Iterator<Item = AccessId> {
        let tensors = self.tensors.iter().enumerate();
        tensors.filter(|(_, t)| matches!(t, Operand::Bucketed(..))).map(|(a, _)| AccessId(a as u32))
    }

    /// The variables at all of whose coordinates a statement has something to do, whatever is stored; none, if it has not at
    /// all coordinates of any sparse operand.
    pub(super) fn gaps(&self, leaf: IndexVar, st: &State) -> Vec<IndexVar> {
        let mut sparse = Vec::new();
        st.rhs.for_each_access(&mut |a| sparse.push(a));
        sparse.retain(|a| self.is_sparse(*a));
        let gap = st.clone().without(self, &sparse);
        if gap.is_noop(self) {
            return vec![];
        }
        let mut vars: Vec<_> = (0..self.kernel.vars.len() as u32).map(IndexVar).collect();
        vars.retain(|v| self.provenance.roots(leaf).contains(v) || gap.varies(self, *v));
        let is_covered = |a: &AccessId| {
            let mut own = self.level_vars[a.index()].iter().map(|v| self.provenance.original(*v));
            own.all(|v| vars.contains(&v))
        };
        if sparse.iter().any(is_covered) { vars } else { vec![] }
    }

    /// About how many entries of an operand a loop over the positions of another comes to, which selects its rows.
    fn entries_met(&self, a: AccessId, leaf: IndexVar) -> Option<Expr> {
        let walked = positions_of(self.provenance, leaf)?;
        let b = AccessId(self.accesses.iter().position(|b| b == walked)? as u32);
        let levels = self.levels[a.index()].iter().zip(&self.level_vars[a.index()]);
        let selects = |v: &IndexVar| self.level_vars[b.index()].contains(v);
        let rows = levels.take_while(|(l, v)| l.level == Level::Dense && selects(v)).count();
        if a == b || rows == 0 {
            return None;
        }
        Some(build::mul(self.stored_entries(b), self.average_children(a, rows, self.levels[a.index()].len())))
    }

    /// About how many coordinates of a variable an operand stores below each position of the level above.
    fn average_fiber(&self, a: AccessId, v: IndexVar) -> Option<Expr> {
        // A producer may have it under another name.
        let level = self.level_vars[a.index()].iter().position(|w| self.provenance.original(*w) == v)?;
        if level == 0 || self.levels[a.index()][level].level.is_full() {
            return None;
        }
        Some(self.average_children(a, level, level + 1))
    }

    /// About how many positions of an operand at the end of its first `below` levels a position has at the end of its first
    /// `above`.
    fn average_children(&self, a: AccessId, above: usize, below: usize) -> Expr {
        let parents = build::max(self.positions_below(a, above), Expr::Index(1));
        build::add(build::div(self.positions_below(a, below), parents), Expr::Index(1))
    }

    /// The positions of operands below the rows that a loop's iterations are: coordinates of dense levels that begin
    /// their storage, or positions of a sparse one that alone is walked there.
    pub(super) fn balance(&self, leaf: IndexVar, lo: &Expr, hi: &Expr, rhs: &Val) -> Vec<BufferId> {
        if self.provenance.made_by(leaf).is_some() {
            return vec![];
        }
        if *lo == Expr::Index(0) && *hi == self.extent(leaf) {
            let rows = |a: &AccessId| match &self.levels[a.index()][..] {
                [rows, below, ..] if rows.level == Level::Dense && self.level_vars[a.index()][0] == leaf => {
                    below.pos
                }
                _ => None,
            };
            let all = || (0..self.accesses.len() as u32).map(AccessId);
            let read: BTreeSet<_> = all().filter(|a| rhs.contains(*a)).filter_map(|a| rows(&a)).collect();
            // What was made of an operand's rows has about as much in them.
            let made = || all().find_map(|a| rows(&a)).into_iter().collect();
            return if read.is_empty() { made() } else { read.into_iter().collect() };
        }
        let mut walked = (0..self.accesses.len()).flat_map(|a| {
            let levels = self.levels[a].iter().zip(&self.level_vars[a]).enumerate();
            levels.filter(|(_, (l, v))| **v == leaf && self.ends_in(hi, l)).map(move |(l, _)| (a, l))
        });
        match (walked.next(), walked.next()) {
            (Some((a, l)), None) => {
                self.levels[a].get(l + 1).and_then(|below| below.pos).into_iter().collect()
            }
            _ => vec![],
        }
    }

    /// Is the end of a loop a position of this level? A loop over a variable can run over what a workspace lists, too.
    pub(super) fn ends_in(&self, hi: &Expr, level: &LevelRef) -> bool {
        let mut found = false;
        hi.visit(&mut |e| match e {
            Expr::Load { buffer, .. } => found |= level.pos == Some(*buffer),
            Expr::Var(v) => found |= self.definitions.get(v).is_some_and(|e| self.ends_in(e, level)),
            _ => {}
        });
        found
    }
}
