//! Expressions to instructions.
//!
//! Operands that evaluation may skip (of `&&`, `||` and selections) are evaluated for all active lanes if nothing can
//! go wrong in them, as a device does too, and under a mask otherwise.

use super::array::to_word;
use super::code::{Flag, Op, Pc, Place, Reg};
use super::compile::Compiler;
use crate::llir::{Expr, IndexOp, Ty};
use crate::scalar::{DType, Value};

impl Compiler<'_> {
    /// Evaluates an index or a scalar, into a given register or one that it returns.
    pub(super) fn word(&mut self, e: &Expr, into: Option<Reg>) -> Reg {
        let leaf = match e {
            Expr::Var(v) => Some(self.var(*v)),
            Expr::Index(n) => Some(self.constants[n]),
            Expr::Lit(v) => Some(self.constants[&to_word(*v)]),
            _ => None,
        };
        if let Some(from) = leaf {
            return match into {
                Some(to) => {
                    self.emit(Op::Move { to, from }, 0);
                    to
                }
                None => from,
            };
        }
        let to = into.unwrap_or_else(|| self.new_register());
        match e {
            Expr::Load { buffer, index } => {
                let place = self.place(*buffer);
                let index = self.element(place, index);
                let cost = if matches!(place, Place::Register(_)) { 0 } else { 1 };
                self.emit(Op::Load { to, place, index }, cost);
            }
            Expr::IndexOp(op, a, b) => {
                let (a, b) = (self.word(a, None), self.word(b, None));
                self.emit(Op::Index { op: *op, to, a, b }, 1);
            }
            Expr::Binary(op, a, b) => {
                let t = self.dtype(e);
                let (a, b) = (self.word(a, None), self.word(b, None));
                self.emit(Op::Binary { op: *op, t, to, a, b }, 1);
            }
            Expr::Unary(op, a) => {
                let t = self.dtype(e);
                let a = self.word(a, None);
                self.emit(Op::Unary { op: *op, t, to, a }, 1);
            }
            Expr::FromIndex(t, a) => {
                let a = self.word(a, None);
                self.emit(Op::FromIndex { t: *t, to, a }, 1);
            }
            Expr::Select(c, a, b) => {
                let cond = self.cond(c, None);
                if is_total(a) && is_total(b) {
                    let (a, b) = (self.word(a, None), self.word(b, None));
                    self.emit(Op::Select { to, cond, a, b }, 1);
                } else {
                    let branch = self.emit(Op::If { cond, otherwise: 0 }, 1);
                    let a = self.word(a, None);
                    self.emit(Op::Move { to, from: a }, 0);
                    let end = self.emit(Op::Else { end: 0 }, 0);
                    self.code.instrs[branch].op = Op::If { cond, otherwise: end as Pc };
                    let b = self.word(b, None);
                    self.emit(Op::Move { to, from: b }, 0);
                    self.land(end);
                    self.end_if();
                }
            }
            Expr::Search { bound, buffer, lo, hi, key } => {
                let (lo, hi, key) = (self.word(lo, None), self.word(hi, None), self.word(key, None));
                let place = self.place(*buffer);
                self.emit(Op::Search { bound: *bound, to, place, lo, hi, key }, 0);
            }
            _ => unreachable!("a verified program has an index or a scalar here"),
        }
        to
    }

    /// Ends what an expression skips, in which no lane leaves.
    fn end_if(&mut self) {
        let at = self.emit(Op::EndIf { out: 0 }, 0);
        self.land(at);
    }

    pub(super) fn cond(&mut self, e: &Expr, into: Option<Flag>) -> Flag {
        let leaf = match e {
            Expr::Var(v) => Some(self.var(*v)),
            Expr::Cond(c) => self.cond_constants[usize::from(*c)],
            _ => None,
        };
        if let Some(from) = leaf {
            return match into {
                Some(to) => {
                    self.emit(Op::MoveFlag { to, from }, 0);
                    to
                }
                None => from,
            };
        }
        let to = into.unwrap_or_else(|| self.new_flag());
        match e {
            Expr::Cmp(op, a, b) => {
                let (a, b) = (self.word(a, None), self.word(b, None));
                self.emit(Op::Cmp { op: *op, to, a, b }, 1);
            }
            Expr::Not(a) => {
                let a = self.cond(a, None);
                self.emit(Op::Not { to, a }, 1);
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                let is_and = matches!(e, Expr::And(..));
                if is_total(b) {
                    let (a, b) = (self.cond(a, None), self.cond(b, None));
                    self.emit(if is_and { Op::And { to, a, b } } else { Op::Or { to, a, b } }, 1);
                } else {
                    let a = self.cond(a, None);
                    self.emit(Op::MoveFlag { to, from: a }, 0);
                    let cond = if is_and {
                        a
                    } else {
                        let not = self.new_flag();
                        self.emit(Op::Not { to: not, a }, 0);
                        not
                    };
                    let branch = self.emit(Op::If { cond, otherwise: 0 }, 1);
                    let b = self.cond(b, None);
                    self.emit(Op::MoveFlag { to, from: b }, 0);
                    self.land(branch);
                    self.end_if();
                }
            }
            _ => unreachable!("a verified program has a condition here"),
        }
        to
    }

    fn dtype(&self, e: &Expr) -> DType {
        let scalar = |ty| match ty {
            Ty::Scalar(t) => t,
            Ty::Index | Ty::Cond | Ty::Segments => unreachable!("a verified program has a scalar here"),
        };
        match e {
            Expr::Lit(v) => Value::dtype(*v),
            Expr::Var(v) => scalar(self.program.var(*v).ty),
            Expr::Load { buffer, .. } => scalar(self.program.buffer(*buffer).elem.ty()),
            Expr::FromIndex(t, _) => *t,
            Expr::Binary(_, a, _) | Expr::Unary(_, a) | Expr::Select(_, a, _) => self.dtype(a),
            _ => unreachable!("a verified program has a scalar here"),
        }
    }
}

/// Can it be evaluated in lanes that do not need it?
fn is_total(e: &Expr) -> bool {
    let mut total = true;
    e.visit(&mut |e| {
        total &= match e {
            Expr::Load { .. } | Expr::Search { .. } | Expr::Len(_) | Expr::IndexOp(IndexOp::Sub, ..) => false,
            Expr::IndexOp(IndexOp::Div | IndexOp::Rem, _, b) => matches!(**b, Expr::Index(n) if n > 0),
            _ => true,
        };
    });
    total
}
