//! How a finished loop runs: in order, unrolled, in lanes, as a reduction, or on several threads.

use super::capacity::Iteration;
use super::region::Window;
use super::state::{Lhs, State, Threads};
use super::tags::is_straight;
use super::{LevelRef, Lowered, Lowerer, Operand};
use crate::cin::grid::positions_of;
use crate::cin::provenance::{Part, Relation};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::llir::{Block, BufferId, Expr, LoopKind, Space, Stmt, VarId, build};
use crate::scalar::Monoid;

/// Copies of the body of a loop for vector lanes whose number of iterations is not constant.
const LANES: u32 = 8;

/// What is multiplied by another size counts for so much work at most, as any size does: the estimate must not overflow.
const MOST_WORK: u64 = 1 << 31;

/// What a loop needs of the state around it, once its body is there.
pub(super) struct Outside {
    stride: Option<u32>,
    /// The state inside, of a loop that runs on several threads.
    on_threads: Option<State>,
}

impl Lowerer<'_> {
    /// Does the schedule run a loop on several threads?
    pub(super) fn runs_on_threads(&self, leaf: IndexVar) -> bool {
        matches!(self.provenance.tag(leaf).parallel, Some((Unit::CpuThread, _)))
    }

    /// The state inside a loop.
    pub(super) fn enter(&self, leaf: IndexVar, mut st: State) -> State {
        st.stride = None;
        st.around.push(leaf);
        if self.is_bound(leaf) {
            st.bound.push(leaf);
        }
        if let Some((Unit::CpuThread, strategy)) = self.provenance.tag(leaf).parallel {
            st.threads = Some(Threads { var: leaf, strategy });
            if let Lhs::Array(target) = &mut st.lhs {
                target.shared = true;
            }
        }
        st
    }

    /// What the loop will need of the state around it.
    pub(super) fn outside(&self, leaf: IndexVar, st: &State) -> Outside {
        let on_threads = self.runs_on_threads(leaf).then(|| self.enter(leaf, st.clone()));
        Outside { stride: st.stride, on_threads }
    }

    /// The loop over `var`, which the schedule calls `leaf`.
    pub(super) fn finish_loop(
        &mut self,
        leaf: IndexVar,
        var: VarId,
        range: Window,
        body: Block,
        outside: &Outside,
    ) -> Lowered {
        if body.is_empty() {
            return Ok(body);
        }
        if let Some(unit) = self.unit(leaf) {
            return self.bind_unit(unit, leaf, var, range, body);
        }
        let Window { lo, hi } = range;
        if self.gpu.is_some() {
            let mut block = self.comments(leaf);
            let kind = match self.tagged_kind(leaf, &lo, &hi, &body) {
                LoopKind::Serial => self.gpu_loop(&lo, &hi, &body),
                kind => kind,
            };
            if let Some(vector) = self.vector_loop(leaf, var, (&lo, &hi), &body) {
                block.extend(vector);
                return Ok(block);
            }
            let step = outside.stride.unwrap_or(1);
            if self.provenance.made_by(leaf).is_none() {
                self.apart.insert(var, leaf);
            }
            block.push(Stmt::For { var, lo, hi, step, kind, body });
            return Ok(block);
        }
        if let Some(inside) = &outside.on_threads {
            let private = self.private(inside)?;
            let gaps = self.gaps(leaf, inside);
            let work = self.work(leaf, inside, &gaps);
            // If all loops go to gaps, rows have as much to do as each other.
            let even = gaps.len() == self.kernel.vars.len();
            let balance = if even { None } else { self.balance(leaf, &lo, &hi) };
            let at = Expr::Var(var);
            let iteration = self.part(leaf, &at, inside).or_else(|| self.outermost(leaf, &lo, &hi, at));
            let appends = self.appends(iteration, &body);
            return Ok(vec![Stmt::Threads { var, lo, hi, work, balance, private, appends, body }]);
        }
        let kind = match self.loop_kind(&body) {
            LoopKind::Serial => self.tagged_kind(leaf, &lo, &hi, &body),
            reduction => self.reduction_kind(leaf, reduction),
        };
        Ok(vec![Stmt::For { var, lo, hi, step: 1, kind, body }])
    }

    /// A loop that is not a reduction, or that is not known to be one.
    fn tagged_kind(&mut self, leaf: IndexVar, lo: &Expr, hi: &Expr, body: &Block) -> LoopKind {
        let tag = self.provenance.tag(leaf);
        match tag.parallel {
            Some((Unit::CpuVector, Strategy::NoRaces | Strategy::IgnoreRaces)) => {
                if self.takes_turns(body) {
                    self.tags.scalar.insert(leaf, "a sparse workspace takes one element after another");
                    return LoopKind::Serial;
                }
                if is_straight(body) {
                    self.tags.in_vectors.insert(leaf);
                } else {
                    let why = "lanes cannot take the loops and branches inside together, and iterations run one after another";
                    self.tags.scalar.insert(leaf, why);
                }
                match (lo, hi) {
                    (Expr::Index(_), Expr::Index(_)) => LoopKind::Lanes,
                    _ => LoopKind::Unroll(LANES),
                }
            }
            Some((Unit::CpuVector, _)) => {
                let why = "an iteration does more than to add one term to one sum, so that they run one after another";
                self.tags.scalar.insert(leaf, why);
                LoopKind::Serial
            }
            _ => match tag.unroll {
                Some(n) => self.unrolled(leaf, n),
                None => LoopKind::Serial,
            },
        }
    }

    /// A reduction takes partial sums, in vectors where it can. One that is to be unrolled is written out as it stands,
    /// term after term.
    fn reduction_kind(&mut self, leaf: IndexVar, reduction: LoopKind) -> LoopKind {
        let tag = self.provenance.tag(leaf);
        match (tag.parallel, tag.unroll) {
            (Some(_), _) => {
                self.tags.in_vectors.insert(leaf);
                reduction
            }
            (None, Some(n)) => self.unrolled(leaf, n),
            (None, None) => reduction,
        }
    }

    fn unrolled(&mut self, leaf: IndexVar, n: u32) -> LoopKind {
        self.tags.unrolled.insert(leaf);
        LoopKind::Unroll(n)
    }

    /// A loop whose only effect is one update of a scalar declared outside it, or of each lane of a register array, is
    /// a reduction.
    pub(super) fn loop_kind(&self, body: &Block) -> LoopKind {
        let Some((last, lets)) = body.split_last() else { return LoopKind::Serial };
        if !lets.iter().all(|s| matches!(s, Stmt::Let { .. })) {
            return LoopKind::Serial;
        }
        match last {
            Stmt::Update { var, op, .. } => LoopKind::Reduce { var: *var, op: *op },
            Stmt::For { kind: LoopKind::Lanes, body, .. } => match body.split_last() {
                Some((Stmt::Reduce { buffer, op, .. }, lets))
                    if self.is_register(*buffer) && lets.iter().all(|s| matches!(s, Stmt::Let { .. })) =>
                {
                    LoopKind::ReduceArray { buffer: *buffer, op: *op }
                }
                _ => LoopKind::Serial,
            },
            _ => LoopKind::Serial,
        }
    }

    fn is_register(&self, buffer: BufferId) -> bool {
        matches!(self.buffers[buffer.index()].space, Space::Register { .. })
    }

    /// An iteration of a loop over parts of a variable's coordinates.
    fn part(&self, leaf: IndexVar, at: &Expr, inside: &State) -> Option<Iteration> {
        let Some(&Relation::Split { parent, outer, part, .. }) = self.provenance.made_by(leaf) else {
            return None;
        };
        if outer != leaf || self.provenance.made_by(parent).is_some() {
            return None;
        }
        let step = match part {
            Part::Inner(n) => Expr::Index(n),
            Part::Outer(_) => inside.steps.get(&parent)?.n.clone(),
        };
        let begin = build::min(build::mul(at.clone(), step), self.extent(parent));
        Some(Iteration { leaf: parent, at: begin, walks: None })
    }

    /// An iteration of a loop that goes over all coordinates of a variable, or over one operand's positions of them.
    fn outermost(&self, leaf: IndexVar, lo: &Expr, hi: &Expr, at: Expr) -> Option<Iteration> {
        self.provenance.made_by(leaf).is_none().then_some(())?;
        if *lo == Expr::Index(0) && *hi == self.extent(leaf) {
            return Some(Iteration { leaf, at, walks: None });
        }
        let walks = |a: &AccessId| {
            let first = (self.levels[a.index()].first(), self.level_vars[a.index()].first());
            matches!(first, (Some(l), Some(v)) if *v == leaf && self.ends_in(hi, l))
        };
        let mut walked = (0..self.accesses.len() as u32).map(AccessId).filter(walks);
        match (walked.next(), walked.next()) {
            (Some(a), None) => Some(Iteration { leaf, at, walks: Some(a) }),
            _ => None,
        }
    }

    /// How a write is kept apart from those of other threads, if it needs to be. A race that is ignored is so by updates that
    /// are atomic: in Rust whatever else shares memory has no meaning at all.
    pub(super) fn race(&self, st: &State) -> Option<Strategy> {
        let threads = st.threads?;
        let strategy = match threads.strategy {
            Strategy::IgnoreRaces => Strategy::Atomics,
            strategy => strategy,
        };
        let apart = match &st.lhs {
            // A thread's own.
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) | Lhs::Scattered(_) => true,
            Lhs::Output { .. } => self.provenance.tells_apart(threads.var, &self.out.vars),
            Lhs::Array(target) => !target.shared || self.provenance.tells_apart(threads.var, &target.indices),
        };
        (!apart).then_some(strategy)
    }

    /// The buffer of which each thread has a copy.
    fn private(&mut self, st: &State) -> Result<Option<(BufferId, Monoid)>, Box<Diagnostic>> {
        let shared = match st.lhs {
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) => Some((
                "the parallel loop sums one term of the statement into a scalar, which threads cannot share",
                "parallelize a loop outside the sum, or write the terms as statements of their own",
            )),
            Lhs::Scattered(_) => Some((
                "the parallel loop scatters into a sparse workspace, which threads cannot share",
                "parallelize a loop outside the workspace: `explain` shows where it stands",
            )),
            _ => None,
        };
        if let Some((message, help)) = shared {
            let span = self.kernel.assignment.lhs.span;
            return Err(Box::new(Diagnostic::new("parallel-term", span, message).help(help)));
        }
        let private = matches!(self.race(st), Some(Strategy::Temporary | Strategy::ParallelReduction));
        Ok(match (&st.lhs, st.op) {
            (Lhs::Array(target), Some(op)) if private => Some((target.buffer, op)),
            (Lhs::Output { .. }, Some(op)) if private => Some((self.out_values(), op)),
            _ => None,
        })
    }

    /// About how many scalar operations the statement takes: the stored entries of its largest operand, times the
    /// sizes of the dimensions that it lacks, or as many as rows of another sparse operand have on average. The loop may go
    /// over positions of another operand, which comes to some of these entries alone. Loops that go to gaps take all
    /// coordinates; sums that were taken before the loop take none of it.
    pub(super) fn work(&self, leaf: IndexVar, st: &State, gaps: &[IndexVar]) -> Expr {
        let sparse = || (0..self.accesses.len() as u32).map(AccessId).filter(|a| self.is_sparse(*a));
        let largest = sparse().max_by_key(|a| (self.levels[a.index()].len(), u32::MAX - a.0));
        let leader = largest.filter(|_| gaps.is_empty());
        let entries = leader.map_or(Expr::Index(1), |a| {
            let all = self.stored_entries(a);
            self.entries_met(a, leaf).map_or(all.clone(), |met| build::min(all, met))
        });
        let is = |w: &IndexVar, v: &IndexVar| self.provenance.original(*w) == *v;
        let has = |v: &IndexVar| leader.is_some_and(|a| self.level_vars[a.index()].iter().any(|w| is(w, v)));
        let others = (0..self.kernel.vars.len() as u32).map(IndexVar);
        let others = others.filter(|v| !has(v) && self.goes_through(leaf, st, *v));
        let sizes = others.map(|v| {
            let mut stored = sparse().chain(self.bucketed()).filter(|_| !gaps.contains(&v));
            stored.find_map(|a| self.average_fiber(a, v)).unwrap_or_else(|| self.extent(v))
        });
        // Two sizes do not overflow.
        let first = usize::from(leader.is_some());
        sizes.enumerate().fold(entries, |work, (n, size)| match n + first {
            0 | 1 => build::mul(work, size),
            _ => build::mul(build::min(work, Expr::Index(MOST_WORK)), size),
        })
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

    /// The positions of an operand below the rows that a loop's iterations are: coordinates of a dense level that begins
    /// its storage, or positions of a sparse one that alone is walked there.
    pub(super) fn balance(&self, leaf: IndexVar, lo: &Expr, hi: &Expr) -> Option<BufferId> {
        self.provenance.made_by(leaf).is_none().then_some(())?;
        if *lo == Expr::Index(0) && *hi == self.extent(leaf) {
            return (0..self.accesses.len()).find_map(|a| match &self.levels[a][..] {
                [rows, below, ..] if rows.level == Level::Dense && self.level_vars[a][0] == leaf => below.pos,
                _ => None,
            });
        }
        let mut walked = (0..self.accesses.len()).flat_map(|a| {
            let levels = self.levels[a].iter().zip(&self.level_vars[a]).enumerate();
            levels.filter(|(_, (l, v))| **v == leaf && self.ends_in(hi, l)).map(move |(l, _)| (a, l))
        });
        match (walked.next(), walked.next()) {
            (Some((a, l)), None) => self.levels[a].get(l + 1).and_then(|below| below.pos),
            _ => None,
        }
    }

    /// Is the end of a loop a position of this level? A loop over a variable can run over what a workspace lists, too.
    fn ends_in(&self, hi: &Expr, level: &LevelRef) -> bool {
        let mut found = false;
        hi.visit(&mut |e| match e {
            Expr::Load { buffer, .. } => found |= level.pos == Some(*buffer),
            Expr::Var(v) => found |= self.definitions.get(v).is_some_and(|e| self.ends_in(e, level)),
            _ => {}
        });
        found
    }
}
