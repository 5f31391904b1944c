//! Where a loop's iterations lie and how many they are: the questions asked of the provenance graph before it runs.
//!
//! A variable's *window* is the part of a dimension, or of an operand's stored positions, that its loop covers. The
//! last part of a split that is still open has one, given the parts outside it: its loop then iterates coordinates
//! or positions themselves, and needs no guard. A part that is opened before its siblings is only *counted*, and its
//! parent recovered ([`super::recover`]). A range is *whole* where it is as long as before any loop: then what is
//! known of its size ([`crate::cin::provenance::Size`]) holds here too.

use super::region::Window;
use super::state::State;
use super::{Lowerer, internal};
use crate::cin::Access;
use crate::cin::provenance::{Part, Relation, Size, Worth};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr, IndexOp, Stmt, Ty, build};
use std::rc::Rc;

/// What a variable's window is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Swept {
    /// The coordinates of a variable without a maker.
    Coordinates(IndexVar),
    /// The iterations of two loops.
    Fused(IndexVar),
    /// The stored positions of an operand.
    Positions(Leader),
}

/// The operand whose positions are iterated: the variables of consecutive levels, and the variable that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leader {
    pub(super) access: AccessId,
    /// The variables of its levels, outermost first.
    pub(super) roots: Vec<IndexVar>,
    /// Counts the positions of the last of these levels.
    pub(super) pos: IndexVar,
}

/// Where a variable's loop iterates.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) window: Window,
    /// As long as the variable's range is before any loop.
    pub(super) whole: bool,
}

/// How many values a variable takes.
#[derive(Clone, Debug)]
pub(super) struct Count {
    pub(super) n: Expr,
    /// As many as its range has before any loop.
    pub(super) whole: bool,
}

/// An outer part of a split, and what its loop was counted against.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) outer: IndexVar,
    /// The window of its parent. In the producer of a workspace it can be the outer part of a parent whose window is another,
    /// because more is known there.
    pub(super) window: Window,
    /// Only whole inner parts were counted.
    pub(super) even: bool,
}

pub(super) type Found<T> = Result<T, Box<Diagnostic>>;

impl Lowerer<'_> {
    pub(super) fn swept(&self, v: IndexVar) -> Found<Swept> {
        match self.provenance.made_by(v) {
            None => Ok(Swept::Coordinates(v)),
            Some(Relation::Bound { parent, .. } | Relation::Split { parent, .. }) => self.swept(*parent),
            Some(Relation::Coord { pos, .. }) => match self.swept(*pos)? {
                Swept::Positions(leader) if leader.roots.len() == 1 => {
                    Ok(Swept::Coordinates(leader.roots[0]))
                }
                _ => Err(Box::new(
                    Diagnostic::new(
                        "coord-of-fused",
                        self.kernel.assignment.lhs.span,
                        format!("`{}` would be coordinates of several levels at once", self.name(v)),
                    )
                    .help("`coord` goes back to the coordinates of one level"),
                )),
            },
            Some(Relation::Fuse { inner, .. }) if !self.provenance.is_position(*inner) => Ok(Swept::Fused(v)),
            Some(Relation::Fuse { outer, inner, .. }) => {
                let Swept::Positions(leader) = self.swept(*inner)? else {
                    return Err(internal(self.kernel, "a fused position variable without positions"));
                };
                let mut roots = self.provenance.roots(*outer);
                roots.extend(leader.roots);
                Ok(Swept::Positions(Leader { roots, pos: v, ..leader }))
            }
            Some(Relation::Pos { coord, pos, access }) => {
                let roots = self.provenance.roots(*coord);
                let Some(id) = self.leader(access) else {
                    return Err(internal(self.kernel, "`pos` of an access that is not there"));
                };
                Ok(Swept::Positions(Leader { access: id, roots, pos: *pos }))
            }
        }
    }

    /// The operand that `pos` names. Inside a producer its variables may have other names.
    fn leader(&self, access: &Access) -> Option<AccessId> {
        let original = |v: &IndexVar| self.provenance.original(*v);
        let same = |a: &Access| {
            a.tensor == access.tensor
                && a.indices.iter().map(original).eq(access.indices.iter().map(original))
        };
        let at = self.accesses.iter().position(|a| a == access);
        at.or_else(|| self.accesses.iter().position(same)).map(|at| AccessId(at as u32))
    }

    /// The window of a variable's loop, bound to variables in `block`; `None` while a sibling outside is not known.
    pub(super) fn window(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Option<Window>> {
        Ok(self.place(v, st, block)?.map(|place| place.window))
    }

    fn place(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Option<Place>> {
        if let Some(place) = st.places.get(&v) {
            return Ok(Some(place.clone()));
        }
        let place = match self.provenance.made_by(v).cloned() {
            None => Some(Place { window: Window { lo: Expr::Index(0), hi: self.extent(v) }, whole: true }),
            Some(Relation::Bound { parent, .. }) => self.place(parent, st, block)?,
            Some(Relation::Fuse { outer, inner, .. }) if !self.provenance.is_position(inner) => {
                let step = self.fused_step(v, inner, st, block)?;
                let outer = self.fused_range(outer, st, block)?;
                let hi = build::mul(outer.n, step.n);
                let hi = self.bind(&format!("{}_end", self.name(v)), hi, block);
                Some(Place { window: Window { lo: Expr::Index(0), hi }, whole: outer.whole && step.whole })
            }
            Some(Relation::Fuse { .. } | Relation::Pos { .. }) => {
                self.positions_of(v, st, block)?.map(|window| Place { window, whole: true })
            }
            Some(Relation::Coord { pos, .. }) => {
                self.coordinates_between(pos, st, block)?.map(|window| Place { window, whole: false })
            }
            Some(Relation::Split { outer, .. }) if v == outer => None,
            Some(Relation::Split { parent, outer, inner, part }) => {
                self.part_of(parent, [outer, inner], part, st, block)?
            }
        };
        if let Some(place) = &place {
            st.places.insert(v, place.clone());
        }
        Ok(place)
    }

    /// `lo + outer·step .. min(lo + (outer + 1)·step, hi)` of the parent's window, once that and the outer part are known.
    fn part_of(
        &mut self,
        parent: IndexVar,
        [outer, inner]: [IndexVar; 2],
        part: Part,
        st: &mut State,
        block: &mut Block,
    ) -> Found<Option<Place>> {
        let Some(at) = st.coords[outer.index()].clone() else { return Ok(None) };
        let Some(Place { window: all, .. }) = self.place(parent, st, block)? else { return Ok(None) };
        let step = self.step(parent, part, st, block)?.n;
        let mut lo = build::add(all.lo.clone(), build::mul(at, step.clone()));
        // Counted against this very window and in steps of a constant, the outer part stays inside it.
        let (inside, whole) = match (part, self.counted_in(outer, parent, st)) {
            (Part::Inner(n), Some(counted)) => (true, counted.even || self.comes_out_even(parent, n, st)),
            (Part::Inner(_), None) | (Part::Outer(_), _) => (false, false),
        };
        if !inside {
            lo = build::min(lo, all.hi.clone());
        }
        let name = self.name(inner);
        let lo = self.bind(&format!("{name}_begin"), lo, block);
        let mut hi = build::add(lo.clone(), step);
        if !whole {
            self.note(format!(
                "the loop over `{name}` ends early in the last part of `{}`: {} need not divide it",
                self.name(parent),
                match part {
                    Part::Inner(n) | Part::Outer(n) => n,
                }
            ));
            hi = self.bind(&format!("{name}_end"), build::min(hi, all.hi), block);
        }
        Ok(Some(Place { window: Window { lo, hi }, whole }))
    }

    /// Is the variable's window never empty: one of the constant parts that its range was counted in?
    pub(super) fn is_counted_part(&self, v: IndexVar, st: &State) -> bool {
        match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, inner, part: Part::Inner(_) }) => {
                v == *inner && self.counted_in(*outer, *parent, st).is_some()
            }
            _ => false,
        }
    }

    /// How an outer part was counted against the window that its parent has here.
    fn counted_in<'s>(&self, outer: IndexVar, parent: IndexVar, st: &'s State) -> Option<&'s Counted> {
        let here = &st.places.get(&parent)?.window;
        let is = |then: &Window| self.same(&then.lo, &here.lo) && self.same(&then.hi, &here.hi);
        st.counted.iter().rev().find(|counted| counted.outer == outer && is(&counted.window))
    }

    /// Have two expressions of what is declared around here one value?
    fn same(&self, a: &Expr, b: &Expr) -> bool {
        let definition = |e: &Expr| match e {
            Expr::Var(v) => self.definitions.get(v),
            _ => None,
        };
        a == b
            || match (definition(a), definition(b), a, b) {
                (Some(a), Some(b), ..) => self.same(a, b),
                (None, None, Expr::IndexOp(op, a, b), Expr::IndexOp(other, c, d)) => {
                    op == other && self.same(a, c) && self.same(b, d)
                }
                _ => false,
            }
    }

    /// How many iterations of the inner one a fused variable counts between two of the outer one: a part that ends early
    /// here counts as long as it is, in both directions.
    fn fused_step(
        &mut self,
        fused: IndexVar,
        inner: IndexVar,
        st: &mut State,
        block: &mut Block,
    ) -> Found<Count> {
        if let Some(step) = st.fused.get(&fused) {
            return Ok(step.clone());
        }
        let mut step = self.fused_range(inner, st, block)?;
        step.n = self.bind(&format!("{}_size", self.name(inner)), step.n, block);
        st.fused.insert(fused, step.clone());
        Ok(step)
    }

    /// Settles how the values of a variable are numbered, wherever its loop stands: those who number a workspace's elements
    /// may know different parts of what it is made from.
    pub(super) fn number(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<()> {
        let makers: Vec<_> = self.provenance.makers(v).cloned().collect();
        for relation in makers {
            match relation {
                Relation::Fuse { inner, .. } if !self.provenance.is_position(inner) => {
                    self.fused_step(v, inner, st, block)?;
                }
                Relation::Split { parent, part: part @ Part::Outer(_), .. }
                    if !self.provenance.is_position(parent) =>
                {
                    self.step(parent, part, st, block)?;
                }
                Relation::Split { .. } | Relation::Bound { .. } => {}
                Relation::Fuse { .. } | Relation::Pos { .. } | Relation::Coord { .. } => continue,
            }
            for &parent in relation.parents().iter() {
                self.number(parent, st, block)?;
            }
        }
        Ok(())
    }

    /// How many iterations of a variable a fused one counts: all of a constant on a GPU, behind a guard at the parent.
    pub(super) fn fused_range(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Count> {
        let constant = match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, part: Part::Inner(n), .. }) if v == *outer => {
                self.constant_part(*parent).map(|size| size.div_ceil((*n).max(1)))
            }
            _ => self.constant_part(v),
        };
        match constant {
            Some(n) => Ok(Count::of(n)),
            None if self.provenance.tag(v).worth.is_some() => self.count(v, st, block),
            None => self.range(v, st, block),
        }
    }

    /// Are there only whole parts of this size in the variable's window?
    pub(super) fn comes_out_even(&self, v: IndexVar, n: u64, st: &State) -> bool {
        n == 1 || (self.divides(v, n) && st.places.get(&v).is_some_and(|place| place.whole))
    }

    /// How many values the variable takes here.
    pub(super) fn range(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Count> {
        if let Some(Place { window, whole }) = self.place(v, st, block)? {
            return Ok(Count { n: length(&window), whole });
        }
        match self.provenance.made_by(v).cloned() {
            Some(Relation::Split { parent, outer, part, .. }) => match (part, v == outer) {
                (Part::Outer(n), true) | (Part::Inner(n), false) => Ok(Count::of(n)),
                (Part::Inner(n), true) => {
                    let parent = self.range(parent, st, block)?;
                    Ok(Count { n: ceil(parent.n, n), ..parent })
                }
                (Part::Outer(_), false) => self.step(parent, part, st, block),
            },
            Some(Relation::Bound { parent, .. }) => self.range(parent, st, block),
            _ => Ok(Count { n: self.size(v)?, whole: true }),
        }
    }

    /// Iterations of a split's inner part: constant, or computed from the divided range.
    pub(super) fn step(
        &mut self,
        parent: IndexVar,
        part: Part,
        st: &mut State,
        block: &mut Block,
    ) -> Found<Count> {
        match part {
            Part::Inner(n) => Ok(Count::of(n)),
            Part::Outer(n) => {
                if let Some(step) = st.steps.get(&parent) {
                    return Ok(step.clone());
                }
                let mut step = self.range(parent, st, block)?;
                let of_each = match self.parts_as_worth(parent, (&step.n, n), st, block) {
                    None => ceil(step.n, n),
                    Some((parts, whole)) => {
                        st.parts.insert(parent, parts.clone());
                        let more = build::add(ceil(step.n, whole), parts.clone());
                        build::mul(build::div(build::sub(more, Expr::Index(1)), parts), Expr::Index(whole))
                    }
                };
                step.n = self.bind(&format!("{}_step", self.name(parent)), of_each, block);
                for parent in self.divided_with(parent) {
                    st.steps.insert(parent, step.clone());
                }
                Ok(step)
            }
        }
    }

    /// In how many of `n` parts a variable's range is worth being done, one at least, if the schedule leaves that open; and what
    /// their sizes are multiples of, but for the last.
    fn parts_as_worth(
        &mut self,
        parent: IndexVar,
        (range, n): (&Expr, u64),
        st: &State,
        block: &mut Block,
    ) -> Option<(Expr, u64)> {
        let parts_of = |r: &Relation| match r {
            Relation::Split { parent: of, outer, .. } if *of == parent => Some(*outer),
            _ => None,
        };
        let outer = self.provenance.relations().iter().find_map(parts_of)?;
        let (most, worth, whole) = match self.provenance.tag(outer).worth? {
            Worth::Work => {
                let work = self.work(outer, st, &self.gaps(outer, st));
                (Expr::Index(n), build::div(work, Expr::Index(self.options.part_work)), 1)
            }
            Worth::Terms { threads } => {
                // Threads that share a part go through it in rounds, whose terms are aligned in memory.
                let round = u64::from(threads);
                (self.of_each_element(n), ceil(range.clone(), self.options.thread_terms * round), round)
            }
        };
        let parts = build::max(build::min(worth, most), Expr::Index(1));
        Some((self.bind(&format!("{}s", self.name(outer)), parts, block), whole))
    }

    /// So many, shared by the elements of the result.
    fn of_each_element(&self, n: u64) -> Expr {
        let sizes = self.kernel.assignment.lhs.indices.iter().map(|v| self.extent(*v));
        match sizes.reduce(build::mul) {
            Some(elements) => build::div(Expr::Index(n), build::max(elements, Expr::Index(1))),
            None => Expr::Index(n),
        }
    }

    /// The variable and those whose splits share a part with its own, as those of a workspace's producer do: one value of the
    /// part has to stand for the same iterations of all of them.
    fn divided_with(&self, parent: IndexVar) -> Vec<IndexVar> {
        let mut found = vec![parent];
        let mut at = 0;
        while let Some(&v) = found.get(at) {
            let of = |r: &&Relation| matches!(r, Relation::Split { parent, .. } if *parent == v);
            let parts = self.provenance.relations().iter().filter(of).flat_map(|r| r.children().to_vec());
            for (parent, ..) in parts.flat_map(|part| self.splits_with(part)) {
                if !found.contains(&parent) {
                    found.push(parent);
                }
            }
            at += 1;
        }
        found
    }

    /// How many iterations a loop has whose window is not known.
    pub(super) fn count(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Count> {
        match self.provenance.made_by(v).cloned() {
            Some(Relation::Split { parent, outer, part, .. }) => match (part, v == outer) {
                (Part::Outer(n), true) => {
                    self.step(parent, part, st, block)?;
                    let fewer = st.parts.get(&parent).cloned();
                    Ok(fewer.map_or(Count::of(n), |n| Count { n, whole: true }))
                }
                (_, false) => self.step(parent, part, st, block),
                (Part::Inner(n), true) => {
                    if let Some(size) = self.constant_part(parent) {
                        return Ok(Count::of(size.div_ceil(n.max(1))));
                    }
                    if let Some(window) = self.window(parent, st, block)? {
                        st.counted.push(Counted { outer, window, even: false });
                    }
                    let parent = self.range(parent, st, block)?;
                    Ok(Count { n: ceil(parent.n, n), ..parent })
                }
            },
            Some(Relation::Bound { parent, size, exact, .. }) => {
                let count = self.count(parent, st, block)?;
                // What is promised is the size before any loop.
                Ok(if exact && count.whole { Count::of(size) } else { count })
            }
            _ => Ok(Count { n: self.size(v)?, whole: true }),
        }
    }

    /// The size of a variable's range, as known before any loop.
    fn size(&self, v: IndexVar) -> Found<Expr> {
        self.size_of(&self.provenance.size(v))
            .ok_or_else(|| internal(self.kernel, "positions are counted before their fiber is known"))
    }

    pub(super) fn size_of(&self, size: &Size) -> Option<Expr> {
        Some(match size {
            Size::Const(n) => Expr::Index(*n),
            Size::Extent(v) => self.extent(*v),
            Size::Ceil(size, n) => ceil(self.size_of(size)?, *n),
            Size::Product(a, b) => build::mul(self.size_of(a)?, self.size_of(b)?),
            Size::Positions => return None,
        })
    }

    /// A constant with a name, unless it is one already.
    pub(super) fn bind(&mut self, name: &str, value: Expr, block: &mut Block) -> Expr {
        if let Expr::Var(_) | Expr::Index(_) = value {
            return value;
        }
        let var = self.fresh(name, Ty::Index);
        Rc::make_mut(&mut self.definitions).insert(var, value.clone());
        block.push(Stmt::Let { var, value });
        Expr::Var(var)
    }
}

impl Count {
    /// A constant.
    pub(super) fn of(n: u64) -> Count {
        Count { n: Expr::Index(n), whole: true }
    }
}

/// Iterations of a window.
pub(super) fn length(w: &Window) -> Expr {
    match &w.hi {
        Expr::IndexOp(IndexOp::Add, a, b) if **a == w.lo => (**b).clone(),
        hi => build::sub(hi.clone(), w.lo.clone()),
    }
}

/// `⌈size / n⌉`
pub(super) fn ceil(size: Expr, n: u64) -> Expr {
    match size {
        size if n == 1 => size,
        Expr::Index(size) => Expr::Index(size.div_ceil(n.max(1))),
        size => build::div(build::add(size, Expr::Index(n - 1)), Expr::Index(n)),
    }
}
