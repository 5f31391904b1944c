//! The schedule of a kernel that nobody scheduled: for a GPU in [`cuda`], for the CPU here.
//!
//! The outermost loop runs on several threads if `parallelize(i, CPUThread, NoRaces)` is legal: its iterations write
//! rows of their own. Where operands are merged to find them, the loop is divided first, and threads take parts of its
//! coordinates. Nothing is written twice and nothing is combined, so that the result is the same bytes on any number of
//! threads. So is a result without variables, of which each part has a copy: both are as many on any number of threads.
//! Whether there is enough work to wake a thread is decided at the call.

mod cuda;
mod outermost;
mod sums;

use super::plan::Plan;
use super::{Scheduled, Step, apply};
use crate::cin::cost::has_mask;
use crate::cin::provenance::Worth;
use crate::cin::{Cin, Workspace, WorkspaceFormat, print};
use crate::diag::Diagnostics;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Command, CommandKind, Name, Platform, Strategy, Unit};
use crate::work::{READ, WARM_LOG2, WORTH_LOG2};
pub use cuda::default_cuda;
use outermost::outermost;
use sums::Made;

/// Parts of a loop that merges, or that sums into one element: eight for each of eight threads.
const PARTS: u32 = 64;

/// The rule of `rt::threads` in words.
fn stays() -> String {
    format!(
        "one thread runs it if its operations are fewer than 2^{WORTH_LOG2} (2^{WARM_LOG2} inside the pool right after another call, unless the result grows), or as many in vectors as take that time, if it has one iteration, or if the pool has one thread"
    )
}

/// The scheduled program, and by what rule: the command, or why it is not legal.
pub fn default(kernel: &Kernel, mut cin: Cin) -> Scheduled {
    fill_in_parts(&mut cin);
    let serial = |cin: Cin, reason: &str| {
        // What threads make of these the lowering knows: it is among the bounds.
        let gathered = cin.workspaces.iter().any(|w| w.in_parts);
        let what = if gathered { "serial but for what is gathered before" } else { "serial" };
        let step = Step { command: format!("default: {what}: {reason}"), cin: print::print(&cin, kernel) };
        Scheduled::new(cin, vec![step])
    };
    let Some(var) = outermost(&cin) else {
        return serial(cin, "no loop stands around the whole statement");
    };
    let command = parallelize(kernel, cin.provenance.name(var));
    match apply(kernel, cin.clone(), std::slice::from_ref(&command), Platform::Cpu) {
        Ok(mut scheduled) => {
            for step in &mut scheduled.steps {
                step.command = format!("default: {}: {}", command.source, stays());
            }
            scheduled
        }
        Err(refused) => {
            let merges = refused.iter().any(|d| d.code == "parallel-coiteration");
            let scheduled = match kernel.assignment.lhs.indices[..] {
                [] => total(kernel, &cin, var),
                _ if merges => in_parts(kernel, &cin, &whole(&cin, var), Strategy::NoRaces),
                _ => Err(first(&refused)),
            };
            scheduled.unwrap_or_else(|reason| serial(cin, &reason))
        }
    }
}

/// The first rule that commands broke.
fn first(refused: &Diagnostics) -> String {
    refused.iter().next().map_or(String::new(), |d| d.message.clone())
}

/// The loop over a variable, as it is.
fn whole(cin: &Cin, var: IndexVar) -> Made<'static> {
    let name = cin.provenance.name(var).to_owned();
    Box::new(move |_| name.clone())
}

/// A result without variables: each part is summed into a copy of it.
fn total(kernel: &Kernel, cin: &Cin, outermost: IndexVar) -> Result<Scheduled, String> {
    let loops = sums::of_entries(kernel, cin).into_iter().chain([whole(cin, outermost)]);
    let mut found = loops.map(|terms| in_parts(kernel, cin, &terms, Strategy::Temporary));
    let best = found.next().unwrap_or_else(|| unreachable!("the loop itself is the last"));
    best.or_else(|why| found.find(Result::is_ok).unwrap_or(Err(why)))
}

/// Threads may fill what is gathered before all loops.
fn fill_in_parts(cin: &mut Cin) {
    let outside: Vec<Workspace> = cin.outside().filter_map(|(producer, _)| producer.fills()).collect();
    for Workspace(w) in outside {
        let decl = &mut cin.workspaces[w as usize];
        decl.in_parts = decl.format == WorkspaceFormat::Sort;
    }
}

/// For `explain`: why the loops are not the statement's own.
pub fn copies(kernel: &Kernel, cin: &Cin) -> Step {
    let copies = cin.outside().any(|(_, w)| w.format.is_sparse() && !w.part);
    let copies =
        copies.then(|| "operands in another order first, so that rows are summed one by one".to_owned());
    let mask = has_mask(kernel, cin);
    let parts: Vec<String> =
        cin.workspaces.iter().filter(|w| w.part && !mask).map(|w| format!("`{}`", w.name)).collect();
    let parts = (!parts.is_empty()).then(|| {
        let parts = parts.join(", ");
        format!(
            "the product in parts, {parts} first: `precompute` has others, `schedule cpu = none` has none"
        )
    });
    let mask = mask.then(|| "the sum by itself, where its mask has entries".to_owned());
    let all: Vec<String> = copies.into_iter().chain(mask).chain(parts).collect();
    let what = match &all[..] {
        [] => "sums outside of loops that they do not depend on".to_owned(),
        all => all.join("; "),
    };
    Step { command: format!("default: {what}"), cin: print::print(cin, kernel) }
}

/// The same of loops in which operands are copied in another order first.
pub fn with_copies(kernel: &Kernel, cin: Cin) -> Scheduled {
    let copied = copies(kernel, &cin);
    let mut scheduled = default(kernel, cin);
    scheduled.steps.insert(0, copied);
    scheduled
}

/// Loops in which parts of products are arrays outside of all loops, which threads fill too.
pub fn with_arrays(kernel: &Kernel, cin: Cin) -> Scheduled {
    let arrays: Vec<(String, IndexVar)> = cin
        .outside()
        .filter(|(_, w)| w.rows.is_some())
        .filter_map(|(producer, w)| Some((format!("`{}`", w.name), *producer.loops().first()?)))
        .collect();
    let names: Vec<_> = arrays.iter().map(|(name, _)| name.clone()).collect();
    let command = format!(
        "default: the product in parts, {} outside of all loops, where rows are read {READ} times or more on average",
        names.join(", ")
    );
    let first = Step { command, cin: print::print(&cin, kernel) };
    let mut scheduled = default(kernel, cin);
    scheduled.steps.insert(0, first);
    for (_, rows) in arrays {
        let command = parallelize(kernel, scheduled.cin.provenance.name(rows));
        // Rows are written by one iteration each.
        if let Ok(shared) = apply(kernel, scheduled.cin.clone(), &[command], Platform::Cpu) {
            let steps = shared.steps.into_iter();
            scheduled.steps.extend(steps.map(|s| Step { command: format!("default: {}", s.command), ..s }));
            scheduled.cin = shared.cin;
        }
    }
    scheduled
}

/// The same in parts of the loop's coordinates: where operands are merged to find them each part begins with a search in every
/// operand, and where they are summed with a copy of the result, so that there are no more of them than the work is worth.
fn in_parts(kernel: &Kernel, cin: &Cin, of: &Made<'_>, strategy: Strategy) -> Result<Scheduled, String> {
    let mut plan = Plan::new(kernel, kernel.name.span());
    let var = of(&mut plan);
    let (part, _) = plan.divide(&var, "part", "window", PARTS);
    plan.parallelize(&part, Unit::CpuThread, strategy);
    let commands = plan.finish();
    let mut scheduled =
        apply(kernel, cin.clone(), &commands, Platform::Cpu).map_err(|refused| first(&refused))?;
    let p = &mut scheduled.cin.provenance;
    if let Some(part) = p.find(&part) {
        p.tag_mut(part).worth = Some(Worth::Work);
    }
    for step in &mut scheduled.steps {
        step.command = format!("default: {}", step.command);
    }
    if let [.., divided, parallel] = &mut scheduled.steps[..] {
        divided.command += &format!(", or fewer parts: 2^{} operations each at least", WARM_LOG2 - 1);
        parallel.command += &format!(": {}", stays());
    }
    Ok(scheduled)
}

fn parallelize(kernel: &Kernel, var: &str) -> Command {
    let span = kernel.name.span();
    Command {
        span,
        source: format!("parallelize({var}, CPUThread, NoRaces)"),
        kind: CommandKind::Parallelize {
            var: Name { text: var.to_owned(), span },
            unit: Unit::CpuThread,
            unit_span: span,
            strategy: Strategy::NoRaces,
            strategy_span: span,
        },
    }
}
