//! A window of fused positions, row by row: the first and the last row may be there in part.
//!
//! ```text
//! p = lo; i = upper_bound(pos, p) - 1;
//! while p < hi { t = 0; end = min(pos[i + 1], hi); for p in p..end { t += … }; y[i] += t; p = end; i += 1 }
//! ```
//!
//! What is written once a row goes through an accumulator. Other windows may have parts of the first and the last row
//! alone: the rows between them have one writer, and need no atomic update. Where threads of a group reduce by segments,
//! the open rows of neighbouring threads are joined after (`gpu::open_rows`).
//!
//! On a GPU the entries are one loop where that lets them load together ([`batch`]), and rows end in between:
//!
//! ```text
//! t = 0; end = pos[i + 1]; for p in lo..hi { if p >= end { y[i] += t; t = 0; i = next row; end = pos[i + 1] } t += … } y[i] += t
//! ```
//!
//! There the next row is one that has entries, which a search finds: a group waits for the lane with the most rows to pass over, and
//! to write what a row without entries has, which stands there already, would take memory's time.

use super::accumulate::Accumulator;
use super::gpu::OpenRows;
use super::place::Leader;
use super::position::{Parents, Span, Spanned, range};
use super::region::{Window, guard};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer, joined};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Strategy;
use crate::llir::simplify::batch;
use crate::llir::walk::visit_exprs;
use crate::llir::{Block, Bound, Elem, Expr, LoopKind, Space, Stmt, Ty, VarId, build};

/// A window of fused positions.
pub(super) struct Rows<'a> {
    pub(super) leader: &'a Leader,
    pub(super) span: &'a Span,
    pub(super) parents: &'a [Parents],
    pub(super) loops: &'a [IndexVar],
    /// The position reached.
    pub(super) p: VarId,
    pub(super) hi: Expr,
    /// The position reached at each level above.
    pub(super) cursors: Vec<VarId>,
    flush: Option<Flush>,
}

/// Rows are written once each, through an accumulator.
#[derive(Clone)]
pub(super) struct Flush {
    /// The level whose rows have one output element, or a few columns of them.
    pub(super) level: usize,
    pub(super) columns: Vec<IndexVar>,
    /// A register tile writes them instead, which is over all of the row's entries.
    in_tiles: bool,
    /// No loop outside visits the rows again.
    pub(super) contiguous: bool,
    how: How,
    /// The position of the first row.
    first: Option<VarId>,
    /// Of a group's lanes.
    open: Option<OpenRows>,
}

/// A loop over entries of several rows.
struct Entries {
    remarks: Block,
    /// The loop, for one row.
    entries: Stmt,
    /// Where the row's entries end.
    children: Expr,
    /// Of the accumulator.
    declared: Block,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// As any other write.
    Plain,
    /// Plainly between the first row and the last one, which are atomic.
    Inside,
    /// The first and the last row stay open, to be joined with those of neighbouring lanes.
    Open,
}

impl Lowerer<'_> {
    /// The rows that a window of positions touches.
    pub(super) fn some_rows(
        &mut self,
        leader: &Leader,
        span: &Span,
        parents: &[Parents],
        loops: &[IndexVar],
        w: &Window,
        st: State,
    ) -> Lowered {
        let mut flush = self.flush(leader, span, loops, &st);
        let open = flush.as_ref().is_some_and(|f| f.how == How::Open);
        let p = self.fresh(&format!("p{}", self.tensor_name(leader.access)), Ty::Index);
        let mut block = vec![Stmt::Mut { var: p, value: w.lo.clone() }];
        let mut below = Expr::Var(p);
        if let Some((_, end)) = parents.last()
            && open
        {
            // A window past the end finds the last row.
            below = build::min(p, build::sub(end.clone(), Expr::Index(1)));
        }
        let mut cursors = Vec::new();
        for level in (span.first..span.group).rev() {
            let found = self.parent_of(leader, level, &parents[level - span.first], below);
            let name = self.row_name(leader, span, level, parents);
            let q = self.fresh(&name, Ty::Index);
            block.push(Stmt::Mut { var: q, value: found });
            below = Expr::Var(q);
            cursors.insert(0, q);
        }
        if let Some(f) = &mut flush {
            let q = cursors[f.level - span.first];
            match f.how {
                How::Plain => {}
                How::Inside => {
                    let first = self.fresh("first", Ty::Index);
                    block.push(Stmt::Let { var: first, value: q.into() });
                    f.first = Some(first);
                }
                How::Open => f.open = Some(self.open_rows(q, &f.columns, &st, &mut block)),
            }
        }
        let rows = Rows { leader, span, parents, loops, p, hi: w.hi.clone(), cursors, flush };
        let code = self.row(&rows, span.first, None, st.clone())?;
        if code.is_empty() {
            return Ok(code);
        }
        block.extend(code);
        if let Some(flush) = &rows.flush
            && let Some(open) = &flush.open
        {
            block.extend(self.join_rows(&rows, flush, open, w, &st)?);
            return Ok(guard(self.some_position(leader, parents, &st), block));
        }
        // An empty window has no first row to be found.
        let some = match self.is_counted_part(loops[0], &st) {
            true => Expr::Cond(true),
            false => build::lt(w.lo.clone(), w.hi.clone()),
        };
        Ok(guard(some, block))
    }

    /// Are rows written once each, and how?
    fn flush(&mut self, leader: &Leader, span: &Span, loops: &[IndexVar], st: &State) -> Option<Flush> {
        if !matches!(st.lhs, Lhs::Output { .. }) || st.op.is_none() || self.out.is_assembled() {
            return None;
        }
        let (&v, rest) = loops.split_first()?;
        let columns = match self.gpu {
            Some(_) => self.trailing_columns(rest),
            None => vec![],
        };
        let tiled = rest.last().copied().filter(|k| self.gpu.is_none() && self.out.unit_stride() == Some(*k));
        let is_column = |v: &IndexVar| columns.contains(v) || tiled == Some(*v);
        let is_written = |v: &IndexVar| self.unknown_roots(*v, st).iter().any(|r| self.out.vars.contains(r));
        if rest.iter().any(|r| is_written(r) && !is_column(r)) {
            return None;
        }
        // Unknown coordinates of the output that a row's levels do not give are the columns'.
        let known = |o: &IndexVar, upto: usize| {
            st.coords[o.index()].is_some()
                || leader.roots[..=upto - span.first].contains(o)
                || columns.iter().chain(&tiled).any(|c| self.provenance.comes_from(*c, *o))
        };
        let level = (span.first..span.group).find(|l| self.out.vars.iter().all(|o| known(o, *l)))?;
        let decides = leader.roots[..=level - span.first].iter().any(|r| self.out.vars.contains(r));
        if !decides || self.unknown_roots(v, st).is_empty() {
            return None;
        }
        // Equal elements are neighbours only if the output has all levels down to the row.
        let prefix = leader.roots[..=level - span.first].iter().all(|r| self.out.vars.contains(r));
        let contiguous = prefix && self.is_contiguous(leader, st);
        let mut written = st.clone();
        self.end_loops(rest, &mut written);
        // Threads that each have a part of every row write none of them alone.
        let parts = written.bound.len() > st.bound.len();
        let how = match (self.segment_group(st), self.updates_atomically(&written)) {
            (Some(_), _) => How::Open,
            (None, true) if contiguous && !parts && (tiled.is_none() || level + 1 == span.group) => {
                How::Inside
            }
            (None, _) if tiled.is_some() => return None,
            // One level is promoted anyway.
            (None, _) if columns.is_empty() && level + 1 == span.group => return None,
            (None, _) => How::Plain,
        };
        let contiguous = contiguous && (how != How::Open || self.in_one_run(leader, st));
        let in_tiles = tiled.is_some();
        Some(Flush { level, columns, in_tiles, contiguous, how, first: None, open: None })
    }

    /// Are writes from here atomic?
    fn updates_atomically(&self, st: &State) -> bool {
        match self.gpu {
            Some(_) => self.races_on_gpu(st),
            None => self.race(st) == Some(Strategy::Atomics),
        }
    }

    /// `while p < hi { … }`, one row of a level an iteration.
    fn row(&mut self, rows: &Rows<'_>, level: usize, end: Option<Expr>, st: State) -> Lowered {
        let q = rows.cursors[level - rows.span.first];
        let mut body = Block::new();
        let Rows { leader, span, parents, .. } = *rows;
        let mut inner = self.at_row(Spanned { leader, span, parents }, level, q, st, &mut body)?;
        // The row's coordinate is its position: nothing is to be found where a row begins.
        let plain = body.is_empty();
        let written = inner.clone();
        let flush = rows.flush.as_ref().filter(|f| f.level == level && !f.in_tiles).cloned();
        let mut declared = Block::new();
        let acc = flush.as_ref().map(|f| match &f.open {
            Some(open) => open.acc.clone(),
            None => self.accumulator(&f.columns, &inner, &mut declared),
        });
        if let Some(open) = flush.as_ref().and_then(|f| f.open.as_ref()) {
            body.push(Stmt::Assign { var: open.last, value: q.into() });
        }
        if let Some(acc) = &acc {
            inner.lhs = acc.lhs();
            inner.repeated = false;
        }
        let tensor = self.tensor_name(rows.leader.access);
        let below = self.levels[rows.leader.access.index()][level + 1].clone();
        let (_, children) = self.children_of(&below, q.into());
        let code = if level + 1 == rows.span.group {
            let stop = build::min(children.clone(), rows.hi.clone());
            let mut bound = Block::new();
            let stop = self.bind(&format!("p{tensor}{}_end", level + 2), stop, &mut bound);
            inner.leaf = Some((rows.loops[0], Window { lo: rows.p.into(), hi: stop.clone() }));
            if let Some(first) = rows.flush.as_ref().filter(|f| f.in_tiles).and_then(|f| f.first)
                && self.tiles(rows.loops, &inner)
            {
                let ended = build::lt(stop.clone(), rows.hi.clone());
                inner.sole = Some(build::and(build::lt(first, q), ended));
            }
            let mut code = self.lower(rows.loops, inner)?;
            if plain
                && end.is_none()
                && !self.is_counted_part(rows.loops[0], &written)
                && let (Some(flush), Some(acc)) = (&flush, &acc)
                && let Some((remarks, entries)) = self.only_entries(&code, rows.p, &stop)
            {
                let found = Entries { remarks, entries, children: children.clone(), declared };
                return self.rows_among_entries(rows, flush, acc, q, found, written);
            }
            if !code.is_empty() {
                code.push(Stmt::Assign { var: rows.p, value: stop });
            }
            joined(bound, code)
        } else {
            body.append(&mut declared);
            let stop = self.bind(&format!("p{tensor}{}_end", level + 2), children.clone(), &mut body);
            self.row(rows, level + 1, Some(stop), inner)?
        };
        if code.is_empty() {
            return Ok(code);
        }
        body.extend(declared);
        body.extend(code);
        if let (Some(flush), Some(acc)) = (flush, acc) {
            // Another row follows: this one has ended.
            let ended = build::lt(rows.p, rows.hi.clone());
            body.extend(self.write_row(rows, &flush, &acc, q, ended, written)?);
        }
        body.push(Stmt::Assign { var: q, value: build::add(q, Expr::Index(1)) });
        let more = build::lt(rows.p, rows.hi.clone());
        if level + 1 == rows.span.group
            && let Some(found) = self.row_with_entries(rows, q, rows.p)
        {
            let is_empty = build::le(children, rows.p);
            body.extend(guard(build::and(more.clone(), is_empty), vec![found]));
        }
        let cond = match end {
            Some(end) => build::and(more, build::lt(q, end)),
            None => more,
        };
        Ok(vec![Stmt::While { cond, body }])
    }

    /// Is a row's code a loop over its entries, from `p` to `stop`, whose iterations wait for what they load, and nothing
    /// else? Then a GPU loads for several at once, whichever rows they are in. Gives the remarks before it too.
    fn only_entries(&mut self, code: &Block, p: VarId, stop: &Expr) -> Option<(Block, Stmt)> {
        self.gpu.as_ref()?;
        let (entries, remarks) = code.split_last()?;
        let Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Serial, body } = entries else { return None };
        let mut of_row = false;
        visit_exprs(body, &mut |e| of_row |= e.is_var(p) || e == stop);
        let whole = *lo == Expr::Var(p) && hi == stop && !of_row;
        let alone = remarks.iter().all(|s| matches!(s, Stmt::Comment(_)));
        if !whole || !alone {
            return None;
        }
        let (mut entries, mut body) = (entries.clone(), body.clone());
        if !batch::waits(&self.buffers, &self.vars, *var, &body) {
            self.name_loads(&mut body);
            if !batch::waits(&self.buffers, &self.vars, *var, &body) {
                return None;
            }
            entries.for_each_block_mut(&mut |of| of.clone_from(&body));
        }
        Some((remarks.to_vec(), entries))
    }

    /// Values of inputs that a body's statements load in any case become constants, which can be loaded before.
    fn name_loads(&mut self, body: &mut Block) {
        let mut named = Block::new();
        for mut stmt in std::mem::take(body) {
            if let Stmt::Update { value, .. } | Stmt::Reduce { value, .. } = &mut stmt {
                self.name_loads_of(value, &mut named);
            }
            named.push(stmt);
        }
        *body = named;
    }

    fn name_loads_of(&mut self, e: &mut Expr, block: &mut Block) {
        match e {
            // What is not evaluated in any case.
            Expr::Select(..) => {}
            Expr::Load { buffer, .. } => {
                let of = &self.buffers[buffer.index()];
                if let (Space::Input, Elem::Scalar(t)) = (of.space, of.elem) {
                    let name = of.element_name().to_owned();
                    let var = self.fresh(&name, Ty::Scalar(t));
                    block.push(Stmt::Let { var, value: std::mem::replace(e, var.into()) });
                }
            }
            e => e.for_each_child_mut(&mut |child| self.name_loads_of(child, block)),
        }
    }

    /// `for p in lo..hi { while p >= end { …; i += 1; end = pos[i + 1]; } … }`
    fn rows_among_entries(
        &mut self,
        rows: &Rows<'_>,
        flush: &Flush,
        acc: &Accumulator,
        q: VarId,
        found: Entries,
        st: State,
    ) -> Lowered {
        let Entries { remarks, mut entries, children, declared } = found;
        let Stmt::For { var, lo, hi, body, .. } = &mut entries else { return Ok(vec![]) };
        *hi = rows.hi.clone();
        let tensor = self.tensor_name(rows.leader.access);
        let end = self.fresh(&format!("p{tensor}{}_end", flush.level + 2), Ty::Index);
        let mut block = declared;
        block.push(Stmt::Mut { var: end, value: children.clone() });
        let mut next = self.write_row(rows, flush, acc, q, Expr::Cond(true), st.clone())?;
        if flush.open.is_none() {
            next.extend(self.reset(acc, &st));
        }
        next.push(Stmt::Assign { var: q, value: build::add(q, Expr::Index(1)) });
        next.push(Stmt::Assign { var: end, value: children.clone() });
        let found = self.row_with_entries(rows, q, *var);
        // Without a search the next row is the one after, which may have no entries either.
        let is_walk = found.is_none();
        if let Some(found) = found {
            let again = Stmt::Assign { var: end, value: children };
            next.extend(guard(build::le(end, *var), vec![found, again]));
        }
        if let Some(open) = &flush.open {
            next.push(Stmt::Assign { var: open.last, value: q.into() });
        }
        let cond = build::le(end, *var);
        let ended = if is_walk {
            Stmt::While { cond, body: next }
        } else {
            Stmt::If { cond, then: next, otherwise: vec![] }
        };
        body.insert(0, ended);
        *lo = rows.p.into();
        block.extend(remarks);
        block.push(entries);
        if flush.open.is_none() {
            block.extend(self.write_row(rows, flush, acc, q, Expr::Cond(false), st)?);
        }
        Ok(block)
    }

    /// On a GPU, `q = ` the row of position `p`, which row `q` ends before, or at. `None` where rows are listed: those without entries
    /// are not, as a rule.
    fn row_with_entries(&mut self, rows: &Rows<'_>, q: VarId, p: VarId) -> Option<Stmt> {
        let level = rows.span.group - 1;
        let levels = &self.levels[rows.leader.access.index()];
        let pos = levels[level + 1].pos.filter(|_| levels[level].level.is_full())?;
        self.gpu.as_mut()?.bound_registers();
        let (_, end) = range(&rows.parents[level - rows.span.first]);
        let from = build::add(q, Expr::Index(2));
        let after = build::search(Bound::Gallop, pos, from, end, build::add(p, Expr::Index(1)));
        Some(Stmt::Assign { var: q, value: build::sub(after, Expr::Index(1)) })
    }

    /// After a row, or its part, if it has not ended.
    fn write_row(
        &mut self,
        rows: &Rows<'_>,
        flush: &Flush,
        acc: &Accumulator,
        q: VarId,
        ended: Expr,
        mut st: State,
    ) -> Result<Block, Box<Diagnostic>> {
        self.end_loops(rows.loops, &mut st);
        if let Some(open) = &flush.open {
            st.sole = Some(Expr::Cond(flush.contiguous));
            let outer = st.clone();
            let inside = self.write_accumulated(acc, &flush.columns, st)?;
            let is_first = build::eq(q, open.first);
            let keep = self.copy(&open.kept, acc);
            let mut then = vec![Stmt::If { cond: is_first, then: keep, otherwise: inside }];
            then.extend(self.reset(acc, &outer));
            return Ok(guard(ended, then));
        }
        if let Some(first) = flush.first {
            st.sole = Some(match ended {
                Expr::Cond(false) => ended,
                ended => build::and(build::lt(first, q), ended),
            });
        }
        self.write_accumulated(acc, &flush.columns, st)
    }
}
