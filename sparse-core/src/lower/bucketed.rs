//! Workspaces that stand outside of all loops, on the CPU, whose elements are scattered once each: rows by counting.
//!
//! ```text
//! pos = [0; n + 2]
//! for i { for p in B2_pos[i]..B2_pos[i + 1] { pos[B2_crd[p] + 2] += 1 } }
//! for j in 1..n + 1 { pos[j + 1] += pos[j] }                  now pos[j + 1] is where row j begins
//! crd = [0; pos[n + 1]]; vals = [0; pos[n + 1]]
//! for i { for p in B2_pos[i]..B2_pos[i + 1] { j = B2_crd[p]; at = pos[j + 1]++; crd[at] = i; vals[at] = B_vals[p] } }
//! ```
//!
//! After that `pos[j]` is where row j begins (Gustavson 1978: HALFPERM). Loops go over coordinates in order, so that those of a row
//! are in order as they come; nothing is sorted, and nothing is equal. The rows' positions take memory for the whole first dimension, which the
//! result has to have too.

use super::state::{Cursor, Lhs, SparseTarget, State};
use super::{Lowered, Lowerer, Operand};
use crate::cin::Workspace;
use crate::cin::algebra::{AccessId, Constant, Nest, Val};
use crate::format::{Level, WorkspaceFormat};
use crate::front::ast::IndexVar;
use crate::llir::{Array, Block, Buffer, BufferId, Elem, Expr, LoopKind, Space, Stmt, Ty, build};
use crate::looplet::{LevelRef, Position};
use crate::scalar::Value;

/// The arrays of a workspace, and whether its elements are counted or put there.
#[derive(Clone, Copy)]
pub(super) struct Buckets {
    pos: BufferId,
    crd: BufferId,
    vals: BufferId,
    counts: bool,
}

impl Lowerer<'_> {
    /// Is each element scattered once, in the order of the second coordinate, into rows for which there is memory anyway?
    pub(super) fn has_buckets(&self, w: Workspace, nest: &Nest, written: &[IndexVar], st: &State) -> bool {
        let decl = &self.workspaces[w.0 as usize];
        let outermost = self.gpu.is_none() && st.around.is_empty();
        if !outermost || decl.format != WorkspaceFormat::Sort || written.len() != 2 {
            return false;
        }
        let plain = |v: &IndexVar| self.provenance.made_by(*v).is_none() && !self.runs_on_threads(*v);
        let own = nest.op.is_none() && nest.opens.is_empty() && nest.loops.len() == 2;
        if !own || !nest.loops.iter().all(|v| written.contains(v) && plain(v)) {
            return false;
        }
        let mut unique = true;
        nest.rhs.for_each_access(&mut |a| {
            let known = a.index() < self.accesses.len();
            unique &= known && self.levels[a.index()].last().is_none_or(|l| l.level.is_unique());
        });
        unique && self.has_memory_by(decl.vars[0])
    }

    /// Has the result memory for each coordinate of a variable?
    fn has_memory_by(&self, v: IndexVar) -> bool {
        let spec = &self.kernel.tensors[self.out.tensor.index()].spec;
        let rows = self.out.vars.iter().zip(&spec.levels).take_while(|(_, level)| level.is_full());
        rows.into_iter().any(|(row, _)| *row == v)
    }

    /// Fills such a workspace, then goes on with its consumer.
    pub(super) fn open_buckets(
        &mut self,
        w: Workspace,
        nest: Nest,
        written: Vec<IndexVar>,
        loops: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        let dims = self.dims(w)?;
        let init = self.before(&nest).unwrap_or_else(|| self.absent(w, &st));
        let name = self.unique(&self.workspaces[w.0 as usize].name.clone());
        let [pos, crd] = ["pos", "crd"].map(|array| self.scratch(&format!("{name}2_{array}"), Elem::Index));
        let vals = self.scratch(&format!("{name}_vals"), Elem::Scalar(self.dtype));
        let one = || Expr::Index(1);
        let rows = build::add(dims[0].clone(), one());
        let Nest { loops: inner, op, opens, rhs } = nest;
        let lhs = Lhs::Scattered(SparseTarget { workspace: None, indices: written, init: init.value() });
        let producer = State { rhs, lhs, op, opens, lane: None, leaf: None, repeated: false, ..st.clone() };
        let pass = |l: &mut Self, counts: bool| {
            l.buckets = Some(Buckets { pos, crd, vals, counts });
            let block = l.lower(&inner, producer.clone());
            l.buckets = None;
            block
        };
        let zero = Value::I32(0);
        let mut block = vec![Stmt::Alloc { buffer: pos, len: build::add(rows.clone(), one()), init: zero }];
        block.extend(pass(self, true)?);
        block.push(self.sum_counts(&name, pos, &rows));
        let all = self.bind(&format!("{name}_len"), build::load(pos, rows), &mut block);
        block.push(Stmt::Alloc { buffer: crd, len: all.clone(), init: zero });
        block.push(Stmt::Alloc { buffer: vals, len: all, init: self.dtype.zero() });
        block.extend(pass(self, false)?);
        st.rhs = self.with_buckets(w, [pos, crd, vals], &dims, init, &mut st);
        st.walks = self.walked(loops, &st)?;
        let consumer = self.lower(loops, st)?;
        if consumer.is_empty() {
            return Ok(consumer);
        }
        block.extend(consumer);
        Ok(block)
    }

    /// Counts, of which the first one stands at 2, become where rows begin, from 1 on.
    fn sum_counts(&mut self, name: &str, pos: BufferId, rows: &Expr) -> Stmt {
        let n = self.fresh(&format!("{name}_row"), Ty::Index);
        let after = build::add(n, Expr::Index(1));
        let value = build::add(build::load(pos, n), build::load(pos, after.clone()));
        let body = vec![Stmt::Store { buffer: pos, index: after, value }];
        Stmt::For { var: n, lo: Expr::Index(1), hi: rows.clone(), step: 1, kind: LoopKind::Serial, body }
    }

    fn scratch(&mut self, name: &str, elem: Elem) -> BufferId {
        let name = self.unique(name);
        self.buffers.push(Buffer { name, elem, space: Space::Scratch, array: Array::Local });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// An element is counted, or goes where its row's next one stands.
    pub(super) fn put_in_bucket(
        &mut self,
        Buckets { pos, crd, vals, counts }: Buckets,
        target: &SparseTarget,
        st: &State,
        value: Expr,
    ) -> Block {
        let mut keys = target.indices.iter().map(|v| {
            self.known(*v, st)
                .unwrap_or_else(|| unreachable!("a workspace's loops are open when it is written"))
        });
        let (Some(row), Some(key)) = (keys.next(), keys.next()) else {
            unreachable!("buckets are of two dimensions")
        };
        drop(keys);
        let mut block = Block::new();
        let place = build::add(row, Expr::Index(if counts { 2 } else { 1 }));
        let row = self.bind("row", place, &mut block);
        let next = build::load(pos, row.clone());
        if counts {
            block.push(Stmt::Store { buffer: pos, index: row, value: build::add(next, Expr::Index(1)) });
            return block;
        }
        let at = self.fresh("at", Ty::Index);
        block.extend([
            Stmt::Let { var: at, value: next },
            Stmt::Store { buffer: pos, index: row, value: build::add(at, Expr::Index(1)) },
            Stmt::Store { buffer: crd, index: at.into(), value: key },
            Stmt::Store { buffer: vals, index: at.into(), value },
        ]);
        block
    }

    /// The consumer's value, which reads rows as an operand.
    fn with_buckets(
        &mut self,
        w: Workspace,
        [pos, crd, vals]: [BufferId; 3],
        dims: &[Expr],
        init: Constant,
        st: &mut State,
    ) -> Val {
        let mut reads: Vec<Vec<IndexVar>> = Vec::new();
        st.rhs.for_each_production(&mut |p| {
            if p.workspace == w && !reads.contains(&p.read) {
                reads.push(p.read.clone());
            }
        });
        let mut rhs = st.rhs.clone();
        for read in reads {
            let rows = LevelRef { level: Level::Dense, size: dims[0].clone(), pos: None, crd: None };
            let level = Level::Compressed { unique: true };
            let below = LevelRef { level, size: dims[1].clone(), pos: Some(pos), crd: Some(crd) };
            self.levels.push(vec![rows, below]);
            self.level_vars.push(read.clone());
            self.tensors.push(Operand::Bucketed(vals, init));
            let root = Cursor { level: 0, position: Position::One(Expr::Index(0)) };
            st.cursors.resize(self.levels.len(), root);
            let access = AccessId(self.levels.len() as u32 - 1);
            rhs = rhs.map(&|v| match v {
                Val::Work(q) if q.workspace == w && q.read == read => Some(Val::Access(access)),
                _ => None,
            });
        }
        rhs
    }
}
