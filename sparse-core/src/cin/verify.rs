//! The verifier of CIN: what every program satisfies before it is lowered, and after every scheduling command.
//!
//! 1. *bound*: an index variable is used only where it is known: inside a `∀` over it, or over all that was made
//!    from it. A `∀` runs over a leaf of the provenance graph.
//! 2. *once*: no `∀` is nested in another over the same variable.
//! 3. *written*: only the output is written, and workspaces; the root's target is the output.
//! 4. *workspaces*: a workspace is written by the producer of one `where` and read by its consumer only, with an index
//!    a dimension; a producer reduces, unless each of its iterations writes an element of its own.
//! 5. *order*: the variables of an access's levels above a sparse level are known no later than that level's own, and
//!    before any loop over its positions.

use super::order::level_vars;
use super::{Access, Cin, Expr, Stmt, Target, Workspace};
use crate::front::ast::{IndexVar, Kernel};
use std::fmt;

/// A broken rule: a mistake of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The rule's name in the module's list.
    pub rule: &'static str,
    /// What breaks it.
    pub what: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CIN rule `{}` is broken: {}", self.rule, self.what)
    }
}
impl std::error::Error for VerifyError {}

/// Checks every rule.
///
/// # Errors
/// The first rule found broken.
pub fn verify(cin: &Cin, kernel: &Kernel) -> Result<(), VerifyError> {
    let mut v = Verifier { kernel, cin, bound: Vec::new(), readable: Vec::new(), written: Vec::new() };
    v.stmt(&cin.root, None)
}

struct Verifier<'k> {
    kernel: &'k Kernel,
    cin: &'k Cin,
    /// Loops open here, outermost first.
    bound: Vec<IndexVar>,
    /// Workspaces that may be read here.
    readable: Vec<Workspace>,
    /// Workspaces that a producer has written, and the number of loops around its `where`.
    written: Vec<(Workspace, usize)>,
}

fn ensure(holds: bool, rule: &'static str, what: impl FnOnce() -> String) -> Result<(), VerifyError> {
    if holds { Ok(()) } else { Err(VerifyError { rule, what: what() }) }
}

impl Verifier<'_> {
    /// Checks a statement; `producer` is the workspace it has to fill, none at the root.
    fn stmt(&mut self, s: &Stmt, producer: Option<Workspace>) -> Result<(), VerifyError> {
        match s {
            Stmt::Forall { var, body } => {
                ensure(!self.bound.contains(var), "once", || {
                    format!("two loops over `{}`", self.name(*var))
                })?;
                ensure(self.cin.provenance.consumed_by(*var).is_none(), "bound", || {
                    format!("a loop over `{}`, from which others were made", self.name(*var))
                })?;
                self.bound.push(*var);
                self.stmt(body, producer)?;
                self.bound.pop();
                Ok(())
            }
            Stmt::Where { consumer, producer: inner } => {
                let Some(w) = inner.fills() else {
                    return Err(VerifyError {
                        rule: "workspaces",
                        what: "a producer writes the output".into(),
                    });
                };
                let twice = self.written.iter().any(|&(known, _)| known == w);
                ensure(!twice, "workspaces", || format!("`{}` has two producers", self.workspace(w)))?;
                self.written.push((w, self.bound.len()));
                self.stmt(inner, Some(w))?;
                self.readable.push(w);
                self.stmt(consumer, producer)?;
                self.readable.pop();
                Ok(())
            }
            Stmt::Assign { target, op, rhs } => {
                match (target, producer) {
                    (Target::Tensor(a), None) => {
                        let output = self.kernel.assignment.lhs.tensor;
                        ensure(a.tensor == output, "written", || "an operand is written".into())?;
                        self.access(a)?;
                    }
                    (Target::Workspace(w, indices), Some(p)) if *w == p => {
                        self.element(*w, indices)?;
                        ensure(op.is_some() || self.writes_once(*w, indices), "workspaces", || {
                            format!("`{}` is overwritten by its producer", self.workspace(*w))
                        })?;
                    }
                    _ => {
                        return Err(VerifyError {
                            rule: "written",
                            what: "the wrong place is written".into(),
                        });
                    }
                }
                self.expr(rhs)
            }
        }
    }

    fn expr(&self, e: &Expr) -> Result<(), VerifyError> {
        match e {
            Expr::Access(a) => {
                self.access(a)?;
                self.order(a)
            }
            Expr::Workspace(w, indices) => {
                ensure(self.readable.contains(w), "workspaces", || {
                    format!("`{}` is read outside its consumer", self.workspace(*w))
                })?;
                self.element(*w, indices)
            }
            Expr::Literal(_) | Expr::Scalar(_) => Ok(()),
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
        }
    }

    fn access(&self, a: &Access) -> Result<(), VerifyError> {
        self.known(&a.indices)
    }

    /// An element of a workspace that has been declared with as many dimensions.
    fn element(&self, w: Workspace, indices: &[IndexVar]) -> Result<(), VerifyError> {
        let rank = self.cin.workspaces.get(w.index()).map(|d| d.vars.len());
        ensure(rank == Some(indices.len()), "workspaces", || {
            format!("`{}` is used with {} indices", self.workspace(w), indices.len())
        })?;
        self.known(indices)
    }

    fn known(&self, indices: &[IndexVar]) -> Result<(), VerifyError> {
        indices.iter().try_for_each(|&v| {
            ensure(self.cin.provenance.depth(v, &self.bound).is_some(), "bound", || {
                format!("`{}` is used outside its loop", self.name(v))
            })
        })
    }

    /// Do the loops around a producer's assignment, from its `where` on, write another element each time?
    fn writes_once(&self, w: Workspace, indices: &[IndexVar]) -> bool {
        let outside = self.written.iter().find(|(known, _)| *known == w).map_or(0, |&(_, depth)| depth);
        self.bound[outside..].iter().all(|&v| self.cin.provenance.tells_apart(v, indices))
    }

    fn order(&self, a: &Access) -> Result<(), VerifyError> {
        let Some(l) = discordant_level(self.cin, self.kernel, a, &self.bound) else { return Ok(()) };
        let t = &self.kernel.tensors[a.tensor.index()];
        let what = format!(
            "level {} ({}) of `{}` is reached before its parents",
            l.then + 1,
            t.spec.levels[l.then],
            t.name
        );
        Err(VerifyError { rule: "order", what })
    }

    fn workspace(&self, w: Workspace) -> &str {
        self.cin.workspaces.get(w.index()).map_or("undeclared", |d| &d.name)
    }

    fn name(&self, v: IndexVar) -> &str {
        self.cin.provenance.name(v)
    }
}

/// Two levels of an access of which the lower is reached before the upper is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discordant {
    /// The upper level.
    pub first: usize,
    /// The lower one, which is sparse.
    pub then: usize,
}

/// The first break of the rule *order* by an access inside these loops, outermost first.
pub fn discordant_level(cin: &Cin, kernel: &Kernel, a: &Access, loops: &[IndexVar]) -> Option<Discordant> {
    let spec = &kernel.tensors[a.tensor.index()].spec;
    let vars = level_vars(spec, a);
    let p = &cin.provenance;
    for then in (0..spec.rank()).filter(|&l| !spec.levels[l].can_locate()) {
        let pos = p.position_of(vars[then], a);
        // A coordinate that a level above has is sought below its parents, whenever they are known.
        if pos.is_none() && vars[..then].contains(&vars[then]) {
            continue;
        }
        // Positions are counted from the beginning of a fiber: not before the fiber is known. Those of several levels
        // together are counted through all fibers of the upper ones.
        let reached = match pos {
            Some(pos) => p.first_depth(pos, loops),
            None => p.depth(vars[then], loops),
        };
        let counter = pos.and(reached).map(|at| loops[at]);
        let together = |v: IndexVar| counter.is_some_and(|c| p.leaves(v).contains(&c));
        for first in (0..then).filter(|&l| vars[l] != vars[then] && !together(vars[l])) {
            if p.depth(vars[first], loops) > reached {
                return Some(Discordant { first, then });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cin::concretize::concretize;
    use crate::front::parse_str;
    use crate::scalar::Monoid;

    const RESIDUAL: &str = "fn r(b: DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { \
         r[i] = b[i] - A[i, j] * x[j]; }";

    /// The rule that a changed program breaks.
    fn broken(change: impl FnOnce(&mut Cin)) -> Option<&'static str> {
        let kernel = parse_str(RESIDUAL).unwrap_or_else(|f| panic!("{}", f.diagnostics));
        let mut cin = concretize(&kernel).unwrap();
        verify(&cin, &kernel).unwrap();
        change(&mut cin);
        verify(&cin, &kernel).err().map(|e| e.rule)
    }

    /// The `where` inside the outer loop.
    fn consumer_and_producer(cin: &mut Cin) -> (&mut Box<Stmt>, &mut Box<Stmt>) {
        let Stmt::Forall { body, .. } = &mut cin.root else { panic!("a loop is outermost") };
        let Stmt::Where { consumer, producer } = &mut **body else {
            panic!("a sum below the root is a workspace")
        };
        (consumer, producer)
    }

    #[test]
    fn variables_are_bound_once() {
        let i = IndexVar(0);
        assert_eq!(broken(|c| c.root = Stmt::nest(&[i], c.root.clone())), Some("once"));
        let unbound = |c: &mut Cin| {
            let Stmt::Forall { body, .. } = c.root.clone() else { panic!("a loop is outermost") };
            c.root = *body;
        };
        assert_eq!(broken(unbound), Some("bound"));
    }

    #[test]
    fn producers_reduce_into_their_own_workspace() {
        let overwrites = |c: &mut Cin| {
            let (_, producer) = consumer_and_producer(c);
            let Stmt::Forall { body, .. } = &mut **producer else { panic!("the sum has a loop") };
            let Stmt::Assign { op, .. } = &mut **body else { panic!("the sum is assigned") };
            assert_eq!(op.take(), Some(Monoid::Add));
        };
        assert_eq!(broken(overwrites), Some("workspaces"));
        let swapped = |c: &mut Cin| {
            let (consumer, producer) = consumer_and_producer(c);
            std::mem::swap(consumer, producer);
        };
        assert_eq!(broken(swapped), Some("workspaces"));
        let unread = |c: &mut Cin| {
            let (consumer, _) = consumer_and_producer(c);
            let only = (**consumer).clone();
            let Stmt::Forall { body, .. } = &mut c.root else { panic!("a loop is outermost") };
            **body = only;
        };
        assert_eq!(broken(unread), Some("workspaces"));
    }

    #[test]
    fn a_sparse_level_is_reached_below_its_parent() {
        let kernel = parse_str("fn y(A: Csr<f64>) -> DenseMat<f64> { y[i, j] = A[i, j]; }")
            .unwrap_or_else(|f| panic!("{}", f.diagnostics));
        let mut cin = concretize(&kernel).unwrap();
        let Stmt::Forall { var: i, body } = cin.root.clone() else { panic!("a loop is outermost") };
        let Stmt::Forall { var: j, body } = *body else { panic!("two loops") };
        cin.root = Stmt::nest(&[j, i], *body);
        assert_eq!(verify(&cin, &kernel).unwrap_err().rule, "order");
    }
}
