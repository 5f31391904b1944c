//! Rules that hold before any loop order is chosen.

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
