//! What a point would cost where an entry has an output of its own.

use super::rows::row_steps;
use super::{COLUMN, FACTOR, INDEX, LOOK, NEXT_ROW, Point, SECTOR, Steps, VECTOR, WARP, WARP_OVERHEAD};
use crate::sim::{Counts, LaunchReport, Path, Report};
use crate::tune::profile::{Profile, Search};
use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::Data;

/// Instructions of a loop's iteration alone.
const LOOP: f64 = 3.0;

/// How warps go about their entries.
struct Entries {
    steps: Steps,
    /// Entries that a warp's groups come to, one after another.
    visits: f64,
    /// Times that they come to another row.
    turns: f64,
}

/// An entry has an output of its own, and lanes of a group share its sum.
pub(super) fn pattern(p: &Profile, point: &AtomicParallelism, at: &Point) -> Report {
    let (Data::Nnz(g) | Data::Row(g)) = point.data;
    let g = g.n();
    let nnz = p.lengths.entries as f64;
    let by_rows = matches!(point.data, Data::Row(_));
    let (r, c) = (at.group as f64, if at.group == 1 && !at.vector { 1.0 } else { at.c });
    let sum = (p.others as f64 * p.columns.unwrap_or(1) as f64).max(1.0);
    let inner = (sum / (r * c)).ceil() * c;
    let Entries { mut steps, visits, turns } = Entries::of(p, at, g, by_rows);
    let longest = steps.longest;
    for n in [&mut steps.all, &mut steps.longest, &mut steps.block] {
        *n *= inner;
    }
    let (bytes, factors) = (p.bytes as f64, p.factors as f64);
    let found = if by_rows { Search::default() } else { p.entry_search };
    let search = LOOK * found.looks;
    // Several columns of a lane have a loop of their own around them, and a guard each, or one for a vector.
    let an_element = match at.vector {
        true => (2.0 * COLUMN + LOOP + VECTOR * factors) / c + 5.0 + factors,
        false if c > 1.0 => 3.0 * COLUMN + FACTOR * factors,
        false => COLUMN + FACTOR * factors,
    };
    let an_access = if at.vector { 1.0 / c } else { 1.0 };
    // A group that has one entry reads its value with each element.
    let values = if g == 1 && at.group > 1 { 1.0 } else { 0.0 };
    // An entry's own: its coordinate and value, its sum, where that goes.
    let an_entry = 2.0 * r.log2() + 6.0;
    let a_warp = WARP_OVERHEAD / 2.0 + search + turns * NEXT_ROW + visits * an_entry;
    let longest_warp = a_warp + (longest - visits).max(0.0) * an_entry;
    // A lane alone walks along its rows; lanes of a group read neighbouring columns.
    let span = (r * c * bytes / SECTOR).max(1.0);
    let loads = nnz * factors * (sum / (r * c)).ceil();
    let moved = loads * span * if r == 1.0 || at.vector { 1.0 } else { c };
    let blocks = steps.warps * WARP as f64 / at.threads as f64;
    let distinct = distinct_sectors(p, sum, blocks.max(1.0));
    let entries = nnz * (INDEX + 2.0 * bytes) / SECTOR;
    let least = entries + p.inner as f64 * (sum * bytes / SECTOR).max(1.0) * factors;
    // Groups of a warp write elements that are so far apart.
    let (groups, apart) = (WARP as f64 / r, if by_rows { SECTOR } else { f64::from(g) * bytes });
    let written = (groups * apart / SECTOR).clamp(1.0, groups) / groups;
    let counts = Counts {
        instructions: (steps.all * an_element + steps.warps * a_warp) as u64,
        active_lanes: (nnz * sum * an_element) as u64,
        loads: (steps.all * (factors * an_access + values)
            + steps.warps * (2.0 * visits + turns + found.steps)) as u64,
        shuffles: (steps.warps * visits * r.log2()) as u64,
        ..Counts::default()
    };
    let launch = LaunchReport {
        grid: [blocks.ceil() as u64, 1, 1],
        threads: at.threads as u32,
        warps: steps.warps as u64,
        longest_warp: Path {
            instructions: (steps.longest * an_element + longest_warp) as u64,
            loads: (longest * inner * (factors * an_access + values) + 2.0 * visits + turns + found.steps)
                as u64,
        },
        longest_block: (steps.block * an_element) as u64,
        sectors_read: (moved + 2.0 * entries + steps.warps * found.looks) as u64,
        block_read: (moved.min(distinct) + entries) as u64,
        least_read: least.min(moved + entries) as u64,
        sectors_written: (nnz * written) as u64,
        least_written: (nnz * bytes / SECTOR) as u64,
        counts,
        ..LaunchReport::default()
    };
    Report { launches: vec![launch], fills: vec![] }
}

impl Entries {
    /// Of groups, each of which has so many entries, or rows.
    fn of(p: &Profile, at: &Point, g: u32, by_rows: bool) -> Entries {
        let each = f64::from(g);
        if by_rows {
            // Of a row's entries one after another.
            let steps = row_steps(p, at, u64::from(g), 1, (WARP * u64::from(g)) as usize);
            return Entries { steps, visits: each, turns: 0.0 };
        }
        // Groups of a warp walk along the rows of their entries.
        let walk = p.walk(u64::from(g), WARP as usize / at.group as usize);
        let (visits, turns) = if g > 1 { (walk.steps, walk.turns) } else { (each, 0.0) };
        let warps = (p.lengths.entries as f64 * at.group as f64 / each / WARP as f64).ceil();
        let warps_a_block = at.threads as f64 / WARP as f64;
        let (all, block) = (warps * walk.steps, warps_a_block * walk.steps);
        Entries { steps: Steps { warps, all, longest: walk.longest, block }, visits, turns }
    }
}

/// Different sectors of the dense operands that so many blocks read: entries of a block have neighbouring rows, and coordinates at
/// random.
fn distinct_sectors(p: &Profile, sum: f64, blocks: f64) -> f64 {
    let of_a_block = p.lengths.entries as f64 / blocks;
    let rows_of_a_block = (of_a_block / p.lengths.mean().max(1.0) + 1.0).min(of_a_block.max(1.0));
    let drawn = p.inner as f64 * (1.0 - (-of_a_block / (p.inner as f64).max(1.0)).exp());
    let factors = p.factors as f64;
    blocks * (drawn + (factors - 1.0) * rows_of_a_block) * (sum * p.bytes as f64 / SECTOR).max(1.0)
}
