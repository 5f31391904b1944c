//! What a point would cost, by arithmetic on the inputs' statistics: a [`Report`] like the simulator's, without a run.
//!
//! Lanes of a warp go on together, so a warp takes as many steps as its busiest lane, and a block as its warps. That is
//! counted row by row. What is loaded is counted in sectors: entries are read in order, rows of dense operands at random,
//! and several columns of a row share a sector if neighbouring lanes have them. Instructions are those of the loops that
//! `schedule::points` makes; a test compares all of it with the simulator.

pub(super) mod tiles;

use super::model::SECTOR;
use super::profile::{Profile, Search};
use crate::sim::{Counts, LaunchReport, Path, Report};
use sparse_core::driver::Options;
use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::{Amount, Data};
use sparse_core::llir::kernel;

/// Threads of a warp.
const WARP: u64 = kernel::WARP as u64;
/// Bytes of a position or coordinate.
const INDEX: f64 = 4.0;

/// Instructions of a loop's iteration, with the entry's coordinate and value.
const STEP: f64 = 5.0;
/// Instructions of a loop's iteration alone.
const LOOP: f64 = 3.0;
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
/// Instructions of searching between ends that a block has found: where its threads' are, their loads, the barrier.
const BETWEEN: f64 = 8.0;
/// In so many parts of a block's positions its threads search apart.
const PARTS: f64 = 16.0;
/// Instructions of finding that the next entry is in another row, and of going there.
const NEXT_ROW: f64 = 14.0;
/// Loads of a search for the next row that has entries, which begins nearby.
const HOP_LOADS: f64 = 4.0;
/// Instructions of an element that a thread is done with: it is kept or stored, lanes part on which, and cleared.
const FLUSH: f64 = 8.0;
/// Instructions of a column of two neighbours that join what they have of a row.
const JOIN: f64 = 16.0;

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
        _ if p.pattern => return pattern(p, point, &at),
        Data::Row(Amount::Whole(x)) => rows(p, &at, u64::from(x), 1),
        Data::Row(Amount::Part(g)) => rows(p, &at, u64::from(point.rows), u64::from(g)),
        Data::Nnz(g) => entries(p, &at, u64::from(g.n())),
    };
    // Elements that nobody writes, or that are updated, need a value first.
    let is_written = match point.data {
        Data::Row(Amount::Part(g)) => u64::from(g) == at.group && p.dense_rows,
        Data::Row(_) => p.dense_rows,
        Data::Nnz(_) => false,
    };
    let fills = if is_written { vec![] } else { vec![p.output * p.bytes] };
    Report { launches: vec![launch], fills }
}

/// Lanes of a group share rows, or a lane has whole rows; so many one after another.
fn rows(p: &Profile, at: &Point, per_lane: u64, lanes: u64) -> LaunchReport {
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
    // Coordinates of stored rows are looked up.
    let found =
        if p.dense_rows { Search::default() } else { p.row_search + Search { steps: 2.0, looks: 2.0 } };
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
fn row_steps(p: &Profile, at: &Point, per_lane: u64, lanes: u64, rows_a_warp: usize) -> Steps {
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

/// A lane has so many neighbouring entries.
fn entries(p: &Profile, at: &Point, per_lane: u64) -> LaunchReport {
    let nnz = p.lengths.entries as f64;
    let lanes = p.lengths.entries.div_ceil(per_lane) as f64;
    let warps = (lanes / WARP as f64).ceil() * at.tiles as f64;
    let warps_a_block = at.threads as f64 / WARP as f64;
    let steps = per_lane as f64;
    let rows = (p.lengths.parts - p.lengths.empty) as f64;
    let columns = p.columns.unwrap_or(1) as f64;
    let runs = lanes + rows;
    let is_serial = per_lane > 1;
    // Lanes that do not reduce together have the column tiles of the same entries side by side.
    let by_columns = at.group == 1 && p.columns.is_some();
    let of_an_entry = if by_columns { at.tiles.clamp(1, WARP) } else { 1 };
    let chunks_a_warp = (WARP / of_an_entry).max(1);
    let whole = by_columns && at.vector;
    let flush = if whole { FLUSH } else { at.c * FLUSH };
    let (atomics, conflicts) = match (at.group, is_serial) {
        // Each lane updates what it has; neighbours have the same row.
        (1, false) => (nnz, (nnz - rows - nnz / chunks_a_warp as f64).max(0.0)),
        // Only a lane's first and last rows can be another's too.
        (1, true) => ((2.0 * lanes).min(runs), (lanes - rows - lanes / chunks_a_warp as f64).max(0.0)),
        (r, _) => {
            let open = (lanes / r as f64) + rows.min(lanes / r as f64);
            (open, (open - rows).max(0.0))
        }
    };
    // Different rows of each warp's accesses; neighbouring ones share a sector if they are narrow.
    let accesses = (lanes / chunks_a_warp as f64).ceil();
    let written = rows + accesses + if is_serial { rows.min(lanes) } else { 0.0 };
    // Lanes with several entries write rows that are so far apart.
    let apart = if is_serial { (steps * rows / nnz.max(1.0)).max(1.0) } else { 1.0 };
    let written = (written * (apart * p.spread() * columns * p.bytes as f64 / SECTOR).min(1.0)).max(accesses);
    // Accesses of all columns of a row, and the sectors that these touch.
    let accesses_of_a_row = if whole && p.updates_vectors { columns / at.c } else { columns };
    let sectors = match by_columns {
        true => {
            let side_by_side = (of_an_entry as f64 * at.c * p.bytes as f64 / SECTOR).max(1.0);
            let several = if whole { 1.0 } else { at.c.min(columns) };
            written * (columns / (of_an_entry as f64 * at.c)).ceil() * side_by_side * several
        }
        false => written * columns,
    };
    let joined = match (at.group, is_serial) {
        (1, _) if whole => 1.0,
        (1, _) => at.c,
        (_, false) => 3.0 * at.shuffles() + 4.0 * at.c + 2.0,
        (_, true) => 3.0 * at.shuffles() + (4.0 + JOIN) * at.c,
    };
    // A block searches once for lanes of one entry that have segments, and then each between two of the rows found.
    let search_threads = Options::default().lower.search_threads;
    let by_block = !is_serial && at.group > 1 && at.threads >= search_threads && !p.searched.is_empty();
    let (found, between) = match by_block {
        true => {
            (p.entry_search.part(1.0 / warps_a_block) + p.search_between(at.threads as f64 / PARTS), BETWEEN)
        }
        false => (p.entry_search, 0.0),
    };
    let search = LOOK * found.looks + between;
    let walk = p.walk(per_lane, chunks_a_warp as usize);
    // Lanes that load for several entries at a time go along their entries together, and rows end in between: of vectors, and of
    // scalars of one column.
    let together = is_serial && p.parents.is_empty() && (at.vector || at.c <= 1.0);
    let some = |ends: f64| 1.0 - (1.0 - ends.min(1.0)).powf(chunks_a_warp as f64);
    let (turns, taken, longest) = match is_serial {
        true if together => (1.0 + steps * some(rows / nnz.max(1.0)), steps, steps),
        true => (walk.turns, walk.steps, walk.longest),
        false => (0.0, steps, steps),
    };
    // Where rows without entries follow, the next one is searched.
    let without = p.lengths.empty as f64 / (p.lengths.parts as f64).max(1.0);
    let hops = if together { steps * some(rows / nnz.max(1.0) * without) } else { 0.0 };
    let advance = turns * (NEXT_ROW + flush) + hops * HOP_LOADS * LOOK;
    let stride = |bytes: f64| (per_lane as f64 * bytes).min(SECTOR) / SECTOR * lanes * steps;
    let read = (stride(INDEX) + stride(p.bytes as f64)) * at.tiles as f64 / of_an_entry as f64
        // Lanes of a warp look for neighbouring rows: they part ways in the last step.
        + warps
            * (found.looks
                + (chunks_a_warp as f64 * steps * p.lengths.parts as f64 / nnz.max(1.0) * INDEX / SECTOR).min(64.0));
    let all = Steps { warps, all: warps * taken, longest, block: warps_a_block * taken };
    // Rows that several lanes have are found again when they are written.
    let again = p.row_search.part(if is_serial { 2.0 } else { 1.0 });
    let writes = Writes {
        instructions: search + LOOK * again.looks + advance + joined,
        shuffles: if at.group > 1 { at.shuffles() + 2.0 } else { 0.0 },
        atomics: atomics * accesses_of_a_row,
        conflicts: conflicts * accesses_of_a_row,
        sectors,
    };
    // Where a fiber ends, and of a tensor which coordinates it has.
    let a_turn = if p.parents.is_empty() { 1.0 } else { 2.0 };
    let loads = found.steps + again.steps + a_turn * turns + HOP_LOADS * hops;
    let in_block = if by_columns { at.tiles.clamp(1, at.threads) } else { 1 };
    let shared = Shared { in_warp: of_an_entry as f64, in_block: in_block as f64, read };
    let mut launch = report(p, at, (&all, &Extra::default()), &shared, 1.0, loads, &writes);
    if by_block {
        // The warp that searches for the block.
        let alone = p.entry_search.part(1.0 - 1.0 / warps_a_block);
        launch.longest_warp.instructions += (LOOK * alone.looks) as u64;
        launch.longest_warp.loads += alone.steps as u64;
    }
    launch
}

/// An entry has an output of its own, and lanes of a group share its sum.
fn pattern(p: &Profile, point: &AtomicParallelism, at: &Point) -> Report {
    let (Data::Nnz(g) | Data::Row(g)) = point.data;
    let g = g.n();
    let nnz = p.lengths.entries as f64;
    let by_rows = matches!(point.data, Data::Row(_));
    let (r, c) = (at.group as f64, if at.group == 1 && !at.vector { 1.0 } else { at.c });
    let sum = (p.others as f64 * p.columns.unwrap_or(1) as f64).max(1.0);
    let inner = (sum / (r * c)).ceil() * c;
    let (mut turns, mut visits) = (0.0, f64::from(g));
    let mut steps = match by_rows {
        // Of a row's entries one after another.
        true => row_steps(p, at, u64::from(g), 1, (WARP * u64::from(g)) as usize),
        false => {
            // Groups of a warp walk along the rows of their entries.
            let walk = p.walk(u64::from(g), WARP as usize / at.group as usize);
            if g > 1 {
                (turns, visits) = (walk.turns, walk.steps);
            }
            let warps = (nnz * r / f64::from(g) / WARP as f64).ceil();
            let warps_a_block = at.threads as f64 / WARP as f64;
            let (all, block) = (warps * walk.steps, warps_a_block * walk.steps);
            Steps { warps, all, longest: walk.longest, block }
        }
    };
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
    // Entries of a block have neighbouring rows, and coordinates at random.
    let blocks = (steps.warps * WARP as f64 / at.threads as f64).max(1.0);
    let of_a_block = nnz / blocks;
    let rows_of_a_block = (of_a_block / p.lengths.mean().max(1.0) + 1.0).min(of_a_block.max(1.0));
    let drawn = p.inner as f64 * (1.0 - (-of_a_block / (p.inner as f64).max(1.0)).exp());
    let distinct = blocks * (drawn + (factors - 1.0) * rows_of_a_block) * (sum * bytes / SECTOR).max(1.0);
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
        grid: [(steps.warps * WARP as f64 / at.threads as f64).ceil() as u64, 1, 1],
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
