//! Rows of sparse results on teams of a GPU's threads.

use super::results::{C, D};
use super::schedule;
use super::workspaces::own_workspace;
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::cin::Stmt;
use sparse_core::cin::grid::RowClass;
use sparse_core::driver::concretize_kernel;
use sparse_core::format::FormatSpec;
use sparse_core::front::ast::{Expr, Mode, print};
use sparse_core::front::parse_str;

/// Rows of a scattered result that groups, warps and blocks of a GPU assemble: some classes, of so few places that small
/// tensors have rows of each.
pub(super) fn choose_classes(rng: &mut Rng, case: &mut Case) {
    let mut from = rng.pick(&[1, 1, 4, 8, 8, 16, 32]);
    let mut classes = Vec::new();
    for threads in [2, 4, 8, 16, 32, rng.pick(&[64, 128, 256])] {
        if rng.percent(45) {
            classes.push(RowClass { from, threads });
            from += 1 + rng.pick(&[0, 3, 7, 15, 63]);
        }
    }
    // Long rows have teams by the usual classes.
    if !case.vars.iter().any(|v| v.1 > 128) || rng.percent(50) {
        case.row_classes = classes;
    }
}

/// Stores all rows of rows: in the result, and in operands of unique levels.
fn number_rows(case: &mut Case) {
    for t in case.tensors.iter_mut().filter(|t| t.mode != Mode::InOut && t.spec.rank() > 2) {
        if t.spec.levels.iter().all(|l| [C, D].contains(l)) && !t.spec.is_dense() {
            let mut levels = vec![C; t.spec.rank()];
            levels[..2].fill(D);
            t.spec = FormatSpec::new(levels).filled(t.spec.fill);
        }
    }
}

/// Runs the outermost loop of a kernel for a GPU on warps or blocks, whose lanes assemble a row together.
pub(super) fn rows_on_teams(rng: &mut Rng, case: &mut Case) {
    if case.output().spec.rank() > 2 && rng.percent(40) {
        number_rows(case);
    }
    let Ok(kernel) = parse_str(&case.kernel_text()) else { return };
    let Some(cin) = concretize_kernel(&kernel).ok() else { return };
    let Stmt::Forall { var, body } = &cin.root else { return };
    let mut rows = cin.provenance.name(*var).to_owned();
    let inside = match &**body {
        Stmt::Forall { var, .. } => Some(cin.provenance.name(*var).to_owned()),
        _ => None,
    };
    let var = *var;
    let own = if rng.percent(30) { own_workspace(rng, case) } else { None };
    let mut commands: Vec<Command> = own.into_iter().map(|(_, _, command)| command).collect();
    let mut operands = vec![];
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        if a.indices.first() == Some(&var) && !spec.levels[0].is_full() && spec.map.is_identity() {
            operands.push(print(&kernel, &Expr::Access(a.clone())));
        }
    });
    // Rows that are all stored have numbers, fused too, where operands have all of them.
    let mut numbered = case.output().spec.levels.iter().take_while(|l| l.is_full()).count() > 1;
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let name = |d: usize| cin.provenance.name(a.indices[d]).to_owned();
        let fused = |d: &usize| a.indices[*d] == var || Some(name(*d)) == inside;
        numbered &= (0..spec.rank()).filter(fused).all(|d| spec.levels[spec.map.level_of_dim(d)].is_full());
    });
    if !operands.is_empty() && rng.percent(if numbered { 15 } else { 60 }) {
        let operand = operands.swap_remove(rng.below(operands.len()));
        commands.push(Command::new("pos", [rows, "position".into(), operand]));
        rows = "position".into();
    }
    if rows != "position"
        && let Some((command, made)) = other_rows(rng, case, &rows, inside, numbered)
    {
        commands.push(command);
        rows = made.into();
    }
    // Lanes have parts of a loop inside.
    let inner = case.assignment.lhs.indices.iter().find(|v| **v != var).filter(|_| rng.percent(25));
    if let Some(inner) = inner {
        let size = rng.pick(&["2", "3", "4"]);
        commands.push(Command::new("split", [case.vars[inner.index()].0.as_str(), "in0", "in1", size]));
        case.about.push("rows on teams, parts of a loop inside".into());
    }
    let on = |var: &str, unit: &str| Command::new("parallelize", [var, unit, "NoRaces"]);
    if rng.percent(60) {
        let warps = rng.pick(&["1", "2", "3", "4", "8"]);
        commands.push(Command::new("split", [rows.as_str(), "block", "warp", warps]));
        commands.extend([on("block", "GPUBlock"), on("warp", "GPUWarp")]);
        case.about.push("rows on warps".into());
    } else {
        commands.push(on(&rows, "GPUBlock"));
        case.about.push("rows on blocks".into());
    }
    case.schedule = commands;
    // Not all loops stay what units are for.
    if rng.percent(60) && (0..4).any(|_| schedule::extend(rng, case)) {
        case.about.push("rows on teams, other commands inside".into());
    }
}

/// Seldom, a command that makes other rows of a result's, and their variable: by fusing the loop inside, or by a promise.
fn other_rows(
    rng: &mut Rng,
    case: &mut Case,
    rows: &str,
    inside: Option<String>,
    numbered: bool,
) -> Option<(Command, &'static str)> {
    let size = case.vars.iter().find(|v| v.0 == *rows)?.1.to_string();
    match (rng.below(if numbered { 50 } else { 100 }), inside) {
        (0..40, Some(inside)) if rng.percent(if numbered { 90 } else { 8 }) => {
            case.about.push("rows on teams, fused".into());
            Some((Command::new("fuse", [rows, &inside, "fused"]), "fused"))
        }
        (40..52, _) => {
            case.about.push("rows on teams, by a promise".into());
            Some((Command::new("bound", [rows, "bounded", &size, "MaxExact"]), "bounded"))
        }
        _ => None,
    }
}
