//! How a finished loop runs: in order, unrolled, in lanes, as a reduction, or on several threads.

use super::capacity::Iteration;
use super::region::Window;
use super::state::{Lhs, State, Threads};
use super::tags::is_straight;
use super::{Lowered, Lowerer};
use crate::cin::provenance::{Part, Relation};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::llir::{Block, BufferId, Expr, LoopKind, Space, Stmt, VarId, build};
use crate::scalar::Monoid;

/// Copies of the body of a loop for vector lanes whose number of iterations is not constant.
const LANES: u32 = 8;

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
            let balance = if even { vec![] } else { self.balance(leaf, &lo, &hi, &inside.rhs) };
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
}
