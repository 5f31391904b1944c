//! What a row's table holds, moved together and sorted, is an operand like any other.
//!
//! A thread alone sorts by insertion at gaps that shrink (Shell 1959), to 5/11 (Gonnet and Baeza-Yates 1991): halves would leave
//! what stands at odd and at even positions apart up to the last pass. A team sorts by a bitonic network (Batcher 1968).

use super::super::Lowerer;
use super::super::assemble::Pass;
use super::super::region::guard;
use super::TeamLanes;
use super::table::{Table, each};
use crate::llir::build::op;
use crate::llir::{
    Block, BufferId, Cmp, Elem, Expr, IndexOp, LoopKind, MOST, Scanned, Stmt, Ty, VarId, WorkspaceId, build,
};

impl Lowerer<'_> {
    /// What the table holds stands at its beginning after this, in the order of coordinates. Gives its range.
    pub(in super::super) fn gather_table(
        &mut self,
        w: WorkspaceId,
        pass: Pass,
        table: &Table,
    ) -> (Block, Expr, Expr) {
        let mut arrays = self.keys(w);
        if pass == Pass::Fill {
            arrays.push(self.spas[w.index()].vals);
        }
        if let Some(lanes) = self.row_lanes() {
            let (gathered, begin, end) = self.gather_by_team(&arrays, w, table, &lanes);
            let wait = (pass == Pass::Count).then(|| lanes.barrier());
            return (wait.into_iter().chain(gathered).collect(), begin, end);
        }
        let end = build::add(table.begin.clone(), table.len);
        let mut block = Block::new();
        block.extend(self.compact(&arrays, table));
        let name = self.spas[w.index()].name.clone();
        let end = self.bind(&format!("{name}_filled"), end, &mut block);
        block.extend(self.sort(&arrays, self.spas[w.index()].crd.len(), table, &end));
        (block, table.begin.clone(), end)
    }

    /// Moves what the table holds together.
    fn compact(&mut self, arrays: &[BufferId], table: &Table) -> Block {
        let (to, at) = (self.fresh("to", Ty::Index), self.fresh("at", Ty::Index));
        let moved =
            |&buffer: &BufferId| Stmt::Store { buffer, index: to.into(), value: build::load(buffer, at) };
        let mut body: Block = arrays.iter().map(moved).collect();
        body.push(Stmt::Assign { var: to, value: build::add(to, Expr::Index(1)) });
        let held = build::ne(build::load(arrays[0], at), Expr::Index(MOST));
        vec![
            Stmt::Mut { var: to, value: table.begin.clone() },
            each(at, table.begin.clone(), table.end.clone(), guard(held, body)),
        ]
    }

    /// Sorts a part of arrays by the first so many of them.
    pub(super) fn sort(&mut self, arrays: &[BufferId], keys: usize, table: &Table, end: &Expr) -> Block {
        let (gap, from, to) =
            (self.fresh("gap", Ty::Index), self.fresh("from", Ty::Index), self.fresh("to", Ty::Index));
        // 5/11 of it: at least 1 of 2 or more.
        let smaller = |e: Expr| {
            let part = |n| build::div(e.clone(), Expr::Index(n));
            build::sub(part(2), part(22))
        };
        let mut insert = Block::new();
        let mut held = Vec::new();
        for &buffer in arrays {
            let ty = self.buffers[buffer.index()].elem.ty();
            let name = if held.len() < keys { "key" } else { "value" };
            let var = self.fresh(name, ty);
            insert.push(Stmt::Let { var, value: build::load(buffer, from) });
            held.push(var);
        }
        insert.push(Stmt::Mut { var: to, value: from.into() });
        let before = build::sub(to, gap);
        let fits = build::le(build::add(table.begin.clone(), gap), to);
        let pairs = (0..keys).map(|k| (Expr::Var(held[k]), build::load(arrays[k], before.clone())));
        let behind = is_before(pairs.collect());
        let up = |&buffer: &BufferId| Stmt::Store {
            buffer,
            index: to.into(),
            value: build::load(buffer, before.clone()),
        };
        let mut shift: Block = arrays.iter().map(up).collect();
        shift.push(Stmt::Assign { var: to, value: before.clone() });
        insert.push(Stmt::While { cond: build::and(fits, behind), body: shift });
        let put = |(&buffer, &var): (&BufferId, &VarId)| Stmt::Store {
            buffer,
            index: to.into(),
            value: var.into(),
        };
        insert.extend(arrays.iter().zip(&held).map(put));
        let pass = vec![
            each(from, build::add(table.begin.clone(), gap), end.clone(), insert),
            Stmt::Assign { var: gap, value: smaller(gap.into()) },
        ];
        vec![
            Stmt::Mut { var: gap, value: smaller(table.len.into()) },
            Stmt::While { cond: build::lt(Expr::Index(0), gap), body: pass },
        ]
    }

    /// What [`Self::gather_table`] does, by a team: arrays of a key, and perhaps of a value.
    fn gather_by_team(
        &mut self,
        arrays: &[BufferId],
        w: WorkspaceId,
        table: &Table,
        lanes: &TeamLanes,
    ) -> (Block, Expr, Expr) {
        let to = self.fresh("to", Ty::Index);
        let mut block = vec![Stmt::Mut { var: to, value: table.begin.clone() }];
        let mut sorted = self.compact_by_team(arrays, table, lanes, to);
        sorted.extend(self.sort_by_team(arrays, 1, table, &to.into(), lanes));
        match self.in_order_by_marks(arrays, w, table, lanes, to) {
            Some((around, cond, marked)) => {
                block.extend(around);
                block.push(Stmt::If { cond, then: marked, otherwise: sorted });
            }
            None => block.extend(sorted),
        }
        let name = self.spas[w.index()].name.clone();
        // A constant: what is read up to there is shared out.
        let filled = self.fresh(&format!("{name}_filled"), Ty::Index);
        block.push(Stmt::Let { var: filled, value: to.into() });
        (block, table.begin.clone(), filled.into())
    }

    /// Moves what the table holds together, a lane an element: what is overwritten has been read.
    fn compact_by_team(&mut self, arrays: &[BufferId], table: &Table, lanes: &TeamLanes, to: VarId) -> Block {
        let (tile, at) = (self.fresh("tile", Ty::Index), self.fresh("at", Ty::Index));
        let mut body = vec![Stmt::Let { var: at, value: build::add(tile, lanes.lane.clone()) }];
        let mut held = Vec::new();
        for &buffer in arrays {
            let elem = self.buffers[buffer.index()].elem;
            let there = Expr::Load { buffer, index: Box::new(at.into()) };
            let (name, cond, none) = match elem {
                Elem::Index => ("key", build::lt(at, table.end.clone()), Expr::Index(MOST)),
                Elem::Scalar(t) => ("value", build::ne(held[0], Expr::Index(MOST)), Expr::Lit(t.zero())),
            };
            let var = self.fresh(name, elem.ty());
            let value = build::select(cond, there, none);
            body.push(Stmt::Let { var, value });
            held.push(var);
        }
        let is_held = build::ne(held[0], Expr::Index(MOST));
        // Places are written behind a barrier, and what warps have found is read before the next tile's.
        let (scan, prefix) = self.team_scan(lanes, Scanned::Lanes(is_held.clone()));
        body.extend([scan, lanes.barrier()]);
        let put = |(&buffer, &var): (&BufferId, &VarId)| Stmt::Store {
            buffer,
            index: build::add(to, prefix.before.clone()),
            value: var.into(),
        };
        body.extend(guard(is_held, arrays.iter().zip(&held).map(put).collect()));
        body.push(Stmt::Assign { var: to, value: build::add(to, prefix.all) });
        let tiles = Stmt::For {
            var: tile,
            lo: table.begin.clone(),
            hi: table.end.clone(),
            step: lanes.size,
            kind: LoopKind::Serial,
            body,
        };
        vec![tiles, lanes.barrier()]
    }

    /// Sorts a part of arrays by the first so many of them: a bitonic network in which all comparisons go one way (Batcher
    /// 1968), so that what would stand past the end stays there.
    pub(super) fn sort_by_team(
        &mut self,
        arrays: &[BufferId],
        keys: usize,
        table: &Table,
        end: &Expr,
        lanes: &TeamLanes,
    ) -> Block {
        let mut block = Block::new();
        let n = self.bind("filled", build::sub(end.clone(), table.begin.clone()), &mut block);
        let [half, stride, flip] = ["half", "stride", "flip"].map(|name| self.fresh(name, Ty::Index));
        let [pair, low, high] = ["pair", "low", "high"].map(|name| self.fresh(name, Ty::Index));
        let place = |of: VarId| build::add(table.begin.clone(), of);
        let mut swap = Block::new();
        for &buffer in arrays {
            let ty = self.buffers[buffer.index()].elem.ty();
            let name = if ty == Ty::Index { "key" } else { "value" };
            let var = self.fresh(name, ty);
            swap.push(Stmt::Let { var, value: build::load(buffer, place(low)) });
            swap.push(Stmt::Store { buffer, index: place(low), value: build::load(buffer, place(high)) });
            swap.push(Stmt::Store { buffer, index: place(high), value: var.into() });
        }
        let key = |k: usize, of| build::load(arrays[k], place(of));
        let wrong = is_before((0..keys).map(|k| (key(k, high), key(k, low))).collect());
        let one = Expr::Index(1);
        // Of runs of twice the stride, which is a power of two, the elements of the first half.
        let rest = op(IndexOp::And, pair, build::sub(stride, one.clone()));
        let body = vec![
            Stmt::Let { var: low, value: build::add(pair, build::sub(pair, rest)) },
            Stmt::Let { var: high, value: op(IndexOp::Xor, low, flip) },
            Stmt::If { cond: build::and(build::lt(high, n.clone()), wrong), then: swap, otherwise: vec![] },
        ];
        let halved = |of: Expr| build::div(of, Expr::Index(2));
        // Half of all of them, and of a run that ends early no more than its first half.
        let pairs = build::sub(n.clone(), halved(build::sub(n.clone(), stride)));
        let flips = vec![
            lanes.each(pair, Expr::Index(0), pairs, body),
            lanes.barrier(),
            Stmt::Assign { var: stride, value: halved(stride.into()) },
            Stmt::Assign { var: flip, value: stride.into() },
        ];
        // Not beyond the number of elements, which an index can hold.
        let more = build::lt(half, build::sub(n.clone(), half));
        let twice = build::select(more, build::add(half, half), n.clone());
        // Each element is compared with its mirror image first.
        let runs = vec![
            Stmt::Mut { var: stride, value: half.into() },
            Stmt::Mut { var: flip, value: build::add(half, build::sub(half, one.clone())) },
            Stmt::While { cond: build::lt(Expr::Index(0), stride), body: flips },
            Stmt::Assign { var: half, value: twice },
        ];
        block.push(Stmt::Mut { var: half, value: one });
        block.push(Stmt::While { cond: build::lt(half, n), body: runs });
        block
    }
}

/// Is the first of each pair before the second, the first pair that differs deciding?
fn is_before(pairs: Vec<(Expr, Expr)>) -> Expr {
    pairs.into_iter().rev().fold(Expr::Cond(false), |rest, (a, b)| {
        let less = build::lt(a.clone(), b.clone());
        match rest {
            Expr::Cond(false) => less,
            rest => {
                let equal = Expr::Cmp(Cmp::Eq, Box::new(a), Box::new(b));
                Expr::Or(Box::new(less), Box::new(build::and(equal, rest)))
            }
        }
    })
}
