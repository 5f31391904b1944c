//! Upper bounds of an assembled result's size, so that appending needs no test.
//!
//! One pass with room for the upper bound, shrunk after, beats counting first on one thread (DESIGN: CPU code).

use super::Lowerer;
use crate::cin::algebra::{AccessId, Nested, Val, simplify};
use crate::cin::provenance::Relation;
use crate::format::Level;
use crate::llir::{Expr, build};

impl Lowerer<'_> {
    /// Number of stored entries of an operand.
    pub(super) fn stored_entries(&self, a: AccessId) -> Expr {
        self.positions_below(a, self.levels[a.index()].len())
    }

    /// Number of positions that an operand has at the end of its first `depth` levels: a fold over their arrays.
    fn positions_below(&self, a: AccessId, depth: usize) -> Expr {
        self.levels[a.index()][..depth].iter().fold(Expr::Index(1), |count, level| match level.level {
            Level::Dense => build::mul(count, level.size.clone()),
            Level::Compressed { .. } => match level.pos {
                Some(pos) => build::load(pos, count),
                None => unreachable!("a compressed level has positions"),
            },
            Level::Singleton { .. } => count,
        })
    }

    /// How many levels of an operand it takes to bind all of the output's appended variables, and no other: loops
    /// then visit a coordinate once for each position there, whatever is stored below. `None` if it has not got them
    /// all, or iterates another variable first.
    fn covering_depth(&self, a: AccessId) -> Option<usize> {
        let vars = &self.level_vars[a.index()];
        let mut appended = self.out.vars.iter().filter(|v| self.is_appended(**v));
        let depth = appended
            .try_fold(0, |most: usize, v| vars.iter().position(|w| w == v).map(|l| most.max(l + 1)))?;
        vars[..depth].iter().all(|v| self.is_appended(*v)).then_some(depth)
    }

    /// At most this many coordinates of the appended levels are written, if that can be told beforehand.
    ///
    /// Every appended coordinate is a position of some operand that has all of the output's appended variables; if
    /// one operand's fill makes the statement do nothing, its positions alone bound the result.
    pub(super) fn capacity(&self, nested: &Nested) -> Option<Expr> {
        // A loop over one operand's positions visits all of them, whatever the others store.
        if self.provenance.relations.iter().any(|r| matches!(r, Relation::Pos { .. })) {
            return None;
        }
        let t = self.dtype;
        let fill = |a: AccessId| self.fill(a).unwrap_or_else(|| t.zero());
        let nothing = |v: &Val| simplify(v, t).constant() == Some(self.background_value());
        let is_sparse = |a: AccessId| self.levels[a.index()].iter().any(|l| !l.level.is_full());
        let covers = |&a: &AccessId| {
            let depth = self.covering_depth(a).filter(|_| is_sparse(a))?;
            Some((a, self.positions_below(a, depth)))
        };
        let all: Vec<_> = (0..nested.accesses.len() as u32).map(AccessId).collect();
        let covering: Vec<_> = all.iter().filter_map(covers).collect();
        let alone = covering.iter().filter(|(a, _)| nothing(&nested.nest.rhs.replace(*a, fill(*a))));
        if let Some(least) = alone.map(|(_, n)| n.clone()).reduce(build::min) {
            return Some(least);
        }
        let without = covering.iter().fold(nested.nest.rhs.clone(), |v, (a, _)| v.replace(*a, fill(*a)));
        if !nothing(&without) {
            return None;
        }
        covering.into_iter().map(|(_, n)| n).reduce(build::add)
    }
}
