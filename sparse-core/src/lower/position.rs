//! Loops over stored positions of one operand, the leader; all others are located.
//!
//! A part of a fused position space may begin and end inside a row. The row of its first position is found by binary
//! search, and the rows after it by advancing, past empty ones too (OOPSLA 2020, section 5.1: tracking):
//!
//! ```text
//! i = upper_bound(pos, p) - 1;
//! while p < hi { end = min(pos[i + 1], hi); for p in p..end { … }; p = end; i += 1; }
//! ```
//!
//! Inside a row the positions are a plain loop, so that everything known about rows (scalar promotion, register
//! tiles) holds there too.

use super::place::{Leader, Swept};
use super::recover::Fact;
use super::region::{Sweep, Window};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer, internal, joined};
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Bound, BufferId, Expr, LoopKind, Stmt, Ty, VarId, build};
use crate::looplet::{LevelRef, Position};

/// The levels of a leader that a loop runs over.
pub(super) struct Span {
    /// The first of them.
    pub(super) first: usize,
    /// The first of those that share their positions: a level and the singletons below it.
    pub(super) group: usize,
    /// Past the last.
    pub(super) end: usize,
}

/// Positions of consecutive parents: `begin..end`.
pub(super) type Parents = (Expr, Expr);

/// Where in an array of positions the end of a parent's children is to be found.
pub(super) type Range = (Expr, Expr);

/// Levels that a loop runs over, and for each the positions that its parents have here.
#[derive(Clone, Copy)]
pub(super) struct Spanned<'a> {
    pub(super) leader: &'a Leader,
    pub(super) span: &'a Span,
    pub(super) parents: &'a [Parents],
}

impl Lowerer<'_> {
    fn span(&self, leader: &Leader, st: &State) -> Result<Span, Box<Diagnostic>> {
        let a = leader.access.index();
        let original = |v: IndexVar| self.provenance.original(v);
        let first = self.level_vars[a].iter().position(|v| original(*v) == original(leader.roots[0]));
        let Some(first) = first.filter(|f| st.cursors[a].level == *f) else {
            return Err(self.not_walked(leader));
        };
        let end = first + leader.roots.len();
        let single = |l: &LevelRef| matches!(l.level, Level::Singleton { .. });
        let group = (first..end).rev().find(|&l| !single(&self.levels[a][l])).unwrap_or(first);
        let upper = &self.levels[a][first..group];
        let unique = upper.iter().all(|l| l.level.is_unique() && !single(l));
        if self.levels[a][end - 1].level.is_unique() && unique {
            Ok(Span { first, group, end })
        } else {
            Err(Box::new(
                Diagnostic::new(
                    "pos-not-unique",
                    self.kernel.assignment.lhs.span,
                    format!(
                        "positions of `{}` are not entries: equal coordinates are stored more than once",
                        self.tensor_name(leader.access)
                    ),
                )
                .help("use a format whose levels are unique there, such as `Csr` or `Coo`"),
            ))
        }
    }

    /// Where the leader stores nothing there is nothing to do, but the output learns of it.
    fn drops_gaps(&mut self, leader: &Leader, st: &State) -> Result<(), Box<Diagnostic>> {
        if st.walks.contains(&leader.access) {
            self.note_dropped(st);
            return Ok(());
        }
        if !st.idles_without(self, &[leader.access]) {
            return Err(self.not_walked(leader));
        }
        self.note_dropped(st);
        Ok(())
    }

    fn not_walked(&self, leader: &Leader) -> Box<Diagnostic> {
        let name = self.tensor_name(leader.access);
        Box::new(
            Diagnostic::new(
                "pos-not-walked",
                self.kernel.assignment.lhs.span,
                format!("a loop runs over the positions of `{name}`, but what it computes does not read `{name}`"),
            )
            .help("leave the operand whose positions are taken out of what is precomputed, or precompute before `pos`"),
        )
    }

    /// The positions of each level, for all that is below the leader's cursor.
    pub(super) fn parents(
        &mut self,
        leader: &Leader,
        span: &Span,
        st: &State,
        block: &mut Block,
    ) -> Vec<Parents> {
        let a = leader.access;
        let tensor = self.tensor_name(a);
        let mut range = match st.cursors[a.index()].position.clone() {
            Position::One(p) => (p.clone(), build::add(p, Expr::Index(1))),
            Position::Range(begin, end) => (begin, end),
        };
        let mut all = Vec::new();
        for l in span.first..span.end {
            let level = self.levels[a.index()][l].clone();
            range = match (level.level, level.pos) {
                (Level::Dense, _) => {
                    (build::mul(range.0, level.size.clone()), build::mul(range.1, level.size))
                }
                (Level::Compressed { .. }, Some(pos)) => {
                    let begin =
                        self.bind(&format!("p{tensor}{}_begin", l + 1), first_child(pos, range.0), block);
                    let end = self.bind(&format!("p{tensor}{}_end", l + 1), build::load(pos, range.1), block);
                    (begin, end)
                }
                (Level::Compressed { .. }, None) | (Level::Singleton { .. }, _) => range,
            };
            all.push(range.clone());
        }
        all
    }

    /// The window of a position variable that is no part of another.
    pub(super) fn positions_of(
        &mut self,
        v: IndexVar,
        st: &mut State,
        block: &mut Block,
    ) -> Result<Option<Window>, Box<Diagnostic>> {
        let Swept::Positions(leader) = self.swept(v)? else {
            return Err(internal(self.kernel, "positions of what has none"));
        };
        let span = self.span(&leader, st)?;
        match self.parents(&leader, &span, st, block).pop() {
            Some((lo, hi)) => Ok(Some(Window { lo, hi })),
            None => Err(internal(self.kernel, "positions of no level")),
        }
    }

    /// The coordinates from the first of a window of positions up to the first of the next: every coordinate belongs
    /// to one window.
    pub(super) fn coordinates_between(
        &mut self,
        pos: IndexVar,
        st: &mut State,
        block: &mut Block,
    ) -> Result<Option<Window>, Box<Diagnostic>> {
        let Some(w) = self.window(pos, st, block)? else { return Ok(None) };
        let Swept::Positions(leader) = self.swept(pos)? else {
            return Err(internal(self.kernel, "`coord` of what has no positions"));
        };
        let (Some(all), [root]) = (self.window(leader.pos, st, block)?, &leader.roots[..]) else {
            return Err(internal(self.kernel, "`coord` of fused positions"));
        };
        // A position variable has all coordinates of its dimensions (`schedule::pos`).
        let whole = Window { lo: Expr::Index(0), hi: self.extent(*root) };
        let at = st.cursors[leader.access.index()].level;
        let Some(crd) = self.levels[leader.access.index()].get(at).and_then(|l| l.crd) else {
            return Err(internal(self.kernel, "`coord` of a level without coordinates"));
        };
        if w != all {
            // Where there are no positions they have no parts, and no coordinate belongs to one.
            self.note_dropped(st);
        }
        let name = self.name(*root);
        let lo = if w.lo == all.lo {
            whole.lo
        } else {
            let first = build::le(w.lo.clone(), all.lo.clone());
            // The last parts of a divided range may be empty, and all of them where there are no positions.
            let some = build::lt(w.lo.clone(), all.hi.clone());
            let stored = build::select(first, whole.lo, build::load(crd, w.lo));
            self.bind(&format!("{name}_begin"), build::select(some, stored, whole.hi.clone()), block)
        };
        let hi = if w.hi == all.hi {
            whole.hi
        } else {
            let more = build::lt(w.hi.clone(), all.hi.clone());
            self.bind(&format!("{name}_end"), build::select(more, build::load(crd, w.hi), whole.hi), block)
        };
        Ok(Some(Window { lo, hi }))
    }

    /// A loop over positions, or a part of them.
    pub(super) fn positions(&mut self, leader: &Leader, loops: &[IndexVar], w: Window, st: State) -> Lowered {
        self.drops_gaps(leader, &st)?;
        let span = self.span(leader, &st)?;
        if span.group > span.first && !self.needs_rows(leader, &st) {
            let st = self.beside_rows(leader, &span, loops[0], st);
            return self.leaf_positions(loops, w, st);
        }
        if self.is_bound(loops[0]) && (span.group > span.first || self.by_segments(loops[0], &st)) {
            return self.lane_positions(leader, &span, loops, w, st);
        }
        if span.group == span.first {
            return self.leaf_positions(loops, w, st);
        }
        let mut block = Block::new();
        let parents = self.parents(leader, &span, &st, &mut block);
        let code = if leader.pos == loops[0] {
            self.all_rows(Spanned { leader, span: &span, parents: &parents }, span.first, loops, st)?
        } else {
            self.some_rows(leader, &span, &parents, loops, &w, st)?
        };
        Ok(if code.is_empty() { code } else { joined(block, code) })
    }

    /// Does what is computed at a position depend on the coordinates above its own?
    pub(super) fn needs_rows(&self, leader: &Leader, st: &State) -> bool {
        let Ok(span) = self.span(leader, st) else { return true };
        let rows = &leader.roots[..span.group - span.first];
        // Parts of positions count positions, whatever rows these are in.
        let from = |v: &IndexVar| {
            !self.provenance.is_position(*v) && rows.iter().any(|r| self.provenance.roots(*v).contains(r))
        };
        let mut needs = match &st.lhs {
            Lhs::Output { .. } => {
                !self.out.is_at(leader.access, span.group) && self.out.vars.iter().any(from)
            }
            Lhs::Array(target) => target.indices.iter().any(from),
            Lhs::Scattered(target) => target.indices.iter().any(from),
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) => false,
        };
        st.rhs.for_each_production(&mut |p| needs |= p.read.iter().chain(&p.written).any(from));
        st.rhs.for_each_access(&mut |a| {
            let left = &self.level_vars[a.index()][st.cursors[a.index()].level..];
            needs |= a != leader.access && left.iter().any(from);
        });
        needs
    }

    /// The state in which the rows of fused positions are passed over: nothing depends on their coordinates, so that an
    /// element may be written in each of them.
    fn beside_rows(&self, leader: &Leader, span: &Span, v: IndexVar, mut st: State) -> State {
        self.note_repeated(v, &mut st);
        for root in &leader.roots[..span.group - span.first] {
            st.coords[root.index()] = Some(Expr::Index(0));
        }
        st.cursors[leader.access.index()].level = span.group;
        st
    }

    /// `for q in parents { … }`, a loop a level.
    fn all_rows(&mut self, of: Spanned<'_>, level: usize, loops: &[IndexVar], st: State) -> Lowered {
        let Spanned { leader, span, parents } = of;
        let (lo, hi) = match level == span.first {
            true => parents[0].clone(),
            false => self.children(leader, level, &st),
        };
        let name = self.row_name(leader, span, level, parents);
        let q = self.fresh(&name, Ty::Index);
        let mut body = Block::new();
        let mut inner = self.at_row(of, level, q, st, &mut body)?;
        let code = if level + 1 == span.group {
            let (lo, hi) = self.children(leader, span.group, &inner);
            inner.leaf = Some((loops[0], Window { lo, hi }));
            self.lower(loops, inner)?
        } else {
            self.all_rows(of, level + 1, loops, inner)?
        };
        if code.is_empty() {
            return Ok(code);
        }
        body.extend(code);
        Ok(vec![Stmt::For { var: q, lo, hi, step: 1, kind: LoopKind::Serial, body }])
    }

    /// A row's position is its coordinate where a dense level begins the storage.
    pub(super) fn row_name(&self, leader: &Leader, span: &Span, level: usize, parents: &[Parents]) -> String {
        let a = leader.access;
        let is_coordinate = self.levels[a.index()][level].crd.is_none()
            && level == span.first
            && parents[0].0 == Expr::Index(0);
        match is_coordinate {
            true => self.name(leader.roots[0]),
            false => format!("p{}{}", self.tensor_name(a), level + 1),
        }
    }

    /// The children of the leader's cursor at a level.
    fn children(&self, leader: &Leader, level: usize, st: &State) -> Parents {
        let Position::One(q) = st.cursors[leader.access.index()].position.clone() else {
            unreachable!("the levels above a row are unique")
        };
        self.children_of(&self.levels[leader.access.index()][level], q)
    }

    pub(super) fn children_of(&self, level: &LevelRef, q: Expr) -> Parents {
        let next = build::add(q.clone(), Expr::Index(1));
        match level.pos {
            Some(pos) => (build::load(pos, q), build::load(pos, next)),
            None => (build::mul(q, level.size.clone()), build::mul(next, level.size.clone())),
        }
    }

    /// The state at position `q` of a level, whose coordinate is declared.
    pub(super) fn at_row(
        &mut self,
        of: Spanned<'_>,
        level: usize,
        q: VarId,
        st: State,
        body: &mut Block,
    ) -> Result<State, Box<Diagnostic>> {
        let Spanned { leader, span, parents } = of;
        let root = leader.roots[level - span.first];
        let coordinate = self.coordinate_at(leader, span, level, q.into(), parents);
        let name = self.name(root);
        let at = self.bind(&name, coordinate, body);
        let mut inner = st.step(leader.access, Position::One(q.into()));
        inner.coords[root.index()] = Some(at);
        inner.repeated |= !self.out.vars.contains(&root);
        self.check_recovered(root, &inner)?;
        Ok(inner)
    }

    /// The position of a level among `parents` whose children include a position of the next.
    pub(super) fn parent_of(&self, leader: &Leader, level: usize, parents: &Parents, child: Expr) -> Expr {
        self.parent_within(leader, level, &range(parents), child)
    }

    /// The same, by a search in this range.
    pub(super) fn parent_within(&self, leader: &Leader, level: usize, range: &Range, child: Expr) -> Expr {
        let next = &self.levels[leader.access.index()][level + 1];
        match next.pos {
            Some(pos) => {
                let (lo, hi) = range.clone();
                let after = build::search(Bound::Upper, pos, lo, hi, child);
                build::sub(after, Expr::Index(1))
            }
            None => build::div(child, next.size.clone()),
        }
    }

    /// `for p in lo..hi`, every level of the leader's group read at `p`.
    pub(super) fn leaf_positions(&mut self, loops: &[IndexVar], w: Window, mut st: State) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a position loop") };
        let Swept::Positions(leader) = self.swept(v)? else {
            return Err(internal(self.kernel, "positions of what has none"));
        };
        st.leaf = None;
        let a = leader.access;
        let p = self.fresh(&format!("p{}", self.tensor_name(a)), Ty::Index);
        let mut inner = self.enter(v, st.clone());
        let mut body = Block::new();
        let group: Vec<IndexVar> = self.unknown_roots(v, &st);
        let first = st.cursors[a.index()].level;
        self.learn_chain(v, &Expr::Var(p), &mut inner);
        for level in first..first + group.len() {
            inner.arrive(a, level + 1, Position::One(p.into()));
        }
        let Some((&last, upper)) = group.split_last() else {
            return Err(internal(self.kernel, "a position whose coordinates are known"));
        };
        let mut at = Expr::Index(0);
        for (n, &root) in group.iter().enumerate() {
            let level = self.levels[a.index()][first + n].clone();
            let coordinate = match level.crd {
                Some(crd) => build::load(crd, p),
                // A dense level with a singleton below: its positions are those of the singleton. At the root they are
                // coordinates; below it rows may have been passed over.
                None if first + n == 0 => Expr::Var(p),
                None => build::rem(p, level.size),
            };
            let name = self.name(root);
            at = self.bind(&name, coordinate, &mut body);
            inner.coords[root.index()] = Some(at.clone());
        }
        for &root in upper {
            self.check_recovered(root, &inner)?;
            inner.repeated |= !self.out.vars.contains(&root);
        }
        let code = self.bind_coordinate(Sweep { var: last, leaf: v, rest }, at, inner)?;
        if code.is_empty() {
            return Ok(code);
        }
        body.extend(code);
        self.finish_loop(v, p, w, body, &self.outside(v, &st))
    }

    /// The coordinate at a position of one of the leader's levels.
    pub(super) fn coordinate_at(
        &self,
        leader: &Leader,
        span: &Span,
        level: usize,
        position: Expr,
        parents: &[Parents],
    ) -> Expr {
        let stored = &self.levels[leader.access.index()][level];
        match stored.crd {
            Some(crd) => build::load(crd, position),
            None if level == span.first => build::sub(position, parents[0].0.clone()),
            None => build::rem(position, stored.size.clone()),
        }
    }

    /// The coordinates of a position that was counted to, each parent found by a search of its own.
    pub(super) fn learn_position(
        &mut self,
        v: IndexVar,
        value: Expr,
        st: &mut State,
        facts: &mut Vec<Fact>,
    ) -> Result<(), Box<Diagnostic>> {
        let Swept::Positions(leader) = self.swept(v)? else {
            return Err(internal(self.kernel, "positions of what has none"));
        };
        self.drops_gaps(&leader, st)?;
        let mut block = Block::new();
        let span = self.span(&leader, st)?;
        let parents = self.parents(&leader, &span, st, &mut block);
        let Some(w) = self.window(v, st, &mut block)? else {
            return Err(internal(self.kernel, "a position is counted before its range is known"));
        };
        let tensor = self.tensor_name(leader.access);
        let p = self.bind(&format!("p{tensor}"), build::add(w.lo, value), &mut block);
        let of = Spanned { leader: &leader, span: &span, parents: &parents };
        self.entry(of, &ranges(&parents), p, st, &mut block)?;
        facts.extend(Fact::of(block));
        Ok(())
    }

    /// What is stored at a position of the last of the leader's levels: every coordinate, each parent found by a search
    /// of its own, in the range of its level. Gives the positions of the levels.
    pub(super) fn entry(
        &mut self,
        of: Spanned<'_>,
        ranges: &[Range],
        p: Expr,
        st: &mut State,
        block: &mut Block,
    ) -> Result<Vec<Expr>, Box<Diagnostic>> {
        let Spanned { leader, span, parents } = of;
        let a = leader.access;
        let tensor = self.tensor_name(a);
        let mut positions = Vec::new();
        let mut below = p.clone();
        for level in (span.first..span.end).rev() {
            let root = leader.roots[level - span.first];
            if level < span.group {
                let found = self.parent_within(leader, level, &ranges[level - span.first], below);
                below = self.bind(&format!("p{tensor}{}", level + 1), found, block);
            }
            positions.insert(0, below.clone());
            let coordinate = self.coordinate_at(leader, span, level, below.clone(), parents);
            let name = self.name(root);
            st.coords[root.index()] = Some(self.bind(&name, coordinate, block));
            self.check_recovered(root, st)?;
        }
        for (level, position) in (span.first..span.end).zip(&positions) {
            st.arrive(a, level + 1, Position::One(position.clone()));
        }
        Ok(positions)
    }
}

/// `pos[q]`; a level's positions begin with 0.
fn first_child(pos: BufferId, q: Expr) -> Expr {
    if q == Expr::Index(0) { q } else { build::load(pos, q) }
}

/// The range of a search among all parents: the last one's end needs no look.
pub(super) fn range((begin, end): &Parents) -> Range {
    (build::add(begin.clone(), Expr::Index(1)), end.clone())
}

/// The same by level.
pub(super) fn ranges(parents: &[Parents]) -> Vec<Range> {
    parents.iter().map(range).collect()
}
