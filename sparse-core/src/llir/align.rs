//! Which indices are multiples of a number, as far as conditions and definitions say: what an access of several elements
//! at once needs.
//!
//! An array in memory begins at a multiple of [`VECTOR_BYTES`](crate::scalar::VECTOR_BYTES), so that the access is aligned where
//! its index is a multiple of the number of elements. Rows of a matrix begin there if their length is such a multiple, which
//! a condition asks (`n % 4 == 0`) or a schedule promises ([`Promise`]).

use super::{Cmp, Expr, IndexOp, Param, Program, Promise, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is known of index variables.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Definitions that others have collected.
    known: Rc<BTreeMap<VarId, Expr>>,
    /// By variable, as far as some have one.
    definitions: Vec<Option<Expr>>,
    /// The variable is a multiple of the number.
    multiples: Vec<(VarId, u64)>,
}

impl Facts {
    /// What the extents of a program promise.
    pub fn of(program: &Program) -> Facts {
        let mut facts = Facts::default();
        for param in &program.params {
            let Param::Dim { var, tensor, level } = *param else { continue };
            let Some(t) = program.tensors.get(tensor.index()) else { continue };
            if level >= t.spec.rank() {
                continue;
            }
            let dim = t.spec.map.dim_of_level(level);
            let extents = program.extents.iter().filter(|e| e.sources.contains(&(tensor, dim)));
            for promise in extents.flat_map(|e| &e.promises) {
                if let Promise::Exact(n) | Promise::Multiple(n) = promise {
                    facts.multiple(var, *n);
                }
            }
        }
        facts
    }

    /// With definitions that are shared.
    pub fn with(known: Rc<BTreeMap<VarId, Expr>>) -> Facts {
        Facts { known, ..Facts::default() }
    }

    /// The variable is a multiple of the number.
    pub fn multiple(&mut self, var: VarId, n: u64) {
        self.multiples.push((var, n));
    }

    /// The variable is constant, and has this value.
    pub fn define(&mut self, var: VarId, value: &Expr) {
        if var.index() >= self.definitions.len() {
            self.definitions.resize_with(var.index() + 1, || None);
        }
        self.definitions[var.index()] = Some(value.clone());
    }

    /// The same, where only multiples are asked for: of what is loaded or no index none is known.
    pub fn define_index(&mut self, var: VarId, value: &Expr) {
        if let Expr::Index(_) | Expr::Var(_) | Expr::IndexOp(..) | Expr::Select(..) = value {
            self.define(var, value);
        }
    }

    /// What the variable stands for.
    pub fn definition(&self, var: VarId) -> Option<&Expr> {
        let own = self.definitions.get(var.index()).and_then(Option::as_ref);
        own.or_else(|| self.known.get(&var))
    }

    /// The condition holds from here on; gives what [`Facts::forget`] takes back.
    pub fn assume(&mut self, cond: &Expr) -> usize {
        let before = self.multiples.len();
        match cond {
            Expr::And(a, b) => {
                self.assume(a);
                self.assume(b);
            }
            Expr::Cmp(Cmp::Eq, a, b) => {
                if let (Expr::IndexOp(IndexOp::Rem, of, n), Expr::Index(0)) = (&**a, &**b)
                    && let (Expr::Var(v), Expr::Index(n)) = (&**of, &**n)
                {
                    self.multiple(*v, *n);
                }
            }
            _ => {}
        }
        before
    }

    /// Where a condition ends that was assumed.
    pub fn forget(&mut self, before: usize) {
        self.multiples.truncate(before);
    }

    /// Is the index a multiple of `n`, whatever its variables are?
    pub fn is_multiple(&self, e: &Expr, n: u64) -> bool {
        match e {
            Expr::Index(m) => m.is_multiple_of(n),
            Expr::Var(v) => {
                let told = self.multiples.iter().any(|(of, m)| of == v && m.is_multiple_of(n));
                told || self.definition(*v).is_some_and(|e| self.is_multiple(e, n))
            }
            Expr::IndexOp(op, a, b) => {
                let (a_is, b_is) = (self.is_multiple(a, n), self.is_multiple(b, n));
                match op {
                    IndexOp::Mul => a_is || b_is,
                    IndexOp::Count | IndexOp::Xor | IndexOp::And => false,
                    IndexOp::Place | IndexOp::Below => false,
                    IndexOp::Add | IndexOp::Sub | IndexOp::Min | IndexOp::Max | IndexOp::Rem => a_is && b_is,
                    IndexOp::Div => false,
                }
            }
            Expr::Select(_, a, b) => self.is_multiple(a, n) && self.is_multiple(b, n),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llir::build::{add, and, eq, mul};

    #[test]
    fn indices_are_multiples_by_conditions_and_definitions() {
        let [n, j, k, base] = [0, 1, 2, 3].map(VarId);
        let rem = |v: VarId, by| Expr::IndexOp(IndexOp::Rem, Box::new(v.into()), Box::new(Expr::Index(by)));
        let mut facts = Facts::default();
        facts.define(base, &mul(k, Expr::Index(4)));
        let at = add(mul(j, n), base);
        assert!(!facts.is_multiple(&at, 4));
        let outside = facts.assume(&and(eq(rem(n, 8), Expr::Index(0)), eq(rem(j, 3), Expr::Index(1))));
        assert!(facts.is_multiple(&at, 4) && facts.is_multiple(&at, 2) && !facts.is_multiple(&at, 8));
        assert!(!facts.is_multiple(&add(at.clone(), Expr::Index(2)), 4));
        assert!(!facts.is_multiple(&j.into(), 3));
        facts.forget(outside);
        assert!(!facts.is_multiple(&at, 4));
    }
}
