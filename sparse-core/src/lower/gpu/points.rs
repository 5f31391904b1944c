//! How many elements a producer scatters at most, as far as the host can tell without asking.
//!
//! An element is scattered at a point of the loops, where every operand stores something whose fill would make the value do
//! nothing. These operands are gone through one after another: an entry of the first gives its variables coordinates, and
//! each further one has no more entries at these than the longest of its fibers below the levels whose coordinates are known.
//! So `A[i, j] * B[j, k]` has no more points than A has entries, times the longest row of B. Terms of a sum have points of
//! their own. How long fibers are is counted when a tensor comes to a device ([`Step::Fibers`]); of others it is known
//! that they have no more coordinates than the dimension.
//!
//! Two operands whose fibers lie below the same coordinates meet fiber by fiber, in as many points as the products of their
//! lengths are together: no more than half the sum of their squares, which is the number itself in `A[j, i] * A[j, k]`.

use super::super::Lowerer;
use super::super::capacity::is_plain;
use super::super::state::{Lhs, SparseTarget, State};
use crate::cin::val::{AccessId, Val};
use crate::format::TensorId;
use crate::front::ast::IndexVar;
use crate::llir::{Expr, Fibers, IndexOp, MOST, Step, Ty, VarId, build};
use std::collections::BTreeSet;

/// What the host may know of an argument's fibers.
pub(super) struct Known {
    of: (TensorId, usize, Fibers),
    var: VarId,
}

/// The loops of a producer.
struct Points<'a> {
    /// Those in each of whose iterations it scatters at most once: what others inside of these sum is scattered after.
    loops: &'a [IndexVar],
    /// Variables of loops around it.
    around: BTreeSet<IndexVar>,
}

impl Points<'_> {
    fn has(&self, v: &IndexVar) -> bool {
        self.loops.contains(v) || self.around.contains(v)
    }
}

impl Lowerer<'_> {
    /// How many elements a producer with these loops scatters at most: inside of others, in one iteration of these. `None`
    /// where the host knows no bound.
    pub(in super::super) fn scattered_at_most(
        &mut self,
        loops: &[IndexVar],
        producer: &State,
    ) -> Option<Expr> {
        let Lhs::Scattered(SparseTarget { indices, .. }) = &producer.lhs else { return None };
        let last = loops.iter().rposition(|v| indices.contains(v)).filter(|_| is_plain(&producer.rhs))?;
        // Parts of variables, or positions, are others.
        if loops.iter().any(|v| self.provenance.made_by(*v).is_some()) {
            return None;
        }
        let known = self.level_vars.iter().flatten().filter(|v| self.known(**v, producer).is_some());
        let points = Points { loops: &loops[..=last], around: known.copied().collect() };
        self.points_of(producer, &points).map(|(all, _)| all)
    }

    /// At how many points a value does anything at most, and operands without which it does nothing.
    fn points_of(&mut self, value: &State, points: &Points<'_>) -> Option<(Expr, Vec<AccessId>)> {
        let needed = self.needed(value, points);
        if !needed.is_empty() {
            return Some((self.points(&needed, points)?, needed));
        }
        let terms = match &value.rhs {
            Val::Op(_, terms) => &terms[..],
            Val::Un(_, term) => std::slice::from_ref(&**term),
            _ => return None,
        };
        let (mut all, mut needed) = (Expr::Index(0), vec![]);
        for term in terms.iter().filter(|term| reads(term)) {
            let (of_term, more) = self.points_of(&State { rhs: term.clone(), ..value.clone() }, points)?;
            all = build::add(all, of_term);
            needed.extend(more);
        }
        // Where each term is nothing, so is what is made of them.
        value.clone().without(self, &needed).is_noop(self).then_some((all, needed))
    }

    /// The sparse arguments each of which stores something wherever a value does anything.
    fn needed(&self, value: &State, points: &Points<'_>) -> Vec<AccessId> {
        let mut read = BTreeSet::new();
        value.rhs.for_each_access(&mut |a| {
            read.insert(a);
        });
        // What masks do not list is looked for, and counts.
        let masks = match &value.lhs {
            Lhs::Scattered(target) => &target.masks[..],
            _ => &[],
        };
        let is_needed = |a: &AccessId| {
            a.index() < self.accesses.len()
                && !masks.contains(a)
                && self.depth_of(*a, points) > 0
                && self.is_sparse(*a)
                && value.clone().without(self, &[*a]).is_noop(self)
        };
        read.into_iter().filter(is_needed).collect()
    }

    /// How many levels of an operand the points are looked up in; 0 if they are not its first ones.
    fn depth_of(&self, a: AccessId, points: &Points<'_>) -> usize {
        let vars = &self.level_vars[a.index()];
        let depth = vars.iter().take_while(|v| points.has(v)).count();
        if vars[depth..].iter().any(|v| points.has(v)) { 0 } else { depth }
    }

    /// How many points there are at most at which all of these operands store something: beginning with each, or with two whose
    /// fibers meet, the least.
    fn points(&mut self, needed: &[AccessId], points: &Points<'_>) -> Option<Expr> {
        let mut from = Vec::new();
        for (n, &first) in needed.iter().enumerate() {
            if let Some(all) = self.positions_at_most(first, &points.around, points) {
                from.extend(self.points_from(all, &[first], needed, points));
            }
            for &second in &needed[n + 1..] {
                if let Some(all) = self.meetings(first, second, points) {
                    from.extend(self.points_from(all, &[first, second], needed, points));
                }
            }
        }
        from.into_iter().reduce(build::min)
    }

    /// The same from so many positions of some of them on.
    fn points_from(
        &mut self,
        mut all: Expr,
        first: &[AccessId],
        needed: &[AccessId],
        points: &Points<'_>,
    ) -> Option<Expr> {
        let mut known = points.around.clone();
        let mut left = needed.to_vec();
        for &a in first {
            known.extend(&self.level_vars[a.index()][..self.depth_of(a, points)]);
        }
        left.retain(|a| !first.contains(a));
        while let Some(a) = left.iter().copied().max_by_key(|b| self.known_levels(*b, &known, points)) {
            left.retain(|b| *b != a);
            all = product(all, self.positions_at_most(a, &known, points)?);
            known.extend(&self.level_vars[a.index()][..self.depth_of(a, points)]);
        }
        for v in points.loops.iter().filter(|v| !known.contains(v)) {
            all = product(all, self.host_size(&self.extent(*v))?);
        }
        Some(all)
    }

    /// How many of an operand's first levels have one position at most at known coordinates.
    fn known_levels(&self, a: AccessId, known: &BTreeSet<IndexVar>, points: &Points<'_>) -> usize {
        let levels = std::iter::zip(&self.level_vars[a.index()], &self.levels[a.index()]);
        let first = levels.take(self.depth_of(a, points));
        first.take_while(|(v, l)| known.contains(v) && l.level.is_unique()).count()
    }

    /// How many positions an operand has at most at known coordinates, of as many levels as points are looked up in.
    fn positions_at_most(
        &mut self,
        a: AccessId,
        known: &BTreeSet<IndexVar>,
        points: &Points<'_>,
    ) -> Option<Expr> {
        let (depth, at) = (self.depth_of(a, points), self.known_levels(a, known, points));
        let levels = &self.levels[a.index()];
        let (all, unique) = (levels.len(), levels[at..depth].iter().all(|l| l.level.is_unique()));
        if at == depth {
            return Some(Expr::Index(1));
        }
        let stored = match at {
            0 => self.host_size(&self.positions_below(a, depth)),
            _ => (depth == all).then(|| self.fibers(a, at, Fibers::Longest)),
        };
        let free: BTreeSet<IndexVar> = self.level_vars[a.index()][at..depth].iter().copied().collect();
        let sizes = free.difference(known).map(|v| self.host_size(&self.extent(*v)));
        let coordinates = sizes.collect::<Option<Vec<_>>>().map(|all| all.into_iter().reduce(product));
        let coordinates = coordinates.flatten().filter(|_| unique && at > 0);
        stored.into_iter().chain(coordinates).reduce(build::min)
    }

    /// How many pairs of entries of two operands there are at most that have the coordinates of their first levels in common, if
    /// these are the same variables.
    fn meetings(&mut self, a: AccessId, b: AccessId, points: &Points<'_>) -> Option<Expr> {
        let all = |c: AccessId| self.level_vars[c.index()].len();
        let is_whole = |c: AccessId| self.depth_of(c, points) == all(c) && points.around.is_empty();
        let first = |c: AccessId, n: usize| -> Option<BTreeSet<IndexVar>> {
            let unique = self.levels[c.index()].iter().take(n).all(|l| l.level.is_unique());
            (unique && n < all(c)).then(|| self.level_vars[c.index()][..n].iter().copied().collect())
        };
        let same = |n: &usize| first(a, *n).is_some_and(|vars| first(b, *n) == Some(vars));
        let depth = (1..all(a)).rev().find(same).filter(|_| is_whole(a) && is_whole(b))?;
        let [a, b] = [a, b].map(|c| self.fibers(c, depth, Fibers::Squares));
        Some(if a == b { a } else { build::div(build::add(a, b), Expr::Index(2)) })
    }

    /// How long fibers of an argument are.
    fn fibers(&mut self, a: AccessId, depth: usize, what: Fibers) -> Expr {
        let tensor = self.accesses[a.index()].tensor;
        self.fiber_lengths(tensor, depth, what)
    }

    /// The same of a tensor.
    pub(super) fn fiber_lengths(&mut self, tensor: TensorId, depth: usize, what: Fibers) -> Expr {
        let of = (tensor, depth, what);
        let known = self.sizes_on_host.fibers.iter().find(|known| known.of == of).map(|known| known.var);
        let var = known.unwrap_or_else(|| {
            let name = &self.kernel.tensors[tensor.index()].name;
            let var = self.fresh(&format!("{name}{}_{}", depth + 1, what.name()), Ty::Index);
            self.sizes_on_host.fibers.push(Known { of, var });
            var
        });
        var.into()
    }

    /// The steps after which the host knows how long fibers are that these ask for, and these.
    pub(in super::super) fn with_fibers(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut asked = BTreeSet::new();
        for size in steps.iter().flat_map(Step::sizes) {
            size.visit(&mut |e| {
                if let Expr::Var(v) = e {
                    asked.insert(*v);
                }
            });
        }
        let known = std::mem::take(&mut self.sizes_on_host.fibers)
            .into_iter()
            .filter(|known| asked.contains(&known.var));
        let first =
            known.map(|Known { of: (tensor, depth, what), var }| Step::Fibers { var, tensor, depth, what });
        first.chain(steps).collect()
    }
}

/// Does it read an operand?
fn reads(value: &Val) -> bool {
    let mut reads = false;
    value.for_each_access(&mut |_| reads = true);
    reads
}

/// Of numbers of positions: what is more than can be is as good as any other such number, and the launcher's arithmetic
/// stops at the largest one.
fn product(a: Expr, b: Expr) -> Expr {
    let few = |e: Expr| match e {
        Expr::IndexOp(IndexOp::Mul | IndexOp::Div, ..) => build::min(e, Expr::Index(MOST)),
        e => e,
    };
    build::mul(few(a), few(b))
}
