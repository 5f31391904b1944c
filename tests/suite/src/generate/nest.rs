//! The loops of a schedule in the making: which variables a statement has, and the commands that make, order and run
//! loops of them.

use super::schedule::chains;
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::driver::concretize_kernel;
use sparse_core::format::Level;
use sparse_core::front::ast::{Access, Expr, IndexVar, print};
use sparse_core::front::parse_str;
use std::ops::Range;

/// The variables of a statement by what they are for.
pub(super) struct Roles {
    /// Of the sparse operand, by level.
    pub(super) levels: Vec<String>,
    /// Which of those levels hold positions.
    pub(super) compressed: Vec<bool>,
    /// At which of them a coordinate has one position.
    pub(super) unique: Vec<bool>,
    /// How many of them, from the first on, the output has.
    pub(super) kept: usize,
    /// Has the output any of them?
    pub(super) any_kept: bool,
    /// Of dense operands alone: those that the output has.
    pub(super) columns: Vec<String>,
    /// Of dense operands alone: those that are summed over.
    pub(super) sums: Vec<String>,
    /// `A[i, j]`
    pub(super) access: String,
    /// Coordinates of the first level.
    pub(super) rows: usize,
    /// Elements along the last of the columns.
    pub(super) width: usize,
    /// The loops as they are, outermost first.
    pub(super) loops: Vec<String>,
    /// Every name of the kernel.
    pub(super) taken: Vec<String>,
}

/// What the variables of a statement are for, if all its loops stand directly inside one another.
pub(super) fn roles(case: &Case) -> Option<Roles> {
    let kernel = parse_str(&case.kernel_text()).ok()?;
    let cin = concretize_kernel(&kernel).ok()?;
    let mut found = Vec::new();
    chains(&cin.root, vec![], &mut found);
    let [chain] = &found[..] else { return None };
    let mut operand: Option<Access> = None;
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let larger = operand.as_ref().is_none_or(|o: &Access| o.indices.len() < a.indices.len());
        if !kernel.tensors[a.tensor.index()].spec.is_dense() && larger {
            operand = Some(a.clone());
        }
    });
    let operand = operand?;
    let spec = &kernel.tensors[operand.tensor.index()].spec;
    let levels: Vec<IndexVar> = (0..spec.rank()).map(|l| operand.indices[spec.map.dim_of_level(l)]).collect();
    let out = &kernel.assignment.lhs.indices;
    let others = chain.iter().copied().filter(|v| !levels.contains(v));
    let (columns, sums): (Vec<_>, Vec<_>) = others.partition(|v| out.contains(v));
    if chain.len() != levels.len() + columns.len() + sums.len() {
        // A diagonal.
        return None;
    }
    let name = |v: &IndexVar| cin.provenance.name(*v).to_owned();
    let names = |vars: &[IndexVar]| vars.iter().map(name).collect::<Vec<_>>();
    let size = |name: &String| case.vars.iter().find(|v| v.0 == *name).map_or(0, |v| v.1);
    let tensors = case.tensors.iter().map(|t| t.name.clone());
    let vars = case.vars.iter().map(|v| v.0.clone());
    Some(Roles {
        kept: levels.iter().take_while(|v| out.contains(v)).count(),
        any_kept: levels.iter().any(|v| out.contains(v)),
        levels: names(&levels),
        compressed: spec.levels.iter().map(|l| !matches!(l, Level::Dense)).collect(),
        unique: spec.levels.iter().map(|l| l.is_unique()).collect(),
        rows: levels.first().map_or(0, |v| size(&name(v))),
        width: columns.last().map_or(0, |v| size(&name(v))),
        columns: names(&columns),
        sums: names(&sums),
        access: print(&kernel, &Expr::Access(operand)),
        loops: names(chain),
        taken: vars.chain(tensors).chain(case.scalars.iter().map(|s| s.0.clone())).collect(),
    })
}

/// How deep a loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    Blocks,
    Warps,
    OutsideLanes,
    Lanes,
    InsideLanes,
    /// What a lane takes of the split variable.
    Own,
    InsideOwn,
    /// Levels that are left.
    Levels,
    InsideLevels,
    Sums,
    Innermost,
}

/// A loop of the result.
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) depth: Depth,
    /// Unit and strategy.
    pub(super) on: Option<(String, &'static str)>,
}

/// A schedule in the making.
pub(super) struct Nest<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) roles: &'a Roles,
    pub(super) commands: Vec<Command>,
    pub(super) loops: Vec<Loop>,
    pub(super) taken: Vec<String>,
    /// Lanes exchange their columns.
    pub(super) scatter: bool,
    /// Threads that a block has room for.
    pub(super) room: usize,
}

impl Nest<'_> {
    /// The order of the loops, and what runs them.
    pub(super) fn finish(mut self) -> Vec<Command> {
        self.loops.sort_by_key(|l| l.depth);
        let order: Vec<String> = self.loops.iter().map(|l| l.name.clone()).collect();
        self.commands.push(Command::new("reorder", order));
        self.vector();
        let mut parallel: Vec<Command> = Vec::new();
        for l in &self.loops {
            if let Some((unit, strategy)) = &l.on {
                parallel.push(Command::new("parallelize", [l.name.as_str(), unit, strategy]));
            }
        }
        // Block variables are x, y and z in the order of their commands.
        if self.rng.percent(20) {
            self.rng.shuffle(&mut parallel);
        }
        self.commands.extend(parallel);
        self.commands
    }

    /// Runs a short innermost loop on vectors.
    fn vector(&mut self) {
        let Some(last) = self.loops.last_mut().filter(|l| l.on.is_none()) else { return };
        let short = |c: &Command| {
            c.name == "split" && c.args[2] == last.name && matches!(c.args[3].as_str(), "2" | "4")
        };
        if self.commands.iter().any(short) && self.rng.percent(60) {
            last.on = Some(("GPUVector".into(), if self.rng.percent(3) { "Atomics" } else { "NoRaces" }));
        }
    }

    /// The name itself, or with a number.
    pub(super) fn fresh(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 0;
        while self.taken.contains(&name) {
            number += 1;
            name = format!("{base}{number}");
        }
        self.taken.push(name.clone());
        name
    }

    pub(super) fn push(&mut self, name: &str, args: &[&str]) {
        self.commands.push(Command::new(name, args.iter().copied()));
    }

    pub(super) fn split(&mut self, var: &str, [outer, inner]: [&str; 2], factor: usize) -> [String; 2] {
        let made = [self.fresh(outer), self.fresh(inner)];
        self.push("split", &[var, &made[0], &made[1], &factor.to_string()]);
        made
    }

    pub(super) fn serial(&mut self, name: impl Into<String>, depth: Depth) {
        self.loops.push(Loop { name: name.into(), depth, on: None });
    }

    pub(super) fn on_blocks(&mut self, name: String) {
        let strategy = if self.rng.percent(15) { "IgnoreRaces" } else { "NoRaces" };
        self.loops.push(Loop { name, depth: Depth::Blocks, on: Some(("GPUBlock".into(), strategy)) });
    }

    pub(super) fn on_warps(&mut self, name: String) {
        let strategy = if self.rng.percent(10) { "IgnoreRaces" } else { "NoRaces" };
        self.loops.push(Loop { name, depth: Depth::Warps, on: Some(("GPUWarp".into(), strategy)) });
    }

    pub(super) fn on_lanes(&mut self, name: String, unit: &str, strategy: &'static str) {
        // Mistakes, now and then.
        let strategy = match self.rng.below(100) {
            0 => "NoRaces",
            1 => "Temporary",
            2 => "Segment",
            3 => "Deterministic",
            _ => strategy,
        };
        self.loops.push(Loop { name, depth: Depth::Lanes, on: Some((unit.into(), strategy)) });
    }

    /// So many of the threads that a block has room for.
    pub(super) fn threads(&mut self, from: &[usize]) -> usize {
        let n = self.rng.pick(from).min(self.room).max(1);
        self.room /= n;
        n
    }

    /// Threads of a group: a power of two, nearly always.
    pub(super) fn group(&mut self) -> usize {
        self.rng.weighted(&[(200, 2), (200, 4), (200, 8), (160, 16), (230, 32), (5, 3), (3, 64), (2, 1)])
    }

    /// The operand's levels in their order, outside everything else; `first` directly inside the first `depth` ones.
    pub(super) fn reorder(&mut self, depth: usize, first: Option<&str>) {
        let mut loops = self.roles.loops.clone();
        for c in &self.commands {
            // What is made stands where what is taken stood.
            if let Some(at) = loops.iter().position(|l| c.taken().contains(&l.as_str())) {
                loops.splice(at..=at, c.made().into_iter().map(String::from));
            }
        }
        let (outer, inner) = self.roles.levels.split_at(depth);
        let mut order = outer.to_vec();
        order.extend(first.map(String::from));
        order.extend(inner.iter().cloned());
        let rest: Vec<String> = loops.iter().filter(|l| !order.contains(l)).cloned().collect();
        order.extend(rest);
        if order != loops {
            self.commands.push(Command::new("reorder", order));
        }
    }

    /// One loop over some levels of the operand, as coordinates or positions.
    pub(super) fn fused(&mut self, levels: Range<usize>, positions: bool) -> String {
        let roles = self.roles;
        let mut at = roles.levels[levels.start].clone();
        for v in &roles.levels[levels.start + 1..levels.end] {
            let made = self.fresh("f");
            self.push("fuse", &[&at, v, &made]);
            at = made;
        }
        if positions {
            let made = self.fresh("p");
            self.push("pos", &[&at, &made, &roles.access]);
            at = made;
        }
        at
    }
}
