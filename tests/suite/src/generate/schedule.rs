//! Random schedules: most commands legal where they stand, some cases with nonsense among them.
//!
//! The compiler is asked what a command leads to, and one that it refuses is drawn again; so schedules get deep. What
//! the scheduled kernel computes is the oracle's to say.

use super::parts::{parts, some_of_many};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::cin::{Cin, Stmt};
use sparse_core::driver::{Options, compile_kernel, schedule_kernel};
use sparse_core::front::ast::{Access, Expr, IndexVar, Kernel};
use sparse_core::front::command::Platform;
use sparse_core::front::{parse_schedule, parse_str};
use sparse_core::schedule;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most commands of a schedule.
const DEPTH: usize = 8;
/// Most commands of one that makes parts of parts.
const TILED_DEPTH: usize = 12;
/// Of a hundred schedules so many are of these.
const TILED: u32 = 15;
/// And of those for GPUs so many precompute more than others do.
const SHARED: u32 = 35;
const COMMANDS: &[(u32, &str)] = &[
    (14, "split"),
    (8, "divide"),
    (14, "fuse"),
    (12, "reorder"),
    (20, "pos"),
    (8, "coord"),
    (16, "precompute"),
    (8, "bound"),
    (5, "unroll"),
    (5, "mergeby"),
];
const TILINGS: &[(u32, &str)] = &[
    (24, "split"),
    (16, "divide"),
    (18, "fuse"),
    (16, "reorder"),
    (6, "pos"),
    (2, "coord"),
    (16, "precompute"),
    (6, "bound"),
    (2, "unroll"),
];
/// The factors of splits and divisions, and those alone once there are this many parts.
const FACTORS: &[(u32, usize)] =
    &[(6, 1), (22, 2), (20, 3), (18, 4), (10, 5), (8, 7), (10, 8), (3, 16), (3, 64)];
const PARTS: usize = 256;
/// A command is drawn so often before the schedule is left as it is.
const TRIES: usize = 14;

/// Gives a case a schedule; false if the compiler refuses the kernel as it is.
pub(super) fn draw(rng: &mut Rng, case: &mut Case) -> bool {
    let Ok(kernel) = parse_str(&case.kernel_text()) else { return false };
    let compiled = quietly(|| compile_kernel(kernel.clone(), &Options::default()));
    // A panic is for the suite to find: the case is run as it is.
    let Some(compiled) = compiled else { return true };
    let (Ok(_), Ok((cin, _))) = (compiled, schedule_kernel(&kernel)) else { return false };
    let tiled = rng.percent(TILED);
    let shared = case.platform == Platform::Cuda && rng.percent(SHARED);
    let mut draft = Draft { case, kernel, base: cin.clone(), cin, commands: vec![], names: 0, tiled, shared };
    let depth = if tiled { DEPTH / 2 + rng.below(TILED_DEPTH - DEPTH / 2) } else { 1 + rng.below(DEPTH) };
    let parallel = match draft.case.platform {
        Platform::Cpu => rng.weighted(&[(40, 0usize), (48, 1), (12, 2)]).min(depth),
        Platform::Cuda => 0,
    };
    let wrong_at = rng.percent(14).then(|| rng.below(depth));
    if rng.percent(14) && depth > 2 {
        draft.fused_positions(rng);
    }
    if draft.case.platform == Platform::Cuda && rng.percent(30) {
        draft.precompute_first(rng);
    }
    let mut wrong = None;
    for at in draft.commands.len()..depth {
        if wrong_at == Some(at) {
            wrong = Some((draft.commands.len(), draft.nonsense(rng)));
        } else if !draft.extend(rng, at + parallel >= depth) {
            break;
        }
    }
    if draft.case.platform == Platform::Cuda && !draft.units(rng) {
        return false;
    }
    let mut commands = draft.commands;
    if let Some((at, command)) = wrong {
        commands.insert(at, command);
    }
    let any = !commands.is_empty();
    case.schedule = commands;
    any
}

/// Adds commands to those that a case has, before its units; for a GPU units too, if it has none. False, and the case stays as
/// it is, if none were found.
pub(super) fn extend(rng: &mut Rng, case: &mut Case) -> bool {
    let before = std::mem::take(&mut case.schedule);
    let kernel = parse_str(&case.kernel_text());
    case.schedule = before.clone();
    let Ok(kernel) = kernel else { return false };
    let Some(Ok((cin, _))) = quietly(|| schedule_kernel(&kernel)) else { return false };
    let (units, commands): (Vec<_>, Vec<_>) = before.into_iter().partition(|c| c.name == "parallelize");
    let (count, names) = (commands.len(), 0);
    let mut draft =
        Draft { case, kernel, base: cin.clone(), cin, commands, names, tiled: false, shared: false };
    if draft.refresh() != Added::Legal {
        return false;
    }
    let (depth, on_gpu) = (1 + rng.below(4), draft.case.platform == Platform::Cuda);
    let parallel = if on_gpu { 0 } else { rng.weighted(&[(30, 0usize), (60, 1), (10, 2)]).min(depth) };
    for at in 0..depth {
        if !draft.extend(rng, at + parallel >= depth) {
            break;
        }
    }
    let any = draft.commands.len() > count;
    let legal = match (on_gpu, units.is_empty()) {
        (true, true) => draft.units(rng),
        _ => {
            draft.commands.extend(units);
            draft.refresh() != Added::Refused
        }
    };
    let commands = draft.commands;
    if any && legal {
        case.schedule = commands;
    }
    any && legal
}

/// What came of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    Legal,
    Refused,
    Panics,
}

/// What a part of the compiler gives; `None` if it panics.
pub(super) fn quietly<T>(f: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(f)).ok()
}

/// A schedule in the making.
pub(super) struct Draft<'a> {
    pub(super) case: &'a Case,
    pub(super) kernel: Kernel,
    /// The loops before all commands, and what those so far made of them.
    base: Cin,
    pub(super) cin: Cin,
    pub(super) commands: Vec<Command>,
    /// Names made so far.
    names: usize,
    /// Mostly parts of parts, in any order, and workspaces over them.
    tiled: bool,
    /// Workspaces over loops that a GPU's units may run.
    shared: bool,
}

impl Draft<'_> {
    /// Adds a command that is legal; false if none was found.
    fn extend(&mut self, rng: &mut Rng, parallel: bool) -> bool {
        for _ in 0..TRIES {
            let command = if parallel { self.parallelize(rng) } else { self.command(rng) };
            match command.map(|c| self.add(c)) {
                Some(Added::Legal) => return true,
                Some(Added::Panics) => return false,
                Some(Added::Refused) | None => {}
            }
        }
        false
    }

    /// Adds a command, unless it is refused.
    pub(super) fn add(&mut self, command: Command) -> Added {
        self.commands.push(command);
        let added = self.refresh();
        // A command that panics stays, for the suite to find it.
        if added == Added::Refused {
            self.commands.pop();
        }
        added
    }

    /// The loops after all commands.
    pub(super) fn refresh(&mut self) -> Added {
        match quietly(|| self.applied()) {
            None => Added::Panics,
            Some(None) => Added::Refused,
            Some(Some(cin)) => {
                self.cin = cin;
                Added::Legal
            }
        }
    }

    /// The positions of all levels of an operand as one loop.
    fn fused_positions(&mut self, rng: &mut Rng) {
        let mut operands: Vec<(Access, Vec<IndexVar>)> = Vec::new();
        self.kernel.assignment.rhs.for_each_access(&mut |a| {
            let spec = &self.kernel.tensors[a.tensor.index()].spec;
            let vars = (0..spec.rank()).map(|l| a.indices[spec.map.dim_of_level(l)]);
            operands.push((a.clone(), vars.collect()));
        });
        operands.retain(|(a, vars)| {
            !self.kernel.tensors[a.tensor.index()].spec.is_dense()
                && vars.len() > 1
                && self.chains().iter().any(|c| vars.iter().all(|v| c.contains(v)))
        });
        let Some((access, vars)) = operands.get(rng.below(operands.len().max(1))).cloned() else { return };
        if !self.chains().iter().any(|c| c.windows(vars.len()).any(|w| w == vars)) {
            let Some(mut chain) = self.chains().into_iter().find(|c| vars.iter().all(|v| c.contains(v)))
            else {
                return;
            };
            chain.retain(|v| !vars.contains(v));
            self.add(self.reorder_to(&[vars.clone(), chain].concat()));
        }
        let mut fused = self.name(vars[0]);
        for v in &vars[1..] {
            let made = self.fresh("f");
            if self.add(Command::new("fuse", [fused, self.name(*v), made.clone()])) != Added::Legal {
                return;
            }
            fused = made;
        }
        let made = self.fresh("p");
        self.add(Command::new("pos", [fused, made, self.text(&Expr::Access(access))]));
    }

    /// The loops after all commands, if they are legal.
    fn applied(&self) -> Option<Cin> {
        let text: String = self.commands.iter().map(|c| format!("{c};")).collect();
        let commands = parse_schedule(&self.kernel, &text).ok()?;
        // Without a loop on its units a GPU's schedule is refused.
        let parallel = self.commands.iter().any(|c| c.name == "parallelize");
        let platform = if parallel { self.case.platform } else { Platform::Cpu };
        Some(schedule::apply_own(&self.kernel, self.base.clone(), &commands, platform).ok()?.cin)
    }

    fn command(&mut self, rng: &mut Rng) -> Option<Command> {
        if rng.percent(if self.tiled { 20 } else { 55 })
            && let Some(next) = self.follow(rng)
        {
            return Some(next);
        }
        let v = self.any_loop(rng)?;
        if self.shared && rng.percent(35) {
            return self.precompute(rng);
        }
        let commands = if self.tiled { TILINGS } else { COMMANDS };
        match rng.weighted(commands) {
            "fuse" => self.fuse(rng),
            "reorder" => self.reorder(rng),
            "pos" => self.pos(rng, v),
            "coord" => {
                let positions: Vec<_> =
                    self.loops().into_iter().filter(|&v| self.cin.provenance.is_position(v)).collect();
                let v = if positions.is_empty() { v } else { rng.pick(&positions) };
                let made = self.fresh("c");
                Some(Command::new("coord", [self.name(v), made]))
            }
            "precompute" => self.precompute(rng),
            "bound" => self.bound(rng, v),
            "unroll" => Some(Command::new("unroll", [self.name(v), rng.pick(&[1, 2, 3, 4, 8]).to_string()])),
            "mergeby" => {
                Some(Command::new("mergeby", [self.name(v), rng.pick(&["TwoFinger", "Gallop"]).into()]))
            }
            name => Some(self.halves(rng, name, v)),
        }
    }

    /// A command of the kind that people write after the last one.
    fn follow(&mut self, rng: &mut Rng) -> Option<Command> {
        let last = self.commands.last()?.clone();
        let var = |draft: &Self, name: &str| draft.cin.provenance.find(name);
        match last.name.as_str() {
            "fuse" => {
                let f = var(self, &last.args[2])?;
                if rng.percent(30)
                    && let Some(pair) = self.pairs().into_iter().find(|p| p.0 == f)
                {
                    let made = self.fresh("f");
                    return Some(Command::new("fuse", [self.name(f), self.name(pair.1), made]));
                }
                self.pos(rng, f)
            }
            "pos" => {
                let p = var(self, &last.args[1])?;
                let outer = self.pairs().into_iter().find(|pair| pair.1 == p);
                match (rng.below(10), outer) {
                    (0..2, Some((outer, _))) => {
                        let made = self.fresh("f");
                        Some(Command::new("fuse", [self.name(outer), self.name(p), made]))
                    }
                    (2..7, _) => Some(self.halves(rng, "split", p)),
                    (7..9, _) => Some(self.halves(rng, "divide", p)),
                    _ => {
                        let made = self.fresh("c");
                        Some(Command::new("coord", [self.name(p), made]))
                    }
                }
            }
            "split" | "divide" => {
                let (outer, inner) = (var(self, &last.args[1])?, var(self, &last.args[2])?);
                match rng.below(10) {
                    0..4 => {
                        let run = self.chains().into_iter().find(|c| c.contains(&inner))?;
                        let mut order = run.clone();
                        order.retain(|v| *v != outer);
                        order.insert(rng.below(order.len() + 1), outer);
                        Some(self.reorder_to(&order))
                    }
                    4..6 => Some(Command::new("unroll", [self.name(inner), last.args[3].clone()])),
                    6..8 => self.precompute(rng),
                    8 => {
                        let made = self.fresh("c");
                        Some(Command::new("coord", [self.name(inner), made]))
                    }
                    _ => Some(self.halves(rng, "split", inner)),
                }
            }
            "bound" => {
                let v = var(self, &last.args[1])?;
                match rng.below(3) {
                    0 => self.pos(rng, v),
                    1 => self.precompute(rng),
                    _ => Some(self.halves(rng, "split", v)),
                }
            }
            _ => None,
        }
    }

    fn parallelize(&mut self, rng: &mut Rng) -> Option<Command> {
        let chains = self.chains();
        let chain = chains.get(rng.below(chains.len().max(1)))?;
        let unit = rng.weighted(&[(66, "CPUThread"), (34, "CPUVector")]);
        let v = match (unit, rng.percent(60)) {
            (_, false) => rng.pick(chain),
            ("CPUThread", true) => *chain.first()?,
            _ => *chain.last()?,
        };
        let strategy = rng.weighted(&[
            (40, "NoRaces"),
            (22, "Atomics"),
            (25, "Temporary"),
            (10, "ParallelReduction"),
            (4, "IgnoreRaces"),
            (1, "Segment"),
        ]);
        Some(Command::new("parallelize", [&self.name(v), unit, strategy]))
    }

    fn halves(&mut self, rng: &mut Rng, command: &str, v: IndexVar) -> Command {
        let base = self.base(v);
        let (mut outer, inner) = (self.fresh(&base), self.fresh(&base));
        // A name that the statement has given a workspace is free: the workspace takes another.
        if let Some(own) = self.cin.workspaces.first()
            && rng.percent(10)
        {
            outer = own.name.clone();
        }
        // Parts past the end run as guards alone: too many of them only cost time.
        let parts = self.commands.iter().filter(|c| ["split", "divide"].contains(&c.name.as_str()));
        let parts: usize = parts.filter_map(|c| c.args.last()?.parse::<usize>().ok()).product();
        let factor = match parts {
            0..PARTS => FACTORS,
            _ => &FACTORS[..3],
        };
        let factor = rng.weighted(factor);
        Command::new(command, [self.name(v), outer, inner, factor.to_string()])
    }

    fn fuse(&mut self, rng: &mut Rng) -> Option<Command> {
        let pairs = self.pairs();
        let &(outer, inner) = pairs.get(rng.below(pairs.len().max(1)))?;
        let made = self.fresh("f");
        Some(Command::new("fuse", [self.name(outer), self.name(inner), made]))
    }

    fn reorder(&mut self, rng: &mut Rng) -> Option<Command> {
        let chains: Vec<_> = self.chains().into_iter().filter(|c| c.len() > 1).collect();
        let chain = chains.get(rng.below(chains.len().max(1)))?;
        let length = 2 + rng.below(chain.len() - 1);
        let start = rng.below(chain.len() - length + 1);
        let mut order = chain[start..start + length].to_vec();
        rng.shuffle(&mut order);
        Some(self.reorder_to(&order))
    }

    fn reorder_to(&self, order: &[IndexVar]) -> Command {
        Command::new("reorder", order.iter().map(|&v| self.name(v)))
    }

    /// The positions of an operand that has all that the variable is made from, if there is one.
    fn pos(&mut self, rng: &mut Rng, v: IndexVar) -> Option<Command> {
        let roots: Vec<_> =
            self.cin.provenance.roots(v).iter().map(|&v| self.cin.provenance.original(v)).collect();
        let mut fit: Vec<Access> = Vec::new();
        let mut all: Vec<Access> = Vec::new();
        self.kernel.assignment.rhs.for_each_access(&mut |a| {
            let sparse = !self.kernel.tensors[a.tensor.index()].spec.is_dense();
            if sparse && roots.iter().all(|r| a.indices.contains(r)) {
                fit.push(a.clone());
            }
            all.push(a.clone());
        });
        let from = if fit.is_empty() || rng.percent(4) { all } else { fit };
        let access = from.get(rng.below(from.len().max(1)))?;
        let text = self.text(&Expr::Access(access.clone()));
        let made = self.fresh("p");
        Some(Command::new("pos", [self.name(v), made, text]))
    }

    fn bound(&mut self, rng: &mut Rng, v: IndexVar) -> Option<Command> {
        let roots = self.cin.provenance.roots(v);
        let root = self.cin.provenance.original(*roots.first()?);
        let name = &self.kernel.vars.get(root.index())?.name;
        let size = self.case.vars.iter().find(|(n, _)| n == name)?.1;
        let divisors: Vec<usize> = (1..=size.max(1)).filter(|n| size % n == 0).collect();
        let (size, kind) = match rng.below(100) {
            0..50 => (size, "MaxExact"),
            50..94 => (rng.pick(&divisors), "Divisible"),
            _ => (size + 1 + rng.below(3), rng.pick(&["MaxExact", "Divisible"])),
        };
        let base = self.base(v);
        let made = self.fresh(&base);
        Some(Command::new("bound", [self.name(v), made, size.to_string(), kind.into()]))
    }

    fn precompute(&mut self, rng: &mut Rng) -> Option<Command> {
        let mut parts = parts(&self.kernel.assignment.rhs);
        if let Some(some) = some_of_many(rng, &self.kernel.assignment.rhs).filter(|_| rng.percent(35)) {
            parts = vec![some];
        }
        let part = parts.get(rng.below(parts.len().max(1)))?;
        let text = self.text(part);
        let mut vars: Vec<IndexVar> = Vec::new();
        part.for_each_access(&mut |a| vars.extend(&a.indices));
        vars.sort_unstable();
        vars.dedup();
        rng.shuffle(&mut vars);
        vars.truncate(rng.weighted(&[(32, 0), (44, 1), (20, 2), (4, 3)]));
        let p = &self.cin.provenance;
        // The variable itself, or a loop that was made from it.
        let whole = if self.shared { 10 } else { 55 };
        let mut vars: Vec<_> =
            vars.into_iter().map(|v| if rng.percent(whole) { v } else { rng.pick(&p.leaves(v)) }).collect();
        // On a GPU rows of a sparse result alone go through sparse workspaces.
        let anywhere = self.case.platform == Platform::Cpu || !self.case.output().spec.is_dense();
        let format = (!vars.is_empty() && anywhere && rng.percent(35))
            .then(|| rng.pick(&["List", "Hash", "Sort", "Dense"]));
        if matches!(format, Some("Hash" | "Sort")) && rng.percent(85) {
            let nest = self.chains().into_iter().max_by_key(Vec::len).unwrap_or_default();
            vars.sort_by_key(|v| p.depth(*v, &nest));
        }
        let vars: Vec<_> = vars.into_iter().map(|v| self.name(v)).collect();
        let renamed: Vec<String> =
            vars.iter().map(|v| if rng.percent(50) { v.clone() } else { self.fresh(&base_of(v)) }).collect();
        let workspace = self.fresh("w");
        let list = |names: &[String]| format!("[{}]", names.join(", "));
        let mut args = vec![text, list(&vars), list(&renamed), workspace];
        args.extend(format.map(String::from));
        Some(Command::new("precompute", args))
    }

    pub(super) fn text(&self, e: &Expr) -> String {
        sparse_core::front::ast::print(&self.kernel, e)
    }

    pub(super) fn name(&self, v: IndexVar) -> String {
        self.cin.provenance.name(v).to_owned()
    }

    /// The letters of a variable's name.
    fn base(&self, v: IndexVar) -> String {
        base_of(self.cin.provenance.name(v))
    }

    pub(super) fn fresh(&mut self, base: &str) -> String {
        self.names += 1;
        format!("{base}{}", self.names)
    }

    fn loops(&self) -> Vec<IndexVar> {
        let mut found: Vec<IndexVar> = self.chains().concat();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A loop; one made by the last command more often than chance.
    pub(super) fn any_loop(&self, rng: &mut Rng) -> Option<IndexVar> {
        let loops = self.loops();
        let recent: Vec<IndexVar> =
            self.cin.provenance.relations().last().map_or(vec![], |r| r.children().to_vec());
        let recent: Vec<_> = recent.into_iter().filter(|v| loops.contains(v)).collect();
        if !recent.is_empty() && rng.percent(30) {
            return Some(rng.pick(&recent));
        }
        (!loops.is_empty()).then(|| rng.pick(&loops))
    }

    /// Loops directly inside one another, outermost first, as long as they go.
    pub(super) fn chains(&self) -> Vec<Vec<IndexVar>> {
        let mut found = Vec::new();
        chains(&self.cin.root, vec![], &mut found);
        found
    }

    fn pairs(&self) -> Vec<(IndexVar, IndexVar)> {
        self.chains().iter().flat_map(|c| c.windows(2).map(|w| (w[0], w[1])).collect::<Vec<_>>()).collect()
    }
}

pub(super) fn chains(s: &Stmt, mut open: Vec<IndexVar>, out: &mut Vec<Vec<IndexVar>>) {
    match s {
        Stmt::Forall { var, body } => {
            open.push(*var);
            chains(body, open, out);
        }
        other => {
            if !open.is_empty() {
                out.push(open);
            }
            if let Stmt::Where { consumer, producer } = other {
                chains(consumer, vec![], out);
                chains(producer, vec![], out);
            }
        }
    }
}

fn base_of(name: &str) -> String {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}
