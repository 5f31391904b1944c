//! Several entries of a row abreast, each of which scatters a row of its own.
//!
//! These rows are short as a rule. One after another, each would leave most lanes of a team without an element, and the loads that
//! lead to it would be waited for alone. So a team has parts, and every part an entry:
//!
//! ```text
//! for tile in lo..hi step 32 {
//!     every lane looks where the row of one entry begins and ends, which all can read then, and the longest row is found
//!     parts have as many lanes as that asks for, 8, 16, … up to all
//!     for first in tile.. step parts {
//!         for round in 0..length of row first, step lanes {        one round, where there are several parts
//!             claim element round + lane of row first + part
//!             for turn in 0..parts { if turn == part { w[at] += value }; wait }
//!         }
//!     }
//! }
//! ```
//!
//! Parts combine in turn: the terms of an element are summed in the order in which one thread would sum them. Who has claimed a place
//! need not be the first, so that all places begin with the reduction's identity. Those of a warp take their turns while the block's
//! other warps do not wait for each of them. What is only counted, or scattered once, needs no turns, nor do numbers whose sum is
//! the same in every order, which are combined by atomic updates.

use super::super::assemble::Pass;
use super::super::region::guard;
use super::super::{Lowerer, joined};
use super::TeamLanes;
use super::team::Filled;
use crate::llir::kernel::WARP;
use crate::llir::walk::{rename, visit_stmts};
use crate::llir::{
    Block, BufferId, Collective, Elem, Expr, IndexOp, LoopKind, MOST, Over, Scanned, Scope, Space, Stmt, Ty,
    VarId, build,
};
use crate::scalar::{Monoid, Value};

/// The fewest lanes of a part: those that load one sector of coordinates.
const PART: u32 = 8;

/// Entries of a tile: as many lanes of a team look how long an entry's row is each.
pub(super) const TILE: u32 = WARP;

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

/// How what is scattered comes together.
#[derive(Clone, Copy)]
enum Together {
    /// Elements are only counted, or scattered once each.
    Apart,
    /// In any order.
    AnyOrder(Monoid),
    /// In that of the entries; what a lane has that has nothing is the identity.
    InTurn(Monoid, Value),
}

/// How a block's parts lie in its warps.
struct OfWarps {
    /// How many of them a warp has, if not only a piece of one.
    parts: Expr,
    /// When it is the warp's turn.
    turn: Expr,
    /// When it is the part's turn in the warp.
    turn_of_part: Expr,
}

/// Entries of which parts have one each.
struct Tile {
    /// The first, and the end.
    begin: Expr,
    end: Expr,
    /// How long the longest of their rows is.
    longest: Expr,
    /// Where their rows begin and end: arrays that the team shares.
    begins: BufferId,
    ends: BufferId,
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

fn serial(var: VarId, (lo, hi): (Expr, Expr), step: u32, body: Block) -> Stmt {
    Stmt::For { var, lo, hi, step, kind: LoopKind::Serial, body }
}

impl Lowerer<'_> {
    /// A loop over entries whose rows a team's parts scatter abreast; `None` if it is not such a loop.
    pub(super) fn abreast(&mut self, stmt: &Stmt, lanes: &TeamLanes, filled: &Filled<'_>) -> Option<Block> {
        let entries = self.entries(stmt, filled)?;
        if lanes.size < WARP || !lanes.size.is_power_of_two() {
            return None;
        }
        let together = match self.spas[filled.workspace.index()].op.filter(|_| filled.pass == Pass::Fill) {
            None => Together::Apart,
            Some(op) if op.is_exact(self.dtype) && !self.promises_order() => Together::AnyOrder(op),
            Some(op) => Together::InTurn(op, op.identity(self.dtype)?),
        };
        Some(self.in_tiles(&entries, together, lanes, filled))
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

    /// Some entries after some others.
    fn in_tiles(
        &mut self,
        entries: &Entries<'_>,
        together: Together,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        filled.begun.set(filled.begun.get() || !matches!(together, Together::Apart));
        // Parts in turn have all waited at their end.
        let waits = !matches!(together, Together::InTurn(..));
        let comes_again = filled.depth.get() > 0 || self.spas.len() > 1;
        let at_end = filled.pass == Pass::Fill || lanes.scope == Scope::Block || comes_again;
        let mut out = Block::new();
        out.extend((filled.looks.replace(true) && waits && !at_end).then(|| lanes.barrier()));
        let lo = self.bind("entries_begin", entries.lo.clone(), &mut out);
        let hi = self.bind("entries_end", entries.hi.clone(), &mut out);
        let begin = self.fresh("tile", Ty::Index);
        // Where a tile's rows are is stored when all have read it of the one before.
        let later = guard(build::lt(lo.clone(), begin), vec![lanes.barrier()]);
        let mut body = if waits { later } else { Block::new() };
        let most = build::add(begin, Expr::Index(TILE.into()));
        let end = self.bind("tile_end", build::min(most, hi.clone()), &mut body);
        let tile = self.look(entries, (begin.into(), end), lanes, &mut body);
        body.extend(self.by_parts(entries, &tile, together, lanes, filled));
        out.push(serial(begin, (lo, hi), TILE, body));
        out.extend((waits && at_end).then(|| lanes.barrier()));
        out
    }

    /// Lanes look where the rows of a tile's entries are.
    fn look(
        &mut self,
        entries: &Entries<'_>,
        (begin, end): (Expr, Expr),
        lanes: &TeamLanes,
        block: &mut Block,
    ) -> Tile {
        // In a block the first lanes have entries; of groups each has places for its own.
        let shared = if lanes.size > TILE { TILE } else { self.gpu().grid.threads() as u32 };
        let [begins, ends] = [0, 1].map(|n| self.row_bounds(n, shared));
        let mut look = Block::new();
        let own = self.bind("entry", build::add(begin.clone(), lanes.lane.clone()), &mut look);
        let is_there = build::lt(own.clone(), end.clone());
        look.extend(entries.known_of(&own, &end));
        for (buffer, value) in [(begins, entries.first), (ends, entries.end)] {
            look.push(Stmt::Store { buffer, index: lanes.thread.clone(), value: value.clone() });
        }
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
        let (longest, over) = (self.fresh("longest", Ty::Index), self.over(lanes));
        let (of, all) = (Scanned::Largest(len), Some(longest));
        look.push(Stmt::Collective(Collective::Scan { of, before: None, all, over }));
        self.renew(&mut look);
        let longest = match look.last() {
            Some(Stmt::Collective(Collective::Scan { all: Some(all), .. })) => *all,
            _ => longest,
        };
        block.extend(look);
        // A block has waited for what it scans.
        block.extend(matches!(over, Over::Group(_)).then(|| lanes.barrier()));
        Tile { begin, end, longest: longest.into(), begins, ends }
    }

    /// The array, of so many places, of where rows begin, or of where they end.
    fn row_bounds(&mut self, which: usize, len: u32) -> BufferId {
        let space = Space::Shared { len };
        let known = self.out.row_bounds.iter().find(|b| self.buffers[b[which].index()].space == space);
        let [begins, ends] = match known {
            Some(known) => *known,
            None => {
                let made = ["row_begins", "row_ends"].map(|name| self.local(name, Elem::Index, space));
                self.out.row_bounds.push(made);
                made
            }
        };
        let buffer = [begins, ends][which];
        self.share_once(buffer);
        buffer
    }

    /// A tile's entries, as many at a time as there are parts.
    fn by_parts(
        &mut self,
        entries: &Entries<'_>,
        tile: &Tile,
        together: Together,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let mut block = Block::new();
        let (wide, next) = (self.fresh("width", Ty::Index), self.fresh("first_entry", Ty::Index));
        let team = Expr::Index(lanes.size.into());
        let reach = self.bind("reach", build::min(tile.longest.clone(), team.clone()), &mut block);
        let twice = vec![Stmt::Assign { var: wide, value: build::add(wide, wide) }];
        block.push(Stmt::Mut { var: wide, value: Expr::Index(PART.into()) });
        block.push(Stmt::While { cond: build::lt(wide, reach), body: twice });
        let by_width = |op| Expr::IndexOp(op, Box::new(lanes.lane.clone()), Box::new(wide.into()));
        let part = self.bind("part", by_width(IndexOp::Div), &mut block);
        let lane = self.bind("lane_of_part", by_width(IndexOp::Rem), &mut block);
        let parts = self.bind("parts", build::div(team, wide), &mut block);
        let in_turn = matches!(together, Together::InTurn(..));
        let warps = (in_turn && lanes.scope == Scope::Block)
            .then(|| self.parts_of_warps(lanes, wide, &part, &mut block));

        let mut body = Block::new();
        let own = self.bind("own_entry", build::add(next, part.clone()), &mut body);
        body.extend(entries.known_of(&own, &tile.end));
        let of = |e: Expr| build::add(lanes.first_thread(), build::sub(e, tile.begin.clone()));
        let slot = self.bind("slot", of(entries.var.into()), &mut body);
        let begin = self.bind("row_begin", build::load(tile.begins, slot.clone()), &mut body);
        let end = self.bind("row_end", build::load(tile.ends, slot), &mut body);
        let slot = self.bind("first_slot", of(next.into()), &mut body);
        let len = build::sub(build::load(tile.ends, slot.clone()), build::load(tile.begins, slot));
        let len = self.bind("len_of_first", len, &mut body);
        let mut turns = build::min(parts.clone(), build::sub(tile.end.clone(), next));
        if let Some(OfWarps { parts, .. }) = &warps {
            let last = build::sub(build::add(turns, parts.clone()), Expr::Index(1));
            turns = build::div(last, parts.clone());
        }
        let turns = self.bind("turns", turns, &mut body);
        let round = self.fresh("round", Ty::Index);
        let element = build::add(build::add(begin, round), lane);
        let has = build::and(build::lt(own, tile.end.clone()), build::lt(entries.element, end));
        let mut in_round = vec![Stmt::Let { var: entries.element, value: element }];
        let claims = |claimed| Stmt::If { cond: has, then: claimed, otherwise: vec![] };
        match together {
            Together::Apart => in_round.push(claims(self.claims(entries.body.clone(), filled))),
            Together::AnyOrder(op) => in_round.push(claims(self.claims_atomically(entries, op, filled))),
            Together::InTurn(op, nothing) => {
                let mine = Claimed {
                    at: self.fresh("claimed", Ty::Index),
                    value: self.fresh("combined", Ty::Scalar(self.dtype)),
                };
                in_round.push(Stmt::Mut { var: mine.at, value: Expr::Index(MOST) });
                in_round.push(Stmt::Mut { var: mine.value, value: Expr::Lit(nothing) });
                in_round.push(claims(self.claims_alone(entries.body.clone(), filled, &mine)));
                in_round.push(match &warps {
                    None => self.in_turn(op, &mine, (part, turns), lanes, filled),
                    Some(warps) => self.in_turn_by_warps(op, &mine, warps, turns, lanes, filled),
                });
            }
        }
        // Of several parts each has all lanes that its row asks for.
        let rounds = (Expr::Index(0), build::max(len, Expr::Index(1)));
        body.push(serial(round, rounds, lanes.size, in_round));
        // Elements of one row are all different, of several rows they need not be.
        body.extend(in_turn.then(|| lanes.barrier()));
        body.push(Stmt::Assign { var: next, value: build::add(next, parts) });
        block.push(Stmt::Mut { var: next, value: tile.begin.clone() });
        block.push(Stmt::While { cond: build::lt(next, tile.end.clone()), body });
        block
    }

    /// Scatters become claims of places, and atomic updates there.
    fn claims_atomically(&mut self, entries: &Entries<'_>, op: Monoid, filled: &Filled<'_>) -> Block {
        self.for_scatters(entries.body.clone(), filled.workspace, &mut |l, keys, value| {
            let (mut block, at, _) = l.claim_place(filled.workspace, filled.table, keys);
            let buffer = l.spas[filled.workspace.index()].vals;
            block.push(Stmt::Atomic { buffer, index: at.into(), op, value });
            block
        })
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

    /// Parts combine what they have, one after another, and those after the first when all have waited.
    fn in_turn(
        &mut self,
        op: Monoid,
        mine: &Claimed,
        (part, turns): (Expr, Expr),
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Stmt {
        let turn = self.fresh("turn", Ty::Index);
        let combine = self.combine_in(turn, part, op, mine, filled);
        let each = joined(after_first(turn, lanes), vec![combine]);
        serial(turn, (Expr::Index(0), turns), 1, each)
    }

    /// What a lane has is combined, if it is its turn.
    fn combine_in(&self, turn: VarId, own: Expr, op: Monoid, mine: &Claimed, filled: &Filled<'_>) -> Stmt {
        let buffer = self.spas[filled.workspace.index()].vals;
        let combine = vec![Stmt::Reduce { buffer, index: mine.at.into(), op, value: mine.value.into() }];
        let cond = build::and(build::eq(turn, own), build::ne(mine.at, Expr::Index(MOST)));
        Stmt::If { cond, then: combine, otherwise: vec![] }
    }

    /// The parts that a block's warps have, or the warps that a part has.
    fn parts_of_warps(&mut self, lanes: &TeamLanes, wide: VarId, part: &Expr, block: &mut Block) -> OfWarps {
        let warp = || Expr::Index(WARP.into());
        let one = || Expr::Index(1);
        let parts = self.bind("parts_of_warp", build::max(build::div(warp(), wide), one()), block);
        let own =
            build::div(build::div(lanes.thread.clone(), warp()), build::max(build::div(wide, warp()), one()));
        let turn = self.bind("turn_of_warp", own, block);
        let own = Expr::IndexOp(IndexOp::Rem, Box::new(part.clone()), Box::new(parts.clone()));
        let turn_of_part = self.bind("turn_of_part", own, block);
        OfWarps { parts, turn, turn_of_part }
    }

    /// Parts of a warp combine what they have, one after another, and so do warps.
    fn in_turn_by_warps(
        &mut self,
        op: Monoid,
        mine: &Claimed,
        warps: &OfWarps,
        turns: Expr,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Stmt {
        let (turn, inner) = (self.fresh("turn", Ty::Index), self.fresh("part_in_turn", Ty::Index));
        let combine = self.combine_in(inner, warps.turn_of_part.clone(), op, mine, filled);
        let parts = (Expr::Index(0), warps.parts.clone());
        let in_warp = serial(inner, parts, 1, vec![combine, Stmt::Barrier(Scope::WARP)]);
        let cond = build::eq(turn, warps.turn.clone());
        let each =
            joined(after_first(turn, lanes), vec![Stmt::If { cond, then: vec![in_warp], otherwise: vec![] }]);
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

/// All have waited since the turn before.
fn after_first(turn: VarId, lanes: &TeamLanes) -> Block {
    guard(build::lt(Expr::Index(0), turn), vec![lanes.barrier()])
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
