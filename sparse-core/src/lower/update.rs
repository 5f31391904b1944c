//! How a value is written to an element that has its place.

use super::Lowerer;
use super::state::State;
use crate::front::command::Strategy;
use crate::llir::{Block, BufferId, Expr, Stmt};
use crate::scalar::Monoid;

/// `buffer[index] op= value`, in one of the ways that this is done.
#[derive(Clone)]
pub(super) struct Update {
    pub(super) buffer: BufferId,
    pub(super) index: Expr,
    pub(super) op: Monoid,
    pub(super) value: Expr,
}

impl Update {
    /// Where the element is the identity.
    pub(super) fn stored(self) -> Stmt {
        let Update { buffer, index, value, .. } = self;
        Stmt::Store { buffer, index, value }
    }

    /// Where nobody else writes the element meanwhile.
    pub(super) fn combined(self) -> Stmt {
        let Update { buffer, index, op, value } = self;
        Stmt::Reduce { buffer, index, op, value }
    }

    /// Whoever else writes it.
    pub(super) fn atomic(self) -> Stmt {
        let Update { buffer, index, op, value } = self;
        Stmt::Atomic { buffer, index, op, value }
    }
}

impl Lowerer<'_> {
    /// `buffer[index] = value`, or combined with what is there.
    pub(super) fn store(&mut self, st: &State, buffer: BufferId, index: Expr, value: Expr) -> Block {
        if self.gpu.is_some() {
            return self.store_on_gpu(st, buffer, index, value);
        }
        match st.op {
            Some(op) if self.out.accumulates() || st.repeated => {
                self.out.needs_init |= !self.out.accumulates();
                let update = Update { buffer, index, op, value };
                match (self.race(st), &st.sole) {
                    (Some(Strategy::Atomics), Some(sole)) => self.store_sole(sole.clone(), update),
                    (Some(Strategy::Atomics), None) => vec![update.atomic()],
                    _ => vec![update.combined()],
                }
            }
            _ => vec![Stmt::Store { buffer, index, value }],
        }
    }

    /// A plain store where nobody else writes the element, which is as it was before; an atomic update elsewhere.
    pub(super) fn store_sole(&self, sole: Expr, update: Update) -> Block {
        let plain = match self.out.accumulates() {
            true => update.clone().combined(),
            false => update.clone().stored(),
        };
        match sole {
            Expr::Cond(true) => vec![plain],
            Expr::Cond(false) => vec![update.atomic()],
            cond => vec![Stmt::If { cond, then: vec![plain], otherwise: vec![update.atomic()] }],
        }
    }
}
