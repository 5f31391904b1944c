//! What a GPU asks of the loops of a result that is assembled: each thread has rows of it, or neighbouring entries of it.
//!
//! ```text
//! ∀ib{GPUBlock} ∀it{GPUThread} ∀j C[i, j] = A[i, j] + B[i, j]      each thread a row, counted first, then filled
//! ```
//!
//! Below dense levels a row belongs to one thread, whichever: loops on units come from the variables of these levels
//! alone. Without them the threads are in the order of the coordinates of the first sparse level, so that what one
//! appends stands behind what those before it do: the loops on units are the outermost, one on `GPUBlock` with one on
//! `GPUThread` inside. Where a row goes through a sparse workspace it can be a block's or a warp's instead, whose lanes
//! share it out (`lower::gpu::share`): one loop on `GPUBlock`, perhaps with one on `GPUWarp` inside.

use super::tree::for_each_assignment;
use super::{Checked, Scheduler, fail};
use crate::cin::assembly::groups;
use crate::cin::copies::gathered;
use crate::cin::grid::{Grid, Team};
use crate::cin::order::level_vars;
use crate::cin::{Access, Target};
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use proc_macro2::Span;

pub(super) fn check(s: &Scheduler<'_>, span: Span) -> Checked {
    let lhs = &s.kernel.assignment.lhs;
    let out = &s.kernel.tensors[lhs.tensor.index()];
    // A result that can't be assembled is refused before any schedule.
    let Some(groups) = groups(&out.spec) else { return Ok(()) };
    let vars = level_vars(&out.spec, &Access { tensor: lhs.tensor, indices: lhs.indices.clone() });
    let rows = match groups.prefix.is_empty() {
        true => &vars[groups.appended[0].clone()],
        false => &vars[groups.prefix.clone()],
    };
    // A sparse one has launches of its own, which make an operand of it.
    if gathered(&s.cin).is_some() || s.cin.outside().any(|(_, w)| !w.format.is_sparse()) {
        return fail(
            "scattered-on-gpu",
            span,
            format!(
                "all of `{}` is scattered into one workspace: no loop over its rows stands outside, which threads could share",
                out.name
            ),
            "leave `schedule cuda` out: without one all threads fill the workspace, and the result is assembled from it",
        );
    }
    let p = &s.cin.provenance;
    let mut around: Vec<IndexVar> = Vec::new();
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        if matches!(a.target, Target::Tensor(_)) {
            around = a.loops.to_vec();
        }
    });
    let unit = |v: &IndexVar| p.tag(*v).parallel.map(|(unit, _)| unit);
    let bound: Vec<IndexVar> = s.parallel.iter().map(|parallel| parallel.var).collect();
    for v in &bound {
        let of_rows = around.contains(v) && p.roots(*v).iter().all(|r| rows.contains(&p.original(*r)));
        if of_rows && unit(v) != Some(Unit::GpuVector) {
            continue;
        }
        let at = s.parallel.iter().find(|parallel| parallel.var == *v).map_or(span, |q| q.unit_span);
        return fail(
            "parallel-append",
            at,
            format!(
                "`{}` is assembled in order: each thread appends all entries of a row, so the loop over `{}` can't be shared by threads",
                out.name,
                s.name(*v)
            ),
            format!("run the loops over {} on `GPUBlock` and `GPUThread`", s.list(rows)),
        );
    }
    let units: Vec<Option<Unit>> = around.iter().take(bound.len()).map(unit).collect();
    let ordered = match (&units[..], Grid::of(&s.cin).team) {
        ([Some(Unit::GpuBlock), Some(Unit::GpuThread)], _) => true,
        ([Some(Unit::GpuBlock)], team) => team == Some(Team::Block),
        ([Some(Unit::GpuBlock), Some(Unit::GpuWarp)], team) => team == Some(Team::WARP),
        _ => false,
    };
    if bound.is_empty() || ordered || !groups.prefix.is_empty() {
        return Ok(());
    }
    let first = s.name(rows[0]);
    fail(
        "parallel-append",
        span,
        format!(
            "`{}` has no dense level at its root: its threads append in the order of `{first}`, one loop on `GPUBlock` with one on `GPUThread` inside",
            out.name
        ),
        format!(
            "write `split({first}, b, t, 256)`, `parallelize(b, GPUBlock, NoRaces)` and `parallelize(t, GPUThread, NoRaces)`; or take positions or windows of `{first}` first"
        ),
    )
}
