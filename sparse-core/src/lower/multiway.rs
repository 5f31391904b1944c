//! Multiway merge: a union of many operands in one loop.
//!
//! A merge lattice has a loop for each set of operands that are not used up, and in it a case for each set of those that have
//! the coordinate: 27 cases for a sum of three, and three times as many with each more. Here each operand has the coordinate
//! that it is at in a variable, the size of the dimension once it is used up, and the least of these is next. What an operand
//! contributes stands once: at an element, the terms that need it; above, a range of positions that is empty if it does not
//! have the coordinate.
//!
//! It gives up what a lattice learns from who is left: code in which the operands that are gone are not asked. So that is what
//! few operands have, and those without which nothing is done.

use super::merge::{Iter, next};
use super::region::{Env, Sweep, Window, guard};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::algebra::simplify;
use crate::cin::val::{AccessId, Val};
use crate::format::Level;
use crate::llir::{Block, Expr, Stmt, Ty, VarId, build};
use crate::looplet::Position;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// What is done at a coordinate of one of many operands.
pub(super) enum Union {
    /// The loops inside run over what is stored below, of some nothing.
    Fibers,
    /// An element is the sum of the terms whose operands have it.
    Sum(Sum),
}

/// A value in which all operands that are merged stand in one sum.
pub(super) struct Sum {
    terms: Vec<Term>,
    /// The value, with the sum replaced by this.
    around: Val,
    total: VarId,
    op: Monoid,
    /// Something is done also where none of the operands has the coordinate.
    everywhere: bool,
}

struct Term {
    value: Val,
    /// The merged operands without any of which it is nothing.
    needs: Vec<usize>,
}

impl Lowerer<'_> {
    /// How to merge all operands in one loop, if that is possible: there is none of them without which nothing is done, and none
    /// that would search for the others instead of leading.
    pub(super) fn as_union(
        &mut self,
        sweep: Sweep<'_>,
        iters: &[Iter],
        st: &State,
        gap_acts: bool,
    ) -> Option<Union> {
        let nothing = |gone: &[AccessId]| st.clone().without(self, gone).is_noop(self);
        let decides = |k: &Iter| {
            let others: Vec<_> = iters.iter().map(|k| k.access).filter(|a| *a != k.access).collect();
            nothing(&[k.access]) || k.jumps && nothing(&others)
        };
        if iters.iter().any(|k| !st.rhs.contains(k.access) || decides(k)) {
            return None;
        }
        if !sweep.rest.is_empty() {
            // A sum without terms is none; of an empty range it would be a number.
            if iters.iter().any(|k| is_summed(&st.rhs, k.access)) {
                return None;
            }
            return iters.iter().all(|k| self.may_be_empty(k.access, st)).then_some(Union::Fibers);
        }
        let mut unfilled = false;
        st.rhs.for_each_production(&mut |_| unfilled = true);
        if unfilled || !self.is_settled(iters, st) {
            return None;
        }
        self.as_sum(iters, st, gap_acts).map(Union::Sum)
    }

    /// Is it known at the coordinate who has the element? Not if an operand is still to be searched, as for the second index of
    /// `A[i, i]`.
    fn is_settled(&self, iters: &[Iter], st: &State) -> bool {
        let mut settled = true;
        st.rhs.for_each_access(&mut |a| {
            let walked = st.cursors[a.index()].level + usize::from(iters.iter().any(|k| k.access == a));
            settled &= self.levels[a.index()][walked..].iter().all(|l| l.level.is_full());
        });
        settled
    }

    /// Does the level below hold coordinates, of which an empty range of positions has none?
    fn may_be_empty(&self, a: AccessId, st: &State) -> bool {
        let below = self.levels[a.index()].get(st.cursors[a.index()].level + 1);
        below.is_some_and(|below| match below.level {
            Level::Dense => false,
            Level::Compressed { .. } => below.pos.is_some() && below.crd.is_some(),
            Level::Singleton { .. } => below.crd.is_some(),
        })
    }

    fn as_sum(&mut self, iters: &[Iter], st: &State, gap_acts: bool) -> Option<Sum> {
        let merged = |v: &Val| iters.iter().any(|k| v.contains(k.access));
        let mut sum = &st.rhs;
        let mut args = vec![];
        loop {
            let of: Vec<&Val> = match sum {
                Val::Op(_, args) => args.iter().filter(|a| merged(a)).collect(),
                Val::Un(_, a) => vec![a],
                _ => return None,
            };
            match of[..] {
                [only] => sum = only,
                _ => break,
            }
        }
        let op = operands(sum, self.dtype, &mut args)?;
        let total = self.fresh("t", Ty::Scalar(self.dtype));
        let (total, hole) = (total, Val::Temp(total.0));
        let gone = |v: &Val, k: &Iter| {
            let rest = |fill| Val::Op(op.op(), vec![v.replace(k.access, fill), hole.clone()]);
            self.fill(k.access).is_some_and(|fill| simplify(&rest(fill), self.dtype) == hole)
        };
        let mut terms = Vec::new();
        for value in args {
            let needs: Vec<usize> = (0..iters.len()).filter(|&k| value.contains(iters[k].access)).collect();
            if !needs.iter().all(|&k| gone(&value, &iters[k])) {
                return None;
            }
            terms.push(Term { value, needs });
        }
        // Where no term is there, what is around the sum is that of nothing, not of 0.
        let always = terms.iter().any(|t| t.needs.is_empty());
        if gap_acts && !always && terms.iter().any(|t| t.needs.len() > 1) {
            return None;
        }
        let around = st.rhs.map(&|v: &Val| (v == sum).then(|| hole.clone()));
        Some(Sum { terms, around, total, op, everywhere: gap_acts })
    }

    /// One loop over the coordinates that any of the operands has.
    pub(super) fn union_loop(
        &mut self,
        sweep: Sweep<'_>,
        iters: &[Iter],
        others: &Env,
        (union, st): (Union, State),
        start: Option<VarId>,
    ) -> Lowered {
        let size = self.extent(sweep.var);
        let index = self.name(sweep.var);
        let mut block = Block::new();
        let mut fronts = Vec::new();
        for k in iters {
            let at = self.fresh(&format!("{index}{}", self.tensor_name(k.access)), Ty::Index);
            block.push(Stmt::Mut { var: at, value: coordinate(k, &size) });
            fronts.push(at);
        }
        let least = || {
            let least = fronts.iter().map(|at| Expr::Var(*at)).reduce(build::min);
            least.unwrap_or_else(|| unreachable!("a union has operands"))
        };
        let mut body = Block::new();
        let i = self.bind(&index, least(), &mut body);
        if let Some(start) = start {
            let gone: Vec<_> = iters.iter().map(|k| k.access).collect();
            let window = Window { lo: Expr::Var(start), hi: i.clone() };
            body.extend(self.region(sweep, window, others.clone(), st.clone().without(self, &gone))?);
        }
        let front = Fronts { iters, at: &fronts, i: &i, size: &size };
        body.extend(match union {
            Union::Fibers => self.union_of_fibers(sweep, front, others, st)?,
            Union::Sum(sum) => self.union_of_terms(sweep, front, others, sum, st)?,
        });
        if let Some(start) = start {
            body.push(Stmt::Assign { var: start, value: build::add(i.clone(), Expr::Index(1)) });
        }
        block.push(Stmt::While { cond: build::lt(least(), size.clone()), body });
        Ok(block)
    }

    /// The loops inside, each operand below a range of positions that is empty if it does not have the coordinate.
    fn union_of_fibers(
        &mut self,
        sweep: Sweep<'_>,
        front: Fronts<'_>,
        others: &Env,
        mut st: State,
    ) -> Lowered {
        let mut block = Block::new();
        let all: Vec<&Iter> = front.iters.iter().collect();
        let runs = self.segment_ends(&all, front.i, &mut block);
        let mut ends = Vec::new();
        for ((k, at), run) in front.iters.iter().zip(front.at).zip(runs) {
            let end = run.unwrap_or_else(|| {
                let end = self.fresh(&format!("p{}_next", self.tensor_name(k.access)), Ty::Index);
                block.push(Stmt::Let { var: end, value: build::add(k.cursor(), one_if(front.has(*at))) });
                end
            });
            st = st.step(k.access, Position::Range(k.p.clone(), Expr::Var(end)));
            ends.push(end);
        }
        block.extend(self.point(sweep, front.i.clone(), others, st)?);
        for ((k, at), end) in front.iters.iter().zip(front.at).zip(ends) {
            let moved = vec![
                Stmt::Assign { var: k.cursor(), value: Expr::Var(end) },
                Stmt::Assign { var: *at, value: coordinate(k, front.size) },
            ];
            block.extend(guard(front.has(*at), moved));
        }
        Ok(block)
    }

    /// The sum of the terms that are there, and what is done with it.
    fn union_of_terms(
        &mut self,
        sweep: Sweep<'_>,
        front: Fronts<'_>,
        others: &Env,
        sum: Sum,
        st: State,
    ) -> Lowered {
        let mut block = Block::new();
        let all: Vec<&Iter> = front.iters.iter().collect();
        let ends = self.segment_ends(&all, front.i, &mut block);
        let step = |st: State, k: usize| {
            let iter = &front.iters[k];
            let child = match ends[k] {
                None => Position::One(iter.p.clone()),
                Some(q) => Position::Range(iter.p.clone(), Expr::Var(q)),
            };
            st.step(iter.access, child)
        };
        let mut own: Vec<Block> = front.iters.iter().map(|_| Block::new()).collect();
        // What is counted has no value.
        if !self.counts(&st) {
            let (mut first, mut sums) = (None, Block::new());
            for term in &sum.terms {
                let inner = State {
                    rhs: term.value.clone(),
                    lhs: Lhs::Scalar(sum.total),
                    op: Some(sum.op),
                    ..st.clone()
                };
                let inner = term.needs.iter().fold(inner, |st, &k| step(st, k));
                let code = self.point(sweep, front.i.clone(), others, inner)?;
                match (&term.needs[..], &code[..]) {
                    // The first of those that are always there is what the sum begins with.
                    ([], [Stmt::Update { value, .. }]) if first.is_none() => first = Some(value.clone()),
                    (&[k], _) => own[k].extend(code),
                    (needs, _) => sums.extend(guard(front.have(needs), code)),
                }
            }
            let identity = sum.op.identity(self.dtype).map(Expr::Lit);
            let Some(value) = first.or(identity) else {
                unreachable!("the front checks the operators' types")
            };
            block.push(Stmt::Mut { var: sum.total, value });
            block.extend(sums);
        }
        let moves = |k: usize| {
            let iter = &front.iters[k];
            let next = next(iter, ends[k]);
            vec![
                Stmt::Assign { var: iter.cursor(), value: next },
                Stmt::Assign { var: front.at[k], value: coordinate(iter, front.size) },
            ]
        };
        let outer = State { rhs: sum.around, ..st };
        let write = self.point(sweep, front.i.clone(), others, outer)?;
        // Each operand has a term of its own: one of them is there.
        let single = (0..own.len()).all(|k| sum.terms.iter().any(|t| t.needs == [k]));
        if sum.everywhere || single {
            for (k, mut code) in own.into_iter().enumerate() {
                code.extend(moves(k));
                block.extend(guard(front.has(front.at[k]), code));
            }
            block.extend(write);
            return Ok(block);
        }
        for (k, code) in own.into_iter().enumerate() {
            block.extend(guard(front.has(front.at[k]), code));
        }
        let stored = sum.terms.iter().filter(|t| !t.needs.is_empty());
        let there = stored.map(|t| front.have(&t.needs)).reduce(build::or);
        block.extend(guard(there.unwrap_or(Expr::Cond(true)), write));
        for k in 0..front.iters.len() {
            block.extend(guard(front.has(front.at[k]), moves(k)));
        }
        Ok(block)
    }
}

/// Where the operands stand, and the least of their coordinates.
#[derive(Clone, Copy)]
struct Fronts<'a> {
    iters: &'a [Iter],
    at: &'a [VarId],
    i: &'a Expr,
    size: &'a Expr,
}

impl Fronts<'_> {
    /// Does an operand have the coordinate?
    fn has(&self, at: VarId) -> Expr {
        build::eq(Expr::Var(at), self.i.clone())
    }

    /// Do all of these?
    fn have(&self, needs: &[usize]) -> Expr {
        needs.iter().map(|&k| self.has(self.at[k])).fold(Expr::Cond(true), build::and)
    }
}

/// The coordinate that an operand is at: the size of the dimension if there is none.
fn coordinate(k: &Iter, size: &Expr) -> Expr {
    let lasts = build::lt(k.p.clone(), k.stepper.end.clone());
    let at = build::load(k.stepper.crd, k.p.clone());
    Expr::Select(Box::new(lasts), Box::new(at), Box::new(size.clone()))
}

/// 1 or 0.
pub(super) fn one_if(cond: Expr) -> Expr {
    Expr::Select(Box::new(cond), Box::new(Expr::Index(1)), Box::new(Expr::Index(0)))
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

/// What is combined by an associative operator, and the operator: of a sum the terms with their signs. `None` if it has one
/// that its type lacks.
fn operands(v: &Val, t: DType, out: &mut Vec<Val>) -> Option<Monoid> {
    match v {
        Val::Op(BinaryOp::Add | BinaryOp::Sub, _) => {
            signed(v, false, t, out)?;
            Some(Monoid::Add)
        }
        Val::Op(op, args) => {
            out.extend(args.iter().cloned());
            Monoid::ALL.into_iter().find(|m| m.op() == *op && m.accepts(t))
        }
        _ => None,
    }
}

fn signed(v: &Val, negative: bool, t: DType, terms: &mut Vec<Val>) -> Option<()> {
    match v {
        Val::Op(BinaryOp::Add, args) => args.iter().try_for_each(|a| signed(a, negative, t, terms)),
        Val::Op(BinaryOp::Sub, args) => {
            signed(&args[0], negative, t, terms)?;
            signed(&args[1], !negative, t, terms)
        }
        Val::Un(UnaryOp::Neg, a) => signed(a, !negative, t, terms),
        v if !negative => {
            terms.push(v.clone());
            Some(())
        }
        v => UnaryOp::Neg.accepts(t).then(|| terms.push(Val::Un(UnaryOp::Neg, Box::new(v.clone())))),
    }
}
