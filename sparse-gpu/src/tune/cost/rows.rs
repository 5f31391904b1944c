//! What a point would cost whose lanes share rows, or have whole ones.

use super::{Extra, INDEX, LOOK, NEXT_ROW, Point, SECTOR, Shared, Steps, WARP, Writes, report};
use crate::sim::LaunchReport;
use crate::tune::profile::{Profile, Search};

/// Lanes of a group share rows, or a lane has whole rows; so many one after another.
pub(super) fn rows(p: &Profile, at: &Point, per_lane: u64, lanes: u64) -> LaunchReport {
    let items = (WARP / lanes).max(1);
    // Neighbours are the column tiles of a row where rows and tiles are fused.
    let of_a_row = if p.dense_rows { at.tiles.clamp(1, items) } else { 1 };
    let rows_a_warp = (items / of_a_row).max(1) * per_lane;
    let steps = row_steps(p, at, per_lane, lanes, rows_a_warp as usize);
    let scale = p.scale();
    let chunks: f64 = p.rows.iter().map(|&n| u64::from(n).div_ceil(lanes) as f64).sum::<f64>() * scale;
    let mut steps = steps;
    // Below rows of a tensor are fibers: lanes with rows walk along them, and lanes that share one look for theirs.
    let inner_fibers = p.fibers.parts as f64 / (p.lengths.parts as f64).max(1.0);
    let (mut per_step, mut loads_per_step, mut searched) = (0.0, 0.0, 0.0);
    if p.fibers != p.lengths && lanes > 1 {
        let search = Search::among(inner_fibers);
        (per_step, loads_per_step) = (LOOK * search.looks + 8.0, search.steps + 2.0);
        searched = steps.all * search.looks;
    } else if p.fibers != p.lengths {
        let walk = p.walk_down(per_lane as usize);
        let longer = walk.steps * steps.warps / steps.all.max(1.0);
        for n in [&mut steps.all, &mut steps.block] {
            *n *= longer.max(1.0);
        }
        steps.longest = steps.longest.max(walk.longest);
        let a_fiber = walk.turns / walk.steps.max(1.0);
        (per_step, loads_per_step) = (a_fiber * NEXT_ROW, 3.0 * a_fiber);
    }
    let extra = Extra { instructions: per_step, loads: loads_per_step };
    // A warp's loads of coordinates and values: of so many rows, so many lanes wide.
    let width = |bytes: f64| (lanes as f64 * bytes / SECTOR).max(1.0);
    let warps_a_row = (at.tiles as f64 / of_a_row as f64).max(1.0);
    let read = chunks * warps_a_row * (width(INDEX) + width(p.bytes as f64)) + searched;
    let shared = lanes.min(WARP) as f64 / at.group as f64;
    let writes = Writes {
        instructions: 2.0 * at.shuffles() + if whole_vectors(at, lanes) { 6.0 } else { 6.0 * at.c },
        shuffles: at.shuffles(),
        atomics: if shared > 1.0 { p.output as f64 * shared } else { 0.0 },
        conflicts: if shared > 1.0 { p.output as f64 * (shared - 1.0) } else { 0.0 },
        sectors: row_sectors(p, at, of_a_row, lanes, per_lane) * p.lengths.parts as f64,
    };
    let in_block = if p.dense_rows { at.tiles.clamp(1, (at.threads / lanes).max(1)) } else { 1 };
    // Coordinates of stored rows are looked up, where the result is not at their positions.
    let found = match p.dense_rows || p.shares_rows {
        true => Search::default(),
        false => p.row_search + Search { steps: 2.0, looks: 2.0 },
    };
    let writes = Writes { instructions: writes.instructions + LOOK * found.looks, ..writes };
    let read = read + steps.warps * per_lane as f64 * found.looks;
    let shared = Shared { in_warp: of_a_row as f64, in_block: in_block as f64, read };
    report(p, at, (&steps, &extra), &shared, per_lane as f64, (2.0 + found.steps) * per_lane as f64, &writes)
}

/// Sectors that the columns of a row are written in.
fn row_sectors(p: &Profile, at: &Point, of_a_row: u64, lanes: u64, per_lane: u64) -> f64 {
    let (n, bytes) = (p.columns.unwrap_or(1) as f64, p.bytes as f64);
    // Each column of a tile is an access of its own, unless lanes have exchanged them or store vectors. Rows of a warp share
    // a sector if they are narrow and near each other.
    let rows_at_a_time = (WARP / lanes).max(1) as f64 / of_a_row as f64;
    let narrow = (per_lane as f64 * p.spread() * n * bytes / SECTOR).max(1.0 / rows_at_a_time).min(1.0);
    let accesses = if at.scatter || whole_vectors(at, lanes) { 1.0 } else { at.c.min(n) };
    let span = (of_a_row as f64 * at.c * bytes / SECTOR).max(1.0);
    (n / (of_a_row as f64 * at.c)).ceil() * span * accesses * narrow
}

/// Does a thread store what it has of a row as a vector? One that reduces with others stores column by column.
fn whole_vectors(at: &Point, lanes: u64) -> bool {
    at.vector && lanes == 1
}

/// Row by row: a warp's steps are those of its longest row.
pub(super) fn row_steps(p: &Profile, at: &Point, per_lane: u64, lanes: u64, rows_a_warp: usize) -> Steps {
    let items = (WARP / lanes).max(1) as f64;
    // Warps that have the same rows, for other tiles; and for a row of several warps.
    let copies = (at.tiles as f64 * (rows_a_warp as f64 / per_lane as f64) / items).max(1.0)
        * (lanes as f64 / WARP as f64).max(1.0);
    let warps_a_block = at.threads as f64 / WARP as f64;
    let mut steps = Steps::default();
    let (mut block, mut in_block) = (0.0, 0.0);
    for warp in p.rows.chunks(rows_a_warp.max(1)) {
        let of_lane = |rows: &[u32]| rows.iter().map(|&n| u64::from(n).div_ceil(lanes)).sum::<u64>();
        let longest = warp.chunks(per_lane as usize).map(of_lane).max().unwrap_or(0) as f64;
        steps.all += longest * copies;
        steps.warps += copies;
        steps.longest = steps.longest.max(longest);
        (block, in_block) = (block + longest * copies, in_block + copies);
        if in_block >= warps_a_block {
            steps.block = steps.block.max(block * warps_a_block / in_block);
            (block, in_block) = (0.0, 0.0);
        }
    }
    steps.block = steps.block.max(block.min(block * warps_a_block / in_block.max(1.0)));
    // A row that the sample has not seen.
    let longest = p.lengths.largest.div_ceil(lanes) as f64;
    steps.longest = steps.longest.max(longest);
    steps.block = steps.block.max(longest);
    let scale = p.lengths.parts as f64 / (p.rows.len() as f64).max(1.0);
    steps.all *= scale;
    steps.warps *= scale;
    steps
}
