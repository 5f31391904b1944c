//! What the cases of a suite do, in words that are counted, and what some of those that pass must have done.

mod combined;
mod launched;
mod notation;
mod sparse;

pub use self::launched::{launched, teams};
use crate::case::{Case, Operand};
use crate::command::{Command, breaks_promise, features};
use crate::differential::Suite;
use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::ast::{AssignOp, Expr, IndexVar, Mode};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a case does, its programs included, of which that is known.
pub fn reached(case: &Case, programs: Vec<String>) -> Vec<String> {
    if breaks_promise(&case.schedule, &case.vars) {
        return vec!["a broken promise".into()];
    }
    let mut did = features(&case.schedule);
    did.extend(programs);
    did.extend(case.about.iter().cloned());
    did.extend(combined::combined(case));
    if !case.schedule.is_empty() && !case.output().spec.is_dense() {
        did.push("a sparse result".into());
    }
    if precomputes_apart(case) {
        did.push("precompute of operands that stand apart".into());
    }
    if case.vars.iter().any(|(name, _)| name.len() > 1) {
        did.push("names of something else".into());
    }
    if broadcasts(case) {
        did.push("a variable of the result alone".into());
    }
    if case.platform == Platform::Cuda {
        units(case, &mut did);
    }
    if case.platform == Platform::Cpu {
        if case.schedule.is_empty() {
            did.extend(notation::consists_of(case));
        } else {
            took_effect(case, &mut did);
        }
    }
    if case.platform == Platform::Cuda || case.schedule.is_empty() || !case.output().spec.is_dense() {
        data(case, &mut did);
    }
    did.sort();
    did.dedup();
    did
}

/// Is something precomputed that is not written so in the statement: some of many factors or terms?
fn precomputes_apart(case: &Case) -> bool {
    let precomputed =
        || case.schedule.iter().filter(|c| c.name == "precompute").filter_map(|c| c.args.first());
    if precomputed().next().is_none() {
        return false;
    }
    let statement = Case { schedule: vec![], ..case.clone() }.kernel_text();
    precomputed().any(|e| !statement.contains(e.as_str()))
}

/// Has the result a variable that no operand has?
fn broadcasts(case: &Case) -> bool {
    let has =
        |v: &IndexVar| case.assignment.rhs.any(|e| matches!(e, Expr::Access(a) if a.indices.contains(v)));
    !case.assignment.lhs.indices.iter().all(has)
}

/// Which tags of loops changed the program, found by leaving them out; and what of the statement commands were for.
fn took_effect(case: &Case, did: &mut Vec<String>) {
    let program = |schedule: Vec<Command>| {
        let case = Case { schedule, ..case.clone() };
        let compiled = parse_str(&case.kernel_text()).ok().and_then(|kernel| {
            catch_unwind(AssertUnwindSafe(|| compile_kernel(kernel, &Options::default()))).ok()?.ok()
        })?;
        let races = !compiled.program.program().ignored_races.is_empty();
        Some((compiled.program_text(), races))
    };
    // Compilation takes time: of what is frequent a part is asked.
    let asked = case.vars.iter().map(|v| v.1).sum::<usize>().is_multiple_of(8);
    let said = |c: &Command| match (c.name.as_str(), &c.args[..]) {
        ("unroll", [_, times]) if times != "1" && asked => Some("unroll of a loop that is there"),
        ("mergeby", [_, by]) if by == "Gallop" => Some("Gallop where operands merge"),
        ("parallelize", [_, unit, _]) if unit == "CPUVector" && asked => Some("CPUVector where lanes are"),
        ("parallelize", [.., strategy]) if strategy == "IgnoreRaces" => Some("a race that is ignored"),
        _ => None,
    };
    for (at, c) in case.schedule.iter().enumerate() {
        let Some(what) = said(c) else { continue };
        let mut without = case.schedule.clone();
        without.remove(at);
        if let (Some(with), Some(without)) = (program(case.schedule.clone()), program(without))
            && with != without
            && (with.1 || what != "a race that is ignored")
        {
            did.push(what.to_owned());
        }
    }
    let walked = |name: &str| {
        let mut sparse = Vec::new();
        case.assignment.rhs.for_each_access(&mut |a| {
            let spec = &case.tensors[a.tensor.index()].spec;
            let stored = |d: usize| !spec.levels[spec.map.level_of_dim(d)].is_full();
            let along = |(d, v): (usize, &IndexVar)| case.vars[v.index()].0 == name && stored(d);
            if a.indices.iter().enumerate().any(along) && !sparse.contains(&(a.tensor, &a.indices)) {
                sparse.push((a.tensor, &a.indices));
            }
        });
        sparse.len()
    };
    if !case.schedule.iter().any(|c| c.name == "pos")
        && case.schedule.iter().any(|c| c.name == "split" && c.args.first().is_some_and(|v| walked(v) > 1))
    {
        did.push("split of a co-iterated dimension".into());
    }
}

/// How a schedule uses a GPU's units, and for what.
fn units(case: &Case, did: &mut Vec<String>) {
    if case.schedule.is_empty() {
        did.push("the default schedule".into());
    }
    let op = match case.assignment.op {
        AssignOp::Assign => "+",
        AssignOp::Reduce(m) => m.symbol(),
    };
    let mut blocks = 0;
    for c in case.schedule.iter().filter(|c| c.name == "parallelize") {
        let [_, unit, strategy] = &c.args[..] else { continue };
        blocks += usize::from(unit == "GPUBlock");
        let reduces = ["Atomics", "ParallelReduction", "ReduceScatter", "Segment", "Deterministic"]
            .contains(&strategy.as_str());
        if reduces {
            did.push(format!("{strategy} by {op}"));
            did.push(format!("{strategy} of {}", case.dtype));
            if case.output().mode == Mode::InOut {
                did.push(format!("{strategy} in place"));
            }
        }
    }
    if !case.schedule.is_empty() {
        did.push(format!("{blocks} loops on blocks"));
    }
}

/// What is special about the tensors.
fn data(case: &Case, did: &mut Vec<String>) {
    let mut say = |what: &str| did.push(what.to_owned());
    if case.vars.iter().any(|v| v.1 == 0) {
        say("a dimension of 0");
    }
    for t in case.tensors.iter().filter(|t| t.mode == Mode::Input) {
        if t.entries.iter().any(|e| !e.1.to_f64().is_finite()) {
            say("infinities or NaN");
        }
        if t.spec.is_dense() {
            continue;
        }
        match t.entries.len() {
            0 => say("no entries"),
            1 => say("one entry"),
            _ => rows(t, &mut say),
        }
        if t.bare_fibers().next().is_some() {
            say("fibers without entries");
        }
        if t.entries.iter().any(|e| e.1.is_zero()) {
            say("explicit zeros");
        }
        let mut seen: Vec<_> = t.entries.iter().map(|e| &e.0).collect();
        seen.sort();
        if seen.windows(2).any(|w| w[0] == w[1]) {
            say("duplicates");
        }
    }
    did.sort();
    did.dedup();
}

/// How entries lie in the first level's rows.
fn rows(t: &Operand, say: &mut impl FnMut(&str)) {
    if t.spec.rank() < 2 {
        return;
    }
    let dim = t.spec.map.dim_of_level(0);
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (c, _) in &t.entries {
        *counts.entry(c[dim]).or_default() += 1;
    }
    if counts.len() < t.dims[dim] {
        say("empty rows");
    }
    let most = counts.values().max().copied().unwrap_or(0);
    if t.dims[dim] > 2 && most > 8 && 2 * most > t.entries.len() {
        say("one huge row");
    }
}

/// What some case that passes must have done.
pub fn wanted(suite: Suite) -> Vec<String> {
    let alone = match suite {
        Suite::Notation => notation::NOTATION,
        Suite::Schedules => SCHEDULES,
        Suite::Gpu => GPU,
        Suite::Sparse => sparse::SPARSE,
    };
    alone.iter().map(|what| what.to_string()).chain(combined::wanted(suite)).collect()
}

/// What schedules for CPUs must have done.
const SCHEDULES: &[&str] = &[
    "split",
    "divide",
    "fuse",
    "reorder",
    "pos",
    "coord",
    "precompute",
    "bound",
    "unroll",
    "mergeby",
    "parallelize",
    "split of positions",
    "divide of positions",
    "split of a split",
    "fuse over a pos",
    "fuse of a split",
    "pos of fused",
    "pos of fused over three levels",
    "pos of bounded",
    "bound MaxExact",
    "bound Divisible",
    "mergeby TwoFinger",
    "mergeby Gallop",
    "unroll of a whole loop",
    "precompute into 0 dimensions",
    "precompute into 1 dimensions",
    "precompute into 2 dimensions",
    "precompute under new names",
    "precompute over a derived variable",
    "parallelize CPUThread NoRaces",
    "parallelize CPUThread Atomics",
    "parallelize CPUThread Temporary",
    "parallelize CPUThread IgnoreRaces",
    "parallelize CPUVector NoRaces",
    "parallelize CPUVector ParallelReduction",
    "unroll of a loop that is there",
    "Gallop where operands merge",
    "CPUVector where lanes are",
    "a race that is ignored",
    "split of a co-iterated dimension",
    "8 commands",
    "a broken promise",
    "names of something else",
    "a sparse result",
    "a variable of the result alone",
    "precompute of operands that stand apart",
    "the first levels of an operand",
];

/// What kernels for GPUs must have done.
const GPU: &[&str] = &[
    "point <x row, c col>, 1",
    "point <1/g row, c col>, r",
    "point <1 nnz, c col>, r",
    "point <g nnz, c col>, 1",
    "point <g nnz, c col>, r",
    "columns in a lane",
    "columns in serial tiles",
    "columns on a second block variable",
    "columns folded into the rows",
    "columns on warps",
    "columns on lanes",
    "columns inside the lanes",
    "columns outside the lanes",
    "point: SpMV",
    "point: SpMM",
    "point: SDDMM",
    "point: MTTKRP of order 3",
    "point: MTTKRP of order 4",
    "point: TTV",
    "point: TTM",
    "point: a scalar",
    "point: rows of equal elements",
    "point: several sparse operands",
    "point: SpMV of blocks",
    "point: SpMM of blocks",
    "point: SDDMM of blocks",
    "point: several columns",
    "point: SpMM in a batch",
    "point: SpMM and a sum",
    "point: another statement",
    "point: functions of operands",
    "point: the first levels of an operand",
    "atomic: the first levels of an operand",
    "default: the first levels of an operand",
    "atomic: functions of operands",
    "tile: functions of operands",
    "atomic: SpMV",
    "atomic: SpMM",
    "atomic: SDDMM",
    "atomic: MTTKRP of order 3",
    "atomic: TTV",
    "atomic: TTM",
    "atomic: SpMV of blocks",
    "atomic: SpMM of blocks",
    "atomic: several columns",
    "atomic: SpMM in a batch",
    "atomic(<1 nnz>, 1)",
    "atomic(<1 nnz>, r)",
    "atomic(<g nnz>, 1)",
    "atomic(<g nnz>, r)",
    "atomic(<x row>, 1)",
    "atomic(<1/g row>, r)",
    "atomic(…, scatter)",
    "atomic(…, rows = n)",
    "atomic(…, deterministic)",
    "atomic(…, shared = n)",
    "tile: SpMV",
    "tile: SpMM",
    "tile: MTTKRP of order 3",
    "tile: TTM",
    "a tile loaded by lanes",
    "a tile loaded by warps and lanes",
    "a tile loaded by one thread",
    "chunks: SpMM",
    "chunks: MTTKRP of order 3",
    "chunks: TTM",
    "chunks of entries beside columns, summed ones",
    "chunks of entries beside columns, the result's",
    "a vector is loaded",
    "coordinates that stand together are a vector",
    "a vector is stored",
    "a vector is added to what others add to",
    "a vector is combined with what others combine with",
    "random: SpMM",
    "default: SpMM",
    "default: SDDMM",
    "default: MTTKRP of order 3",
    "default: a scalar",
    "scattered whole on a GPU",
    "rows on teams, other commands inside",
    "units beside a Hash",
    "rows of groups of 2",
    "rows of groups of 4",
    "rows of groups of 8",
    "rows of groups of 16",
    "long rows merged by groups",
    "long rows merged by warps",
    "long rows merged by blocks",
    "teams' tables in shared memory",
    "teams' tables on the device",
    "threads' tables in shared memory",
    "entries abreast, tables in shared memory",
    "entries abreast under a mask",
    "entries abreast, tables on the device",
    "tables in order by marks",
    "parts of a sum by default",
    "rows of dense operands on lanes by default",
    "an array filled before, by default",
    "an array filled before, scheduled",
    "several launches before, by default",
    "several launches before, scheduled",
    "a sum added to the result, by default",
    "a sum added to the result, scheduled",
    "what is filled before by atomic updates, by default",
    "what is filled before by atomic updates, scheduled",
    "rows in pieces, tables in shared memory",
    "rows in pieces, tables on the device",
    "buckets of groups of 2",
    "buckets of groups of 4",
    "buckets of groups of 8",
    "buckets of groups of 16",
    "the default schedule",
    "entries in turns",
    "entries of 1 of 1 levels",
    "entries of 2 of 2 levels",
    "entries of 1 of 2 levels",
    "entries of 2 of 3 levels",
    "entries of 3 of 3 levels",
    "entries of 4 of 4 levels",
    "0 loops on blocks",
    "1 loops on blocks",
    "2 loops on blocks",
    "3 loops on blocks",
    "parallelize GPUWarp NoRaces",
    "parallelize GPUVector NoRaces",
    "atomic vector",
    "parallelize GPUThread NoRaces",
    "parallelize GPUThread Atomics",
    "parallelize GPUGroup(2) ParallelReduction",
    "parallelize GPUGroup(4) ParallelReduction",
    "parallelize GPUGroup(8) ParallelReduction",
    "parallelize GPUGroup(16) ParallelReduction",
    "parallelize GPUGroup(32) ParallelReduction",
    "parallelize GPUGroup(2) ReduceScatter",
    "parallelize GPUGroup(4) ReduceScatter",
    "parallelize GPUGroup(8) ReduceScatter",
    "parallelize GPUGroup(16) ReduceScatter",
    "parallelize GPUGroup(32) ReduceScatter",
    "parallelize GPUGroup(2) Segment",
    "parallelize GPUGroup(4) Segment",
    "parallelize GPUGroup(8) Segment",
    "parallelize GPUGroup(16) Segment",
    "parallelize GPUGroup(32) Segment",
    "parallelize GPUGroup(2) Deterministic",
    "parallelize GPUGroup(4) Deterministic",
    "parallelize GPUGroup(8) Deterministic",
    "parallelize GPUGroup(16) Deterministic",
    "parallelize GPUGroup(32) Deterministic",
    "Atomics by +",
    "Atomics by min",
    "Atomics by max",
    "Atomics by *",
    "Atomics by |",
    "Atomics by &",
    "ParallelReduction by +",
    "ParallelReduction by min",
    "ParallelReduction by max",
    "ParallelReduction by *",
    "ParallelReduction by |",
    "ParallelReduction by &",
    "ReduceScatter by +",
    "ReduceScatter by min",
    "ReduceScatter by max",
    "ReduceScatter by |",
    "Segment by +",
    "Segment by min",
    "Segment by max",
    "Segment by *",
    "Segment by |",
    "Segment by &",
    "Deterministic by +",
    "Deterministic by min",
    "Deterministic by max",
    "Deterministic by *",
    "Deterministic by |",
    "Deterministic by &",
    "Atomics of f32",
    "Atomics of f64",
    "Atomics of i32",
    "Atomics of i64",
    "Atomics of u8",
    "Atomics of bool",
    "Segment of f32",
    "Segment of f64",
    "Segment of i32",
    "Segment of i64",
    "Segment of u8",
    "Segment of bool",
    "Deterministic of f32",
    "Deterministic of f64",
    "Deterministic of i32",
    "Deterministic of i64",
    "Deterministic of u8",
    "Deterministic of bool",
    "ParallelReduction of f32",
    "ParallelReduction of f64",
    "ParallelReduction of i32",
    "ParallelReduction of i64",
    "ParallelReduction of u8",
    "ParallelReduction of bool",
    "ReduceScatter of f32",
    "ReduceScatter of f64",
    "ReduceScatter of i32",
    "ReduceScatter of i64",
    "ReduceScatter of u8",
    "ReduceScatter of bool",
    "ReduceScatter in place",
    "Atomics in place",
    "ParallelReduction in place",
    "Segment in place",
    "Deterministic in place",
    "precompute",
    "unroll",
    "mergeby",
    "divide",
    "a broken promise",
    "a sparse result",
    "a dimension of 0",
    "no entries",
    "one entry",
    "empty rows",
    "one huge row",
    "fewer rows than a block",
    "explicit zeros",
    "fibers without entries",
    "names of something else",
    "precompute over a derived variable",
    "infinities or NaN",
    "a variable of the result alone",
    "rows on teams, fused",
    "rows on teams, by a promise",
    "coordinates far apart on a GPU",
];
