//! What a term of a sum is, by which of its operands have the coordinate.
//!
//! Most terms are nothing without any of their operands. Others are something: `!B[i]` is true, and `exp(B[i])` is 1. Such an operand
//! decides between two values of its term, and not of the whole, so that each further term is as much code as the one before.

use super::union::Here;
use crate::cin::algebra::simplify;
use crate::cin::val::{AccessId, Val};
use crate::llir::{Expr, build};
use crate::lower::Lowerer;
use crate::scalar::Monoid;

/// No more values of one term are written out: those of two operands that decide.
const FEW_VALUES: usize = 4;

/// What is left of a term once it is known which operands have the coordinate.
pub(super) enum Chosen {
    /// Nothing is combined.
    Nothing,
    /// The same wherever it is: a literal, or what is left without operands.
    Constant(Val),
    /// What operands have there.
    Value(Val),
    /// An operand decides: what it is where this one has the coordinate, and where it does not.
    By(usize, Box<[Chosen; 2]>),
}

impl Chosen {
    /// Is it more than the constant that it is without any of its operands?
    pub(super) fn varies(&self, here: &Here<'_>) -> Expr {
        match self {
            Chosen::Nothing | Chosen::Constant(_) => Expr::Cond(false),
            Chosen::Value(_) => Expr::Cond(true),
            Chosen::By(k, of) => match (of[0].varies(here), of[1].varies(here)) {
                (with, without) if with == without => with,
                (Expr::Cond(true), without) => build::or(here.has(*k), without),
                // Where it varies without the operand, it varies with it.
                (with, without) => build::or(build::and(here.has(*k), with), without),
            },
        }
    }

    /// Is it so where this operand alone has the coordinate?
    pub(super) fn varies_with(&self, k: usize) -> bool {
        match self {
            Chosen::Nothing | Chosen::Constant(_) => false,
            Chosen::Value(_) => true,
            Chosen::By(by, of) => of[usize::from(*by != k)].varies_with(k),
        }
    }

    /// Does an operand decide?
    pub(super) fn is_decided(&self) -> bool {
        matches!(self, Chosen::By(..))
    }

    fn constants<'a>(&'a self, out: &mut Vec<&'a Val>) {
        match self {
            Chosen::Constant(v) => out.push(v),
            Chosen::Nothing | Chosen::Value(_) => {}
            Chosen::By(_, of) => of.iter().for_each(|of| of.constants(out)),
        }
    }

    fn values(&self) -> usize {
        match self {
            Chosen::Nothing => 0,
            Chosen::Constant(_) | Chosen::Value(_) => 1,
            Chosen::By(_, of) => of.iter().map(Chosen::values).sum(),
        }
    }
}

impl Lowerer<'_> {
    /// What a term is, decided by these of the operands that are merged; `None` if that is too much, or cannot be told apart from
    /// the other terms. `everywhere`: something is done also where no operand has the coordinate.
    pub(super) fn choose(
        &self,
        term: &Val,
        op: Monoid,
        (merged, deciding): (&[AccessId], &[usize]),
        (hole, everywhere): (&Val, bool),
    ) -> Option<Chosen> {
        let with = |v: &Val| simplify(&Val::Op(op.op(), vec![v.clone(), hole.clone()]), self.dtype);
        let chosen = self.decide(simplify(term, self.dtype), (merged, deciding), &|v| with(v) == *hole)?;
        if !chosen.is_decided() {
            return Some(chosen);
        }
        let mut constants = vec![];
        chosen.constants(&mut constants);
        // What annihilates the other terms is all that is left of the sum, and that may be what need not be done; and infinities that
        // are not stored annihilate numbers that would make them NaN.
        let combines = |v: &&Val| {
            let annihilates = with(v).constant().is_some();
            !matches!(v, Val::Infinite(_)) && (!annihilates || everywhere && !self.dtype.is_float())
        };
        (chosen.values() <= FEW_VALUES && constants.iter().all(combines)).then_some(chosen)
    }

    fn decide(
        &self,
        v: Val,
        (merged, deciding): (&[AccessId], &[usize]),
        is_nothing: &dyn Fn(&Val) -> bool,
    ) -> Option<Chosen> {
        let at = deciding.iter().position(|&k| v.contains(merged[k]));
        Some(match at {
            Some(at) => {
                let (k, rest) = (deciding[at], &deciding[at + 1..]);
                let without = simplify(&v.replace(merged[k], self.fill(merged[k])?), self.dtype);
                let with = self.decide(v, (merged, rest), is_nothing)?;
                Chosen::By(k, Box::new([with, self.decide(without, (merged, rest), is_nothing)?]))
            }
            None if v.constant().is_none() => Chosen::Value(v),
            None if is_nothing(&v) => Chosen::Nothing,
            None => Chosen::Constant(v),
        })
    }
}
