//! Rows with tables, by how large these are, and memory for the tables.
//!
//! Rows are in *tiers* by how many places their tables have: those of one class of teams, or where nobody else has rows, those with
//! so few places that all teams can have as many in [`Options::table_places`], and the others. In the last tier as many teams
//! have rows as the largest table of all allows, which a thread knows; the host knows a bound on it ([`super::bounds`]), or
//! waits for it, where that is more than all tables have. All launches use the same memory, in which each team has a region ([`super::turns`]).
//!
//! [`Options::table_places`]: super::super::Options::table_places

use super::super::Lowerer;
use super::super::joined;
use super::super::region::guard;
use super::classes::{Class, who};
use super::enlist::{Enlisted, Wanted};
use super::team::number_in_block;
use crate::cin::grid::Grid;
use crate::llir::walk::replace;
use crate::llir::{self, Block, BufferId, Expr, FetchOp, Step, Stmt, Ty, WorkspaceId, build};
use crate::scalar::Value;

/// Rows that a launch of each pass has.
#[derive(Clone)]
pub(in super::super) struct Tier {
    /// Their tables have so many places in all,
    pub(super) from: u64,
    /// and fewer than so many.
    pub(super) below: Option<u64>,
    /// Whose list they are on, by number; of the others the loops' own teams walk over all rows.
    pub(in super::super) class: Option<usize>,
    pub(super) list: Option<Enlisted>,
}

/// The tables of rows for a sparse workspace.
pub(in super::super) struct RowTables {
    /// By row, how many places.
    places: BufferId,
    /// The most of any row.
    pub(super) largest: BufferId,
    /// Once known: so many entries of operands have all elements of a row among them, for the host and for a thread.
    pub(super) bound: Option<Option<(Expr, Expr)>>,
    /// Once known: no row scatters more elements, for the host.
    pub(super) scattered: Option<Option<Expr>>,
}

/// The rows of an assembly with tables.
pub(in super::super) struct Rows {
    /// How many, for the host and for a thread.
    pub(in super::super) all: (Expr, Expr),
    pub(in super::super) tiers: Vec<Tier>,
}

impl Tier {
    /// Has it the rows with the smallest tables?
    pub(in super::super) fn is_first(&self) -> bool {
        self.from == 0
    }

    /// What its launches' names end in.
    pub(in super::super) fn suffix(&self) -> String {
        match &self.list {
            Some(list) => format!("_{}", list.who),
            None if self.from > 0 => "_large".to_owned(),
            None => String::new(),
        }
    }
}

impl<'k> Lowerer<'k> {
    /// How many blocks of a grid run at a time, if each team's table has so many places; and how many teams a block has.
    pub(super) fn in_flight(&self, grid: &Grid, places: u64) -> (u64, u64) {
        let (_, teams) = number_in_block(grid, self.gpu().thread);
        let blocks = self.options.table_threads / grid.threads();
        let fit = self.options.table_places / places.max(1) / teams;
        (blocks.min(fit).max(1), teams)
    }

    /// How many places all teams of a grid can have, a power of two.
    fn for_all(&self, grid: &Grid) -> u64 {
        let (blocks, teams) = self.in_flight(grid, 1);
        let each = self.options.table_places / (blocks * teams);
        // A table has 4 at least.
        if each < 8 { 8 } else { 1 << each.ilog2() }
    }

    /// The tiers of rows, those with the smallest tables first.
    pub(in super::super) fn tiers(&self, classes: &[Class<'k>]) -> Vec<Tier> {
        let tier = |from, below, class| Tier { from, below, class, list: None };
        let Some(first) = classes.first() else {
            let few = self.for_all(&self.grid);
            return vec![tier(0, Some(few), None), tier(few, None, None)];
        };
        let mut tiers = vec![tier(0, Some(first.rows.from), None)];
        for (n, class) in classes.iter().enumerate() {
            let from = class.rows.from;
            match classes.get(n + 1) {
                Some(next) => tiers.push(tier(from, Some(next.rows.from), Some(n))),
                None => {
                    let few = self.for_all(&Grid::of_teams(class.rows.threads));
                    if from < few {
                        tiers.push(tier(from, Some(few), Some(n)));
                    }
                    tiers.push(tier(from.max(few), None, Some(n)));
                }
            }
        }
        tiers
    }

    /// The arrays of a workspace's tables.
    pub(super) fn row_tables(&mut self, w: WorkspaceId) -> &mut RowTables {
        while self.out.tables.len() <= w.index() {
            let name = self.spas[self.out.tables.len()].name.clone();
            let places = self.device_array(&format!("{name}_places"));
            let largest = self.device_array(&format!("{name}_largest"));
            self.out.tables.push(RowTables { places, largest, bound: None, scattered: None });
        }
        &mut self.out.tables[w.index()]
    }

    /// By row, how many places its table has.
    pub(in super::super) fn places_array(&mut self, w: WorkspaceId) -> BufferId {
        self.row_tables(w).places
    }

    /// How many places a row's tables have.
    fn places_of(&mut self, row: &Expr) -> Expr {
        let all = (0..self.spas.len()).map(|w| WorkspaceId(w as u32));
        let places: Vec<BufferId> = all.map(|w| self.places_array(w)).collect();
        places.into_iter().fold(Expr::Index(0), |sum, p| build::count(sum, build::load(p, row.clone())))
    }

    /// What is done for a row, if it is of those that the launch has.
    pub(in super::super) fn of_tier(&mut self, row: &Expr, mut body: Block) -> Block {
        let Some(Tier { from, below, list: None, .. }) = self.tier.clone() else { return body };
        let mut block = Block::new();
        let all = self.places_of(row);
        let places = self.bind("places", all.clone(), &mut block);
        replace(&mut body, &all, &places);
        let enough = build::le(Expr::Index(from), places.clone());
        let mine = match below {
            Some(below) => build::and(enough, build::lt(places, Expr::Index(below))),
            None => enough,
        };
        match guard(mine, body) {
            guarded if guarded.is_empty() => guarded,
            guarded => joined(block, guarded),
        }
    }

    /// The row's tables have so many places: who assembles it learns that.
    pub(in super::super) fn enlist_row(&mut self, row: &Expr, places: &[(WorkspaceId, Expr)]) -> Block {
        let note = |l: &mut Self, w: WorkspaceId, value: &Expr| Stmt::Fetch {
            op: FetchOp::Max,
            var: None,
            buffer: l.row_tables(w).largest,
            index: Expr::Index(0),
            value: value.clone(),
        };
        let largest: Block = places.iter().map(|(w, value)| note(self, *w, value)).collect();
        let all = places.iter().map(|(_, n)| n.clone()).reduce(build::count).unwrap_or(Expr::Index(0));
        if let Some(last) = self.row_tiers.last().filter(|last| last.class.is_none()) {
            return guard(build::le(Expr::Index(last.from), all), largest);
        }
        let lists = self.row_lists();
        let mut put = self.enlist(&lists, row, &all, vec![]);
        if let Some(Stmt::If { then, .. }) = put.first_mut() {
            then.extend(largest);
        }
        put
    }

    /// The lists of rows, one a tier but the first.
    fn row_lists(&mut self) -> Vec<Enlisted> {
        if self.row_lists.is_none() {
            let rows = self.dense_size(self.out_groups().prefix);
            let tiers = self.row_tiers.clone();
            let wanted = tiers.iter().filter_map(|tier| {
                let class = self.options.row_classes.get(tier.class?)?;
                let who = who(class);
                let who =
                    if tier.below.is_none() && tier.from > class.from { format!("large_{who}") } else { who };
                Some(Wanted { who, threads: class.threads, from: tier.from, most: rows.clone() })
            });
            let wanted = wanted.collect();
            self.row_lists = Some(self.lists_of("rows", wanted));
        }
        self.row_lists.as_ref().map_or_else(Vec::new, |(_, lists)| lists.clone())
    }

    /// Counts what rows scatter, and makes room for tables.
    pub(in super::super) fn tables(&mut self, scatters: Step, all: (Expr, Expr)) -> (Vec<Step>, Rows) {
        let mut steps = Vec::new();
        let ids: Vec<WorkspaceId> = (0..self.spas.len()).map(|w| WorkspaceId(w as u32)).collect();
        for &w in &ids {
            let RowTables { places, largest, .. } = *self.row_tables(w);
            let len = all.0.clone();
            // A row that comes to no scatter has an empty table.
            steps.push(Step::Allocate { buffer: places, len, init: Some(Value::I32(0)) });
            steps.push(Step::Allocate { buffer: largest, len: Expr::Index(1), init: Some(Value::I32(1)) });
        }
        let mut tiers = self.row_tiers.clone();
        if let Some((made, lists)) = self.row_lists.take() {
            steps.extend(made);
            let listed = tiers.iter_mut().filter(|tier| tier.class.is_some());
            listed.zip(lists).for_each(|(tier, list)| tier.list = Some(list));
        }
        steps.push(scatters);
        let mut most = Vec::new();
        for &w in &ids {
            most.push(self.most_places(w).unwrap_or_else(|| {
                let name = format!("{}_most_places", self.spas[w.index()].name);
                let (var, buffer) = (self.fresh(&name, Ty::Index), self.row_tables(w).largest);
                // There is room for so many at any rate.
                let (within, index) = (self.options.table_places, Expr::Index(0));
                steps.push(match self.most_places_by_fibers(w) {
                    Some(most) => Step::AtMost { var, most, within, buffer, index },
                    None => Step::Read { var, buffer, index },
                });
                Expr::Var(var)
            }));
        }
        self.most_places = most.iter().cloned().reduce(build::add).unwrap_or(Expr::Index(0));
        let numbers = self.numbers().0;
        for (&w, most) in ids.iter().zip(most) {
            let room = tiers.iter().map(|tier| self.room_of(tier, &numbers, &most));
            let room = room.reduce(build::max).unwrap_or(Expr::Index(0));
            let llir::Workspace { crd, vals, .. } = &self.spas[w.index()];
            for &buffer in crd.iter().chain([vals]) {
                steps.push(Step::Allocate { buffer, len: room.clone(), init: None });
            }
        }
        (steps, Rows { all, tiers })
    }

    /// How many places the teams of a tier have in all, for the host.
    fn room_of(&self, tier: &Tier, numbers: &Expr, most: &Expr) -> Expr {
        let rows = tier.list.as_ref().map_or(numbers, |list| &list.most).clone();
        let room = match tier.below {
            Some(below) => {
                let (places, grid) = (largest_below(below), self.grid_of(tier));
                let (blocks, teams) = self.in_flight(&grid, places);
                build::mul(build::min(rows, Expr::Index(blocks * teams)), Expr::Index(places))
            }
            None => {
                let at_least_one = build::max(most.clone(), Expr::Index(self.options.table_places));
                build::min(build::mul(rows, most.clone()), at_least_one)
            }
        };
        self.launched_for(tier, room)
    }

    fn grid_of(&self, tier: &Tier) -> Grid {
        tier.list.as_ref().map_or_else(|| self.grid.clone(), |list| Grid::of_teams(list.threads))
    }

    /// What the host needs for a tier: nothing if no row's tables can have so many places.
    pub(super) fn launched_for(&self, tier: &Tier, size: Expr) -> Expr {
        match build::le(Expr::Index(tier.from), self.most_places.clone()) {
            Expr::Cond(true) => size,
            some => Expr::Select(some.into(), size.into(), Expr::Index(0).into()),
        }
    }

    /// How many threads or teams the bound loops ask for: for the host, and for a thread.
    pub(super) fn numbers(&self) -> (Expr, Option<Expr>) {
        let gpu = self.gpu();
        let (_, teams) = number_in_block(&gpu.grid, gpu.thread);
        let one = (Expr::Index(teams), Some(Expr::Index(teams)));
        gpu.axes.iter().filter_map(|(_, blocks)| blocks.as_ref()).fold(one, |(host, device), blocks| {
            let device = device.zip(blocks.on_device.clone()).map(|(all, more)| build::mul(more, all));
            (build::mul(blocks.on_host.clone(), host), device)
        })
    }
}

/// The largest power of two below a number.
pub(super) fn largest_below(n: u64) -> u64 {
    match n {
        0 | 1 => 1,
        n => 1 << (n - 1).ilog2(),
    }
}
