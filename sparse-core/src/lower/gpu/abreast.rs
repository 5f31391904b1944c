//! Several entries of a row abreast, each of which scatters a row of its own.
//!
//! These rows are short as a rule, and a few are long. One after another, each would leave most lanes of a team without an element, and
//! the loads that lead to it would be waited for alone. So a team has parts of 8 lanes, and rows have *slices* of as many elements,
//! which parts take one after another, whosever they are:
//!
//! ```text
//! for tile in lo..hi step 32 {
//!     every lane looks where the row of one entry begins and ends, and how many slices are before it, which all can read then
//!     for first in 0..slices of all rows, step parts {
//!         slice first + part is of the last entry that has no more of them before it
//!         claim its element lane
//!         for turn in 0..turns { if turn is mine { w[at] += value }; wait }
//!     }
//! }
//! ```
//!
//! Slices are in the order of entries, and lanes combine in turn: the terms of an element are summed in the order in which one thread
//! would sum them. Elements of one entry are all different, so that all lanes that have it can have one turn. A block does it so where
//! its slices are of few entries; of more, each warp has a turn, in which its parts have theirs while the block's other warps do not
//! wait for each of them. Who has claimed a place need not be the first, so that all places begin with the reduction's identity.
//! What is only counted, or scattered once, needs no turns, nor do numbers whose sum is the same in every order, which are
//! combined by atomic updates.

use super::super::place::ceil;
use super::super::region::guard;
use super::super::{Lowerer, joined};
use super::TeamLanes;
use super::share::Filled;
use super::team::Prefix;
use crate::llir::kernel::WARP;
use crate::llir::walk::{rename, visit_stmts};
use crate::llir::{
    Block, BufferId, Collective, Elem, Expr, IndexOp, LoopKind, MOST, Scanned, Scope, Space, Stmt, Ty, VarId,
    build,
};
use crate::scalar::{Monoid, Value};

/// The lanes of a part, and the elements of a slice: those that are in one sector of coordinates.
const PART: u32 = 8;

/// Entries of a tile: as many lanes of a team look how long an entry's row is each.
pub(super) const TILE: u32 = WARP;

/// A loop over entries, in each of which one loop scatters different elements.
pub(super) struct Entries<'a> {
    /// Which entry.
    var: VarId,
    pub(super) lo: &'a Expr,
    pub(super) hi: &'a Expr,
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

/// Entries whose slices parts have.
struct Tile {
    /// The first, and the end.
    begin: Expr,
    end: Expr,
    /// How many slices their rows have.
    all: Expr,
    /// Where their rows begin and end, and how many slices are before: arrays that the team shares.
    begins: BufferId,
    ends: BufferId,
    slices: BufferId,
}

/// The slices that a team has at a time.
struct Round {
    /// Which is the first.
    first: VarId,
    /// The own entry's place in the tile's arrays.
    slot: Expr,
    part: Expr,
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
        let together = match self.spas[filled.workspace.index()].op.filter(|_| filled.pass.combines()) {
            None => Together::Apart,
            Some(op) if op.is_exact(self.dtype) && !self.promises_order() => Together::AnyOrder(op),
            Some(op) => Together::InTurn(op, op.identity(self.dtype)?),
        };
        Some(self.in_tiles(&entries, together, lanes, filled))
    }

    pub(super) fn entries<'a>(&self, stmt: &'a Stmt, filled: &Filled<'_>) -> Option<Entries<'a>> {
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
        let in_turn = matches!(together, Together::InTurn(..));
        filled.begun.set(filled.begun.get() || !matches!(together, Together::Apart));
        // Where a tile's rows are is stored when all have read it of the one before: rounds in turn have all waited at their end,
        // and a block has for its scan.
        let waits = !in_turn && lanes.scope != Scope::Block;
        let comes_again = filled.depth.get() > 0 || self.spas.len() > 1;
        let at_end = !in_turn && filled.pass.combines() || waits && comes_again;
        let mut out = Block::new();
        let before = filled.looks.replace(!(waits && at_end));
        out.extend((before && waits).then(|| lanes.barrier()));
        let lo = self.bind("entries_begin", entries.lo.clone(), &mut out);
        let hi = self.bind("entries_end", entries.hi.clone(), &mut out);
        let begin = self.fresh("tile", Ty::Index);
        let later = guard(build::lt(lo.clone(), begin), vec![lanes.barrier()]);
        let mut body = if waits { later } else { Block::new() };
        let most = build::add(begin, Expr::Index(TILE.into()));
        let end = self.bind("tile_end", build::min(most, hi.clone()), &mut body);
        let tile = self.look(entries, (begin.into(), end), lanes, &mut body);
        body.extend(self.by_parts(entries, &tile, together, lanes, filled));
        out.push(serial(begin, (lo, hi), TILE, body));
        out.extend(at_end.then(|| lanes.barrier()));
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
        let of_first = lanes.size > TILE;
        let shared = if of_first { TILE } else { self.gpu().grid.threads() as u32 };
        let [begins, ends, slices] = self.row_bounds(shared);
        let mut look = Block::new();
        let own = self.bind("entry", build::add(begin.clone(), lanes.lane.clone()), &mut look);
        let is_there = build::lt(own.clone(), end.clone());
        look.extend(entries.known_of(&own, &end));
        let [from, to] = ["from", "to"].map(|name| self.fresh(name, Ty::Index));
        // Past the end of the tile entries have no elements.
        let until = build::select(is_there, entries.end.clone(), entries.first.clone());
        let values = [(from, entries.first.clone()), (to, until)];
        let is_first = build::lt(lanes.lane.clone(), Expr::Index(TILE.into()));
        if of_first {
            look.extend(values.map(|(var, value)| Stmt::Assign { var, value }));
            let mut both: Block = [from, to].map(|var| Stmt::Mut { var, value: Expr::Index(0) }).into();
            both.push(Stmt::If { cond: is_first.clone(), then: look, otherwise: vec![] });
            look = both;
        } else {
            look.extend(values.map(|(var, value)| Stmt::Let { var, value }));
        }
        let count = ceil(build::sub(to, from), PART.into());
        let (scan, Prefix { before, all }) = self.team_scan(lanes, Scanned::Sum(count));
        look.push(scan);
        let stored = [(begins, from.into()), (ends, to.into()), (slices, before)];
        let store = |(buffer, value)| Stmt::Store { buffer, index: lanes.thread.clone(), value };
        let stores = stored.map(store).into();
        look.extend(if of_first { guard(is_first, stores) } else { stores });
        look.push(lanes.barrier());
        self.renew(&mut look);
        let scanned = look.iter().find_map(|s| match s {
            Stmt::Collective(Collective::Scan { all, .. }) => *all,
            _ => None,
        });
        let all = scanned.map_or(all, Expr::from);
        block.extend(look);
        Tile { begin, end, all, begins, ends, slices }
    }

    /// The arrays, of so many places, of where rows begin, where they end, and how many slices are before them.
    fn row_bounds(&mut self, len: u32) -> [BufferId; 3] {
        let space = Space::Shared { len };
        let known = self.out.gpu.row_bounds.iter().find(|b| self.buffers[b[0].index()].space == space);
        let arrays = match known {
            Some(known) => *known,
            None => {
                let names = ["row_begins", "row_ends", "row_slices"];
                let made = names.map(|name| self.local(name, Elem::Index, space));
                self.out.gpu.row_bounds.push(made);
                made
            }
        };
        arrays.into_iter().for_each(|buffer| self.share_once(buffer));
        arrays
    }

    /// The place in a tile's arrays of the entry that has the slice: of the last that has no more of them before it, which is not one
    /// without elements.
    fn slot_of(&mut self, slice: &Expr, tile: &Tile, lanes: &TeamLanes, block: &mut Block) -> Expr {
        let slot = self.fresh("slot", Ty::Index);
        let halved = |from: Expr, half: u64| {
            let further = build::add(from.clone(), Expr::Index(half));
            let is_there = build::le(build::load(tile.slices, further.clone()), slice.clone());
            build::select(is_there, further, from)
        };
        let mut half = u64::from(TILE) / 2;
        let value = match lanes.first_thread() {
            // The first halving tells where to go on.
            first @ Expr::Index(_) => {
                half /= 2;
                halved(first, 2 * half)
            }
            first => first,
        };
        block.push(Stmt::Mut { var: slot, value });
        while half > 0 {
            block.push(Stmt::Assign { var: slot, value: halved(slot.into(), half) });
            half /= 2;
        }
        slot.into()
    }

    /// The slices of a tile's entries, as many at a time as there are parts.
    fn by_parts(
        &mut self,
        entries: &Entries<'_>,
        tile: &Tile,
        together: Together,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let mut block = Block::new();
        let by_part = |op| Expr::IndexOp(op, lanes.lane.clone().into(), Expr::Index(PART.into()).into());
        let part = self.bind("part", by_part(IndexOp::Div), &mut block);
        let lane = self.bind("lane_of_part", by_part(IndexOp::Rem), &mut block);
        let in_turn = matches!(together, Together::InTurn(..));
        let last = (in_turn && lanes.scope == Scope::Block).then(|| self.fresh("last_slot", Ty::Index));
        block.extend(last.map(|var| Stmt::Mut { var, value: Expr::Index(0) }));

        let first = self.fresh("first_slice", Ty::Index);
        let mut body = Block::new();
        let slice = self.bind("slice", build::add(first, part.clone()), &mut body);
        let slot = self.slot_of(&slice, tile, lanes, &mut body);
        let own = build::add(tile.begin.clone(), build::sub(slot.clone(), lanes.first_thread()));
        body.extend(entries.known_of(&own, &tile.end));
        let of_row = build::sub(slice, build::load(tile.slices, slot.clone()));
        let before = build::add(build::mul(of_row, Expr::Index(PART.into())), lane);
        let element = build::add(build::load(tile.begins, slot.clone()), before);
        body.push(Stmt::Let { var: entries.element, value: element });
        // Past the last slice no entry has an element.
        let has = build::lt(entries.element, build::load(tile.ends, slot.clone()));
        let claims = |claimed| Stmt::If { cond: has, then: claimed, otherwise: vec![] };
        match together {
            Together::Apart => body.push(claims(self.claims(entries.body.clone(), filled))),
            Together::AnyOrder(op) => body.push(claims(self.claims_atomically(entries, op, filled))),
            Together::InTurn(op, nothing) => {
                let mine = Claimed {
                    at: self.fresh("claimed", Ty::Index),
                    value: self.fresh("combined", Ty::Scalar(self.dtype)),
                };
                body.push(Stmt::Mut { var: mine.at, value: Expr::Index(MOST) });
                body.push(Stmt::Mut { var: mine.value, value: Expr::Lit(nothing) });
                body.push(claims(self.claims_alone(entries.body.clone(), filled, &mine)));
                let round = Round { first, slot, part };
                body.extend(match last {
                    None => self.in_turn(op, &mine, tile, &round, lanes, filled),
                    Some(last) => self.in_turn_by_entries(op, &mine, tile, (&round, last), lanes, filled),
                });
                // Elements of one row are all different, of several rows they need not be.
                body.push(lanes.barrier());
            }
        }
        block.push(serial(first, (Expr::Index(0), tile.all.clone()), lanes.size / PART, body));
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
        tile: &Tile,
        round: &Round,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let turns = slices_of(round, tile, lanes);
        let turn = self.fresh("turn", Ty::Index);
        let combine = self.combine_if(build::eq(turn, round.part.clone()), op, mine, filled);
        let each = joined(after_first(turn, lanes), vec![combine]);
        vec![serial(turn, (Expr::Index(0), turns), 1, each)]
    }

    /// What a lane has is combined, if it is its turn.
    fn combine_if(&self, is_turn: Expr, op: Monoid, mine: &Claimed, filled: &Filled<'_>) -> Stmt {
        let buffer = self.spas[filled.workspace.index()].vals;
        let combine = vec![Stmt::Reduce { buffer, index: mine.at.into(), op, value: mine.value.into() }];
        let cond = build::and(is_turn, build::ne(mine.at, Expr::Index(MOST)));
        Stmt::If { cond, then: combine, otherwise: vec![] }
    }

    /// In a block those who have an entry combine what they have at once, one entry after another; of more entries than warps, warps
    /// do so one after another, and so do the parts of each.
    fn in_turn_by_entries(
        &mut self,
        op: Monoid,
        mine: &Claimed,
        tile: &Tile,
        (round, last): (&Round, VarId),
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let mut block = Block::new();
        let one = || Expr::Index(1);
        let of_warp = || Expr::Index((WARP / PART).into());
        // The last entry of the round before may have slices in this one.
        let first_slot = self.fresh("first_slot", Ty::Index);
        block.push(Stmt::Let { var: first_slot, value: last.into() });
        let slices = self.bind("slices", slices_of(round, tile, lanes), &mut block);
        let slice =
            self.bind("last_slice", build::sub(build::add(round.first, slices.clone()), one()), &mut block);
        let slot = self.slot_of(&slice, tile, lanes, &mut block);
        block.push(Stmt::Assign { var: last, value: slot });
        let of = build::add(build::sub(last, first_slot), one());
        let of = self.bind("entries", of, &mut block);
        let warps = build::div(build::add(slices, build::sub(of_warp(), one())), of_warp());
        let warps = self.bind("warps", warps, &mut block);
        let by_entries = build::le(of.clone(), warps.clone());
        let mut either = |l: &mut Self, name, entries: Expr, warps: Expr| {
            let value = build::select(by_entries.clone(), entries, warps);
            l.bind(name, value, &mut block)
        };
        let warp = build::div(lanes.thread.clone(), Expr::Index(WARP.into()));
        let parts = either(self, "parts_in_turn", one(), of_warp());
        let own = either(self, "turn_of_lane", build::sub(round.slot.clone(), first_slot), warp.clone());
        let own_part =
            Expr::IndexOp(IndexOp::And, round.part.clone().into(), build::sub(parts.clone(), one()).into());
        let own_part = self.bind("part_of_turn", own_part, &mut block);

        let (turn, inner) = (self.fresh("turn", Ty::Index), self.fresh("part_in_turn", Ty::Index));
        let is_turn = build::and(build::eq(turn, own), build::eq(inner, own_part));
        let combine = self.combine_if(is_turn, op, mine, filled);
        let in_warp = serial(inner, (Expr::Index(0), parts), 1, vec![combine, Stmt::Barrier(Scope::WARP)]);
        // Whole warps come to it, whosever turn it is of their lanes.
        let comes = build::or(by_entries, build::eq(turn, warp));
        let comes = Stmt::If { cond: comes, then: vec![in_warp], otherwise: vec![] };
        let each = joined(after_first(turn, lanes), vec![comes]);
        block.push(serial(turn, (Expr::Index(0), build::min(of, warps)), 1, each));
        block
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

/// How many slices a round has.
fn slices_of(round: &Round, tile: &Tile, lanes: &TeamLanes) -> Expr {
    build::min(build::sub(tile.all.clone(), round.first), Expr::Index((lanes.size / PART).into()))
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
