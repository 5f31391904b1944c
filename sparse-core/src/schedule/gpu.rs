//! What a GPU asks of `parallelize`.
//!
//! ```text
//! ∀ko{GPUBlock, NoRaces} ∀warp{GPUWarp, NoRaces} ∀jpos1{GPUGroup(8), ParallelReduction} ∀jpos0 …
//! ```
//!
//! A nest has up to three loops on `GPUBlock`, inside them one on `GPUWarp`, which only tiles, and inside it one on
//! `GPUThread` or `GPUGroup(r)`: `threadIdx.x = warp·T + thread`. Warps and threads have constant numbers, so that a
//! block has one size. A group is 2, 4, 8, 16 or 32 aligned consecutive threads, and divides T.
//! `GPUVector`, what a thread moves by one access, is next door ([`vector`]).

use super::gaps::swept;
use super::tree::for_each_loop_within;
use super::{Checked, Parallel, Scheduler, assembly, fail, vector};
use crate::cin::grid::{Grid, WARP, constant, positions_of};
use crate::cin::launches::launches;
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::ResultKind;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use proc_macro2::Span;

const MAX_BLOCKS: usize = 3;
const MAX_THREADS: u64 = 1024;

/// Where a unit stands in a nest, outermost first.
fn rank(unit: Unit) -> u8 {
    match unit {
        Unit::GpuBlock => 0,
        Unit::GpuWarp => 1,
        Unit::GpuVector => 3,
        _ => 2,
    }
}

/// Does one loop of this unit allow the other one inside?
pub(super) fn nests(outer: Unit, inner: Unit) -> bool {
    rank(outer) < rank(inner) || (outer == Unit::GpuBlock && inner == Unit::GpuBlock)
}

/// Is the strategy one that the unit has?
pub(super) fn strategy(unit: Unit, strategy: Strategy, span: Span) -> Checked {
    let group = matches!(unit, Unit::GpuGroup(_));
    match strategy {
        _ if unit == Unit::GpuVector => vector::strategy(strategy, span),
        Strategy::Temporary => fail(
            "wrong-strategy",
            span,
            "a GPU's threads have no private copies of the output",
            "write `Atomics`, or `GPUGroup(8)` with `ParallelReduction` or `Segment`",
        ),
        strategy if strategy.is_grouped() && !group => fail(
            "wrong-strategy",
            span,
            format!("`{strategy}` is what a group of threads does: `{unit}` is none"),
            format!("write `GPUGroup(8)` with `{strategy}`, or `Atomics`"),
        ),
        _ => Ok(()),
    }
}

/// What only the whole schedule decides about one loop's unit.
pub(super) fn check(s: &Scheduler<'_>, parallel: &Parallel) -> Checked {
    let v = parallel.var;
    let p = &s.cin.provenance;
    let Some((unit, strategy)) = p.tag(v).parallel else { return Ok(()) };
    let name = s.name(v);
    if unit == Unit::GpuBlock {
        return blocks(s, parallel);
    }
    if unit == Unit::GpuVector {
        return vector::check(s, parallel);
    }
    if let Unit::GpuGroup(r) = unit
        && (!(2..=WARP).contains(&r) || !r.is_power_of_two())
    {
        return fail(
            "group-size",
            parallel.unit_span,
            format!("there is no group of {r} threads"),
            "write a group of 2, 4, 8, 16 or 32",
        );
    }
    let Some(size) = constant(p, v).filter(|n| *n > 0) else {
        return fail(
            "thread-extent",
            parallel.unit_span,
            format!("the number of iterations of `{name}` is not constant: it cannot be a number of threads"),
            format!("split it, `split({name}, {name}0, {name}1, 32)`, and run `{name}1` on `{unit}`"),
        );
    };
    if let Unit::GpuGroup(r) = unit {
        if u64::from(r) > size {
            return fail(
                "group-size",
                parallel.unit_span,
                format!("a group of {r} threads is larger than its tile: `{name}` has {size} iterations"),
                format!("write a smaller group, or split with a factor of {r} or a multiple of it"),
            );
        }
        if !size.is_multiple_of(u64::from(r)) {
            return fail(
                "group-size",
                parallel.unit_span,
                format!("groups of {r} threads do not divide the {size} iterations of `{name}`"),
                format!("split with a multiple of {r}"),
            );
        }
        if let Some(Grid { lanes, .. }) = grids(s, v).find(|g| !g.lanes.is_multiple_of(u64::from(r))) {
            return fail(
                "group-size",
                parallel.unit_span,
                format!("groups of {r} threads are not aligned: a warp's tile has {lanes} threads"),
                format!("make the longest loop over threads a multiple of {r} long"),
            );
        }
    }
    let threads = |grid: &Grid| grid.warps.saturating_mul(grid.lanes);
    if let Some(grid) = grids(s, v).find(|grid| threads(grid) > MAX_THREADS) {
        let threads = threads(&grid);
        let tiles = match grid.warps {
            1 => String::new(),
            warps => format!(" ({warps} warps of {})", grid.lanes),
        };
        let message = format!("a block would have {threads} threads{tiles}, more than {MAX_THREADS}");
        return fail("too-many-threads", parallel.unit_span, message, "split with smaller factors");
    }
    if strategy.is_segmented() { sorted(s, parallel) } else { Ok(()) }
}

/// The grids of the launches that have a loop over the variable.
fn grids<'s>(s: &'s Scheduler<'_>, v: IndexVar) -> impl Iterator<Item = Grid> + 's {
    let of_loop = launches(&s.cin).into_iter().filter(move |launch| launch.vars.contains(&v));
    of_loop.map(|launch| Grid::of_launch(&s.cin, &launch))
}

fn blocks(s: &Scheduler<'_>, parallel: &Parallel) -> Checked {
    let last = |grid: &Grid| grid.blocks.len() > MAX_BLOCKS && grid.blocks.last() == Some(&parallel.var);
    if let Some(Grid { blocks, .. }) = grids(s, parallel.var).find(last) {
        return fail(
            "too-many-blocks",
            parallel.unit_span,
            format!("a grid has {MAX_BLOCKS} dimensions: {} are loops over blocks", s.list(&blocks)),
            "fuse two of them, or leave one serial",
        );
    }
    Ok(())
}

/// The lanes' output coordinates do not decrease: those that the loop decides are the first levels of the operand whose
/// positions it runs over.
fn sorted(s: &Scheduler<'_>, parallel: &Parallel) -> Checked {
    let v = parallel.var;
    let p = &s.cin.provenance;
    let name = s.name(v);
    let roots = p.roots(v);
    let written = written(s, v);
    let out = |r: &IndexVar| written.contains(&p.original(*r));
    let Some(access) = positions_of(p, v).cloned() else {
        if !roots.iter().any(out) {
            let message = format!("the lanes of `{name}` have one output: there are no segments among them");
            let help = "write `ParallelReduction`";
            return fail("unsorted-segment", parallel.strategy_span, message, help);
        }
        let help = match s.result {
            ResultKind::Append => {
                "rows of an assembled result have one thread or team each: write `GPUThread` and `NoRaces`"
            }
            _ => "take positions first: `fuse(i, j, f)`, then `pos(f, p, A[i, j])`; or write `Atomics`",
        };
        return fail(
            "unsorted-segment",
            parallel.strategy_span,
            format!("`{name}` counts no stored positions: coordinates along its lanes are not sorted"),
            help,
        );
    };
    in_order(s, parallel)?;
    let levels = level_vars(&s.kernel.tensors[access.tensor.index()].spec, &access);
    let keys = roots.iter().filter(|r| out(r)).count();
    let mine: Vec<_> = levels.iter().filter(|l| roots.contains(l)).collect();
    let prefix = mine.iter().take(keys).all(|l| out(l));
    if keys == 0 || prefix {
        return Ok(());
    }
    let wrong: Vec<IndexVar> = roots.iter().copied().filter(out).collect();
    fail(
        "unsorted-segment",
        parallel.strategy_span,
        format!(
            "coordinates of {} are not sorted along the positions of `{}`: equal ones are no segments",
            s.list(&wrong),
            s.kernel.tensors[access.tensor.index()].name
        ),
        "write `Atomics`, or store the operand in the output's order",
    )
}

/// The variables of the statement that tell apart what a loop's launch writes.
fn written(s: &Scheduler<'_>, v: IndexVar) -> Vec<IndexVar> {
    let of_loop = launches(&s.cin).into_iter().find(|launch| launch.vars.contains(&v));
    match of_loop.filter(|launch| launch.fills.is_some()) {
        Some(launch) => launch.writes.iter().map(|w| s.cin.provenance.original(*w)).collect(),
        None => s.kernel.assignment.lhs.indices.clone(),
    }
}

/// Positions increase along the lanes, and a lane's own are neighbours: coarser parts have their loops outside, finer
/// ones inside.
fn in_order(s: &Scheduler<'_>, parallel: &Parallel) -> Checked {
    let v = parallel.var;
    let p = &s.cin.provenance;
    let mut all = v;
    while let Some(Relation::Split { parent, .. } | Relation::Bound { parent, .. }) = p.made_by(all) {
        all = *parent;
    }
    let leaves = p.leaves(all);
    let mut wrong = None;
    for_each_loop_within(&s.cin.root, &mut vec![], &mut |outside, w, body| {
        if w != v {
            return;
        }
        let nest = outside.iter().copied().chain([v]).chain(body.loops());
        let parts: Vec<IndexVar> = nest.filter(|l| leaves.contains(l)).collect();
        wrong = wrong.or(parts.iter().zip(&leaves).find(|(is, should)| is != should).map(|(is, _)| *is));
    });
    let Some(other) = wrong else { return Ok(()) };
    let (name, other) = (s.name(v), s.name(other));
    fail(
        "unsorted-segment",
        parallel.strategy_span,
        format!(
            "the positions along the lanes of `{name}` are not in order: the loop over their part `{other}` is out of place"
        ),
        "`reorder` so that coarser parts of the positions are outside of finer ones; or write `Atomics`",
    )
}

/// The lanes of a group write the same element, or elements in order, only if the loops inside theirs that the element
/// depends on are the same for all of them: not where they step through what a lane's own coordinate stores.
pub(super) fn same_loops_inside(s: &Scheduler<'_>, parallel: &Parallel, written: &[IndexVar]) -> Checked {
    let v = parallel.var;
    let p = &s.cin.provenance;
    let mut own = None;
    for_each_loop_within(&s.cin.root, &mut vec![], &mut |outside, l, body| {
        let decides = written.iter().any(|o| p.leaves(*o).contains(&l));
        if outside.contains(&v)
            && decides
            && !p.comes_from(l, v)
            && (p.is_position(l) && !shares_positions(s, l, v) || !swept(s, l, outside, body).is_empty())
        {
            own = Some(l);
        }
    });
    let Some(l) = own else { return Ok(()) };
    let (name, l) = (s.name(v), s.name(l));
    fail(
        "not-racing",
        parallel.strategy_span,
        format!(
            "the lanes of `{name}` have different outputs: inside it `{l}` runs over what each lane's own coordinate stores"
        ),
        "write `Atomics`, or store the operand in the output's order",
    )
}

/// Are both parts of the same positions?
fn shares_positions(s: &Scheduler<'_>, l: IndexVar, v: IndexVar) -> bool {
    let of = |mut v: IndexVar| {
        while let Some(Relation::Split { parent, .. } | Relation::Bound { parent, .. }) =
            s.cin.provenance.made_by(v)
        {
            v = *parent;
        }
        v
    };
    of(l) == of(v)
}

/// Is a write inside a loop over `v` kept whole by a strategy of a loop further in?
pub(super) fn resolved_inside(s: &Scheduler<'_>, v: IndexVar, loops: &[IndexVar]) -> bool {
    let inside = loops.iter().skip_while(|l| **l != v).skip(1);
    inside.into_iter().any(|l| match s.cin.provenance.tag(*l).parallel {
        Some((unit, strategy)) => unit.is_gpu() && (strategy == Strategy::Atomics || strategy.is_grouped()),
        None => false,
    })
}

/// What holds of a whole schedule: an assembled result's rows are the threads' own, what is gathered before all loops is so
/// without commands, and some loop runs on the GPU (a serial kernel would be a fallback that nobody asked for).
pub(super) fn whole(s: &Scheduler<'_>, span: Span) -> Checked {
    for (producer, w) in s.cin.outside().filter(|(_, w)| w.format.is_sparse()) {
        let inside = producer.loops();
        let on_unit = s.parallel.iter().find(|parallel| inside.contains(&parallel.var));
        // Its threads have the coordinates of the outermost loop.
        let made = inside.first().filter(|v| s.cin.provenance.made_by(**v).is_some());
        let at = on_unit.map(|parallel| (parallel.var, parallel.unit_span));
        if let Some((v, at)) = at.or(made.map(|v| (*v, span))) {
            return fail(
                "scattered-on-gpu",
                at,
                format!(
                    "`{}` is a loop that fills the workspace `{}`, before all others: its threads are not for commands to choose",
                    s.name(v),
                    w.name
                ),
                "leave it as it is: without a command each thread has a coordinate of its outermost loop",
            );
        }
    }
    if s.result == ResultKind::Append {
        assembly::check(s, span)?;
    }
    let on_unit =
        |v: &IndexVar| s.cin.provenance.tag(*v).parallel.is_some_and(|(unit, _)| unit != Unit::GpuVector);
    let launches = launches(&s.cin);
    let Some(serial) = launches.iter().find(|l| !l.vars.is_empty() && !l.vars.iter().any(on_unit)) else {
        return Ok(());
    };
    let (message, help) = match (serial.fills, &launches[..]) {
        (_, [_]) => (
            "no loop of the schedule runs on the GPU: one thread would do all the work".to_owned(),
            "write `parallelize(b, GPUBlock, NoRaces)` and `parallelize(t, GPUThread, NoRaces)`, or `schedule cuda = none;`".to_owned(),
        ),
        (Some(w), _) => (
            format!(
                "`{}` is filled by a launch of its own, before all loops, of which none runs on the GPU: one thread would do all of that",
                s.cin.workspaces[w.index()].name
            ),
            format!("run loops over {} on `GPUBlock` and `GPUThread` too", s.list(&serial.vars)),
        ),
        (None, _) => (
            "no loop of the statement's own runs on the GPU, beside those that fill workspaces before: one thread would do all the work".to_owned(),
            format!("run loops over {} on `GPUBlock` and `GPUThread` too", s.list(&serial.vars)),
        ),
    };
    fail("not-parallel", span, message, help)
}
