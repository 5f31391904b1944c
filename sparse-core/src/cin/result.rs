//! How the result is stored: all dense, in an operand's pattern, or assembled in order.
//!
//! The pattern may be that of an operand's first levels, where what is stored below is reduced: the result of
//! `Y[i, j, r] = X[i, j, k] * B[k, r]` has a fiber wherever `X` has one.

use super::algebra::simplify;
use super::nested::Nested;
use super::order::level_vars;
use super::val::{AccessId, Production, Val};
use super::{Access, Cin};
use crate::diag::Diagnostic;
use crate::format::FormatSpec;
use crate::front::ast::{IndexVar, Kernel, Mode};
use crate::scalar::{Monoid, Value};

/// How the output's storage comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// All levels dense: written anywhere.
    Dense,
    /// The stored pattern of an operand's first levels, where alone something can be non-fill; levels below are dense.
    Like {
        /// The operand.
        of: Access,
        /// How many of its levels, from the root.
        levels: usize,
    },
    /// Assembled in order.
    Append,
}

/// Decides how the output is stored, from its format and the algebra.
pub fn result_kind(kernel: &Kernel, cin: &Cin) -> ResultKind {
    let Some(n) = Nested::from_cin(cin) else { return ResultKind::Append };
    let out = &kernel.tensors[n.lhs.tensor.index()];
    if out.spec.is_dense() {
        return ResultKind::Dense;
    }
    // The format that is packed has no levels to share, though the list may look like an operand.
    if out.packed.is_some() {
        return ResultKind::Append;
    }
    let spec = |a: &Access| &kernel.tensors[a.tensor.index()].spec;
    let mut sparse = (0..n.accesses.len()).filter(|&k| !spec(&n.accesses[k]).is_dense());
    let (Some(k), None) = (sparse.next(), sparse.next()) else { return ResultKind::Append };
    let leader = &n.accesses[k];
    let Some(levels) = shared_levels((&out.spec, &n.lhs), (spec(leader), leader)) else {
        return ResultKind::Append;
    };
    let id = AccessId(k as u32);
    // Its positions are those that the consumer walks, not a producer's.
    let shared = &level_vars(spec(leader), leader)[..levels];
    let leaves: Vec<_> = shared.iter().flat_map(|v| cin.provenance.leaves(*v)).collect();
    let walked = walked_outside(&n.nest.rhs, id, &leaves);
    let fill = Val::structural(spec(leader).fill.value(kernel.dtype));
    let gone = n.nest.rhs.map(&|v| match v {
        Val::Access(a) if *a == id => Some(fill.clone()),
        // An element of a workspace may be there all the same.
        Val::Work(p) if walks(p, &leaves) => Some(v.clone()),
        _ => None,
    });
    let gone = simplify(&gone, kernel.dtype);
    if walked && gone.constant() == Some(background(n.nest.op, &out.spec, kernel)) {
        ResultKind::Like { of: leader.clone(), levels }
    } else {
        ResultKind::Append
    }
}

/// How many of an operand's levels, from the root, a result can share: all of its sparse levels, whose positions tell its fibers
/// apart. What the operand has below is reduced, each fiber as a whole, and what the result has below is dense.
fn shared_levels(
    (out, lhs): (&FormatSpec, &Access),
    (spec, leader): (&FormatSpec, &Access),
) -> Option<usize> {
    let (written, stored) = (level_vars(out, lhs), level_vars(spec, leader));
    let alike = |l: &usize| out.levels[*l] == spec.levels[*l] && written[*l] == stored[*l];
    let levels = (0..out.rank().min(spec.rank())).take_while(alike).count();
    let last = out.levels[..levels].last()?;
    let below = &stored[levels..];
    let summed = |(n, v): (usize, &IndexVar)| !written.contains(v) && !below[..n].contains(v);
    let dense = out.levels[levels..].iter().all(|l| l.is_full());
    (dense && last.is_unique() && below.iter().enumerate().all(summed)).then_some(levels)
}

/// Is an access walked by loops outside the producers of workspaces? `leaves` are the loops that walk it.
fn walked_outside(v: &Val, a: AccessId, leaves: &[IndexVar]) -> bool {
    match v {
        Val::Access(b) => *b == a,
        Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, v) | Val::Reduce(_, _, v) => walked_outside(v, a, leaves),
        Val::Op(_, args) => args.iter().any(|v| walked_outside(v, a, leaves)),
        Val::Work(p) => !walks(p, leaves) && walked_outside(&p.nest.rhs, a, leaves),
    }
}

/// Has a producer some of these loops?
fn walks(p: &Production, leaves: &[IndexVar]) -> bool {
    p.nest.loops.iter().any(|v| leaves.contains(v))
}

/// The right-hand side that changes nothing: the reduction's identity, or the output's fill.
pub fn background(op: Option<Monoid>, out: &FormatSpec, kernel: &Kernel) -> Value {
    op.and_then(|m| m.identity(kernel.dtype)).unwrap_or_else(|| out.fill.value(kernel.dtype))
}

/// Rules on the output that the loop order does not decide.
pub fn check_output(kernel: &Kernel, kind: &ResultKind) -> Option<Diagnostic> {
    let out = &kernel.tensors[kernel.assignment.lhs.tensor.index()];
    let span = kernel.assignment.lhs.span;
    if out.mode == Mode::InOut && *kind != ResultKind::Dense {
        return Some(
            Diagnostic::new(
                "sparse-in-place",
                span,
                format!("`{}` is sparse: its entries cannot be changed in place, because its pattern would have to grow", out.name),
            )
            .help("return the tensor instead (`-> …`), or use one whose levels are all dense"),
        );
    }
    None
}
