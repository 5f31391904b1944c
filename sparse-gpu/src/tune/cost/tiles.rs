//! What a point with tiles in shared memory would cost: every block loads all of the dense operands that it has columns of,
//! and walks its rows from tile to tile.

use super::{INDEX, LOOK, SECTOR, STEP, WARP, WARP_OVERHEAD};
use crate::sim::{Counts, LaunchReport, Path};
use crate::tune::profile::{Profile, Search};
use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::{Amount, Data};

/// Instructions of an element that a thread loads into a tile: where it is, guards, the load and the store.
const LOAD: f64 = 16.0;
/// Instructions of a tile beside its elements: its loop, and two barriers.
const TILE: f64 = 10.0;
/// Instructions of a row in a tile beside its entries: where they are, but for the search.
const ROW: f64 = 16.0;
/// Instructions of a column beside the factors: a guard, the sum.
const COLUMN: f64 = 4.0;
/// Instructions of an element of a tile: its index, and the load.
const FACTOR: f64 = 4.0;

/// What the blocks of a point with tiles have.
pub(in crate::tune) struct Blocks {
    /// Rows of the result.
    pub(in crate::tune) rows: u64,
    /// Columns.
    pub(in crate::tune) columns: u64,
}

/// The blocks of a point, if it has tiles.
pub(in crate::tune) fn blocks(p: &Profile, point: &AtomicParallelism) -> Option<Blocks> {
    let c = point.columns.n();
    let Data::Row(Amount::Whole(x)) = point.data else { return None };
    let lanes = if p.columns.is_some() { WARP } else { 1 };
    let rows = u64::from(point.threads) / lanes * u64::from(x);
    let columns = if p.columns.is_some() { WARP * u64::from(c) } else { 1 };
    (point.shared > 0).then_some(Blocks { rows, columns })
}

/// Rows of dense operands that blocks load, to those that entries read, both for all columns.
pub(in crate::tune) fn loaded(p: &Profile, point: &AtomicParallelism) -> Option<f64> {
    let Blocks { rows, .. } = blocks(p, point)?;
    let loaded = p.lengths.parts.div_ceil(rows.max(1)).saturating_mul(p.inner);
    Some(loaded as f64 / (p.lengths.entries as f64).max(1.0))
}

pub(super) fn tiles(p: &Profile, point: &AtomicParallelism, at: &Blocks) -> LaunchReport {
    let c = point.columns.n();
    let Data::Row(x) = point.data else { return LaunchReport::default() };
    let (threads, bytes, nnz) = (f64::from(point.threads), p.bytes as f64, p.lengths.entries as f64);
    let (wide, x, c) =
        (p.columns.is_some(), f64::from(x.n()), if p.columns.is_some() { f64::from(c) } else { 1.0 });
    let all_columns = p.columns.unwrap_or(1);
    let across = all_columns.div_ceil(at.columns);
    let down = p.lengths.parts.div_ceil(at.rows.max(1));
    let blocks = (down * across) as f64;
    let warps_a_block = threads / WARP as f64;
    let warps = blocks * warps_a_block;
    let n = u64::from(point.shared);
    let tiles = p.inner.div_ceil(n) as f64;

    // Of all tiles together, the elements that a thread loads.
    let width = if point.vector { c } else { 1.0 };
    let a_load = (n * at.columns) as f64 / threads / width;
    let loads = tiles * a_load.ceil() * p.factors as f64;
    // A thread with one row goes on where it was.
    let searches = if x > 1.0 { 2.0 } else { 1.0 };
    let found = Search::among(p.lengths.mean().max(1.0)).part(searches);
    let rows_a_warp = if wide { x } else { WARP as f64 * x };
    let turns = tiles * x;
    let steps = |entries: f64| entries * (STEP + c * (COLUMN + FACTOR * p.factors as f64) * p.others as f64);
    // Warps that have rows; all load.
    let live = p.lengths.parts.div_ceil(rows_a_warp as u64) as f64 * across as f64;
    let (sum, longest) = entries(p, rows_a_warp as usize, if wide { 1 } else { x as usize }, wide);
    let of_rows = turns * (ROW + LOOK * found.looks) + 6.0 * c * x;
    let idle = WARP_OVERHEAD + tiles * TILE + loads * LOAD;
    let a_warp = idle + of_rows;
    let instructions = across as f64 * steps(sum) + warps * idle + live * of_rows;

    // Lanes of a warp that has a row read the same entry; where each has a row, each reads another.
    let apart = if wide { 1.0 } else { WARP as f64 };
    let entry_sectors = 2.0 * nnz * across as f64 + live * turns * found.looks * apart;
    let columns = (at.columns.min(all_columns)) as f64;
    // Rows of all columns lie side by side; of some, each has sectors of its own.
    let of_a_row = columns * bytes / SECTOR;
    let row = if across > 1 { of_a_row.max(1.0) } else { of_a_row };
    let dense = blocks * p.inner as f64 * row * p.factors as f64;
    let all = all_columns as f64 * bytes / SECTOR;
    let least_entries = nnz * (INDEX + bytes) / SECTOR + p.lengths.parts as f64 * INDEX / SECTOR;
    let counts = Counts {
        instructions: instructions as u64,
        active_lanes: (32.0 * instructions) as u64,
        loads: (across as f64 * 2.0 * sum + warps * loads + live * turns * (found.steps + 2.0)) as u64,
        barriers: (warps * 2.0 * tiles) as u64,
        ..Counts::default()
    };
    let output = p.output as f64 * bytes / SECTOR;
    LaunchReport {
        grid: [down, across, 1],
        threads: point.threads,
        warps: warps as u64,
        shared: n * at.columns * p.factors * p.bytes,
        longest_warp: Path {
            instructions: (steps(longest) + a_warp) as u64,
            loads: (2.0 * longest + loads + turns * (found.steps + 2.0)) as u64,
        },
        longest_block: (steps(longest).max(steps(sum) / down.max(1) as f64) + a_warp * warps_a_block) as u64,
        sectors_read: (dense + entry_sectors) as u64,
        block_read: (dense + least_entries * across as f64) as u64,
        least_read: (p.inner as f64 * all * p.factors as f64 + least_entries) as u64,
        sectors_written: (output * if wide && !point.vector { (c * 4.0 / bytes).clamp(1.0, c) } else { 1.0 })
            as u64,
        least_written: output as u64,
        counts,
        ..LaunchReport::default()
    }
}

/// Steps of all warps that have so many rows, a lane so many of them, and of the busiest: a warp's lanes have the same row,
/// or one each.
fn entries(p: &Profile, rows_a_warp: usize, per_lane: usize, wide: bool) -> (f64, f64) {
    let (mut sum, mut longest) = (0.0, 0.0f64);
    for warp in p.rows.chunks(rows_a_warp.max(1)) {
        let all = |rows: &[u32]| rows.iter().map(|n| f64::from(*n)).sum::<f64>();
        let steps = match wide {
            true => all(warp),
            false => warp.chunks(per_lane.max(1)).map(all).fold(0.0, f64::max),
        };
        sum += steps;
        longest = longest.max(steps);
    }
    let scale = p.lengths.parts as f64 / (p.rows.len() as f64).max(1.0);
    (sum * scale, longest.max(p.lengths.largest as f64))
}
