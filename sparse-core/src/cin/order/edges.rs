//! What must be, or had better be, an outer loop of what: by operands, which are iterated below their parents, and by an
//! assembled result, which is made in the order of its levels.

use super::super::Access;
use super::super::single::Single;
use super::{Around, Nest, level_vars};
use crate::front::ast::{IndexVar, Kernel};

/// `first` must be an outer loop of `then`.
pub(super) struct Edge {
    pub(super) first: IndexVar,
    pub(super) then: IndexVar,
}

/// What the operands of a nest want, and the copies among them.
pub(super) fn nest_edges(kernel: &Kernel, nest: &Nest<'_>, nests: &[Nest<'_>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    nest.body.for_each_access(&mut |a| operand_edges(kernel, a, &mut edges));
    nest.body.for_each_workspace(&mut |w| {
        let pairs = nests[w.index() + 1].order.windows(2);
        edges.extend(pairs.map(|pair| Edge { first: pair[0], then: pair[1] }));
    });
    edges
}

fn operand_edges(kernel: &Kernel, a: &Access, edges: &mut Vec<Edge>) {
    let spec = &kernel.tensors[a.tensor.index()].spec;
    let vars = level_vars(spec, a);
    for (l, level) in spec.levels.iter().enumerate() {
        // A coordinate that is known is sought.
        if level.can_locate() || vars[..l].contains(&vars[l]) {
            continue;
        }
        for &first in vars[..l].iter().filter(|&&v| v != vars[l]) {
            edges.push(Edge { first, then: vars[l] });
        }
    }
}

/// What an assembled result wants of the root's loops.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) edges: Vec<Edge>,
    /// Of the loops over its blocks, if that can be.
    pub(super) in_block: Vec<Edge>,
    pub(super) scatters: Option<(usize, Vec<IndexVar>)>,
}

/// The variables of dense levels at the leaves are those of a block, which is there before anything is written into it: they
/// stand inside of the others, around reductions or not.
pub(super) fn wanted_by_result(
    kernel: &Kernel,
    lhs: &Access,
    root: &Nest<'_>,
    (own, singles): (&[&Edge], &[Single]),
    stand_around: Around,
) -> Wanted {
    let spec = &kernel.tensors[lhs.tensor.index()].spec;
    let vars = level_vars(spec, lhs);
    let (appended, block) = vars.split_at(vars.len() - spec.block_levels());
    let fits = |kept: &usize| {
        let result = result_edges(&appended[..*kept], root, singles);
        is_acyclic(&result.iter().chain(own.iter().copied()).collect::<Vec<_>>())
    };
    let all = appended.len();
    let kept = match stand_around {
        Around::None => 0,
        Around::Most => (0..=all).rev().find(fits).unwrap_or(all),
    };
    let edges = result_edges(&appended[..kept], root, singles);
    match kept < all {
        true => {
            let in_block = match is_listed(kernel, root, block) {
                true => vec![],
                false => around_elements(&appended[kept..], block, root),
            };
            Wanted { edges, in_block, scatters: Some((kept, vars[kept..].to_vec())) }
        }
        false => Wanted { edges, in_block: level_order(block), scatters: None },
    }
}

/// What loops that scatter blocks want: those over a block inside of all that come to it, which would be gone through for each of its
/// rows, and sums that only dense levels have inside of its elements, which are scattered once each.
fn around_elements(scattered: &[IndexVar], block: &[IndexVar], root: &Nest<'_>) -> Vec<Edge> {
    let (Some(&first), Some(&last)) = (block.first(), block.last()) else { return vec![] };
    let outside = scattered.iter().map(|&v| Edge { first: v, then: first });
    let others = root.vars.iter().filter(|v| !scattered.contains(v) && !block.contains(v));
    let inside = others.map(|&then| Edge { first: last, then });
    outside.chain(level_order(block)).chain(inside).collect()
}

/// Does an operand store which coordinates of these variables there are? Its entries are no block that has all of them.
fn is_listed(kernel: &Kernel, nest: &Nest<'_>, vars: &[IndexVar]) -> bool {
    let mut listed = false;
    nest.body.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let mut levels = level_vars(spec, a).into_iter().zip(&spec.levels);
        listed |= levels.any(|(v, level)| vars.contains(&v) && !level.is_full());
    });
    listed
}

/// The outer variables of an assembled result: in level order, and around all other loops but those of one term, which stand
/// inside of what they are below.
fn result_edges(outer: &[IndexVar], root: &Nest<'_>, singles: &[Single]) -> Vec<Edge> {
    let mut inside: Vec<IndexVar> = outer.to_vec();
    let mut edges = level_order(outer);
    for single in singles.iter().filter(|s| !outer.contains(&s.var)) {
        if single.above.iter().all(|above| inside.contains(above)) {
            edges.extend(single.above.iter().map(|&first| Edge { first, then: single.var }));
            inside.push(single.var);
        }
    }
    for &then in root.vars.iter().filter(|v| !inside.contains(v)) {
        edges.extend(outer.iter().map(|&first| Edge { first, then }));
    }
    edges
}

/// Each variable outside of the next one.
fn level_order(vars: &[IndexVar]) -> Vec<Edge> {
    vars.windows(2).map(|pair| Edge { first: pair[0], then: pair[1] }).collect()
}

/// Is there an order with all of these edges?
pub(super) fn is_acyclic(edges: &[&Edge]) -> bool {
    edges.iter().all(|e| !reaches(edges, e.then, e.first))
}

/// Does one of these edges, or a row of them, lead from a variable to another?
pub(super) fn reaches(edges: &[&Edge], from: IndexVar, to: IndexVar) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while at < seen.len() {
        let node = seen[at];
        for e in edges.iter().filter(|e| e.first == node) {
            if e.then == to {
                return true;
            }
            if !seen.contains(&e.then) {
                seen.push(e.then);
            }
        }
        at += 1;
    }
    false
}
