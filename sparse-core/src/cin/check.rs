//! Rules that hold before any loop order is chosen.

use super::Cin;
use super::algebra::{AccessId, Nested, infinities_meet, sums_integer_infinity};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::Level;
use crate::front::ast::Kernel;

/// Formats that can be read: below a non-unique level, whose equal coordinates are told apart by what follows, only
/// a `Singleton` can stand.
pub fn check_formats(kernel: &Kernel) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    for t in &kernel.tensors {
        for pair in t.spec.levels.windows(2) {
            if !pair[0].is_unique() && !matches!(pair[1], Level::Singleton { .. }) {
                diagnostics.push(
                    Diagnostic::new(
                        "unsupported-format",
                        t.name.span(),
                        format!("`{}` has a `{}` level below a `{}` one", t.name, pair[1], pair[0]),
                    )
                    .help("below a non-unique level write `Singleton` or `Singleton<NonUnique>`, or make the level unique"),
                );
            }
        }
    }
    diagnostics.finish(())
}

/// Fills of opposite infinities in one sum: it would have no value where neither is stored. And an infinite fill in a
/// sum of integers, which cannot stay infinite.
pub fn check_infinities(kernel: &Kernel, cin: &Cin) -> Option<Diagnostic> {
    /// Subsets of more operands than this are not all tried.
    const MOST: usize = 8;
    let nested = Nested::from_cin(cin)?;
    let n = nested.accesses.len().min(MOST);
    let fill = |k: usize| {
        let spec = &kernel.tensors[nested.accesses[k].tensor.index()].spec;
        (!spec.is_dense()).then(|| spec.fill.value(kernel.dtype))
    };
    let gaps = (0..1usize << n).map(|gone| {
        let absent = (0..n).filter(|k| gone & (1 << k) != 0);
        absent.fold(nested.nest.rhs.clone(), |v, k| match fill(k) {
            Some(fill) => v.replace(AccessId(k as u32), fill),
            None => v,
        })
    });
    for rhs in gaps {
        if infinities_meet(&rhs, kernel.dtype) {
            return Some(
                Diagnostic::new(
                    "infinite-fills",
                    kernel.assignment.lhs.span,
                    "fills of +∞ and −∞ meet in a sum here: it has no value where neither operand is stored",
                )
                .help(
                    "give the operands fills that agree in sign, or store one of them densely (`DenseMat`)",
                ),
            );
        }
        if sums_integer_infinity(nested.nest.op, &rhs, kernel.dtype) {
            let dtype = kernel.dtype;
            return Some(
                Diagnostic::new(
                    "infinite-fills",
                    kernel.assignment.lhs.span,
                    format!(
                        "an infinite fill is summed here: the sum would be infinite, and `{dtype}` wraps instead"
                    ),
                )
                .help("reduce with `min=` or `max=`, or use fill `Zero`, or a floating-point type"),
            );
        }
    }
    None
}
