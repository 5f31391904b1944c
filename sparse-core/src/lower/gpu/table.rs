//! Sparse workspaces of a GPU's threads: hash tables of rows, in memory of the device, where each team has a region that its
//! rows use in turn ([`super::turns`]).
//!
//! How many elements a row scatters is counted first, by the producer's loops alone. Its table has a power of two of
//! places, of which they are three quarters at most, whatever of them is equal, or all that can be different. When a row
//! is filled whose entries are what the table holds, these have been counted, and a smaller table at the same place does.
//!
//! A table is open, with linear probing, and keyed by coordinates; the largest index is no coordinate, and stands for none.
//! What is looked for first is the key's low bits, to which higher ones are folded: runs of coordinates stay in runs of
//! places, which lanes access together, and multiples of a power of two are spread. This exchanges keys, so that in a table
//! of as many places as there are coordinates each has its own.
//! What it holds is moved together and sorted (Shell 1959), and is then an operand like any other. Gaps shrink to 5/11
//! (Gonnet and Baeza-Yates 1991): halves would leave what stands at odd and at even positions apart up to the last pass.

use super::super::assemble::Pass;
use super::super::region::guard;
use super::super::state::{SparseTarget, State};
use super::super::{Lowerer, internal};
use super::TeamLanes;
use crate::diag::Diagnostic;
use crate::llir::walk::visit_exprs;
use crate::llir::{
    Block, BufferId, Cmp, Elem, Expr, IndexOp, LoopKind, MOST, Stmt, Ty, VarId, Workspace, WorkspaceId, build,
};
use crate::scalar::Monoid;
use std::collections::BTreeSet;

/// A row's table while it is used.
#[derive(Clone)]
pub(in super::super) struct Table {
    begin: Expr,
    end: Expr,
    /// How many it has room for.
    size: Expr,
    /// How many elements it holds; in the pass that counts what is scattered, that.
    len: VarId,
}

/// An element's coordinates.
type Keys = Vec<Expr>;

impl Lowerer<'_> {
    /// An empty table for what a producer scatters, of which no more elements are different than are given, if so.
    pub(in super::super) fn open_table(
        &mut self,
        w: WorkspaceId,
        pass: Pass,
        row: &Expr,
        most: Option<Expr>,
    ) -> (Block, Table) {
        let name = self.spas[w.index()].name.clone();
        let len = self.fresh(&format!("{name}_len"), Ty::Index);
        let declared = Stmt::Mut { var: len, value: Expr::Index(0) };
        if pass == Pass::Scatters {
            let none = || Expr::Index(0);
            return (vec![declared], Table { begin: none(), end: none(), size: none(), len });
        }
        let mut block = Block::new();
        let begin = Expr::Var(self.table_begin(w));
        let [size, end] = ["size", "end"].map(|part| self.fresh(&format!("{name}_{part}"), Ty::Index));
        let places = build::load(self.places_array(w), row.clone());
        let places = match most {
            Some(elements) => {
                // A row that uses the table several times has entries of all of them.
                let room = self.bind(&format!("{name}_reserved"), places, &mut block);
                let (fewer, value) = self.places_for(w, elements, room);
                block.extend(fewer);
                value
            }
            None => places,
        };
        block.push(Stmt::Let { var: size, value: places });
        block.push(Stmt::Let { var: end, value: build::add(begin.clone(), size) });
        let (size, end) = (Expr::Var(size), Expr::Var(end));
        let at = self.fresh("at", Ty::Index);
        let none = vec![Stmt::Store { buffer: self.keys(w)[0], index: at.into(), value: Expr::Index(MOST) }];
        match self.row_lanes() {
            None => block.push(each(at, begin.clone(), end.clone(), none)),
            Some(lanes) => {
                block.push(lanes.each(at, begin.clone(), end.clone(), none));
                block.push(lanes.barrier());
            }
        }
        block.push(declared);
        (block, Table { begin, end, size, len })
    }

    /// Combines an element into the table.
    pub(in super::super) fn scatter_into_table(
        &mut self,
        w: WorkspaceId,
        target: &SparseTarget,
        st: &State,
        value: Expr,
    ) -> Block {
        let Some((pass, table)) = self.out.assembly.as_ref().and_then(|a| a.table(w)) else {
            self.refused = Some(internal(self.kernel, "a table is used before it is opened"));
            return vec![];
        };
        let (len, one) = (table.len, Expr::Index(1));
        if pass == Pass::Scatters {
            return vec![Stmt::Assign { var: len, value: build::count(len, one) }];
        }
        let (crd, vals, op) = (self.keys(w), self.spas[w.index()].vals, self.spas[w.index()].op);
        let mut block = Block::new();
        let known: Vec<_> = target.indices.iter().map(|v| (*v, self.known(*v, st))).collect();
        let mut keys = Keys::new();
        for (v, key) in known {
            let Some(key) = key else { unreachable!("a workspace's loops are open when it is written") };
            keys.push(self.bind(&self.name(v), key, &mut block));
        }
        let value = match value {
            Expr::Binary(..) | Expr::Unary(..) | Expr::Select(..) if pass == Pass::Fill => {
                let var = self.fresh("value", Ty::Scalar(self.dtype));
                block.push(Stmt::Let { var, value });
                Expr::Var(var)
            }
            value => value,
        };
        if self.row_lanes().is_some() {
            block.push(Stmt::Scatter { workspace: w, at: keys, value });
            return block;
        }
        let (at, held) = (self.fresh("at", Ty::Index), self.fresh("held", Ty::Index));
        let first = build::add(table.begin.clone(), self.hash(w, &keys, &table.size, &mut block));
        block.push(Stmt::Mut { var: at, value: first });
        block.push(Stmt::Mut { var: held, value: build::load(crd[0], at) });
        let free = build::eq(held, Expr::Index(MOST));
        let there = |n: usize| if n == 0 { held.into() } else { build::load(crd[n], at) };
        let differ = keys.iter().enumerate().map(|(n, key)| build::ne(there(n), key.clone()));
        let differs = differ.reduce(|a, b| Expr::Or(Box::new(a), Box::new(b)));
        let other = build::and(build::ne(held, Expr::Index(MOST)), differs.unwrap_or(Expr::Cond(false)));
        let next = vec![
            Stmt::Assign { var: at, value: table.after(at) },
            Stmt::Assign { var: held, value: build::load(crd[0], at) },
        ];
        block.push(Stmt::While { cond: other, body: next });
        let store = |buffer, value| Stmt::Store { buffer, index: at.into(), value };
        let mut then: Block = crd.iter().zip(&keys).map(|(crd, key)| store(*crd, key.clone())).collect();
        then.push(Stmt::Assign { var: len, value: build::add(len, Expr::Index(1)) });
        let mut otherwise = Block::new();
        if pass == Pass::Fill {
            then.push(store(vals, self.begun_by(value.clone(), op)));
            otherwise.push(match op {
                Some(op) => Stmt::Reduce { buffer: vals, index: at.into(), op, value },
                None => store(vals, value),
            });
        }
        block.push(Stmt::If { cond: free, then, otherwise });
        block
    }

    /// The same, where others do so too: a place is theirs whose key stands there first. What an element is combined with
    /// is its lane's own until the team waits.
    pub(super) fn claim(
        &mut self,
        w: WorkspaceId,
        pass: Pass,
        table: &Table,
        keys: &[Expr],
        value: Expr,
    ) -> Block {
        let (crd, vals, op) = (self.keys(w)[0], self.spas[w.index()].vals, self.spas[w.index()].op);
        let key = keys[0].clone();
        let (at, held) = (self.fresh("at", Ty::Index), self.fresh("held", Ty::Index));
        let mut block = Block::new();
        let first = build::add(table.begin.clone(), self.hash(w, keys, &table.size, &mut block));
        let claim = || Stmt::Claim { var: held, buffer: crd, index: at.into(), value: key.clone() };
        let free = build::eq(held, Expr::Index(MOST));
        let other = build::and(build::ne(held, Expr::Index(MOST)), build::ne(held, key.clone()));
        let next = vec![Stmt::Assign { var: at, value: table.after(at) }, claim()];
        block.extend([
            Stmt::Mut { var: at, value: first },
            Stmt::Mut { var: held, value: Expr::Index(MOST) },
            claim(),
            Stmt::While { cond: other, body: next },
        ]);
        let mut then = vec![Stmt::Assign { var: table.len, value: build::add(table.len, Expr::Index(1)) }];
        let mut otherwise = Block::new();
        if pass == Pass::Fill {
            let first = self.begun_by(value.clone(), op);
            then.push(Stmt::Store { buffer: vals, index: at.into(), value: first });
            otherwise.push(match op {
                Some(op) => Stmt::Reduce { buffer: vals, index: at.into(), op, value },
                None => Stmt::Store { buffer: vals, index: at.into(), value },
            });
        }
        block.push(Stmt::If { cond: free, then, otherwise });
        block
    }

    /// What an element begins with.
    fn begun_by(&self, value: Expr, op: Option<Monoid>) -> Expr {
        match op {
            Some(op) => self.begun(value, op),
            None => value,
        }
    }

    /// How many elements the table holds, where several lanes have put them there; `again` if they count more than once.
    pub(in super::super) fn table_len(&mut self, table: &Table, again: bool) -> (Block, Expr) {
        match self.row_lanes() {
            None => (vec![], table.len.into()),
            Some(lanes) => {
                let (block, sums) = self.team_prefix(&lanes, table.len.into(), again);
                (block, sums.all)
            }
        }
    }

    /// Where a key is looked for first.
    fn hash(&mut self, w: WorkspaceId, keys: &[Expr], size: &Expr, block: &mut Block) -> Expr {
        let op = |op, a: Expr, b: Expr| Expr::IndexOp(op, Box::new(a), Box::new(b));
        let low = |e: Expr| op(IndexOp::And, e, build::sub(size.clone(), Expr::Index(1)));
        let all = keys.iter().cloned().zip(self.spas[w.index()].dims.clone());
        let code =
            all.reduce(|(code, _), (key, dim)| (build::add(build::mul(low(code), dim.clone()), key), dim));
        let code = self.bind("code", code.map_or(Expr::Index(0), |(code, _)| code), block);
        let higher = |by| op(IndexOp::Div, code.clone(), Expr::Index(by));
        low(op(IndexOp::Xor, op(IndexOp::Xor, code.clone(), higher(1 << 5)), higher(1 << 10)))
    }

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
            let part = |n| Expr::IndexOp(IndexOp::Div, Box::new(e.clone()), Box::new(Expr::Index(n)));
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

    /// The same by a team: arrays of a key, and perhaps of a value.
    fn gather_by_team(
        &mut self,
        arrays: &[BufferId],
        w: WorkspaceId,
        table: &Table,
        lanes: &TeamLanes,
    ) -> (Block, Expr, Expr) {
        let (mut block, to) = self.compact_by_team(arrays, table, lanes);
        let name = self.spas[w.index()].name.clone();
        let filled = self.fresh(&format!("{name}_filled"), Ty::Index);
        block.push(Stmt::Let { var: filled, value: to.into() });
        block.extend(self.sort_by_team(arrays, 1, table, &filled.into(), lanes));
        (block, table.begin.clone(), filled.into())
    }

    /// Moves what the table holds together, a lane an element: what is overwritten has been read.
    fn compact_by_team(&mut self, arrays: &[BufferId], table: &Table, lanes: &TeamLanes) -> (Block, VarId) {
        let (to, tile, at) =
            (self.fresh("to", Ty::Index), self.fresh("tile", Ty::Index), self.fresh("at", Ty::Index));
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
            let value = Expr::Select(Box::new(cond), Box::new(there), Box::new(none));
            body.push(Stmt::Let { var, value });
            held.push(var);
        }
        let is_held = build::ne(held[0], Expr::Index(MOST));
        let (sums, prefix) = self.team_ranks(lanes, &is_held);
        body.extend(sums);
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
        (vec![Stmt::Mut { var: to, value: table.begin.clone() }, tiles, lanes.barrier()], to)
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
        let (half, flip) = (self.fresh("half", Ty::Index), self.fresh("flip", Ty::Index));
        let (low, high) = (self.fresh("low", Ty::Index), self.fresh("high", Ty::Index));
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
        let pair = build::and(build::lt(low, high), build::lt(high, n.clone()));
        let body = vec![
            Stmt::Let {
                var: high,
                value: Expr::IndexOp(IndexOp::Xor, Box::new(low.into()), Box::new(flip.into())),
            },
            Stmt::If { cond: build::and(pair, wrong), then: swap, otherwise: vec![] },
        ];
        let halved = |of: VarId| Expr::IndexOp(IndexOp::Div, Box::new(of.into()), Box::new(Expr::Index(2)));
        let select = |cond, a, b| Expr::Select(Box::new(cond), Box::new(a), Box::new(b));
        // Runs of twice as many: each element is compared with its mirror image first.
        let mirror = build::add(half, build::sub(half, Expr::Index(1)));
        let smaller = select(build::le(half, flip), halved(half), halved(flip));
        let flips = vec![
            lanes.each(low, Expr::Index(0), n.clone(), body),
            lanes.barrier(),
            Stmt::Assign { var: flip, value: smaller },
        ];
        // Not beyond the number of elements, which an index can hold.
        let more = build::lt(half, build::sub(n.clone(), half));
        let twice = select(more, build::add(half, half), n.clone());
        let runs = vec![
            Stmt::Mut { var: flip, value: mirror },
            Stmt::While { cond: build::lt(Expr::Index(0), flip), body: flips },
            Stmt::Assign { var: half, value: twice },
        ];
        block.push(Stmt::Mut { var: half, value: Expr::Index(1) });
        block.push(Stmt::While { cond: build::lt(half, n), body: runs });
        block
    }

    fn keys(&self, w: WorkspaceId) -> Vec<BufferId> {
        self.spas[w.index()].crd.clone()
    }

    /// How many places a row's table has: for the most elements that it holds at once, which are no more than it scatters.
    pub(in super::super) fn table_places(&mut self, w: WorkspaceId, scattered: VarId) -> (Block, Expr) {
        let elements = match self.different_in_row(w) {
            Some(most) => build::min(scattered, most),
            None => scattered.into(),
        };
        // With as many places as there are coordinates each has its own.
        let enough = match &self.spas[w.index()].dims[..] {
            [dim] => dim.clone(),
            _ => Expr::Index(MOST),
        };
        self.places_for(w, elements, enough)
    }

    /// How many places a table has for so many elements, where so many places are enough.
    fn places_for(&mut self, w: WorkspaceId, elements: Expr, enough: Expr) -> (Block, Expr) {
        let name = self.spas[w.index()].name.clone();
        let (mut block, places) = (Block::new(), self.fresh("places", Ty::Index));
        let elements = self.bind(&format!("{name}_elements"), elements, &mut block);
        let some = build::lt(Expr::Index(0), elements.clone());
        let fewest = Expr::Select(Box::new(some), Box::new(Expr::Index(4)), Box::new(Expr::Index(0)));
        let quarter = Expr::IndexOp(IndexOp::Div, Box::new(places.into()), Box::new(Expr::Index(4)));
        let fuller = build::lt(build::sub(places, quarter), elements);
        let twice = vec![Stmt::Assign { var: places, value: build::count(places, places) }];
        block.push(Stmt::Mut { var: places, value: fewest });
        block.push(Stmt::While { cond: build::and(build::lt(places, enough), fuller), body: twice });
        (block, places.into())
    }

    /// A workspace that the counting of what is scattered reads, though no workspace has elements yet.
    pub(in super::super) fn read_before_filled(&self, body: &[Stmt]) -> Option<WorkspaceId> {
        let mut read = BTreeSet::new();
        visit_exprs(body, &mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } | Expr::Len(buffer) = e {
                read.insert(*buffer);
            }
        });
        let is_read = |w: &&Workspace| w.crd.iter().chain([&w.vals]).any(|b| read.contains(b));
        let at = self.spas.iter().position(|w| is_read(&w))?;
        Some(WorkspaceId(at as u32))
    }

    pub(in super::super) fn refuse_chain(&self, read: WorkspaceId) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "scattered-on-gpu",
                self.kernel.assignment.lhs.span,
                format!(
                    "a workspace is filled from the workspace `{}`: how large it has to be is known when that has been filled only",
                    self.spas[read.index()].name
                ),
            )
            .help("store the operands of the terms in the same order (convert them on the CPU); or write `schedule cuda = none;`, or return a tensor whose levels are all dense"),
        )
    }

    pub(in super::super) fn refuse_scattered(&self, w: crate::cin::Workspace) -> Box<Diagnostic> {
        let out = &self.kernel.tensors[self.out.tensor.index()].name;
        if !self.out.is_assembled() {
            let name = &self.workspaces[w.index()].name;
            let message = format!(
                "the sparse workspace `{name}` has no memory on a GPU: tables are those of rows that are assembled, and `{out}` is not assembled"
            );
            return Box::new(
                Diagnostic::new("scattered-on-gpu", self.kernel.assignment.lhs.span, message).help(
                    "leave the workspace out, so that threads update the result itself; or give it constant dimensions, `Dense`; or return a sparse tensor",
                ),
            );
        }
        Box::new(
            Diagnostic::new(
                "scattered-on-gpu",
                self.kernel.assignment.lhs.span,
                format!(
                    "the workspace `{}` would be filled by many threads: it does not stand inside the loops over rows of `{out}`",
                    self.workspaces[w.index()].name
                ),
            )
            .help("store the operands so that the result's rows can be the outermost loops (convert them on the CPU); or write `schedule cuda = none;`, or return a tensor whose levels are all dense"),
        )
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

/// A plain loop.
fn each(var: VarId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Serial, body }
}

impl Table {
    /// A part of arrays, as long as a variable says.
    pub(super) fn of(begin: Expr, end: Expr, len: VarId) -> Table {
        Table { begin, end, size: len.into(), len }
    }

    /// The place after this one, the first one after the last.
    fn after(&self, at: VarId) -> Expr {
        let next = build::add(at, Expr::Index(1));
        let (around, last) = (self.begin.clone(), build::eq(next.clone(), self.end.clone()));
        Expr::Select(Box::new(last), Box::new(around), Box::new(next))
    }

    /// How many elements it holds, or were scattered.
    pub(in super::super) fn len(&self) -> VarId {
        self.len
    }
}
