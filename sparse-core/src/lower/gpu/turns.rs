//! Tables belong to teams, and rows take turns.
//!
//! A launch that uses tables has a bounded number of threads ([`Options::table_threads`]). Each of its teams has
//! a region of the tables' memory, and takes one row after another:
//!
//! ```text
//! for row in team..rows step teams { … w_crd[team · places + …] … }
//! ```
//!
//! So there is memory for the tables in use, whatever the rows scatter in all, and the host need not ask for that. The rows are
//! those of a tier ([`super::tiers`]): all that the loops have, of which others are skipped, or those on a list.
//!
//! [`Options::table_threads`]: super::super::Options::table_threads

use super::super::place::ceil;
use super::super::region::guard;
use super::super::{Lowerer, internal};
use super::enlist::Enlisted;
use super::team::{number, number_in_block};
use super::tiers::{Tier, largest_below};
use super::{Blocks, TeamLanes};
use crate::diag::Diagnostic;
use crate::llir::simplify::whole;
use crate::llir::walk::{substitute, visit_exprs, visit_stmts};
use crate::llir::{
    Block, Buffer, BufferId, Cmp, Expr, IndexOp, LoopKind, Scope, Space, Stmt, Ty, VarId, WorkspaceId, build,
};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// A launch of a tier is lowered from here on.
    pub(in super::super) fn take_turns(&mut self) {
        self.tiers.regions.clear();
        self.share_tables();
        self.begin_pieces();
        if self.tiers.lowered.as_ref().is_some_and(|tier| tier.list.is_none()) {
            let (number, own) = (self.fresh("row", Ty::Index), self.fresh("own", Ty::Index));
            if let Some(gpu) = &mut self.gpu {
                gpu.turn = Some((number, own));
            }
        }
    }

    /// While a tier is lowered whose tables are in shared memory, these are the workspaces' arrays.
    fn share_tables(&mut self) {
        let Some(tables) = self.tiers.lowered.as_ref().and_then(|tier| self.shared_tables(tier)) else {
            return;
        };
        self.out.gpu.device_tables = Some(self.spas.clone());
        let space = Space::Shared { len: tables.all as u32 };
        for w in 0..self.spas.len() {
            let of = self.spas[w].clone();
            self.spas[w].crd = of.crd.iter().map(|crd| self.shared_table(*crd, space)).collect();
            self.spas[w].vals = self.shared_table(of.vals, space);
        }
        // What is not used of them is not shared in the end (`llir::simplify`).
        let shared = self.spas.iter().flat_map(|w| w.crd.iter().copied().chain([w.vals]));
        let shared: Vec<BufferId> = shared.collect();
        shared.into_iter().for_each(|buffer| self.share_once(buffer));
    }

    /// The shared array of that size that stands for an array of the device.
    fn shared_table(&mut self, of: BufferId, space: Space) -> BufferId {
        let known = self.out.gpu.shared_tables.iter();
        let mut known =
            known.filter(|(known, shared)| *known == of && self.buffers[shared.index()].space == space);
        if let Some((_, shared)) = known.next() {
            return *shared;
        }
        let Buffer { name, elem, .. } = self.buffers[of.index()].clone();
        let shared = self.local(&format!("{name}_shared"), elem, space);
        self.out.gpu.shared_tables.push((of, shared));
        shared
    }

    /// The launch is lowered, and workspaces have the device's arrays again.
    fn leave_shared_tables(&mut self) {
        if let Some(device) = self.out.gpu.device_tables.take() {
            self.spas = device;
        }
    }

    /// Where the team's table begins.
    pub(super) fn table_begin(&mut self, w: WorkspaceId) -> VarId {
        let known = self.tiers.regions.iter().find(|(of, _)| *of == w).map(|(_, var)| *var);
        known.unwrap_or_else(|| {
            let name = format!("{}_begin", self.spas[w.index()].name);
            let var = self.fresh(&name, Ty::Index);
            self.tiers.regions.push((w, var));
            var
        })
    }

    /// The launch of a tier: teams take turns with what the body does for one.
    pub(in super::super) fn in_turns(&mut self, body: Block) -> Result<Block, Box<Diagnostic>> {
        let Some(tier) = self.tiers.lowered.clone().filter(|_| !body.is_empty()) else {
            self.leave_shared_tables();
            return Ok(body);
        };
        let grid = self.gpu().grid.clone();
        let places = tier.below.map_or(1, largest_below);
        let (blocks, count) = self.in_flight(&grid, places);
        let block = self.fresh("block_x", Ty::Index);
        let mut outside = Block::new();
        let team = self.bind("team", number(&grid, block, self.gpu().thread), &mut outside);
        let turns = match &tier.list {
            Some(list) => self.turns_by_list((&tier, list), count, body)?,
            None => self.turns_by_number(count, body)?,
        };
        let Turns { row, comments, mut body, end, on_host } = turns;
        outside.splice(0..0, comments);
        if let Some(lanes) = self.row_lanes()
            && self.leaves_tables(&body, &lanes)
        {
            body.push(lanes.barrier());
        }
        self.before_pieces(&tier, &mut outside);
        let all = blocks * count;
        let regions = self.regions_of_teams(&tier);
        match tier.below {
            Some(_) => {
                let (own, _) = number_in_block(&grid, self.gpu().thread);
                let begins = match self.shared_tables(&tier) {
                    Some(tables) => build::mul(own, Expr::Index(tables.step)),
                    None => build::mul(team.clone(), Expr::Index(places)),
                };
                for (_, begin) in regions {
                    outside.push(Stmt::Let { var: begin, value: begins.clone() });
                }
                let (kind, step) = (LoopKind::Serial, u32::try_from(all).unwrap_or(u32::MAX));
                outside.push(Stmt::For { var: row, lo: team, hi: end, step, kind, body });
            }
            None => {
                let room = Expr::Index(self.options.table_places);
                let mut inside = Block::new();
                let mut teams = Expr::Index(all);
                for (w, begin) in regions {
                    let largest = build::load(self.row_tables(w).largest, Expr::Index(0));
                    let name = format!("{}_region", self.spas[w.index()].name);
                    let region = self.bind(&name, largest, &mut outside);
                    let fit = build::max(build::div(room.clone(), region.clone()), Expr::Index(1));
                    teams = build::min(teams, fit);
                    // Which is no more, as so many teams have room.
                    let value = build::min(build::mul(team.clone(), region), room.clone());
                    inside.push(Stmt::Let { var: begin, value });
                }
                let teams = self.bind("teams", teams, &mut outside);
                let end = self.bind("end", end, &mut inside);
                let more = build::lt(teams.clone(), build::sub(end.clone(), row));
                let next = build::add(row, teams.clone());
                let after = build::select(more, next, end.clone());
                body.push(Stmt::Assign { var: row, value: after });
                inside.push(Stmt::Mut { var: row, value: team.clone() });
                inside.push(Stmt::While { cond: build::lt(row, end), body });
                outside.extend(guard(build::lt(team, teams), inside));
            }
        }
        let on_host = self.launched_for_pass(&tier, build::min(on_host, Expr::Index(blocks)));
        if let Some(gpu) = &mut self.gpu {
            gpu.axes = vec![(block, Some(Blocks { on_host, on_device: None }))];
            gpu.bound_registers();
        }
        self.leave_shared_tables();
        Ok(outside)
    }

    /// The rows of a list, which stood for blocks before this.
    fn turns_by_list(
        &mut self,
        (tier, list): (&Tier, &Enlisted),
        count: u64,
        mut body: Block,
    ) -> Result<Turns, Box<Diagnostic>> {
        let [(axis, Some(blocks))] = &self.gpu().axes[..] else {
            return Err(internal(self.kernel, "rows of teams are on several loops"));
        };
        if blocks.on_host != list.most {
            return Err(internal(self.kernel, "blocks that assemble rows are not the rows"));
        }
        let axis = *axis;
        let (rank, row) = (self.rank_of_row(), self.fresh("row", Ty::Index));
        substitute(&mut body, axis, &row.into());
        body.insert(0, Stmt::Let { var: row, value: list.item(rank) });
        if self.makes_pieces() {
            let Some((number, body, end, on_host)) = self.turns_by_piece((tier, list), (row, body)) else {
                return Err(internal(self.kernel, "a pass makes pieces of rows that have none"));
            };
            return Ok(Turns { row: number, comments: vec![], body, end, on_host });
        }
        let on_host = ceil(list.most.clone(), count);
        Ok(Turns { row: rank, comments: vec![], body, end: list.many(), on_host })
    }

    /// All rows, by the numbers that threads or teams would have if each had one.
    fn turns_by_number(&mut self, count: u64, mut body: Block) -> Result<Turns, Box<Diagnostic>> {
        let (Some((row, own)), (_, Some(all))) = (self.gpu().turn, self.numbers()) else {
            return Err(self.refuse_assembly());
        };
        let axes = self.gpu().axes.clone();
        let one = |b: &Option<Blocks>| match b {
            Some(b) => (b.on_host.clone(), b.on_device.clone().unwrap_or(Expr::Index(1))),
            None => (Expr::Index(1), Expr::Index(1)),
        };
        let mut block = if count == 1 { Expr::Var(row) } else { build::div(row, Expr::Index(count)) };
        substitute(
            &mut body,
            own,
            &if count == 1 { Expr::Index(0) } else { build::rem(row, Expr::Index(count)) },
        );
        let mut on_host = Expr::Index(1);
        for (n, (axis, blocks)) in axes.iter().enumerate() {
            let (of_host, of_device) = one(blocks);
            on_host = build::mul(on_host, of_host);
            let last = n + 1 == axes.len();
            let by = if last { block.clone() } else { build::rem(block.clone(), of_device.clone()) };
            substitute(&mut body, *axis, &by);
            block = build::div(block, of_device);
        }
        if let Some(named) = inline(&mut body, row) {
            self.vars[row.index()].name = self.vars[named.index()].name.clone();
        }
        let first = body.iter().position(|s| !matches!(s, Stmt::Comment(_))).unwrap_or(body.len());
        let comments: Block = body.drain(..first).collect();
        let mut end = all;
        // The last block's threads are no rows.
        let guarded = match &body[..] {
            [Stmt::If { cond: Expr::Cmp(Cmp::Lt, number, rows), otherwise, .. }] => {
                let whole = build::mul(ceil((**rows).clone(), count), Expr::Index(count));
                (number.is_var(row) && otherwise.is_empty() && whole == end).then(|| (**rows).clone())
            }
            _ => None,
        };
        if let (Some(rows), Some(Stmt::If { then, .. })) = (guarded, body.first_mut()) {
            end = rows;
            body = std::mem::take(then);
        }
        Ok(Turns { row, comments, body, end, on_host })
    }

    /// After the team's lanes have last waited for each other, does one use places of a table that another empties for the
    /// next row? Each has its own if they take turns from the table's begin on.
    fn leaves_tables(&self, body: &[Stmt], lanes: &TeamLanes) -> bool {
        let arrays = self.spas.iter().flat_map(|w| w.crd.iter().copied().chain([w.vals])).collect();
        let firsts =
            self.tiers.regions.iter().map(|(_, begin)| build::add(*begin, lanes.lane.clone())).collect();
        Tables { arrays, firsts, step: lanes.size, scope: lanes.scope }.used_at_end(body, false)
    }
}

/// What teams take turns with.
struct Turns {
    /// The loop's variable.
    row: VarId,
    comments: Block,
    body: Block,
    end: Expr,
    /// Blocks with which each team had one turn, for the host.
    on_host: Expr,
}

/// Tables that a team uses.
struct Tables {
    arrays: BTreeSet<BufferId>,
    /// Where a lane begins to empty one, and in which steps.
    firsts: Vec<Expr>,
    step: u32,
    /// Who the team is.
    scope: Scope,
}

impl Tables {
    fn used_at_end(&self, block: &[Stmt], mut used: bool) -> bool {
        for stmt in block {
            match stmt {
                // Warps of a block may wait on their own.
                Stmt::Barrier(scope) if *scope == Scope::Block || *scope == self.scope => used = false,
                Stmt::Collective(c) if c.is_barrier() => used = false,
                Stmt::If { cond, then, otherwise } => {
                    used |= self.reads(cond);
                    used = self.used_at_end(then, used) | self.used_at_end(otherwise, used);
                }
                Stmt::For { var, lo, step, body, .. } if *step == self.step && self.firsts.contains(lo) => {
                    used |= self.used_by(body, &|index| index.is_var(*var));
                }
                Stmt::For { lo, hi, body, .. } => {
                    used |= self.reads(lo) || self.reads(hi);
                    used |= self.used_at_end(body, used);
                }
                Stmt::While { cond, body } => used |= self.used_at_end(body, used) || self.reads(cond),
                stmt => used |= self.used_by(std::slice::from_ref(stmt), &|_| false),
            }
        }
        used
    }

    /// Is a place of a table read?
    fn reads(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            let loads = matches!(e, Expr::Load { buffer, .. } if self.arrays.contains(buffer));
            found |= loads || self.searches(e);
        });
        found
    }

    /// Is a table searched here?
    fn searches(&self, e: &Expr) -> bool {
        matches!(e, Expr::Search { buffer, .. } if self.arrays.contains(buffer))
    }

    /// Is a place written or read that is not a lane's own?
    fn used_by(&self, block: &[Stmt], is_own: &dyn Fn(&Expr) -> bool) -> bool {
        let mut used = false;
        visit_exprs(block, &mut |e| {
            used |= match e {
                Expr::Load { buffer, index } => self.arrays.contains(buffer) && !is_own(index),
                e => self.searches(e),
            };
        });
        visit_stmts(block, &mut |s| {
            used |= match s {
                Stmt::Store { buffer, index, .. } => self.arrays.contains(buffer) && !is_own(index),
                s => s.buffers().iter().any(|b| self.arrays.contains(b)),
            };
        });
        used
    }
}

/// Constants that are a row's number, or a part of it, are replaced by it. Gives the last one that is the number.
fn inline(block: &mut Block, row: VarId) -> Option<VarId> {
    let mut named = None;
    let mut at = 0;
    while at < block.len() {
        block[at].for_each_expr_mut(&mut rejoin);
        let part = match &block[at] {
            Stmt::Let { var, value } => is_part(value, row).then(|| (*var, value.clone())),
            _ => None,
        };
        match part {
            Some((var, value)) => {
                block.remove(at);
                substitute(&mut block[at..], var, &value);
                named = value.is_var(row).then_some(var).or(named);
            }
            None => {
                block[at].for_each_block_mut(&mut |nested| named = inline(nested, row).or(named));
                at += 1;
            }
        }
    }
    named
}

/// Is it the row's number, a quotient of it, or a remainder?
fn is_part(e: &Expr, row: VarId) -> bool {
    match e {
        Expr::Var(v) => *v == row,
        Expr::IndexOp(IndexOp::Div | IndexOp::Rem, n, by) => n.is_var(row) && matches!(**by, Expr::Index(_)),
        _ => false,
    }
}

/// A quotient and a remainder are the whole again.
fn rejoin(e: &mut Expr) {
    e.for_each_child_mut(&mut rejoin);
    if let Some(joined) = whole(e, &|_| None) {
        *e = joined;
    }
}
