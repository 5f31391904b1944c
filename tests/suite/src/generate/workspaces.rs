//! Workspaces of kernels with sparse results: what the compiler gives them, and schedules that make others.

use super::{parts, schedule};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::cin::Stmt;
use sparse_core::cin::copies::{copied, warnings};
use sparse_core::cin::cost::has_mask;
use sparse_core::cin::single::singles;
use sparse_core::driver::{concretize_kernel, packed};
use sparse_core::format::WorkspaceFormat;
use sparse_core::front::ast::{Expr, IndexVar, Kernel, print};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;

/// The sparse workspaces that the compiler gives a kernel: their formats, and the variables that they are over.
pub(super) fn workspaces(case: &Case) -> Vec<(WorkspaceFormat, Vec<String>)> {
    let kernel = parse_str(&case.kernel_text()).ok().map(packed);
    let Some(cin) = kernel.and_then(|kernel| concretize_kernel(&kernel).ok()) else { return vec![] };
    let sparse = cin.workspaces.iter().filter(|w| w.format.is_sparse());
    let names = |vars: &[IndexVar]| vars.iter().map(|v| cin.provenance.name(*v).to_owned()).collect();
    sparse.map(|w| (w.format, names(&w.vars))).collect()
}

pub(super) fn note_workspaces(case: &mut Case) {
    for (format, vars) in workspaces(case) {
        case.about.push(format!("workspace {format:?} over {}", vars.len()));
    }
}

/// Are rows in order because an operand has one entry a row?
pub(super) fn note_singles(case: &mut Case) {
    let on = if case.platform == Platform::Cuda { "GPU" } else { "CPU" };
    let Some(kernel) = without_schedule(case) else { return };
    let kernel = packed(kernel);
    let Ok(cin) = concretize_kernel(&kernel) else { return };
    let (mut loops, mut at) = (vec![], &cin.root);
    while let Stmt::Forall { var, body } = at {
        loops.push(*var);
        at = body;
    }
    let singles = singles(&kernel, &cin, |_| true);
    let last = loops.iter().rposition(|v| kernel.assignment.lhs.indices.contains(v)).unwrap_or(0);
    if loops[..last].iter().any(|v| singles.iter().any(|s| s.var == *v)) {
        case.about.push(format!("rows of one entry each, on a {on}"));
    }
}

/// Are operands or terms copied in another order, before rows are summed, or because there is none that all are stored in?
pub(super) fn note_copies(case: &mut Case) {
    let on = if case.platform == Platform::Cuda { "GPU" } else { "CPU" };
    let Some(kernel) = without_schedule(case) else { return };
    if copied(&kernel, case.platform).is_some_and(|cin| !has_mask(&kernel, &cin)) {
        case.about.push(format!("another order first, on a {on}"));
    }
    let kernel = packed(kernel);
    if concretize_kernel(&kernel).is_ok_and(|cin| !warnings(&kernel, &cin).is_empty()) {
        case.about.push(format!("a copied operand, on a {on}"));
    }
}

/// Do all threads of a GPU scatter into one workspace, that no loop stands outside of?
pub(super) fn note_whole(case: &mut Case) {
    let cin = without_schedule(case).and_then(|kernel| concretize_kernel(&kernel).ok());
    if cin.is_some_and(|cin| matches!(cin.root, Stmt::Where { .. })) && !workspaces(case).is_empty() {
        case.about.push("scattered whole on a GPU".into());
    }
}

/// A kernel that is compiled by the default schedule.
fn without_schedule(case: &Case) -> Option<Kernel> {
    if case.schedule.is_empty() { parse_str(&case.kernel_text()).ok() } else { None }
}

/// A schedule that makes the first workspace itself, of any format; one for a part of the statement if it has none, and seldom if it
/// has one: that which another operand masks.
pub(super) fn choose_workspace(rng: &mut Rng, case: &mut Case) {
    let part = if rng.percent(30) { workspace_of_a_part(rng, case) } else { None };
    let own = part.or_else(|| own_workspace(rng, case));
    if let Some((format, vars, command)) = own.or_else(|| workspace_of_a_part(rng, case)) {
        case.about.push(format!("scheduled workspace {format:?} over {vars}"));
        case.schedule = made_into_others(rng, &command).into_iter().chain([command]).collect();
        if case.schedule.len() > 1 {
            case.about.push("a workspace over what was split".into());
        }
        if rng.percent(45) && schedule::extend(rng, case) {
            case.about.push(format!("other commands beside a {format:?}"));
        }
    }
}

/// The first workspace by a command, other commands about its loops, and units for them; false if there are none.
pub(super) fn scheduled_for_gpu(rng: &mut Rng, case: &mut Case) -> bool {
    let Some((format, _, command)) = own_workspace(rng, case) else { return false };
    let before = made_into_others(rng, &command);
    case.schedule = before.into_iter().chain([command]).collect();
    let scheduled = (0..4).any(|_| schedule::extend(rng, case));
    match scheduled {
        true => case.about.push(format!("units beside a {format:?}")),
        false => case.schedule.clear(),
    }
    scheduled
}

/// Seldom a command before another, which makes one of the variables of its workspace into others.
fn made_into_others(rng: &mut Rng, precompute: &Command) -> Option<Command> {
    let vars = precompute.args.get(1).filter(|_| rng.percent(12))?;
    let vars: Vec<&str> = vars.trim_matches(['[', ']']).split(", ").filter(|v| !v.is_empty()).collect();
    let var = *vars.get(rng.below(vars.len().max(1)))?;
    let name = rng.weighted(&[(60, "split"), (40, "divide")]);
    let size = (1 + rng.below(4)).to_string();
    Some(Command::new(name, [var.into(), format!("{var}_out"), format!("{var}_in"), size]))
}

/// A command that makes the first workspace, its format, and of how many variables it is.
pub(super) fn own_workspace(rng: &mut Rng, case: &Case) -> Option<(WorkspaceFormat, usize, Command)> {
    let all = workspaces(case);
    let (Some((_, vars)), Ok(kernel)) = (all.first(), parse_str(&case.kernel_text())) else { return None };
    use WorkspaceFormat::{Dense, Hash, List, Sort};
    let format = rng.weighted(&[(35, Hash), (35, Sort), (20, List), (10, Dense)]);
    let mut renamed = vars.clone();
    if rng.percent(40) {
        renamed.iter_mut().for_each(|v| v.push_str("_w"));
    }
    let list = |names: &[String]| format!("[{}]", names.join(", "));
    let rhs = print(&kernel, &kernel.assignment.rhs);
    let args = [rhs, list(vars), list(&renamed), "acc".into(), format!("{format:?}")];
    Some((format, vars.len(), Command::new("precompute", args)))
}

/// A command that precomputes what the operand with the result's indices is combined with, over the innermost of them.
fn workspace_of_a_part(rng: &mut Rng, case: &Case) -> Option<(WorkspaceFormat, usize, Command)> {
    let kernel = parse_str(&case.kernel_text()).ok()?;
    let lhs = &kernel.assignment.lhs.indices;
    let shared = |e: &Expr| matches!(e, Expr::Access(a) if a.indices == *lhs);
    let mut parts = parts::parts(&kernel.assignment.rhs);
    let has =
        |e: &Expr, v: IndexVar| e.any(|e: &Expr| matches!(e, Expr::Access(a) if a.indices.contains(&v)));
    let last = lhs.iter().rev().find(|v| parts.iter().any(|e| has(e, **v)))?;
    parts.retain(|e| has(e, *last) && !e.any(shared));
    if parts.is_empty() {
        return None;
    }
    let part = print(&kernel, &parts.swap_remove(rng.below(parts.len())));
    use WorkspaceFormat::{Hash, List, Sort};
    let format = rng.weighted(&[(25, Hash), (50, List), (25, Sort)]);
    let over = format!("[{}]", kernel.vars[last.index()].name);
    let args = [part, over.clone(), over, "part".into(), format!("{format:?}")];
    Some((format, 1, Command::new("precompute", args)))
}
