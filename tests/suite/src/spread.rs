//! The same case with coordinates far apart: dimensions of a million, or as large as they get, with as few entries as before.
//! Where an operand stores nothing the statement does nothing, so the result is the same but for the coordinates, while
//! products of sizes pass 32 bits, and 64.

use crate::case::{Case, Operand};
use crate::differential::Stop;
use crate::interpret::broken;
use crate::oracle::background_without;
use sparse_core::format::TensorId;
use sparse_core::front::ast::{Access, AssignOp, Expr, IndexVar};
use sparse_core::scalar::{BinaryOp, Monoid, UnaryOp, Value};
use sparse_core::tensor::DynTensor;

/// By how much the coordinates of each index variable are multiplied.
pub struct Spread(Vec<usize>);

impl Spread {
    /// Spreads dimensions to this size, about; `None` if the case has none that nothing goes through all of.
    pub(crate) fn new(case: &Case, size: usize) -> Option<Spread> {
        let mut far: Vec<bool> =
            (0..case.vars.len()).map(|v| is_sparse(case, v) && is_neutral(case, v)).collect();
        // A dimension that several variables name is spread for all of them.
        for _ in 0..case.vars.len() {
            for (a, b) in shared(case) {
                (far[a], far[b]) = (far[a] && far[b], far[a] && far[b]);
            }
        }
        let factor = |(far, (_, own)): (bool, &(String, usize))| if far { (size / own).max(1) } else { 1 };
        let factors = far.iter().any(|far| *far).then(|| far.iter().copied().zip(&case.vars).map(factor));
        factors.map(|factors| Spread(factors.collect()))
    }

    /// The case with its coordinates spread: the last one of a dimension stays its last.
    pub(crate) fn apply(&self, case: &Case) -> Case {
        let mut case = case.clone();
        let factors = |t: usize| self.of_tensor(&case, t);
        let factors: Vec<Vec<usize>> = (0..case.tensors.len()).map(factors).collect();
        for (t, factors) in case.tensors.iter_mut().zip(factors) {
            for (d, f) in factors.into_iter().enumerate() {
                t.dims[d] *= f;
                let level = t.spec.map.level_of_dim(d);
                let bare = t.bare.iter_mut().filter_map(|at| at.get_mut(level));
                t.entries
                    .iter_mut()
                    .map(|(at, _)| &mut at[d])
                    .chain(bare)
                    .for_each(|c| *c = *c * f + (f - 1));
            }
        }
        for ((_, size), f) in case.vars.iter_mut().zip(&self.0) {
            *size *= f;
        }
        case
    }

    /// A result of the spread case, with the coordinates that it has in the case itself.
    ///
    /// # Errors
    /// What is wrong with it: it stores something between the coordinates that were spread.
    pub fn gather(&self, case: &Case, result: &DynTensor) -> Result<DynTensor, Stop> {
        result.validate().map_err(|e| broken("result storage", e))?;
        let out = case.output();
        let factors = self.of_tensor(case, case.assignment.lhs.tensor.index());
        let dims: Vec<usize> = out.dims.iter().zip(&factors).map(|(size, f)| size * f).collect();
        if result.dims != dims {
            return Err(broken("dimensions", format!("{:?} for {dims:?}", result.dims)));
        }
        let mut entries = Vec::new();
        for (at, value) in result.iter() {
            if at.iter().zip(&factors).any(|(c, f)| c % f != f - 1) {
                return Err(broken("far apart", format!("an entry between coordinates: {at:?} of {dims:?}")));
            }
            entries.push((at.iter().zip(&factors).map(|(c, f)| c / f).collect(), value));
        }
        DynTensor::from_entries(out.spec.clone(), case.dtype, out.dims.clone(), &entries, true)
            .map_err(|e| broken("far apart", e))
    }

    /// For each dimension of a tensor.
    fn of_tensor(&self, case: &Case, tensor: usize) -> Vec<usize> {
        let mut factors = vec![1; case.tensors[tensor].dims.len()];
        named(case, &mut |t, d, v| {
            if t == tensor {
                factors[d] = self.0[v];
            }
        });
        factors
    }
}

/// Calls `f` with each tensor, dimension and variable that come together in an access.
fn named(case: &Case, f: &mut impl FnMut(usize, usize, usize)) {
    let mut access = |a: &Access| {
        a.indices.iter().enumerate().for_each(|(d, v)| f(a.tensor.index(), d, v.index()));
    };
    access(&case.assignment.lhs);
    case.assignment.rhs.for_each_access(&mut access);
}

/// Pairs of variables that name one dimension of a tensor.
fn shared(case: &Case) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    named(case, &mut |t, d, v| all.push((t, d, v)));
    let with = |a: &(usize, usize, usize)| {
        let a = *a;
        all.iter().filter(move |b| (b.0, b.1) == (a.0, a.1) && b.2 != a.2).map(move |b| (a.2, b.2))
    };
    all.iter().flat_map(with).collect()
}

/// Is every dimension of a variable one whose level stores some coordinates alone, and does an operand have one?
fn is_sparse(case: &Case, v: usize) -> bool {
    let mut all = case.vars[v].1 > 0;
    named(case, &mut |t, d, w| {
        let spec = &case.tensors[t].spec;
        all &= w != v || !spec.levels[spec.map.level_of_dim(d)].is_full();
    });
    all && case.assignment.rhs.any(|e| has(e, v))
}

fn has(e: &Expr, v: usize) -> bool {
    matches!(e, Expr::Access(a) if a.indices.contains(&IndexVar(v as u32)))
}

/// Is the statement nothing at a coordinate of a variable at which none of its operands stores anything?
fn is_neutral(case: &Case, v: usize) -> bool {
    let fill = case.output().spec.fill.value(case.dtype);
    let written = case.assignment.lhs.indices.contains(&IndexVar(v as u32));
    let identity = match case.assignment.op {
        AssignOp::Assign if written => Some(fill),
        AssignOp::Assign => Some(case.dtype.zero()),
        AssignOp::Reduce(m) => m.identity(case.dtype),
    };
    let sums = !written && !matches!(case.assignment.op, AssignOp::Reduce(m) if m != Monoid::Add);
    let mut terms = Vec::new();
    each_term(&case.assignment.rhs, &mut terms);
    let with = |term: &&&Expr| term.any(|e| has(e, v));
    if sums {
        return identity.is_some()
            && terms.iter().filter(with).all(|term| background_of(case, term, v) == identity);
    }
    // A term that is summed by itself is as often what it is for one element as there are elements.
    let scales = |term: &&&Expr| written && case.assignment.op == AssignOp::Assign && reduces(case, term);
    identity.is_some()
        && background_of(case, &case.assignment.rhs, v) == identity
        && terms.iter().filter(scales).all(|term| background_of(case, term, v) == Some(case.dtype.zero()))
}

/// What is reduced, not what it is reduced to, at a coordinate of a variable at which nothing is stored.
fn background_of(case: &Case, term: &Expr, v: usize) -> Option<Value> {
    let mut alone = case.clone();
    alone.assignment.rhs = apart(term, v, &mut alone.tensors);
    alone.assignment.op = AssignOp::Assign;
    alone.assignment.lhs.indices = (0..case.vars.len()).map(|v| IndexVar(v as u32)).collect();
    background_without(&alone, &|t, _| t >= case.tensors.len())
}

/// Is a term reduced?
fn reduces(case: &Case, term: &Expr) -> bool {
    (0..case.vars.len())
        .any(|v| !case.assignment.lhs.indices.contains(&IndexVar(v as u32)) && term.any(|e| has(e, v)))
}

/// The expression where accesses that have a variable are of tensors of their own.
fn apart(e: &Expr, v: usize, tensors: &mut Vec<Operand>) -> Expr {
    match e {
        Expr::Access(a) if has(e, v) => {
            tensors.push(tensors[a.tensor.index()].clone());
            Expr::Access(Access { tensor: TensorId(tensors.len() as u32 - 1), ..a.clone() })
        }
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(apart(a, v, tensors))),
        Expr::Binary(op, a, b) => {
            Expr::Binary(*op, Box::new(apart(a, v, tensors)), Box::new(apart(b, v, tensors)))
        }
    }
}

/// What is summed on its own.
fn each_term<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            each_term(a, out);
            each_term(b, out);
        }
        Expr::Unary(UnaryOp::Neg, a) => each_term(a, out),
        term => out.push(term),
    }
}
