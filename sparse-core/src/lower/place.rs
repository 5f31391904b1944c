//! Where a loop's iterations lie, and what is known once it has run: the questions asked of the provenance graph.
//!
//! A variable's *window* is the part of a dimension, or of an operand's stored positions, that its loop covers. The
//! last part of a split that is still open has one, given the parts outside it: its loop then iterates coordinates
//! or positions themselves, and needs no guard. A part that is opened before its siblings is only *counted*; when
//! the last of them is known the parent is *recovered*, behind a guard unless the split divides (OOPSLA 2020,
//! sections 5.1 to 5.3). Known values of derived variables count from the beginning of their range.

use super::region::Window;
use super::state::{Lhs, State};
use super::{Lowerer, internal};
use crate::cin::Access;
use crate::cin::algebra::AccessId;
use crate::cin::provenance::{Part, Relation, Size};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr, IndexOp, Stmt, Ty, build};

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

/// What follows from a variable's value, in order.
pub(super) enum Fact {
    /// A declaration.
    Let(Stmt),
    /// What holds for the iterations that take part.
    Guard(Expr),
}

type Found<T> = Result<T, Box<Diagnostic>>;

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
        if let Some(w) = st.windows.get(&v) {
            return Ok(Some(w.clone()));
        }
        let window = match self.provenance.made_by(v).cloned() {
            None => Some(Window { lo: Expr::Index(0), hi: self.extent(v) }),
            Some(Relation::Bound { parent, .. }) => self.window(parent, st, block)?,
            Some(Relation::Fuse { outer, inner, .. }) if !self.provenance.is_position(inner) => {
                let step = self.fused_step(v, inner, st, block)?;
                let hi = build::mul(self.fused_range(outer, st, block)?, step);
                Some(Window {
                    lo: Expr::Index(0),
                    hi: self.bind(&format!("{}_end", self.name(v)), hi, block),
                })
            }
            Some(Relation::Fuse { .. } | Relation::Pos { .. }) => self.positions_of(v, st, block)?,
            Some(Relation::Coord { pos, .. }) => self.coordinates_between(pos, st, block)?,
            Some(Relation::Split { outer, .. }) if v == outer => None,
            Some(Relation::Split { parent, outer, inner, part }) => {
                self.part_of(parent, [outer, inner], part, st, block)?
            }
        };
        if let Some(w) = &window {
            st.windows.insert(v, w.clone());
        }
        Ok(window)
    }

    /// `lo + outer·step .. min(lo + (outer + 1)·step, hi)` of the parent's window, once that and the outer part are known.
    fn part_of(
        &mut self,
        parent: IndexVar,
        [outer, inner]: [IndexVar; 2],
        part: Part,
        st: &mut State,
        block: &mut Block,
    ) -> Found<Option<Window>> {
        let Some(at) = st.coords[outer.0 as usize].clone() else { return Ok(None) };
        let Some(whole) = self.window(parent, st, block)? else { return Ok(None) };
        let step = self.step(parent, part, st, block)?;
        let mut lo = build::add(whole.lo.clone(), build::mul(at, step.clone()));
        // Counted against this very window and in steps of a constant, the outer part stays inside it.
        let inside = matches!(part, Part::Inner(_)) && self.is_counted_in(outer, parent, st);
        if !inside {
            lo = build::min(lo, whole.hi.clone());
        }
        let name = self.name(inner);
        let lo = self.bind(&format!("{name}_begin"), lo, block);
        let mut hi = build::add(lo.clone(), step);
        let exact = match part {
            Part::Inner(n) => st.full.contains(&inner) || (inside && self.comes_out_even(parent, n, st)),
            Part::Outer(_) => false,
        };
        if !exact {
            self.note(format!(
                "the loop over `{name}` ends early in the last part of `{}`: {} need not divide it",
                self.name(parent),
                match part {
                    Part::Inner(n) | Part::Outer(n) => n,
                }
            ));
            hi = self.bind(&format!("{name}_end"), build::min(hi, whole.hi.clone()), block);
        }
        Ok(Some(Window { lo, hi }))
    }

    /// Is the variable's window never empty: one of the constant parts that its range was counted in?
    pub(super) fn is_counted_part(&self, v: IndexVar, st: &State) -> bool {
        match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, inner, part: Part::Inner(_) }) => {
                v == *inner && self.is_counted_in(*outer, *parent, st)
            }
            _ => false,
        }
    }

    /// Was an outer part counted against the window that its parent has here? In the producer of a workspace it can be that
    /// of a parent whose window is another, because more is known there.
    fn is_counted_in(&self, outer: IndexVar, parent: IndexVar, st: &State) -> bool {
        let Some(here) = st.windows.get(&parent) else { return false };
        let is = |then: &Window| self.same(&then.lo, &here.lo) && self.same(&then.hi, &here.hi);
        st.counted.iter().any(|(v, then)| *v == outer && is(then))
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

    /// Has the variable's window the size of its range here, the last part of a split included?
    fn is_whole_part(&self, v: IndexVar, st: &State) -> bool {
        match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, inner, part: Part::Inner(n) }) => {
                st.full.contains(inner)
                    || (v == *inner
                        && self.is_counted_in(*outer, *parent, st)
                        && self.comes_out_even(*parent, *n, st))
            }
            Some(Relation::Split { .. } | Relation::Coord { .. }) => false,
            Some(Relation::Bound { parent, .. }) => self.is_whole_part(*parent, st),
            Some(Relation::Fuse { outer, inner, .. }) if !self.provenance.is_position(*inner) => {
                self.is_fused_whole(*outer, st) && self.is_fused_whole(*inner, st)
            }
            Some(Relation::Fuse { .. } | Relation::Pos { .. }) | None => true,
        }
    }

    /// Has the variable as many values here as its range is long before any loop?
    fn is_whole_range(&self, v: IndexVar, st: &State) -> bool {
        match self.provenance.made_by(v) {
            _ if st.windows.contains_key(&v) => self.is_whole_part(v, st),
            Some(Relation::Split { outer, part: Part::Outer(_), .. }) if v == *outer => true,
            Some(Relation::Split { inner, part: Part::Inner(_), .. }) if v == *inner => true,
            Some(Relation::Split { parent, .. } | Relation::Bound { parent, .. }) => {
                self.is_whole_range(*parent, st)
            }
            Some(Relation::Fuse { .. } | Relation::Pos { .. } | Relation::Coord { .. }) | None => true,
        }
    }

    /// Does a fused variable count all iterations that this one's range has?
    fn is_fused_whole(&self, v: IndexVar, st: &State) -> bool {
        match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, part: Part::Inner(_), .. }) if v == *outer => {
                self.is_fused_whole(*parent, st)
            }
            Some(Relation::Split { outer, part: Part::Outer(_), .. }) if v == *outer => true,
            _ => self.constant_part(v).is_some() || self.is_whole_part(v, st),
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
    ) -> Found<Expr> {
        if let Some(step) = st.fused.get(&fused) {
            return Ok(step.clone());
        }
        let step = self.fused_range(inner, st, block)?;
        let step = self.bind(&format!("{}_size", self.name(inner)), step, block);
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
    fn fused_range(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Expr> {
        let constant = match self.provenance.made_by(v) {
            Some(Relation::Split { parent, outer, part: Part::Inner(n), .. }) if v == *outer => {
                self.constant_part(*parent).map(|size| size.div_ceil((*n).max(1)))
            }
            _ => self.constant_part(v),
        };
        match constant {
            Some(n) => Ok(Expr::Index(n)),
            None => self.range(v, st, block),
        }
    }

    /// Are there only whole parts of this size in the variable's window?
    pub(super) fn comes_out_even(&self, v: IndexVar, n: u64, st: &State) -> bool {
        n == 1 || (self.divides(v, n) && self.is_whole_part(v, st))
    }

    /// How many values the variable takes here.
    fn range(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Expr> {
        if let Some(w) = self.window(v, st, block)? {
            return Ok(length(&w));
        }
        match self.provenance.made_by(v).cloned() {
            Some(Relation::Split { parent, outer, part, .. }) => match (part, v == outer) {
                (Part::Outer(n), true) | (Part::Inner(n), false) => Ok(Expr::Index(n)),
                (Part::Inner(n), true) => Ok(ceil(self.range(parent, st, block)?, n)),
                (Part::Outer(_), false) => self.step(parent, part, st, block),
            },
            Some(Relation::Bound { parent, .. }) => self.range(parent, st, block),
            _ => self.size(v),
        }
    }

    /// Iterations of a split's inner part: constant, or computed from the divided range.
    fn step(&mut self, parent: IndexVar, part: Part, st: &mut State, block: &mut Block) -> Found<Expr> {
        match part {
            Part::Inner(n) => Ok(Expr::Index(n)),
            Part::Outer(n) => {
                if let Some(step) = st.steps.get(&parent) {
                    return Ok(step.clone());
                }
                let size = self.range(parent, st, block)?;
                let name = format!("{}_step", self.name(parent));
                let step = self.bind(&name, ceil(size, n), block);
                st.steps.insert(parent, step.clone());
                Ok(step)
            }
        }
    }

    /// How many iterations a loop has whose window is not known.
    pub(super) fn count(&mut self, v: IndexVar, st: &mut State, block: &mut Block) -> Found<Expr> {
        let Some(Relation::Split { parent, outer, part, .. }) = self.provenance.made_by(v).cloned() else {
            return self.size(v);
        };
        match (part, v == outer) {
            (Part::Outer(n), true) => {
                self.step(parent, part, st, block)?;
                Ok(Expr::Index(n))
            }
            (_, false) => self.step(parent, part, st, block),
            (Part::Inner(n), true) => {
                if let Some(size) = self.constant_part(parent) {
                    return Ok(Expr::Index(size.div_ceil(n.max(1))));
                }
                if let Some(w) = self.window(parent, st, block)? {
                    st.counted.push((v, w));
                }
                Ok(ceil(self.range(parent, st, block)?, n))
            }
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

    /// A variable's value, recovered from what it is made from if need be.
    pub(super) fn known(&self, v: IndexVar, st: &State) -> Option<Expr> {
        if let Some(e) = &st.coords[v.0 as usize] {
            return Some(e.clone());
        }
        match self.provenance.made_by(v)? {
            Relation::Bound { parent, .. } => self.known(*parent, st),
            Relation::Fuse { outer, inner, .. } if !self.provenance.is_position(*inner) => {
                let (outer, rest) = (self.known(*outer, st)?, self.known(*inner, st)?);
                let step = match st.fused.get(&v) {
                    Some(step) => step.clone(),
                    None => self.size_of(&self.provenance.size(*inner))?,
                };
                Some(build::add(build::mul(outer, step), rest))
            }
            Relation::Split { parent, outer, part, .. } => {
                let whole = self.known(*parent, st)?;
                let step = match part {
                    Part::Inner(n) => Expr::Index(*n),
                    Part::Outer(_) => st.steps.get(parent)?.clone(),
                };
                let op = if v == *outer { IndexOp::Div } else { IndexOp::Rem };
                Some(Expr::IndexOp(op, Box::new(whole), Box::new(step)))
            }
            Relation::Fuse { .. } | Relation::Pos { .. } | Relation::Coord { .. } => None,
        }
    }

    /// What follows from a variable's value: its parents' values as far as their other parts are known, down to
    /// coordinates, with a guard where a parent's value may lie past its range.
    pub(super) fn learn(&mut self, v: IndexVar, st: &mut State, facts: &mut Vec<Fact>) -> Found<()> {
        let known = |st: &State, v: IndexVar| st.coords[v.0 as usize].clone();
        let Some(value) = known(st, v) else { return Ok(()) };
        match self.provenance.made_by(v).cloned() {
            None => self.check_recovered(v, st),
            Some(Relation::Bound { parent, .. }) => {
                st.coords[parent.0 as usize] = Some(value);
                self.learn(parent, st, facts)
            }
            Some(Relation::Split { .. }) => {
                // A renamed chain shares outer parts: every split with this part may now be complete.
                for (parent, outer, inner, part) in self.splits_with(v) {
                    if let (Some(o), Some(i), None) = (known(st, outer), known(st, inner), known(st, parent))
                    {
                        self.recover_split(parent, part, o, i, st, facts)?;
                    }
                }
                Ok(())
            }
            Some(Relation::Fuse { outer, inner, .. }) if !self.provenance.is_position(inner) => {
                let mut block = Block::new();
                let n = match st.fused.get(&v) {
                    Some(step) => step.clone(),
                    None => self.fused_range(inner, st, &mut block)?,
                };
                facts.extend(block.into_iter().map(Fact::Let));
                let quotient = |op| Expr::IndexOp(op, Box::new(value.clone()), Box::new(n.clone()));
                for (part, op) in [(outer, IndexOp::Div), (inner, IndexOp::Rem)] {
                    let e = self.fact(part, quotient(op), facts);
                    st.coords[part.0 as usize] = Some(e);
                    self.learn(part, st, facts)?;
                }
                Ok(())
            }
            Some(Relation::Fuse { .. } | Relation::Pos { .. }) => self.learn_position(v, value, st, facts),
            Some(Relation::Coord { pos, .. }) => {
                let Swept::Coordinates(root) = self.swept(v)? else {
                    return Err(internal(self.kernel, "`coord` gives coordinates"));
                };
                let mut block = Block::new();
                let Some(w) = self.window(v, st, &mut block)? else {
                    return Err(self.coord_of_outer(pos));
                };
                facts.extend(block.into_iter().map(Fact::Let));
                let e = self.fact(root, build::add(w.lo, value), facts);
                st.coords[root.0 as usize] = Some(e);
                self.check_recovered(root, st)
            }
        }
    }

    /// Rows of an assembled result are closed by the loops that find them, one after another: a coordinate that is
    /// recovered from something else would leave them open.
    pub(super) fn check_recovered(&self, root: IndexVar, st: &State) -> Found<()> {
        // On a GPU a row is a thread's own, however it is found.
        let assembled =
            matches!(st.lhs, Lhs::Output { .. }) && self.out.is_assembled() && self.out.assembly.is_none();
        if !assembled || !self.out.vars.contains(&root) {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::new(
                "recovered-append",
                self.kernel.assignment.lhs.span,
                format!(
                    "the result is assembled row by row, but the schedule recovers `{}` from other variables",
                    self.name(root)
                ),
            )
            .help("leave its variables unfused, inner parts inside outer ones; or return a tensor whose levels are all dense, and `.convert()` it"),
        ))
    }

    fn coord_of_outer(&self, pos: IndexVar) -> Box<Diagnostic> {
        let name = self.name(pos);
        Box::new(
            Diagnostic::new(
                "coord-of-outer",
                self.kernel.assignment.lhs.span,
                format!(
                    "`{name}` counts parts of positions, which span no range of coordinates by themselves"
                ),
            )
            .help("take the coordinates of the inner part, with the outer part's loop around it"),
        )
    }

    fn splits_with(&self, v: IndexVar) -> Vec<(IndexVar, IndexVar, IndexVar, Part)> {
        let split = |r: &Relation| match *r {
            Relation::Split { parent, outer, inner, part } if v == outer || v == inner => {
                Some((parent, outer, inner, part))
            }
            _ => None,
        };
        self.provenance.relations().iter().filter_map(split).collect()
    }

    fn recover_split(
        &mut self,
        parent: IndexVar,
        part: Part,
        outer: Expr,
        inner: Expr,
        st: &mut State,
        facts: &mut Vec<Fact>,
    ) -> Found<()> {
        let mut block = Block::new();
        let step = self.step(parent, part, st, &mut block)?;
        let (range, whole) = match self.constant_part(parent) {
            Some(n) => (Expr::Index(n), true),
            None => {
                let range = self.range(parent, st, &mut block)?;
                (range, self.is_whole_range(parent, st))
            }
        };
        facts.extend(block.into_iter().map(Fact::Let));
        let value = self.fact(parent, build::add(build::mul(outer, step), inner), facts);
        let (Part::Inner(n) | Part::Outer(n)) = part;
        if !(whole && self.divides(parent, n)) {
            let name = self.name(parent);
            self.note(format!("a guard keeps `{name}` inside its range: its parts need not divide it"));
            facts.push(Fact::Guard(build::lt(value.clone(), range)));
        }
        st.coords[parent.0 as usize] = Some(value);
        self.learn(parent, st, facts)
    }

    /// Sets the values of the variables between a loop's own and the coordinate or position that it iterates.
    pub(super) fn learn_chain(&mut self, leaf: IndexVar, at: &Expr, st: &mut State) {
        let mut v = leaf;
        while let Some(r) = self.provenance.made_by(v).cloned() {
            if st.coords[v.0 as usize].is_none()
                && let Some(w) = st.windows.get(&v)
            {
                st.coords[v.0 as usize] = Some(build::sub(at.clone(), w.lo.clone()));
            }
            match r {
                Relation::Split { parent, .. } | Relation::Bound { parent, .. } => v = parent,
                _ => return,
            }
        }
    }

    /// A value under a variable's name.
    pub(super) fn fact(&mut self, v: IndexVar, value: Expr, facts: &mut Vec<Fact>) -> Expr {
        if let Expr::Var(_) | Expr::Index(_) = value {
            return value;
        }
        let name = self.name(v);
        let var = self.fresh(&name, Ty::Index);
        self.definitions.insert(var, value.clone());
        facts.push(Fact::Let(Stmt::Let { var, value }));
        Expr::Var(var)
    }

    /// A constant with a name, unless it is one already.
    pub(super) fn bind(&mut self, name: &str, value: Expr, block: &mut Block) -> Expr {
        if let Expr::Var(_) | Expr::Index(_) = value {
            return value;
        }
        let var = self.fresh(name, Ty::Index);
        self.definitions.insert(var, value.clone());
        block.push(Stmt::Let { var, value });
        Expr::Var(var)
    }
}

/// The facts in order, around the code that they hold for.
pub(super) fn under(facts: Vec<Fact>, mut body: Block) -> Block {
    if body.is_empty() {
        return body;
    }
    for fact in facts.into_iter().rev() {
        match fact {
            Fact::Let(s) => body.insert(0, s),
            Fact::Guard(cond) => body = super::region::guard(cond, body),
        }
    }
    body
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
        size => Expr::IndexOp(
            IndexOp::Div,
            Box::new(build::add(size, Expr::Index(n - 1))),
            Box::new(Expr::Index(n)),
        ),
    }
}
