//! Upper bounds of an assembled result's size, so that appending needs no test.
//!
//! One pass with room for the upper bound, shrunk after, beats counting first on one thread (DESIGN: CPU code).

use super::Lowerer;
use crate::cin::algebra::{AccessId, Nested, Val, simplify};
use crate::format::Level;
use crate::llir::{Expr, build};

impl Lowerer<'_> {
    /// Number of stored entries of an operand: a fold over its levels' positions.
    pub(super) fn stored_entries(&self, a: AccessId) -> Expr {
        self.levels[a.index()].iter().fold(Expr::Index(1), |count, level| match level.level {
            Level::Dense => build::mul(count, level.size.clone()),
            Level::Compressed { .. } => match level.pos {
                Some(pos) => build::load(pos, count),
                None => unreachable!("a compressed level has positions"),
            },
            Level::Singleton { .. } => count,
        })
    }

    /// At most this many coordinates of the appended levels are written, if that can be told beforehand.
    ///
    /// Every appended coordinate is stored in some operand that has all of the output's appended variables; if one
    /// operand's fill makes the statement do nothing, its entries alone bound the result.
    pub(super) fn capacity(&self, nested: &Nested) -> Option<Expr> {
        let t = self.dtype;
        let fill = |a: AccessId| self.kernel.tensors[self.tensors[a.index()].index()].spec.fill.value(t);
        let nothing = |v: &Val| simplify(v, t) == Val::Lit(self.background_value());
        let is_sparse = |a: AccessId| self.levels[a.index()].iter().any(|l| !l.level.is_full());
        let covers = |a: AccessId| {
            let appended = self.out.vars.iter().filter(|v| self.is_appended(**v));
            is_sparse(a) && appended.into_iter().all(|v| self.level_vars[a.index()].contains(v))
        };
        let all: Vec<_> = (0..nested.accesses.len() as u32).map(AccessId).collect();
        let alone = all.iter().filter(|&&a| covers(a) && nothing(&nested.rhs.replace(a, fill(a))));
        let bounds: Vec<_> = alone.map(|&a| self.stored_entries(a)).collect();
        if let Some(least) = bounds.into_iter().reduce(build::min) {
            return Some(least);
        }
        let union: Vec<_> = all.iter().copied().filter(|&a| covers(a)).collect();
        let without = union.iter().fold(nested.rhs.clone(), |v, &a| v.replace(a, fill(a)));
        if !nothing(&without) {
            return None;
        }
        union.into_iter().map(|a| self.stored_entries(a)).reduce(build::add)
    }
}
