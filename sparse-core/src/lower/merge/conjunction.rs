//! One loop over the coordinates that all operands have: nothing is done at others.

use super::{Iter, all_last, one_if};
use crate::llir::{Block, Expr, Stmt, Ty, VarId, build};
use crate::looplet::Position;
use crate::lower::region::{Env, Sweep, Window, guard};
use crate::lower::state::State;
use crate::lower::{Lowered, Lowerer};

/// What is done where operands meet: at a coordinate, with the operands stepped down.
pub(super) type Met<'m> = &'m mut dyn FnMut(&mut Lowerer<'_>, Expr, State) -> Lowered;

impl Lowerer<'_> {
    /// `for p in begin..end`: one operand leads, and nothing happens where it stores nothing.
    pub(super) fn position_loop(&mut self, sweep: Sweep<'_>, k: &Iter, others: &Env, st: State) -> Lowered {
        let p = self.fresh(&self.position_name(k.access), Ty::Index);
        let name = self.name(sweep.var);
        let i = self.fresh(&name, Ty::Index);
        let outside = self.outside(sweep.leaf, &st);
        let st = self.enter(sweep.leaf, st).step(k.access, Position::One(Expr::Var(p)));
        let inner = self.point(sweep, Expr::Var(i), others, st)?;
        if inner.is_empty() {
            return Ok(vec![]);
        }
        let mut body = vec![Stmt::Let { var: i, value: build::load(k.stepper.crd, p) }];
        body.extend(inner);
        let range = Window { lo: k.p.clone(), hi: k.stepper.end.clone() };
        self.finish_loop(sweep.leaf, p, range, body, &outside)
    }

    /// The loop of several operands, or of one that has runs of equal coordinates.
    pub(super) fn conjunction(
        &mut self,
        sweep: Sweep<'_>,
        live: &[&Iter],
        st: State,
        met: Met<'_>,
    ) -> Lowered {
        let body = if live.len() > 1 && live.iter().any(|k| k.jumps) {
            self.tags.galloped.insert(sweep.leaf);
            self.galloping(sweep, live, st, met)?
        } else {
            self.stepping(sweep, live, st, met)?
        };
        Ok(vec![Stmt::While { cond: all_last(live), body }])
    }

    /// Two-finger merge: those that are behind step on.
    fn stepping(&mut self, sweep: Sweep<'_>, live: &[&Iter], st: State, met: Met<'_>) -> Lowered {
        let mut body = Block::new();
        let (i, own) = self.bind_coordinates(sweep, live, None, build::min, &mut body);
        let ends = self.segment_ends(live, &i, &mut body);
        let front = Front { live, own: &own, at: &i, ends: &ends };
        let moved = |k: usize| live[k].advance(ends[k]);
        match &own[..] {
            [_] => {
                body.extend(self.met(front, st, met)?);
                body.push(moved(0));
            }
            // They are compared with the first, and one or those before it move on: a branch each, which the processor predicts, beats
            // waiting for sums of comparisons, or for the least coordinate. Of three and more not on a GPU, where the lanes of a warp
            // would go through all cases; nor with runs, whose ends are known at the least coordinate alone.
            [a, others @ ..]
                if others.len() == 1 || self.gpu.is_none() && ends.iter().all(Option::is_none) =>
            {
                let mut all = self.met(Front { at: a, ..front }, st, met)?;
                all.extend((0..live.len()).map(moved));
                let same = others.iter().map(|b| build::eq(a.clone(), b.clone()));
                let cond = same.fold(Expr::Cond(true), build::and);
                body.push(Stmt::If { cond, then: all, otherwise: front.behind() });
            }
            _ => {
                let met = self.met(front, st, met)?;
                body.extend(guard(front.all_there(), met));
                body.extend(front.advance());
            }
        }
        Ok(body)
    }

    /// Galloping intersection: the largest coordinate leads, and those behind search for it.
    fn galloping(&mut self, sweep: Sweep<'_>, live: &[&Iter], st: State, met: Met<'_>) -> Lowered {
        let mut body = Block::new();
        let (i, own) = match live {
            // Either is the larger one, and where they are the same they are met.
            [_, _] => {
                let own = self.bind_own(sweep, live, &mut body);
                (own[0].clone(), own)
            }
            _ => self.bind_coordinates(sweep, live, None, build::max, &mut body),
        };
        let mut all = Block::new();
        let ends = self.segment_ends(live, &i, &mut all);
        let front = Front { live, own: &own, at: &i, ends: &ends };
        all.extend(self.met(front, st, met)?);
        all.extend(live.iter().zip(&ends).map(|(k, end)| k.advance(*end)));
        let (there, behind) = match (live, &own[..]) {
            ([a, b], [at_a, at_b]) => {
                let first = build::lt(at_a.clone(), at_b.clone());
                let behind =
                    Stmt::If { cond: first, then: self.seek(a, at_b), otherwise: self.seek(b, at_a) };
                (build::eq(at_a.clone(), at_b.clone()), vec![behind])
            }
            _ => {
                let each = live.iter().zip(&own);
                let behind =
                    each.flat_map(|(k, own)| guard(build::lt(own.clone(), i.clone()), self.seek(k, &i)));
                (front.all_there(), behind.collect())
            }
        };
        body.push(Stmt::If { cond: there, then: all, otherwise: behind });
        Ok(body)
    }

    /// What is done where all operands have the coordinate.
    fn met(&mut self, front: Front<'_>, st: State, met: Met<'_>) -> Lowered {
        let operands = front.live.iter().zip(front.ends);
        let st = operands.fold(st, |st, (iter, end)| iter.step(st, *end));
        met(self, front.at.clone(), st)
    }
}

/// Where the operands stand that are merged: each has a coordinate of its own, and the merge is at one of these.
#[derive(Clone, Copy)]
pub(super) struct Front<'a> {
    pub(super) live: &'a [&'a Iter],
    pub(super) own: &'a [Expr],
    pub(super) at: &'a Expr,
    /// The ends of runs of equal coordinates, where an operand may have such.
    pub(super) ends: &'a [Option<VarId>],
}

impl Front<'_> {
    /// Do all operands have the coordinate?
    fn all_there(&self) -> Expr {
        let here = |own: &Expr| build::eq(own.clone(), self.at.clone());
        self.own.iter().map(here).fold(Expr::Cond(true), build::and)
    }

    /// Moves on the first, or the first so many that are at one coordinate, or the one that is behind them.
    fn behind(&self) -> Block {
        let moved = |k: usize| self.live[k].advance(self.ends[k]);
        let last = self.own.len() - 1;
        let mut cases = vec![moved(last)];
        for k in (1..=last).rev() {
            let (first, other) = (&self.own[0], &self.own[k]);
            if k < last {
                let cond = build::lt(other.clone(), first.clone());
                cases = vec![Stmt::If { cond, then: vec![moved(k)], otherwise: cases }];
            }
            let cond = build::lt(first.clone(), other.clone());
            cases = vec![Stmt::If { cond, then: (0..k).map(moved).collect(), otherwise: cases }];
        }
        cases
    }

    /// Moves on those that have the coordinate, without a branch.
    pub(super) fn advance(&self) -> Block {
        let step =
            |k: &Iter, own: &Expr| build::add(k.cursor(), one_if(build::eq(own.clone(), self.at.clone())));
        let moves = self.live.iter().zip(self.own).zip(self.ends).map(|((k, own), end)| Stmt::Assign {
            var: k.cursor(),
            // The end of a run that is not there is where the cursor stands.
            value: end.map_or_else(|| step(k, own), Expr::Var),
        });
        moves.collect()
    }
}
