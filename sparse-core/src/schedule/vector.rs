//! What `GPUVector` asks of a loop: consecutive coordinates, which a thread loads and stores by one access.
//!
//! ```text
//! ∀kii{GPUVector, NoRaces} C[i, k] += A[i, j]·B[j, k]   →   one load of B[j, k..k + 4], four products
//! ```
//!
//! Preconditions: the loop is innermost, and its 2 or 4 iterations, of 16 bytes at most, are consecutive coordinates that
//! begin at a multiple of their number. That something is stored along them shows when the kernel is lowered; whether rows
//! are whole vectors is asked when it runs.

use super::tree::for_each_loop;
use super::{Checked, Parallel, Scheduler, fail};
use crate::cin::grid::constant;
use crate::cin::provenance::{Part, Relation};
use crate::front::command::Strategy;

use proc_macro2::Span;

/// One thread runs all of its iterations.
pub(super) fn strategy(strategy: Strategy, span: Span) -> Checked {
    match strategy {
        Strategy::NoRaces => Ok(()),
        other => fail(
            "wrong-strategy",
            span,
            format!("one thread runs all iterations of a vector: they have no use for `{other}`"),
            "write `NoRaces`",
        ),
    }
}

/// What holds of the whole schedule.
pub(super) fn check(s: &Scheduler<'_>, parallel: &Parallel) -> Checked {
    let name = s.name(parallel.var);
    let mut inside = vec![];
    for_each_loop(&s.cin.root, &mut |v, body| {
        if v == parallel.var {
            inside.extend(body.loops());
        }
    });
    if !inside.is_empty() {
        return fail(
            "vector-innermost",
            parallel.unit_span,
            format!("a vector has no loops inside: {} is inside of `{name}`", s.list(&inside)),
            format!("`reorder` so that `{name}` is innermost"),
        );
    }
    if s.cin.provenance.is_position(parallel.var) {
        return fail(
            "vector-positions",
            parallel.unit_span,
            format!("`{name}` counts stored positions, which begin anywhere: vectors are of coordinates"),
            "run on `GPUVector` a part of a split of a dense variable",
        );
    }
    consecutive(s, parallel, length(s, parallel)?)
}

/// The number of elements.
fn length(s: &Scheduler<'_>, parallel: &Parallel) -> Checked<u64> {
    let (name, dtype) = (s.name(parallel.var), s.kernel.dtype);
    let size = constant(&s.cin.provenance, parallel.var);
    if let Some(size) = size.filter(|n| dtype.vector_lengths().any(|legal| legal == *n)) {
        return Ok(size);
    }
    let legal: Vec<String> = dtype.vector_lengths().map(|n| n.to_string()).collect();
    let legal = legal.join(" or ");
    let what = match size {
        Some(n) => format!("`{name}` has {n} iterations"),
        None => format!("the number of iterations of `{name}` is not constant"),
    };
    fail(
        "vector-length",
        parallel.unit_span,
        format!("{what}: one access moves {legal} elements of `{dtype}`, 16 bytes at most"),
        format!("split it, `split({name}, {name}0, {name}1, 2)`, and run `{name}1` on `GPUVector`"),
    )
}

/// Coordinates follow each other, and the first is a multiple of their number.
fn consecutive(s: &Scheduler<'_>, parallel: &Parallel, n: u64) -> Checked {
    let (p, name) = (&s.cin.provenance, s.name(parallel.var));
    let broken = |why: String| {
        fail(
            "not-contiguous",
            parallel.unit_span,
            format!("the coordinates along `{name}` are no whole vectors: {why}"),
            format!("run on `GPUVector` the inner part of a `split` by {n} of a variable that is not fused"),
        )
    };
    let mut v = parallel.var;
    while let Some(made) = p.made_by(v) {
        match *made {
            Relation::Bound { parent, .. } => v = parent,
            Relation::Split { parent, inner, part: Part::Inner(size), .. } if v == inner => {
                if !size.is_multiple_of(n) {
                    return broken(format!("parts of {size} do not begin at multiples of {n}"));
                }
                v = parent;
            }
            Relation::Split { parent, .. } => {
                return broken(format!("`{}` does not count elements of `{}`", s.name(v), s.name(parent)));
            }
            Relation::Fuse { outer, inner, .. } => {
                return broken(format!("`{}` and `{}` are fused", s.name(outer), s.name(inner)));
            }
            Relation::Pos { coord: of, .. } | Relation::Coord { pos: of, .. } => {
                return broken(format!("they come from positions by `{}`", s.name(of)));
            }
        }
    }
    Ok(())
}
