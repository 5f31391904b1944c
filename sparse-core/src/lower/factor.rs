//! Scalar promotion of reductions, and factors that leave a sum.
//!
//! A reduction into one element goes through a scalar that is written once. Factors of a summed product that the
//! loops left do not change multiply the sum, not its terms: the sampled entry of SDDMM, the row of C in MTTKRP,
//! which is then added to the output once a fiber. An empty sum stays zero even if the factor is infinite (what is
//! not stored does not take part), so the multiplication stands behind the test that there is a term.

use super::region::guard;
use super::state::{Lane, Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::algebra::simplify;
use crate::cin::val::{AccessId, Val};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Block, BufferId, Expr, LoopKind, Space, Stmt, Ty, VarId, build};
use crate::scalar::{BinaryOp, Monoid};

impl Lowerer<'_> {
    /// Reduces into a scalar and writes the output's element once, after the loops.
    pub(super) fn promote(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let Some(identity) = st.op.and_then(|m| m.identity(self.dtype)) else {
            unreachable!("the front checks the monoid's type")
        };
        let t = self.fresh("t", Ty::Scalar(self.dtype));
        let mut block = vec![Stmt::Mut { var: t, value: Expr::Lit(identity) }];
        self.accumulators.insert(t);
        let inner = State { lhs: Lhs::Scalar(t), ..st.clone() };
        let stores_terms = self.stores_entries(&st);
        let some = if let Some((fixed, rest)) = self.factor(&st)
            && let Some((loops, some)) = flat(self.lower(loops, State { rhs: rest, ..inner.clone() })?)
        {
            let some = if stores_terms { self.loaded_again(some, &loops) } else { some };
            block.extend(loops);
            let value = self.product(fixed, Val::Temp(t.0), &st, &mut block)?;
            let total = vec![Stmt::Assign { var: t, value }];
            block.extend(guard(some.clone(), total));
            some
        } else {
            let inner = self.lower(loops, inner)?;
            if inner.is_empty() {
                self.note_dropped(&st);
                return Ok(vec![]);
            }
            self.terms(t, inner, stores_terms, &mut block)
        };
        if self.counts(&st) {
            // Of the sum nothing is left but whether it has a term.
            block.extend(guard(some, self.write(&st, Expr::Lit(identity))));
            return Ok(block);
        }
        let mut written = st;
        self.end_loops(loops, &mut written);
        let write = self.write(&written, Expr::Var(t));
        block.extend(if stores_terms { guard(some, write) } else { write });
        Ok(block)
    }

    /// Does it count where something is written, as where an entry is stored? Then a sum without terms is not written.
    fn stores_entries(&self, st: &State) -> bool {
        match &st.lhs {
            Lhs::Output { block } => self.out.is_assembled() && block.is_none(),
            Lhs::Scattered(_) => true,
            Lhs::Array(target) => target.part,
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) => false,
        }
    }

    /// A condition on a loop's bounds that loads them itself, where they are arguments' positions: so that the loop is one
    /// over a fiber in its own right, whose bounds are nobody else's.
    fn loaded_again(&self, mut cond: Expr, block: &[Stmt]) -> Expr {
        let value = |e: &Expr| {
            block.iter().find_map(|s| match s {
                Stmt::Let { var, value: value @ Expr::Load { buffer, .. } } if *e == Expr::Var(*var) => {
                    (self.buffers[buffer.index()].space == Space::Input).then(|| value.clone())
                }
                _ => None,
            })
        };
        cond.for_each_child_mut(&mut |e| {
            if let Some(load) = value(e) {
                *e = load;
            }
        });
        cond
    }

    /// The loops of a sum, and the condition that it has a term.
    pub(super) fn terms(&mut self, t: VarId, sum: Block, wanted: bool, block: &mut Block) -> Expr {
        if !wanted {
            block.extend(sum);
            return Expr::Cond(true);
        }
        if sum.is_empty() {
            return Expr::Cond(false);
        }
        if let Some(some) = one_loop(&sum, t) {
            let some = self.loaded_again(some, &sum);
            block.extend(sum);
            return some;
        }
        let (mut sum, some) = (sum, self.fresh("some", Ty::Cond));
        block.push(Stmt::Mut { var: some, value: Expr::Cond(false) });
        mark(&mut sum, t, some);
        block.extend(sum);
        Expr::Var(some)
    }

    /// The loops that fill an array whose elements all have terms or none, and the condition that they have.
    pub(super) fn array_terms(
        &mut self,
        array: BufferId,
        mut sums: Block,
        wanted: bool,
        block: &mut Block,
    ) -> Expr {
        if !wanted {
            block.extend(sums);
            return Expr::Cond(true);
        }
        if sums.is_empty() {
            return Expr::Cond(false);
        }
        if let Some(some) = one_row(&sums, array) {
            let some = self.loaded_again(some, &sums);
            block.extend(sums);
            return some;
        }
        let some = self.fresh("some", Ty::Cond);
        block.push(Stmt::Mut { var: some, value: Expr::Cond(false) });
        mark_elements(&mut sums, array, some);
        block.extend(sums);
        Expr::Var(some)
    }

    /// Sums what the loops left change into an accumulator of its own, if the rest of the product is fixed.
    pub(super) fn hoist(&mut self, loops: &[IndexVar], st: &State) -> Result<Option<Block>, Box<Diagnostic>> {
        let element = matches!(st.lhs, Lhs::Output { .. } | Lhs::Array(_) | Lhs::Scattered(_));
        if element || loops.iter().all(|&v| self.is_lane(st, v)) {
            return Ok(None);
        }
        let Some((fixed, rest)) = self.factor(st) else { return Ok(None) };
        match (&st.lhs, &st.lane) {
            (Lhs::Register(_), Some(lane)) => self.hoist_lanes(loops, st, lane.clone(), fixed, rest),
            _ => self.hoist_scalar(loops, st, fixed, rest),
        }
    }

    fn hoist_scalar(
        &mut self,
        loops: &[IndexVar],
        st: &State,
        fixed: Vec<Val>,
        rest: Val,
    ) -> Result<Option<Block>, Box<Diagnostic>> {
        let t = self.fresh("t", Ty::Scalar(self.dtype));
        let buffers = self.buffers.len();
        let inner = self.lower(loops, State { rhs: rest, lhs: Lhs::Scalar(t), ..st.clone() })?;
        let Some((mut inner, some)) = flat(inner) else {
            self.forget_arrays(buffers);
            return Ok(None);
        };
        let Some(sum) = inner.pop() else { return Ok(None) };
        let mut then = vec![Stmt::Mut { var: t, value: Expr::Lit(self.dtype.zero()) }, sum];
        let value = self.product(fixed, Val::Temp(t.0), st, &mut then)?;
        then.extend(self.write(st, value));
        inner.extend(guard(some, then));
        Ok(Some(inner))
    }

    fn hoist_lanes(
        &mut self,
        loops: &[IndexVar],
        st: &State,
        lane: Lane,
        fixed: Vec<Val>,
        rest: Val,
    ) -> Result<Option<Block>, Box<Diagnostic>> {
        let sum = self.register_array(lane.width);
        let inner = self.lower(loops, State { rhs: rest, lhs: Lhs::Register(sum), ..st.clone() })?;
        let Some((mut inner, some)) = flat(inner) else {
            self.forget_last(sum);
            return Ok(None);
        };
        let Some(sums) = inner.pop() else { return Ok(None) };
        let at = self.fresh("lane", Ty::Index);
        let term = self.fresh("sum", Ty::Scalar(self.dtype));
        let mut scaled = st.clone();
        scaled.coords[lane.var.index()] = Some(build::add(lane.base.clone(), at));
        scaled.rhs = Val::Op(BinaryOp::Mul, fixed.into_iter().chain([Val::Temp(term.0)]).collect());
        scaled.lane = Some(Lane { at: Some(at), ..lane.clone() });
        let mut body = vec![Stmt::Let { var: term, value: build::load(sum, at) }];
        body.extend(self.lower(&[], scaled)?);
        let then =
            vec![Stmt::Local { buffer: sum, init: Some(self.dtype.zero()) }, sums, lane.over(at, body)];
        inner.extend(guard(some, then));
        Ok(Some(inner))
    }

    fn is_lane(&self, st: &State, v: IndexVar) -> bool {
        st.lane.as_ref().is_some_and(|l| l.var == v)
    }

    fn product(
        &mut self,
        fixed: Vec<Val>,
        sum: Val,
        st: &State,
        block: &mut Block,
    ) -> Result<Expr, Box<Diagnostic>> {
        let product = Val::Op(BinaryOp::Mul, fixed.into_iter().chain([sum]).collect());
        self.value(&simplify(&product, self.dtype), st, block)
    }

    /// Splits a summed product into operands that no loop left changes and the rest.
    fn factor(&self, st: &State) -> Option<(Vec<Val>, Val)> {
        let (Val::Op(BinaryOp::Mul, args), Some(Monoid::Add)) = (&st.rhs, st.op) else { return None };
        let (fixed, rest): (Vec<Val>, Vec<Val>) = args.iter().cloned().partition(|v| match v {
            Val::Access(a) => self.is_fixed(st, *a),
            Val::Param(_) => true,
            _ => false,
        });
        let any = fixed.iter().any(|v| matches!(v, Val::Access(_)));
        (any && !rest.is_empty()).then_some((fixed, Val::Op(BinaryOp::Mul, rest)))
    }

    /// Walked as far as it goes, but for the lanes.
    fn is_fixed(&self, st: &State, a: AccessId) -> bool {
        let left = &self.level_vars[a.index()][st.cursors[a.index()].level..];
        left.iter().all(|&v| self.is_lane(st, v))
    }
}

/// Code that is one loop after declarations, every iteration of which adds a term: and the condition that there is
/// one.
fn flat(block: Block) -> Option<(Block, Expr)> {
    let (last, lets) = block.split_last()?;
    let Stmt::For { lo, hi, kind: LoopKind::Reduce { .. } | LoopKind::ReduceArray { .. }, .. } = last else {
        return None;
    };
    let some = build::lt(lo.clone(), hi.clone());
    lets.iter().all(|s| matches!(s, Stmt::Let { .. })).then_some((block, some))
}

/// Of code that is one loop after declarations, every iteration of which updates `t`: the condition that there is one.
fn one_loop(block: &[Stmt], t: VarId) -> Option<Expr> {
    let (Stmt::For { lo, hi, body, .. }, lets) = block.split_last()? else { return None };
    let updates = |s: &Stmt| matches!(s, Stmt::Update { var, .. } if *var == t);
    let fits = body.iter().any(updates) && lets.iter().all(|s| matches!(s, Stmt::Let { .. }));
    fits.then(|| build::lt(lo.clone(), hi.clone()))
}

/// Of code that is one loop after declarations, every iteration of which adds to the elements of an array: the condition that
/// there is one.
fn one_row(block: &[Stmt], array: BufferId) -> Option<Expr> {
    let (Stmt::For { lo, hi, body, .. }, lets) = block.split_last()? else { return None };
    let (elements, inner) = body.split_last()?;
    let fits = adds_to(elements, array)
        && [lets, inner].into_iter().flatten().all(|s| matches!(s, Stmt::Let { .. }));
    fits.then(|| build::lt(lo.clone(), hi.clone()))
}

/// Is it a loop each of whose iterations adds to an element of an array?
fn adds_to(stmt: &Stmt, array: BufferId) -> bool {
    let Stmt::For { body, .. } = stmt else { return false };
    matches!(body.last(), Some(Stmt::Reduce { buffer, .. }) if *buffer == array)
}

/// Notes in `some` that a term is added to elements of an array: before the loop over them, or beside the addition.
fn mark_elements(block: &mut Block, array: BufferId, some: VarId) {
    let note = Stmt::Assign { var: some, value: Expr::Cond(true) };
    let mut at = 0;
    while at < block.len() {
        let notes = match &mut block[at] {
            Stmt::For { lo, hi, kind, .. } => {
                let any = build::lt(lo.clone(), hi.clone());
                let sums = matches!(kind, LoopKind::ReduceArray { buffer, .. } if *buffer == array);
                if sums || adds_to(&block[at], array) { guard(any, vec![note.clone()]) } else { vec![] }
            }
            Stmt::Reduce { buffer, .. } | Stmt::Store { buffer, .. } if *buffer == array => {
                vec![note.clone()]
            }
            _ => vec![],
        };
        if notes.is_empty() {
            block[at].for_each_block_mut(&mut |nested| mark_elements(nested, array, some));
        }
        at += notes.len();
        block.splice(at - notes.len()..at - notes.len(), notes);
        at += 1;
    }
}

/// Notes in `some` that a term is added to `t`: beside each update, or before the loop that is a reduction.
fn mark(block: &mut Block, t: VarId, some: VarId) {
    let note = Stmt::Assign { var: some, value: Expr::Cond(true) };
    let mut at = 0;
    while at < block.len() {
        match &mut block[at] {
            Stmt::For { lo, hi, kind: LoopKind::Reduce { var, .. }, .. } if *var == t => {
                let any = guard(build::lt(lo.clone(), hi.clone()), vec![note.clone()]);
                let notes = any.len();
                block.splice(at..at, any);
                at += notes;
            }
            Stmt::Update { var, .. } if *var == t => {
                at += 1;
                block.insert(at, note.clone());
            }
            stmt => stmt.for_each_block_mut(&mut |nested| mark(nested, t, some)),
        }
        at += 1;
    }
}
