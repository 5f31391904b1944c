//! Schedules for a GPU in the shapes that people write: the points of atomic parallelism (PAPERS.md, section 1) in their
//! canonical form, for any number of columns.
//!
//! A point says what the lanes of a warp take: whole rows, a part of one, or a run of stored entries; how many lanes
//! reduce together; and the columns of dense operands go here or there. Some schedules are wrong on purpose.

use super::nest::{Depth, Nest, roles};
use super::schedule::quietly;
use crate::case::Case;
use crate::rng::Rng;
use sparse_core::driver::concretize_kernel;
use sparse_core::front::command::{Platform, Schedule};
use sparse_core::front::parse_str;
use sparse_core::schedule;

/// What a thread executes, and how many synchronise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Rows,
    RowParts,
    Entry,
    EntriesAtomic,
    EntriesSegment,
}

impl Point {
    /// In the paper's notation.
    fn text(self) -> &'static str {
        match self {
            Point::Rows => "<x row, c col>, 1",
            Point::RowParts => "<1/g row, c col>, r",
            Point::Entry => "<1 nnz, c col>, r",
            Point::EntriesAtomic => "<g nnz, c col>, 1",
            Point::EntriesSegment => "<g nnz, c col>, r",
        }
    }
}

/// Where the columns of the output go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    /// The output has no variable of dense operands alone.
    None,
    /// All in a lane.
    Whole,
    /// Tiles, one after another.
    Serial,
    /// Tiles on a block variable of their own.
    Blocks,
    /// Tiles folded into the rows that blocks and warps take.
    Rows,
    /// Tiles on the warps of a block, of which a promise makes the number constant.
    Warps,
    /// Tiles on the lanes.
    Lanes,
}

impl Columns {
    fn text(self) -> &'static str {
        match self {
            Columns::None => "no columns",
            Columns::Whole => "columns in a lane",
            Columns::Serial => "columns in serial tiles",
            Columns::Blocks => "columns on a second block variable",
            Columns::Rows => "columns folded into the rows",
            Columns::Warps => "columns on warps",
            Columns::Lanes => "columns on lanes",
        }
    }
}

/// What formats and operators leave no point for: tried, but not often.
const UNFIT: &[&str] = &[
    "level-order",
    "not-racing",
    "parallel-append",
    "pos-leaves-out",
    "pos-not-unique",
    "result-order",
    "unsorted-segment",
];

/// Gives a case the schedule of a point; false if its statement has no such form.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let drawn = write(rng, case);
    drawn && (rng.percent(15) || !is_unfit(case))
}

/// Is the schedule refused for what the statement is?
fn is_unfit(case: &Case) -> bool {
    // A panic is for the suite to find.
    let codes = quietly(|| {
        let kernel = parse_str(&case.kernel_text()).ok()?;
        let Schedule::Commands(commands) = &kernel.cuda else { return None };
        let cin = concretize_kernel(&kernel).ok()?;
        let refused = schedule::apply(&kernel, cin, commands, Platform::Cuda).err()?;
        refused.iter().next().map(|d| d.code)
    });
    codes.flatten().is_some_and(|code| UNFIT.contains(&code))
}

fn write(rng: &mut Rng, case: &mut Case) -> bool {
    let Some(roles) = roles(case) else { return false };
    let taken = roles.taken.clone();
    let mut nest =
        Nest { rng, roles: &roles, commands: vec![], loops: vec![], taken, scatter: false, room: 256 };
    let about = nest.draw();
    case.schedule = nest.finish();
    case.about.extend(about);
    true
}

impl Nest<'_> {
    /// Writes all but the last commands; what was drawn.
    fn draw(&mut self) -> Vec<String> {
        let roles = self.roles;
        // Rows that may be stored several times are no unit of work.
        let rows = if roles.unique[0] || self.rng.percent(5) { 1 } else { 0 };
        let mut point = self.rng.weighted(&[
            (16 * rows, Point::Rows),
            (24 * rows, Point::RowParts),
            (22, Point::Entry),
            (14, Point::EntriesAtomic),
            (24, Point::EntriesSegment),
        ]);
        if point == Point::RowParts && roles.levels.len() < 2 && roles.sums.is_empty() {
            point = Point::Entry;
        }
        let by_rows = matches!(point, Point::Rows | Point::RowParts);
        let has_columns = !roles.columns.is_empty();
        self.scatter = point == Point::RowParts && self.rng.percent(if has_columns { 65 } else { 4 });
        let columns = match has_columns {
            false => Columns::None,
            true if self.scatter => self.rng.pick(&[Columns::Serial, Columns::Blocks, Columns::Rows]),
            true => self.rng.weighted(&[
                (18, Columns::Whole),
                (16, Columns::Serial),
                (24, Columns::Blocks),
                (if by_rows { 16 } else { 0 }, Columns::Rows),
                (14, Columns::Warps),
                (if point == Point::RowParts { 0 } else { 12 }, Columns::Lanes),
            ]),
        };
        let mut about = vec![format!("point {}", point.text()), columns.text().into()];
        let tiles = self.columns(columns, by_rows, &mut about);
        match point {
            Point::Rows => self.rows(columns, tiles.as_deref(), &mut about),
            Point::RowParts => self.row_parts(columns, tiles.as_deref()),
            Point::Entry | Point::EntriesAtomic | Point::EntriesSegment => {
                self.entries(point, columns, &mut about)
            }
        }
        about
    }

    /// The loops over the columns; what counts tiles that rows are to be fused with.
    fn columns(&mut self, columns: Columns, by_rows: bool, about: &mut Vec<String>) -> Option<String> {
        let (k, others) = self.roles.columns.split_last()?;
        for other in others {
            let depth = self.rng.pick(&[Depth::Blocks, Depth::OutsideLanes, Depth::Innermost]);
            match depth {
                Depth::Blocks => self.on_blocks(other.clone()),
                _ => self.serial(other, depth),
            }
        }
        let depth = match self.rng.below(10) {
            1.. if self.scatter => Depth::Innermost,
            0..4 => Depth::OutsideLanes,
            4 => Depth::InsideLanes,
            5..7 => Depth::InsideOwn,
            7 => Depth::InsideLevels,
            _ => Depth::Innermost,
        };
        let side = if depth == Depth::OutsideLanes { "outside" } else { "inside" };
        about.push(format!("columns {side} the lanes"));
        if columns == Columns::Whole {
            self.serial(k, depth);
            return None;
        }
        let mut c = match self.scatter {
            true => self.rng.weighted(&[(1, 1), (30, 2), (40, 4), (2, 3), (20, 8), (10, 16), (5, 32)]),
            false => self.rng.weighted(&[(20, 1), (25, 2), (30, 4), (8, 3), (10, 8), (4, 16)]),
        };
        let mut k = k.clone();
        if columns == Columns::Warps {
            let size = self.roles.width;
            c = c.max(size.div_ceil(8));
            let tiles = size.div_ceil(c);
            self.room /= tiles.max(1);
            if self.rng.percent(50) {
                let [outer, tile] = self.split(&k, ["ko", "ki"], c);
                let bounded = self.fresh("warp");
                self.push("bound", &[&outer, &bounded, &tiles.to_string(), "MaxExact"]);
                self.on_warps(bounded);
                self.serial(tile, depth);
                return None;
            }
            let bounded = self.fresh("kb");
            self.push("bound", &[&k, &bounded, &size.to_string(), "MaxExact"]);
            k = bounded;
        }
        if columns == Columns::Lanes {
            let lanes = self.threads(&[2, 4, 8, 16, 32]);
            let [outer, part] = self.split(&k, ["ko", "kp"], lanes * c);
            match self.rng.percent(60) {
                true => self.on_blocks(outer),
                false => self.serial(outer, Depth::OutsideLanes),
            }
            let [lane, tile] = self.split(&part, ["kt", "ki"], c);
            self.on_lanes(lane, "GPUThread", if by_rows { "NoRaces" } else { "Atomics" });
            self.serial(tile, depth);
            return None;
        }
        let [tiles, tile] = self.split(&k, ["ko", "ki"], c);
        if self.rng.percent(15) {
            self.push("unroll", &[&tile, &c.to_string()]);
        }
        let mut folded = None;
        match columns {
            Columns::Rows => folded = Some(tiles),
            Columns::Blocks => self.on_blocks(tiles),
            Columns::Warps => self.on_warps(tiles),
            _ => self.serial(tiles, Depth::OutsideLanes),
        }
        self.serial(tile, depth);
        folded
    }

    /// A loop over rows of the first `depth` levels, and perhaps tiles of columns.
    fn row_loop(&mut self, depth: usize, columns: Columns, tiles: Option<&str>) -> String {
        self.reorder(depth, tiles);
        // Tiles are not fused into positions; how many rows a compressed first level has only its positions say.
        let often = match columns {
            Columns::Rows => 5,
            _ if depth == 1 => 92,
            _ => 50,
        };
        let positions = self.roles.compressed[depth - 1] && self.rng.percent(often);
        let mut rows = self.fused(0..depth, positions);
        if depth == 1 && !positions && self.rng.percent(12) {
            let bounded = self.fresh("ib");
            let size = self.roles.rows.to_string();
            let kind = self.rng.pick(&["MaxExact", "MaxExact", "Divisible"]);
            self.push("bound", &[&rows, &bounded, &size, kind]);
            rows = bounded;
        }
        let Some(tiles) = tiles else { return rows };
        let made = self.fresh("io");
        self.push("fuse", &[&rows, tiles, &made]);
        made
    }

    fn some_rows(&mut self) -> usize {
        let most = self.roles.kept.max(1);
        1 + self.rng.below(most)
    }

    /// Whole rows in a thread.
    fn rows(&mut self, columns: Columns, tiles: Option<&str>, about: &mut Vec<String>) {
        let roles = self.roles;
        let depth = self.some_rows();
        let rows = self.row_loop(depth, columns, tiles);
        let x = self.rng.weighted(&[(50, 1), (25, 2), (15, 3), (10, 5)]);
        let lanes = if columns == Columns::Lanes { 1 } else { self.threads(&[4, 8, 32, 64]) };
        let warps = if columns == Columns::Warps { 1 } else { self.threads(&[1, 1, 2, 3, 4]) };
        if depth == 1 && tiles.is_none() && roles.rows < x * lanes * warps {
            about.push("fewer rows than a block".into());
        }
        let [block, mut row] = self.split(&rows, ["block", "rest"], x * lanes * warps);
        self.on_blocks(block);
        if warps > 1 || (columns == Columns::Lanes && self.rng.percent(50)) {
            let [warp, rest] = self.split(&row, ["warp", "rest"], x * lanes);
            self.on_warps(warp);
            row = rest;
        }
        if columns != Columns::Lanes {
            let [lane, rest] = self.split(&row, ["lane", "row"], x);
            self.on_lanes(lane, "GPUThread", if depth <= roles.kept { "NoRaces" } else { "Atomics" });
            row = rest;
        }
        self.serial(row, Depth::Own);
        roles.levels[depth..].iter().for_each(|l| self.serial(l, Depth::Levels));
        roles.sums.iter().for_each(|l| self.serial(l, Depth::Sums));
    }

    /// A row in the lanes of a warp, every entry of which is reduced; or of a stored entry the sum over a dense variable
    /// (SDDMM's dot products).
    fn row_parts(&mut self, columns: Columns, tiles: Option<&str>) {
        let roles = self.roles;
        let depth = self.some_rows().min(roles.levels.len());
        let reduced = roles.kept.max(depth)..roles.levels.len();
        let rows = self.row_loop(depth, columns, tiles);
        let warps = columns != Columns::Warps && self.rng.percent(70);
        let r = self.group();
        let g = self.threads(&[r, r, r, 2 * r, 4 * r]).max(r);
        if warps {
            let n = self.threads(&[1, 2, 3, 4, 8]);
            let [block, warp] = self.split(&rows, ["block", "warp"], n);
            self.on_blocks(block);
            self.on_warps(warp);
        } else {
            self.on_blocks(rows);
        }
        roles.levels[depth..reduced.start].iter().for_each(|l| self.serial(l, Depth::OutsideLanes));
        let mut sums = roles.sums.iter();
        let (span, end) = match (reduced.is_empty(), sums.len()) {
            (false, _) => {
                let end = reduced.start + 1 + self.rng.below(reduced.len());
                let positions = roles.compressed[end - 1] && self.rng.percent(95);
                (self.fused(reduced.start..end, positions), end)
            }
            // Nothing is reduced: a mistake, or the output is written in parts.
            (true, 0) => return,
            (true, _) => (sums.next().cloned().unwrap_or_default(), reduced.end),
        };
        let [serial, lane] = self.split(&span, ["part", "lane"], g);
        match self.rng.percent(93) {
            true => {
                let strategy = if self.scatter { "ReduceScatter" } else { "ParallelReduction" };
                self.on_lanes(lane, &format!("GPUGroup({r})"), strategy);
            }
            false => self.on_lanes(lane, "GPUThread", "Atomics"),
        }
        self.serial(serial, Depth::Own);
        roles.levels[end..].iter().for_each(|l| self.serial(l, Depth::Levels));
        sums.for_each(|l| self.serial(l, Depth::Sums));
    }

    /// Stored entries in lanes.
    fn entries(&mut self, point: Point, columns: Columns, about: &mut Vec<String>) {
        let roles = self.roles;
        let count = roles.levels.len();
        // All levels or the first of them; seldom those below an outer loop over rows.
        let mut end = if self.rng.percent(65) { count } else { 1 + self.rng.below(count) };
        while end < count && !roles.unique[end - 1] {
            end += 1;
        }
        let start = if end > 1 && self.rng.percent(12) { 1 + self.rng.below(end - 1) } else { 0 };
        self.reorder(0, None);
        let positions = roles.compressed[end - 1] || self.rng.percent(3);
        let span = self.fused(start..end, positions);
        about.push(format!("entries of {} of {count} levels", end - start));
        if start > 0 {
            let outer = self.fused(0..start, false);
            self.on_blocks(outer);
        }
        let g = match point {
            Point::Entry => 1,
            _ => self.rng.weighted(&[(25, 2), (15, 3), (25, 4), (10, 5), (15, 8), (5, 16)]),
        };
        let r = self.group();
        let lanes = match point {
            _ if columns == Columns::Lanes => 1,
            Point::EntriesAtomic => self.threads(&[4, 16, 32, 64]),
            _ => self.threads(&[r, r, 2 * r, 4 * r, 8 * r]).max(r),
        };
        let often = if columns == Columns::Lanes { 90 } else { 40 };
        let warps = if columns != Columns::Warps && self.rng.percent(often) {
            self.threads(&[2, 3, 4, 8])
        } else {
            1
        };
        // Threads come to several parts in turn: of a block's, or of all.
        let (turns, alone) = (if self.rng.percent(6) { 2 } else { 1 }, self.rng.percent(3));
        let [block, mut rest] = self.split(&span, ["block", "rest"], turns * g * lanes * warps);
        match alone {
            true => self.serial(block, Depth::OutsideLanes),
            false => self.on_blocks(block),
        }
        if turns > 1 {
            let [turn, inner] = self.split(&rest, ["turn", "rest"], g * lanes * warps);
            self.serial(turn, Depth::OutsideLanes);
            rest = inner;
        }
        if alone || turns > 1 {
            about.push("entries in turns".into());
        }
        if warps > 1 {
            let [warp, inner] = self.split(&rest, ["warp", "rest"], g * lanes);
            self.on_warps(warp);
            rest = inner;
        }
        if columns == Columns::Lanes {
            self.serial(rest, Depth::Own);
        } else {
            let lane = if g == 1 {
                rest
            } else {
                let [lane, own] = self.split(&rest, ["lane", "nnz"], g);
                self.serial(own, Depth::Own);
                lane
            };
            let group = format!("GPUGroup({r})");
            // Entries of a result with the operand's pattern have one writer; coordinates that do not come in order make
            // no segments.
            let sole = end <= roles.kept;
            let unsorted = roles.kept == 0 && roles.any_kept;
            match point {
                _ if sole && self.rng.percent(85) => self.on_lanes(lane, "GPUThread", "NoRaces"),
                _ if unsorted && self.rng.percent(75) => self.on_lanes(lane, "GPUThread", "Atomics"),
                Point::EntriesAtomic => self.on_lanes(lane, "GPUThread", "Atomics"),
                _ if self.rng.percent(4) => self.on_lanes(lane, &group, "ParallelReduction"),
                _ if self.rng.percent(40) => self.on_lanes(lane, &group, "Deterministic"),
                _ => self.on_lanes(lane, &group, "Segment"),
            }
        }
        roles.levels[end..].iter().for_each(|l| self.serial(l, Depth::Levels));
        roles.sums.iter().for_each(|l| self.serial(l, Depth::Sums));
    }
}
