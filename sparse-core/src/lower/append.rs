//! Results that are appended to: coordinates and values are pushed in order, a parent only if its children grew, and a row of
//! a dense level is closed by storing the end of its children.
//!
//! An entry is stored at every coordinate that co-iteration visits, so a value that cancels to the fill stays stored.

use super::capacity::{Capacity, Iteration};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::assembly::Groups;
use crate::cin::result::ResultKind;
use crate::front::ast::IndexVar;
use crate::llir::walk::visit_stmts;
use crate::llir::{Appends, Array, Block, Expr, LoopKind, Step, Stmt, Ty, VarId, build};
use crate::scalar::Value;

impl Lowerer<'_> {
    /// Is the variable at a level that coordinates are appended to, or above one?
    pub(super) fn is_appended(&self, v: IndexVar) -> bool {
        let g = self.out_groups();
        self.out.vars.iter().position(|&w| w == v).is_some_and(|l| l < g.suffix.start)
    }

    pub(super) fn append_coordinates(&mut self, st: &State, group: usize) -> Block {
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

    /// The next level of an assembled output, if its coordinate is known by now.
    pub(super) fn next_level(&self, st: &State) -> Option<usize> {
        let appends = self.out.is_assembled() && matches!(st.lhs, Lhs::Output { block: None });
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
        let mut stores = self.append_coordinates(&parent, group);
        let pos = self.out_array(Array::Pos(self.out.tensor, child));
        let value = match self.out.in_tasks {
            true => build::sub(len.clone(), Expr::Var(begin)),
            false => len.clone(),
        };
        stores.extend(self.push(group, pos, 1, value));
        let mut then = match self.merges_parts() {
            Some(lanes) => lanes.first(stores),
            None => stores,
        };
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
            block.push(Stmt::AppendN {
                buffer: vals,
                count: self.dense_size(g.suffix.clone()),
                value: Some(value),
            });
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

    /// Room for rows and so many entries, or that many at most, which the loops put there.
    pub(super) fn filled_steps(&mut self, entries: &Capacity) -> Vec<Step> {
        let t = self.out.tensor;
        let rows = build::add(self.dense_size(0..1), Expr::Index(1));
        let mut steps =
            vec![Step::Allocate { buffer: self.out_array(Array::Pos(t, 1)), len: rows, init: None }];
        for array in [Array::Crd(t, 1), Array::Vals(t)] {
            let (buffer, len) = (self.out_array(array), entries.total.clone());
            steps.push(match entries.exact {
                true => Step::Allocate { buffer, len, init: None },
                false => Step::Reserve { buffer, capacity: Some(len), exact: false },
            });
        }
        steps
    }

    pub(super) fn append_steps(&mut self) -> Vec<Step> {
        let t = self.out.tensor;
        let g = self.out_groups();
        let bound = match self.out.in_tasks {
            true => self.out.capacity.clone(),
            false => self.bound(&self.out.rhs, None),
        };
        let exact = bound.as_ref().is_some_and(|b| b.exact);
        let mut steps = Vec::new();
        for (n, levels) in g.appended.iter().enumerate() {
            let capacity = bound.as_ref().map(|b| b.above(levels.end));
            let pos = self.out_array(Array::Pos(t, levels.start));
            if n == 0 {
                let rows = build::add(self.dense_size(g.prefix.clone()), Expr::Index(1));
                let init = self.out.pos_gaps.then_some(Value::I32(0));
                steps.push(Step::Allocate { buffer: pos, len: rows, init });
            } else {
                let parents = bound.as_ref().map(|b| b.above(levels.start));
                let capacity = parents.map(|c| build::add(c, Expr::Index(1)));
                steps.push(Step::Reserve { buffer: pos, capacity, exact });
            }
            for l in levels.clone() {
                let buffer = self.out_array(Array::Crd(t, l));
                steps.push(Step::Reserve { buffer, capacity: capacity.clone(), exact });
            }
        }
        let buffer = self.out_array(Array::Vals(t));
        let block = self.dense_size(g.suffix.clone());
        steps.push(Step::Reserve { buffer, capacity: bound.map(|b| build::mul(b.total, block)), exact });
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
