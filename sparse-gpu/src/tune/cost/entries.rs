//! What a point would cost whose lanes have so many neighbouring entries each.

use super::{Extra, INDEX, LOOK, NEXT_ROW, Point, SECTOR, Shared, Steps, WARP, Writes, report};
use crate::sim::{LaunchReport, Path};
use crate::tune::profile::{Profile, Search};
use sparse_core::driver::Options;

/// Instructions of searching between ends that a block has found: where its threads' are, their loads, the barrier.
const BETWEEN: f64 = 8.0;
/// In so many parts of a block's positions its threads search apart.
const PARTS: f64 = 16.0;
/// Loads of a search for the next row that has entries, which begins nearby.
const HOP_LOADS: f64 = 4.0;
/// Instructions of an element that a thread is done with: it is kept or stored, lanes part on which, and cleared.
const FLUSH: f64 = 8.0;
/// Instructions of a column of two neighbours that join what they have of a row.
const JOIN: f64 = 16.0;

/// How lanes lie that have neighbouring entries.
struct Lanes<'a> {
    p: &'a Profile,
    at: &'a Point,
    /// Entries of a lane.
    each: f64,
    /// All of them, for one column tile.
    lanes: f64,
    /// Rows that have entries.
    rows: f64,
    /// Has a lane several entries?
    is_serial: bool,
    /// Have neighbours the column tiles of the same entries? Those that do not reduce together do.
    by_columns: bool,
    /// Column tiles of an entry that a warp has.
    of_an_entry: u64,
    /// Different entries, or runs of them, that a warp has.
    chunks_a_warp: u64,
    /// Are columns of a lane written as a vector?
    whole: bool,
}

/// How a warp goes from row to row.
struct Advance {
    /// Steps, and those of the longest warp.
    taken: f64,
    longest: f64,
    /// Times that it comes to another row.
    turns: f64,
    /// Searches for the next row that has entries.
    hops: f64,
}

/// A lane has so many neighbouring entries.
pub(super) fn entries(p: &Profile, at: &Point, per_lane: u64) -> LaunchReport {
    let l = Lanes::new(p, at, per_lane);
    let warps = (l.lanes / WARP as f64).ceil() * at.tiles as f64;
    let warps_a_block = at.threads as f64 / WARP as f64;
    // A block searches once for lanes of one entry that have segments, and then each between two of the rows found.
    let search_threads = Options::default().lower.search_threads;
    let by_block = !l.is_serial && at.group > 1 && at.threads >= search_threads && !p.searched.is_empty();
    let (found, between) = match by_block {
        true => {
            (p.entry_search.part(1.0 / warps_a_block) + p.search_between(at.threads as f64 / PARTS), BETWEEN)
        }
        false => (p.entry_search, 0.0),
    };
    let Advance { taken, longest, turns, hops } = l.advance();
    let all = Steps { warps, all: warps * taken, longest, block: warps_a_block * taken };
    // Rows that several lanes have are found again when they are written.
    let again = p.row_search.part(if l.is_serial { 2.0 } else { 1.0 });
    let flush = if l.whole { FLUSH } else { at.c * FLUSH };
    let search = LOOK * found.looks + between;
    let advance = turns * (NEXT_ROW + flush) + hops * HOP_LOADS * LOOK;
    let instructions = search + LOOK * again.looks + advance + l.joined();
    let writes = l.writes(instructions);
    // Where a fiber ends, and of a tensor which coordinates it has.
    let a_turn = if p.parents.is_empty() { 1.0 } else { 2.0 };
    let loads = found.steps + again.steps + a_turn * turns + HOP_LOADS * hops;
    let in_block = if l.by_columns { at.tiles.clamp(1, at.threads) } else { 1 };
    let read = l.sectors_read(warps, &found);
    let shared = Shared { in_warp: l.of_an_entry as f64, in_block: in_block as f64, read };
    let mut launch = report(p, at, (&all, &Extra::default()), &shared, 1.0, loads, &writes);
    if by_block {
        // The warp that searches for the block.
        let alone = p.entry_search.part(1.0 - 1.0 / warps_a_block);
        let Path { instructions, loads } = &mut launch.longest_warp;
        *instructions = instructions.saturating_add((LOOK * alone.looks) as u64);
        *loads = loads.saturating_add(alone.steps as u64);
    }
    launch
}

impl Lanes<'_> {
    fn new<'a>(p: &'a Profile, at: &'a Point, per_lane: u64) -> Lanes<'a> {
        let by_columns = at.group == 1 && p.columns.is_some();
        let of_an_entry = if by_columns { at.tiles.clamp(1, WARP) } else { 1 };
        Lanes {
            p,
            at,
            each: per_lane as f64,
            lanes: p.lengths.entries.div_ceil(per_lane) as f64,
            rows: (p.lengths.parts - p.lengths.empty) as f64,
            is_serial: per_lane > 1,
            by_columns,
            of_an_entry,
            chunks_a_warp: (WARP / of_an_entry).max(1),
            whole: by_columns && at.vector,
        }
    }

    fn entries(&self) -> f64 {
        self.p.lengths.entries as f64
    }

    /// Atomic updates of a column, and those that wait for another of the same element.
    fn updates(&self) -> (f64, f64) {
        let (nnz, rows, lanes) = (self.entries(), self.rows, self.lanes);
        let chunks_a_warp = self.chunks_a_warp as f64;
        match (self.at.group, self.is_serial) {
            // Each lane updates what it has; neighbours have the same row.
            (1, false) => (nnz, (nnz - rows - nnz / chunks_a_warp).max(0.0)),
            // Only a lane's first and last rows can be another's too.
            (1, true) => ((2.0 * lanes).min(lanes + rows), (lanes - rows - lanes / chunks_a_warp).max(0.0)),
            (r, _) => {
                let open = (lanes / r as f64) + rows.min(lanes / r as f64);
                (open, (open - rows).max(0.0))
            }
        }
    }

    /// What is written, by so many instructions.
    fn writes(&self, instructions: f64) -> Writes {
        let Lanes { p, at, rows, is_serial, .. } = *self;
        let columns = p.columns.unwrap_or(1) as f64;
        // Different rows of each warp's accesses; neighbouring ones share a sector if they are narrow.
        let accesses = (self.lanes / self.chunks_a_warp as f64).ceil();
        let written = rows + accesses + if is_serial { rows.min(self.lanes) } else { 0.0 };
        // Lanes with several entries write rows that are so far apart.
        let apart = if is_serial { (self.each * rows / self.entries().max(1.0)).max(1.0) } else { 1.0 };
        let written =
            (written * (apart * p.spread() * columns * p.bytes as f64 / SECTOR).min(1.0)).max(accesses);
        // Accesses of all columns of a row, and the sectors that these touch.
        let accesses_of_a_row = if self.whole && p.updates_vectors { columns / at.c } else { columns };
        let sectors = match self.by_columns {
            true => {
                let side_by_side = (self.of_an_entry as f64 * at.c * p.bytes as f64 / SECTOR).max(1.0);
                let several = if self.whole { 1.0 } else { at.c.min(columns) };
                written * (columns / (self.of_an_entry as f64 * at.c)).ceil() * side_by_side * several
            }
            false => written * columns,
        };
        let (atomics, conflicts) = self.updates();
        Writes {
            instructions,
            shuffles: if at.group > 1 { at.shuffles() + 2.0 } else { 0.0 },
            atomics: atomics * accesses_of_a_row,
            conflicts: conflicts * accesses_of_a_row,
            sectors,
        }
    }

    /// Instructions by which lanes bring together and write what they have of a row.
    fn joined(&self) -> f64 {
        let at = self.at;
        match (at.group, self.is_serial) {
            (1, _) if self.whole => 1.0,
            (1, _) => at.c,
            (_, false) => 3.0 * at.shuffles() + 4.0 * at.c + 2.0,
            (_, true) => 3.0 * at.shuffles() + (4.0 + JOIN) * at.c,
        }
    }

    fn advance(&self) -> Advance {
        let Lanes { p, at, each, rows, is_serial, .. } = *self;
        let nnz = self.entries();
        let walk = p.walk(each as u64, self.chunks_a_warp as usize);
        // Lanes that load for several entries at a time go along their entries together, and rows end in between: of vectors, and of
        // scalars of one column.
        let together = is_serial && p.parents.is_empty() && (at.vector || at.c <= 1.0);
        let some = |ends: f64| 1.0 - (1.0 - ends.min(1.0)).powf(self.chunks_a_warp as f64);
        let (turns, taken, longest) = match is_serial {
            true if together => (1.0 + each * some(rows / nnz.max(1.0)), each, each),
            true => (walk.turns, walk.steps, walk.longest),
            false => (0.0, each, each),
        };
        // Where rows without entries follow, the next one is searched.
        let without = p.lengths.empty as f64 / (p.lengths.parts as f64).max(1.0);
        let hops = if together { each * some(rows / nnz.max(1.0) * without) } else { 0.0 };
        Advance { taken, longest, turns, hops }
    }

    /// Sectors of the sparse operand that so many warps move, each of which has searched.
    fn sectors_read(&self, warps: f64, found: &Search) -> f64 {
        let Lanes { p, each, .. } = *self;
        let stride = |bytes: f64| (each * bytes).min(SECTOR) / SECTOR * self.lanes * each;
        let rows = self.chunks_a_warp as f64 * each * p.lengths.parts as f64 / self.entries().max(1.0);
        (stride(INDEX) + stride(p.bytes as f64)) * self.at.tiles as f64 / self.of_an_entry as f64
            // Lanes of a warp look for neighbouring rows: they part ways in the last step.
            + warps * (found.looks + (rows * INDEX / SECTOR).min(64.0))
    }
}
