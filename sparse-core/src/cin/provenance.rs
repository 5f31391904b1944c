//! The provenance graph: which index variable comes from which, and by what command.
//!
//! Every scheduling command that replaces loops records a relation between the variables it consumes and those it
//! makes. Lowering asks the graph three things (OOPSLA 2020, section 5): the *size* of a variable's range, over what
//! a loop *sweeps* given what is known outside it, and how a parent is *recovered* once all of its parts are known.
//! A variable is a *leaf* if nothing was made from it: leaves are what loops run over.

use super::Access;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Merge, Strategy, Unit};
use std::ops::Deref;

/// Which part of a split has the constant size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `split`: the inner loop has so many iterations.
    Inner(u64),
    /// `divide`: the outer loop has so many iterations.
    Outer(u64),
}

/// How index variables come from one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `parent = outer · size + inner`
    Split {
        /// Split variable: of coordinates or of positions.
        parent: IndexVar,
        /// Outer part.
        outer: IndexVar,
        /// Inner part.
        inner: IndexVar,
        /// The constant.
        part: Part,
    },
    /// `fused = outer · |inner| + inner`
    Fuse {
        /// Outer variable.
        outer: IndexVar,
        /// Inner variable.
        inner: IndexVar,
        /// Made from both.
        fused: IndexVar,
    },
    /// `coord = crd[pos]`
    Pos {
        /// Coordinate variable, perhaps fused.
        coord: IndexVar,
        /// Position variable.
        pos: IndexVar,
        /// Whose positions.
        access: Access,
    },
    /// The coordinates from one stored position to the next.
    Coord {
        /// Position variable.
        pos: IndexVar,
        /// Coordinate variable.
        coord: IndexVar,
    },
    /// The same variable with a promise about its size.
    Bound {
        /// Unbounded variable.
        parent: IndexVar,
        /// The same, bounded.
        child: IndexVar,
        /// The constant.
        size: u64,
        /// Is the size the constant, or only a multiple of it?
        exact: bool,
    },
}

impl Relation {
    /// The variables consumed.
    pub fn parents(&self) -> Ends {
        match *self {
            Relation::Split { parent, .. } | Relation::Bound { parent, .. } => Ends([parent; 2], 1),
            Relation::Fuse { outer, inner, .. } => Ends([outer, inner], 2),
            Relation::Pos { coord, .. } => Ends([coord; 2], 1),
            Relation::Coord { pos, .. } => Ends([pos; 2], 1),
        }
    }

    /// Is the variable one of those made?
    pub fn makes(&self, v: IndexVar) -> bool {
        match *self {
            Relation::Split { outer, inner, .. } => outer == v || inner == v,
            Relation::Fuse { fused, .. } => fused == v,
            Relation::Pos { pos, .. } => pos == v,
            Relation::Coord { coord, .. } => coord == v,
            Relation::Bound { child, .. } => child == v,
        }
    }

    /// The variables made, outermost first.
    pub fn children(&self) -> Ends {
        match *self {
            Relation::Split { outer, inner, .. } => Ends([outer, inner], 2),
            Relation::Fuse { fused, .. } => Ends([fused; 2], 1),
            Relation::Pos { pos, .. } => Ends([pos; 2], 1),
            Relation::Coord { coord, .. } => Ends([coord; 2], 1),
            Relation::Bound { child, .. } => Ends([child; 2], 1),
        }
    }
}

/// The one or two variables on one side of a relation, as a slice.
#[derive(Clone, Copy, Debug)]
pub struct Ends([IndexVar; 2], usize);

impl Deref for Ends {
    type Target = [IndexVar];

    fn deref(&self) -> &[IndexVar] {
        &self.0[..self.1]
    }
}

/// What the schedule says about the loop over a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// Unrolled so often.
    pub unroll: Option<u32>,
    /// How sorted coordinates are merged.
    pub merge: Option<Merge>,
    /// What runs the iterations, and how races are resolved.
    pub parallel: Option<(Unit, Strategy)>,
    /// The loop over the parts of a `divide` has fewer iterations than it says where these are not worth it: one, if there is
    /// little to do.
    pub worth: Option<Worth>,
}

/// How many parts of a loop are worth it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// By the operations of each.
    Work,
    /// Each is of so many threads, which have some terms each at least. Where the result has several elements, they share as many
    /// parts as there are for one.
    Terms {
        /// Threads of a part.
        threads: u32,
    },
}

/// The size of a variable's range, as far as it is known before any loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// A constant.
    Const(u64),
    /// The dimension that an original variable indexes.
    Extent(IndexVar),
    /// Rounded up.
    Ceil(Box<Size>, u64),
    /// Of a fused variable.
    Product(Box<Size>, Box<Size>),
    /// Stored positions, known once the loops outside have found the fiber.
    Positions,
}

/// The graph, with the names of all variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    names: Vec<String>,
    relations: Vec<Relation>,
    /// By variable: the first relation that made it, and the first that consumed it.
    made_by: Vec<Option<usize>>,
    consumed_by: Vec<Option<usize>>,
    tags: Vec<Tag>,
    /// Variables without a maker that stand for another in the producer of a workspace, and for which.
    renamed: Vec<(IndexVar, IndexVar)>,
    /// The commands that made or tagged a variable, as the user wrote them.
    commands: Vec<(IndexVar, String)>,
}

impl Provenance {
    /// The graph of an unscheduled kernel: its index variables, unrelated.
    pub fn new(kernel: &Kernel) -> Provenance {
        let names: Vec<_> = kernel.vars.iter().map(|v| v.name.clone()).collect();
        let tags = vec![Tag::default(); names.len()];
        let none = vec![None; names.len()];
        Provenance { tags, names, made_by: none.clone(), consumed_by: none, ..Provenance::default() }
    }

    /// A new variable.
    pub fn fresh(&mut self, name: &str) -> IndexVar {
        self.names.push(name.to_owned());
        self.tags.push(Tag::default());
        self.made_by.push(None);
        self.consumed_by.push(None);
        IndexVar(self.names.len() as u32 - 1)
    }

    /// A new variable that ranges over the dimension of `of`, which has no maker: its name in a producer's loops.
    pub fn rename(&mut self, of: IndexVar, name: &str) -> IndexVar {
        let var = self.fresh(name);
        self.renamed.push((var, of));
        var
    }

    /// The index variable of the kernel's statement whose dimension a variable without a maker ranges over.
    pub fn original(&self, v: IndexVar) -> IndexVar {
        match self.renamed.iter().find(|(var, _)| *var == v) {
            Some(&(_, of)) => self.original(of),
            None => v,
        }
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// A variable's name.
    pub fn name(&self, v: IndexVar) -> &str {
        &self.names[v.index()]
    }

    /// The variable of a name; of several, the last made.
    pub fn find(&self, name: &str) -> Option<IndexVar> {
        self.names.iter().rposition(|n| n == name).map(|at| IndexVar(at as u32))
    }

    /// What the schedule says about a loop.
    pub fn tag(&self, v: IndexVar) -> Tag {
        self.tags[v.index()]
    }

    /// The same, to change.
    pub fn tag_mut(&mut self, v: IndexVar) -> &mut Tag {
        &mut self.tags[v.index()]
    }

    /// A command made a variable, or tagged its loop.
    pub fn record(&mut self, v: IndexVar, command: &str) {
        self.commands.push((v, command.to_owned()));
    }

    /// The commands that made a variable and tagged its loop, as the user wrote them.
    pub fn commands(&self, v: IndexVar) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(move |(w, _)| *w == v).map(|(_, command)| command.as_str())
    }

    /// A command relates variables.
    pub fn relate(&mut self, relation: Relation) {
        let at = self.relations.len();
        for v in relation.children().iter() {
            self.made_by[v.index()].get_or_insert(at);
        }
        for v in relation.parents().iter() {
            self.consumed_by[v.index()].get_or_insert(at);
        }
        self.relations.push(relation);
    }

    /// In the order of the commands.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The relation that made a variable.
    pub fn made_by(&self, v: IndexVar) -> Option<&Relation> {
        self.made_by[v.index()].map(|at| &self.relations[at])
    }

    /// The relation that consumed a variable.
    pub fn consumed_by(&self, v: IndexVar) -> Option<&Relation> {
        self.consumed_by[v.index()].map(|at| &self.relations[at])
    }

    /// The variables without a maker that a variable comes from, outermost first.
    pub fn roots(&self, v: IndexVar) -> Vec<IndexVar> {
        self.reach(v, Self::made_by, Relation::parents)
    }

    /// The leaves made from a variable, outermost first; itself if nothing was made from it.
    pub fn leaves(&self, v: IndexVar) -> Vec<IndexVar> {
        self.reach(v, Self::consumed_by, Relation::children)
    }

    /// Where one gets from a variable by relations that have it on one side, to their other side. Each variable is
    /// visited once: fusing what was split makes paths that meet again.
    fn reach(
        &self,
        v: IndexVar,
        from: for<'a> fn(&'a Self, IndexVar) -> Option<&'a Relation>,
        to: fn(&Relation) -> Ends,
    ) -> Vec<IndexVar> {
        if from(self, v).is_none() {
            return vec![v];
        }
        let mut ends = Vec::new();
        let mut seen = vec![v];
        let mut work = vec![v];
        while let Some(v) = work.pop() {
            match from(self, v) {
                None => ends.push(v),
                Some(r) => {
                    for &next in to(r).iter().rev() {
                        if !seen.contains(&next) {
                            seen.push(next);
                            work.push(next);
                        }
                    }
                }
            }
        }
        ends
    }

    /// Where a variable becomes known inside these loops, outermost first: in the last of those that it is recovered
    /// from. `None` if it can't be recovered there.
    pub fn depth(&self, v: IndexVar, loops: &[IndexVar]) -> Option<usize> {
        if let Some(at) = loops.iter().position(|&l| l == v) {
            return Some(at);
        }
        let mut deepest = Some(0);
        self.visit(v, loops, &mut vec![], &mut |at| deepest = deepest.zip(at).map(|(a, b)| a.max(b)));
        deepest
    }

    /// Where the first of the loops that a variable is recovered from stands.
    pub fn first_depth(&self, v: IndexVar, loops: &[IndexVar]) -> Option<usize> {
        let mut first: Option<usize> = None;
        self.visit(v, loops, &mut vec![], &mut |at| first = [first, at].into_iter().flatten().min());
        first
    }

    /// The relations that made a variable: several if a producer's renamed variable shares its part of a split.
    pub fn makers(&self, v: IndexVar) -> impl Iterator<Item = &Relation> {
        self.relations.iter().filter(move |r| r.makes(v))
    }

    /// Is `of` the variable itself, or one that it was made from, through whatever commands?
    pub fn comes_from(&self, v: IndexVar, of: IndexVar) -> bool {
        let mut seen = vec![v];
        let mut at = 0;
        while let Some(&v) = seen.get(at) {
            at += 1;
            for r in self.makers(v) {
                for &parent in r.parents().iter() {
                    if !seen.contains(&parent) {
                        seen.push(parent);
                    }
                }
            }
        }
        seen.contains(&of)
    }

    /// Do two iterations of a loop over `v` always differ in one of these variables?
    pub fn tells_apart(&self, v: IndexVar, indices: &[IndexVar]) -> bool {
        self.differs(v, indices, &mut vec![None; self.names.len()])
    }

    fn differs(&self, v: IndexVar, indices: &[IndexVar], known: &mut Vec<Option<bool>>) -> bool {
        if let Some(known) = known[v.index()] {
            return known;
        }
        let made_apart =
            |r: &Relation, known: &mut _| r.parents().iter().all(|&p| self.differs(p, indices, known));
        let differs = indices.contains(&v) || self.makers(v).any(|r| made_apart(r, known));
        known[v.index()] = Some(differs);
        differs
    }

    /// The variable that counts the positions of an access from which a coordinate is read.
    pub fn position_of(&self, coord: IndexVar, access: &Access) -> Option<IndexVar> {
        self.position_source(coord).filter(|(a, _)| *a == access).map(|(_, pos)| pos)
    }

    /// The operand and the position variable from which a coordinate is read, if it is.
    pub fn position_source(&self, coord: IndexVar) -> Option<(&Access, IndexVar)> {
        let mut v = coord;
        loop {
            match self.consumed_by(v)? {
                Relation::Pos { pos, access, .. } => return Some((access, *pos)),
                Relation::Fuse { fused, .. } => v = *fused,
                Relation::Bound { child, .. } => v = *child,
                Relation::Split { .. } | Relation::Coord { .. } => return None,
            }
        }
    }

    /// Calls `found` on the place of each loop that a variable is recovered from; on `None` for a part without a loop
    /// here. Each variable is visited once.
    fn visit(
        &self,
        v: IndexVar,
        loops: &[IndexVar],
        seen: &mut Vec<IndexVar>,
        found: &mut dyn FnMut(Option<usize>),
    ) {
        if seen.contains(&v) {
            return;
        }
        seen.push(v);
        let at = loops.iter().position(|&l| l == v);
        match self.consumed_by(v).filter(|_| at.is_none()) {
            None => found(at),
            Some(r) => r.children().iter().for_each(|&part| self.visit(part, loops, seen, found)),
        }
    }

    /// Does the variable count stored positions?
    pub fn is_position(&self, v: IndexVar) -> bool {
        match self.made_by(v) {
            Some(Relation::Pos { .. }) => true,
            Some(Relation::Split { parent, .. } | Relation::Bound { parent, .. }) => {
                self.is_position(*parent)
            }
            Some(Relation::Fuse { inner, .. }) => self.is_position(*inner),
            Some(Relation::Coord { .. }) | None => false,
        }
    }

    /// Is the variable made from one that counts positions: from parts of them with coordinates, say?
    pub fn comes_from_positions(&self, v: IndexVar) -> bool {
        let mut all = (0..self.len() as u32).map(IndexVar);
        all.any(|u| self.is_position(u) && self.comes_from(v, u))
    }

    /// The index variable of whose dimension a variable counts coordinates, or parts of so many coordinates each.
    pub fn parts_of(&self, v: IndexVar) -> Option<(IndexVar, u64)> {
        match self.made_by(v) {
            None => Some((self.original(v), 1)),
            Some(Relation::Bound { parent, .. }) => self.parts_of(*parent),
            Some(Relation::Split { parent, outer, part: Part::Inner(n), .. }) if v == *outer => {
                let (root, size) = self.parts_of(*parent)?;
                Some((root, size.checked_mul(*n)?))
            }
            Some(_) => None,
        }
    }

    /// The size of a variable's range.
    pub fn size(&self, v: IndexVar) -> Size {
        match self.made_by(v) {
            None => Size::Extent(self.original(v)),
            Some(Relation::Split { parent, outer, part, .. }) => match (*part, v == *outer) {
                (Part::Inner(n), false) | (Part::Outer(n), true) => Size::Const(n),
                (Part::Inner(n), true) | (Part::Outer(n), false) => ceil(self.size(*parent), n),
            },
            Some(Relation::Fuse { outer, inner, .. }) => match (self.size(*outer), self.size(*inner)) {
                (Size::Const(a), Size::Const(b)) => Size::Const(a.saturating_mul(b)),
                (_, Size::Positions) | (Size::Positions, _) => Size::Positions,
                (a, b) => Size::Product(Box::new(a), Box::new(b)),
            },
            Some(Relation::Pos { .. }) => Size::Positions,
            Some(Relation::Coord { pos, .. }) => self.coordinates(*pos),
            Some(Relation::Bound { size, exact: true, .. }) => Size::Const(*size),
            Some(Relation::Bound { parent, .. }) => self.size(*parent),
        }
    }

    /// The size of the dimension whose positions a variable counts.
    fn coordinates(&self, pos: IndexVar) -> Size {
        match self.made_by(pos) {
            Some(Relation::Pos { coord, .. }) => self.size(*coord),
            Some(r) => self.coordinates(r.parents()[0]),
            None => self.size(pos),
        }
    }

    /// Is the size of a variable's range a multiple of `n`, whatever the tensors?
    pub fn divides(&self, v: IndexVar, n: u64) -> bool {
        match (self.made_by(v), self.size(v)) {
            (_, Size::Const(size)) => size % n == 0,
            (Some(Relation::Bound { parent, size, .. }), _) => size % n == 0 || self.divides(*parent, n),
            _ => n == 1,
        }
    }
}

fn ceil(size: Size, n: u64) -> Size {
    match size {
        Size::Const(c) => Size::Const(c.div_ceil(n.max(1))),
        Size::Positions => Size::Positions,
        size => Size::Ceil(Box::new(size), n),
    }
}
