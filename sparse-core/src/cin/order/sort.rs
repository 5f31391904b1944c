//! One order of those that all edges allow: loops over what only dense operands use go where they have unit stride.

use super::super::Access;
use super::edges::{Edge, is_acyclic, reaches};
use super::{Nest, level_vars};
use crate::front::ast::{IndexVar, Kernel};

/// An order of a nest's loops with these edges, if there is one; wishes that close a cycle are not met. Of all nests it is the strides
/// of some that count.
pub(super) fn one_order<'e>(
    kernel: &Kernel,
    lhs: &Access,
    nest: &Nest<'_>,
    nests: (&[Nest<'_>], &[Nest<'_>]),
    edges: impl Iterator<Item = &'e Edge>,
    wishes: impl Iterator<Item = &'e Edge>,
) -> Option<Vec<IndexVar>> {
    let mut mine: Vec<&Edge> = edges.collect();
    if !is_acyclic(&mine) {
        return None;
    }
    for e in wishes {
        if !reaches(&mine, e.then, e.first) {
            mine.push(e);
        }
    }
    Some(sort(kernel, lhs, nest, nests, &mine))
}

fn sort(
    kernel: &Kernel,
    lhs: &Access,
    nest: &Nest<'_>,
    (all, counted): (&[Nest<'_>], &[Nest<'_>]),
    edges: &[&Edge],
) -> Vec<IndexVar> {
    let key = |v: IndexVar| {
        let outer = edges.iter().any(|e| e.first == v);
        let gain = if outer { 0 } else { stride_gain(kernel, lhs, all, counted, v) };
        (gain.max(0), nest.vars.iter().position(|&w| w == v))
    };
    let mut left = nest.vars.clone();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free =
            left.iter().copied().filter(|&v| !edges.iter().any(|e| e.then == v && left.contains(&e.first)));
        let next = free.min_by_key(|&v| key(v)).unwrap_or(left[0]);
        left.retain(|&v| v != next);
        order.push(next);
    }
    order
}

/// Accesses with unit stride along a variable, less those with another stride; 0 if a sparse level stores it.
pub(super) fn stride_gain(
    kernel: &Kernel,
    lhs: &Access,
    nests: &[Nest<'_>],
    counted: &[Nest<'_>],
    v: IndexVar,
) -> i32 {
    let levels = |a: &Access| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let at = level_vars(spec, a).into_iter().enumerate().filter(|&(_, w)| w == v);
        at.map(|(l, _)| (spec.levels[l].can_locate(), l + 1 == spec.rank())).collect::<Vec<_>>()
    };
    let (mut gain, mut sparse) = (0, false);
    let mut count = |a: &Access| {
        gain += levels(a).into_iter().map(|(_, unit)| if unit { 1 } else { -1 }).sum::<i32>();
    };
    count(lhs);
    counted.iter().for_each(|n| n.body.for_each_access(&mut count));
    let mut look = |a: &Access| sparse |= levels(a).into_iter().any(|(locates, _)| !locates);
    look(lhs);
    nests.iter().for_each(|n| n.body.for_each_access(&mut look));
    if sparse { 0 } else { gain }
}
