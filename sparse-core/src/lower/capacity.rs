//! Upper bounds of an assembled result's size, so that appending needs no test.
//!
//! One pass with room for the upper bound, shrunk after, beats counting first on one thread: a second pass costs more than a
//! system call (*The lowering* in `ARCHITECTURE.md`).

use super::Lowerer;
use super::state::{Lhs, SparseTarget, State};
use crate::cin::algebra::simplify;
use crate::cin::provenance::Relation;
use crate::cin::val::{AccessId, Val};
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::{Bound, Expr, build};
use std::collections::BTreeSet;
use std::ops::Range;

impl Lowerer<'_> {
    /// Has an operand a level that stores which coordinates there are?
    pub(super) fn is_sparse(&self, a: AccessId) -> bool {
        self.levels[a.index()].iter().any(|l| !l.level.is_full())
    }

    /// Number of stored entries of an operand.
    pub(super) fn stored_entries(&self, a: AccessId) -> Expr {
        self.positions_below(a, self.levels[a.index()].len())
    }

    /// Number of positions that an operand has at the end of its first `depth` levels: a fold over their arrays.
    pub(super) fn positions_below(&self, a: AccessId, depth: usize) -> Expr {
        self.descend(a, 0..depth, Expr::Index(1))
    }

    /// Of these levels of an operand, how many positions there are at their end below so many at their beginning.
    fn descend(&self, a: AccessId, levels: Range<usize>, count: Expr) -> Expr {
        self.levels[a.index()][levels].iter().fold(count, |count, level| match level.level {
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

    /// How many positions an operand has at the end of its first `depth` levels before an iteration of the outermost loop.
    fn positions_before(&self, a: AccessId, depth: usize, iteration: &Iteration) -> Option<Expr> {
        let (level, var) = (self.levels[a.index()].first()?, self.level_vars[a.index()].first()?);
        let at = iteration.at.clone();
        let first = match iteration.walks {
            Some(b) if a == b => at,
            Some(_) => return None,
            None if *var != iteration.leaf => return None,
            None if level.level == Level::Dense => at,
            None => {
                let (pos, crd) = (level.pos?, level.crd.filter(|_| level.lists_coordinates())?);
                let [begin, end] = [0, 1].map(|n| build::load(pos, Expr::Index(n)));
                build::search(Bound::Lower, crd, begin, end, at)
            }
        };
        Some(self.descend(a, 1..depth, first))
    }

    /// How many coordinates of the appended levels are written at most, in all and before an iteration.
    ///
    /// Every appended coordinate is a position of some operand that has all of the output's appended variables; if
    /// one operand's fill makes the statement do nothing, its positions alone bound the result.
    pub(super) fn bound(&self, rhs: &Val, iteration: Option<&Iteration>) -> Option<Capacity> {
        // A loop over one operand's positions visits all of them, whatever the others store.
        if self.provenance.relations().iter().any(|r| matches!(r, Relation::Pos { .. })) {
            return None;
        }
        self.bound_by_entries(rhs, iteration)
    }

    /// How many coordinates of the appended levels are written at most in all, by whatever loops.
    pub(super) fn bound_in_all(&self, rhs: &Val) -> Option<Expr> {
        let alone = || self.bound_by_entries(rhs, None).filter(|_| self.accesses.len() == 1);
        self.bound(rhs, None).or_else(alone).map(|capacity| capacity.total)
    }

    fn bound_by_entries(&self, rhs: &Val, iteration: Option<&Iteration>) -> Option<Capacity> {
        let t = self.dtype;
        let fill = |a: AccessId| self.fill(a).unwrap_or_else(|| t.zero().into());
        let nothing = |v: &Val| simplify(v, t).constant() == Some(self.out.background);
        let covers = |&a: &AccessId| {
            let depth = self.covering_depth(a).filter(|_| self.is_sparse(a))?;
            let before = match iteration {
                None => Expr::Index(0),
                Some(iteration) => self.positions_before(a, depth, iteration)?,
            };
            let total = self.positions_below(a, depth);
            Some((a, Capacity { total, before, exact: false, parents: None }))
        };
        let all: Vec<_> = (0..self.accesses.len() as u32).map(AccessId).collect();
        let covering: Vec<_> = all.iter().filter_map(covers).collect();
        let alone = covering.iter().filter(|(a, _)| nothing(&rhs.replace(*a, fill(*a))));
        if let Some(least) = alone.map(|(_, n)| n.clone()).reduce(Capacity::least) {
            return Some(least);
        }
        let without = covering.iter().fold(rhs.clone(), |v, (a, _)| v.replace(*a, fill(*a)));
        if !nothing(&without) {
            let annihilates = |a: AccessId| nothing(&rhs.replace(a, fill(a)));
            let sparse: Vec<_> = all.into_iter().filter(|&a| self.is_sparse(a)).collect();
            if !nothing(&sparse.iter().fold(rhs.clone(), |v, a| v.replace(*a, fill(*a)))) {
                return self.all_coordinates(rhs, iteration);
            }
            let all_pairs = || self.all_pairs(rhs, &sparse, iteration);
            let all_fibers = || self.all_fibers(rhs, &sparse, iteration);
            return sparse.iter().all(|&a| annihilates(a)).then(|| all_pairs().or_else(all_fibers))?;
        }
        covering.into_iter().map(|(_, n)| n).reduce(Capacity::sum)
    }

    /// The same of a statement that does something where nothing is stored, as `exp(A[i, j])` does: it writes all coordinates.
    fn all_coordinates(&self, rhs: &Val, iteration: Option<&Iteration>) -> Option<Capacity> {
        let vars: Vec<_> = (0..self.kernel.vars.len() as u32).map(IndexVar).collect();
        // Without sums each is written once.
        if !is_plain(rhs) || vars.is_empty() || !vars.iter().all(|v| self.is_appended(*v)) {
            return None;
        }
        let before = match iteration {
            None => Expr::Index(0),
            Some(i) if i.walks.is_none() && self.out.vars.first() == Some(&i.leaf) => i.at.clone(),
            Some(_) => return None,
        };
        let outermost = self.out.vars.first()?;
        let inner = vars.iter().filter(|v| *v != outermost);
        let inner = inner.fold(Expr::Index(1), |all, v| build::mul(all, self.extent(*v)));
        let total = build::mul(self.extent(*outermost), inner.clone());
        Some(Capacity { total, before: build::mul(before, inner), exact: true, parents: None })
    }

    /// The same of a product of sparse operands without a common variable: all entries of one meet all of the others.
    fn all_pairs(&self, rhs: &Val, sparse: &[AccessId], iteration: Option<&Iteration>) -> Option<Capacity> {
        let mut vars: Vec<_> = sparse.iter().flat_map(|a| self.level_vars[a.index()].clone()).collect();
        let all = (0..self.kernel.vars.len() as u32).map(IndexVar);
        let dense: Vec<_> = all.filter(|v| !vars.contains(v)).collect();
        vars.extend(&dense);
        let once = vars.len() == self.kernel.vars.len() && vars.iter().all(|v| self.is_appended(*v));
        // What is precomputed or summed is not read where the entries are.
        if !once || !is_plain(rhs) {
            return None;
        }
        let outermost = |v: &IndexVar| iteration.is_some_and(|i| i.leaf == *v);
        let (mut total, mut before) = (Expr::Index(1), Expr::Index(1));
        for &a in sparse {
            let depth = self.levels[a.index()].len();
            let entries = self.stored_entries(a);
            before = build::mul(
                before,
                match iteration {
                    Some(i) if self.level_vars[a.index()].iter().any(outermost) => {
                        self.positions_before(a, depth, i)?
                    }
                    _ => entries.clone(),
                },
            );
            total = build::mul(total, entries);
        }
        for v in &dense {
            before = build::mul(
                before,
                match iteration {
                    Some(i) if i.leaf == *v => i.at.clone(),
                    _ => self.extent(*v),
                },
            );
            total = build::mul(total, self.extent(*v));
        }
        // Elements are told apart by the whole of their coordinates.
        let unique = |a: &AccessId| self.levels[a.index()].last().is_none_or(|l| l.level.is_unique());
        Some(Capacity { total, before, exact: sparse.iter().all(unique), parents: None })
    }

    /// The same of a product of one sparse operand and dense ones, where the operand lacks variables of the innermost appended
    /// levels and sums what it has below its fibers: each fiber has all coordinates of these, `Y[i, j, k] = X[i, j, l] *
    /// C[l, k]` all columns. A dense level of the operand's would count fibers that it has not got.
    fn all_fibers(&self, rhs: &Val, sparse: &[AccessId], iteration: Option<&Iteration>) -> Option<Capacity> {
        let &[a] = sparse else { return None };
        let vars = &self.level_vars[a.index()];
        let appended: Vec<_> = self.out.vars.iter().copied().filter(|v| self.is_appended(*v)).collect();
        let levels = appended.iter().take_while(|v| vars.contains(v)).count();
        let (above, whole) = appended.split_at(levels);
        let of_fibers = vars.get(..levels)?.iter().all(|v| above.contains(v));
        let last = self.levels[a.index()][..levels].last()?.level;
        // What a workspace holds is not known here.
        let mut precomputed = false;
        rhs.for_each_production(&mut |_| precomputed = true);
        let lacks = !whole.iter().any(|v| vars.contains(v));
        if !of_fibers || !lacks || !last.is_unique() || last.is_full() || precomputed {
            return None;
        }
        let before = match iteration {
            None => Expr::Index(0),
            Some(iteration) => self.positions_before(a, levels, iteration)?,
        };
        let fibers = self.positions_below(a, levels);
        let of_each = whole.iter().fold(Expr::Index(1), |n, v| build::mul(n, self.extent(*v)));
        let (total, before) = (build::mul(fibers.clone(), of_each.clone()), build::mul(before, of_each));
        Some(Capacity { total, before, exact: true, parents: Some((levels, fibers)) })
    }

    /// How many elements a producer scatters, where that is the number of entries of a sparse operand, or of all pairs of
    /// entries of several without a common variable, and of each with all coordinates of the other variables.
    pub(super) fn entries_in_all(&self, loops: &[IndexVar], producer: &State) -> Option<Expr> {
        // What the innermost loops sum is scattered once.
        let Lhs::Scattered(SparseTarget { indices, .. }) = &producer.lhs else { return None };
        if !loops.last().is_some_and(|v| indices.contains(v)) {
            return None;
        }
        let mut all = BTreeSet::new();
        producer.rhs.for_each_access(&mut |a| {
            all.insert(a);
        });
        let of_tensors = all.iter().all(|a| a.index() < self.accesses.len());
        if !of_tensors || !is_plain(&producer.rhs) {
            return None;
        }
        let sparse = all.iter().filter(|a| self.is_sparse(**a));
        let (mut vars, mut number) = (Vec::new(), Expr::Index(1));
        for &a in sparse {
            let unique = self.levels[a.index()].last().is_some_and(|l| l.level.is_unique());
            if !unique || !producer.idles_without(self, &[a]) {
                return None;
            }
            vars.extend(&self.level_vars[a.index()]);
            number = build::mul(number, self.known_size(self.stored_entries(a))?);
        }
        let distinct: BTreeSet<IndexVar> = vars.iter().copied().collect();
        if distinct.is_empty() || distinct.len() < vars.len() || !distinct.iter().all(|v| loops.contains(v)) {
            return None;
        }
        let others = loops.iter().filter(|v| !distinct.contains(v));
        others
            .map(|v| self.known_size(self.extent(*v)))
            .try_fold(number, |n, size| Some(build::mul(n, size?)))
    }

    /// The same, or how many it scatters at most, where each of them becomes an entry of the result.
    pub(super) fn most_in_all(&self, loops: &[IndexVar], producer: &State) -> Option<Capacity> {
        let exactly = |total| Capacity { total, before: Expr::Index(0), exact: true, parents: None };
        self.entries_in_all(loops, producer).map(exactly).or_else(|| self.bound(&self.out.rhs, None))
    }

    /// The size as the host knows it, which on a CPU knows all of them.
    fn known_size(&self, size: Expr) -> Option<Expr> {
        if self.gpu.is_some() { self.host_size(&size) } else { Some(size) }
    }
}

/// Is nothing in it summed or precomputed?
pub(super) fn is_plain(v: &Val) -> bool {
    match v {
        Val::Access(_) | Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => true,
        Val::Un(_, a) => is_plain(a),
        Val::Op(_, args) => args.iter().all(is_plain),
        Val::Reduce(..) | Val::Work(_) => false,
    }
}

/// An iteration of the outermost loop.
pub(super) struct Iteration {
    pub(super) leaf: IndexVar,
    /// What it begins with: a coordinate, or a position of an operand's first level.
    pub(super) at: Expr,
    /// That operand.
    pub(super) walks: Option<AccessId>,
}

/// At most so many coordinates are appended.
#[derive(Clone)]
pub(super) struct Capacity {
    pub(super) total: Expr,
    /// Before some iteration.
    pub(super) before: Expr,
    /// And not less.
    pub(super) exact: bool,
    /// Of the result's first levels, so many, they are fewer.
    pub(super) parents: Option<(usize, Expr)>,
}

impl Capacity {
    fn sum(self, other: Capacity) -> Capacity {
        let (total, before) = (build::add(self.total, other.total), build::add(self.before, other.before));
        Capacity { total, before, exact: false, parents: None }
    }

    /// How many coordinates the levels before this one have at most.
    pub(super) fn above(&self, level: usize) -> Expr {
        let parents = self.parents.as_ref().filter(|(levels, _)| level <= *levels);
        parents.map_or(&self.total, |(_, total)| total).clone()
    }

    /// The one that is less in all.
    fn least(self, other: Capacity) -> Capacity {
        let before = match self.before == other.before {
            true => self.before,
            false => {
                let first = build::le(self.total.clone(), other.total.clone());
                build::select(first, self.before, other.before)
            }
        };
        Capacity { total: build::min(self.total, other.total), before, exact: false, parents: None }
    }
}
