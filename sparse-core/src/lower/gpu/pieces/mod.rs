//! Rows that are too long for one block: several have *pieces* of what such a row scatters.
//!
//! Where few rows scatter very much, a block for each leaves most of a GPU idle, and the largest row decides when all have ended. Such
//! a row's entries are divided into pieces of equal numbers, and blocks take these as if they were rows:
//!
//! ```text
//! launch pieces: for piece s of a row: for p in its entries { for q in … { scatter w[crd[q]] += … } }; pieces[s] = w
//! launch count:  for every row: for s in its pieces { for q in pieces[s] { scatter w[crd[q]] } }; …
//! launch fill:   for every row: for s in its pieces { for q in pieces[s] { scatter w[crd[q]] += vals[q] } }; …
//! ```
//!
//! A piece's table is an operand's row like any other, with gaps: its elements are different, and the row's blocks go through pieces
//! abreast as through entries ([`super::abreast`]). So products are made once, and an element's terms are summed in one order: within a
//! piece in that of the entries, then one piece after another. How many pieces a row has follows from what rows scatter, and from
//! nothing that happens while launches run: the result is the same bytes on every run, and associated differently from that of rows
//! that have no pieces.
//!
//! Where there are many such rows none has pieces. Few have as many as there is work for ([`Options::piece_work`]), and about as many as
//! make the work of one as much as that of joining all of them, which one block does: as many as the square root of how many elements
//! are scattered for a place of the row's table, or half of that.
//!
//! [`Options::piece_work`]: super::super::Options::piece_work

mod tables;

pub(super) use tables::Pieces;

use super::super::assemble::Pass;
use super::super::region::guard;
use super::super::{Lowerer, joined};
use super::TeamLanes;
use super::classes::Class;
use super::enlist::Enlisted;
use super::share::{Filled, scatters};
use super::table::each;
use super::tiers::Tier;
use crate::cin::grid::Team;
use crate::diag::Diagnostic;
use crate::llir::{Block, BufferId, Expr, MOST as NONE, Step, Stmt, Ty, VarId, WorkspaceId, build};

/// Pieces of all rows of a launch, at most: about four for each block that a large GPU runs at a time.
const MOST: u64 = 1 << 11;

/// Rows are whole where there are so many that each could have fewer pieces than these: blocks have enough to do.
const FEWEST: u64 = 4;

/// The variables by which a tier's launch cuts rows.
#[derive(Clone)]
pub(in super::super) struct Cutting {
    /// The row's place in the list.
    rank: VarId,
    /// Which of its pieces a block has.
    piece: VarId,
    /// How many a row has at most.
    most: VarId,
    /// How many places its pieces' tables have in all, at most.
    room: VarId,
    /// How often a row is cut into pieces.
    times: u32,
}

/// How a row is cut into pieces.
pub(super) struct CutRow {
    /// What tells how many pieces there are.
    known: Block,
    many: Expr,
    /// How many places the table of each has.
    places: Expr,
}

impl<'k> Lowerer<'k> {
    /// A launch of a tier is lowered from here on.
    pub(super) fn begin_pieces(&mut self) {
        let pieces = self.tiers.lowered.as_ref().is_some_and(|tier| self.may_cut(tier));
        self.tiers.cutting = pieces.then(|| {
            let [rank, piece, most, room] =
                ["rank", "piece", "most_pieces", "pieces_room"].map(|name| self.fresh(name, Ty::Index));
            Cutting { rank, piece, most, room, times: 0 }
        });
        if pieces && self.makes_pieces() {
            self.scatter_into_pieces();
        }
    }

    /// Are its rows blocks', with one table that is summed into, in an order that nobody asks for?
    fn may_cut(&self, tier: &Tier) -> bool {
        let [w] = &self.spas[..] else { return false };
        let summed = w.dims.len() == 1 && w.op.is_some_and(|op| op.identity(self.dtype).is_some());
        let of_blocks = tier.list.is_some() && self.grid_of(tier).team == Some(Team::Block);
        let rows = self.out.gpu.row_work.is_some() && !self.out_groups().prefix.is_empty();
        self.options.piece_work > 0 && summed && of_blocks && rows && !self.promises_order()
    }

    /// A launch for the pieces of a tier's rows, if these can have some.
    pub(in super::super::super) fn pieces_launch(
        &mut self,
        tier: &Tier,
        class: &Class<'k>,
        begins: &[BufferId],
    ) -> Result<Option<Step>, Box<Diagnostic>> {
        if !self.may_cut(tier) {
            return Ok(None);
        }
        self.on_gpu();
        let launch = self.class_launch(class, Pass::Pieces, begins)?;
        // A row that is scattered in several places has no pieces.
        let once = self.tiers.cutting.as_ref().is_some_and(|cutting| cutting.times == 1);
        let launch = launch.filter(|_| once);
        if launch.is_some() {
            self.tables_for_pieces(tier);
            self.note_pieces();
        }
        Ok(launch)
    }

    /// For `explain`: which rows are cut.
    fn note_pieces(&mut self) {
        let out = self.kernel.tensors[self.out.tensor.index()].name.clone();
        let (rows, work) = (MOST / FEWEST, self.options.piece_work);
        self.note(format!(
            "where a launch's blocks have at most {rows} rows of `{out}`, several share one, in pieces of {work} elements or more that \
             are scattered"
        ));
    }

    /// What the host needs for the pieces of a tier's rows: nothing if no row scatters enough for two.
    fn launched_for_pieces(&self, tier: &Tier, size: Expr) -> Expr {
        let two = Expr::Index(self.options.piece_work.saturating_mul(2));
        let size = match self.tiers.most_work.clone().map(|most| build::le(two, most)) {
            Some(some) => build::select(some, size, Expr::Index(0)),
            None => size,
        };
        self.launched_for(tier, size)
    }

    /// Cuts what a producer scatters into pieces, if that is one loop over entries: in the pass that makes pieces its entries become
    /// those of one, and in others a row with pieces scatters what these hold.
    pub(super) fn cut_producer(
        &mut self,
        block: &mut Block,
        row: &Expr,
        filled: &Filled<'_>,
    ) -> Option<CutRow> {
        let cutting = self.tiers.cutting.clone()?;
        let tier = self.tiers.lowered.clone()?;
        let makes = filled.pass == Pass::Pieces;
        if !makes && !self.has_pieces(&tier) {
            return None;
        }
        let mut found = (0..block.len()).filter(|&at| scatters(&block[at..=at]));
        let at = found.next().filter(|_| found.next().is_none())?;
        let entries = self.entries(&block[at], filled)?;
        let (lo, hi) = (entries.lo.clone(), entries.hi.clone());
        // What is known of the row tells how many pieces it has.
        if !block[..at].iter().all(|s| matches!(s, Stmt::Let { .. } | Stmt::Comment(_))) {
            return None;
        }
        let many = build::sub(hi.clone(), lo.clone());
        let mut cut_row = self.pieces_of_row(row, many, filled.workspace, &cutting)?;
        cut_row.known.splice(0..0, block.drain(..at));
        let producer = block.remove(0);
        let cut = if makes {
            self.entries_of_piece(producer, (lo, hi), &cut_row, &cutting)
        } else {
            let then = vec![self.scatter_pieces(&cut_row, &tier, &cutting, filled)];
            let cond = build::lt(Expr::Index(1), cut_row.many.clone());
            vec![Stmt::If { cond, then, otherwise: vec![producer] }]
        };
        block.splice(0..0, cut);
        if let Some(cutting) = &mut self.tiers.cutting {
            cutting.times += 1;
        }
        Some(cut_row)
    }

    /// The loop over a row's entries as one over those of a piece.
    fn entries_of_piece(
        &mut self,
        mut producer: Stmt,
        (begin, end): (Expr, Expr),
        cut_row: &CutRow,
        cutting: &Cutting,
    ) -> Block {
        let mut block = Block::new();
        let len = build::sub(end.clone(), begin.clone());
        let each = build::div(build::sub(len, Expr::Index(1)), cut_row.many.clone());
        let each = self.bind("piece_entries", build::add(each, Expr::Index(1)), &mut block);
        let first = build::min(build::add(begin, build::mul(cutting.piece, each.clone())), end.clone());
        let first = self.bind("piece_begin", first, &mut block);
        let last = build::add(first.clone(), build::min(each, build::sub(end, first.clone())));
        let last = self.bind("piece_end", last, &mut block);
        if let Stmt::For { lo, hi, .. } = &mut producer {
            (*lo, *hi) = (first, last);
        }
        block.push(producer);
        block
    }

    /// How many pieces a row has, of so many entries.
    fn pieces_of_row(
        &mut self,
        row: &Expr,
        entries: Expr,
        w: WorkspaceId,
        cutting: &Cutting,
    ) -> Option<CutRow> {
        let (work, places) = (self.out.gpu.row_work?, self.places_array(w));
        let [table, pieces] = ["table_places", "pieces"].map(|name| self.fresh(name, Ty::Index));
        let mut some = vec![Stmt::Assign {
            var: table,
            value: build::max(build::load(places, row.clone()), Expr::Index(1)),
        }];
        let work = self.bind("work", build::load(work, row.clone()), &mut some);
        let by_work = build::div(work.clone(), Expr::Index(self.options.piece_work));
        let bounds = [cutting.most.into(), by_work, build::div(cutting.room, table), entries];
        let most = self.bind("most", bounds.into_iter().reduce(build::min)?, &mut some);
        // The square of their number, in places, is to be what the row scatters.
        let twice = build::add(pieces, pieces);
        let more = build::le(twice.clone(), build::div(build::div(work, table), twice.clone()));
        some.push(Stmt::Assign { var: pieces, value: Expr::Index(1) });
        some.push(Stmt::While { cond: more, body: vec![Stmt::Assign { var: pieces, value: twice }] });
        some.push(Stmt::Assign { var: pieces, value: build::min(pieces, most) });
        let known = [table, pieces].map(|var| Stmt::Mut { var, value: Expr::Index(1) });
        let mut known = Block::from(known);
        known.extend(guard(enough(cutting), some));
        Some(CutRow { known, many: pieces.into(), places: table.into() })
    }

    /// A loop over a row's pieces that scatters what their tables hold.
    fn scatter_pieces(
        &mut self,
        cut_row: &CutRow,
        tier: &Tier,
        cutting: &Cutting,
        filled: &Filled<'_>,
    ) -> Stmt {
        let [crd, vals] = self.arrays_of_pieces();
        let [piece, first, end, at, key] =
            ["piece", "piece_begin", "piece_end", "at", "key"].map(|name| self.fresh(name, Ty::Index));
        self.apart.insert(at, filled.var);
        let (workspace, value) = (filled.workspace, build::load(vals, at));
        let scatter = vec![Stmt::Scatter { workspace, at: vec![key.into()], value }];
        let mut element = vec![Stmt::Let { var: key, value: build::load(crd, at) }];
        element.extend(guard(build::ne(key, Expr::Index(NONE)), scatter));
        let body = vec![
            Stmt::Let {
                var: first,
                value: self.begin_of_piece(piece, cut_row.places.clone(), tier, cutting),
            },
            Stmt::Let { var: end, value: build::add(first, cut_row.places.clone()) },
            each(at, first.into(), end.into(), element),
        ];
        each(piece, Expr::Index(0), cut_row.many.clone(), body)
    }

    /// What is done with a row that may have pieces; in the pass that makes them its table is one's.
    pub(super) fn around_pieces(
        &mut self,
        cut_row: CutRow,
        mut row: Block,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
    ) -> Block {
        let (Some(cutting), Some(tier)) = (self.tiers.cutting.clone(), self.tiers.lowered.clone()) else {
            return row;
        };
        if filled.pass != Pass::Pieces {
            return joined(cut_row.known, row);
        }
        let several = build::lt(Expr::Index(1), cut_row.many.clone());
        let is_there = build::and(several, build::lt(cutting.piece, cut_row.many.clone()));
        row.extend(self.leave_piece(&cut_row, lanes, filled, (&tier, &cutting)));
        joined(cut_row.known, guard(is_there, row))
    }

    /// The place in the list of the row that a team has.
    pub(super) fn rank_of_row(&mut self) -> VarId {
        match &self.tiers.cutting {
            Some(cutting) => cutting.rank,
            None => self.fresh("rank", Ty::Index),
        }
    }

    /// What teams know before their turns, if rows may have pieces.
    pub(super) fn before_pieces(&mut self, tier: &Tier, block: &mut Block) {
        let (Some(cutting), Some(list)) = (self.tiers.cutting.clone(), &tier.list) else { return };
        if cutting.times == 0 {
            return;
        }
        let rows = self.bind("rows", build::max(list.many(), Expr::Index(1)), block);
        let of = |all: u64| build::div(Expr::Index(all), rows.clone());
        let len = self.places_of_pieces(tier).len;
        block.extend([
            Stmt::Let { var: cutting.most, value: of(MOST) },
            Stmt::Let { var: cutting.room, value: of(len) },
        ]);
    }

    /// In the pass that makes pieces, teams take turns with these: what they do for one, how many of them are for a thread, and for
    /// the host.
    pub(super) fn turns_by_piece(
        &mut self,
        (tier, list): (&Tier, &Enlisted),
        (row, mut body): (VarId, Block),
    ) -> Option<(VarId, Block, Expr, Expr)> {
        let cutting = self.tiers.cutting.clone().filter(|_| self.makes_pieces())?;
        let enough = enough(&cutting);
        // The row stands before what it has.
        let begins = self.begins_of_piece(row, tier, &cutting);
        body.splice(1..1, begins);
        let Cutting { rank, piece, most, .. } = cutting;
        let number = self.fresh("number", Ty::Index);
        body.splice(
            0..0,
            [
                Stmt::Let { var: rank, value: build::div(number, most) },
                Stmt::Let { var: piece, value: build::rem(number, most) },
            ],
        );
        let all = build::min(build::mul(list.many(), most), Expr::Index(MOST));
        let end = build::select(enough, all, Expr::Index(0));
        let on_host = build::min(build::mul(list.most.clone(), Expr::Index(MOST)), Expr::Index(MOST));
        Some((number, body, end, on_host))
    }

    /// What is launched for a tier.
    pub(super) fn launched_for_pass(&self, tier: &Tier, size: Expr) -> Expr {
        match self.makes_pieces() {
            true => self.launched_for_pieces(tier, size),
            false => self.launched_for(tier, size),
        }
    }
}

/// Are rows so few that they can have pieces?
fn enough(cutting: &Cutting) -> Expr {
    build::le(Expr::Index(FEWEST), cutting.most)
}
