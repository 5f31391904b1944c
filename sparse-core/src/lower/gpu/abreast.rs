//! Several entries of a row abreast, each of which scatters a row of its own.
//!
//! These rows are short as a rule. One after another, each would leave most lanes of a team without an element, and the loads that
//! lead to it would be waited for alone. So a team has parts, and every part an entry:
//!
//! ```text
//! for tile in lo..hi step 32 {
//!     if no row of the tile is longer than the team {
//!         parts have as many lanes as the longest row asks for, 8, 16, …
//!         for first in tile.. step parts {
//!             claim an element of row first + part
//!             for turn in 0..parts { if turn == part { w[at] += value }; wait }
//!         }
//!     } else { for p in the tile { each lane of the team has every T-th element of row p; wait } }
//! }
//! ```
//!
//! Parts combine in turn: the terms of an element are summed in the order in which one thread would sum them. Who has claimed a place
//! need not be the first, so that all places begin with the reduction's identity. What is only counted, or scattered once, needs no
//! turns.

use super::super::Lowerer;
use super::super::assemble::Pass;
use super::TeamLanes;
use super::team::Filled;
use crate::llir::kernel::WARP;
use crate::llir::walk::{rename, visit_stmts};
use crate::llir::{Block, Collective, Expr, IndexOp, LoopKind, MOST, Scanned, Scope, Stmt, Ty, VarId, build};
use crate::scalar::{Monoid, Value};

/// The fewest lanes of a part: those that load one sector of coordinates.
const PART: u32 = 8;

/// Entries of a tile: as many lanes of a team look how long an entry's row is each.
const TILE: u32 = WARP;

/// A loop over entries, in each of which one loop scatters different elements.
struct Entries<'a> {
    /// Which entry.
    var: VarId,
    lo: &'a Expr,
    hi: &'a Expr,
    /// What is known of one.
    known: &'a [Stmt],
    /// Which of its elements.
    element: VarId,
    first: &'a Expr,
    end: &'a Expr,
    body: &'a Block,
}

/// A team's part, as one of its lanes knows it.
struct OwnPart {
    /// Which one, and the lane's number in it.
    number: Expr,
    lane: Expr,
}

/// What a lane has to combine, and where.
struct Claimed {
    /// At which place; [`MOST`] if it has nothing.
    at: VarId,
    value: VarId,
}

impl Entries<'_> {
    /// What is known of an entry of a tile; lanes that have none learn it of the last one.
    fn known_of(&self, own: &Expr, tile_end: &Expr) -> Block {
        let last = build::sub(tile_end.clone(), Expr::Index(1));
        let mut block = vec![Stmt::Let { var: self.var, value: build::min(own.clone(), last) }];
        block.extend(self.known.iter().cloned());
        block
    }
}

impl OwnPart {
    /// Of parts of so many lanes each.
    fn of(lanes: &TeamLanes, width: Expr) -> OwnPart {
        let op = |op| Expr::IndexOp(op, Box::new(lanes.lane.clone()), Box::new(width.clone()));
        OwnPart { number: op(IndexOp::Div), lane: op(IndexOp::Rem) }
    }
}

fn serial(var: VarId, (lo, hi): (Expr, Expr), step: u32, body: Block) -> Stmt {
    Stmt::For { var, lo, hi, step, kind: LoopKind::Serial, body }
}

impl Lowerer<'_> {
    /// A loop over entries whose rows a team's parts scatter abreast; `None` if it is not such a loop.
    pub(super) fn abreast(&mut self, stmt: &Stmt, lanes: &TeamLanes, filled: &Filled<'_>) -> Option<Block> {
        let entries = self.entries(stmt, filled)?;
        if lanes.size < WARP {
            return None;
        }
        let combined = match self.spas[filled.workspace.index()].op.filter(|_| filled.pass == Pass::Fill) {
            Some(op) => Some((op, op.identity(self.dtype)?)),
            None => None,
        };
        Some(self.in_tiles(&entries, combined, lanes, filled))
    }

    fn entries<'a>(&self, stmt: &'a Stmt, filled: &Filled<'_>) -> Option<Entries<'a>> {
        let Stmt::For { var, lo, hi, step: 1, body, .. } = stmt else { return None };
        let (elements, known) = body.split_last()?;
        let Stmt::For { var: element, lo: first, hi: end, body, .. } = elements else { return None };
        // Lanes of other parts compute it as well.
        let constants = known.iter().all(|s| matches!(s, Stmt::Let { .. } | Stmt::Comment(_)));
        let fits = constants && self.is_shared_loop(elements, filled) && scatters_once(body);
        let element = *element;
        fits.then_some(Entries { var: *var, lo, hi, known, element, first, end, body })
    }

    /// Some entries after some others. Values are combined, or elements only counted, or scattered once each.
    fn in_tiles(
        &mut self,
        entries: &Entries<'_>,
        combined: Option<(Monoid, Value)>,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let ordered = combined.is_some();
        filled.begun.set(filled.begun.get() || ordered);
        filled.looks.set(true);
        let mut out = Block::new();
        let hi = self.bind("entries_end", entries.hi.clone(), &mut out);
        let tile = self.fresh("tile", Ty::Index);
        let mut body = Block::new();
        let most = build::add(tile, Expr::Index(TILE.into()));
        let tile_end = self.bind("tile_end", build::min(most, hi.clone()), &mut body);
        let longest = self.longest_row(entries, (tile.into(), &tile_end), lanes, &mut body);
        let short = self.by_parts(entries, (tile.into(), &tile_end), &longest, combined, lanes, filled);
        let mut one_by_one = entries.known.to_vec();
        let elements = self.claims(entries.body.clone(), filled);
        one_by_one.push(lanes.each(entries.element, entries.first.clone(), entries.end.clone(), elements));
        one_by_one.extend(ordered.then(|| lanes.barrier()));
        let mut long = vec![serial(entries.var, (tile.into(), tile_end), 1, one_by_one)];
        self.renew(&mut long);
        let fits = build::le(longest, Expr::Index(lanes.size.into()));
        body.push(Stmt::If { cond: fits, then: short, otherwise: long });
        // Who has nothing to combine looks at the next tile's rows.
        body.extend((!ordered && lanes.scope == Scope::Block).then(|| lanes.barrier()));
        out.push(serial(tile, (entries.lo.clone(), hi), TILE, body));
        out
    }

    /// How many elements the longest row of a tile has. All lanes of the team know.
    fn longest_row(
        &mut self,
        entries: &Entries<'_>,
        (tile, tile_end): (Expr, &Expr),
        lanes: &TeamLanes,
        block: &mut Block,
    ) -> Expr {
        let mut look = Block::new();
        let own = self.bind("entry", build::add(tile, lanes.lane.clone()), &mut look);
        let is_there = build::lt(own.clone(), tile_end.clone());
        look.extend(entries.known_of(&own, tile_end));
        let len = build::sub(entries.end.clone(), entries.first.clone());
        let mut len = Expr::Select(Box::new(is_there), Box::new(len), Box::new(Expr::Index(0)));
        if lanes.size > TILE {
            let var = self.fresh("len", Ty::Index);
            look.push(Stmt::Assign { var, value: len });
            let cond = build::lt(lanes.lane.clone(), Expr::Index(TILE.into()));
            look = vec![
                Stmt::Mut { var, value: Expr::Index(0) },
                Stmt::If { cond, then: look, otherwise: vec![] },
            ];
            len = var.into();
        }
        let longest = self.fresh("longest", Ty::Index);
        let over = self.over(lanes);
        look.push(Stmt::Assign { var: longest, value: len });
        self.renew(&mut look);
        let Some(Stmt::Assign { value, .. }) = look.pop() else { return longest.into() };
        block.extend(look);
        let of = Scanned::Largest(value);
        block.push(Stmt::Collective(Collective::Scan { of, before: None, all: Some(longest), over }));
        longest.into()
    }

    /// Rows of a tile of which none is longer than the team.
    fn by_parts(
        &mut self,
        entries: &Entries<'_>,
        (tile, tile_end): (Expr, &Expr),
        longest: &Expr,
        combined: Option<(Monoid, Value)>,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let mut block = Block::new();
        let (wide, next) = (self.fresh("width", Ty::Index), self.fresh("first_entry", Ty::Index));
        let twice = vec![Stmt::Assign { var: wide, value: build::add(wide, wide) }];
        block.push(Stmt::Mut { var: wide, value: Expr::Index(PART.into()) });
        block.push(Stmt::While { cond: build::lt(wide, longest.clone()), body: twice });
        let part = OwnPart::of(lanes, wide.into());
        let number = self.bind("part", part.number, &mut block);
        let lane = self.bind("lane_of_part", part.lane, &mut block);
        let parts = self.bind("parts", build::div(Expr::Index(lanes.size.into()), wide), &mut block);

        let mut body = Block::new();
        let own = self.bind("entry", build::add(next, number.clone()), &mut body);
        body.extend(entries.known_of(&own, tile_end));
        let element = build::add(entries.first.clone(), lane);
        let has =
            build::and(build::lt(own, tile_end.clone()), build::lt(entries.element, entries.end.clone()));
        body.push(Stmt::Let { var: entries.element, value: element });
        match combined {
            None => {
                let claimed = self.claims(entries.body.clone(), filled);
                body.push(Stmt::If { cond: has, then: claimed, otherwise: vec![] });
            }
            Some((op, nothing)) => {
                let mine = Claimed {
                    at: self.fresh("claimed", Ty::Index),
                    value: self.fresh("combined", Ty::Scalar(self.dtype)),
                };
                let claimed = self.claims_alone(entries.body.clone(), filled, &mine);
                let turns = build::min(parts.clone(), build::sub(tile_end.clone(), next));
                body.push(Stmt::Mut { var: mine.at, value: Expr::Index(MOST) });
                body.push(Stmt::Mut { var: mine.value, value: Expr::Lit(nothing) });
                body.push(Stmt::If { cond: has, then: claimed, otherwise: vec![] });
                body.push(self.in_turn(op, &mine, (number, turns), lanes, filled));
            }
        }
        body.push(Stmt::Assign { var: next, value: build::add(next, parts) });
        block.push(Stmt::Mut { var: next, value: tile });
        block.push(Stmt::While { cond: build::lt(next, tile_end.clone()), body });
        block
    }

    /// Scatters become claims of places, at which nothing is combined yet.
    fn claims_alone(&mut self, block: Block, filled: &Filled<'_>, mine: &Claimed) -> Block {
        self.for_scatters(block, filled.workspace, &mut |l, keys, value| {
            let (mut block, at, _) = l.claim_place(filled.workspace, filled.table, keys);
            block.push(Stmt::Assign { var: mine.at, value: at.into() });
            block.push(Stmt::Assign { var: mine.value, value });
            block
        })
    }

    /// Parts combine what they have, one after another.
    fn in_turn(
        &mut self,
        op: Monoid,
        mine: &Claimed,
        (part, turns): (Expr, Expr),
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Stmt {
        let (turn, buffer) = (self.fresh("turn", Ty::Index), self.spas[filled.workspace.index()].vals);
        let combine = vec![Stmt::Reduce { buffer, index: mine.at.into(), op, value: mine.value.into() }];
        let cond = build::and(build::eq(turn, part), build::ne(mine.at, Expr::Index(MOST)));
        let each = vec![Stmt::If { cond, then: combine, otherwise: vec![] }, lanes.barrier()];
        serial(turn, (Expr::Index(0), turns), 1, each)
    }

    /// The block's variables become others.
    pub(super) fn renew(&mut self, block: &mut Block) {
        let mut declared = Vec::new();
        visit_stmts(block, &mut |s| declared.extend(s.declared()));
        for var in declared {
            let of = self.vars[var.index()].clone();
            let other = self.fresh(&of.name, of.ty);
            rename(block, var, other);
        }
    }
}

/// Is at most one element scattered?
fn scatters_once(block: &[Stmt]) -> bool {
    fn most(block: &[Stmt]) -> usize {
        let of = |s: &Stmt| match s {
            Stmt::Scatter { .. } => 1,
            Stmt::If { then, otherwise, .. } => most(then).max(most(otherwise)),
            s => s.blocks().into_iter().map(|nested| 2 * most(nested)).sum(),
        };
        block.iter().map(of).sum()
    }
    most(block) <= 1
}
