//! Names of points: DA-SpMM's, and identifiers.
//!
//! What is balanced over threads, rows (RB) or entries (EB); whether a row's reduction is parallel (PR) or serial (SR);
//! and whether the dense operand is stored by rows (RM) or by columns (CM), which is no part of a point: it is the
//! operand's format.

use super::{Amount, AtomicParallelism, Data};

/// The eight points of DA-SpMM. [`AtomicParallelism::named`] gives the point of each.
pub const DA_SPMM: [&str; 8] =
    ["RB+SR+RM", "RB+SR+CM", "RB+PR+RM", "RB+PR+CM", "EB+SR+RM", "EB+SR+CM", "EB+PR+RM", "EB+PR+CM"];

impl AtomicParallelism {
    /// The kind of the point: what is balanced, and how a row is reduced.
    pub fn name(&self) -> &'static str {
        match (self.data, self.group) {
            (Data::Nnz(_), 1) => "EB+SR",
            (Data::Nnz(_), _) => "EB+PR",
            (Data::Row(Amount::Part(g)), _) if g > 1 => "RB+PR",
            (Data::Row(_), _) => "RB+SR",
        }
    }

    /// The point as part of an identifier: `1of8_row_4_col_8`.
    pub fn identifier(&self) -> String {
        let text = self.to_string().replace('/', "of");
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("_")
    }

    /// DA-SpMM's point of a name, with or without the dense operand's order, for so many columns of a thread. `None` if
    /// there is no such name.
    ///
    /// ```
    /// use sparse_core::front::AtomicParallelism;
    ///
    /// let point = AtomicParallelism::named("RB+PR+RM", 4).unwrap();
    /// assert_eq!((point.to_string().as_str(), point.name()), ("<1/32 row, 4 col>, 32", "RB+PR"));
    /// ```
    pub fn named(name: &str, columns: u32) -> Option<AtomicParallelism> {
        let kind = name.strip_suffix("+RM").or(name.strip_suffix("+CM")).unwrap_or(name);
        let (data, group) = match kind {
            "RB+SR" => (Data::Row(Amount::Whole(1)), 1),
            "RB+PR" => (Data::Row(Amount::Part(32)), 32),
            "EB+SR" => (Data::Nnz(Amount::Whole(32)), 1),
            "EB+PR" => (Data::Nnz(Amount::Whole(1)), 32),
            _ => return None,
        };
        Some(AtomicParallelism::new(data, Amount::Whole(columns), group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_points() {
        for name in DA_SPMM {
            let point = AtomicParallelism::named(name, 4).unwrap();
            assert_eq!((point.name(), point.check()), (&name[..5], Ok(())));
        }
        let points: Vec<_> =
            DA_SPMM.iter().step_by(2).map(|n| AtomicParallelism::named(n, 2).unwrap().to_string()).collect();
        let expected =
            ["<1 row, 2 col>, 1", "<1/32 row, 2 col>, 32", "<32 nnz, 2 col>, 1", "<1 nnz, 2 col>, 32"];
        assert_eq!(points, expected);
        for name in ["", "RB", "RB+PR+", "RB+PR+RM+RM", "EB+XR"] {
            assert_eq!(AtomicParallelism::named(name, 4), None, "{name}");
        }
    }
}
