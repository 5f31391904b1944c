//! The schedule of a kernel that nobody scheduled for a GPU: the first of these that is legal.
//!
//! 1. Sums that several threads share ([`super::sums`]).
//! 2. A result with an operand's pattern: one thread a stored entry, or of the first levels' pattern a fiber's element.
//! 3. A result with several dense variables: one thread an element of the first two; of dense operands, of all.
//! 4. A dense result of rows of a sparse operand, scattered by the entries of another: one thread an entry of that.
//! 5. A result whose first level is sparse, of loops that are all over its own variables: one thread an entry of the operands'
//!    first levels (`lower::gpu::stored_rows`).
//! 6. One thread an iteration of the outermost loop: positions where an operand leads, else coordinates, or windows of
//!    them where operands are merged.
//!
//! A sparse workspace outside of all loops is filled and read by the coordinates of the outermost loops (`lower::gpu::list`).
//!
//! Where threads would write the same element, a group of 32 reduces together, or each update is atomic. Where none of
//! these is legal, one thread does all the work, and `explain` says why; not so of a result that is assembled.

use super::sums;
use crate::cin::assembly::groups;
use crate::cin::grid::{Grid, Team, WARP};
use crate::cin::order::level_vars;
use crate::cin::print;
use crate::cin::provenance::Worth;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Access, Beside, Cin, Stmt};
use crate::diag::Diagnostics;
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Command, CommandKind, Platform, Strategy, Unit};
use crate::front::point::THREADS;
use crate::schedule::plan::Plan;
use crate::schedule::tree::nest;
use crate::schedule::{Scheduled, Step, apply};
use proc_macro2::Span;

/// Coordinates of a window.
const WINDOW: u32 = 32;

/// The legal ones, best first, or why there is none.
///
/// # Errors
/// What stands against the last, simplest one.
pub fn default_cuda(kernel: &Kernel, cin: &Cin) -> Result<Vec<Scheduled>, Diagnostics> {
    if is_scattered_whole(cin) {
        let command = "default: one thread a coordinate of the outermost loop of each nest".into();
        let step = Step { command, cin: print::print(cin, kernel) };
        let scheduled = Scheduled::new(cin.clone(), vec![step]);
        // Coordinates of the outermost loop are a thread's or a team's by what the compiler does with it, not by commands.
        let in_classes = has_rows(kernel, cin).then(|| with_blocks(&scheduled, cin.clone()));
        return Ok(in_classes.into_iter().chain([scheduled]).collect());
    }
    let cin = &sums_inside(kernel, cin);
    let mut found: Vec<Scheduled> = stored_rows(kernel, cin).into_iter().collect();
    let mut refused = Diagnostics::new();
    for shape in shapes(kernel, cin) {
        for strategies in shape.units {
            match schedule(kernel, cin, &shape, on(kernel, *strategies)) {
                Ok(scheduled) => {
                    found.extend(by_classes(kernel, cin, &scheduled));
                    found.push(scheduled);
                    // A group may have to wait where its lanes are not together: then each updates for itself.
                    if !matches!(strategies.0, Unit::GpuGroup(_)) {
                        break;
                    }
                }
                Err(d) => refused = d,
            }
        }
    }
    let assembled = result_kind(kernel, cin) == ResultKind::Append;
    if assembled && !found.is_empty() {
        return Ok(found);
    }
    if assembled {
        // What stands against a schedule without a parallel loop, where there is no loop to make parallel.
        if refused.is_empty() {
            return apply(kernel, cin.clone(), &[], Platform::Cuda).map(|scheduled| vec![scheduled]);
        }
        return Err(refused);
    }
    let why = match refused.iter().next() {
        _ if !found.is_empty() => "no loop of the statement can be shared by threads".into(),
        None => "there is no loop around the statement".into(),
        Some(d) => d.message.clone(),
    };
    let step = Step { command: format!("default: one thread: {why}"), cin: print::print(cin, kernel) };
    let warnings = vec![format!("on a GPU one thread does all the work: {why}")];
    found.push(Scheduled { warnings, ..Scheduled::new(cin.clone(), vec![step]) });
    Ok(found)
}

/// With the loops over the dense blocks of an assembled result outside of its sums, where that is legal: a thread has one element
/// after another in a register, and would else load and store them for each term.
fn sums_inside(kernel: &Kernel, cin: &Cin) -> Cin {
    let lhs = &kernel.assignment.lhs;
    let spec = &kernel.tensors[lhs.tensor.index()].spec;
    let vars: Vec<_> = (0..spec.rank()).map(|l| lhs.indices[spec.map.dim_of_level(l)]).collect();
    let (appended, block) = vars.split_at(vars.len() - spec.block_levels());
    let inside: Vec<IndexVar> = nest(&cin.root).into_iter().filter(|v| !appended.contains(v)).collect();
    let (first, then): (Vec<_>, Vec<_>) = inside.iter().partition(|v| block.contains(v));
    let ordered = [first, then].concat();
    if ordered == inside || result_kind(kernel, cin) != ResultKind::Append {
        return cin.clone();
    }
    let mut plan = plan(kernel);
    let names: Vec<String> = ordered.iter().map(|v| cin.provenance.name(*v).to_owned()).collect();
    plan.reorder(&[&names]);
    // No loop is a GPU's unit's yet, and an assembled result has to have some there.
    apply(kernel, cin.clone(), &plan.finish(), Platform::Cpu).map_or_else(|_| cin.clone(), |s| s.cin)
}

/// Does a sparse workspace stand outside of all loops? Its producer's loops and its consumer's are launches of their own.
fn is_scattered_whole(cin: &Cin) -> bool {
    cin.outside().any(|(_, w)| w.format.is_sparse())
}

/// Do rows of the result go through sparse workspaces inside of the loop over them, which teams may share?
fn has_rows(kernel: &Kernel, cin: &Cin) -> bool {
    let mut at = &cin.root;
    while let Stmt::Where { consumer, .. } = at {
        at = consumer;
    }
    let Stmt::Forall { var, body } = at else { return false };
    let (mut filled, mut at) = (vec![], vec![&**body]);
    while let Some(stmt) = at.pop() {
        match stmt {
            Stmt::Forall { body, .. } => at.push(body),
            Stmt::Where { consumer, producer } => {
                filled.extend(producer.fills().map(|w| &cin.workspaces[w.index()]));
                at.extend([&**consumer, &**producer]);
            }
            Stmt::Assign { .. } => {}
        }
    }
    filled.retain(|w| w.format.is_sparse());
    // A table is claimed by one coordinate.
    is_row(kernel, *var) && !filled.is_empty() && filled.iter().all(|w| w.vars.len() == 1)
}

/// Loops as they are, the outermost over the coordinates of the result's first level, which is sparse. There is no command for what
/// threads have of these: coordinates that one of several operands stores.
fn stored_rows(kernel: &Kernel, cin: &Cin) -> Option<Scheduled> {
    let lhs = &kernel.assignment.lhs;
    let (out, nest) = (&kernel.tensors[lhs.tensor.index()].spec, nest(&cin.root));
    let is_assembled = result_kind(kernel, cin) == ResultKind::Append;
    let first = groups(out).filter(|g| is_assembled && g.prefix.is_empty())?.prefix.start;
    let is_its_own = |v: &IndexVar| lhs.indices.contains(v);
    let by_rows = nest.first() == Some(&lhs.indices[out.map.dim_of_level(first)]);
    if !by_rows || nest.len() < 2 || !nest.iter().all(is_its_own) || !cin.workspaces.is_empty() {
        return None;
    }
    let command = "default: one thread a coordinate that operands store".into();
    let steps = vec![Step { command, cin: print::print(cin, kernel) }];
    Some(Scheduled::new(cin.clone(), steps))
}

/// Is the result's first level, which is dense and the only such one, over the variable?
fn is_row(kernel: &Kernel, var: IndexVar) -> bool {
    let lhs = &kernel.assignment.lhs;
    let out = &kernel.tensors[lhs.tensor.index()].spec;
    groups(out).is_some_and(|g| g.prefix == (0..1)) && lhs.indices[out.map.dim_of_level(0)] == var
}

/// The same where rows go through sparse workspaces, for those that scatter few elements only: the others are a block's.
fn by_classes(kernel: &Kernel, cin: &Cin, rows: &Scheduled) -> Option<Scheduled> {
    let Stmt::Forall { var, .. } = cin.root else { return None };
    // One thread has a coordinate of the same loop.
    let (p, own) = (&rows.cin.provenance, rows.cin.provenance.leaves(var));
    let split = own.iter().all(|v| matches!(p.tag(*v).parallel, Some((Unit::GpuBlock | Unit::GpuThread, _))));
    if !is_row(kernel, var) || !split || own.iter().any(|v| p.is_position(*v)) {
        return None;
    }
    let mut plan = plan(kernel);
    plan.parallelize(cin.provenance.name(var), Unit::GpuBlock, Strategy::NoRaces);
    let on_blocks = apply(kernel, cin.clone(), &plan.finish(), Platform::Cuda).ok()?;
    let team = Grid::of(&on_blocks.cin).team;
    (team == Some(Team::Block)).then(|| with_blocks(rows, on_blocks.cin))
}

/// The same, and a program by which blocks have the rows that scatter much.
fn with_blocks(rows: &Scheduled, on_blocks: Cin) -> Scheduled {
    Scheduled { beside: Beside::OnBlocks(Box::new(on_blocks)), ..rows.clone() }
}

/// How the loop over threads runs, best first.
pub(super) const UNITS: &[(Unit, Strategy)] = &[
    (Unit::GpuThread, Strategy::NoRaces),
    (Unit::GpuGroup(WARP), Strategy::ParallelReduction),
    (Unit::GpuThread, Strategy::Atomics),
];

/// Where iterations that threads have side by side write the same elements.
const ATOMIC: &[(Unit, Strategy)] = &[(Unit::GpuThread, Strategy::Atomics)];

pub(super) fn plan(kernel: &Kernel) -> Plan<'_> {
    Plan::new(kernel, Span::call_site())
}

fn on(kernel: &Kernel, (unit, strategy): (Unit, Strategy)) -> Vec<Command> {
    let mut plan = plan(kernel);
    plan.parallelize(&plan.name("block"), Unit::GpuBlock, Strategy::NoRaces);
    plan.parallelize(&plan.name("thread"), unit, strategy);
    plan.finish()
}

fn schedule(
    kernel: &Kernel,
    cin: &Cin,
    shape: &Shape,
    units: Vec<Command>,
) -> Result<Scheduled, Diagnostics> {
    let commands = [&shape.commands[..], &units].concat();
    let mut scheduled = apply(kernel, cin.clone(), &commands, Platform::Cuda)?;
    if let Some((name, worth)) = &shape.worth {
        let p = &mut scheduled.cin.provenance;
        if let Some(parts) = p.find(name) {
            p.tag_mut(parts).worth = Some(*worth);
        }
        // Each command is a step.
        for (command, step) in commands.iter().zip(&mut scheduled.steps) {
            if matches!(&command.kind, CommandKind::Divide { outer, .. } if outer.text == *name) {
                step.command += ", or fewer parts: a few terms a thread each at least";
            }
        }
    }
    let before = Step { command: "default".into(), cin: print::print(cin, kernel) };
    scheduled.steps.insert(0, before);
    Ok(scheduled)
}

/// Commands that leave loops over `block` and `thread`.
pub(super) struct Shape {
    pub(super) commands: Vec<Command>,
    /// The loop over parts of a `divide` that are as many as they are worth.
    pub(super) worth: Option<(String, Worth)>,
    /// How `thread` may run, best first.
    pub(super) units: &'static [(Unit, Strategy)],
}

/// All loops over an operand's levels become one over its positions, whose name is given; if there are some.
pub(super) fn positions(
    cin: &Cin,
    nest: &[IndexVar],
    a: &Access,
) -> Option<impl Fn(&mut Plan<'_>) -> String + use<>> {
    let levels = names(cin, nest.iter().filter(|v| a.indices.contains(v)));
    let a = a.clone();
    (!levels.is_empty()).then_some(move |plan: &mut Plan<'_>| {
        let fused = plan.fuse(&levels, "fused");
        plan.pos(&fused, "position", &a)
    })
}

/// Loops over the operand's levels that the result shares become one over their positions, and one with those over the elements
/// that a position has: these are neighbours, and so are their threads.
fn fibers(
    kernel: &Kernel,
    cin: &Cin,
    nest: &[IndexVar],
    (of, levels): (&Access, usize),
) -> Option<impl Fn(&mut Plan<'_>) -> String + use<>> {
    let lhs = &kernel.assignment.lhs;
    let written = level_vars(
        &kernel.tensors[lhs.tensor.index()].spec,
        &Access { tensor: lhs.tensor, indices: lhs.indices.clone() },
    );
    let within = |vars: &[IndexVar]| names(cin, vars.iter().filter(|v| nest.contains(v)));
    let (shared, dense) = (within(&written[..levels]), within(&written[levels..]));
    let rest = names(cin, nest.iter().filter(|v| !written.contains(v)));
    let (order, is) = ([&shared[..], &dense, &rest].concat(), names(cin, nest.iter()));
    let of = of.clone();
    (!shared.is_empty()).then_some(move |plan: &mut Plan<'_>| {
        if order != is {
            plan.reorder(&[&order]);
        }
        let fused = plan.fuse(&shared, "fused");
        let position = plan.pos(&fused, "position", &of);
        plan.fuse(&[&[position], &dense[..]].concat(), "element")
    })
}

fn names<'a>(cin: &Cin, vars: impl Iterator<Item = &'a IndexVar>) -> Vec<String> {
    vars.map(|v| cin.provenance.name(*v).to_owned()).collect()
}

/// What the statement reads.
pub(super) fn accesses(kernel: &Kernel) -> Vec<Access> {
    let mut all = Vec::new();
    kernel.assignment.rhs.for_each_access(&mut |a| {
        all.push(Access { tensor: a.tensor, indices: a.indices.clone() });
    });
    all
}

/// The result's variables whose loops become one: the first two; of dense operands, whose loops may have any order, all, so that
/// neighbouring threads have neighbouring elements.
fn elements(kernel: &Kernel, nest: &[IndexVar]) -> Vec<IndexVar> {
    let lhs = &kernel.assignment.lhs;
    let mut out: Vec<IndexVar> = nest.iter().copied().filter(|v| lhs.indices.contains(v)).collect();
    let spec = |tensor: TensorId| &kernel.tensors[tensor.index()].spec;
    if accesses(kernel).iter().all(|a| spec(a.tensor).is_dense()) {
        let levels =
            level_vars(spec(lhs.tensor), &Access { tensor: lhs.tensor, indices: lhs.indices.clone() });
        out.sort_by_key(|v| levels.iter().rposition(|level| level == v));
    } else {
        out.truncate(2);
    }
    out
}

/// Is each entry of the operand a factor of a row of another sparse one, all of whose terms a dense result's row sums? A dense result has
/// few rows, and one of them may have most of the entries.
fn scatters_rows(kernel: &Kernel, nest: &[IndexVar], a: &Access) -> bool {
    let lhs = &kernel.assignment.lhs;
    let spec = |a: &Access| &kernel.tensors[a.tensor.index()].spec;
    let levels = level_vars(spec(a), a);
    let Some(inside) = nest.strip_prefix(&levels[..]) else { return false };
    let is_summed = levels.len() > 1 && levels.iter().any(|v| !lhs.indices.contains(v));
    let is_sparse = |b: &Access| {
        let mut over = level_vars(spec(b), b).into_iter().zip(&spec(b).levels);
        over.any(|(v, level)| inside.contains(&v) && !level.is_full())
    };
    let dense = kernel.tensors[lhs.tensor.index()].spec.is_dense();
    dense && is_summed && !spec(a).is_dense() && accesses(kernel).iter().any(is_sparse)
}

/// Ways to share the loops, best first.
fn shapes(kernel: &Kernel, cin: &Cin) -> Vec<Shape> {
    let name = |v: &IndexVar| cin.provenance.name(*v).to_owned();
    let nest = nest(&cin.root);
    let shape = |write: &dyn Fn(&mut Plan<'_>) -> String| {
        let mut plan = plan(kernel);
        let var = write(&mut plan);
        plan.split(&var, "block", "thread", THREADS);
        Shape { commands: plan.finish(), worth: None, units: UNITS }
    };
    let mut shapes = sums::shapes(kernel, cin);
    if let ResultKind::Like { of, levels } = result_kind(kernel, cin) {
        shapes.extend(fibers(kernel, cin, &nest, (&of, levels)).map(|fibers| shape(&fibers)));
    }
    let elements = elements(kernel, &nest);
    if elements.len() > 1 {
        let rest = nest.iter().filter(|v| !elements.contains(v));
        let order: Vec<_> = elements.iter().chain(rest).map(name).collect();
        shapes.push(shape(&|plan| {
            if !nest.starts_with(&elements) {
                plan.reorder(&[&order]);
            }
            plan.fuse(&order[..elements.len()], "fused")
        }));
    }
    for a in accesses(kernel).iter().filter(|a| scatters_rows(kernel, &nest, a)) {
        shapes.extend(positions(cin, &nest, a).map(|positions| Shape { units: ATOMIC, ..shape(&positions) }));
    }
    if let Some(first) = nest.first() {
        let leads = |a: &&Access| {
            a.indices.contains(first) && !kernel.tensors[a.tensor.index()].spec.levels[0].is_full()
        };
        for a in accesses(kernel).iter().filter(leads) {
            shapes.push(shape(&|plan| plan.pos(&name(first), "position", a)));
        }
        shapes.push(shape(&|_| name(first)));
        // Each thread merges what operands store in a window of its own.
        shapes.push(shape(&|plan| plan.split(&name(first), "part", "window", WINDOW).0));
    }
    shapes
}
