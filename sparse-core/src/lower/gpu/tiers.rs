//! Rows with tables, by how large these are, and memory for the tables.
//!
//! Rows are in *tiers* by how many places their tables have, or elements they scatter at a time, if these are more: those of one
//! class of teams, or where nobody else has rows, those with
//! so few places that all teams can have as many in [`Options::table_places`], and the others. In the last tier as many teams
//! have rows as the largest table of all allows, which a thread knows; the host knows a bound on it ([`super::bounds`]), or
//! waits for it, where that is more than all tables have. All launches with tables in the device's memory use the same, in which
//! each team has a region ([`super::turns`]).
//!
//! Tables of a tier that are small enough are in shared memory ([`Options::table_bytes`]), where places are found, claimed and sorted.
//! Of the last class's rows those whose tables fit are a tier of their own.
//!
//! [`Options::table_bytes`]: super::super::Options::table_bytes
//! [`Options::table_places`]: super::super::Options::table_places

use super::super::Lowerer;
use super::super::joined;
use super::super::region::guard;
use super::abreast::TILE;
use super::classes::{Class, who};
use super::enlist::{Enlisted, Wanted};
use super::long_rows::LongRows;
use super::pieces::Cutting;
use super::team::number_in_block;
use crate::cin::Cin;
use crate::cin::grid::{Grid, Team};
use crate::llir::kernel::{SHARED_BYTES, WARP};
use crate::llir::walk::replace;
use crate::llir::{self, Block, BufferId, Expr, FetchOp, Step, Stmt, Ty, VarId, WorkspaceId, build};
use crate::scalar::Value;

/// Rows that a launch of each pass has.
#[derive(Clone)]
pub(in super::super) struct Tier {
    /// Their tables have so many places in all,
    pub(super) from: u64,
    /// and fewer than so many.
    pub(super) below: Option<u64>,
    /// The first tier of a class has rows with smaller tables, too, if they scatter so many elements, of which many are equal.
    by_work: bool,
    /// Whose list they are on, by number; of the others the loops' own teams walk over all rows.
    pub(in super::super) class: Option<usize>,
    pub(super) list: Option<Enlisted>,
}

/// The tiers of an assembly, and the one that is lowered.
pub(in super::super) struct Tiers {
    pub(in super::super) all: Vec<Tier>,
    /// The lists of the rows that larger teams have, once rows are put there.
    lists: Option<(Vec<Step>, Vec<Enlisted>)>,
    /// No row's tables have more places, for the host.
    most_places: Expr,
    /// The same of how many elements it scatters, or places, if these are more; `None` if the host knows no bound.
    pub(super) most_work: Option<Expr>,
    /// The one that has the launch's rows.
    pub(in super::super) lowered: Option<Tier>,
    /// Where its team's tables begin.
    pub(super) regions: Vec<(WorkspaceId, VarId)>,
    /// How its rows are cut, if they may be.
    pub(super) cutting: Option<Cutting>,
}

impl Default for Tiers {
    fn default() -> Self {
        Tiers {
            all: vec![],
            lists: None,
            most_places: Expr::Index(0),
            most_work: None,
            lowered: None,
            regions: vec![],
            cutting: None,
        }
    }
}

/// The tables of rows for a sparse workspace.
pub(super) struct RowTables {
    /// By row, how many places.
    places: BufferId,
    /// The most of any row of the last tier.
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

/// The tables of a block's teams in shared memory.
pub(super) struct SharedTables {
    /// How far it is from one to the next, in places.
    pub(super) step: u64,
    /// How many places there are.
    pub(super) all: u64,
}

/// Places between the tables of teams that share a warp, whose lanes come to the same place of different tables at once: then
/// these are in different banks.
fn padding(grid: &Grid) -> u64 {
    match grid.team {
        Some(Team::Group(lanes)) => u64::from(lanes % WARP),
        Some(Team::Block) => 0,
        None => 1,
    }
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
            None if self.from == 0 => String::new(),
            None if self.below.is_some() => "_large".to_owned(),
            None => "_largest".to_owned(),
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

    /// How many bytes a place of all sparse workspaces' tables has.
    fn place_bytes(&self, dims: impl Iterator<Item = usize>) -> u64 {
        let value = self.dtype.size() as u64;
        dims.map(|dims| value + 4 * dims as u64).sum::<u64>().max(1)
    }

    /// How many places a table has at most that fits in the shared memory of a block of teams: a power of two, or 0 if none does.
    fn most_shared(&self, cin: &Cin, grid: &Grid) -> u64 {
        if grid.team.is_none() {
            return 0;
        }
        let dims = cin.scattered_in_rows().map(|w| w.vars.len());
        let (_, teams) = number_in_block(grid, self.gpu().thread);
        let each = self.bytes_of_tables(grid) / self.place_bytes(dims) / teams;
        // A table has 4 at least.
        match (each + 1).saturating_sub(padding(grid)) {
            ..5 => 0,
            more => largest_below(more),
        }
    }

    /// Where a tier's tables are in shared memory: how many places one has, and how far it is to the next team's.
    pub(super) fn shared_tables(&self, tier: &Tier) -> Option<SharedTables> {
        let (places, grid) = (largest_below(tier.below?), self.grid_of(tier));
        let (_, teams) = number_in_block(&grid, self.gpu().thread);
        let bytes = self.place_bytes(self.spas.iter().map(|w| w.dims.len()));
        let step = if teams == 1 { places } else { places + padding(&grid) };
        let fit = teams * step * bytes <= self.bytes_of_tables(&grid);
        fit.then_some(SharedTables { step, all: teams * step })
    }

    /// How many bytes a block's tables can have in shared memory, where teams have what warps scan, and of rows where they begin and
    /// end, and how many slices are before them.
    fn bytes_of_tables(&self, grid: &Grid) -> u64 {
        let sums = match grid.team {
            Some(Team::Block) => 4 * grid.threads().div_ceil(WARP.into()) + 12 * u64::from(TILE),
            Some(Team::Group(WARP)) => 12 * grid.threads(),
            Some(Team::Group(_)) | None => 0,
        };
        self.options.table_bytes.min(SHARED_BYTES).saturating_sub(sums)
    }

    /// How many places all teams of a grid can have, a power of two.
    fn for_all(&self, grid: &Grid) -> u64 {
        let (blocks, teams) = self.in_flight(grid, 1);
        let each = self.options.table_places / (blocks * teams);
        // A table has 4 at least.
        if each < 8 { 8 } else { 1 << each.ilog2() }
    }

    /// The tiers of rows, those with the smallest tables first.
    pub(in super::super) fn tiers(&self, cin: &Cin, classes: &[Class<'k>]) -> Vec<Tier> {
        let tier = |from, below, class| Tier { from, below, by_work: false, class, list: None };
        // The tiers of teams, which have the rows from so many places on.
        let tiers_of = |grid: &Grid, mut from: u64, class: Option<usize>| {
            let mut tiers = Vec::new();
            for few in [2 * self.most_shared(cin, grid), self.for_all(grid)] {
                if from < few {
                    tiers.push(tier(from, Some(few), class));
                    from = few;
                }
            }
            tiers.push(tier(from, None, class));
            tiers[0].by_work = class.is_some();
            tiers
        };
        let Some(first) = classes.first() else { return tiers_of(&self.grid, 0, None) };
        let mut tiers = vec![tier(0, Some(first.rows.from), None)];
        for (n, class) in classes.iter().enumerate() {
            let from = class.rows.from;
            match classes.get(n + 1) {
                Some(next) => {
                    tiers.push(Tier { by_work: true, ..tier(from, Some(next.rows.from), Some(n)) });
                }
                None => tiers.extend(tiers_of(&Grid::of_teams(class.rows.threads), from, Some(n))),
            }
        }
        tiers
    }

    /// The arrays of a workspace's tables.
    pub(super) fn row_tables(&mut self, w: WorkspaceId) -> &mut RowTables {
        while self.out.gpu.tables.len() <= w.index() {
            let name = self.spas[self.out.gpu.tables.len()].name.clone();
            let places = self.device_array(&format!("{name}_places"));
            let largest = self.device_array(&format!("{name}_largest"));
            self.out.gpu.tables.push(RowTables { places, largest, bound: None, scattered: None });
        }
        &mut self.out.gpu.tables[w.index()]
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
        let Some(Tier { from, below, list: None, .. }) = self.tiers.lowered.clone() else { return body };
        let mut block = Block::new();
        let size = match self.out.gpu.row_work {
            Some(work) => self.bind("work", build::load(work, row.clone()), &mut block),
            None => {
                let all = self.places_of(row);
                let places = self.bind("places", all.clone(), &mut block);
                replace(&mut body, &all, &places);
                places
            }
        };
        let enough = build::le(Expr::Index(from), size.clone());
        let mine = match below {
            Some(below) => build::and(enough, build::lt(size, Expr::Index(below))),
            None => enough,
        };
        match guard(mine, body) {
            guarded if guarded.is_empty() => guarded,
            guarded => joined(block, guarded),
        }
    }

    /// The row scatters so many elements, and its tables have so many places: who assembles it learns that.
    pub(in super::super) fn enlist_row(&mut self, row: &Expr, of: &[(WorkspaceId, VarId, Expr)]) -> Block {
        let note = |l: &mut Self, w: WorkspaceId, value: &Expr| Stmt::Fetch {
            op: FetchOp::Max,
            var: None,
            buffer: l.row_tables(w).largest,
            index: Expr::Index(0),
            value: value.clone(),
        };
        let largest: Block = of.iter().map(|(w, _, value)| note(self, *w, value)).collect();
        let sum = |of: Vec<Expr>| of.into_iter().reduce(build::count).unwrap_or(Expr::Index(0));
        let places = sum(of.iter().map(|(_, _, places)| places.clone()).collect());
        let tiers = self.tiers.all.clone();
        if let Some(last) = tiers.last().filter(|last| last.class.is_none()) {
            return guard(build::le(Expr::Index(last.from), places), largest);
        }
        let scattered = sum(of.iter().map(|(_, elements, _)| (*elements).into()).collect());
        let mut block = Block::new();
        let work = self.bind("work", build::max(places.clone(), scattered), &mut block);
        let buffer = match self.out.gpu.row_work {
            Some(buffer) => buffer,
            None => self.device_array("rows_work"),
        };
        self.out.gpu.row_work = Some(buffer);
        block.push(Stmt::Store { buffer, index: row.clone(), value: work.clone() });
        let sizes = tiers.iter().filter(|tier| tier.class.is_some());
        let sizes = sizes.map(|tier| if tier.by_work { work.clone() } else { places.clone() });
        let sizes: Vec<Expr> = sizes.collect();
        let lists: Vec<_> = self.row_lists().into_iter().zip(sizes).collect();
        let mut put = self.enlist_by(&lists, row, vec![]);
        if let Some(Stmt::If { then, .. }) = put.first_mut() {
            then.extend(largest);
        }
        joined(block, put)
    }

    /// The lists of rows, one a tier but the first.
    fn row_lists(&mut self) -> Vec<Enlisted> {
        if self.tiers.lists.is_none() {
            let rows = self.dense_size(self.out_groups().prefix);
            let tiers = self.tiers.all.clone();
            let wanted = tiers.iter().filter_map(|tier| {
                let class = self.options.row_classes.get(tier.class?)?;
                let who = who(class);
                let who = match tier.below {
                    _ if tier.by_work => who,
                    Some(_) => format!("large_{who}"),
                    None => format!("largest_{who}"),
                };
                Some(Wanted { who, threads: class.threads, from: tier.from, most: rows.clone() })
            });
            let wanted = wanted.collect();
            self.tiers.lists = Some(self.lists_of("rows", wanted));
        }
        self.tiers.lists.as_ref().map_or_else(Vec::new, |(_, lists)| lists.clone())
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
        if let Some(buffer) = self.out.gpu.row_work {
            steps.push(Step::Allocate { buffer, len: all.0.clone(), init: Some(Value::I32(0)) });
        }
        let mut tiers = self.tiers.all.clone();
        if let Some((made, lists)) = self.tiers.lists.take() {
            steps.extend(made);
            let listed = tiers.iter_mut().filter(|tier| tier.class.is_some());
            listed.zip(lists).for_each(|(tier, list)| tier.list = Some(list));
        }
        match self.out.gpu.long_rows.take() {
            Some(LongRows { made, launch }) => {
                steps.extend(made);
                steps.extend([scatters, launch]);
            }
            None => steps.push(scatters),
        }
        let mut most = Vec::new();
        for &w in &ids {
            let name = format!("{}_most_places", self.spas[w.index()].name);
            let places = self.most_places(w).map(|most| self.named_size(&name, most));
            most.push(places.unwrap_or_else(|| {
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
        let fewer = ids.iter().zip(&most).map(|(&w, most)| match self.most_places_by_fibers(w) {
            Some(fewer) => build::min(most.clone(), fewer),
            None => most.clone(),
        });
        let most_places = fewer.collect::<Vec<_>>().into_iter().reduce(build::add).unwrap_or(Expr::Index(0));
        self.tiers.most_places = self.named_size("most_places", most_places);
        let scattered = ids.iter().map(|&w| self.most_scattered(w));
        let scattered =
            scattered.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().reduce(build::add));
        let most_work = scattered.map(|most| build::max(self.tiers.most_places.clone(), most));
        self.tiers.most_work = most_work.map(|most| self.named_size("most_work", most));
        let numbers = self.numbers().0;
        let numbers = self.named_size("row_numbers", numbers);
        for (&w, most) in ids.iter().zip(most) {
            let room = tiers.iter().map(|tier| self.room_of(tier, &numbers, &most));
            let room = room.reduce(build::max).unwrap_or(Expr::Index(0));
            let room = self.named_size(&format!("{}_room", self.spas[w.index()].name), room);
            let llir::Workspace { crd, vals, .. } = &self.spas[w.index()];
            for &buffer in crd.iter().chain([vals]) {
                steps.push(Step::Allocate { buffer, len: room.clone(), init: None });
            }
            steps.extend(self.allocate_marks(w, &tiers, &most, |l, tier| l.room_of(tier, &numbers, &most)));
        }
        (steps, Rows { all, tiers })
    }

    /// How many places the teams of a tier have in all, for the host.
    fn room_of(&self, tier: &Tier, numbers: &Expr, most: &Expr) -> Expr {
        let rows = tier.list.as_ref().map_or(numbers, |list| &list.most).clone();
        let room = match tier.below {
            Some(_) if self.shared_tables(tier).is_some() => return Expr::Index(0),
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

    pub(super) fn grid_of(&self, tier: &Tier) -> Grid {
        tier.list.as_ref().map_or_else(|| self.grid.clone(), |list| Grid::of_teams(list.threads))
    }

    /// What the host needs for a tier: nothing if no row can be of it.
    pub(super) fn launched_for(&self, tier: &Tier, size: Expr) -> Expr {
        let most = match tier.by_work {
            true => self.tiers.most_work.clone(),
            false => Some(self.tiers.most_places.clone()),
        };
        match most.map(|most| build::le(Expr::Index(tier.from), most)) {
            None | Some(Expr::Cond(true)) => size,
            Some(some) => build::select(some, size, Expr::Index(0)),
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
