//! What is known once a loop runs: the values of the variables that its own was made from.
//!
//! Where a part of a split is opened before its siblings, the parent is *recovered* when the last of them is known, behind
//! a guard unless the split divides; a fused variable gives both of its parents (OOPSLA 2020, sections 5.1 to 5.3). Known
//! values of derived variables count from the beginning of their range.

use super::place::{Count, Found, Swept};
use super::region::guard;
use super::state::{Lhs, State};
use super::{Lowerer, internal};
use crate::cin::provenance::{Part, Relation};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr, IndexOp, Stmt, Ty, build};
use std::rc::Rc;

/// What follows from a variable's value, in order.
pub(super) enum Fact {
    /// A declaration.
    Let(Stmt),
    /// What holds for the iterations that take part.
    Guard(Expr),
}

impl Lowerer<'_> {
    /// A variable's value, recovered from what it is made from if need be.
    pub(super) fn known(&self, v: IndexVar, st: &State) -> Option<Expr> {
        if let Some(e) = &st.coords[v.index()] {
            return Some(e.clone());
        }
        match self.provenance.made_by(v)? {
            Relation::Bound { parent, .. } => self.known(*parent, st),
            Relation::Fuse { outer, inner, .. } if !self.provenance.is_position(*inner) => {
                let (outer, rest) = (self.known(*outer, st)?, self.known(*inner, st)?);
                let step = match st.fused.get(&v) {
                    Some(step) => step.n.clone(),
                    None => self.size_of(&self.provenance.size(*inner))?,
                };
                Some(build::add(build::mul(outer, step), rest))
            }
            Relation::Split { parent, outer, part, .. } => {
                let whole = self.known(*parent, st)?;
                let step = match part {
                    Part::Inner(n) => Expr::Index(*n),
                    Part::Outer(_) => st.steps.get(parent)?.n.clone(),
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
        let known = |st: &State, v: IndexVar| st.coords[v.index()].clone();
        let Some(value) = known(st, v) else { return Ok(()) };
        match self.provenance.made_by(v).cloned() {
            None => self.check_recovered(v, st),
            Some(Relation::Bound { parent, .. }) => {
                st.coords[parent.index()] = Some(value);
                if st.within.contains(&v) {
                    st.within.push(parent);
                }
                self.learn(parent, st, facts)
            }
            Some(Relation::Split { .. }) => {
                // A renamed chain shares outer parts: every split with this part may now be complete.
                for (parent, outer, inner, part) in self.splits_with(v) {
                    if let (Some(o), Some(i), None) = (known(st, outer), known(st, inner), known(st, parent))
                    {
                        self.recover_split(parent, part, (o, inner, i), st, facts)?;
                    }
                }
                Ok(())
            }
            Some(Relation::Fuse { outer, inner, .. }) if !self.provenance.is_position(inner) => {
                let mut block = Block::new();
                let n = match st.fused.get(&v) {
                    Some(step) => step.n.clone(),
                    None => self.fused_range(inner, st, &mut block)?.n,
                };
                facts.extend(Fact::of(block));
                let quotient = |op| Expr::IndexOp(op, Box::new(value.clone()), Box::new(n.clone()));
                for (part, op) in [(outer, IndexOp::Div), (inner, IndexOp::Rem)] {
                    let e = self.fact(part, quotient(op), facts);
                    st.coords[part.index()] = Some(e);
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
                facts.extend(Fact::of(block));
                let e = self.fact(root, build::add(w.lo, value), facts);
                st.coords[root.index()] = Some(e);
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

    pub(super) fn splits_with(&self, v: IndexVar) -> Vec<(IndexVar, IndexVar, IndexVar, Part)> {
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
        (outer, part_of, inner): (Expr, IndexVar, Expr),
        st: &mut State,
        facts: &mut Vec<Fact>,
    ) -> Found<()> {
        let mut block = Block::new();
        let step = self.step(parent, part, st, &mut block)?.n;
        // On a GPU the guard of a constant part is the parent's.
        let constant = self.constant_part(parent);
        let range = match constant {
            Some(n) => Count::of(n),
            None => self.range(parent, st, &mut block)?,
        };
        facts.extend(Fact::of(block));
        let value = self.fact(parent, build::add(build::mul(outer, step), inner), facts);
        let (Part::Inner(n) | Part::Outer(n)) = part;
        // A part that has been found to lie in its window lies in that of which it is a part.
        let inside = st.within.contains(&part_of);
        if !(inside || range.whole && self.divides(parent, n)) {
            let name = self.name(parent);
            self.note(format!("a guard keeps `{name}` inside its range: its parts need not divide it"));
            facts.push(Fact::Guard(build::lt(value.clone(), range.n)));
        }
        if constant.is_none() && st.places.contains_key(&parent) {
            st.within.push(parent);
        }
        st.coords[parent.index()] = Some(value);
        self.learn(parent, st, facts)
    }

    /// Sets the values of the variables between a loop's own and the coordinate or position that it iterates.
    pub(super) fn learn_chain(&mut self, leaf: IndexVar, at: &Expr, st: &mut State) {
        let mut v = leaf;
        while let Some(r) = self.provenance.made_by(v).cloned() {
            if st.coords[v.index()].is_none()
                && let Some(place) = st.places.get(&v)
            {
                st.coords[v.index()] = Some(build::sub(at.clone(), place.window.lo.clone()));
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
        Rc::make_mut(&mut self.definitions).insert(var, value.clone());
        facts.push(Fact::Let(Stmt::Let { var, value }));
        Expr::Var(var)
    }
}

impl Fact {
    /// Declarations, as facts.
    pub(super) fn of(block: Block) -> impl Iterator<Item = Fact> {
        block.into_iter().map(Fact::Let)
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
            Fact::Guard(cond) => body = guard(cond, body),
        }
    }
    body
}
