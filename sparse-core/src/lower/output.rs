//! The output: where a value is written, and what the host makes room for.
//!
//! A dense output, or one that shares an operand's pattern, is *located*: its element's position is computed from
//! known coordinates or positions. Any other is [appended](super::append) in order.

use super::assemble::Assembly;
use super::capacity::Capacity;
use super::gpu::GpuRows;
use super::region::Sweep;
use super::state::{Fiber, Lhs, State};
use super::tidy::tidy;
use super::{Lowered, Lowerer};
use crate::cin::assembly::{Groups, groups};
use crate::cin::nested::Nested;
use crate::cin::order::level_vars;
use crate::cin::result::{ResultKind, background};
use crate::cin::val::{AccessId, Val};
use crate::diag::Diagnostic;
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel, Mode};
use crate::front::command::Strategy;
use crate::llir::{Array, Block, BufferId, Expr, Space, Step, Stmt, build};
use crate::looplet::Position;
use crate::scalar::Value;

/// What lowering knows and learns about the output.
pub(super) struct Output {
    pub(super) tensor: TensorId,
    /// Where it is an array of the call, filled as if it were a dense result, and not the statement's.
    array: Option<BufferId>,
    pub(super) kind: ResultKind,
    /// The operand whose pattern it shares, and how many of its levels.
    leader: Option<(AccessId, usize)>,
    groups: Option<Groups>,
    /// Where it is assembled by rows, by several threads.
    pub(super) assembly: Option<Assembly>,
    /// What launches have for rows that are assembled.
    pub(super) gpu: GpuRows,
    /// The variable at each level.
    pub(super) vars: Vec<IndexVar>,
    /// Value of what is not stored.
    pub(super) fill: Value,
    /// Value of an element that nothing is reduced into.
    pub(super) background: Value,
    /// Combines with what an in-place output holds.
    accumulates: bool,
    in_place: bool,
    /// Some element may be read or left before it is written: initialise first.
    pub(super) needs_init: bool,
    /// Some row of the dense prefix may not be closed.
    pub(super) pos_gaps: bool,
    /// Threads append: rows and parents store how many children they have, of which `pos` is made after the loop.
    pub(super) in_tasks: bool,
    /// How many entries it has, at most, where they are put in their places as they are scattered.
    pub(super) filled: Option<Capacity>,
    /// The bound on what the iterations append.
    pub(super) capacity: Option<Capacity>,
    /// The right-hand side.
    pub(super) rhs: Val,
}

impl Output {
    pub(super) fn new(kernel: &Kernel, nested: &Nested, kind: ResultKind, accumulates: bool) -> Self {
        let tensor = nested.lhs.tensor;
        let t = &kernel.tensors[tensor.index()];
        let leader = match &kind {
            ResultKind::Like { of, levels } => {
                nested.accesses.iter().position(|a| a == of).map(|k| (AccessId(k as u32), *levels))
            }
            ResultKind::Dense | ResultKind::Append => None,
        };
        Output {
            tensor,
            array: None,
            groups: if kind == ResultKind::Append { groups(&t.spec) } else { None },
            kind,
            leader,
            assembly: None,
            gpu: GpuRows::default(),
            vars: level_vars(&t.spec, &nested.lhs),
            fill: t.spec.fill.value(kernel.dtype),
            background: background(nested.nest.op, &t.spec, kernel),
            accumulates,
            in_place: t.mode == Mode::InOut,
            needs_init: false,
            pos_gaps: false,
            in_tasks: false,
            filled: None,
            capacity: None,
            rhs: nested.nest.rhs.clone(),
        }
    }

    /// An array of the call, as if it were a dense result. `of`: the statement's, and what is computed.
    pub(super) fn of_array(
        array: BufferId,
        vars: Vec<IndexVar>,
        background: Value,
        (tensor, rhs): (TensorId, Val),
    ) -> Self {
        Output {
            tensor,
            array: Some(array),
            groups: None,
            kind: ResultKind::Dense,
            leader: None,
            assembly: None,
            gpu: GpuRows::default(),
            vars,
            fill: background,
            background,
            accumulates: false,
            in_place: false,
            needs_init: false,
            pos_gaps: false,
            in_tasks: false,
            filled: None,
            capacity: None,
            rhs,
        }
    }

    /// The same of an array that holds something already.
    pub(super) fn added_to(self) -> Self {
        Output { accumulates: true, in_place: true, ..self }
    }

    /// Is it written where this operand's positions below so many levels say, or further down?
    pub(super) fn is_at(&self, a: AccessId, levels: usize) -> bool {
        self.leader.is_some_and(|(leader, shared)| leader == a && shared > levels)
    }

    /// The state's, before anything is walked.
    pub(super) fn fiber(&self) -> Option<Fiber> {
        self.leader.map(|(access, levels)| Fiber { access, levels, position: None })
    }

    /// The dense levels below those whose positions are an operand's.
    fn suffix(&self) -> std::ops::Range<usize> {
        self.leader.map_or(0, |(_, levels)| levels)..self.vars.len()
    }

    /// Does the statement combine with what an in-place output holds?
    pub(super) fn accumulates(&self) -> bool {
        self.accumulates
    }

    /// Are entries appended in order?
    pub(super) fn is_assembled(&self) -> bool {
        self.kind == ResultKind::Append
    }

    /// The variable along which consecutive values of a located output lie.
    pub(super) fn unit_stride(&self) -> Option<IndexVar> {
        match (&self.kind, &self.groups) {
            (ResultKind::Dense, _) => self.vars.last().copied(),
            (ResultKind::Like { .. }, _) if !self.suffix().is_empty() => self.vars.last().copied(),
            (ResultKind::Append, Some(g)) if !g.suffix.is_empty() => self.vars.last().copied(),
            _ => None,
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn declare_output(&mut self) {
        let t = self.out.tensor;
        match self.out.kind {
            ResultKind::Dense => {
                let space = if self.out.in_place { Space::InOut } else { Space::Output };
                self.declare(Array::Vals(t), space);
            }
            ResultKind::Like { .. } => {
                self.declare(Array::Vals(t), Space::Output);
            }
            ResultKind::Append => {
                for (n, g) in self.out_groups().appended.iter().enumerate() {
                    let space = if n == 0 { Space::Output } else { Space::Growable };
                    self.declare(Array::Pos(t, g.start), space);
                    for l in g.clone() {
                        self.declare(Array::Crd(t, l), Space::Growable);
                    }
                }
                self.declare(Array::Vals(t), Space::Growable);
            }
        }
    }

    pub(super) fn out_groups(&self) -> Groups {
        self.out.groups.clone().unwrap_or(Groups { prefix: 0..0, appended: vec![], suffix: 0..0 })
    }

    pub(super) fn out_array(&mut self, array: Array) -> BufferId {
        // Declared by `declare_output`; the space of an existing buffer stays as it is.
        self.declare(array, Space::Output)
    }

    /// The output learns that a state was dropped: what it would have written is not.
    pub(super) fn note_dropped(&mut self, st: &State) {
        let Lhs::Output { block: None } = st.lhs else { return };
        match self.out.kind {
            ResultKind::Dense => self.out.needs_init = true,
            // A fiber below which nothing is done is there all the same.
            ResultKind::Like { ref of, levels } => {
                let whole = self.kernel.tensors[of.tensor.index()].spec.rank() == levels;
                self.out.needs_init |= !whole && st.has_position();
            }
            ResultKind::Append => {
                let prefix = self.out_groups().prefix;
                let open = prefix.into_iter().any(|l| st.coords[self.out.vars[l].index()].is_none());
                self.out.pos_gaps |= open;
            }
        }
    }

    /// Is every coordinate of the written element of a tensor or workspace known?
    pub(super) fn is_located(&self, st: &State) -> bool {
        match &st.lhs {
            Lhs::Output { .. } => self.out.vars.iter().all(|v| st.coords[v.index()].is_some()),
            Lhs::Array(target) => self.element(target, st).is_some(),
            Lhs::Scattered(target) => target.indices.iter().all(|v| self.known(*v, st).is_some()),
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) => false,
        }
    }

    /// Lowers what is written into another output than the statement's, which has learned by then what it has to.
    pub(super) fn with_output<T>(
        &mut self,
        other: Output,
        lower: impl FnOnce(&mut Self) -> Result<T, Box<Diagnostic>>,
    ) -> Result<(T, Output), Box<Diagnostic>> {
        let own = std::mem::replace(&mut self.out, other);
        let lowered = lower(self);
        let other = std::mem::replace(&mut self.out, own);
        Ok((lowered?, other))
    }

    /// The output's values.
    pub(super) fn out_values(&mut self) -> BufferId {
        match self.out.array {
            Some(array) => array,
            None => self.out_array(Array::Vals(self.out.tensor)),
        }
    }

    /// What it is called.
    pub(super) fn out_name(&self) -> String {
        match self.out.array {
            Some(array) => self.buffers[array.index()].name.trim_end_matches("_vals").to_owned(),
            None => self.kernel.tensors[self.out.tensor.index()].name.to_string(),
        }
    }

    pub(super) fn coordinate(&self, st: &State, level: usize) -> Expr {
        let v = self.out.vars[level];
        st.coords[v.index()]
            .clone()
            .unwrap_or_else(|| unreachable!("the output's loops are open when it is written"))
    }

    /// Position of dense levels: `((i0 * n1) + i1) * n2 + i2`, below `parent`.
    pub(super) fn dense_position(&self, st: &State, parent: Expr, levels: std::ops::Range<usize>) -> Expr {
        levels.fold(parent, |p, l| {
            build::add(build::mul(p, self.extent(self.out.vars[l])), self.coordinate(st, l))
        })
    }

    pub(super) fn dense_size(&self, levels: std::ops::Range<usize>) -> Expr {
        levels.fold(Expr::Index(1), |n, l| build::mul(n, self.extent(self.out.vars[l])))
    }

    /// Writes a value.
    pub(super) fn write(&mut self, st: &State, value: Expr) -> Block {
        match &st.lhs {
            Lhs::Scalar(t) => {
                let Some(op) = st.op else { unreachable!("workspaces reduce") };
                vec![Stmt::Update { var: *t, op, value }]
            }
            Lhs::Assigned(t, _) => vec![Stmt::Assign { var: *t, value }],
            Lhs::Register(acc) => {
                let (Some(op), Some(at)) = (st.op, st.lane.as_ref().and_then(|l| l.at)) else {
                    unreachable!("register tiles reduce inside their lane loop")
                };
                vec![Stmt::Reduce { buffer: *acc, index: Expr::Var(at), op, value }]
            }
            Lhs::Array(target) => {
                let buffer = target.buffer;
                let Some(index) = self.element(target, st) else {
                    unreachable!("a workspace's loops are open when it is written")
                };
                if self.gpu.is_some() && target.shared {
                    return self.store_shared(st, buffer, index, value);
                }
                vec![match (st.op, self.race(st)) {
                    (Some(op), Some(Strategy::Atomics)) => Stmt::Atomic { buffer, index, op, value },
                    (Some(op), _) => Stmt::Reduce { buffer, index, op, value },
                    (None, _) => Stmt::Store { buffer, index, value },
                }]
            }
            Lhs::Scattered(target) => self.scatter(target, st, value),
            Lhs::Output { block } => self.write_output(st, block.clone(), value),
        }
    }

    fn write_output(&mut self, st: &State, block: Option<Expr>, value: Expr) -> Block {
        let vals = self.out_values();
        match self.out.kind {
            ResultKind::Dense => {
                let index = self.dense_position(st, Expr::Index(0), 0..self.out.vars.len());
                self.store(st, vals, index, value)
            }
            ResultKind::Like { .. } => {
                let Some(Position::One(p)) = st.fiber.as_ref().and_then(|fiber| fiber.position.clone())
                else {
                    unreachable!("only unique patterns are shared")
                };
                let index = self.dense_position(st, p, self.out.suffix());
                self.store(st, vals, index, value)
            }
            ResultKind::Append => {
                let g = self.out_groups();
                if let Some(block) = block {
                    let index = self.dense_position(st, block, g.suffix);
                    return self.store(st, vals, index, value);
                }
                let last = g.appended.len() - 1;
                let mut code = self.append_coordinates(st, last);
                code.extend(self.push(last, vals, 0, value));
                code.extend(self.advance(last));
                code
            }
        }
    }

    /// The loops inside a coordinate of `sweep.var`.
    pub(super) fn bind_coordinate(&mut self, sweep: Sweep<'_>, at: Expr, mut st: State) -> Lowered {
        let v = sweep.var;
        self.learn_chain(sweep.leaf, &at, &mut st);
        st.coords[v.index()] = Some(at);
        if matches!(st.lhs, Lhs::Output { .. }) && !self.out.vars.contains(&v) {
            // Lanes of a bound loop are told apart, or brought together, where they write.
            st.repeated |= !self.is_bound(sweep.leaf);
        }
        self.lower(sweep.rest, st)
    }

    /// The steps of a result that is written as the loops run, or appended to on the CPU. The name of a launch ends in the suffix.
    pub(super) fn written_steps(
        &mut self,
        loops: &[IndexVar],
        state: State,
        suffix: &str,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        self.out.in_tasks =
            self.out.is_assembled() && loops.first().is_some_and(|v| self.runs_on_threads(*v));
        let body = self.versions(loops, state)?;
        if let Some(refused) = self.refused.take() {
            return Err(refused);
        }
        let mut steps = self.output_steps();
        let run = self.close_output(body);
        if self.gpu.is_some() {
            let run = tidy(run, &self.buffers);
            steps.extend(self.carry_arrays());
            steps.extend(self.launch(suffix, run)?);
            steps.extend(self.carry_launch(suffix));
        } else if !run.is_empty() {
            let run = self.with_directories(run);
            steps.push(Step::Run(tidy(run, &self.buffers)));
        }
        Ok(steps)
    }

    /// The host steps that make room for the output.
    pub(super) fn output_steps(&mut self) -> Vec<Step> {
        let filled = self.out.needs_init && self.bare_rows().is_none();
        let init = filled.then_some(self.out.background);
        match self.out.kind.clone() {
            ResultKind::Dense if self.out.in_place => {
                let buffer = self.out_values();
                let fill = init.filter(|_| !self.out.accumulates);
                fill.map(|value| Step::Fill { buffer, value }).into_iter().collect()
            }
            ResultKind::Dense => {
                let buffer = self.out_values();
                vec![Step::Allocate { buffer, len: self.dense_size(0..self.out.vars.len()), init }]
            }
            ResultKind::Like { .. } => {
                let buffer = self.out_values();
                let Some((leader, levels)) = self.out.leader else {
                    unreachable!("a shared pattern has an owner")
                };
                let len =
                    build::mul(self.positions_below(leader, levels), self.dense_size(self.out.suffix()));
                // The host knows a device array's length, but would have to fetch what it holds.
                let len = self.gpu.as_ref().and_then(|_| self.host_size(&len)).unwrap_or(len);
                vec![Step::Allocate { buffer, len, init }]
            }
            ResultKind::Append => match self.out.filled.clone() {
                Some(entries) => self.filled_steps(&entries),
                None => self.append_steps(),
            },
        }
    }
}
