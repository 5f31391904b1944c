//! The merge lattice: a loop for each set of operands that are not used up.
//!
//! A point of the lattice is such a set; its loop runs while all of them last. Points are found by replacing operands by their
//! fill and simplifying: those for which nothing is left to do have no loop. Larger points come first, so that each loop hands
//! over to the ones below it.

use super::conjunction::Front;
use super::{Iter, all_last};
use crate::cin::val::Val;
use crate::diag::Diagnostic;
use crate::llir::{Block, Expr, Stmt, VarId, build};
use crate::lower::cases::{chain, every};
use crate::lower::region::{Env, Sweep, Window};
use crate::lower::state::State;
use crate::lower::{Lowered, Lowerer};

/// More cases than this are not generated for one loop: those of a sum of six operands. A point of the lattice has 2ⁿ of
/// them, for n operands, and one if something is done only where all of them have the coordinate.
pub(super) const MAX_CASES: usize = 729;

/// Operands that are not used up, and what is left to do without the others.
pub(super) struct Point {
    live: Vec<usize>,
    st: State,
}

/// Which operands a point has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Live {
    /// Those that the value reads: where it reads no more, nobody asks who is left.
    Needed,
    /// All that are left. Each of two may annihilate, to another value than the other one: `min` of an integer that is −∞ where it is
    /// not stored, and of a number as small. Then the value without one is not that without the other, though neither is read.
    Left,
}

impl Lowerer<'_> {
    /// The points of the lattice, larger first, and how many cases they have; `None` if these are too many.
    pub(super) fn lattice(&mut self, iters: &[Iter], st: &State) -> Option<(Vec<Point>, usize)> {
        self.lattice_of(iters, st, Live::Needed)
    }

    fn lattice_of(&mut self, iters: &[Iter], all: &State, live: Live) -> Option<(Vec<Point>, usize)> {
        let mut points: Vec<Point> = Vec::new();
        let mut cases = 0_usize;
        let mut work = vec![((0..iters.len()).collect::<Vec<_>>(), all.clone())];
        while let Some((mut set, st)) = work.pop() {
            if self.drops(&st) {
                continue;
            }
            set.retain(|&k| live == Live::Left || st.rhs.contains(iters[k].access));
            if let Some(same) = points.iter().find(|p| p.live == set) {
                if live == Live::Needed && same.st.rhs != st.rhs {
                    return self.lattice_of(iters, all, Live::Left);
                }
                continue;
            }
            work.extend(set.iter().rev().map(|&gone| {
                let left = set.iter().copied().filter(|k| *k != gone).collect();
                (left, st.clone().without(self, &[iters[gone].access]))
            }));
            let point = Point { live: set, st };
            let conjunction = self.is_conjunction(iters, &point);
            let own = if conjunction { 1 } else { 1_usize.checked_shl(point.live.len() as u32)? };
            cases = cases.saturating_add(own);
            if cases > MAX_CASES {
                return None;
            }
            points.push(point);
        }
        points.sort_by(|a, b| b.live.len().cmp(&a.live.len()).then(a.live.cmp(&b.live)));
        Some((points, cases))
    }

    /// A loop for each point. `gap_acts`: something is done also where no operand has the coordinate.
    pub(super) fn each_point(
        &mut self,
        sweep: Sweep<'_>,
        w: &Window,
        iters: &mut [Iter],
        others: &Env,
        (points, gap_acts): (Vec<Point>, bool),
    ) -> Lowered {
        let mut block = Block::new();
        let merged = points.iter().filter(|p| !p.live.is_empty()).count();
        let simple = merged == 1 && !gap_acts && points[0].live.len() == 1;
        let one_each = simple && iters[points[0].live[0]].stepper.unique;
        if !one_each && self.runs_on_threads(sweep.leaf) {
            return Err(self.co_iterates(sweep));
        }
        if !one_each {
            if merged > 0 {
                self.tags.merged.insert(sweep.leaf);
            }
            if points.iter().any(|p| p.live.len() > 1) {
                self.tags.of_several.insert(sweep.leaf);
            }
            for k in points.iter().flat_map(|p| p.live.clone()) {
                self.declare_cursor(&mut iters[k], &mut block);
            }
        }
        let start = gap_acts.then(|| self.gap_start(sweep, w, &mut block));
        for point in points {
            let code = match (&point.live[..], start) {
                ([], start) => {
                    let lo = start.map_or(w.lo.clone(), Expr::Var);
                    self.region(sweep, Window { lo, hi: w.hi.clone() }, others.clone(), point.st)?
                }
                (&[k], None) if iters[k].stepper.unique => {
                    self.position_loop(sweep, &iters[k], others, point.st)?
                }
                (live, None) if self.is_conjunction(iters, &point) => {
                    let live: Vec<&Iter> = live.iter().map(|&k| &iters[k]).collect();
                    let met = &mut |l: &mut Lowerer<'_>, at, st| l.point(sweep, at, others, st);
                    self.conjunction(sweep, &live, point.st, met)?
                }
                (_, start) => self.merge_loop(sweep, iters, others, point, start)?,
            };
            block.extend(code);
        }
        Ok(block)
    }

    /// Is something done only where all live operands have the coordinate?
    fn is_conjunction(&self, iters: &[Iter], point: &Point) -> bool {
        point.live.iter().all(|&k| point.st.idles_without(self, &[iters[k].access]))
    }

    /// Two-finger merge: the smallest coordinate is next, and those who have it move on.
    fn merge_loop(
        &mut self,
        sweep: Sweep<'_>,
        iters: &[Iter],
        others: &Env,
        point: Point,
        start: Option<VarId>,
    ) -> Lowered {
        let live: Vec<&Iter> = point.live.iter().map(|&k| &iters[k]).collect();
        let follower =
            live.iter().position(|k| start.is_none() && k.jumps && self.only_follows(k, &live, &point));
        let mut head = Block::new();
        let (i, own) = self.bind_coordinates(sweep, &live, follower, build::min, &mut head);
        let mut body = Block::new();
        if let Some(start) = start {
            let gap = point.st.clone().without(self, &live.iter().map(|k| k.access).collect::<Vec<_>>());
            let window = Window { lo: Expr::Var(start), hi: i.clone() };
            body.extend(self.region(sweep, window, others.clone(), gap)?);
        }
        let ends = self.segment_ends(&live, &i, &mut body);
        let front = Front { live: &live, own: &own, at: &i, ends: &ends };
        let (cases, advanced) = self.cases(sweep, front, others, &point.st)?;
        body.extend(cases);
        if !advanced {
            body.extend(front.advance());
        }
        if let Some(start) = start {
            body.push(Stmt::Assign { var: start, value: build::add(i.clone(), Expr::Index(1)) });
        }
        match follower {
            Some(at) => {
                self.tags.galloped.insert(sweep.leaf);
                let behind = build::lt(own[at].clone(), i.clone());
                head.push(Stmt::If { cond: behind, then: self.seek(live[at], &i), otherwise: body });
            }
            None => head.extend(body),
        }
        Ok(vec![Stmt::While { cond: all_last(&live), body: head }])
    }

    /// Is nothing done where of the live operands this one alone has the coordinate? Then it need not step to it, but follows
    /// the others.
    fn only_follows(&self, k: &Iter, live: &[&Iter], point: &Point) -> bool {
        let others: Vec<_> = live.iter().map(|k| k.access).filter(|a| *a != k.access).collect();
        point.st.idles_without(self, &others)
    }

    /// What is done at the front's coordinate, by who has it. True if every pattern has a case of its own, which then moves
    /// its operands on: plain branches are faster than sums of comparisons where there is a branch anyway.
    fn cases(
        &mut self,
        sweep: Sweep<'_>,
        front: Front<'_>,
        others: &Env,
        st: &State,
    ) -> Result<(Block, bool), Box<Diagnostic>> {
        let Front { live, own, at: i, ends } = front;
        let pattern = |l: &Self, mask: usize| {
            let gone: Vec<_> =
                (0..live.len()).filter(|k| mask & (1 << k) == 0).map(|k| live[k].access).collect();
            st.clone().without(l, &gone)
        };
        let states: Vec<State> = (0..1 << live.len()).map(|mask| pattern(self, mask)).collect();
        let mut seen: Vec<&Val> = Vec::new();
        let mut value = Vec::new();
        const NOTHING: usize = 0;
        for st in &states {
            value.push(if self.drops(st) {
                NOTHING
            } else {
                let at = seen.iter().position(|v| **v == st.rhs).unwrap_or_else(|| {
                    seen.push(&st.rhs);
                    seen.len() - 1
                });
                at + 1
            });
        }
        // Of two operands one always moves on: a branch each, which the processor predicts, beats waiting for sums
        // of comparisons, or for the smaller coordinate. With more, branches multiply.
        let two = live.len() == 2;
        let chain = if two { every(2) } else { chain(&value, NOTHING) };
        let own_case = chain.cases.len() + 1 == value.len();
        let mut code = Block::new();
        for (n, &mask) in chain.cases.iter().enumerate().rev() {
            let mut body = if value[mask] == NOTHING {
                vec![]
            } else {
                let mut st = states[mask].clone();
                for (k, iter) in live.iter().enumerate().filter(|(k, _)| mask & (1 << k) != 0) {
                    st = iter.step(st, ends[k]);
                }
                let at = if two { &own[mask.trailing_zeros() as usize] } else { i };
                self.point(sweep, at.clone(), others, st)?
            };
            if own_case {
                body.extend(
                    live.iter()
                        .zip(ends)
                        .enumerate()
                        .filter(|(k, _)| mask & (1 << k) != 0)
                        .map(|(_, (k, end))| k.advance(*end)),
                );
            }
            if n + 1 == chain.cases.len() && chain.exhaustive {
                code = body;
                continue;
            }
            let cond = match (own, mask) {
                ([a, b], 0b11) => build::eq(a.clone(), b.clone()),
                ([a, b], 0b01) => build::lt(a.clone(), b.clone()),
                _ => {
                    let has = (0..live.len()).filter(|k| mask & (1 << k) != 0);
                    has.map(|k| build::eq(own[k].clone(), i.clone())).fold(Expr::Cond(true), build::and)
                }
            };
            code = vec![Stmt::If { cond, then: body, otherwise: code }];
        }
        Ok((code, own_case))
    }
}
