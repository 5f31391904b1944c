//! Races that a schedule ignores by `IgnoreRaces`: where threads are in conflict about what they write, the schedule has
//! made the mistake, not the compiler.

use super::{Array, Program};
use crate::format::TensorId;

/// Iterations of a loop that write the same element, and nothing that keeps their writes apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredRace {
    /// The tensor that is written; `None` for a workspace.
    pub tensor: Option<TensorId>,
    /// Which command ignores it, of which loop.
    pub warning: String,
}

impl Program {
    /// The races that a conflict about an element of this buffer may come from.
    pub fn ignored_races_of<'a>(&'a self, buffer: &str) -> impl Iterator<Item = &'a IgnoredRace> {
        let found = self.buffers.iter().find(|b| b.name == buffer);
        let of = found.map(|b| match b.array {
            Array::Pos(t, _) | Array::Crd(t, _) | Array::Vals(t) => Some(t),
            Array::Local => None,
        });
        self.ignored_races.iter().filter(move |race| Some(race.tensor) == of)
    }
}
