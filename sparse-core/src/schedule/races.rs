//! What the strategies of parallel loops promise, checked on the whole schedule.
//!
//! Iterations of a loop write different elements if all that the loop's variable comes from is among the written
//! element's variables. A workspace that is declared inside the loop is each iteration's own.

use super::gpu::{resolved_inside, same_loops_inside};
use super::tree::{for_each_assignment, for_each_loop_within};
use super::{Checked, IgnoredRace, Parallel, Scheduler, fail};
use crate::cin::{Stmt, Target, Workspace, grid};
use crate::format::TensorId;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::scalar::Monoid;

/// A write inside a parallel loop to what is outside of it.
struct Write {
    /// `y[i]`.
    text: String,
    /// What is written; `None` for a workspace.
    tensor: Option<TensorId>,
    op: Option<Monoid>,
    indices: Vec<IndexVar>,
    /// Do iterations of the loop write the same element?
    races: bool,
    /// Does a strategy of a loop further in keep the write whole?
    resolved: bool,
    /// The workspace that it is, if that stores what is scattered into it as a list or a table.
    scattered: Option<Workspace>,
}

/// Checks one parallel loop; the warnings go to the scheduler.
pub(super) fn check(s: &mut Scheduler<'_>, parallel: &Parallel) -> Checked {
    let v = parallel.var;
    let Some((unit, strategy)) = s.cin.provenance.tag(v).parallel else { return Ok(()) };
    if unit == Unit::GpuVector {
        // One thread runs all of its iterations.
        return Ok(());
    }
    let writes = writes(s, v);
    if unit == Unit::CpuThread {
        no_scatters(s, parallel, &writes)?;
    }
    let racing: Vec<&Write> = writes.iter().filter(|w| w.races).collect();
    let name = s.name(v);
    match strategy {
        Strategy::NoRaces => {
            let Some(w) = racing.iter().find(|w| !w.resolved) else { return Ok(()) };
            let instead = match unit {
                Unit::CpuVector => "`ParallelReduction`",
                unit if unit.is_gpu() => "`Atomics`, or `ParallelReduction` of a `GPUGroup`",
                _ => "`Atomics` or `Temporary`",
            };
            fail(
                "race",
                parallel.strategy_span,
                format!("iterations of `{name}` write the same element of `{}`", w.text),
                format!("write {instead}, or parallelize a variable that `{}` is indexed by", w.text),
            )
        }
        Strategy::IgnoreRaces => ignore(s, parallel, unit, &racing),
        Strategy::Atomics => {
            let Some(w) = writes.iter().find(|w| !has_atomic(w.op, !unit.is_gpu())) else {
                return Ok(());
            };
            let (op, text) = (w.op.map_or("", |m| m.symbol()), &w.text);
            let help = if w.races {
                "write `Temporary`: a private copy a thread, combined after"
            } else {
                "write `NoRaces`: no two iterations write the same element"
            };
            let message = format!("there is no atomic `{op}=`, with which `{text}` is written");
            fail("no-atomic", parallel.strategy_span, message, help)
        }
        Strategy::Temporary
        | Strategy::ParallelReduction
        | Strategy::ReduceScatter
        | Strategy::Segment
        | Strategy::Deterministic => reduces(s, parallel, (unit, strategy), &racing),
    }
}

/// Threads of a CPU scatter into no workspace that they would share.
fn no_scatters(s: &Scheduler<'_>, parallel: &Parallel, writes: &[Write]) -> Checked {
    let scattered = |w: &Write| Some((w.text.clone(), w.scattered?));
    let Some((text, w)) = writes.iter().find_map(scattered) else { return Ok(()) };
    let name = s.name(parallel.var);
    fail(
        "parallel-term",
        parallel.unit_span,
        format!("the loop over `{name}` scatters into the workspace `{text}`, which threads can't share"),
        match outside(&s.cin.root, w) {
            Some(o) => {
                format!("parallelize the loop over `{}`, each of whose iterations has its own", s.name(o))
            }
            None => "leave the command out: what is scattered outside of all loops is put in order by threads; or \
                     `reorder` so that a variable of the result has the outermost loop"
                .to_owned(),
        },
    )
}

/// Warns of the races that are ignored; what threads of a CPU write at once has to be atomic all the same.
fn ignore(s: &mut Scheduler<'_>, parallel: &Parallel, unit: Unit, racing: &[&Write]) -> Checked {
    let on_threads = unit == Unit::CpuThread;
    let name = s.name(parallel.var).to_owned();
    for w in racing.iter().filter(|w| !w.resolved) {
        if on_threads && !has_atomic(w.op, true) {
            return fail(
                "race",
                parallel.strategy_span,
                format!("iterations of `{name}` write the same element of `{}`", w.text),
                "write `Temporary`: what threads of a CPU write at once has to be atomic, and there is no such update",
            );
        }
        let kept = if on_threads { ", and threads of a CPU update it atomically" } else { "" };
        let warning = format!(
            "`{}` ignores a race: iterations of `{name}` write the same element of `{}`{kept}",
            parallel.source, w.text
        );
        let race = IgnoredRace { tensor: w.tensor, warning };
        if !s.ignored_races.contains(&race) {
            s.warnings.push(race.warning.clone());
            s.ignored_races.push(race);
        }
    }
    Ok(())
}

/// What is reduced together is reduced at all, and into one element if all lanes do it.
fn reduces(
    s: &Scheduler<'_>,
    parallel: &Parallel,
    (unit, strategy): (Unit, Strategy),
    racing: &[&Write],
) -> Checked {
    let name = s.name(parallel.var);
    let Some(w) = racing.first() else {
        let alone = if matches!(unit, Unit::GpuGroup(_)) { Unit::GpuThread } else { unit };
        return fail(
            "not-racing",
            parallel.strategy_span,
            format!(
                "`{strategy}` is for a reduction: iterations of `{name}` all write elements of their own"
            ),
            format!(
                "write `parallelize({name}, {alone}, NoRaces)`, or name the variable that is summed over"
            ),
        );
    };
    if unit.is_gpu() {
        same_loops_inside(s, parallel, &w.indices)?;
    }
    let roots = s.cin.provenance.roots(parallel.var);
    let partly = roots.iter().any(|r| w.indices.contains(r));
    if strategy.is_joint() && partly {
        return fail(
            "not-racing",
            parallel.strategy_span,
            format!(
                "the lanes of `{name}` do not all reduce into one element of `{}`: `{name}` comes from {}",
                w.text,
                s.list(&roots)
            ),
            match unit.is_gpu() {
                true => "write `Segment` over sorted positions, or `Atomics`",
                false => "write `Atomics` or `Temporary`",
            },
        );
    }
    Ok(())
}

/// Is there an atomic update by this operator?
fn has_atomic(op: Option<Monoid>, cpu: bool) -> bool {
    op.is_some_and(|op| !cpu || op != Monoid::Mul)
}

/// The writes inside the loops over a variable.
fn writes(s: &Scheduler<'_>, v: IndexVar) -> Vec<Write> {
    let p = &s.cin.provenance;
    let mut found = Vec::new();
    for_each_loop_within(&s.cin.root, &mut vec![], &mut |outside, var, body| {
        if var != v {
            return;
        }
        let own = declared(body);
        for_each_assignment(body, &mut [outside, &[var]].concat(), &mut |a| {
            let mut scattered = None;
            let (text, tensor, indices) = match a.target {
                Target::Workspace(w, _) if own.contains(&w.0) => return,
                Target::Workspace(w, indices) => {
                    let decl = &s.cin.workspaces[w.index()];
                    scattered = Some(*w).filter(|_| decl.format.is_sparse());
                    (decl.name.clone(), None, indices)
                }
                Target::Tensor(t) => {
                    (s.kernel.tensors[t.tensor.index()].name.to_string(), Some(t.tensor), &t.indices)
                }
            };
            let apart = match p.tag(v).parallel {
                Some((unit, _)) if unit.is_gpu() => grid::tells_apart(s.kernel, p, v, indices),
                _ => p.tells_apart(v, indices),
            };
            let (races, resolved) = (!apart, resolved_inside(s, v, a.loops));
            found.push(Write {
                text,
                tensor,
                op: a.op,
                indices: indices.clone(),
                races,
                resolved,
                scattered,
            });
        });
    });
    found
}

/// The outermost of the loops that a workspace is inside of.
fn outside(s: &Stmt, w: Workspace) -> Option<IndexVar> {
    match s {
        Stmt::Forall { var, body } => declared(body).contains(&w.0).then_some(*var),
        Stmt::Where { consumer, producer } => outside(consumer, w).or_else(|| outside(producer, w)),
        Stmt::Assign { .. } => None,
    }
}

/// The workspaces that are declared in a statement.
fn declared(s: &Stmt) -> Vec<u32> {
    match s {
        Stmt::Forall { body, .. } => declared(body),
        Stmt::Where { consumer, producer } => {
            let mut found = [declared(consumer), declared(producer)].concat();
            for_each_assignment(producer, &mut vec![], &mut |a| {
                if let Target::Workspace(w, _) = a.target {
                    found.push(w.0);
                }
            });
            found
        }
        Stmt::Assign { .. } => vec![],
    }
}
