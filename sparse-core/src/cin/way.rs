//! A way to compute a statement: its loops where some of it is computed first, and what they cost.

use super::concretize::with_first;
use super::copies::copies;
use super::cost::cost;
use super::order::level_vars;
use super::result::{ResultKind, result_kind};
use super::terms::Apart;
use super::{Cin, Stmt, Target};
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::Platform;

/// By so much with one workspace more.
pub(super) const ONE_MORE: f64 = 1.15;

/// Loops with something that is computed first.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) apart: Apart,
    pub(super) cin: Cin,
    /// What they cost, and the memory that they take: among as much work the fewest workspaces are best.
    pub(super) weight: f64,
}

impl Way {
    pub(super) fn new(kernel: &Kernel, apart: Apart, cin: Cin) -> Self {
        let weight = cost(kernel, &cin) * ONE_MORE.powi(cin.workspaces.len() as i32);
        Way { apart, weight, cin }
    }

    /// Those in which this is computed first, if they can read it.
    pub(super) fn of(kernel: &Kernel, apart: Apart, target: Platform) -> Option<Self> {
        let array = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
        let inside_of = match target {
            Platform::Cpu => 0,
            // A loop has to stand around the whole statement, for threads to share.
            Platform::Cuda if !array => 1,
            // Threads have an element each, in the order of memory: what they all read is in their cache.
            Platform::Cuda => usize::MAX,
        };
        let cin = with_first(kernel, &apart, inside_of)
            .filter(|cin| are_readable(kernel, cin, target) && stores_in_order(kernel, cin))?;
        Some(Way::new(kernel, apart, cin))
    }

    /// Of two that are as good the first one.
    pub(super) fn better(self, other: Self) -> Self {
        if other.weight < self.weight { other } else { self }
    }
}

/// Can all copies be read where the loops read them? From the beginning on any; inside, where rows begin is known of what
/// stores each coordinate once, and on a GPU by counting: that takes memory for a dimension, which is the operand's own.
fn are_readable(kernel: &Kernel, cin: &Cin, target: Platform) -> bool {
    let outermost = outermost(&cin.root);
    copies(cin).into_iter().all(|(a, copy)| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let once = spec.levels.last().is_some_and(|level| level.is_unique());
        let rows = target == Platform::Cpu || spec.levels.first().is_some_and(|root| root.is_full());
        copy.vars.first() == outermost.as_ref() || once && rows
    })
}

/// Do loops come to the entries of an assembled result in the order of its levels? Those over the entries of an operand whose pattern the
/// result would have need not, and of what is copied no result has the pattern.
fn stores_in_order(kernel: &Kernel, cin: &Cin) -> bool {
    if result_kind(kernel, cin) != ResultKind::Append {
        return true;
    }
    let (mut stmt, mut loops) = (&cin.root, vec![]);
    loop {
        match stmt {
            Stmt::Forall { var, body } => {
                loops.push(*var);
                stmt = body;
            }
            Stmt::Where { consumer, .. } => stmt = consumer,
            Stmt::Assign { target: Target::Tensor(lhs), .. } => {
                let levels = level_vars(&kernel.tensors[lhs.tensor.index()].spec, lhs);
                loops.retain(|v| levels.contains(v));
                return loops == levels;
            }
            Stmt::Assign { .. } => return true,
        }
    }
}

/// The loop around the statement, inside of what is copied before.
fn outermost(stmt: &Stmt) -> Option<IndexVar> {
    match stmt {
        Stmt::Forall { var, .. } => Some(*var),
        Stmt::Where { consumer, .. } => outermost(consumer),
        Stmt::Assign { .. } => None,
    }
}
