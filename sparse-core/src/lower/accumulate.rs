//! Accumulators of a reduction whose output is written later: a scalar, or a register array of a few columns.

use super::state::{ArrayTarget, Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::grid::constant;
use crate::cin::val::Val;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr, LoopKind, Stmt, Ty, VarId, build};
use crate::scalar::Value;

/// Where a reduction goes until it is written.
#[derive(Clone, Debug)]
pub(super) enum Accumulator {
    /// One element.
    Scalar(VarId),
    /// One element an iteration of loops of constant size.
    Columns(ArrayTarget, u32),
}

impl Accumulator {
    /// As a producer's target.
    pub(super) fn lhs(&self) -> Lhs {
        match self {
            Accumulator::Scalar(t) => Lhs::Scalar(*t),
            Accumulator::Columns(target, _) => Lhs::Array(target.clone()),
        }
    }
}

impl Lowerer<'_> {
    /// The identity of a state's reduction.
    pub(super) fn identity(&self, st: &State) -> Value {
        match st.op.and_then(|m| m.identity(self.dtype)) {
            Some(identity) => identity,
            None => unreachable!("only a reduction is accumulated"),
        }
    }

    /// An accumulator that holds the identity.
    pub(super) fn accumulator(&mut self, columns: &[IndexVar], st: &State, block: &mut Block) -> Accumulator {
        let identity = self.identity(st);
        if columns.is_empty() {
            let t = self.fresh("t", Ty::Scalar(self.dtype));
            self.accumulators.insert(t);
            block.push(Stmt::Mut { var: t, value: Expr::Lit(identity) });
            return Accumulator::Scalar(t);
        }
        let sizes: Vec<u64> = columns.iter().filter_map(|v| constant(self.provenance, *v)).collect();
        let len = sizes.iter().product::<u64>() as u32;
        let buffer = self.register_array(len);
        block.push(Stmt::Local { buffer, init: Some(identity) });
        let dims = sizes.into_iter().map(Expr::Index).collect();
        let indices = columns.to_vec();
        Accumulator::Columns(
            ArrayTarget {
                buffer,
                indices,
                dims,
                init: Some(identity),
                shared: false,
                part: false,
                placed: false,
            },
            len,
        )
    }

    /// Writes what is accumulated, each element to its own place.
    pub(super) fn write_accumulated(
        &mut self,
        acc: &Accumulator,
        columns: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        match acc {
            Accumulator::Scalar(t) => Ok(self.write(&st, Expr::Var(*t))),
            Accumulator::Columns(target, len) => {
                if let Some(group) = self.scatters(*len, &st) {
                    return self.write_scattered(target, group, columns, st);
                }
                let id = self.read(target.buffer, &target.dims, columns, &mut st);
                st.rhs = Val::Access(id);
                st.leaf = None;
                self.lower(columns, st)
            }
        }
    }

    /// Sets an accumulator of a state's reduction to the identity.
    pub(super) fn reset(&mut self, acc: &Accumulator, st: &State) -> Block {
        let value = Expr::Lit(self.identity(st));
        match acc {
            Accumulator::Scalar(var) => vec![Stmt::Assign { var: *var, value }],
            Accumulator::Columns(target, len) => {
                let at = self.fresh("c", Ty::Index);
                let store = Stmt::Store { buffer: target.buffer, index: at.into(), value };
                vec![each(at, *len, vec![store])]
            }
        }
    }

    /// `to = from`
    pub(super) fn copy(&mut self, to: &Accumulator, from: &Accumulator) -> Block {
        match (to, from) {
            (Accumulator::Scalar(to), Accumulator::Scalar(from)) => {
                vec![Stmt::Assign { var: *to, value: Expr::Var(*from) }]
            }
            (Accumulator::Columns(to, len), Accumulator::Columns(from, _)) => {
                let at = self.fresh("c", Ty::Index);
                let value = build::load(from.buffer, at);
                vec![each(at, *len, vec![Stmt::Store { buffer: to.buffer, index: at.into(), value }])]
            }
            _ => unreachable!("both are of the same columns"),
        }
    }
}

/// The loop over the elements of an accumulator.
pub(super) fn each(at: VarId, len: u32, body: Block) -> Stmt {
    let (lo, hi) = (Expr::Index(0), Expr::Index(len.into()));
    Stmt::For { var: at, lo, hi, step: 1, kind: LoopKind::Unroll(len), body }
}
