//! The output: where a value is written, and how a sparse result is assembled.
//!
//! A dense output, or one that shares an operand's pattern, is *located*: its element's position is computed from
//! known coordinates or positions. Any other is *appended* in order: coordinates and value are pushed, a parent only
//! if its children grew, and a row of a dense level is closed by storing the end of its children. An entry is
//! stored at every coordinate that co-iteration visits, so a value that cancels to the fill stays stored.

use super::assemble::Assembly;
use super::capacity::{Capacity, Iteration};
use super::gpu::RowTables;
use super::region::Sweep;
use super::state::{Lhs, State};
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
use crate::llir::walk::visit_stmts;
use crate::llir::{Appends, Array, Block, BufferId, Expr, LoopKind, Space, Step, Stmt, Ty, VarId, build};
use crate::looplet::{LevelRef, Position};
use crate::scalar::Value;

/// What lowering knows and learns about the output.
pub(super) struct Output {
    pub(super) tensor: TensorId,
    kind: ResultKind,
    /// The operand whose pattern it shares.
    leader: Option<AccessId>,
    groups: Option<Groups>,
    /// Where it is assembled by rows, by several threads.
    pub(super) assembly: Option<Assembly>,
    /// By sparse workspace.
    pub(super) tables: Vec<RowTables>,
    /// The shared array of launches that sum counts.
    pub(super) partial_sums: Vec<BufferId>,
    /// The variable at each level.
    pub(super) vars: Vec<IndexVar>,
    /// Value of what is not stored.
    pub(super) fill: Value,
    /// Value of an element that nothing is reduced into.
    background: Value,
    /// Combines with what an in-place output holds.
    accumulates: bool,
    in_place: bool,
    /// Some element may be read or left before it is written: initialise first.
    pub(super) needs_init: bool,
    /// Some row of the dense prefix may not be closed.
    pub(super) pos_gaps: bool,
    /// Threads append: rows and parents store how many children they have, of which `pos` is made after the loop.
    pub(super) in_tasks: bool,
    /// How many entries it has, where they are put in their places as they are scattered.
    pub(super) filled: Option<Expr>,
    /// The bound on what the iterations append.
    pub(super) capacity: Option<Capacity>,
    /// The right-hand side.
    rhs: Val,
}

impl Output {
    pub(super) fn new(kernel: &Kernel, nested: &Nested, kind: ResultKind, accumulates: bool) -> Self {
        let tensor = nested.lhs.tensor;
        let t = &kernel.tensors[tensor.index()];
        let leader = match &kind {
            ResultKind::Like(a) => nested.accesses.iter().position(|b| b == a).map(|k| AccessId(k as u32)),
            ResultKind::Dense | ResultKind::Append => None,
        };
        Output {
            tensor,
            groups: if kind == ResultKind::Append { groups(&t.spec) } else { None },
            kind,
            leader,
            assembly: None,
            tables: vec![],
            partial_sums: vec![],
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

    /// Has it the pattern of this operand?
    pub(super) fn is_like(&self, a: AccessId) -> bool {
        self.leader == Some(a)
    }

    /// Is the position of the written element known, once its coordinates are? In an operand's pattern it is that operand's.
    pub(super) fn has_position(&self, st: &State, levels: &[Vec<LevelRef>]) -> bool {
        self.leader.is_none_or(|a| st.cursors[a.index()].level == levels[a.index()].len())
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
            ResultKind::Like(_) => {
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

    pub(super) fn background_value(&self) -> Value {
        self.out.background
    }

    /// Is the variable at a level that coordinates are appended to, or above one?
    pub(super) fn is_appended(&self, v: IndexVar) -> bool {
        let g = self.out_groups();
        self.out.vars.iter().position(|&w| w == v).is_some_and(|l| l < g.suffix.start)
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
            ResultKind::Like(_) => {}
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

    /// The output's values.
    pub(super) fn out_values(&mut self) -> BufferId {
        self.out_array(Array::Vals(self.out.tensor))
    }

    fn coordinate(&self, st: &State, level: usize) -> Expr {
        let v = self.out.vars[level];
        st.coords[v.index()]
            .clone()
            .unwrap_or_else(|| unreachable!("the output's loops are open when it is written"))
    }

    /// Position of dense levels: `((i0 * n1) + i1) * n2 + i2`, below `parent`.
    fn dense_position(&self, st: &State, parent: Expr, levels: std::ops::Range<usize>) -> Expr {
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
        let vals = self.out_array(Array::Vals(self.out.tensor));
        match self.out.kind {
            ResultKind::Dense => {
                let index = self.dense_position(st, Expr::Index(0), 0..self.out.vars.len());
                self.store(st, vals, index, value)
            }
            ResultKind::Like(_) => {
                let Some(leader) = self.out.leader else { unreachable!("a shared pattern has an owner") };
                let Position::One(p) = st.cursors[leader.index()].position.clone() else {
                    unreachable!("only unique patterns are shared")
                };
                self.store(st, vals, p, value)
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

    fn append_coordinates(&mut self, st: &State, group: usize) -> Block {
        let levels = self.out_groups().appended[group].clone();
        levels
            .flat_map(|l| {
                let buffer = self.out_array(Array::Crd(self.out.tensor, l));
                self.push(group, buffer, 0, self.coordinate(st, l))
            })
            .collect()
    }

    /// Number of coordinates appended to a group so far.
    fn group_len(&mut self, group: usize) -> Expr {
        if let Some(position) = self.next_position(group) {
            return position;
        }
        let level = self.out_groups().appended[group].start;
        Expr::Len(self.out_array(Array::Crd(self.out.tensor, level)))
    }

    /// The loops inside a coordinate of `sweep.var`.
    pub(super) fn bind_coordinate(&mut self, sweep: Sweep<'_>, at: Expr, mut st: State) -> Lowered {
        let v = sweep.var;
        self.learn_chain(sweep.leaf, &at, &mut st);
        st.coords[v.index()] = Some(at);
        if matches!(st.lhs, Lhs::Output { block: None }) && !self.out.vars.contains(&v) {
            // Lanes of a bound loop are told apart, or brought together, where they write.
            st.repeated |= !self.is_bound(sweep.leaf);
        }
        self.lower(sweep.rest, st)
    }

    /// The next level of an assembled output, if its coordinate is known by now.
    pub(super) fn next_level(&self, st: &State) -> Option<usize> {
        let appends = self.is_append() && matches!(st.lhs, Lhs::Output { block: None });
        let var = self.out.vars.get(st.opened).filter(|_| appends)?;
        st.coords[var.index()].as_ref().map(|_| st.opened)
    }

    /// What is inside a coordinate of an assembled output's level, with what the level needs before and after it.
    pub(super) fn open_level(&mut self, level: usize, loops: &[IndexVar], mut st: State) -> Lowered {
        st.opened = level + 1;
        let g = self.out_groups();
        if level + 1 == g.prefix.end {
            return self.close_row(loops, st, &g);
        }
        match g.appended.iter().position(|r| r.end == level + 1) {
            Some(group) if group + 1 < g.appended.len() => self.append_parent(loops, st, group),
            Some(group) if !g.suffix.is_empty() => self.append_block(loops, st, group, &g),
            _ => self.lower(loops, st),
        }
    }

    /// Is a dense block appended at the coordinate of this level?
    pub(super) fn appends_block(&self, level: usize) -> bool {
        let g = self.out_groups();
        !g.suffix.is_empty() && g.appended.last().is_some_and(|r| r.end == level + 1)
    }

    fn is_append(&self) -> bool {
        self.out.kind == ResultKind::Append
    }

    /// After a row of the innermost dense level of the prefix: where its children end, or how many there are.
    fn close_row(&mut self, loops: &[IndexVar], st: State, g: &Groups) -> Lowered {
        let row = self.dense_position(&st, Expr::Index(0), g.prefix.clone());
        if self.out.assembly.is_some() {
            return self.assemble_row(loops, st, row);
        }
        let pos = self.out_array(Array::Pos(self.out.tensor, g.prefix.end));
        let value = self.group_len(0);
        if self.out.in_tasks {
            let begin = self.fresh_begin(g.prefix.end);
            let mut block = vec![Stmt::Let { var: begin, value: value.clone() }];
            block.extend(self.lower(loops, st)?);
            block.push(Stmt::Store { buffer: pos, index: row, value: build::sub(value, Expr::Var(begin)) });
            return Ok(block);
        }
        let mut block = self.lower(loops, st)?;
        block.push(Stmt::Store { buffer: pos, index: build::add(row, Expr::Index(1)), value });
        Ok(block)
    }

    /// A coordinate with children in the next group: appended only if they grew.
    fn append_parent(&mut self, loops: &[IndexVar], st: State, group: usize) -> Lowered {
        let parent = st.clone();
        let inner = self.lower(loops, st)?;
        if inner.is_empty() {
            return Ok(inner);
        }
        let child = self.out_groups().appended[group + 1].start;
        let begin = self.fresh_begin(child);
        let len = self.group_len(group + 1);
        let mut block = vec![Stmt::Let { var: begin, value: len.clone() }];
        block.extend(inner);
        let mut then = self.append_coordinates(&parent, group);
        let pos = self.out_array(Array::Pos(self.out.tensor, child));
        let value = match self.out.in_tasks {
            true => build::sub(len.clone(), Expr::Var(begin)),
            false => len.clone(),
        };
        then.extend(self.push(group, pos, 1, value));
        then.extend(self.advance(group));
        block.push(Stmt::If { cond: build::lt(begin, len), then, otherwise: vec![] });
        Ok(block)
    }

    /// Where the children of a coordinate begin in a level.
    fn fresh_begin(&mut self, level: usize) -> VarId {
        let name = format!("{}{}_begin", self.kernel.tensors[self.out.tensor.index()].name, level + 1);
        self.fresh(&name, Ty::Index)
    }

    /// A coordinate above dense levels: their block is appended whole, then written by location.
    fn append_block(&mut self, loops: &[IndexVar], mut st: State, group: usize, g: &Groups) -> Lowered {
        let name = format!("p{}{}", self.kernel.tensors[self.out.tensor.index()].name, g.suffix.start);
        let q = self.fresh(&name, Ty::Index);
        let outer = st.clone();
        let counts = self.counts(&st);
        st.lhs = Lhs::Output { block: Some(Expr::Var(q)) };
        let inner = self.lower(loops, st)?;
        if inner.is_empty() {
            return Ok(inner);
        }
        if counts {
            return Ok(self.advance(group));
        }
        let mut block = vec![Stmt::Let { var: q, value: self.group_len(group) }];
        block.extend(self.append_coordinates(&outer, group));
        block.extend(self.advance(group));
        if self.out.assembly.is_none() {
            let vals = self.out_array(Array::Vals(self.out.tensor));
            let value = Expr::Lit(self.out.background);
            block.push(Stmt::AppendN { buffer: vals, count: self.dense_size(g.suffix.clone()), value });
        }
        block.extend(inner);
        Ok(block)
    }

    /// What the body of the outermost loop, on threads, appends to: with a bound for each iteration if the operands that
    /// bound the result are walked by its variable.
    pub(super) fn appends(&mut self, iteration: Option<Iteration>, body: &Block) -> Option<Appends> {
        let mut buffers = vec![];
        visit_stmts(body, &mut |s| {
            if let Stmt::Append { buffer, .. } | Stmt::AppendN { buffer, .. } = s {
                buffers.push(*buffer);
            }
        });
        // Values come last, in the order of declaration too.
        buffers.sort_unstable();
        buffers.dedup();
        if buffers.is_empty() {
            return None;
        }
        let bound = iteration.filter(|_| self.out_groups().suffix.is_empty());
        let bound = bound.and_then(|at| self.bound(&self.out.rhs, Some(&at)));
        self.out.capacity = bound.clone();
        Some(Appends { buffers, before: bound.map(|b| b.before) })
    }

    /// The steps of a result that is written as the loops run, or appended to on the CPU.
    pub(super) fn written_steps(
        &mut self,
        loops: &[IndexVar],
        state: State,
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
            steps.extend(self.launch("", run)?);
            steps.extend(self.carry_launch());
        } else if !run.is_empty() {
            steps.push(Step::Run(tidy(run, &self.buffers)));
        }
        Ok(steps)
    }

    /// The host steps that make room for the output.
    pub(super) fn output_steps(&mut self) -> Vec<Step> {
        let t = self.out.tensor;
        let init = self.out.needs_init.then_some(self.out.background);
        match self.out.kind.clone() {
            ResultKind::Dense if self.out.in_place => {
                let buffer = self.out_array(Array::Vals(t));
                let fill = init.filter(|_| !self.out.accumulates);
                fill.map(|value| Step::Fill { buffer, value }).into_iter().collect()
            }
            ResultKind::Dense => {
                let buffer = self.out_array(Array::Vals(t));
                vec![Step::Allocate { buffer, len: self.dense_size(0..self.out.vars.len()), init }]
            }
            ResultKind::Like(_) => {
                let buffer = self.out_array(Array::Vals(t));
                let Some(leader) = self.out.leader else { unreachable!("a shared pattern has an owner") };
                let len = self.stored_entries(leader);
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

    /// Room for rows and so many entries, which the loops put there.
    fn filled_steps(&mut self, entries: &Expr) -> Vec<Step> {
        let t = self.out.tensor;
        let rows = build::add(self.dense_size(0..1), Expr::Index(1));
        [(Array::Pos(t, 1), &rows), (Array::Crd(t, 1), entries), (Array::Vals(t), entries)]
            .map(|(array, len)| Step::Allocate {
                buffer: self.out_array(array),
                len: len.clone(),
                init: None,
            })
            .into()
    }

    fn append_steps(&mut self) -> Vec<Step> {
        let t = self.out.tensor;
        let g = self.out_groups();
        let bound = match self.out.in_tasks {
            true => self.out.capacity.clone(),
            false => self.bound(&self.out.rhs, None),
        };
        let exact = bound.as_ref().is_some_and(|b| b.exact);
        let capacity = bound.map(|b| b.total);
        let mut steps = Vec::new();
        for (n, levels) in g.appended.iter().enumerate() {
            let pos = self.out_array(Array::Pos(t, levels.start));
            if n == 0 {
                let rows = build::add(self.dense_size(g.prefix.clone()), Expr::Index(1));
                let init = self.out.pos_gaps.then_some(Value::I32(0));
                steps.push(Step::Allocate { buffer: pos, len: rows, init });
            } else {
                let capacity = capacity.clone().map(|c| build::add(c, Expr::Index(1)));
                steps.push(Step::Reserve { buffer: pos, capacity, exact });
            }
            for l in levels.clone() {
                let buffer = self.out_array(Array::Crd(t, l));
                steps.push(Step::Reserve { buffer, capacity: capacity.clone(), exact });
            }
        }
        let buffer = self.out_array(Array::Vals(t));
        let block = self.dense_size(g.suffix.clone());
        steps.push(Step::Reserve { buffer, capacity: capacity.map(|c| build::mul(c, block)), exact });
        steps
    }

    /// What an assembled output needs before the first and after the last loop.
    pub(super) fn close_output(&mut self, body: Block) -> Block {
        if self.out.kind != ResultKind::Append || self.out.filled.is_some() {
            return body;
        }
        let t = self.out.tensor;
        let g = self.out_groups();
        let mut block = Block::new();
        for (n, levels) in g.appended.iter().enumerate() {
            let pos = self.out_array(Array::Pos(t, levels.start));
            block.extend(match n {
                0 if self.out.in_tasks && !g.prefix.is_empty() => None,
                0 => Some(Stmt::Store { buffer: pos, index: Expr::Index(0), value: Expr::Index(0) }),
                _ if self.out.in_tasks => None,
                _ => Some(Stmt::Append { buffer: pos, value: Expr::Index(0) }),
            });
        }
        block.extend(body);
        if self.out.in_tasks {
            for (n, levels) in g.appended.iter().enumerate().skip(usize::from(g.prefix.is_empty())) {
                let buffer = self.out_array(Array::Pos(t, levels.start));
                let len = if n == 0 { self.dense_size(g.prefix.clone()) } else { Expr::Len(buffer) };
                block.push(Stmt::Scan { buffer, len });
            }
        }
        let pos = self.out_array(Array::Pos(t, g.prefix.end));
        if g.prefix.is_empty() {
            let value = self.group_len(0);
            block.push(Stmt::Store { buffer: pos, index: Expr::Index(1), value });
        } else if self.out.pos_gaps && !self.out.in_tasks {
            let p = self.fresh("row", Ty::Index);
            let next = build::add(p, Expr::Index(1));
            let value = build::max(build::load(pos, p), build::load(pos, next.clone()));
            block.push(Stmt::For {
                var: p,
                lo: Expr::Index(0),
                hi: self.dense_size(g.prefix),
                step: 1,
                kind: LoopKind::Serial,
                body: vec![Stmt::Store { buffer: pos, index: next, value }],
            });
        }
        block
    }
}
