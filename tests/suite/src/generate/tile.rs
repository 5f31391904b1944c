//! Schedules for a GPU with tiles of a dense operand in shared memory: a block goes over the operand's rows in tiles, which
//! its threads load together, and takes those entries of its own rows that meet the tile.

use super::nest::{Nest, Roles, roles};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::front::ast::{Expr, print};
use sparse_core::front::parse_str;

/// What the threads of a block are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// A row each.
    Rows,
    /// Columns of the rows that warps have.
    Columns,
    /// Columns of rows that they take one after another.
    ColumnsOfAll,
}

/// A dense operand of which tiles are made: its text, its variables, and the level's among them that is summed.
struct Tiled {
    access: String,
    vars: Vec<String>,
    summed: String,
    /// The number of the summed variable's coordinates.
    size: usize,
}

/// So many coordinates have tiles of several: each tile may have to count a row's entries, and rows that are long then are
/// more steps than a case has.
const MANY: usize = 300;

/// Gives a case a schedule with a tile; false if its statement has nothing to make tiles of.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let Some(roles) = roles(case) else { return false };
    let Some(tiled) = tiled(rng, case, &roles) else { return false };
    let taken = roles.taken.clone();
    let mut nest =
        Nest { rng, roles: &roles, commands: vec![], loops: vec![], taken, scatter: false, room: 256 };
    let about = nest.tiles(&tiled);
    case.schedule = std::mem::take(&mut nest.commands);
    case.about.push(about);
    true
}

/// An operand that rows of the sparse one read again.
fn tiled(rng: &mut Rng, case: &Case, roles: &Roles) -> Option<Tiled> {
    let kernel = parse_str(&case.kernel_text()).ok()?;
    if roles.kept == 0 || roles.kept == roles.levels.len() {
        return None;
    }
    let mut found = Vec::new();
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let vars: Vec<String> = a.indices.iter().map(|v| kernel.vars[v.index()].name.clone()).collect();
        let summed = vars.iter().find(|v| roles.levels[roles.kept..].contains(v)).cloned();
        let unlike_rows = !vars.iter().any(|v| roles.levels[..roles.kept].contains(v));
        if let (true, true, Some(summed)) =
            (kernel.tensors[a.tensor.index()].spec.is_dense(), unlike_rows, summed)
        {
            let size = case.vars.iter().find(|(name, _)| *name == summed).map_or(0, |(_, size)| *size);
            found.push(Tiled { access: print(&kernel, &Expr::Access(a.clone())), vars, summed, size });
        }
    });
    let at = rng.below(found.len().max(1));
    found.into_iter().nth(at)
}

impl Nest<'_> {
    fn tiles(&mut self, tiled: &Tiled) -> String {
        let roles = self.roles;
        let threads = match roles.columns.is_empty() {
            true => Threads::Rows,
            false => {
                self.rng.weighted(&[(30, Threads::Rows), (50, Threads::Columns), (20, Threads::ColumnsOfAll)])
            }
        };
        let mut parallel: Vec<[String; 2]> = vec![];
        let mut on = |name: &str, unit: &str| parallel.push([name.into(), unit.into()]);

        // Rows.
        let warps = self.rng.pick(&[1, 2, 4, 8]);
        let lanes = self.rng.pick(&[2, 4, 8, 16, 32]);
        let several = self.rng.weighted(&[(60, 1), (15, 2), (10, 3), (15, 4)]);
        let of_threads = match threads {
            Threads::Rows => warps * lanes,
            Threads::Columns => warps,
            Threads::ColumnsOfAll => 1,
        };
        let [block, mut row] = self.split(&roles.levels[0], ["block", "row"], of_threads * several);
        on(&block, "GPUBlock");
        let mut rows = vec![];
        let on_warps = threads == Threads::Columns || (threads == Threads::Rows && warps > 1);
        if on_warps {
            let [warp, rest] = self.split(&row, ["warp", "row"], of_threads * several / warps);
            on(&warp, "GPUWarp");
            rows.push(warp);
            row = rest;
        }
        if threads == Threads::Rows {
            let [lane, rest] = self.split(&row, ["lane", "row"], several);
            on(&lane, "GPUThread");
            rows.push(lane);
            row = rest;
        }
        rows.push(row);

        // Columns.
        let mut blocks = vec![block];
        let mut columns: Option<(String, Vec<String>)> = None;
        if let Some((k, others)) = roles.columns.split_last() {
            for other in others {
                on(other, "GPUBlock");
                blocks.push(other.clone());
            }
            let own = self.rng.weighted(&[(55, 1), (25, 2), (20, 4)]);
            let c = if threads == Threads::Rows { own } else { own * lanes };
            let [outer, inner] = self.split(k, ["ko", "ki"], c);
            if self.rng.percent(70) {
                on(&outer, "GPUBlock");
            }
            blocks.push(outer);
            let loops = match threads {
                Threads::Rows => vec![inner.clone()],
                _ => {
                    let [lane, rest] = self.split(&inner, ["kt", "kv"], own);
                    on(&lane, "GPUThread");
                    vec![lane, rest]
                }
            };
            columns = Some((inner, loops));
        }

        // Tiles, and the order of it all.
        let size = self.rng.weighted(&[(10, 1), (20, 3), (25, 4), (20, 8), (10, 16), (12, 40), (3, 60_000)]);
        let size = if tiled.size > MANY { size.max(64) } else { size };
        let [tile, entry] = self.split(&tiled.summed, ["tile", "entry"], size);
        let part = |v: &String| if *v == tiled.summed { entry.clone() } else { v.clone() };
        let levels: Vec<String> = roles.levels[1..].iter().map(part).collect();
        let (own, mut inner) = match &columns {
            Some((_, loops)) => loops.split_at(usize::from(threads != Threads::Rows)),
            None => (&[][..], &[][..]),
        };
        let mut order = [&blocks[..], &[tile], &rows, own].concat();
        if self.rng.percent(25) {
            order.extend(inner.iter().cloned());
            inner = &[];
        }
        order.extend(levels.iter().chain(&roles.sums).chain(inner).cloned());
        self.push("reorder", &order.iter().map(String::as_str).collect::<Vec<_>>());

        let k = roles.columns.last();
        let of_tile = |v: &String| match &columns {
            Some((inner, _)) if Some(v) == k => inner.clone(),
            _ => part(v),
        };
        let vars: Vec<String> = tiled.vars.iter().map(of_tile).collect();
        let (how, loads) = self.load(&tiled.access, &vars, warps, lanes);
        parallel.extend(loads);
        for [name, unit] in &parallel {
            self.commands.push(Command::new("parallelize", [name.as_str(), unit, "NoRaces"]));
        }
        format!("a tile loaded {how}")
    }

    /// A tile over these variables, whose elements a block's threads share out: how, and on which units its loops are.
    fn load(
        &mut self,
        access: &str,
        vars: &[String],
        warps: usize,
        lanes: usize,
    ) -> (&'static str, Vec<[String; 2]>) {
        let renamed: Vec<String> = vars.iter().map(|_| self.fresh("from")).collect();
        let w = self.fresh("tile_of");
        let list = |names: &[String]| format!("[{}]", names.join(", "));
        self.push("precompute", &[access, &list(vars), &list(&renamed), &w]);
        if renamed.len() > 1 {
            self.push("reorder", &renamed.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let mut all = renamed[0].clone();
        for v in &renamed[1..] {
            let made = self.fresh("all");
            self.push("fuse", &[&all, v, &made]);
            all = made;
        }
        let how = self.rng.weighted(&[(60, "by lanes"), (25, "by warps and lanes"), (15, "by one thread")]);
        let mut parallel: Vec<[String; 2]> = vec![];
        let mut on = |name: &str, unit: &str| parallel.push([name.into(), unit.into()]);
        match how {
            "by lanes" => {
                let [_, lane] = self.split(&all, ["step", "load"], lanes);
                on(&lane, "GPUThread");
            }
            "by warps and lanes" => {
                let [_, part] = self.split(&all, ["step", "part"], lanes * warps);
                let [warp, lane] = self.split(&part, ["wl", "load"], lanes);
                on(&warp, "GPUWarp");
                on(&lane, "GPUThread");
            }
            _ => {}
        }
        (how, parallel)
    }
}
