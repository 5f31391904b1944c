//! How parallel loops lie on a GPU: blocks on the grid, `threadIdx.x = warp·T + thread` inside a block.

use super::launches::{Loops, own};
use super::order::level_vars;
use super::provenance::{Relation, Size};
use super::{Access, Cin, Provenance};
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::Unit;

/// Threads of a warp, to a multiple of which blocks are padded.
pub(crate) const WARP: u32 = 32;

/// Threads of a block that assembles a row, or of one whose groups of lanes do.
const ROW_THREADS: u64 = 256;

/// Who assembles a row together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// The lanes of a group: aligned consecutive threads, 2, 4, 8, 16, or a warp's 32.
    Group(u32),
    /// The threads of a block.
    Block,
}

impl Team {
    /// All lanes of a warp.
    pub const WARP: Team = Team::Group(WARP);
}

/// Rows of a sparse result that teams of threads assemble, one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowClass {
    /// Those that scatter at least so many elements, or whose tables have as many places, and fewer than the next class's. Where
    /// rows are merged: those whose operands have so many entries.
    pub from: u64,
    /// Threads of the team: a group of lanes, of which a block has several, or more than a warp, a block of their own.
    pub threads: u32,
}

impl RowClass {
    /// About how many elements such a row has at least.
    pub fn elements(&self) -> u64 {
        (self.from / 2).max(1)
    }
}

/// The shape of a kernel's launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Loops over blocks, those over positions first, then outer ones first: x, y, z. Along x a grid has room for 2³¹ blocks,
    /// which stored entries and rows may need; along y and z, for 65,535.
    pub blocks: Vec<IndexVar>,
    /// Iterations of the longest loop over warps; 1 without one.
    pub warps: u64,
    /// Iterations of the longest loop over threads; 1 without one.
    pub lanes: u64,
    /// Who has a row that goes through a sparse workspace; `None`: one thread.
    pub team: Option<Team>,
}

impl Grid {
    /// The grid of the statement's own launch, in a scheduled program.
    pub fn of(cin: &Cin) -> Grid {
        Grid::of_launch(cin, &own(cin))
    }

    /// The grid of a launch. Sizes that are not constant count as 1: the schedule refuses them.
    pub fn of_launch(cin: &Cin, launch: &Loops) -> Grid {
        let loops = &launch.vars;
        let p = &cin.provenance;
        let mut grid = Grid { blocks: vec![], warps: 1, lanes: 1, team: None };
        let (mut on_warps, mut on_threads) = (false, false);
        for v in loops.iter().copied() {
            let size = constant(p, v).unwrap_or(1);
            match p.tag(v).parallel {
                Some((Unit::GpuBlock, _)) => grid.blocks.push(v),
                Some((Unit::GpuWarp, _)) => {
                    on_warps = true;
                    grid.warps = grid.warps.max(size);
                }
                Some((Unit::GpuThread | Unit::GpuGroup(_), _)) => {
                    on_threads = true;
                    grid.lanes = grid.lanes.max(size);
                }
                _ => {}
            }
        }
        let depth = |v: &IndexVar| loops.iter().position(|l| l == v);
        let of_positions = |v: &IndexVar| {
            let mut counted = vec![];
            positions_within(p, *v, &mut counted);
            !counted.is_empty()
        };
        grid.blocks.sort_by_key(|v| (!of_positions(v), depth(v)));
        // A table is claimed by one coordinate.
        let mut tables = cin.scattered_in_rows().peekable();
        if launch.fills.is_none()
            && !on_threads
            && tables.peek().is_some()
            && tables.all(|w| w.vars.len() == 1)
        {
            if on_warps {
                (grid.team, grid.lanes) = (Some(Team::WARP), WARP.into());
            } else if !grid.blocks.is_empty() {
                (grid.team, grid.lanes) = (Some(Team::Block), ROW_THREADS);
            }
        }
        grid
    }

    /// Teams of so many threads: groups of lanes, several a block, or blocks.
    pub fn of_teams(threads: u32) -> Grid {
        let lanes = u64::from(threads);
        let (team, warps) = match lanes <= WARP.into() {
            true => (Team::Group(threads), ROW_THREADS / lanes),
            false => (Team::Block, 1),
        };
        Grid { blocks: vec![], warps, lanes, team: Some(team) }
    }

    /// Threads of a block: whole warps.
    pub fn threads(&self) -> u64 {
        let warp = u64::from(WARP);
        self.warps.saturating_mul(self.lanes).saturating_add(warp - 1) / warp * warp
    }
}

/// Do two iterations of a GPU's loop always write different elements, whatever the serial loops around it? Iterations over
/// positions have other coordinates in each fiber: the coordinates above have to be the element's too, unless its number itself is.
pub fn tells_apart(kernel: &Kernel, p: &Provenance, v: IndexVar, indices: &[IndexVar]) -> bool {
    if indices.contains(&v) {
        return true;
    }
    if !p.tells_apart(v, indices) {
        return false;
    }
    let mut counted = vec![];
    positions_within(p, v, &mut counted);
    let has = |vars: &[IndexVar], u: IndexVar| vars.iter().any(|w| p.original(*w) == p.original(u));
    let roots = p.roots(v);
    counted.into_iter().all(|access| {
        let levels = level_vars(&kernel.tensors[access.tensor.index()].spec, access);
        let mut above = levels.iter().take_while(|u| !has(&roots, **u));
        above.all(|u| has(indices, *u))
    })
}

/// The operand whose positions a variable counts.
pub fn positions_of(p: &Provenance, v: IndexVar) -> Option<&Access> {
    match p.made_by(v)? {
        Relation::Pos { access, .. } => Some(access),
        Relation::Split { parent, .. } | Relation::Bound { parent, .. } => positions_of(p, *parent),
        Relation::Fuse { inner, .. } => positions_of(p, *inner),
        Relation::Coord { .. } => None,
    }
}

/// The operands whose positions a variable counts, alone or with all coordinates of another variable, or the coordinates between these.
fn positions_within<'p>(p: &'p Provenance, v: IndexVar, found: &mut Vec<&'p Access>) {
    match p.made_by(v) {
        Some(Relation::Pos { access, .. }) => found.push(access),
        Some(Relation::Split { parent, .. } | Relation::Bound { parent, .. }) => {
            positions_within(p, *parent, found);
        }
        Some(Relation::Fuse { outer, inner, .. }) => {
            positions_within(p, *inner, found);
            positions_within(p, *outer, found);
        }
        // Coordinates count from the one that their positions begin with.
        Some(Relation::Coord { pos, .. }) => positions_within(p, *pos, found),
        None => {}
    }
}

/// The size of a variable's range, if it is constant.
pub fn constant(p: &Provenance, v: IndexVar) -> Option<u64> {
    match p.size(v) {
        Size::Const(n) => Some(n),
        _ => None,
    }
}
