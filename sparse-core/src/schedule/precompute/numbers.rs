//! What a workspace does to what is not stored: it becomes a number.
//!
//! In the statement a fill annihilates its term, infinities and NaN included. A workspace is dense: where its operands
//! store nothing it holds the fill, which takes part in the rest of the term like any number. On finite numbers that is
//! the same; 0 · ∞ is not 0 any more, which is allowed, and said in `explain`. An infinite fill of integers, the
//! type's largest number, would wrap in a sum: an error. So it is where a `min=` or `max=` of no terms, ±∞, meets an
//! infinite fill in a sum outside of the workspace.

use super::Request;
use super::find::Site;
use crate::cin::check;
use crate::cin::{Expr, Target};
use crate::format::Fill;
use crate::schedule::{Checked, Scheduler, fail};

pub(super) fn check(s: &mut Scheduler<'_>, site: &Site, request: &Request<'_>) -> Checked {
    // Alone on the right of the output it is not combined with anything.
    if matches!((&site.rest, &site.target), (Expr::Workspace(..), Target::Tensor(_))) {
        return Ok(());
    }
    let mut sparse = Vec::new();
    site.found.for_each_access(&mut |a| {
        let t = &s.kernel.tensors[a.tensor.index()];
        if !t.spec.is_dense() && !sparse.iter().any(|(name, _)| t.name == name) {
            sparse.push((t.name.to_string(), t.spec.fill));
        }
    });
    for (name, fill) in sparse {
        if s.kernel.dtype.is_integer() && matches!(fill, Fill::PosInf | Fill::NegInf) {
            return fail(
                "precompute-infinite",
                request.span,
                format!(
                    "the infinite fill of `{name}` would be an ordinary integer in the workspace, and wrap"
                ),
                "precompute the whole right-hand side, or leave the operand out",
            );
        }
        let w = &request.workspace.text;
        s.warnings.push(format!(
            "`{w}` holds a number where `{name}` stores nothing, which takes part in the rest of the term: 0 · ∞ is NaN there, not 0"
        ));
    }
    Ok(())
}

/// Without terms the workspace holds the identity of its reduction, where the statement as it was had no term at all.
pub(super) fn check_infinities(s: &Scheduler<'_>, request: &Request<'_>) -> Checked {
    if check::check_infinities(s.kernel, &s.cin).is_none() {
        return Ok(());
    }
    fail(
        "precompute-infinite",
        request.span,
        format!(
            "where it has no terms, `{}` is infinite, and meets an infinite fill in a sum: it would have no value",
            request.workspace.text
        ),
        "precompute the whole right-hand side, or store the other operand densely",
    )
}
