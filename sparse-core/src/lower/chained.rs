//! Parts of products in arrays outside of all loops, of which each row has terms where a sparse operand has entries.
//!
//! ```text
//! (∀i ∀h y[i] += A[i, h] * t0[h]) where (∀h_t0 ∀j t0[h_t0] += B[h_t0, j] * x[j])
//!     →   if enough { t0 = B x; if whole { y = A t0 } else { y = A t0, but for empty rows of B } } else { … }
//! ```
//!
//! A row without terms takes no part: an infinite entry of A that meets it makes no NaN. Who reads it asks B's positions, unless no
//! row is without terms, or it makes no difference: 0 times an integer is 0. All rows are computed, read or not, so that calls
//! that would read few of them have the loops without such arrays.

use super::begin::root_state;
use super::output::Output;
use super::region::{Window, either, guard};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer, internal, joined};
use crate::cin::nested::Nested;
use crate::cin::result::ResultKind;
use crate::cin::val::{AccessId, Constant, Nest, Production, Val};
use crate::cin::{Access, Cin, Expr as CinExpr, Stmt as CinStmt, Workspace};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Array, Block, BufferId, Elem, Expr, Init, LoopKind, Space, Step, Stmt, Ty, VarId, build};
use crate::work::READ;

/// Whether a row is empty is asked in so many parts.
const PARTS: u64 = 64;

impl<'k> Lowerer<'k> {
    /// An array that its producer writes as if it were a dense result: of rows that are summed once each nothing is written before.
    pub(super) fn fill_product(
        &mut self,
        (w, dims): (Workspace, &[Expr]),
        (nest, written): (Nest, Vec<IndexVar>),
        st: &State,
        block: &mut Block,
    ) -> Result<BufferId, Box<Diagnostic>> {
        let background = self.before(&nest).map_or(self.dtype.zero(), Constant::value);
        let name = self.workspaces[w.index()].name.clone();
        let buffer = self.local(&name, Elem::Scalar(self.dtype), Space::Scratch);
        let array = Output::of_array(buffer, written, background, (self.out.tensor, nest.rhs.clone()));
        let (filled, array) =
            self.with_output(array, |l| l.produce(nest, Lhs::Output { block: None }, st))?;
        let whole = !array.needs_init && !filled.is_empty();
        let init = if whole { Init::Unwritten } else { Init::Value(background) };
        let len = dims.iter().cloned().fold(Expr::Index(1), build::mul);
        block.push(Stmt::Alloc { buffer, len, init });
        block.extend(filled);
        Ok(buffer)
    }

    /// A consumer of an array that has the rows of an operand: where none of these is empty, and where some are.
    pub(super) fn read_rows(
        &mut self,
        (array, dims, rows): (BufferId, &[Expr], &Access),
        found: &[Production],
        loops: &[IndexVar],
        st: State,
    ) -> Lowered {
        let whole = self.with_rows((array, dims, None), found, loops, st.clone())?;
        // Where arrays are made of this one, calls have been asked already.
        let asked = found.first().is_some_and(|p| self.makes_rows(p.workspace, &st));
        if asked || !self.dtype.is_float() {
            return Ok(whole);
        }
        let pos = self.input(Array::Pos(rows.tensor, 1));
        let filled = found.first().and_then(|p| Some((*p.read.first()?, *p.nest.loops.first()?)));
        let Some((row, filled)) = filled else {
            return Err(internal(self.kernel, "an array has rows without a loop"));
        };
        let some = self.with_rows((array, dims, Some(pos)), found, loops, st)?;
        if whole == some {
            return Ok(whole);
        }
        let (row, on_threads) = (self.provenance.original(row), self.runs_on_threads(filled));
        let (block, least) = self.shortest_row(pos, row, on_threads);
        Ok(joined(block, either(build::lt(Expr::Index(0), least), whole, some)))
    }

    /// The least of 1 and the rows' lengths. Threads, if they fill the rows, each look at a part of them first.
    fn shortest_row(&mut self, pos: BufferId, row: IndexVar, on_threads: bool) -> (Block, VarId) {
        let (rows, name) = (self.extent(row), self.name(row));
        if !on_threads {
            return self.shortest_of(&name, pos, Window { lo: Expr::Index(0), hi: rows });
        }
        let of_parts = self.local("shortest_of", Elem::Index, Space::Scratch);
        let [part, begin] = ["part", "begin"].map(|name| self.fresh(name, Ty::Index));
        let (parts, bound) = (Expr::Index(PARTS), |at: Expr| build::min(at, rows.clone()));
        let length = build::div(build::add(rows.clone(), Expr::Index(PARTS - 1)), parts.clone());
        let value = bound(build::mul(part, length.clone()));
        let window = Window { lo: begin.into(), hi: bound(build::add(begin, length)) };
        let (of_part, least) = self.shortest_of(&name, pos, window);
        let store = Stmt::Store { buffer: of_parts, index: part.into(), value: least.into() };
        let body = joined(joined(vec![Stmt::Let { var: begin, value }], of_part), vec![store]);
        let (lo, hi) = (Expr::Index(0), parts.clone());
        let (work, appends) = (rows.clone(), None);
        let mut block = vec![
            Stmt::Alloc { buffer: of_parts, len: parts, init: Init::Unwritten },
            Stmt::Threads { var: part, lo, hi, work, balance: vec![], private: None, appends, body },
        ];
        let all = Window { lo: Expr::Index(0), hi: Expr::Index(PARTS) };
        let (of_all, least) = self.least_of("part", all, |part| build::load(of_parts, part));
        block.extend(of_all);
        (block, least)
    }

    fn shortest_of(&mut self, name: &str, pos: BufferId, window: Window) -> (Block, VarId) {
        let end = |h| build::load(pos, build::add(h, Expr::Index(1)));
        self.least_of(name, window, |h| build::sub(end(h), build::load(pos, h)))
    }

    /// The least of 1 and some indices.
    fn least_of(&mut self, name: &str, w: Window, each: impl Fn(VarId) -> Expr) -> (Block, VarId) {
        let [least, var] = ["shortest", name].map(|name| self.fresh(name, Ty::Index));
        let body = vec![Stmt::Assign { var: least, value: build::min(least, each(var)) }];
        let (Window { lo, hi }, kind) = (w, LoopKind::Serial);
        let all = Stmt::For { var, lo, hi, step: 1, kind, body };
        (vec![Stmt::Mut { var: least, value: Expr::Index(1) }, all], least)
    }

    /// The consumer that asks these positions whether a row has terms.
    fn with_rows(
        &mut self,
        (array, dims, pos): (BufferId, &[Expr], Option<BufferId>),
        found: &[Production],
        loops: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        for p in found {
            let id = self.read(array, dims, &p.read, &mut st);
            if let Some(pos) = pos {
                self.rows.insert(id, pos);
            }
            st.rhs = st.rhs.map(&|v| match v {
                Val::Work(q) if q.workspace == p.workspace && q.read == p.read => Some(Val::Access(id)),
                _ => None,
            });
        }
        st.walks = self.walked(loops, &st)?;
        self.lower(loops, st)
    }

    /// Whether the row of an array has terms, if an operand is one, and its rows may have none.
    pub(super) fn has_row(&self, a: AccessId, level: usize, row: &Expr) -> Option<Expr> {
        let pos = self.rows.get(&a).filter(|_| level == 0)?;
        let (begin, end) = (row.clone(), build::add(row.clone(), Expr::Index(1)));
        Some(build::lt(build::load(*pos, begin), build::load(*pos, end)))
    }

    /// Is a workspace read by what fills another array outside of all loops?
    fn makes_rows(&self, w: Workspace, st: &State) -> bool {
        let mut makes = false;
        st.rhs.for_each_production(&mut |of| {
            let rows = self.workspaces[of.workspace.index()].rows.is_some();
            of.nest.rhs.for_each_production(&mut |p| makes |= rows && p.workspace == w);
        });
        makes
    }

    /// The same program where enough rows of its arrays are read, else other ones for the same statement.
    pub(super) fn or_others(
        &mut self,
        steps: Vec<Step>,
        cin: &Cin,
        (others, kind): (&'k [Cin], &ResultKind),
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let Some((other, further)) = others.split_first() else { return Ok(steps) };
        let Some(nested) = Nested::from_cin(other) else { return Ok(steps) };
        let (mut block, fits) = self.asks(cin);
        let mut l = Lowerer::new(self.kernel, self.options, &nested, (kind.clone(), other), Some(self));
        let state = root_state(&nested, other, self.kernel, l.out.fiber());
        l.out.needs_init = state.is_noop(&l);
        let few = l.written_steps(&nested.nest.loops, state, "")?;
        let few = l.or_others(few, other, (further, kind))?;
        self.out.needs_init |= l.out.needs_init;
        let run = |steps: Vec<Step>| {
            let code =
                steps.into_iter().filter_map(|s| if let Step::Run(code) = s { Some(code) } else { None });
            code.flatten().collect::<Block>()
        };
        block.extend(either(fits, run(steps), run(few)));
        self.take_tables(l);
        let mut steps = self.output_steps();
        steps.extend((!block.is_empty()).then_some(Step::Run(block)));
        Ok(steps)
    }

    /// Whether a call is one for arrays: enough of their rows are read, and none is empty of those of operands of which others are made.
    fn asks(&mut self, cin: &Cin) -> (Block, Expr) {
        let enough = self.reads_enough(cin);
        let arrays = || cin.outside().filter(|(_, w)| w.rows.is_some());
        let makes = |w: Workspace| arrays().any(|(of, _)| reader(of, w).is_some());
        let made_of: Vec<_> = arrays().filter(|(p, _)| p.fills().is_some_and(&makes)).collect();
        if made_of.is_empty() || !self.dtype.is_float() {
            return (vec![], enough);
        }
        let least = self.fresh("shortest", Ty::Index);
        let mut asked = Block::new();
        let mut all: Option<Expr> = None;
        for (producer, decl) in made_of {
            let (Some(rows), Some(row)) = (&decl.rows, decl.vars.first()) else { continue };
            let pos = self.input(Array::Pos(rows.tensor, 1));
            let on_threads = producer.loops().first().is_some_and(|v| self.runs_on_threads(*v));
            let row = self.provenance.original(*row);
            let (block, of_rows) = self.shortest_row(pos, row, on_threads);
            asked.extend(block);
            all = Some(all.map_or(of_rows.into(), |all| build::min(all, of_rows)));
        }
        asked.extend(all.map(|value| Stmt::Assign { var: least, value }));
        let mut block = vec![Stmt::Mut { var: least, value: Expr::Index(0) }];
        block.extend(guard(enough, asked));
        (block, build::lt(Expr::Index(0), least))
    }

    /// What has been declared beside this program.
    fn take_tables(&mut self, l: Lowerer<'_>) {
        (self.vars, self.buffers, self.provisional) = (l.vars, l.buffers, l.provisional);
        (self.spas, self.spas_of) = (l.spas, l.spas_of);
        l.remarks.bounds.into_iter().for_each(|text| self.note(text));
        l.remarks.registers.into_iter().for_each(|text| self.note_registers(text));
    }

    /// Are the rows of all arrays outside of loops read often enough, and do arrays of several dimensions take no more memory than
    /// the result and the dense operands that they are made of?
    fn reads_enough(&self, cin: &Cin) -> Expr {
        let arrays = cin.outside().filter(|(_, w)| w.rows.is_some());
        let enough = arrays.filter_map(|(producer, decl)| {
            let (made_of, readers) = (value(producer), reader(&cin.root, producer.fills()?)?);
            let row = self.provenance.original(*decl.vars.first()?);
            let often = build::le(build::mul(Expr::Index(READ), self.extent(row)), self.reads(readers, row));
            if decl.vars.len() == 1 {
                return Some(often);
            }
            let mut most = self.elements(&self.out.vars);
            made_of.for_each_access(&mut |a| {
                if self.kernel.tensors[a.tensor.index()].spec.is_dense() {
                    most = build::add(most.clone(), self.elements(&a.indices));
                }
            });
            Some(build::and(often, build::le(self.elements(&decl.vars), most)))
        });
        enough.reduce(build::and).unwrap_or(Expr::Cond(true))
    }

    /// How often a product reads rows at least: operands that it is nothing without have so many entries.
    fn reads(&self, product: &CinExpr, row: IndexVar) -> Expr {
        let mut least: Option<Expr> = None;
        product.for_each_access(&mut |a| {
            let spec = &self.kernel.tensors[a.tensor.index()].spec;
            let Some(id) = self.accesses.iter().position(|b| b == a) else { return };
            if !spec.is_dense() || a.indices.contains(&row) {
                let entries = self.stored_entries(AccessId(id as u32));
                least = Some(least.take().map_or(entries.clone(), |least| build::min(least, entries)));
            }
        });
        least.unwrap_or(Expr::Index(0))
    }

    /// Elements of a dense array over these variables.
    fn elements(&self, vars: &[IndexVar]) -> Expr {
        vars.iter().map(|v| self.extent(*v)).fold(Expr::Index(1), build::mul)
    }
}

/// The value that a statement assigns.
fn value(stmt: &CinStmt) -> &CinExpr {
    match stmt {
        CinStmt::Forall { body, .. } => value(body),
        CinStmt::Where { consumer, .. } => value(consumer),
        CinStmt::Assign { rhs, .. } => rhs,
    }
}

/// The value that reads a workspace.
fn reader(stmt: &CinStmt, w: Workspace) -> Option<&CinExpr> {
    match stmt {
        CinStmt::Forall { body, .. } => reader(body, w),
        CinStmt::Where { consumer, producer } => reader(consumer, w).or_else(|| reader(producer, w)),
        CinStmt::Assign { rhs, .. } => {
            let is_read = rhs.any(&|e| matches!(e, CinExpr::Workspace(read, _) if *read == w));
            is_read.then_some(rhs)
        }
    }
}
