//! Co-iteration of steppers: the merge lattice.
//!
//! A lattice point is the set of operands that are not used up yet; its loop runs while all of them last. Points
//! are found by replacing operands by their fill and simplifying: those for which nothing is left to do have no
//! loop. Larger points come first, so that each loop hands over to the ones below it.

use super::cases::{chain, every};
use super::gpu::Resume;
use super::multiway::{Union, one_if};
use super::region::{Env, Sweep, Window, guard};
use super::state::State;
use super::{Lowered, Lowerer};
use crate::cin::val::{AccessId, Val};
use crate::diag::Diagnostic;
use crate::llir::{Block, Bound, Expr, Stmt, Ty, VarId, build};
use crate::looplet::{Looplet, Position, Stepper};

/// More cases than this are not generated for one loop: those of a sum of six operands. A point of the lattice has 2ⁿ of
/// them, for n operands, and one if something is done only where all of them have the coordinate.
const MAX_CASES: usize = 729;

/// With more cases than those of a sum of three a union has one loop; with loops inside, which each case would repeat, with
/// more than those of a sum of two.
const FEW_CASES: usize = 27;
const FEW_CASES_AROUND: usize = 9;

/// A stepper with its cursor.
pub(super) struct Iter {
    pub(super) access: AccessId,
    pub(super) stepper: Stepper,
    /// Gallops where another leads.
    pub(super) jumps: bool,
    /// Current position, a variable if more than one loop uses it.
    pub(super) p: Expr,
    cursor: Option<VarId>,
    /// Where the next tile goes on.
    next: Option<VarId>,
}

impl Iter {
    pub(super) fn cursor(&self) -> VarId {
        self.cursor.unwrap_or_else(|| unreachable!("merged operands have cursors"))
    }
}

/// Operands that are not used up, and what is left to do without the others.
struct Point {
    live: Vec<usize>,
    st: State,
}

impl Lowerer<'_> {
    pub(super) fn merge(&mut self, sweep: Sweep<'_>, w: Window, env: Env, st: State) -> Lowered {
        let mut block = Block::new();
        let (iters, others) = self.split(sweep, &w, env, &st, &mut block);
        let gap = st.clone().without(self, &iters.iter().map(|k| k.access).collect::<Vec<_>>());
        let gap_acts = !self.drops(&gap);
        let lattice = self.lattice(&iters, &st);
        let few = if sweep.rest.is_empty() { FEW_CASES } else { FEW_CASES_AROUND };
        if lattice.as_ref().is_none_or(|(_, cases)| *cases > few)
            && let Some(union) = self.as_union(sweep, &iters, &st, gap_acts)
        {
            block.extend(self.united(sweep, w, iters, &others, (union, st, gap_acts.then_some(gap)))?);
            return Ok(block);
        }
        let Some((points, _)) = lattice else { return Err(self.too_many(sweep, &iters)) };

        let merged = points.iter().filter(|p| !p.live.is_empty()).count();
        let simple = merged == 1 && !gap_acts && points[0].live.len() == 1;
        let mut iters = iters;
        if !(simple && iters[points[0].live[0]].stepper.unique) && self.runs_on_threads(sweep.leaf) {
            return Err(self.co_iterates(sweep));
        }
        if !simple || !iters[points[0].live[0]].stepper.unique {
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
        let start = gap_acts.then(|| self.gap_start(sweep, &w, &mut block));
        for point in points {
            let code = match (&point.live[..], start) {
                ([], start) => {
                    let lo = start.map_or(w.lo.clone(), Expr::Var);
                    self.region(sweep, Window { lo, hi: w.hi.clone() }, others.clone(), point.st)?
                }
                (&[k], None) if iters[k].stepper.unique => {
                    self.position_loop(sweep, &iters[k], &others, point.st)?
                }
                (live, None) if live.len() > 1 && self.is_conjunction(&iters, &point) => {
                    if live.iter().any(|&k| iters[k].jumps) {
                        self.tags.galloped.insert(sweep.leaf);
                        self.gallop_loop(sweep, &iters, &others, point)?
                    } else {
                        self.merge_loop(sweep, &iters, &others, point, None)?
                    }
                }
                (_, start) => self.merge_loop(sweep, &iters, &others, point, start)?,
            };
            block.extend(code);
        }
        block.extend(resumed(iters));
        Ok(block)
    }

    /// All operands in one loop.
    fn united(
        &mut self,
        sweep: Sweep<'_>,
        w: Window,
        mut iters: Vec<Iter>,
        others: &Env,
        (union, st, gap): (Union, State, Option<State>),
    ) -> Lowered {
        if self.runs_on_threads(sweep.leaf) {
            return Err(self.co_iterates(sweep));
        }
        self.tags.merged.insert(sweep.leaf);
        self.tags.of_several.insert(sweep.leaf);
        let mut block = Block::new();
        iters.iter_mut().for_each(|k| self.declare_cursor(k, &mut block));
        let start = gap.as_ref().map(|_| self.gap_start(sweep, &w, &mut block));
        block.extend(self.union_loop(sweep, &iters, others, (union, st), start)?);
        if let (Some(gap), Some(start)) = (gap, start) {
            let after = Window { lo: Expr::Var(start), hi: w.hi };
            block.extend(self.region(sweep, after, others.clone(), gap)?);
        }
        block.extend(resumed(iters));
        Ok(block)
    }

    /// Where the coordinates begin that no operand has had yet.
    fn gap_start(&mut self, sweep: Sweep<'_>, w: &Window, block: &mut Block) -> VarId {
        let start = self.fresh(&format!("{}_start", self.name(sweep.var)), Ty::Index);
        block.push(Stmt::Mut { var: start, value: w.lo.clone() });
        start
    }

    /// Separates steppers from lookups, and narrows the steppers to the window.
    fn split(
        &mut self,
        sweep: Sweep<'_>,
        w: &Window,
        env: Env,
        st: &State,
        block: &mut Block,
    ) -> (Vec<Iter>, Env) {
        let whole = self.is_whole(sweep, w);
        let mut iters = Vec::new();
        let mut others = Env::new();
        for (access, looplet) in env {
            let (mut stepper, jumps) = match looplet {
                Looplet::Stepper(s) => (s, false),
                Looplet::Jumper(s) => (s, true),
                other => {
                    others.push((access, other));
                    continue;
                }
            };
            let mut next = None;
            if !whole {
                let name = self.position_name(access);
                let resumes = |r: &&Resume| r.access == access && r.leaf == sweep.leaf;
                next = st.resumes.iter().find(resumes).map(|r| r.next);
                let search = |stepper: &Stepper, key: &Expr| {
                    let (begin, end) = (stepper.begin.clone(), stepper.end.clone());
                    build::search(Bound::Lower, stepper.crd, begin, end, key.clone())
                };
                let begin = match next {
                    Some(next) => build::max(next, stepper.begin.clone()),
                    None => search(&stepper, &w.lo),
                };
                stepper.begin = self.position(&name, "begin", begin, block);
                let end = search(&stepper, &w.hi);
                stepper.end = self.position(&name, "end", end, block);
            }
            let p = stepper.begin.clone();
            iters.push(Iter { access, stepper, jumps, p, cursor: None, next });
        }
        (iters, others)
    }

    fn position(&mut self, name: &str, suffix: &str, value: Expr, block: &mut Block) -> Expr {
        let var = self.fresh(&format!("{name}_{suffix}"), Ty::Index);
        block.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    fn too_many(&self, sweep: Sweep<'_>, iters: &[Iter]) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "too-much-code",
                self.kernel.assignment.lhs.span,
                format!(
                    "{} sparse operands would be merged along `{}`, with a case for each set of them that has something to do: the code doubles with each, and {MAX_CASES} cases are the most",
                    iters.len(),
                    self.name(sweep.var)
                ),
            )
            .help("split the statement: compute part of it into a tensor with one kernel, and the rest with another"),
        )
    }

    fn co_iterates(&self, sweep: Sweep<'_>) -> Box<Diagnostic> {
        let name = self.name(sweep.leaf);
        Box::new(
            Diagnostic::new(
                "parallel-coiteration",
                self.kernel.assignment.lhs.span,
                format!("the parallel loop over `{name}` co-iterates sparse operands, one coordinate after another"),
            )
            .help(format!("split `{name}` first, and parallelize the outer part")),
        )
    }

    fn position_name(&self, a: AccessId) -> String {
        format!("p{}", self.tensor_name(a))
    }

    fn declare_cursor(&mut self, k: &mut Iter, block: &mut Block) {
        if k.cursor.is_none() {
            let name = self.position_name(k.access);
            let var = self.fresh(&name, Ty::Index);
            block.push(Stmt::Mut { var, value: k.stepper.begin.clone() });
            k.p = Expr::Var(var);
            k.cursor = Some(var);
        }
    }

    /// The points of the lattice, larger first, and how many cases they have; `None` if these are too many.
    fn lattice(&mut self, iters: &[Iter], st: &State) -> Option<(Vec<Point>, usize)> {
        let live = |st: &State| -> Vec<usize> {
            (0..iters.len()).filter(|&k| st.rhs.contains(iters[k].access)).collect()
        };
        let mut points: Vec<Point> = Vec::new();
        let mut cases = 0_usize;
        let mut work = vec![st.clone()];
        while let Some(st) = work.pop() {
            if self.drops(&st) {
                continue;
            }
            let set = live(&st);
            if points.iter().any(|p| p.live == set) {
                continue;
            }
            work.extend(set.iter().rev().map(|&k| st.clone().without(self, &[iters[k].access])));
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

    /// `for p in begin..end`: one operand leads, and nothing happens where it stores nothing.
    fn position_loop(&mut self, sweep: Sweep<'_>, k: &Iter, others: &Env, st: State) -> Lowered {
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

    /// Is something done only where all live operands have the coordinate?
    fn is_conjunction(&self, iters: &[Iter], point: &Point) -> bool {
        point.live.iter().all(|&k| point.st.clone().without(self, &[iters[k].access]).is_noop(self))
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
        let (cases, advanced) = if live.len() > 2 && self.is_conjunction(iters, &point) {
            // Of many operands that are needed together no other set has a case.
            let met = self.met(sweep, front, others, point.st)?;
            (guard(front.all_there(), met), false)
        } else {
            self.cases(sweep, front, others, &point.st)?
        };
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
                head.push(Stmt::If { cond: behind, then: vec![seek(live[at], &i)], otherwise: body });
            }
            None => head.extend(body),
        }
        Ok(vec![Stmt::While { cond: all_last(&live), body: head }])
    }

    /// Is nothing done where of the live operands this one alone has the coordinate? Then it need not step to it, but follows
    /// the others.
    fn only_follows(&mut self, k: &Iter, live: &[&Iter], point: &Point) -> bool {
        let others: Vec<_> = live.iter().map(|k| k.access).filter(|a| *a != k.access).collect();
        self.drops(&point.st.clone().without(self, &others))
    }

    /// The coordinate of each live operand, and the one that the merge is at: of those that a follower searches for, if there
    /// is one.
    fn bind_coordinates(
        &mut self,
        sweep: Sweep<'_>,
        live: &[&Iter],
        follower: Option<usize>,
        pick: impl Fn(Expr, Expr) -> Expr,
        body: &mut Block,
    ) -> (Expr, Vec<Expr>) {
        let own = self.bind_own(sweep, live, body);
        let leads = |(k, own): (usize, &Expr)| (Some(k) != follower).then(|| own.clone());
        let leaders: Vec<Expr> = own.iter().enumerate().filter_map(leads).collect();
        if let [only] = &leaders[..] {
            return (only.clone(), own);
        }
        let Some(picked) = leaders.into_iter().reduce(pick) else {
            unreachable!("a merge has live operands, and nothing to do without those that lead")
        };
        let i = self.fresh(&self.name(sweep.var), Ty::Index);
        body.push(Stmt::Let { var: i, value: picked });
        (Expr::Var(i), own)
    }

    /// The coordinate of each live operand.
    fn bind_own(&mut self, sweep: Sweep<'_>, live: &[&Iter], body: &mut Block) -> Vec<Expr> {
        let index = self.name(sweep.var);
        let mut own = Vec::new();
        for k in live {
            let name = if live.len() == 1 {
                index.clone()
            } else {
                format!("{index}{}", self.tensor_name(k.access))
            };
            let var = self.fresh(&name, Ty::Index);
            body.push(Stmt::Let { var, value: build::load(k.stepper.crd, k.p.clone()) });
            own.push(Expr::Var(var));
        }
        own
    }

    /// For non-unique operands, the end of the run of positions with coordinate `i`.
    pub(super) fn segment_ends(&mut self, live: &[&Iter], i: &Expr, body: &mut Block) -> Vec<Option<VarId>> {
        live.iter()
            .map(|k| {
                if k.stepper.unique {
                    return None;
                }
                let name = format!("{}_next", self.position_name(k.access));
                let q = self.fresh(&name, Ty::Index);
                body.push(Stmt::Mut { var: q, value: k.p.clone() });
                body.push(Stmt::While {
                    cond: build::and(
                        build::lt(q, k.stepper.end.clone()),
                        build::eq(build::load(k.stepper.crd, q), i.clone()),
                    ),
                    body: vec![Stmt::Assign { var: q, value: build::add(q, Expr::Index(1)) }],
                });
                Some(q)
            })
            .collect()
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
                    let child = match ends[k] {
                        None => Position::One(iter.p.clone()),
                        Some(q) => Position::Range(iter.p.clone(), Expr::Var(q)),
                    };
                    st = st.step(iter.access, child);
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
                        .map(|(_, (k, end))| Stmt::Assign { var: k.cursor(), value: next(k, *end) }),
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

    /// Galloping intersection: the largest coordinate leads, and those behind search for it.
    fn gallop_loop(&mut self, sweep: Sweep<'_>, iters: &[Iter], others: &Env, point: Point) -> Lowered {
        let live: Vec<&Iter> = point.live.iter().map(|&k| &iters[k]).collect();
        let mut body = Block::new();
        let (i, own) = match &live[..] {
            // Either is the larger one, and where they are the same they are met.
            [_, _] => {
                let own = self.bind_own(sweep, &live, &mut body);
                (own[0].clone(), own)
            }
            _ => self.bind_coordinates(sweep, &live, None, build::max, &mut body),
        };
        let mut met = Block::new();
        let ends = self.segment_ends(&live, &i, &mut met);
        let front = Front { live: &live, own: &own, at: &i, ends: &ends };
        met.extend(self.met(sweep, front, others, point.st)?);
        for (k, end) in live.iter().zip(&ends) {
            met.push(Stmt::Assign { var: k.cursor(), value: next(k, *end) });
        }
        let (there, behind) = match (&live[..], &own[..]) {
            ([a, b], [at_a, at_b]) => {
                let first = build::lt(at_a.clone(), at_b.clone());
                let behind =
                    Stmt::If { cond: first, then: vec![seek(a, at_b)], otherwise: vec![seek(b, at_a)] };
                (build::eq(at_a.clone(), at_b.clone()), vec![behind])
            }
            _ => {
                let each = live.iter().zip(&own);
                let behind =
                    each.flat_map(|(k, own)| guard(build::lt(own.clone(), i.clone()), vec![seek(k, &i)]));
                (front.all_there(), behind.collect())
            }
        };
        body.push(Stmt::If { cond: there, then: met, otherwise: behind });
        Ok(vec![Stmt::While { cond: all_last(&live), body }])
    }

    /// What is done where all operands have the coordinate.
    fn met(&mut self, sweep: Sweep<'_>, front: Front<'_>, others: &Env, mut st: State) -> Lowered {
        for (iter, end) in front.live.iter().zip(front.ends) {
            let child = match end {
                None => Position::One(iter.p.clone()),
                Some(q) => Position::Range(iter.p.clone(), Expr::Var(*q)),
            };
            st = st.step(iter.access, child);
        }
        self.point(sweep, front.at.clone(), others, st)
    }
}

/// Where the operands stand that are merged: each has a coordinate of its own, and the merge is at one of these.
#[derive(Clone, Copy)]
struct Front<'a> {
    live: &'a [&'a Iter],
    own: &'a [Expr],
    at: &'a Expr,
    /// The ends of runs of equal coordinates, where an operand may have such.
    ends: &'a [Option<VarId>],
}

impl Front<'_> {
    /// Do all operands have the coordinate?
    fn all_there(&self) -> Expr {
        let here = |own: &Expr| build::eq(own.clone(), self.at.clone());
        self.own.iter().map(here).fold(Expr::Cond(true), build::and)
    }

    /// Moves on those that have the coordinate, without a branch.
    fn advance(&self) -> Block {
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

fn all_last(live: &[&Iter]) -> Expr {
    live.iter().map(|k| build::lt(k.p.clone(), k.stepper.end.clone())).fold(Expr::Cond(true), build::and)
}

/// Moves an operand on that is behind a coordinate, by steps that double.
fn seek(k: &Iter, to: &Expr) -> Stmt {
    let (cursor, end) = (k.cursor(), k.stepper.end.clone());
    let after = build::add(cursor, Expr::Index(1));
    let value = build::search(Bound::Gallop, k.stepper.crd, after, end, to.clone());
    Stmt::Assign { var: cursor, value }
}

/// Tells the next tile where to go on.
fn resumed(iters: Vec<Iter>) -> Block {
    let ends = iters.into_iter().filter_map(|k| Some((k.next?, k.stepper.end)));
    ends.map(|(var, value)| Stmt::Assign { var, value }).collect()
}

/// The position after the ones at a coordinate.
pub(super) fn next(k: &Iter, end: Option<VarId>) -> Expr {
    end.map_or_else(|| build::add(k.cursor(), Expr::Index(1)), Expr::Var)
}
