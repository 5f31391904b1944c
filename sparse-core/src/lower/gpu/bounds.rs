//! How many elements of a row can be different at most: so many a table holds, whatever is scattered.
//!
//! They are no more than there are coordinates, nor than what is stored of an operand that has them all, or of several that do.
//! The host knows these numbers too, and by them how many places the largest table has at most. Of a workspace over several
//! variables of several operands it knows how many elements the largest row scatters ([`super::points`]).

use super::super::Lowerer;
use super::super::state::State;
use crate::cin::val::AccessId;
use crate::front::ast::IndexVar;
use crate::llir::{Expr, WorkspaceId, build};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// What a producer scatters is bounded.
    pub(in super::super) fn bound_table(
        &mut self,
        w: WorkspaceId,
        loops: &[IndexVar],
        producer: &State,
        written: &[IndexVar],
    ) {
        let bound = self.stored_among(producer, written);
        let scattered = self.scattered_at_most(loops, producer);
        let tables = self.row_tables(w);
        tables.scattered = Some(match tables.scattered.take() {
            Some(known) => known.zip(scattered).map(|(a, b)| build::max(a, b)),
            None => scattered,
        });
        tables.bound = Some(match tables.bound.take() {
            Some(known) if known != bound => None,
            _ => bound,
        });
    }

    /// The size of a workspace over one variable, for the host and for a thread.
    fn by_size(&self, w: WorkspaceId) -> Option<(Expr, Expr)> {
        match &self.spas[w.index()].dims[..] {
            [dim] => Some((self.host_size(dim)?, self.device_size(dim)?)),
            _ => None,
        }
    }

    /// How many entries operands store, among which all are that a producer scatters.
    fn stored_among(&self, producer: &State, written: &[IndexVar]) -> Option<(Expr, Expr)> {
        let mut read = BTreeSet::new();
        producer.rhs.for_each_access(&mut |a| {
            read.insert(a);
        });
        let covers = |&a: &AccessId| {
            let levels = self.level_vars.get(a.index()).filter(|_| a.index() < self.accesses.len())?;
            let depth = written.iter().try_fold(0, |depth: usize, v| {
                levels.iter().position(|w| w == v).map(|level| depth.max(level + 1))
            })?;
            let n = self.positions_below(a, depth);
            Some((a, (self.host_size(&n)?, self.device_size(&n)?)))
        };
        let covering: Vec<_> = read.iter().filter_map(covers).collect();
        let nothing = |gone: &[AccessId]| producer.clone().without(self, gone).is_noop(self);
        let least = |a: (Expr, Expr), b: (Expr, Expr)| (build::min(a.0, b.0), build::min(a.1, b.1));
        let sum = |a: (Expr, Expr), b: (Expr, Expr)| (build::add(a.0, b.0), build::count(a.1, b.1));
        let alone = covering.iter().filter(|(a, _)| nothing(&[*a])).map(|(_, n)| n.clone()).reduce(least);
        let all: Vec<AccessId> = covering.iter().map(|(a, _)| *a).collect();
        alone.or_else(|| nothing(&all).then(|| covering.iter().map(|(_, n)| n.clone()).reduce(sum)).flatten())
    }

    /// No more elements of a row are different, for a thread.
    pub(super) fn different_in_row(&mut self, w: WorkspaceId) -> Option<Expr> {
        let stored = self.row_tables(w).bound.clone().flatten();
        [self.by_size(w), stored].into_iter().flatten().map(|(_, n)| n).reduce(build::min)
    }

    /// No row's table has more places, for the host, if it knows that whatever operands hold.
    pub(super) fn most_places(&mut self, w: WorkspaceId) -> Option<Expr> {
        // Half as many were too few: three quarters of them for the elements, or one for each coordinate.
        let times = |of: Option<(Expr, Expr)>, n| of.map(|(of, _)| build::mul(of, Expr::Index(n)));
        let stored = self.row_tables(w).bound.clone().flatten();
        let bounds = [times(self.by_size(w), 2), times(stored, 3)];
        Some(build::max(bounds.into_iter().flatten().reduce(build::min)?, Expr::Index(4)))
    }

    /// No row scatters more elements, for the host.
    pub(super) fn most_scattered(&mut self, w: WorkspaceId) -> Option<Expr> {
        let most = self.row_tables(w).scattered.clone().flatten()?;
        Some(self.named_size(&format!("{}_most_scattered", self.spas[w.index()].name), most))
    }

    /// The same by how long operands' fibers are, which may be far more.
    pub(super) fn most_places_by_fibers(&mut self, w: WorkspaceId) -> Option<Expr> {
        let scattered = self.most_scattered(w)?;
        Some(build::max(build::mul(scattered, Expr::Index(3)), Expr::Index(4)))
    }
}
