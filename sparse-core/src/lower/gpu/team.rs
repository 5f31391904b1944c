//! Teams: lanes of a group, a warp's or fewer, or threads of a block, that assemble a row together ([`super::share`]).

use super::super::{Block, Lowerer};
use crate::cin::grid::{Grid, Team};
use crate::front::command::Unit;
use crate::llir::kernel::WARP;
use crate::llir::walk::visit_exprs;
use crate::llir::{
    Arrive, BufferId, Collective, Elem, Expr, Group, LoopKind, Over, Scanned, Scope, Space, Stmt, Ty, VarId,
    build,
};

/// The lanes that assemble a row.
#[derive(Clone)]
pub(in super::super) struct Lanes {
    /// Who waits for whom.
    pub(super) scope: Scope,
    /// How many.
    pub(super) size: u32,
    /// The thread's number among them.
    pub(super) lane: Expr,
    /// The thread's number in its block.
    pub(super) thread: Expr,
}

/// The sum of the values of the lanes before, and of all lanes.
pub(super) struct Prefix {
    pub(super) before: Expr,
    pub(super) all: Expr,
}

impl Lanes {
    /// The lanes of a grid's teams; the thread's number in its group is a variable.
    pub(super) fn of(grid: &Grid, thread: VarId, lane: VarId) -> Option<Lanes> {
        Some(match grid.team? {
            Team::Block => Lanes::of_block(thread, grid.lanes as u32),
            Team::Group(size) => {
                Lanes { scope: Scope::Group(size), size, lane: lane.into(), thread: thread.into() }
            }
        })
    }

    /// The lanes of a whole block of so many threads.
    pub(super) fn of_block(thread: VarId, size: u32) -> Lanes {
        Lanes { scope: Scope::Block, size, lane: thread.into(), thread: thread.into() }
    }

    /// The number of the team's first thread in its block.
    pub(super) fn first_thread(&self) -> Expr {
        let Scope::Group(size) = self.scope else { return Expr::Index(0) };
        let size = Expr::Index(size.into());
        let group = build::div(self.thread.clone(), size.clone());
        build::mul(group, size)
    }

    /// They wait for each other.
    pub(in super::super) fn barrier(&self) -> Stmt {
        Stmt::Barrier(self.scope)
    }

    /// A loop whose iterations are shared out.
    pub(super) fn each(&self, var: VarId, lo: Expr, hi: Expr, body: Block) -> Stmt {
        let lo = build::add(lo, self.lane.clone());
        Stmt::For { var, lo, hi, step: self.size, kind: LoopKind::Serial, body }
    }

    /// What the first lane does.
    pub(in super::super) fn first(&self, block: Block) -> Block {
        super::guard(build::eq(self.lane.clone(), Expr::Index(0)), block)
    }
}

impl Lowerer<'_> {
    /// Who assembles a row together; `None` where one thread does.
    pub(in super::super) fn row_lanes(&self) -> Option<Lanes> {
        let gpu = self.gpu.as_ref()?;
        Lanes::of(&gpu.grid, gpu.thread, gpu.lane)
    }

    /// A scan over a team, whose results are constants. Groups exchange what they have by shuffles, which order nothing in memory; a
    /// block has waited, and may read what its warps have stored up to its next barrier.
    pub(super) fn team_scan(&mut self, lanes: &Lanes, of: Scanned) -> (Stmt, Prefix) {
        let over = self.over(lanes);
        self.scan_by(of, over)
    }

    /// The same of a block whose threads share the array.
    pub(super) fn block_scan(&mut self, partial: BufferId, of: Scanned) -> (Stmt, Prefix) {
        self.scan_by(of, Over::Block { partial })
    }

    fn scan_by(&mut self, of: Scanned, over: Over) -> (Stmt, Prefix) {
        let (before, all) = (self.fresh("before", Ty::Index), self.fresh("all", Ty::Index));
        let scan = Collective::Scan { of, before: Some(before), all: Some(all), over };
        (Stmt::Collective(scan), Prefix { before: before.into(), all: all.into() })
    }

    /// A team of the launch that is lowered, as who scans.
    pub(super) fn over(&mut self, lanes: &Lanes) -> Over {
        match lanes.scope {
            Scope::Group(size) => Over::Group(Group { size, arrive: Arrive::Group }),
            Scope::Block => {
                let partial = self.partial_sums(lanes.size);
                self.share_once(partial);
                Over::Block { partial }
            }
        }
    }

    /// An array of an index a warp that a block of so many threads shares.
    pub(super) fn partial_sums(&mut self, threads: u32) -> BufferId {
        let space = Space::Shared { len: threads.div_ceil(WARP) };
        let known = self.out.gpu.partial_sums.iter().find(|b| self.buffers[b.index()].space == space);
        if let Some(shared) = known {
            return *shared;
        }
        let shared = self.local("partial", Elem::Index, space);
        self.out.gpu.partial_sums.push(shared);
        shared
    }
}

/// Declares the number of a grid's thread in its group, where that is used.
pub(super) fn declare_lane(grid: &Grid, thread: VarId, lane: VarId, body: &mut Block) {
    let mut used = false;
    visit_exprs(body, &mut |e| used |= e.is_var(lane));
    if used {
        let (value, _) = super::hardware(grid, thread, Unit::GpuThread);
        body.insert(0, Stmt::Let { var: lane, value });
    }
}

/// The number among all of the grid of the thread, or of the team that it belongs to.
pub(super) fn number(grid: &Grid, block: VarId, thread: VarId) -> Expr {
    let (own, count) = number_in_block(grid, thread);
    build::add(build::mul(block, Expr::Index(count)), own)
}

/// The number among all of the thread of a grid whose blocks have so many.
pub(super) fn thread_number(block: VarId, thread: VarId, threads: u64) -> Expr {
    build::add(build::mul(block, Expr::Index(threads)), thread)
}

/// Its number in its block, and how many there are.
pub(super) fn number_in_block(grid: &Grid, thread: VarId) -> (Expr, u64) {
    match grid.team {
        None => (thread.into(), grid.threads()),
        Some(Team::Block) => (Expr::Index(0), 1),
        Some(Team::Group(_)) => super::hardware(grid, thread, Unit::GpuWarp),
    }
}
