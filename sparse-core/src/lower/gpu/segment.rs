//! Positions that the threads of a bound loop take one each, and segments of equal output coordinates among them.
//!
//! ```text
//! at = begin + thread; live = at < end; p = min(at, end - 1);
//! i = upper_bound(pos, p) - 1;
//! row = segments(i); segReduceGroup(y, i, live ? A[p] * x[crd[p]] : 0, row)
//! ```
//!
//! A lane past the end takes the last position, so that output coordinates do not decrease along the lanes; it
//! contributes the identity, and writes nothing (Sgap's listing gives it the row M: out of bounds).

use super::super::place::Leader;
use super::super::position::{Parents, Span, Spanned, ranges};
use super::super::region::{Window, guard};
use super::super::state::{Lhs, State};
use super::super::update::Update;
use super::super::{Lowered, Lowerer};
use super::carry::{Carried, LanePositions};
use crate::cin::grid::constant;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::{Arrive, Block, Carry, Collective, Expr, Group, Sole, Stmt, Ty, VarId, Write, build};

/// Lanes that reduce into the elements of their segments.
#[derive(Clone, Debug)]
pub(in super::super) struct Segment {
    /// The segments.
    pub(super) var: VarId,
    /// The variables that the positions decide.
    pub(super) roots: Vec<IndexVar>,
    /// Has the lane an entry?
    pub(super) live: VarId,
    pub(super) size: u32,
    /// Equal keys are neighbours over the whole launch: nobody else writes the element of a complete segment.
    pub(super) contiguous: bool,
    /// Values are the identity in lanes without an entry.
    pub(super) whole: bool,
    /// What is not complete is carried out.
    pub(super) carried: Option<Carried>,
    /// Does the segment begin in the lane?
    pub(super) began: Expr,
}

impl Lowerer<'_> {
    /// Do the threads of a loop write by segments of equal output coordinates, which only they decide?
    pub(in super::super) fn by_segments(&self, v: IndexVar, st: &State) -> bool {
        matches!(self.provenance.tag(v).parallel, Some((Unit::GpuGroup(_), s)) if s.is_segmented())
            && matches!(st.lhs, Lhs::Output { .. })
            && st.op.is_some()
            && self.unknown_roots(v, st).iter().any(|r| self.out.vars.contains(r))
    }

    /// One position a thread.
    pub(in super::super) fn lane_positions(
        &mut self,
        leader: &Leader,
        span: &Span,
        loops: &[IndexVar],
        w: Window,
        st: State,
    ) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a position loop") };
        let mut outside = Block::new();
        let parents = self.parents(leader, span, &st, &mut outside);
        let name = format!("p{}", self.tensor_name(leader.access));
        let p = self.fresh(&name, Ty::Index);
        let mut inner = self.enter(v, st.clone());
        let mut body = Block::new();
        self.learn_chain(v, &Expr::Var(p), &mut inner);
        let segments = self.by_segments(v, &st);
        let contiguous = segments && self.is_contiguous(leader, &st);
        let roots = self.unknown_roots(v, &st);
        let of = Spanned { leader, span, parents: &parents };
        let ends = if segments { self.block_ends(of, v, &w, &st) } else { None };
        let ranges = ends.as_ref().map_or_else(|| ranges(&parents), |ends| ends.ranges.clone());
        let positions = self.entry(of, &ranges, p.into(), &mut inner, &mut body)?;
        if !segments {
            let code = self.lower(rest, inner)?;
            if code.is_empty() {
                return Ok(code);
            }
            body.extend(code);
            outside.extend(self.finish_loop(v, p, w, body, &self.outside(v, &st))?);
            return Ok(outside);
        }
        let Some((Unit::GpuGroup(size), _)) = self.provenance.tag(v).parallel else {
            unreachable!("groups reduce by segments")
        };
        let (own, _) = self.hardware(Unit::GpuGroup(size));
        let at = self.fresh("at", Ty::Index);
        let live = self.fresh("live", Ty::Cond);
        let mut block = self.comments(v);
        block.push(Stmt::Let { var: at, value: build::add(w.lo.clone(), own) });
        block.push(Stmt::Let { var: live, value: build::lt(at, w.hi.clone()) });
        let last = build::sub(w.hi.clone(), Expr::Index(1));
        block.push(Stmt::Let { var: p, value: build::min(at, last) });
        let whole = self.some_position(leader, &parents, &st);
        let lane = LanePositions { lo: at.into(), some: &whole, contiguous };
        let carried = self.carried(v, leader, &parents, lane, &mut block)?;
        let key = self.key(leader, span, &roots, &positions, &inner);
        let var = self.fresh("segment", Ty::Segments);
        let group = Group { size, arrive: Arrive::Warp };
        body.push(Stmt::Collective(Collective::Segments { var, key, group }));
        let began = Expr::Cond(false);
        let roots = leader.roots.clone();
        inner.segment = Some(Segment { var, roots, live, size, contiguous, whole: false, carried, began });
        let columns = self.trailing_columns(rest);
        let code = match self.is_conditional(&inner) && !self.is_located(&inner) {
            // What a lane has to give is summed behind the conditions, and written where all lanes come by.
            true if self.decides(&columns, &inner) => self.keep_columns(rest, columns, inner)?,
            true => return Err(self.no_segments()),
            false => self.lower(rest, inner)?,
        };
        if code.is_empty() {
            return Ok(code);
        }
        body.extend(code);
        block.extend(body);
        outside.extend(ends.map_or(vec![], |ends| ends.search));
        outside.extend(guard(whole, block));
        Ok(outside)
    }

    /// Is there a position to clamp to? Nothing is launched over no entries if blocks share the positions.
    pub(in super::super) fn some_position(&self, leader: &Leader, parents: &[Parents], st: &State) -> Expr {
        // Of no entries there are no blocks, unless the number of blocks is constant.
        let counts = |v: &IndexVar| {
            self.unit(*v) == Some(Unit::GpuBlock)
                && self.provenance.comes_from(*v, leader.pos)
                && constant(self.provenance, *v).is_none()
        };
        let launched = st.bound.iter().any(counts);
        match parents.last() {
            Some((begin, end)) if !launched => build::lt(begin.clone(), end.clone()),
            _ => Expr::Cond(true),
        }
    }

    /// Does no loop outside visit the positions again, but for other elements? A loop over parts of them with all coordinates
    /// of another variable does, unless the result has that one.
    pub(in super::super) fn is_contiguous(&self, leader: &Leader, st: &State) -> bool {
        let beside = |r: &IndexVar| !leader.roots.contains(r) && !self.out.vars.contains(r);
        let apart = |v: &IndexVar| match self.provenance.comes_from(*v, leader.pos) {
            true => !self.provenance.roots(*v).iter().any(beside),
            false => self.provenance.tells_apart(*v, &self.out.vars),
        };
        let known = |v: &IndexVar| st.coords[v.index()].is_some();
        let mut roots = (0..self.provenance.len() as u32).map(IndexVar);
        st.around.iter().all(apart)
            && roots.all(|v| !known(&v) || self.provenance.made_by(v).is_some() || self.out.vars.contains(&v))
    }

    /// Does a loop inside the lanes, whose positions decide these variables, come by the written element again?
    pub(super) fn sums_inside(&self, roots: &[IndexVar], st: &State) -> bool {
        let summed = |r: &IndexVar| !self.out.vars.contains(r) && !roots.contains(r);
        let open = |v: &IndexVar| st.coords[v.index()].is_some();
        let mut known = (0..self.provenance.len() as u32).map(IndexVar).filter(open);
        known.any(|v| self.provenance.roots(v).iter().any(summed))
    }

    /// Are the lanes' positions neighbours? Not if a lane takes several runs of them, in a loop inside the lanes'.
    pub(in super::super) fn in_one_run(&self, leader: &Leader, st: &State) -> bool {
        let inside = st.around.iter().rev().take_while(|v| !self.is_bound(**v));
        inside.into_iter().all(|v| !self.provenance.comes_from(*v, leader.pos))
    }

    /// What does not decrease along positions and is equal where the output coordinates are: the position of the last
    /// level that the output has, or the coordinates themselves where levels share positions.
    pub(super) fn key(
        &self,
        leader: &Leader,
        span: &Span,
        roots: &[IndexVar],
        positions: &[Expr],
        st: &State,
    ) -> Expr {
        let has = |r: &IndexVar| self.out.vars.contains(r);
        let count = leader.roots.iter().take_while(|r| has(r) || !roots.contains(r)).count();
        if count > 0 && span.first + count <= span.group {
            return positions[count - 1].clone();
        }
        let upper = match span.group - span.first {
            0 => Expr::Index(0),
            n => positions[n - 1].clone(),
        };
        let known = |r: &IndexVar| st.coords[r.index()].clone().unwrap_or(Expr::Index(0));
        leader.roots[span.group - span.first..count.max(span.group - span.first)]
            .iter()
            .fold(upper, |key, r| build::add(build::mul(key, self.extent(*r)), known(r)))
    }

    /// One update a segment.
    pub(super) fn store_segment(
        &mut self,
        segment: &Segment,
        update: Update,
        one: Expr,
        st: &State,
    ) -> Block {
        let Update { buffer, index, op, value } = update;
        let again = self.out.accumulates() || self.sums_inside(&segment.roots, st);
        let sole = if again { Sole::Combine } else { Sole::Store };
        let value = self.begun(value, op);
        let value = match segment.whole {
            true => value,
            // A lane past the end computes the last entry's value again.
            false => self.select_identity(value, op, segment.live.into()),
        };
        let group = Group { size: segment.size, arrive: Arrive::Warp };
        let when = build::and(segment.live, one);
        if let Some(carried) = &segment.carried {
            let Some((sums, elements, slot)) = self.carry_slot(carried, op, buffer, st) else {
                return vec![];
            };
            let (segments, began) = (segment.var, segment.began.clone());
            return vec![Stmt::Collective(Collective::Carry(Box::new(Carry {
                group,
                segments,
                op,
                value,
                buffer,
                index,
                when,
                sole,
                began,
                sums,
                elements,
                slot,
            })))];
        }
        vec![Stmt::Collective(Collective::Reduce {
            group,
            segments: Some(segment.var),
            op,
            value,
            buffer,
            index,
            when,
            write: if segment.contiguous { Write::Complete(sole) } else { Write::Atomic },
        })]
    }
}
