//! Elements as sums of terms, each of which is there if its operands are, or something else where one of these is not.

use super::chosen::Chosen;
use super::conjunction::Met;
use super::union::Here;
use crate::cin::algebra::simplify;
use crate::cin::val::{AccessId, Val};
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, Stmt, Ty, VarId, build};
use crate::lower::region::guard;
use crate::lower::state::{Lhs, State};
use crate::lower::{Lowered, Lowerer};
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// A value in which all operands that may lack the coordinate stand in one sum.
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    /// The value, with the sum replaced by this.
    pub(super) around: Val,
    total: VarId,
    op: Monoid,
}

pub(super) struct Term {
    /// What it is where those have the coordinate that it needs.
    pub(super) value: Chosen,
    /// The operands that may be lacking without any of which it is nothing.
    pub(super) needs: Vec<usize>,
}

impl Term {
    /// Is it there, whoever has the coordinate?
    pub(super) fn is_always(&self) -> bool {
        self.needs.is_empty() && !self.value.is_decided()
    }

    /// Does it vary where this operand alone has the coordinate?
    pub(super) fn is_own(&self, k: usize) -> bool {
        match self.needs[..] {
            [] => self.value.is_decided() && self.value.varies_with(k),
            [only] => only == k,
            _ => false,
        }
    }

    /// Where is it more than a constant?
    pub(super) fn varies(&self, here: &Here<'_>) -> Expr {
        build::and(here.have(&self.needs), self.value.varies(here))
    }
}

impl Lowerer<'_> {
    /// Is it known at the coordinate who has the element, and what it is? Not if an operand is still to be searched, as for the
    /// second index of `A[i, i]`, or a workspace to be filled.
    fn is_settled(&self, operands: &[AccessId], st: &State) -> bool {
        let mut settled = true;
        st.rhs.for_each_production(&mut |_| settled = false);
        st.rhs.for_each_access(&mut |a| {
            let walked = st.cursors[a.index()].level + usize::from(operands.contains(&a));
            settled &= self.levels[a.index()][walked..].iter().all(|l| l.level.is_full());
        });
        settled
    }

    /// The sum that the operands stand in that may lack the coordinate, of those that are merged there. `everywhere`: something is
    /// done also where none of them has it.
    pub(super) fn as_sum(
        &mut self,
        merged: &[AccessId],
        optional: &[usize],
        st: &State,
        everywhere: bool,
    ) -> Option<Sum> {
        if !self.is_settled(merged, st) {
            return None;
        }
        let merges = |v: &Val| optional.iter().any(|&k| v.contains(merged[k]));
        let mut sum = &st.rhs;
        let mut args = vec![];
        loop {
            let of: Vec<&Val> = match sum {
                Val::Op(_, args) => args.iter().filter(|a| merges(a)).collect(),
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
        let gone = |v: &Val, a: AccessId| {
            let rest = |fill| Val::Op(op.op(), vec![v.replace(a, fill), hole.clone()]);
            self.fill(a).is_some_and(|fill| simplify(&rest(fill), self.dtype) == hole)
        };
        let mut terms = Vec::new();
        for value in args {
            let own = optional.iter().copied().filter(|&k| value.contains(merged[k]));
            let (needs, deciding): (Vec<_>, Vec<_>) = own.partition(|&k| gone(&value, merged[k]));
            let value = match deciding[..] {
                [] if simplify(&value, self.dtype).constant().is_some() => Chosen::Constant(value),
                [] => Chosen::Value(value),
                _ => self.choose(&value, op, (merged, &deciding), (&hole, everywhere))?,
            };
            terms.push(Term { value, needs });
        }
        let around = st.rhs.map(&|v: &Val| (v == sum).then(|| hole.clone()));
        Some(Sum { terms, around, total, op })
    }

    /// Declares the sum of the terms that are there. What is combined where one operand alone has the coordinate, or lacks it, comes
    /// to its own.
    pub(super) fn sum_of_terms(
        &mut self,
        here: &Here<'_>,
        sum: &Sum,
        st: &State,
        (own, inner): (&mut [Own], Met<'_>),
    ) -> Lowered {
        let (mut first, mut sums, mut plain) = (None, Block::new(), true);
        for term in &sum.terms {
            let (lhs, op) = (Lhs::Scalar(sum.total), Some(sum.op));
            let st = State { lhs, op, ..st.clone() };
            let st = term.needs.iter().fold(st, |st, &k| here.step(st, k));
            if let (&Chosen::By(k, ref of), []) = (&term.value, &term.needs[..]) {
                let stepped = here.step(st.clone(), k);
                own[k].there.extend(self.combined(&of[0], here, stepped, &mut plain, inner)?);
                own[k].lacking.extend(self.combined(&of[1], here, st, &mut plain, inner)?);
                continue;
            }
            let code = self.combined(&term.value, here, st, &mut plain, inner)?;
            match (&term.needs[..], &code[..]) {
                // The first of those that are always there is what the sum begins with.
                ([], [Stmt::Update { value, .. }]) if first.is_none() => first = Some(value.clone()),
                // What another operand decides is asked before that one moves on.
                (&[k], _) if !term.value.is_decided() => own[k].there.extend(code),
                (needs, _) => sums.extend(guard(here.have(needs), code)),
            }
        }
        // Of NaN alone the least and the largest are NaN, and of NaN and the identity the identity: only NaN itself leaves all as they
        // are. It does not stay, as the sum is read where a term is there.
        let of_nothing = match sum.op {
            Monoid::Min | Monoid::Max if plain => self.dtype.nan(),
            _ => None,
        };
        let identity = of_nothing.or_else(|| sum.op.identity(self.dtype)).map(Expr::Lit);
        let Some(value) = first.or(identity) else { unreachable!("the front checks the operators' types") };
        let mut block = vec![Stmt::Mut { var: sum.total, value }];
        block.extend(sums);
        Ok(block)
    }

    /// Combines a term's value with the sum; `plain` stays so if that is an update and nothing else.
    fn combined(
        &mut self,
        value: &Chosen,
        here: &Here<'_>,
        st: State,
        plain: &mut bool,
        inner: Met<'_>,
    ) -> Lowered {
        match value {
            Chosen::Nothing => Ok(vec![]),
            Chosen::Constant(v) | Chosen::Value(v) => {
                let total = if let Lhs::Scalar(total) = st.lhs { Some(total) } else { None };
                let code = inner(self, here.i.clone(), State { rhs: v.clone(), ..st })?;
                *plain &= total.is_some_and(|total| is_update(&code, total));
                Ok(code)
            }
            Chosen::By(k, of) => {
                let with = self.combined(&of[0], here, here.step(st.clone(), *k), plain, inner)?;
                let without = self.combined(&of[1], here, st, plain, inner)?;
                Ok(Own { there: with, lacking: without }.by(here.has(*k)))
            }
        }
    }
}

/// What is done by whether one operand has the coordinate.
#[derive(Clone, Default)]
pub(super) struct Own {
    pub(super) there: Block,
    pub(super) lacking: Block,
}

impl Own {
    pub(super) fn is_empty(&self) -> bool {
        self.there.is_empty() && self.lacking.is_empty()
    }

    /// As one branch, without empty parts.
    pub(super) fn by(self, has: Expr) -> Block {
        match (self.there.is_empty(), self.lacking.is_empty()) {
            (_, true) => guard(has, self.there),
            (true, false) => guard(Expr::Not(Box::new(has)), self.lacking),
            (false, false) => vec![Stmt::If { cond: has, then: self.there, otherwise: self.lacking }],
        }
    }
}

/// Is a value combined with the total in any case, and once? It may take loops to compute it, as of equal coordinates.
fn is_update(code: &[Stmt], total: VarId) -> bool {
    let Some((Stmt::Update { var, .. }, before)) = code.split_last() else { return false };
    let mut again = false;
    visit_stmts(before, &mut |s| {
        again |= matches!(s, Stmt::Update { var, .. } | Stmt::Assign { var, .. } if *var == total);
    });
    *var == total && !again
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
