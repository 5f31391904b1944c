//! One loop over many operands.
//!
//! A merge lattice has a loop for each set of operands that are not used up, and in it a case for each set of those that have
//! the coordinate: 27 cases for a sum of three, and three times as many with each more. Here what an operand contributes stands
//! once: at an element, the terms that need it; above, a range of positions that is empty if it does not have the coordinate.
//! Each operand that may lack it has the coordinate that it is at in a variable, the size of the dimension once it is used up.
//!
//! Who leads decides at which coordinates that is done. In a sum, all do: the least of their coordinates is next. Under a mask,
//! `M ∘ (A + B + C + D)`, the mask does, as everything does without which the value is nothing; and the others catch up.
//!
//! It gives up what a lattice learns from who is left: code in which the operands that are gone are not asked. So that is what
//! few operands have if none of them is a mask.

use super::conjunction::Met;
use super::terms::{Own, Sum, Term};
use super::{Iter, one_if};
use crate::cin::val::{AccessId, Val};
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr, Stmt, Ty, VarId, build};
use crate::lower::region::{Env, Sweep, Window, either, guard};
use crate::lower::state::State;
use crate::lower::{Lowered, Lowerer};
use std::collections::BTreeSet;

/// How to merge many operands in one loop. They are known by their places among those that are merged.
pub(super) struct Union {
    pub(super) lead: Lead,
    /// Without any of these nothing is done.
    pub(super) needed: Vec<usize>,
    /// These may lack the coordinate.
    pub(super) optional: Vec<usize>,
    pub(super) what: What,
    /// Something is done also where none of the optional has the coordinate.
    pub(super) everywhere: bool,
}

/// Who leads, and who may be lacking.
pub(super) struct Roles {
    lead: Lead,
    needed: Vec<usize>,
    optional: Vec<usize>,
}

impl Roles {
    /// Do some only let through what others have?
    pub(super) fn is_masked(&self) -> bool {
        !self.needed.is_empty() && !self.optional.is_empty()
    }
}

/// Whose coordinates are gone through, one after another.
pub(super) enum Lead {
    /// Those that all of the needed have.
    All,
    /// Those that any of these has.
    Any(Vec<usize>),
}

/// What is done at a coordinate.
pub(super) enum What {
    /// The loops inside run over what is stored below, of some nothing.
    Fibers,
    /// An element is the sum of the terms whose operands have it.
    Sum(Sum),
}

impl Lowerer<'_> {
    /// How to merge all operands in one loop, if that is possible.
    pub(super) fn as_union(
        &mut self,
        sweep: Sweep<'_>,
        iters: &[Iter],
        Roles { lead, needed, optional }: Roles,
        st: &State,
        gap_acts: bool,
    ) -> Option<Union> {
        let operands: Vec<AccessId> = iters.iter().map(|k| k.access).collect();
        let lacking: Vec<AccessId> = optional.iter().map(|&k| operands[k]).collect();
        let everywhere = if needed.is_empty() { gap_acts } else { self.acts_without(&lacking, st) };
        let what = if sweep.rest.is_empty() {
            What::Sum(self.as_sum(&operands, &optional, st, everywhere)?)
        } else {
            optional
                .iter()
                .all(|&k| self.may_be_empty(operands[k], sweep.rest, st))
                .then_some(What::Fibers)?
        };
        Some(Union { lead, needed, optional, what, everywhere })
    }

    /// Is something done where none of these operands has the coordinate?
    pub(super) fn acts_without(&mut self, gone: &[AccessId], st: &State) -> bool {
        let without = st.clone().without(self, gone);
        !self.drops(&without)
    }

    /// Who leads, and without whom nothing is done. Those that gallop follow the others, unless something is done where none of
    /// these has the coordinate.
    pub(super) fn roles(&self, iters: &[Iter], st: &State) -> Roles {
        let nothing = |gone: &[usize]| {
            st.idles_without(self, &gone.iter().map(|&k| iters[k].access).collect::<Vec<_>>())
        };
        let all = || 0..iters.len();
        let needed: Vec<usize> = all().filter(|&k| nothing(&[k])).collect();
        let follows =
            |k: usize| iters[k].jumps && nothing(&all().filter(|other| *other != k).collect::<Vec<_>>());
        let leading: Vec<usize> = all().filter(|&k| !follows(k)).collect();
        let lead = if !leading.is_empty() && needed.iter().all(|k| !leading.contains(k)) && nothing(&leading)
        {
            Lead::Any(leading)
        } else if needed.is_empty() {
            Lead::Any(all().collect())
        } else {
            Lead::All
        };
        let optional = all().filter(|k| !needed.contains(k)).collect();
        Roles { lead, needed, optional }
    }

    /// Does the level below hold coordinates, of which an empty range of positions has none? What stands in a reduction has no
    /// terms then, and is none; of an empty range it would be a number. A dense level further below is there at all of its
    /// coordinates if the loops come to them before; so are blocks of the result.
    pub(super) fn may_be_empty(&self, a: AccessId, loops: &[IndexVar], st: &State) -> bool {
        let (levels, at) = (&self.levels[a.index()], st.cursors[a.index()].level + 1);
        let comes = |level: usize| {
            let var = self.level_vars[a.index()].get(level)?;
            loops.iter().position(|v| self.provenance.roots(*v).contains(var))
        };
        let dense = (at + 1..levels.len()).filter(|level| levels[*level].level == Level::Dense);
        let visited_first = dense.map(comes).any(|inner| inner.is_none() || inner < comes(at));
        if visited_first || self.has_blocks_before(comes(at), loops) || is_summed(&st.rhs, a) {
            return false;
        }
        levels.get(at).is_some_and(|below| match below.level {
            Level::Dense => false,
            Level::Compressed { .. } => below.pos.is_some() && below.crd.is_some(),
            Level::Singleton { .. } => below.crd.is_some(),
        })
    }

    /// Are blocks of the result appended by one of the loops before this one (or all)? They are there wherever it comes to.
    fn has_blocks_before(&self, at: Option<usize>, loops: &[IndexVar]) -> bool {
        let groups = self.out_groups();
        let last = groups.suffix.start.checked_sub(1).filter(|_| !groups.suffix.is_empty());
        let Some(last) = last.map(|level| self.out.vars[level]) else { return false };
        let appends = loops.iter().position(|v| self.provenance.roots(*v).contains(&last));
        appends.is_some_and(|appends| at.is_none_or(|at| appends < at))
    }

    /// The loop of a union, and what is done after all leaders are used up.
    pub(super) fn united(
        &mut self,
        sweep: Sweep<'_>,
        w: Window,
        iters: &mut [Iter],
        others: &Env,
        (union, st): (Union, State),
    ) -> Lowered {
        if self.runs_on_threads(sweep.leaf) {
            return Err(self.co_iterates(sweep));
        }
        self.tags.merged.insert(sweep.leaf);
        self.tags.of_several.insert(sweep.leaf);
        let asked = match &union.lead {
            Lead::All => union.optional.clone(),
            Lead::Any(_) => (0..iters.len()).collect(),
        };
        if asked.iter().any(|&k| iters[k].jumps) {
            self.tags.galloped.insert(sweep.leaf);
        }
        let mut block = Block::new();
        iters.iter_mut().for_each(|k| self.declare_cursor(k, &mut block));
        let size = self.extent(sweep.var);
        let mut at = vec![None; iters.len()];
        for k in asked {
            let name = format!("{}{}", self.name(sweep.var), self.tensor_name(iters[k].access));
            let var = self.fresh(&name, Ty::Index);
            block.push(Stmt::Mut { var, value: iters[k].coordinate(&size) });
            at[k] = Some(var);
        }
        let fronts = Fronts { iters, at: &at, size: &size };
        let inner = &mut |l: &mut Lowerer<'_>, i, st| l.point(sweep, i, others, st);
        match &union.lead {
            Lead::All => {
                let live: Vec<&Iter> = union.needed.iter().map(|&k| &fronts.iters[k]).collect();
                let met = &mut |l: &mut Lowerer<'_>, i, st| {
                    l.at_coordinate(fronts, &union, (&union.optional, &[]), (i, st), inner)
                };
                block.extend(self.conjunction(sweep, &live, st, met)?);
            }
            Lead::Any(leading) => {
                let least = || {
                    let least = leading.iter().map(|&k| Expr::Var(fronts.front(k))).reduce(build::min);
                    least.unwrap_or_else(|| unreachable!("a union has operands"))
                };
                let mut body = Block::new();
                let i = self.bind(&self.name(sweep.var), least(), &mut body);
                // Where something is done without any of them, nobody is needed.
                let gone: Vec<_> = fronts.iters.iter().map(|k| k.access).collect();
                let gap = union.everywhere.then(|| st.clone().without(self, &gone));
                let start = gap.as_ref().map(|_| self.gap_start(sweep, &w, &mut block));
                let gap = gap.zip(start);
                if let Some((gap, start)) = &gap {
                    let window = Window { lo: Expr::Var(*start), hi: i.clone() };
                    body.extend(self.region(sweep, window, others.clone(), gap.clone())?);
                }
                let following: Vec<usize> =
                    (0..fronts.iters.len()).filter(|k| !leading.contains(k)).collect();
                body.extend(self.at_coordinate(
                    fronts,
                    &union,
                    (&following, leading),
                    (i.clone(), st),
                    inner,
                )?);
                if let Some((_, start)) = gap {
                    body.push(Stmt::Assign { var: start, value: build::add(i, Expr::Index(1)) });
                }
                block.push(Stmt::While { cond: build::lt(least(), size.clone()), body });
                if let Some((gap, start)) = gap {
                    let after = Window { lo: Expr::Var(start), hi: w.hi };
                    block.extend(self.region(sweep, after, others.clone(), gap)?);
                }
            }
        }
        Ok(block)
    }

    /// What is done at a coordinate `i`: some operands catch up, all are asked whether they have it, and those that lead and do
    /// move on. The state is stepped to those needed operands that have been met.
    fn at_coordinate(
        &mut self,
        fronts: Fronts<'_>,
        union: &Union,
        (following, leading): (&[usize], &[usize]),
        (i, mut st): (Expr, State),
        inner: Met<'_>,
    ) -> Lowered {
        let mut block = Block::new();
        for &k in following {
            block.push(self.catch_up(fronts, k, &i));
        }
        let has: Vec<Option<Expr>> =
            fronts.at.iter().map(|at| at.map(|at| build::eq(Expr::Var(at), i.clone()))).collect();
        let asked: Vec<usize> = (0..has.len()).filter(|&k| has[k].is_some()).collect();
        let runs =
            self.segment_ends(&asked.iter().map(|&k| &fronts.iters[k]).collect::<Vec<_>>(), &i, &mut block);
        let mut ends = vec![None; has.len()];
        asked.iter().zip(runs).for_each(|(&k, end)| ends[k] = end);
        let mut here = Here { iters: fronts.iters, i: &i, has: &has, ends };
        if let What::Fibers = union.what {
            self.bind_ends(&mut here, &union.optional, &mut block);
        }
        let mut moves = Vec::new();
        for &k in leading {
            let at = Stmt::Assign { var: fronts.front(k), value: fronts.iters[k].coordinate(fronts.size) };
            moves.push((k, vec![fronts.iters[k].advance(here.ends[k]), at]));
        }
        // Those that have been met are stepped down to already.
        let needed: Vec<usize> = union.needed.iter().copied().filter(|k| asked.contains(k)).collect();
        st = needed.iter().fold(st, |st, &k| here.step(st, k));
        let within = if needed.is_empty() { std::mem::take(&mut moves) } else { vec![] };
        let code = self.union_at(&here, union, (st, within), inner)?;
        block.extend(guard(here.have(&needed), code));
        for (k, moved) in moves {
            block.extend(guard(here.has(k), moved));
        }
        Ok(block)
    }

    /// The end of each operand's positions at the coordinate: where it begins, if it does not have it.
    pub(super) fn bind_ends(&mut self, here: &mut Here<'_>, optional: &[usize], block: &mut Block) {
        for &k in optional {
            if here.ends[k].is_some() {
                continue;
            }
            let iter = &here.iters[k];
            let end = self.fresh(&format!("p{}_next", self.tensor_name(iter.access)), Ty::Index);
            let value = build::add(iter.p.clone(), one_if(here.has(k)));
            block.push(Stmt::Let { var: end, value });
            here.ends[k] = Some(end);
        }
    }

    /// What is done for the operands that have the coordinate, and their moves.
    pub(super) fn union_at(
        &mut self,
        here: &Here<'_>,
        union: &Union,
        (st, moves): (State, Moves),
        inner: Met<'_>,
    ) -> Lowered {
        let sum = match &union.what {
            What::Fibers => {
                let mut block = self.union_of_fibers(here, union, st, inner)?;
                for (k, moved) in moves {
                    block.extend(guard(here.has(k), moved));
                }
                return Ok(block);
            }
            What::Sum(sum) => sum,
        };
        let mut block = Block::new();
        let mut own = vec![Own::default(); here.iters.len()];
        // What is counted has no value.
        if !self.counts(&st) {
            block = self.sum_of_terms(here, sum, &st, (&mut own, inner))?;
        }
        let outer = State { rhs: sum.around.clone(), ..st.clone() };
        let write = inner(self, here.i.clone(), outer)?;
        // Each of those that lead has a term of its own: one of them is there.
        let has_own = |k: &usize| sum.terms.iter().any(|t| t.is_own(*k));
        let single = matches!(&union.lead, Lead::Any(leading) if leading.iter().all(has_own));
        // Where there are but constants, these may come to one that annihilates what is around.
        let constants = sum.terms.iter().any(|t| t.value.is_decided());
        let always = union.everywhere && !constants && sum.terms.iter().any(Term::is_always);
        let (with_terms, after) = if single || always { (moves, vec![]) } else { (vec![], moves) };
        for (k, moved) in with_terms {
            own[k].there.extend(moved);
        }
        for (k, own) in own.into_iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            block.extend(own.by(here.has(k)));
        }
        if single || always {
            block.extend(write);
            return Ok(block);
        }
        // Where no term is there, what is around the sum is that of nothing, not of 0.
        let without = if union.everywhere {
            let gone: Vec<AccessId> = union.optional.iter().map(|&k| here.iters[k].access).collect();
            inner(self, here.i.clone(), st.without(self, &gone))?
        } else {
            vec![]
        };
        let varying = sum.terms.iter().filter(|t| union.everywhere || !t.is_always());
        let there = varying.map(|t| t.varies(here)).reduce(build::or);
        block.extend(either(there.unwrap_or(Expr::Cond(true)), write, without));
        for (k, moved) in after {
            block.extend(guard(here.has(k), moved));
        }
        Ok(block)
    }

    /// The loops inside, each operand below a range of positions that is empty if it does not have the coordinate.
    fn union_of_fibers(&mut self, here: &Here<'_>, union: &Union, st: State, inner: Met<'_>) -> Lowered {
        let acting = if union.everywhere { vec![] } else { self.acting(here, &union.optional, &st) };
        let st = union.optional.iter().fold(st, |st, &k| here.step(st, k));
        let code = inner(self, here.i.clone(), st)?;
        // One of those that lead has it, and may be all that it takes.
        let alone = |k: &usize| acting.iter().any(|set| set[..] == [*k]);
        let some = matches!(&union.lead, Lead::Any(leading) if leading.iter().all(alone));
        if union.everywhere || some {
            return Ok(code);
        }
        let any = acting.iter().map(|set| here.have(set)).reduce(build::or);
        Ok(any.map_or_else(Block::new, |any| guard(any, code)))
    }

    /// The least sets of these operands with which something is done where the others lack the coordinate.
    fn acting(&self, here: &Here<'_>, optional: &[usize], st: &State) -> Vec<Vec<usize>> {
        least_sets(optional, &|there| {
            let gone = optional.iter().filter(|k| !there.contains(k)).map(|&k| here.iters[k].access);
            !st.idles_without(self, &gone.collect::<Vec<_>>())
        })
    }
}

/// The least sets of which something holds that holds of every larger set, too.
fn least_sets(all: &[usize], holds: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let without =
        |set: &[usize], k: usize| set.iter().copied().filter(|other| *other != k).collect::<Vec<_>>();
    // Most sets have one.
    let (alone, others): (Vec<usize>, Vec<usize>) = all.iter().partition(|k| holds(&[**k]));
    let mut found: Vec<Vec<usize>> = alone.into_iter().map(|k| vec![k]).collect();
    let (mut seen, mut open) = (BTreeSet::new(), vec![others]);
    while let Some(among) = open.pop() {
        if !holds(&among) || !seen.insert(among.clone()) {
            continue;
        }
        let known = found.iter().find(|set| set.iter().all(|k| among.contains(k))).cloned();
        let least = known.unwrap_or_else(|| {
            let mut least = among.clone();
            for &k in &among {
                let fewer = without(&least, k);
                if holds(&fewer) {
                    least = fewer;
                }
            }
            found.push(least.clone());
            least
        });
        // Another one lacks one of these.
        open.extend(least.iter().map(|k| without(&among, *k)));
    }
    found
}

/// What moves operands on that have a coordinate.
type Moves = Vec<(usize, Block)>;

/// Where the operands stand that are asked whether they have a coordinate.
#[derive(Clone, Copy)]
struct Fronts<'a> {
    iters: &'a [Iter],
    /// The coordinates that they are at, by operand.
    at: &'a [Option<VarId>],
    size: &'a Expr,
}

impl Fronts<'_> {
    fn front(&self, k: usize) -> VarId {
        self.at[k]
            .unwrap_or_else(|| unreachable!("only those that may lack a coordinate are asked for theirs"))
    }
}

impl Lowerer<'_> {
    /// Moves an operand on to the first coordinate that is not less.
    fn catch_up(&mut self, fronts: Fronts<'_>, k: usize, i: &Expr) -> Stmt {
        let (iter, front) = (&fronts.iters[k], fronts.front(k));
        let cond = build::lt(front, i.clone());
        let at = Stmt::Assign { var: front, value: iter.coordinate(fronts.size) };
        if iter.jumps {
            let mut then = self.seek(iter, i);
            then.push(at);
            Stmt::If { cond, then, otherwise: vec![] }
        } else {
            Stmt::While { cond, body: vec![iter.advance(None), at] }
        }
    }
}

/// A coordinate, and what the operands have there.
pub(super) struct Here<'a> {
    pub(super) iters: &'a [Iter],
    pub(super) i: &'a Expr,
    /// Do they have it?
    pub(super) has: &'a [Option<Expr>],
    /// The ends of their positions.
    pub(super) ends: Vec<Option<VarId>>,
}

impl Here<'_> {
    /// Does an operand have the coordinate?
    pub(super) fn has(&self, k: usize) -> Expr {
        let has = self.has[k].clone();
        has.unwrap_or_else(|| {
            unreachable!("only those that may lack a coordinate are asked whether they have it")
        })
    }

    /// Do all of these?
    pub(super) fn have(&self, needs: &[usize]) -> Expr {
        needs.iter().map(|&k| self.has(k)).fold(Expr::Cond(true), build::and)
    }

    pub(super) fn step(&self, st: State, k: usize) -> State {
        self.iters[k].step(st, self.ends[k])
    }
}

/// Does an operand stand in a reduction, or in what a workspace is filled with?
fn is_summed(v: &Val, a: AccessId) -> bool {
    match v {
        Val::Un(_, of) => is_summed(of, a),
        Val::Op(_, args) => args.iter().any(|of| is_summed(of, a)),
        Val::Reduce(..) | Val::Work(_) => v.contains(a),
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_sets_are_told_apart() {
        let (a, b, c, d, e) = (1, 2, 4, 8, 16);
        let cases: [(&[usize], &[&[usize]]); 6] = [
            (&[], &[]),
            (&[a, b, c], &[&[0], &[1], &[2]]),
            (&[a | b, c], &[&[0, 1], &[2]]),
            (&[a | b, c | d, e], &[&[0, 1], &[2, 3], &[4]]),
            (&[a | b, b | c, c | a], &[&[0, 1], &[0, 2], &[1, 2]]),
            (&[a | b | c | d | e, d | e, d | b], &[&[1, 3], &[3, 4]]),
        ];
        for (masks, expected) in cases {
            let holds = |there: &[usize]| {
                let there: usize = there.iter().map(|k| 1 << k).sum();
                masks.iter().any(|m| there & m == *m)
            };
            let mut found = least_sets(&[0, 1, 2, 3, 4], &holds);
            found.sort();
            let mut expected: Vec<_> = expected.iter().map(|set| set.to_vec()).collect();
            expected.sort();
            assert_eq!(found, expected);
        }
    }
}
