//! The rule of vectors: what one access of several elements needs.

use super::code::{Place, Verifier};
use super::{Rule, VerifyError, ensure};
use crate::llir::{BufferId, Expr, Space, Ty, VectorPart};

impl Verifier<'_> {
    /// An access to `buffer[index..]` of as many elements as the register array has, or its part.
    pub(super) fn vector(
        &self,
        (array, part): (BufferId, Option<&VectorPart>),
        buffer: BufferId,
        index: &Expr,
        at: Place,
    ) -> Result<(), VerifyError> {
        ensure(self.launched, Rule::Vectors, at, || "it stands outside of a launch".into())?;
        let (array, memory) = (self.usable(array, at)?, self.usable(buffer, at)?);
        let len = match array.space {
            Space::Register { len } => part.map_or(len, |part| if part.len <= len { part.len } else { 0 }),
            _ => 0,
        };
        if let Some(part) = part {
            self.expect(&part.at, Ty::Index, at)?;
        }
        let fits = array.elem.vector_lengths().any(|n| n == u64::from(len));
        ensure(fits, Rule::Vectors, at, || {
            format!("`{}` is no register array of 2 or 4 elements, 16 bytes at most", array.name)
        })?;
        let in_memory = !matches!(memory.space, Space::Register { .. }) && memory.elem == array.elem;
        ensure(in_memory, Rule::Vectors, at, || format!("`{}` has no such vectors", memory.name))?;
        self.expect(index, Ty::Index, at)?;
        ensure(self.facts.is_multiple(index, len.into()), Rule::Vectors, at, || {
            format!("nothing says that its index is a multiple of {len}")
        })
    }
}
