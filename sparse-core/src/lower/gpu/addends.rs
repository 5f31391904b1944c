//! Sums that are terms of what is written, and are filled before it as arrays: they are added to the result itself, after the other
//! terms are there.
//!
//! ```text
//! (∀i y[i] = c[i] - t0[i]) where (∀j ∀i_t0 t0[i_t0] += A[i_t0, j] * x[j])
//!
//! launch f:     ∀i y[i] = c[i]
//! launch f_t0:  ∀j ∀i_t0 y[i_t0] += -(A[i_t0, j] * x[j])
//! ```
//!
//! There is no array then to be made, filled and read. Not beside an infinite fill or literal: what it is added to is infinite,
//! even if the sum is NaN.

use super::super::Lowerer;
use super::super::output::Output;
use super::super::state::{Lhs, State};
use crate::cin::algebra::simplify;
use crate::cin::result::ResultKind;
use crate::cin::val::{Constant, Nest, Production, Val};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::Step;
use crate::scalar::{BinaryOp, Monoid, UnaryOp};

/// Such a sum.
pub(in super::super) struct Addend {
    launch: usize,
    production: Production,
    is_negated: bool,
}

impl Lowerer<'_> {
    /// Takes them out of what is computed by these loops.
    pub(in super::super) fn addends(&self, loops: &[IndexVar], st: &mut State) -> Vec<Addend> {
        let adds = matches!(st.op, None | Some(Monoid::Add)) && self.out.kind == ResultKind::Dense;
        // Each element is written once.
        let once = loops.iter().all(|v| self.provenance.roots(*v).iter().all(|r| self.out.vars.contains(r)));
        let mut found = vec![];
        if adds && once && !self.before.is_empty() && !self.has_infinity(&st.rhs) {
            let rest = self.without_addends(&st.rhs, &st.rhs, false, &mut found);
            st.rhs = simplify(&rest, self.dtype);
        }
        found
    }

    fn has_infinity(&self, rhs: &Val) -> bool {
        let is_infinite = |c: Constant| self.dtype.is_infinity(c.value());
        let mut found = false;
        rhs.for_each_access(&mut |a| {
            let sparse = self.is_sparse(a);
            found |= sparse && self.fill(a).is_some_and(is_infinite);
        });
        found || has_infinite_constant(rhs)
    }

    /// A value without its terms that are such sums.
    fn without_addends(&self, whole: &Val, v: &Val, is_negated: bool, found: &mut Vec<Addend>) -> Val {
        match v {
            Val::Op(BinaryOp::Add, args) => {
                let args = args.iter().map(|a| self.without_addends(whole, a, is_negated, found));
                Val::Op(BinaryOp::Add, args.collect())
            }
            Val::Op(BinaryOp::Sub, args) => {
                let args = args.iter().enumerate();
                let args = args.map(|(n, a)| self.without_addends(whole, a, is_negated != (n > 0), found));
                Val::Op(BinaryOp::Sub, args.collect())
            }
            Val::Un(UnaryOp::Neg, a) => {
                Val::Un(UnaryOp::Neg, Box::new(self.without_addends(whole, a, !is_negated, found)))
            }
            Val::Work(p) => match self.addend(whole, p, is_negated) {
                Some(addend) => {
                    found.push(addend);
                    Val::Lit(self.dtype.zero())
                }
                None => v.clone(),
            },
            _ => v.clone(),
        }
    }

    /// A sum that nothing else reads, and that has an element for each of the result's, if it waits for no other array.
    fn addend(&self, whole: &Val, p: &Production, is_negated: bool) -> Option<Addend> {
        let launch = self.before.iter().position(|b| b.fills(p.workspace))?;
        let mut reads = 0;
        whole.for_each_production(&mut |q| reads += usize::from(q.workspace == p.workspace));
        let mut waits = false;
        p.nest.rhs.for_each_production(&mut |q| waits |= self.before.iter().any(|b| b.fills(q.workspace)));
        let alike = p.read.len() == self.out.vars.len() && self.out.vars.iter().all(|v| p.read.contains(v));
        let negates = !is_negated || UnaryOp::Neg.accepts(self.dtype);
        let adds = p.nest.op == Some(Monoid::Add) && reads == 1 && !waits && alike && negates;
        adds.then(|| Addend { launch, production: p.clone(), is_negated })
    }

    /// Steps that add them to the result, after it has been written.
    pub(in super::super) fn add_addends(
        &mut self,
        addends: Vec<Addend>,
        st: &State,
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let mut steps = vec![];
        for Addend { launch, production, is_negated } in addends {
            let Production { workspace, read, written, nest } = production;
            let rhs = if is_negated { Val::Un(UnaryOp::Neg, Box::new(nest.rhs)) } else { nest.rhs };
            let name = &self.workspaces[workspace.index()].name;
            self.note(format!("`{name}` is added to the result itself, when the rest is there"));
            let own = |v: &IndexVar| read.iter().position(|r| r == v).map(|at| written[at]);
            let vars = self.out.vars.iter().filter_map(own).collect();
            let array = self.out_values();
            let of = (self.out.tensor, rhs.clone());
            let sum = Output::of_array(array, vars, self.dtype.zero(), of).added_to();
            let nest = Nest { rhs: simplify(&rhs, self.dtype), ..nest };
            let (loops, producer) = st.producer(nest, Lhs::Output { block: None });
            steps.extend(self.launch_into(sum, launch, &loops, producer)?);
        }
        Ok(steps)
    }
}

/// Is a constant of it infinite?
fn has_infinite_constant(v: &Val) -> bool {
    match v {
        Val::Lit(_) | Val::Infinite(_) => v.is_infinite(),
        Val::Access(_) | Val::Param(_) | Val::Temp(_) | Val::Work(_) => false,
        Val::Un(_, a) | Val::Reduce(_, _, a) => has_infinite_constant(a),
        Val::Op(_, args) => args.iter().any(has_infinite_constant),
    }
}
