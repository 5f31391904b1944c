//! What is computed where all loops are done: the value of the right-hand side, and of each operand that it reads.

use super::state::{Lhs, State};
use super::{Lowered, Lowerer, Operand, internal};
use crate::cin::val::{AccessId, Val};
use crate::diag::Diagnostic;
use crate::llir::{Block, Expr, LoopKind, Stmt, Ty, VarId, build};
use crate::looplet::Position;
use crate::scalar::{DType, Monoid};

impl Lowerer<'_> {
    /// All loops are done: computes the value and writes it.
    pub(super) fn leaf(&mut self, st: State) -> Lowered {
        let mut block = Block::new();
        let rhs = st.rhs.clone();
        // What is counted has no value.
        let value = match self.counts(&st) {
            true => Expr::Lit(self.dtype.zero()),
            false => self.value(&rhs, &st, &mut block)?,
        };
        block.extend(self.write(&st, value));
        Ok(block)
    }

    /// The expression of a value; reductions and duplicates are computed by statements before it.
    pub(super) fn value(&mut self, v: &Val, st: &State, block: &mut Block) -> Result<Expr, Box<Diagnostic>> {
        Ok(match v {
            Val::Lit(v) | Val::Infinite(v) => Expr::Lit(*v),
            Val::Param(n) => Expr::Var(self.scalars[*n]),
            Val::Temp(n) => Expr::Var(VarId(*n)),
            Val::Access(a) => self.stored(*a, st, block),
            Val::Un(op, a) => Expr::Unary(*op, Box::new(self.value(a, st, block)?)),
            Val::Op(op, args) => {
                // Several infinities of integers, which are numbers now.
                let known = args.iter().take_while(|a| a.constant().is_some()).count();
                let constant = args[..known].iter().filter_map(Val::constant);
                let folded = constant.reduce(|a, b| op.apply(a, b).unwrap_or(b)).map(Expr::Lit);
                let mut all: Vec<Expr> = folded.into_iter().collect();
                for a in &args[known..] {
                    all.push(self.value(a, st, block)?);
                }
                let e = all.into_iter().reduce(|e, a| Expr::Binary(*op, Box::new(e), Box::new(a)));
                e.unwrap_or_else(|| unreachable!("an operator has arguments"))
            }
            Val::Work(_) => return Err(internal(self.kernel, "a workspace is read before it is filled")),
            Val::Reduce(m, vars, body) => {
                let Some(identity) = m.identity(self.dtype) else {
                    unreachable!("the front checks the monoid's type")
                };
                let t = self.fresh("t", Ty::Scalar(self.dtype));
                block.push(Stmt::Mut { var: t, value: Expr::Lit(identity) });
                let inner = State {
                    rhs: (**body).clone(),
                    lhs: Lhs::Scalar(t),
                    op: Some(*m),
                    lane: None,
                    leaf: None,
                    opens: vec![],
                    ..st.clone()
                };
                self.accumulators.insert(t);
                block.extend(self.lower(vars, inner)?);
                block.extend(self.total(t, *m, vars)?);
                Expr::Var(t)
            }
        })
    }

    /// The stored value of a fully walked operand: the sum of its duplicates where the last level is not unique.
    pub(super) fn stored(&mut self, a: AccessId, st: &State, block: &mut Block) -> Expr {
        let vals = self.values(a);
        let add = if self.dtype == DType::Bool { Monoid::Or } else { Monoid::Add };
        let (m, init, order) = match self.tensors[a.index()] {
            Operand::Listed(list, init) => {
                let list = &self.lists[list];
                (list.op.unwrap_or(add), init.value(), Some(list.order()))
            }
            _ => (add, self.dtype.zero(), None),
        };
        let place = |p: Expr| match order {
            Some(order) => build::load(order, p),
            None => p,
        };
        match &st.cursors[a.index()].position {
            Position::One(p) => build::load(vals, place(p.clone())),
            Position::Range(begin, end) => {
                let name = self.tensor_name(a);
                let sum = self.fresh(&format!("sum{name}"), Ty::Scalar(self.dtype));
                let p = self.fresh(&format!("p{name}"), Ty::Index);
                block.push(Stmt::Mut { var: sum, value: Expr::Lit(init) });
                block.push(Stmt::For {
                    var: p,
                    lo: begin.clone(),
                    hi: end.clone(),
                    step: 1,
                    kind: LoopKind::Serial,
                    body: vec![Stmt::Update { var: sum, op: m, value: build::load(vals, place(p.into())) }],
                });
                Expr::Var(sum)
            }
        }
    }
}
