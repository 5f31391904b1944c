//! Sparse operands that do not make a loop sparse, for `explain`.
//!
//! `exp(0)` is 1: where `A` stores nothing, `exp(A[i, j])` is a number like any other, and the loop visits every
//! coordinate. That is what the statement says, and seldom what was meant.

use super::Cin;
use super::algebra::simplify;
use super::nested::Nested;
use super::order::level_vars;
use super::val::{AccessId, Nest, Val};
use crate::front::ast::{IndexVar, Kernel};
use crate::scalar::{DType, Monoid, Value};

/// Loops that share a body, and what makes the body do nothing.
struct Scope<'v> {
    loops: &'v [IndexVar],
    nothing: Value,
    op: Option<Monoid>,
    /// Of the element that is written.
    written: &'v [IndexVar],
    body: &'v Val,
}

/// What has to be said about the loops of an unscheduled program.
pub fn warnings(kernel: &Kernel, cin: &Cin) -> Vec<String> {
    let Some(nested) = Nested::from_cin(cin) else { return vec![] };
    let output = &kernel.tensors[nested.lhs.tensor.index()].spec;
    let nothing = super::result::background(nested.nest.op, output, kernel);
    let Nested { lhs, nest, .. } = &nested;
    let mut scopes =
        vec![Scope { loops: &nest.loops, nothing, op: nest.op, written: &lhs.indices, body: &nest.rhs }];
    sums(&nested.nest.rhs, kernel.dtype, &mut scopes);
    let finder = Finder { kernel, nested: &nested };
    let mut found = Vec::new();
    for scope in &scopes {
        let before = found.len();
        finder.tell(scope, scope.body, &mut found);
        if found.len() == before {
            found.extend(scope.loops.iter().filter_map(|v| finder.takes_fills(scope, *v)));
        }
    }
    found.dedup();
    found
}

fn sums<'v>(v: &'v Val, t: DType, out: &mut Vec<Scope<'v>>) {
    match v {
        Val::Reduce(m, loops, body) => {
            let nothing = Monoid::identity(*m, t);
            out.extend(nothing.map(|nothing| Scope { loops, nothing, op: Some(*m), written: &[], body }));
            sums(body, t, out);
        }
        Val::Work(p) => {
            let nothing = p.nest.op.and_then(|m| m.identity(t));
            let Nest { loops, rhs: body, .. } = &p.nest;
            let scope = |nothing| Scope { loops, nothing, op: p.nest.op, written: &p.written, body };
            out.extend(nothing.map(scope));
            sums(body, t, out);
        }
        Val::Un(_, a) => sums(a, t, out),
        Val::Op(_, args) => args.iter().for_each(|a| sums(a, t, out)),
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => {}
    }
}

struct Finder<'a> {
    kernel: &'a Kernel,
    nested: &'a Nested,
}

impl Finder<'_> {
    /// What has to be said of the largest operators all of whose operands are sparse or constant.
    fn tell(&self, scope: &Scope<'_>, v: &Val, found: &mut Vec<String>) {
        let before = found.len();
        if matches!(v, Val::Un(..) | Val::Op(..)) && self.is_sparse(v) && first_access(v).is_some() {
            found.extend(scope.loops.iter().filter_map(|var| self.densifies(scope, v, *var)));
        }
        match v {
            _ if found.len() > before => {}
            Val::Un(_, a) => self.tell(scope, a, found),
            Val::Op(_, args) => args.iter().for_each(|a| self.tell(scope, a, found)),
            _ => {}
        }
    }

    fn is_sparse(&self, v: &Val) -> bool {
        match v {
            Val::Access(a) => {
                !self.kernel.tensors[self.nested.accesses[a.index()].tensor.index()].spec.is_dense()
            }
            Val::Lit(_) | Val::Infinite(_) => true,
            Val::Un(_, a) => self.is_sparse(a),
            Val::Op(_, args) => args.iter().all(|a| self.is_sparse(a)),
            Val::Param(_) | Val::Temp(_) | Val::Reduce(..) | Val::Work(_) => false,
        }
    }

    /// Does a part make the loop over `v` visit what its operands do not store, though with their fill in its place
    /// nothing would be done there?
    fn densifies(&self, scope: &Scope<'_>, part: &Val, v: IndexVar) -> Option<String> {
        let first = first_access(part)?;
        let gap = self.without_sparse(part, None).constant()?;
        let in_gap = |value: Value| {
            let body = scope.body.map(&|at| (at == part).then_some(Val::structural(value)));
            self.without_sparse(&body, Some(v))
        };
        let does = |body: &Val| body.constant() != Some(scope.nothing);
        let body = in_gap(gap);
        let mut stores = false;
        part.for_each_access(&mut |a| stores |= self.stores(a, v));
        if !stores || !self.visits(scope, &body, v) || !does(&body) || does(&in_gap(self.fill(first))) {
            return None;
        }
        let symbol = match part {
            Val::Un(op, _) => op.symbol(),
            Val::Op(op, _) => op.symbol(),
            _ => return None,
        };
        Some(format!(
            "where `{}` stores nothing `{symbol}` gives {gap}: the loop over `{}` visits every coordinate, not only those that are stored",
            self.kernel.tensors[self.nested.accesses[first.index()].tensor.index()].name,
            cin_name(self.kernel, v),
        ))
    }

    /// Does a loop that is left with this value visit every coordinate? A run of one value is reduced at once, by a sum's innermost
    /// loop, and if the reduction needs it once by any.
    fn visits(&self, scope: &Scope<'_>, body: &Val, v: IndexVar) -> bool {
        let mut varies = scope.written.contains(&v) || scope.op.is_none();
        body.for_each_access(&mut |a| varies |= self.nested.accesses[a.index()].indices.contains(&v));
        let constant = body.constant();
        let once =
            scope.op.is_some_and(|m| m.op().is_idempotent() || constant.is_some_and(|v| m.needs_once(v)));
        let summed = scope.op == Some(Monoid::Add) && scope.loops.last() == Some(&v);
        varies || !once && !summed
    }

    /// Is a fill that no operator moves something that the loop over `v` cannot leave out: for `max` a 0, for a result another
    /// one than its own?
    fn takes_fills(&self, scope: &Scope<'_>, v: IndexVar) -> Option<String> {
        let body = self.without_sparse(scope.body, Some(v));
        let value = body.constant().filter(|value| *value != scope.nothing)?;
        let mut first = None;
        scope.body.for_each_access(&mut |a| first = first.or(Some(a).filter(|a| self.stores(*a, v))));
        let (first, does) = (
            first?,
            match scope.op {
                Some(m) => format!("`{}=` takes", m.symbol()),
                None => "the result stores".into(),
            },
        );
        self.visits(scope, &body, v).then(|| format!(
            "where `{}` stores nothing {does} {value}: the loop over `{}` visits every coordinate, not only those that are stored",
            self.kernel.tensors[self.nested.accesses[first.index()].tensor.index()].name,
            cin_name(self.kernel, v),
        ))
    }

    /// With the fills of the sparse operands that store coordinates of `v`, or of all.
    fn without_sparse(&self, body: &Val, v: Option<IndexVar>) -> Val {
        let mut gone = body.clone();
        body.for_each_access(&mut |a| {
            if v.is_none_or(|v| self.stores(a, v)) {
                gone = gone.replace(a, self.fill(a));
            }
        });
        simplify(&gone, self.kernel.dtype)
    }

    fn fill(&self, a: AccessId) -> Value {
        self.kernel.tensors[self.nested.accesses[a.index()].tensor.index()].spec.fill.value(self.kernel.dtype)
    }

    /// Is `v` the variable of a level that stores its coordinates?
    fn stores(&self, a: AccessId, v: IndexVar) -> bool {
        let access = &self.nested.accesses[a.index()];
        let spec = &self.kernel.tensors[access.tensor.index()].spec;
        level_vars(spec, access).into_iter().zip(&spec.levels).any(|(w, l)| w == v && !l.is_full())
    }
}

fn first_access(v: &Val) -> Option<AccessId> {
    let mut first = None;
    v.for_each_access(&mut |a| first = first.or(Some(a)));
    first
}

fn cin_name(kernel: &Kernel, v: IndexVar) -> &str {
    kernel.vars.get(v.index()).map_or("", |v| v.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cin::concretize::concretize;
    use crate::front::parse_str;

    fn told(text: &str) -> Vec<String> {
        let kernel = parse_str(text).unwrap_or_else(|f| panic!("{}", f.diagnostics));
        let cin = concretize(&kernel).unwrap_or_else(|d| panic!("{d}"));
        warnings(&kernel, &cin)
    }

    #[test]
    fn functions_that_move_the_fill_are_named() {
        let text = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = exp(A[i, j]) * x[j]; }";
        let [one] = &told(text)[..] else { panic!("{:?}", told(text)) };
        assert_eq!(
            one,
            "where `A` stores nothing `exp` gives 1.0: the loop over `j` visits every coordinate, not only those that are stored"
        );
        let two = "fn f(A: Dcsr<f64>) -> DenseMat<f64> { R[i, j] = A[i, j] + 1; }";
        assert_eq!(told(two).len(), 2, "both levels: {:?}", told(two));
        // Inside of what fills a workspace too.
        let product = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = exp(A[i, j]) * B[j, k]; }";
        let [one] = &told(product)[..] else { panic!("{:?}", told(product)) };
        assert!(one.starts_with("where `A` stores nothing `exp` gives 1.0: the loop over `j`"), "{one}");
        let outer = "fn f(A: Dcsr<f64>) -> Scalar<f64> { s = cos(A[i, j]); }";
        assert!(
            told(outer).iter().all(|w| w.contains("over `i`")) && told(outer).len() == 1,
            "{:?}",
            told(outer)
        );
    }

    #[test]
    fn fills_that_a_reduction_or_a_result_takes_are_named() {
        let columns = "fn f(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), NegInf>> { d[j] max= A[i, j]; }";
        let [one] = &told(columns)[..] else { panic!("{:?}", told(columns)) };
        assert!(
            one.starts_with("where `A` stores nothing `max=` takes 0.0: the loop over `j` visits"),
            "{one}"
        );
        let filled =
            "fn f(A: Tensor<f64, Filled<(Dense, Compressed), One>>) -> Csr<f64> { R[i, j] = A[i, j]; }";
        let [one] = &told(filled)[..] else { panic!("{:?}", told(filled)) };
        assert!(
            one.starts_with("where `A` stores nothing the result stores 1.0: the loop over `j` visits"),
            "{one}"
        );
    }

    #[test]
    fn loops_that_stay_sparse_or_are_dense_anyway_are_not() {
        for text in [
            "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = tanh(A[i, j]) * x[j]; }",
            "fn f(a: SparseVec<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = exp(a[i]) + x[i]; }",
            "fn f(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> { y[i] = exp(a[i]) * b[i]; }",
            "fn f(a: SparseVec<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = a[i] + x[i]; }",
            "fn f(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), NegInf>> { y[i] max= A[i, j]; }",
            "fn f(A: Csr<f64>, X: DenseMat<f64>) -> Tensor<f64, Filled<(Dense, Dense), NegInf>> { H[i, f] max= A[i, j] * X[j, f]; }",
            "fn f(A: Csr<f64>) -> DenseVec<f64> { y[i] = exp(A[i, j]); }",
            "fn f(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>) -> Csr<f64> { R[i, j] = exp(A[i, j]); }",
        ] {
            assert!(told(text).is_empty(), "{text}\n{:?}", told(text));
        }
    }
}
