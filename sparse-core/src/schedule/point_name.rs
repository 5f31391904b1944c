//! DA-SpMM's name of a kernel's point: `RB+PR+RM`.

use super::points::shape;
use crate::cin::order::level_vars;
use crate::cin::{Access, Cin};
use crate::front::ast::Kernel;
use crate::front::point::AtomicParallelism;

/// The point's kind, and after it whether the dense operands are row-major along the columns (RM) or not (CM), if they are
/// matrices and all the same.
pub fn point_name(kernel: &Kernel, cin: &Cin, point: &AtomicParallelism) -> String {
    let kind = point.name();
    let Some(column) = shape(kernel, cin).and_then(|s| s.columns) else { return kind.to_owned() };
    let mut orders = Vec::new();
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let vars = level_vars(spec, &Access { tensor: a.tensor, indices: a.indices.clone() });
        if spec.is_dense() && vars.len() > 1 && vars.contains(&column) {
            orders.push(if vars.last() == Some(&column) { "RM" } else { "CM" });
        }
    });
    match orders.first() {
        Some(order) if orders.iter().all(|o| o == order) => format!("{kind}+{order}"),
        _ => kind.to_owned(),
    }
}
