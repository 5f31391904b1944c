//! Sparse workspaces of a GPU's threads: hash tables of rows, in memory of the device or of a block, where each team has a region
//! that its rows use in turn ([`super::turns`]).
//!
//! How many elements a row scatters is counted first, by the producer's loops alone. Its table has a power of two of
//! places, of which they are three quarters at most, whatever of them is equal, or all that can be different. When a row
//! is filled whose entries are what the table holds, these have been counted, and a smaller table at the same place does.
//!
//! A table is open, with linear probing, and keyed by coordinates; the largest index is no coordinate, and stands for none.
//! Where it is looked into first spreads runs of coordinates ([`llir::place_of`]): rows are made of runs, and where one began at
//! another's end in a table of neighbours, all of it would be gone through. This exchanges keys, so that in a table of as many
//! places as there are coordinates each has its own. What it holds is read once it is sorted ([`super::gather`]).

use super::super::assemble::Pass;
use super::super::state::{SparseTarget, State};
use super::super::{Lowerer, internal};
use crate::llir::{
    self, Block, BufferId, Expr, IndexOp, LoopKind, MOST, Scanned, Stmt, Ty, VarId, WorkspaceId, build,
};
use crate::scalar::Monoid;

/// A row's table while it is used.
#[derive(Clone)]
pub(in super::super) struct Table {
    pub(super) begin: Expr,
    pub(super) end: Expr,
    /// How many it has room for.
    size: Expr,
    /// How many elements it holds; in the pass that counts what is scattered, that.
    pub(super) len: VarId,
}

/// An element's coordinates.
type Keys = Vec<Expr>;

impl Lowerer<'_> {
    /// A table for what a producer scatters, of which no more elements are different than are given, if so.
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
        block.push(declared);
        (block, Table { begin, end, size, len })
    }

    /// Empties a table, by the lanes that share it; its elements begin with the reduction's identity, if that is asked.
    pub(in super::super) fn empty_table(&mut self, w: WorkspaceId, table: &Table, begun: bool) -> Stmt {
        let at = self.fresh("at", Ty::Index);
        let store = |buffer, value| Stmt::Store { buffer, index: at.into(), value };
        let mut empty = vec![store(self.keys(w)[0], Expr::Index(MOST))];
        let llir::Workspace { op, vals, .. } = &self.spas[w.index()];
        if let (true, Some(nothing)) = (begun, op.and_then(|op| op.identity(self.dtype))) {
            empty.push(store(*vals, Expr::Lit(nothing)));
        }
        let (begin, end) = (table.begin.clone(), table.end.clone());
        match self.row_lanes() {
            None => each(at, begin, end, empty),
            Some(lanes) => lanes.each(at, begin, end, empty),
        }
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
            Expr::Binary(..) | Expr::Unary(..) | Expr::Select(..) if pass.combines() => {
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
        if pass.combines() {
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
        let (mut block, at, free) = self.claim_place(w, table, keys);
        let (vals, op) = (self.spas[w.index()].vals, self.spas[w.index()].op);
        let mut then = vec![Stmt::Assign { var: table.len, value: build::add(table.len, Expr::Index(1)) }];
        let mut otherwise = Block::new();
        if pass.combines() {
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

    /// A place of the table for what has these coordinates, claimed among all who do so; and was it free?
    pub(super) fn claim_place(
        &mut self,
        w: WorkspaceId,
        table: &Table,
        keys: &[Expr],
    ) -> (Block, VarId, Expr) {
        let (crd, key) = (self.keys(w)[0], keys[0].clone());
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
        (block, at, free)
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
                let (scan, sums) = self.team_scan(&lanes, Scanned::Sum(table.len.into()));
                let waits = again.then(|| lanes.barrier());
                ([scan].into_iter().chain(waits).collect(), sums.all)
            }
        }
    }

    /// Where a key is looked for first.
    fn hash(&mut self, w: WorkspaceId, keys: &[Expr], size: &Expr, block: &mut Block) -> Expr {
        let low = |e: Expr| build::op(IndexOp::And, e, build::sub(size.clone(), Expr::Index(1)));
        let all = keys.iter().cloned().zip(self.spas[w.index()].dims.clone());
        let code =
            all.reduce(|(code, _), (key, dim)| (build::add(build::mul(low(code), dim.clone()), key), dim));
        let code = self.bind("code", code.map_or(Expr::Index(0), |(code, _)| code), block);
        build::op(IndexOp::Place, code, size.clone())
    }

    pub(super) fn keys(&self, w: WorkspaceId) -> Vec<BufferId> {
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
        let fewest = build::select(some, Expr::Index(4), Expr::Index(0));
        let quarter = build::div(places, Expr::Index(4));
        let fuller = build::lt(build::sub(places, quarter), elements);
        let twice = vec![Stmt::Assign { var: places, value: build::count(places, places) }];
        block.push(Stmt::Mut { var: places, value: fewest });
        block.push(Stmt::While { cond: build::and(build::lt(places, enough), fuller), body: twice });
        (block, places.into())
    }
}

/// A plain loop.
pub(super) fn each(var: VarId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Serial, body }
}

impl Table {
    /// How many places it has.
    pub(super) fn size(&self) -> Expr {
        self.size.clone()
    }

    /// A part of arrays, as long as a variable says.
    pub(super) fn of(begin: Expr, end: Expr, len: VarId) -> Table {
        Table { begin, end, size: len.into(), len }
    }

    /// The place after this one, the first one after the last.
    fn after(&self, at: VarId) -> Expr {
        let next = build::add(at, Expr::Index(1));
        let (around, last) = (self.begin.clone(), build::eq(next.clone(), self.end.clone()));
        build::select(last, around, next)
    }

    /// How many elements it holds, or were scattered.
    pub(in super::super) fn len(&self) -> VarId {
        self.len
    }
}
