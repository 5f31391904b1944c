//! Serial inside a lane, segmented across lanes: `<g nnz, c col>, r` with `Segment`.
//!
//! Each lane sums the rows of its own positions. Rows that begin and end there it writes itself. Its first row may have
//! begun in the lane before, its last may go on in the lane after: these stay open. A lane takes the first row of the next
//! lane if that is its own last row; then segments of equal last rows are reduced among the lanes.

use super::super::accumulate::{Accumulator, each};
use super::super::region::{Window, guard};
use super::super::rows::{Flush, Rows};
use super::super::state::State;
use super::super::{Lowered, Lowerer};
use super::carry::LanePositions;
use super::segment::Segment;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::{Arrive, Block, Collective, Expr, Group, Neighbour, Stmt, Ty, VarId, build};
use crate::looplet::Position;
use crate::scalar::Monoid;

/// A lane's rows that other lanes may have parts of.
#[derive(Clone, Debug)]
pub(in super::super) struct OpenRows {
    /// The position of the first row.
    pub(in super::super) first: VarId,
    /// The position of the row reached.
    pub(in super::super) last: VarId,
    /// The row reached.
    pub(in super::super) acc: Accumulator,
    /// The first row, once another has begun.
    pub(in super::super) kept: Accumulator,
}

impl Lowerer<'_> {
    /// The group around, if it reduces by segments.
    pub(in super::super) fn segment_group(&self, st: &State) -> Option<u32> {
        st.bound.iter().find_map(|v| match self.provenance.tag(*v).parallel {
            Some((Unit::GpuGroup(r), s)) if s.is_segmented() => Some(r),
            _ => None,
        })
    }

    /// The loop around whose lanes reduce by segments.
    fn grouped(&self, st: &State) -> Option<IndexVar> {
        let by_segments =
            |v: &IndexVar| matches!(self.provenance.tag(*v).parallel, Some((_, s)) if s.is_segmented());
        st.bound.iter().copied().find(by_segments)
    }

    /// Declares a lane's open rows, at the position of its first.
    pub(in super::super) fn open_rows(
        &mut self,
        q: VarId,
        columns: &[IndexVar],
        st: &State,
        block: &mut Block,
    ) -> OpenRows {
        let (first, last) = (self.fresh("first", Ty::Index), self.fresh("last", Ty::Index));
        block.push(Stmt::Let { var: first, value: q.into() });
        block.push(Stmt::Mut { var: last, value: q.into() });
        let acc = self.accumulator(columns, st, block);
        let kept = self.accumulator(columns, st, block);
        OpenRows { first, last, acc, kept }
    }

    /// After a lane's rows.
    pub(in super::super) fn join_rows(
        &mut self,
        rows: &Rows<'_>,
        flush: &Flush,
        open: &OpenRows,
        w: &Window,
        st: &State,
    ) -> Lowered {
        let (Some(size), Some(op)) = (self.segment_group(st), st.op) else {
            unreachable!("a group reduces by segments")
        };
        let group = Group { size, arrive: Arrive::Warp };
        let mut block = Block::new();
        let several = self.fresh("several", Ty::Cond);
        block.push(Stmt::Let { var: several, value: build::ne(open.first, open.last) });
        // The next lane's first row plus one, if it has others too.
        let offered = self.shuffle(
            "offered",
            Ty::Index,
            build::select(several.into(), build::add(open.first, Expr::Index(1)), Expr::Index(0)),
            Neighbour::Next,
            group,
            &mut block,
        );
        let taken = self.fresh("takes", Ty::Cond);
        block
            .push(Stmt::Let { var: taken, value: build::eq(offered, build::add(open.last, Expr::Index(1))) });
        self.take_first(open, taken, op, group, &mut block);
        let before =
            self.shuffle("before", Ty::Index, open.last.into(), Neighbour::Previous, group, &mut block);
        let mut alone = Block::new();
        let mut first = self.at_key(rows, flush.level, open.first.into(), st, &mut alone)?;
        // Only the group's first lane does not know where its first row began.
        let lane = self.hardware(Unit::GpuGroup(size)).0;
        let lane = build::rem(lane, Expr::Index(size.into()));
        let follows = build::ne(lane, Expr::Index(0));
        first.sole = Some(if flush.contiguous { follows } else { Expr::Cond(false) });
        let whole = self.some_position(rows.leader, rows.parents, st);
        let carried = match self.grouped(st) {
            Some(v) => {
                let lane = LanePositions { lo: w.lo.clone(), some: &whole, contiguous: flush.contiguous };
                self.carried(v, rows.leader, rows.parents, lane, &mut block)?
            }
            None => None,
        };
        first.carried.clone_from(&carried);
        alone.extend(self.write_accumulated(&open.kept, &flush.columns, first)?);
        block.extend(guard(build::and(several, build::ne(before, open.first)), alone));
        let live = self.fresh("live", Ty::Cond);
        block.push(Stmt::Let { var: live, value: build::lt(w.lo.clone(), w.hi.clone()) });
        let var = self.fresh("segment", Ty::Segments);
        block.push(Stmt::Collective(Collective::Segments { var, key: open.last.into(), group }));
        let mut last = self.at_key(rows, flush.level, open.last.into(), st, &mut block)?;
        let began = if carried.is_some() { several.into() } else { Expr::Cond(false) };
        let contiguous = flush.contiguous;
        let roots = rows.leader.roots.clone();
        last.segment = Some(Segment { var, roots, live, size, contiguous, whole: true, carried, began });
        block.extend(self.write_accumulated(&open.acc, &flush.columns, last)?);
        Ok(block)
    }

    /// `acc op= the next lane's first row`, where it is this lane's last.
    fn take_first(&mut self, open: &OpenRows, takes: VarId, op: Monoid, group: Group, block: &mut Block) {
        let ty = Ty::Scalar(self.dtype);
        match (&open.acc, &open.kept) {
            (Accumulator::Scalar(acc), Accumulator::Scalar(kept)) => {
                let next = self.shuffle("next", ty, (*kept).into(), Neighbour::Next, group, block);
                let update = Stmt::Update { var: *acc, op, value: next.into() };
                block.extend(guard(takes.into(), vec![update]));
            }
            (Accumulator::Columns(acc, len), Accumulator::Columns(kept, _)) => {
                let next = self.fresh("next", ty);
                let at = self.fresh("c", Ty::Index);
                let value = build::load(kept.buffer, at);
                let update = Stmt::Reduce { buffer: acc.buffer, index: at.into(), op, value: next.into() };
                let body = vec![
                    Stmt::Collective(Collective::Shuffle { var: next, value, from: Neighbour::Next, group }),
                    Stmt::If { cond: takes.into(), then: vec![update], otherwise: vec![] },
                ];
                block.push(each(at, *len, body));
            }
            _ => unreachable!("both are of the same columns"),
        }
    }

    fn shuffle(
        &mut self,
        name: &str,
        ty: Ty,
        value: Expr,
        from: Neighbour,
        group: Group,
        block: &mut Block,
    ) -> VarId {
        let var = self.fresh(name, ty);
        block.push(Stmt::Collective(Collective::Shuffle { var, value, from, group }));
        var
    }

    /// The state at position `q` of a level, with the coordinates of the levels above it.
    fn at_key(
        &mut self,
        rows: &Rows<'_>,
        level: usize,
        q: Expr,
        st: &State,
        block: &mut Block,
    ) -> Result<State, Box<Diagnostic>> {
        let (a, first) = (rows.leader.access, rows.span.first);
        let mut positions = vec![q];
        for l in (first..level).rev() {
            let child = positions[0].clone();
            let found = self.parent_of(rows.leader, l, &rows.parents[l - first], child);
            let name = self.row_name(rows.leader, rows.span, l, rows.parents);
            let found = self.bind(&name, found, block);
            positions.insert(0, found);
        }
        let mut inner = st.clone();
        for (n, position) in positions.into_iter().enumerate() {
            let root = rows.leader.roots[n];
            let coordinate =
                self.coordinate_at(rows.leader, rows.span, first + n, position.clone(), rows.parents);
            let name = self.name(root);
            let at = self.bind(&name, coordinate, block);
            inner = inner.step(a, Position::One(position));
            inner.coords[root.index()] = Some(at);
        }
        Ok(inner)
    }
}
