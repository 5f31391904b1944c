//! What a point would cost, by arithmetic on the inputs' statistics: a [`Report`] like the simulator's, without a run.
//!
//! Lanes of a warp go on together, so a warp takes as many steps as its busiest lane, and a block as its warps. That is
//! counted row by row. What is loaded is counted in sectors: entries are read in order, rows of dense operands at random,
//! and several columns of a row share a sector if neighbouring lanes have them. Instructions are those of the loops that
//! `schedule::points` makes; a test compares all of it with the simulator.

mod entries;
mod pattern;
mod rows;
pub(super) mod tiles;

use super::model::SECTOR;
use super::profile::Profile;
use crate::sim::{Counts, LaunchReport, Path, Report};
use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::{Amount, Data};
use sparse_core::llir::kernel;

/// Threads of a warp.
const WARP: u64 = kernel::WARP as u64;
/// Bytes of a position or coordinate.
const INDEX: f64 = 4.0;

/// Instructions of a loop's iteration, with the entry's coordinate and value.
const STEP: f64 = 5.0;
/// Instructions of a column beside its factors: which one, its guard, the sum.
const COLUMN: f64 = 4.0;
/// Instructions of one factor: its index, and the load.
const FACTOR: f64 = 4.0;
/// Instructions of a vector of a factor's elements: where it is, and the load. A product remains for each.
const VECTOR: f64 = FACTOR - 1.0;
/// Instructions before and after a warp's loops.
const WARP_OVERHEAD: f64 = 24.0;
/// Instructions of an element that a search looks at.
const LOOK: f64 = 3.0;
/// Instructions of finding that the next entry is in another row, and of going there.
const NEXT_ROW: f64 = 14.0;

/// A point in numbers.
struct Point {
    /// Columns of a thread.
    c: f64,
    /// Column tiles.
    tiles: u64,
    group: u64,
    threads: u64,
    scatter: bool,
    /// The columns of a thread are one access: no guards, one index, one load of each factor.
    vector: bool,
}

impl Point {
    fn new(p: &Profile, point: &AtomicParallelism) -> Point {
        let c = point.columns.n();
        let (group, threads) = (u64::from(point.group), u64::from(point.threads));
        // Else the code without vectors runs.
        let divides = p.columns.unwrap_or(p.others).is_multiple_of(u64::from(c));
        Point {
            c: f64::from(c),
            tiles: p.tiles(u64::from(c)),
            group,
            threads,
            scatter: point.scatter,
            vector: point.vector && divides,
        }
    }

    /// Loads of a dense operand for the columns of a thread.
    fn accesses(&self) -> f64 {
        if self.vector { 1.0 } else { self.c }
    }

    /// Instructions of an entry's products in the columns of a thread.
    fn products(&self, p: &Profile) -> f64 {
        let factors = p.factors as f64;
        // Without columns there is no guard, and an entry's coordinate is the index.
        let column =
            if p.columns.is_some() { COLUMN + FACTOR * factors } else { 1.0 + FACTOR / 2.0 * factors };
        let all = match self.vector {
            true => VECTOR * factors + self.c * (1.0 + factors),
            false => self.c * column,
        };
        all * p.others as f64
    }

    /// Shuffles of a reduction of all columns; halves are exchanged until a lane has one column left.
    fn shuffles(&self) -> f64 {
        let group = self.group as f64;
        let width = self.c.min(group);
        match self.scatter {
            true => self.c - self.c / width + (group / width).log2(),
            false => self.c * group.log2(),
        }
    }
}

/// How the steps of warps add up.
#[derive(Default)]
struct Steps {
    warps: f64,
    /// Of all warps.
    all: f64,
    /// Of the busiest.
    longest: f64,
    /// Of the warps of the busiest block.
    block: f64,
}

/// What a launch of this point would cost, and what is filled before.
pub(super) fn estimate(p: &Profile, point: &AtomicParallelism) -> Report {
    let at = Point::new(p, point);
    if let Some(blocks) = tiles::blocks(p, point) {
        return Report { launches: vec![tiles::tiles(p, point, &blocks)], fills: vec![] };
    }
    let launch = match point.data {
        _ if p.pattern => return pattern::pattern(p, point, &at),
        Data::Row(Amount::Whole(x)) => rows::rows(p, &at, u64::from(x), 1),
        Data::Row(Amount::Part(g)) => rows::rows(p, &at, u64::from(point.rows), u64::from(g)),
        Data::Nnz(g) => entries::entries(p, &at, u64::from(g.n())),
    };
    // Elements that nobody writes, or that are updated, need a value first.
    let all_rows = p.dense_rows || p.shares_rows;
    let is_written = match point.data {
        Data::Row(Amount::Part(g)) => u64::from(g) == at.group && all_rows,
        Data::Row(_) => all_rows,
        Data::Nnz(_) => false,
    };
    let fills = if is_written { vec![] } else { vec![p.output.saturating_mul(p.bytes)] };
    Report { launches: vec![launch], fills }
}

/// What a step takes besides, on average.
#[derive(Default)]
struct Extra {
    instructions: f64,
    loads: f64,
}

/// What is read by several.
struct Shared {
    /// Column tiles of an entry that a warp has.
    in_warp: f64,
    /// Column tiles of an entry that a block has.
    in_block: f64,
    /// Sectors of the sparse operand that are moved.
    read: f64,
}

/// What is written, and how.
struct Writes {
    /// Instructions of a warp.
    instructions: f64,
    /// Shuffles of a warp.
    shuffles: f64,
    atomics: f64,
    conflicts: f64,
    sectors: f64,
}

/// Products of entries and rows of dense operands, from how warps go about the entries.
fn report(
    p: &Profile,
    at: &Point,
    (steps, extra): (&Steps, &Extra),
    shared: &Shared,
    ends: f64,
    loads: f64,
    writes: &Writes,
) -> LaunchReport {
    let (nnz, bytes) = (p.lengths.entries as f64, p.bytes as f64);
    let (factors, others) = (p.factors as f64, p.others as f64);
    let columns = p.columns.map_or(1.0, |n| at.accesses().min(n as f64));
    let a_step = STEP + extra.instructions + at.products(p);
    let loads_a_step = 2.0 + extra.loads + at.accesses() * factors * others;
    let a_warp = WARP_OVERHEAD + ends * writes.instructions;
    // Each column is a load; neighbouring lanes that have the same entry share sectors.
    let visits = nnz * at.tiles as f64 / shared.in_warp;
    let span = (shared.in_warp * at.c * bytes / SECTOR).max(1.0);
    let row = (p.columns.unwrap_or(1) as f64 * bytes / SECTOR).max(1.0);
    let blocks = (steps.warps * WARP as f64 / at.threads as f64).max(1.0);
    let drawn = |draws: f64| p.inner as f64 * (1.0 - (-draws / (p.inner as f64).max(1.0)).exp());
    let again = at.tiles as f64 / shared.in_block;
    let span_of_block = (shared.in_block * at.c * bytes / SECTOR).clamp(1.0, row);
    let dense = factors * others * drawn(nnz * again / blocks) * blocks * span_of_block;
    let moved = factors * others * visits * span * columns;
    let entries = nnz * (INDEX + bytes) / SECTOR + p.lengths.parts as f64 * INDEX / SECTOR;
    let least = entries + factors * others * drawn(nnz) * row;
    let written = p.output as f64 * bytes / SECTOR;
    let counts = Counts {
        instructions: (steps.all * a_step + steps.warps * a_warp) as u64,
        active_lanes: (nnz * at.tiles as f64 * a_step) as u64,
        loads: (steps.all * loads_a_step + steps.warps * loads) as u64,
        atomics: writes.atomics as u64,
        atomic_conflicts: writes.conflicts as u64,
        shuffles: (steps.warps * ends * writes.shuffles) as u64,
        ..Counts::default()
    };
    LaunchReport {
        grid: [blocks.ceil() as u64, 1, 1],
        threads: at.threads as u32,
        warps: steps.warps.ceil() as u64,
        longest_warp: Path {
            instructions: (steps.longest * a_step + a_warp) as u64,
            loads: (steps.longest * loads_a_step + loads) as u64,
        },
        longest_block: (steps.block * a_step + a_warp * at.threads as f64 / WARP as f64) as u64,
        sectors_read: (moved + shared.read) as u64,
        block_read: (dense.min(moved) + (entries * again).min(shared.read)) as u64,
        least_read: least.min(moved + shared.read) as u64,
        sectors_written: writes.sectors as u64,
        least_written: written as u64,
        counts,
        ..LaunchReport::default()
    }
}
