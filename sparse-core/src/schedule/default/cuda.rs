//! The schedule of a kernel that nobody scheduled for a GPU: the first of these that is legal.
//!
//! 1. A result with an operand's pattern: one thread a stored entry.
//! 2. A result with several dense variables: one thread an element of the first two.
//! 3. One thread an iteration of the outermost loop: positions where an operand leads, else coordinates.
//!
//! Where threads would write the same element, a group of 32 reduces together, or each update is atomic. Where none of
//! these is legal, one thread does all the work, and `explain` says why. A result that is assembled has no default.

use crate::cin::print;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Access, Cin};
use crate::diag::Diagnostics;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::Platform;
use crate::front::parse_schedule;
use crate::schedule::text::Text;
use crate::schedule::tree::nest;
use crate::schedule::{Scheduled, Step, apply};

/// Threads of a block.
const THREADS: u32 = 256;

/// The legal ones, best first, or why there is none.
///
/// # Errors
/// What stands against the last, simplest one.
pub fn default_cuda(kernel: &Kernel, cin: &Cin) -> Result<Vec<Scheduled>, Diagnostics> {
    let mut found = Vec::new();
    let mut refused = Diagnostics::new();
    for shape in shapes(kernel, cin) {
        for strategies in STRATEGIES {
            match schedule(kernel, cin, &(shape.clone() + &on(kernel, strategies))) {
                Ok(scheduled) => {
                    found.push(scheduled);
                    break;
                }
                Err(d) => refused = d,
            }
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    if result_kind(kernel, cin) == ResultKind::Append {
        return apply(kernel, cin.clone(), &[], Platform::Cuda).map(|scheduled| vec![scheduled]);
    }
    let why =
        refused.iter().next().map_or("there is no loop around the statement".into(), |d| d.message.clone());
    let step = Step { command: format!("default: one thread: {why}"), cin: print::print(cin, kernel) };
    let warnings = vec![format!("on a GPU one thread does all the work: {why}")];
    Ok(vec![Scheduled { cin: cin.clone(), steps: vec![step], warnings, ignored_races: vec![] }])
}

/// How the loops over blocks and threads run.
const STRATEGIES: [&str; 3] = ["GPUThread, NoRaces", "GPUGroup(32), ParallelReduction", "GPUThread, Atomics"];

fn on(kernel: &Kernel, threads: &str) -> String {
    let mut text = Text::new(kernel);
    text.parallelize(&text.name("block"), "GPUBlock, NoRaces");
    text.parallelize(&text.name("thread"), threads);
    text.finish()
}

fn schedule(kernel: &Kernel, cin: &Cin, text: &str) -> Result<Scheduled, Diagnostics> {
    let commands = parse_schedule(kernel, text)?;
    let mut scheduled = apply(kernel, cin.clone(), &commands, Platform::Cuda)?;
    let before = Step { command: "default".into(), cin: print::print(cin, kernel) };
    scheduled.steps.insert(0, before);
    Ok(scheduled)
}

/// Commands that leave loops over `block` and `thread`.
fn shapes(kernel: &Kernel, cin: &Cin) -> Vec<String> {
    let name = |v: &IndexVar| cin.provenance.name(*v).to_owned();
    let nest = nest(&cin.root);
    let own = Text::new(kernel);
    let (fused, position) = (own.name("fused"), own.name("position"));
    let split = |v: &str| {
        let mut text = Text::new(kernel);
        text.split(v, "block", "thread", THREADS);
        text.finish()
    };
    let mut shapes = Vec::new();
    if let ResultKind::Like(a) = result_kind(kernel, cin) {
        shapes.push(positions(kernel, &a, &nest, &name) + &split(&position));
    }
    let out: Vec<_> = nest.iter().filter(|v| kernel.assignment.lhs.indices.contains(v)).collect();
    if let [first, second, ..] = out[..] {
        let rest = nest.iter().filter(|v| *v != first && *v != second);
        let order: Vec<_> = [first, second].into_iter().chain(rest).map(name).collect();
        let reorder = match nest.starts_with(&[*first, *second]) {
            true => String::new(),
            false => format!("reorder({});", order.join(", ")),
        };
        shapes.push(format!("{reorder} fuse({}, {}, {fused}); {}", name(first), name(second), split(&fused)));
    }
    if let Some(first) = nest.first() {
        let mut leaders: Vec<Access> = Vec::new();
        kernel.assignment.rhs.for_each_access(&mut |a| {
            if a.indices.contains(first) && !kernel.tensors[a.tensor.index()].spec.levels[0].is_full() {
                leaders.push(Access { tensor: a.tensor, indices: a.indices.clone() });
            }
        });
        if out.is_empty() {
            let mut all: Vec<Access> = Vec::new();
            kernel.assignment.rhs.for_each_access(&mut |a| {
                all.push(Access { tensor: a.tensor, indices: a.indices.clone() });
            });
            shapes.extend(all.iter().map(|a| positions(kernel, a, &nest, &name) + &split(&position)));
        }
        for a in leaders {
            let text = access(kernel, &a, &name);
            shapes.push(format!("pos({}, {position}, {text}); {}", name(first), split(&position)));
        }
        shapes.push(split(&name(first)));
    }
    shapes
}

/// All loops over an operand's levels become one over its positions.
fn positions(kernel: &Kernel, a: &Access, nest: &[IndexVar], name: &impl Fn(&IndexVar) -> String) -> String {
    let levels: Vec<_> = nest.iter().filter(|v| a.indices.contains(v)).collect();
    let Some((first, rest)) = levels.split_first() else { return String::new() };
    let levels: Vec<String> = [first].into_iter().chain(rest).map(|v| name(v)).collect();
    let mut text = Text::new(kernel);
    let fused = text.fuse(&levels, "fused");
    text.push(format!("pos({fused}, {}, {})", text.name("position"), access(kernel, a, name)));
    text.finish()
}

fn access(kernel: &Kernel, a: &Access, name: &impl Fn(&IndexVar) -> String) -> String {
    let indices: Vec<_> = a.indices.iter().map(name).collect();
    format!("{}[{}]", kernel.tensors[a.tensor.index()].name, indices.join(", "))
}
