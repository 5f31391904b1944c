//! `parallelize(i, Unit, Strategy)`: the iterations of a loop run at the same time.
//!
//! ```text
//! ∀i body        →   ∀i{CPUThread, NoRaces} body
//! ```
//!
//! Preconditions: no command but another `parallelize` follows; the loop is a plain range, it merges no operands; on a CPU a loop that
//! appends to an assembled output is the outermost one, on `CPUThread`, without races (what a GPU asks of it is checked
//! by `assembly`); no scalar is filled by threads for a use outside; the unit is one of the target's, coarse ones outside
//! fine ones. What the strategy promises is checked after the last command (`races`).

use super::gaps::{coiteration, leads};
use super::tree::{for_each_assignment, for_each_loop_within, has_loop};
use super::{Checked, Parallel, Scheduler, fail, gpu};
use crate::cin::result::ResultKind;
use crate::cin::{Stmt, Target, Workspace};
use crate::front::ast::IndexVar;
use crate::front::command::{Command, Name, Platform, Strategy, Unit};
use proc_macro2::Span;

pub(super) fn apply(
    s: &mut Scheduler<'_>,
    command: &Command,
    var: &Name,
    (unit, unit_span): (Unit, Span),
    (strategy, strategy_span): (Strategy, Span),
) -> Checked {
    let v = s.loop_over(var)?;
    check_unit(s.target, (unit, unit_span), (strategy, strategy_span))?;
    if let Some((unit, _)) = s.cin.provenance.tag(v).parallel {
        let message = format!("the loop over `{}` runs on `{unit}` already", var.text);
        return fail(
            "tagged-loop",
            var.span,
            message,
            "keep one of the two; split the loop to use both units",
        );
    }
    assembled(s, v, var, unit, (strategy, strategy_span))?;
    check_nest(s, v, var, (unit, unit_span))?;
    let sums_together = matches!(unit, Unit::CpuVector | Unit::GpuVector)
        || (matches!(unit, Unit::GpuGroup(_)) && strategy.is_joint());
    if !sums_together && let Some(w) = shared_scalar(&s.cin.root, v) {
        return fail(
            "parallel-term",
            var.span,
            format!(
                "the loop over `{}` sums a term of the statement into the scalar `{}`, which threads can't share",
                var.text,
                s.cin.workspaces[w.index()].name
            ),
            "parallelize a loop outside the sum, or write the term as a statement of its own",
        );
    }
    s.cin.provenance.tag_mut(v).parallel = Some((unit, strategy));
    s.parallel.push(Parallel { var: v, unit_span, strategy_span, source: command.source.clone() });
    Ok(())
}

/// The unit is one of the target's, and the strategy one of the unit's, whatever the loop.
pub(super) fn check_unit(
    target: Platform,
    (unit, unit_span): (Unit, Span),
    (strategy, strategy_span): (Strategy, Span),
) -> Checked {
    match (target, unit.is_gpu()) {
        (Platform::Cpu, true) => {
            let help = "write `CPUThread` or `CPUVector`";
            return fail("wrong-unit", unit_span, format!("a CPU has no `{unit}`"), help);
        }
        (Platform::Cuda, false) => {
            let help = "write `GPUBlock`, `GPUWarp`, `GPUThread`, `GPUGroup(8)` or `GPUVector`";
            return fail("wrong-unit", unit_span, format!("a GPU has no `{unit}`"), help);
        }
        (Platform::Cuda, true) => gpu::strategy(unit, strategy, strategy_span)?,
        (Platform::Cpu, false) => {}
    }
    if (strategy.is_segmented() || strategy == Strategy::ReduceScatter) && !unit.is_gpu() {
        let plain = "write `Atomics` or `Temporary`";
        let (message, help) = match strategy {
            Strategy::Deterministic => (
                "on a CPU all strategies but `Atomics` combine partial sums in the same order in every run",
                "write `NoRaces` if each element is one iteration's, else `Temporary`",
            ),
            Strategy::Segment => {
                ("segments of equal coordinates are reduced by groups of GPU threads", plain)
            }
            _ => ("columns are exchanged among the lanes of groups of GPU threads", plain),
        };
        return fail("wrong-strategy", strategy_span, message, help);
    }
    if unit == Unit::CpuVector && matches!(strategy, Strategy::Atomics | Strategy::Temporary) {
        let message = format!("the lanes of a vector reduce together: they have no use for `{strategy}`");
        return fail("wrong-strategy", strategy_span, message, "write `ParallelReduction`");
    }
    Ok(())
}

/// The loop merges no operands, and units are nested as they are in the machine.
fn check_nest(s: &Scheduler<'_>, v: IndexVar, var: &Name, (unit, unit_span): (Unit, Span)) -> Checked {
    let mut broken = Ok(());
    for_each_loop_within(&s.cin.root, &mut vec![], &mut |outside, w, body| {
        if broken.is_err() {
            return;
        }
        let Some((other, _)) = s.cin.provenance.tag(w).parallel else {
            if w == v
                && let Some(why) = coiteration(s, v, outside, body)
            {
                let mut help = format!(
                    "split it and parallelize the outer part: `split({0}, {0}0, {0}1, 64)`, then `parallelize({0}0, …)`",
                    var.text
                );
                if leads(s, v, outside, body) {
                    help += "; or take positions with `pos`";
                }
                let message = format!("the loop over `{}` can't be parallel: {why}", var.text);
                broken = fail("parallel-coiteration", var.span, message, help);
            }
            return;
        };
        let outer = outside.contains(&v).then_some((unit, other));
        let inner = has_loop(body, v).then_some((other, unit));
        if let Some((outer, inner)) = outer.or(inner)
            && (outer, inner) != (Unit::CpuThread, Unit::CpuVector)
            && !(unit.is_gpu() && gpu::nests(outer, inner))
        {
            broken = fail(
                "unit-order",
                unit_span,
                format!("a loop on `{inner}` can't stand inside one on `{outer}`"),
                match s.target {
                    Platform::Cpu => {
                        "in a nest, one loop runs on `CPUThread`, and inside it one on `CPUVector`"
                    }
                    Platform::Cuda => {
                        "in a nest, loops on `GPUBlock` are outermost, then one on `GPUWarp`, then one on `GPUThread` or `GPUGroup`, then one on `GPUVector`"
                    }
                },
            );
        }
    });
    broken
}

/// The scalar that a loop fills for one use of it.
fn shared_scalar(s: &Stmt, v: IndexVar) -> Option<Workspace> {
    match s {
        Stmt::Forall { body, .. } => shared_scalar(body, v),
        Stmt::Where { consumer, producer } => {
            let mut filled = None;
            for_each_assignment(producer, &mut vec![], &mut |a| {
                if let Target::Workspace(w, indices) = a.target
                    && indices.is_empty()
                    && a.loops.contains(&v)
                    && consumer.loops().is_empty()
                {
                    filled = Some(*w);
                }
            });
            filled.or_else(|| shared_scalar(consumer, v)).or_else(|| shared_scalar(producer, v))
        }
        Stmt::Assign { .. } => None,
    }
}

/// Iterations append entries of a result: those of the outermost loop may be apart, threads append to parts of it. On a
/// GPU it is the whole schedule that decides.
fn assembled(
    s: &Scheduler<'_>,
    v: IndexVar,
    var: &Name,
    unit: Unit,
    (strategy, strategy_span): (Strategy, Span),
) -> Checked {
    if s.result != ResultKind::Append || s.target == Platform::Cuda {
        return Ok(());
    }
    let mut appends = false;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        appends |= matches!(a.target, Target::Tensor(_)) && a.loops.contains(&v);
    });
    if !appends {
        return Ok(());
    }
    let name = &s.kernel.tensors[s.kernel.assignment.lhs.tensor.index()].name;
    // What workspaces outside of it hold is gathered before.
    let mut first = &s.cin.root;
    while let Stmt::Where { consumer, .. } = first {
        first = consumer;
    }
    let outermost = matches!(first, Stmt::Forall { var, .. } if *var == v);
    let refused = |message: String, help: &str| fail("parallel-append", var.span, message, help);
    match unit {
        Unit::CpuThread if outermost && strategy == Strategy::NoRaces => Ok(()),
        Unit::CpuThread if outermost => fail(
            "wrong-strategy",
            strategy_span,
            format!(
                "`{name}` is assembled: each thread appends entries of its own, there is nothing to combine"
            ),
            format!("write `parallelize({}, CPUThread, NoRaces)`", var.text),
        ),
        Unit::CpuThread => refused(
            format!(
                "`{name}` is assembled, one entry after another: the loop over `{}` is inside another, whose iterations append in turn",
                var.text
            ),
            "parallelize the outermost loop",
        ),
        _ => refused(
            format!(
                "`{name}` is assembled, one entry after another: `{}` can't run in vector lanes",
                var.text
            ),
            "parallelize the outermost loop on `CPUThread`",
        ),
    }
}
