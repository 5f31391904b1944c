//! How the result is stored: all dense, in an operand's pattern, or assembled in order.

use super::algebra::simplify;
use super::nested::Nested;
use super::val::{AccessId, Val};
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
    /// The stored pattern of this operand, whose entries alone can be non-fill.
    Like(Access),
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
    let same_pattern = leader.indices == n.lhs.indices
        && spec(leader).levels == out.spec.levels
        && spec(leader).map == out.spec.map
        && out.spec.levels.last().is_some_and(|l| l.is_unique());
    let id = AccessId(k as u32);
    let gone = simplify(&n.nest.rhs.replace(id, spec(leader).fill.value(kernel.dtype)), kernel.dtype);
    // Its positions are those that the consumer walks, not a producer's.
    let leaves: Vec<_> = leader.indices.iter().flat_map(|v| cin.provenance.leaves(*v)).collect();
    let walked = walked_outside(&n.nest.rhs, id, &leaves);
    if same_pattern && walked && gone.constant() == Some(background(n.nest.op, &out.spec, kernel)) {
        ResultKind::Like(leader.clone())
    } else {
        ResultKind::Append
    }
}

/// Is an access walked by loops outside the producers of workspaces? `leaves` are the loops that walk it.
fn walked_outside(v: &Val, a: AccessId, leaves: &[IndexVar]) -> bool {
    match v {
        Val::Access(b) => *b == a,
        Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, v) | Val::Reduce(_, _, v) => walked_outside(v, a, leaves),
        Val::Op(_, args) => args.iter().any(|v| walked_outside(v, a, leaves)),
        Val::Work(p) => {
            let inside = p.nest.loops.iter().any(|v| leaves.contains(v));
            !inside && walked_outside(&p.nest.rhs, a, leaves)
        }
    }
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
