//! Where pieces' tables are: one array of keys and one of values hold those of all tiers, one tier's behind another's, and of a tier
//! those of each row one after another.

use super::super::super::Lowerer;
use super::super::TeamLanes;
use super::super::share::Filled;
use super::super::tiers::{Tier, largest_below};
use super::{CutRow, Cutting, MOST};
use crate::llir::{Block, BufferId, Elem, Expr, Space, Step, Stmt, Ty, VarId, WorkspaceId, build};

/// Places of the tables of all pieces of a launch, at most.
const PLACES: u64 = 1 << 22;

/// The tables of pieces.
pub(in super::super) struct Pieces {
    crd: BufferId,
    vals: BufferId,
    /// The tiers that have some, by the end of their launches' names, and where these are.
    tiers: Vec<(Tier, Places)>,
}

/// So many places from one on.
#[derive(Clone, Copy)]
pub(super) struct Places {
    begin: u64,
    pub(super) len: u64,
}

impl Lowerer<'_> {
    /// Memory for the tables of pieces.
    pub(in super::super::super) fn allocate_pieces(&mut self) -> Vec<Step> {
        let Some(Pieces { crd, vals, tiers }) = &self.out.gpu.pieces else { return vec![] };
        let (crd, vals) = (*crd, *vals);
        let room = |(tier, places): &(Tier, Places)| {
            self.launched_for_pieces(tier, Expr::Index(places.begin + places.len))
        };
        let room = tiers.iter().map(room).reduce(build::max).unwrap_or(Expr::Index(0));
        let room = self.named_size("pieces_places", room);
        [crd, vals].map(|buffer| Step::Allocate { buffer, len: room.clone(), init: None }).into()
    }

    /// Rows of a tier have pieces.
    pub(super) fn tables_for_pieces(&mut self, tier: &Tier) {
        let places = self.places_of_pieces(tier);
        if let Some(pieces) = &mut self.out.gpu.pieces {
            pieces.tiers.push((tier.clone(), places));
        }
    }

    /// Have rows of a tier pieces?
    pub(super) fn has_pieces(&self, tier: &Tier) -> bool {
        let has = |pieces: &Pieces| pieces.tiers.iter().any(|(of, _)| of.suffix() == tier.suffix());
        self.out.gpu.pieces.as_ref().is_some_and(has)
    }

    /// Where the tables of a tier's pieces are, behind those of the tiers that are known to have some.
    pub(super) fn places_of_pieces(&self, tier: &Tier) -> Places {
        let known = self.out.gpu.pieces.iter().flat_map(|pieces| &pieces.tiers);
        let mut begin = 0;
        for (of, places) in known {
            if of.suffix() == tier.suffix() {
                return *places;
            }
            begin = places.begin + places.len;
        }
        let of_tables = tier.below.map_or(PLACES, |below| MOST * largest_below(below));
        Places { begin, len: self.options.table_places.min(PLACES).min(of_tables) }
    }

    /// Where the table of a piece begins.
    pub(super) fn begin_of_piece(&self, piece: VarId, places: Expr, tier: &Tier, cutting: &Cutting) -> Expr {
        let Places { begin, len } = self.places_of_pieces(tier);
        let before = build::mul(cutting.rank, cutting.room);
        let at = build::add(before, build::mul(piece, places));
        // It is less, and so an index has room for it.
        build::add(build::min(at, Expr::Index(len)), Expr::Index(begin))
    }

    /// The arrays of pieces' tables.
    pub(super) fn arrays_of_pieces(&mut self) -> [BufferId; 2] {
        if let Some(Pieces { crd, vals, .. }) = self.out.gpu.pieces {
            return [crd, vals];
        }
        let crd = self.device_array("pieces_crd");
        let vals = self.local("pieces_vals", Elem::Scalar(self.dtype), Space::Output);
        self.out.gpu.pieces = Some(Pieces { crd, vals, tiers: vec![] });
        [crd, vals]
    }

    /// Is it an array of pieces' tables?
    pub(in super::super) fn is_of_pieces(&self, buffer: BufferId) -> bool {
        self.out.gpu.pieces.as_ref().is_some_and(|pieces| [pieces.crd, pieces.vals].contains(&buffer))
    }

    /// What a launch scatters is a piece's table from here on, unless tables are in shared memory: then it is copied.
    pub(super) fn scatter_into_pieces(&mut self) {
        if self.out.gpu.device_tables.is_none() {
            self.out.gpu.device_tables = Some(self.spas.clone());
            let [crd, vals] = self.arrays_of_pieces();
            (self.spas[0].crd, self.spas[0].vals) = (vec![crd], vals);
        }
    }

    /// Where the tables that a launch scatters into begin, for a piece of a row.
    pub(super) fn begins_of_piece(&mut self, row: VarId, tier: &Tier, cutting: &Cutting) -> Block {
        if self.shared_tables(tier).is_some() {
            return vec![];
        }
        let regions = self.tiers.regions.clone();
        let begin = |(w, var)| {
            let places = build::load(self.places_array(w), row);
            Stmt::Let { var, value: self.begin_of_piece(cutting.piece, places, tier, cutting) }
        };
        regions.into_iter().map(begin).collect()
    }

    /// What the launch's teams have tables in, and where these begin: a piece's table is not its team's.
    pub(in super::super) fn regions_of_teams(&mut self, tier: &Tier) -> Vec<(WorkspaceId, VarId)> {
        let regions = std::mem::take(&mut self.tiers.regions);
        if self.makes_pieces() && self.shared_tables(tier).is_none() { vec![] } else { regions }
    }

    /// A table in shared memory is copied to where the piece's is.
    pub(super) fn leave_piece(
        &mut self,
        cut_row: &CutRow,
        lanes: &TeamLanes,
        filled: &Filled<'_>,
        (tier, cutting): (&Tier, &Cutting),
    ) -> Block {
        let mut copy = Block::new();
        if self.shared_tables(tier).is_none() {
            return copy;
        }
        let [crd, vals] = self.arrays_of_pieces();
        let first = self.begin_of_piece(cutting.piece, cut_row.places.clone(), tier, cutting);
        let first = self.bind("first", first, &mut copy);
        let [at, to] = ["at", "to"].map(|name| self.fresh(name, Ty::Index));
        let (begin, end) = (filled.table.begin.clone(), filled.table.end.clone());
        let (keys, values) = (self.keys(filled.workspace)[0], self.spas[filled.workspace.index()].vals);
        let store = |buffer, from| Stmt::Store { buffer, index: to.into(), value: build::load(from, at) };
        let value = build::add(first, build::sub(at, begin.clone()));
        let copied = vec![Stmt::Let { var: to, value }, store(crd, keys), store(vals, values)];
        copy.push(lanes.each(at, begin, end, copied));
        copy
    }
}
