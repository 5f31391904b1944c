//! The sparse operand of a product with dense ones.

use crate::cin::Access;
use crate::cin::order::level_vars;
use crate::front::ast::{IndexVar, Kernel};

/// A statement's only sparse operand, beside the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// How it is read.
    pub access: Access,
    /// The variables of its levels, from the root to the last sparse one. Dense levels below it, a block at each entry, are
    /// loops as those of dense operands are.
    pub levels: Vec<IndexVar>,
    /// How many of its levels, from the root, are the result's rows: all but the last if the result has its pattern.
    pub rows: usize,
    /// The result has all of its variables: an entry has an output of its own.
    pub pattern: bool,
}

impl Operand {
    /// Of a statement.
    ///
    /// # Errors
    /// How many sparse operands there are, if not one.
    pub fn of(kernel: &Kernel) -> Result<Operand, usize> {
        let mut sparse: Vec<Access> = Vec::new();
        kernel.assignment.rhs.for_each_access(&mut |a| {
            let access = Access { tensor: a.tensor, indices: a.indices.clone() };
            let spec = &kernel.tensors[a.tensor.index()].spec;
            if spec.levels.iter().any(|l| !l.is_full()) && !sparse.contains(&access) {
                sparse.push(access);
            }
        });
        let [access] = &sparse[..] else { return Err(sparse.len()) };
        let spec = &kernel.tensors[access.tensor.index()].spec;
        let mut levels = level_vars(spec, access);
        levels.truncate(spec.levels.len() - spec.block_levels());
        let out = &kernel.assignment.lhs.indices;
        let pattern = levels.iter().all(|v| out.contains(v));
        let rows = match pattern {
            true => levels.len() - 1,
            false => levels.iter().take_while(|v| out.contains(v)).count(),
        };
        Ok(Operand { access: access.clone(), levels, rows, pattern })
    }
}
