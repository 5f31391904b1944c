//! Loops on a GPU: a nest becomes one launch, whose loops over blocks, warps and threads are values of the hardware.
//!
//! `threadIdx.x = warp·T + thread`. A bound loop is a declaration of its variable, behind a guard
//! where the hardware may have more of the unit than the loop has iterations. Code outside a loop over threads is run by
//! all of them: writes there are one thread's.
//!
//! The files. Who writes, and how lanes reduce:
//!
//! - `write`: how a value reaches memory
//! - `segment`: a position for each lane, and segments of equal output coordinates
//! - `block_ends`: the rows of a block's positions, searched for once a block
//! - `open_rows`: several positions for each lane, whose first and last rows others share
//! - `carry`: what several groups have parts of, added up by a second launch
//! - `bare_rows`: rows without entries, written by that launch
//! - `columns`: a few outputs of a lane, in registers
//! - `held`: outputs that threads hold over loops outside of theirs
//! - `scatter`: such columns shared out among the lanes that reduce
//! - `converge`: lanes brought together where they reduce
//!
//! What one access moves, and what a block shares:
//!
//! - `vector`: loops on `GPUVector`, once with whole vectors and once without
//! - `vectorize`: such a loop with one load and one store
//! - `tiles`: workspaces in shared memory
//!
//! Results that are assembled, and their sparse workspaces:
//!
//! - `scan`: sums of counts, in three launches
//! - `table`: hash tables of rows
//! - `gather`: what a table holds, sorted, as an operand
//! - `marks`: large tables, put in order by marks
//! - `masks`: operands that mask what rows scatter, searched
//! - `bounds`: how many elements of a row can be different
//! - `classes`: whose work a row is, by how much it scatters
//! - `enlist`: lists of the rows of larger teams
//! - `long_rows`: rows that blocks count
//! - `team`, `share`: lanes that assemble a row together, and what each does of it
//! - `abreast`: several entries of a row abreast
//! - `pieces`: rows that several blocks share
//! - `tiers`: rows by the size of their tables, and memory for these
//! - `turns`: teams that take rows in turn
//! - `parts`: rows of merged operands, in parts
//! - `samples`: where these parts begin
//! - `stored_rows`: rows that operands store, where the result's first level is sparse
//! - `refused`: sparse workspaces that threads cannot have
//!
//! What all threads fill before the statement's own loops:
//!
//! - `scratch`: a dense workspace outside of all loops, an array of the call
//! - `addends`: what is added to the result instead
//! - `list`: a sparse one, as a list
//! - `fetch`: places that are counted, several at once
//! - `buckets`: its buckets, sorted
//! - `listed`: a result that is what was scattered
//! - `runs`: sums of its equal elements
//! - `points`: how many elements are scattered at most
//! - `pack`: other formats, made of a list of entries
//!
//! And the host's part:
//!
//! - `host`: sizes of grids and arrays
//! - `following`: launches that need not wait until the one before has ended

mod abreast;
mod addends;
mod bare_rows;
mod block_ends;
mod bounds;
mod buckets;
mod carry;
mod classes;
mod columns;
mod converge;
mod enlist;
mod fetch;
mod following;
mod gather;
mod held;
mod host;
mod list;
mod listed;
mod long_rows;
mod marks;
mod masks;
mod open_rows;
mod pack;
mod parts;
mod pieces;
mod points;
mod refused;
mod runs;
mod samples;
mod scan;
mod scatter;
mod scratch;
mod segment;
mod share;
mod stored_rows;
mod table;
mod team;
mod tiers;
mod tiles;
mod turns;
mod vector;
mod vectorize;
mod write;

use super::place::{Swept, length};
use super::region::{Window, guard};
use super::state::State;
use super::{Lowered, Lowerer, internal};
use crate::cin::grid::Grid;
use crate::cin::provenance::{Part, Relation};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::kernel::MAX_RESIDENT;
use crate::llir::walk::visit_stmts;
use crate::llir::{
    Axis, Block, BufferId, Expr, IndexOp, Launch, LoopKind, Step, Stmt, Ty, VarId, Workspace, build,
};
pub(super) use carry::Carried;
use carry::Carries;
pub(super) use classes::{Class, are_classes};
pub(super) use following::mark_following;
pub(super) use held::Resume;
pub(super) use host::HostSizes;
pub(super) use list::{List, Listing};
use long_rows::LongRows;
use marks::Marks;
pub(super) use open_rows::OpenRows;
pub(super) use parts::RowParts;
use pieces::Pieces;
pub(super) use scratch::{Before, before};
pub(super) use segment::Segment;
pub(super) use stored_rows::Here;
use stored_rows::StoredRows;
pub(super) use table::Table;
pub(super) use team::Lanes as TeamLanes;
use tiers::RowTables;
pub(super) use tiers::{Rows, Tier, Tiers};
pub(super) use tiles::Shared;
use tiles::Tiles;
use vector::Vectors;

/// Loops with at most so many iterations are written out: their arrays then stay in registers.
const UNROLLED: u64 = 16;

/// Threads of a block of the launches that are made beside the schedule's.
const THREADS: u32 = 256;

/// What lowering for a GPU knows and learns about the launch.
pub(super) struct Gpu {
    grid: Grid,
    /// `threadIdx.x`
    thread: VarId,
    /// The thread's number in its team, a group of lanes.
    lane: VarId,
    /// For each loop over blocks: its hardware variable, and how many blocks, once known.
    axes: Vec<(VarId, Option<Blocks>)>,
    /// Arrays in shared memory.
    shared: Vec<BufferId>,
    /// Those of workspaces.
    tiles: Tiles,
    /// What is carried out of the launch.
    carries: Option<Carries>,
    /// In the version in which rows are whole vectors.
    vectors: Option<Vectors>,
    /// Does one lane scatter for its team?
    alone: bool,
    /// Has each team an iteration of the loop on blocks, its row of a class?
    of_class: bool,
    /// Where teams take turns: which of the threads' or teams' numbers this turn has, and its number in its block.
    turn: Option<(VarId, VarId)>,
    /// How many blocks a multiprocessor is to have room for, if that is asked.
    resident: u32,
}

/// How many blocks a loop has.
#[derive(Clone, PartialEq)]
struct Blocks {
    on_host: Expr,
    /// Of parameters and loads.
    on_device: Option<Expr>,
}

impl Gpu {
    /// Threads have as many registers as every multiprocessor has for [`MAX_RESIDENT`] of them. Of its own a compiler may rather have
    /// more threads, and keep in memory what it has no registers for.
    pub(super) fn bound_registers(&mut self) {
        self.resident = (MAX_RESIDENT / self.grid.threads().max(1)) as u32;
    }
}

/// What all launches that assemble an output have for its rows.
#[derive(Default)]
pub(super) struct GpuRows {
    /// By sparse workspace.
    tables: Vec<RowTables>,
    /// The shared array of launches that sum counts.
    partial_sums: Vec<BufferId>,
    /// By workspace, in which arrays teams put large tables in order.
    marks: Vec<Option<Marks>>,
    /// Shared arrays of where rows of a tile's entries begin, where they end, and how many slices are before them.
    row_bounds: Vec<[BufferId; 3]>,
    /// What else there is to do where rows are long.
    long_rows: Option<LongRows>,
    /// Where rows of blocks have pieces: their tables.
    pieces: Option<Pieces>,
    /// Who assembles rows of merged operands that are long.
    pub(super) row_parts: Option<RowParts>,
    /// What the rows of a result are whose first level is sparse, if nobody scheduled them.
    stored_rows: Option<StoredRows>,
    /// By row, how much work it is, where teams have rows by that.
    row_work: Option<BufferId>,
    /// Arrays of tables in shared memory, and the device's that they stand for.
    shared_tables: Vec<(BufferId, BufferId)>,
    /// While workspaces have such arrays: the workspaces with those of the device.
    device_tables: Option<Vec<Workspace>>,
}

const AXES: [&str; 3] = ["block_x", "block_y", "block_z"];

impl Lowerer<'_> {
    /// Lowers for a GPU from here on.
    pub(super) fn on_gpu(&mut self) {
        let grid = self.grid.clone();
        let axes =
            (0..grid.blocks.len().max(1)).map(|n| (self.fresh(AXES[n.min(2)], Ty::Index), None)).collect();
        let thread = self.fresh("thread_x", Ty::Index);
        let lane = self.fresh("lane", Ty::Index);
        let (shared, tiles) = (vec![], Tiles::default());
        self.gpu = Some(Gpu {
            grid,
            thread,
            lane,
            axes,
            shared,
            tiles,
            carries: None,
            vectors: None,
            alone: false,
            of_class: false,
            turn: None,
            resident: 0,
        });
    }

    /// Does a GPU's unit run the loop?
    pub(super) fn is_bound(&self, leaf: IndexVar) -> bool {
        self.unit(leaf).is_some()
    }

    pub(super) fn unit(&self, leaf: IndexVar) -> Option<Unit> {
        if self.root == Some(leaf) {
            return Some(Unit::GpuThread);
        }
        let unit = self.provenance.tag(leaf).parallel.map(|(unit, _)| unit);
        unit.filter(|unit| unit.is_gpu() && *unit != Unit::GpuVector)
    }

    fn gpu(&self) -> &Gpu {
        match &self.gpu {
            Some(gpu) => gpu,
            None => unreachable!("GPU units run in launches"),
        }
    }

    /// The number of the thread in its block, warp or group, and how many such numbers there are.
    fn hardware(&self, unit: Unit) -> (Expr, u64) {
        let gpu = self.gpu();
        match gpu.turn {
            None => hardware(&gpu.grid, gpu.thread, unit),
            Some((_, own)) if gpu.grid.team.is_none() => hardware(&gpu.grid, own, unit),
            Some((_, own)) => (own.into(), team::number_in_block(&gpu.grid, gpu.thread).1),
        }
    }

    /// The iteration of a bound loop that this block, warp or thread runs.
    pub(super) fn bind_unit(
        &mut self,
        unit: Unit,
        leaf: IndexVar,
        var: VarId,
        range: Window,
        body: Block,
    ) -> Lowered {
        if self.root == Some(leaf) {
            return Ok(self.bind_root(var, range.hi, body));
        }
        let mut block = self.comments(leaf);
        if unit == Unit::GpuBlock {
            let Some(at) = self.gpu().grid.blocks.iter().position(|b| *b == leaf) else {
                return Err(internal(self.kernel, "a loop over blocks outside the grid"));
            };
            let (blocks, inside) = self.blocks(leaf, &range)?;
            let axis = match &mut self.gpu {
                Some(gpu) => &mut gpu.axes[at],
                None => unreachable!("GPU units run in launches"),
            };
            if axis.1.as_ref().is_some_and(|known| *known != blocks) {
                return Err(self.grid_unknown(leaf));
            }
            axis.1 = Some(blocks);
            block.push(Stmt::Let { var, value: build::add(range.lo.clone(), axis.0) });
            block.extend(guard(if inside { Expr::Cond(true) } else { build::lt(var, range.hi) }, body));
            return Ok(block);
        }
        let (own, count) = self.hardware(unit);
        let all = matches!(length(&range), Expr::Index(n) if n >= count);
        block.push(Stmt::Let { var, value: build::add(range.lo, own) });
        let inside = if all { Expr::Cond(true) } else { build::lt(var, range.hi) };
        block.extend(guard(inside, body));
        Ok(block)
    }

    /// How many blocks a loop takes, and whether all of them have an iteration. Parts of a part may be fewer where that is
    /// the last one: there are as many blocks as any part has.
    fn blocks(&self, leaf: IndexVar, range: &Window) -> Result<(Blocks, bool), Box<Diagnostic>> {
        let of =
            |size: &Expr| Some(Blocks { on_host: self.host_size(size)?, on_device: self.device_size(size) });
        if let Some(blocks) = of(&length(range)) {
            return Ok((blocks, true));
        }
        let most = self.size_of(&self.provenance.size(leaf));
        let blocks = most.and_then(|size| of(&size)).ok_or_else(|| self.grid_unknown(leaf))?;
        Ok((blocks, false))
    }

    fn grid_unknown(&self, leaf: IndexVar) -> Box<Diagnostic> {
        let name = self.name(leaf);
        Box::new(
            Diagnostic::new(
                "grid-unknown",
                self.kernel.assignment.lhs.span,
                format!("the number of blocks that `{name}` takes is not known before the launch"),
            )
            .help("run on blocks a loop whose number of iterations depends on dimensions and stored entries alone"),
        )
    }

    /// Does the loop count all iterations of its part of a split, behind a guard that its parent is in range? On a GPU
    /// loops of threads do, which are there anyway (sparse operands are searched for their coordinates), and short ones
    /// that are written out, unless they step through a sparse operand; not where lanes past the end take part in
    /// segments.
    pub(super) fn counts_to(&self, v: IndexVar, st: &State) -> bool {
        let Some(n) = self.constant_part(v) else { return false };
        let located = |r: &IndexVar| self.provenance.is_position(v) || self.only_located(*r, st);
        match self.unit(v) {
            Some(_) => !self.by_segments(v, st),
            None if self.provenance.is_position(v) => {
                let flat = matches!(self.swept(v), Ok(Swept::Positions(l)) if !self.needs_rows(&l, st));
                self.provenance.tag(v).unroll.is_some() && n <= UNROLLED && flat
            }
            None => n <= UNROLLED && self.unknown_roots(v, st).iter().all(located),
        }
    }

    /// The outer part of a split whose inner part is a lane's: the loop goes over the lane's own iterations, `for p in
    /// begin + lane..end` in steps of the inner part's size. Gives these bounds.
    pub(super) fn strided(
        &mut self,
        v: IndexVar,
        st: &mut State,
        block: &mut Block,
    ) -> Result<Option<Window>, Box<Diagnostic>> {
        let Some(Relation::Split { parent, outer, inner, part: Part::Inner(n) }) =
            self.provenance.made_by(v).cloned()
        else {
            return Ok(None);
        };
        let (Some(lane), Ok(step)) = (st.coords[inner.index()].clone(), u32::try_from(n)) else {
            return Ok(None);
        };
        if self.gpu.is_none()
            || v != outer
            || self.is_bound(v)
            || self.provenance.made_by(inner) != self.provenance.made_by(v)
        {
            return Ok(None);
        }
        let whole = match self.swept(v)? {
            Swept::Coordinates(root) => self.only_located(root, st),
            Swept::Positions(leader) => leader.roots.len() == 1 || !self.needs_rows(&leader, st),
            Swept::Fused(_) => true,
        };
        let Some(w) = (if whole { self.window(parent, st, block)? } else { None }) else { return Ok(None) };
        self.note_repeated(v, st);
        st.stride = Some(step);
        Ok(Some(Window { lo: build::add(w.lo, lane), hi: w.hi }))
    }

    /// The size of a split's inner part, on a GPU, whose loops do not end early.
    pub(super) fn constant_part(&self, v: IndexVar) -> Option<u64> {
        self.gpu.as_ref()?;
        match self.provenance.made_by(v) {
            Some(Relation::Split { inner, part: Part::Inner(n), .. }) if v == *inner => Some(*n),
            _ => None,
        }
    }

    /// How a loop that no unit runs is written.
    pub(super) fn gpu_loop(&self, lo: &Expr, hi: &Expr, body: &Block) -> LoopKind {
        let mut loops = false;
        visit_stmts(body, &mut |s| {
            loops |= matches!(s, Stmt::For { kind: LoopKind::Serial, .. } | Stmt::While { .. });
        });
        match (lo, hi) {
            (Expr::Index(lo), Expr::Index(hi))
                if !loops && (1..=UNROLLED).contains(&hi.saturating_sub(*lo)) =>
            {
                LoopKind::Unroll((hi - lo) as u32)
            }
            _ => LoopKind::Serial,
        }
    }

    /// Where a loop comes from: the user's own commands.
    pub(super) fn comments(&self, leaf: IndexVar) -> Block {
        let mut commands: Vec<&str> = self.provenance.commands(leaf).collect();
        commands.dedup();
        match commands[..] {
            [] => vec![],
            _ => vec![Stmt::Comment(commands.join("; "))],
        }
    }

    /// The number among all of the grid of the thread, or of the team that assembles a row, if the bound loops are in the
    /// order of these numbers.
    pub(super) fn row_number(&self) -> Option<Expr> {
        let gpu = self.gpu();
        let [(block, _)] = gpu.axes[..] else { return None };
        if let Some((number, _)) = gpu.turn {
            return Some(number.into());
        }
        Some(team::number(&gpu.grid, block, gpu.thread))
    }

    /// How many such numbers the grid has: what the host computes, and what a thread does.
    pub(super) fn row_numbers(&self) -> Option<(Expr, Expr)> {
        let gpu = self.gpu();
        let [(_, Some(blocks))] = &gpu.axes[..] else { return None };
        let (_, count) = team::number_in_block(&gpu.grid, gpu.thread);
        let all = |blocks: &Expr| build::mul(blocks.clone(), Expr::Index(count));
        Some((all(&blocks.on_host), all(blocks.on_device.as_ref()?)))
    }

    /// The launch of a nest; its name ends in the suffix.
    pub(super) fn launch(&mut self, suffix: &str, mut body: Block) -> Result<Option<Step>, Box<Diagnostic>> {
        if body.is_empty() {
            return Ok(None);
        }
        let gpu = self.gpu();
        team::declare_lane(&gpu.grid, gpu.thread, gpu.lane, &mut body);
        let (axes, shared) = (gpu.axes.clone(), gpu.shared.clone());
        let (thread, threads, resident) = (gpu.thread, gpu.grid.threads() as u32, gpu.resident);
        let mut grid = Vec::new();
        for (var, blocks) in axes {
            grid.push(Axis { var, blocks: blocks.map_or(Expr::Index(1), |b| b.on_host) });
        }
        let name = format!("{}{suffix}", self.kernel.name);
        let mut launch = Launch { resident, shared, ..Launch::new(name, grid, (thread, threads), body) };
        self.converge(&mut launch)?;
        self.check_order(&launch)?;
        Ok(Some(Step::Launch(launch)))
    }
}

/// The number of a grid's thread in its block, warp or group, and how many such numbers there are.
fn hardware(grid: &Grid, thread: VarId, unit: Unit) -> (Expr, u64) {
    let thread = Expr::Var(thread);
    let op = |op, n: u64| Expr::IndexOp(op, Box::new(thread.clone()), Box::new(Expr::Index(n)));
    match unit {
        Unit::GpuWarp if grid.lanes == 1 => (thread, grid.threads()),
        Unit::GpuWarp => (op(IndexOp::Div, grid.lanes), grid.threads().div_ceil(grid.lanes)),
        _ if grid.warps == 1 => (thread, grid.threads()),
        _ => (op(IndexOp::Rem, grid.lanes), grid.lanes),
    }
}
