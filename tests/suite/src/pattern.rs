//! Where a sparse result has entries: the rule, and what of it a run broke.
//!
//! An entry is stored wherever the statement's algebra brings stored entries together: at every coordinate at which the
//! right-hand side is not the fill because of what is *not* stored. Values decide nothing: what cancels stays stored.
//! A statement that is reduced as a whole stores an entry where it has a term, and so does a workspace. Elsewhere an entry
//! is stored where the loops cannot know better: a coordinate of the result that they visit while terms of a sum, or a
//! dense block of the result, are still to be reduced inside is stored even if the reduction then finds nothing, as the sum
//! of an empty row. So the pattern is predicted from the loops of CIN: an operand counts as present at a visited
//! coordinate if the levels that were walked by then are, and an entry is stored unless the statement with the absent
//! operands' fills does nothing. Dense levels below are padded. Entries are in the order of the levels, none twice.

mod places;
mod walk;

use crate::case::{Case, Operand};
use crate::number::{Number, is_extreme};
use crate::oracle::{background, for_each_point, pad};
use sparse_core::cin::Cin;
use sparse_core::cin::copies::warnings;
use sparse_core::cin::result::{ResultKind, result_kind};
use sparse_core::driver::{concretize_kernel, default_loops, packed};
use sparse_core::format::Fill;
use sparse_core::front::ast::{AssignOp, Expr, Kernel, Mode};
use sparse_core::front::command::{Platform, Schedule};
use sparse_core::front::parse_str;
use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp};
use sparse_core::tensor::DynTensor;
use std::collections::BTreeSet;
use walk::Walk;

/// Where the result of a case has entries.
pub struct Pattern<'a> {
    out: &'a Operand,
    /// Where stored entries meet.
    meetings: BTreeSet<Vec<usize>>,
    visited: Option<Visited>,
}

/// The coordinates of the result that loops visit.
struct Visited {
    /// An entry has to be there.
    surely: BTreeSet<Vec<usize>>,
    /// There, or where the algebra leaves open whether there is something to do, may be an entry.
    perhaps: BTreeSet<Vec<usize>>,
}

impl<'a> Pattern<'a> {
    /// The pattern of a case whose result has these elements, if one is assembled.
    pub fn new(case: &'a Case, elements: &[Number]) -> Option<Self> {
        let out = case.output();
        if out.mode != Mode::Result
            || out.spec.is_dense()
            || folds_to_annihilator(case)
            || comes_to_identity(case)
        {
            return None;
        }
        let fill = out.spec.fill.value(case.dtype);
        let (mut meetings, mut open) = (Vec::new(), Vec::new());
        let mut elements = elements.iter();
        for_each_point(&out.dims, &mut |at| {
            match elements.next() {
                Some(n) if !n.structural || n.value != fill => meetings.push(at.to_vec()),
                Some(n) if n.open => open.push(at.to_vec()),
                _ => {}
            };
        });
        let visited = visited(case, &meetings, open);
        Some(Pattern { out, meetings: padded(out, &meetings), visited })
    }

    /// Can the format hold them? `None` if the rule leaves some open.
    pub fn fits(&self, dtype: DType) -> Option<bool> {
        let visited = self.visited.as_ref().filter(|v| v.surely == v.perhaps)?;
        let entries: Vec<_> =
            self.meetings.union(&visited.surely).map(|c| (c.clone(), dtype.from_i64(1))).collect();
        let (spec, dims) = (self.out.spec.clone(), self.out.dims.clone());
        Some(DynTensor::from_entries(spec, dtype, dims, &entries, true).is_ok())
    }

    /// What is wrong with the coordinates that a result stores, in the order of storage.
    pub fn check(&self, stored: &[Vec<usize>]) -> Option<String> {
        let by_level =
            |c: &Vec<usize>| -> Vec<usize> { self.out.spec.order().iter().map(|&d| c[d]).collect() };
        if let Some(w) = stored.windows(2).find(|w| by_level(&w[0]) >= by_level(&w[1])) {
            return Some(format!("out of order or twice: {:?} before {:?}", w[0], w[1]));
        }
        let stored: BTreeSet<Vec<usize>> = stored.iter().cloned().collect();
        if let Some(c) = self.meetings.difference(&stored).next() {
            return Some(format!("entries meet without an entry in the result: {c:?}"));
        }
        let Visited { surely, perhaps } = self.visited.as_ref()?;
        if let Some(c) = surely.difference(&stored).next() {
            return Some(format!("no entry where the loops visit one: {c:?}"));
        }
        let more = stored.difference(perhaps).next()?;
        Some(format!("an entry where the loops visit nothing: {more:?}"))
    }
}

/// Does a product of integers, or a conjunction or disjunction of their bits, have several constants, literals and fills that stand
/// for infinities, or of bits a fill of 1? They may be folded in any order, and two of them may come to what annihilates all others,
/// 0 or of a disjunction −1, which neither is, as −2 | 1: whether that is met is left open.
fn folds_to_annihilator(case: &Case) -> bool {
    let integers = !case.dtype.is_float() && case.dtype != DType::Bool;
    let bits = case
        .assignment
        .rhs
        .any(|e| matches!(e, Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Unary(UnaryOp::Not, ..)));
    let mut constants = literals(&case.assignment.rhs);
    case.assignment.rhs.for_each_access(&mut |a| {
        let fill = case.tensors[a.tensor.index()].spec.fill;
        constants += usize::from(is_extreme(fill.value(case.dtype)) || bits && fill == Fill::One);
    });
    integers && constants > 1 && multiplies(&case.assignment.rhs)
}

/// May a reduction of what is there where nothing is stored come to its identity, as the product (−1)² does, or a sum that wraps?
/// Values decide whether entries are stored then.
fn comes_to_identity(case: &Case) -> bool {
    let m = match case.assignment.op {
        AssignOp::Assign => Monoid::Add,
        AssignOp::Reduce(m) => m,
    };
    let wraps = !case.dtype.is_float() && m == Monoid::Add;
    let lhs = &case.assignment.lhs.indices;
    let mut reduces = false;
    case.assignment.rhs.for_each_access(&mut |a| reduces |= a.indices.iter().any(|v| !lhs.contains(v)));
    reduces && (m == Monoid::Mul || wraps) && background(case) != m.identity(case.dtype)
}

fn literals(e: &Expr) -> usize {
    let mut literals = 0;
    e.visit(&mut |e| literals += usize::from(matches!(e, Expr::Literal(_))));
    literals
}

fn multiplies(e: &Expr) -> bool {
    e.any(|e| matches!(e, Expr::Binary(BinaryOp::Mul | BinaryOp::And | BinaryOp::Or, ..)))
}

/// The coordinates that a format stores if it stores these.
fn padded(out: &Operand, coords: &[Vec<usize>]) -> BTreeSet<Vec<usize>> {
    let mut all = BTreeSet::new();
    pad(&out.spec, &out.dims, coords.iter().collect(), &mut |c| {
        all.insert(c.to_vec());
    });
    all
}

/// The coordinates of the result that the loops of the case's CIN visit; `None` if they are of derived variables, which
/// says nothing about them.
fn visited(case: &Case, meetings: &[Vec<usize>], open: Vec<Vec<usize>>) -> Option<Visited> {
    if !case.schedule.is_empty() {
        return None;
    }
    let kernel = packed(parse_str(&case.kernel_text()).ok()?);
    let by = |cin: Cin| visited_by(case, &kernel, &cin, meetings, open.clone());
    let by_default = match case.platform {
        Platform::Cpu => &kernel.cpu,
        Platform::Cuda => &kernel.cuda,
    };
    let own = by(concretize_kernel(&kernel).ok()?)?;
    if !matches!(by_default, Schedule::Default) {
        return Some(own);
    }
    // One thread runs the statement's own loops, and so does a GPU if it cannot run the others. Those may store less, never more.
    let other = by(default_loops(&kernel, case.platform).ok()?)?;
    Some(Visited { surely: &own.surely & &other.surely, perhaps: own.perhaps })
}

/// The coordinates of the result that these loops visit.
fn visited_by(
    case: &Case,
    kernel: &Kernel,
    cin: &Cin,
    meetings: &[Vec<usize>],
    open: Vec<Vec<usize>>,
) -> Option<Visited> {
    let bound = places::bound(case, kernel, cin)?;
    let walk = Walk::new(case, &bound);
    let lhs = &case.assignment.lhs.indices;
    let whole = reduces_as_a_whole(case);
    // A block is there before what is reduced into it.
    let listed = kernel.tensors.iter().any(|t| t.packed.is_some());
    let in_blocks = case.output().spec.levels.last().is_some_and(|l| l.is_full()) && !listed;
    if case.platform == Platform::Cuda && in_blocks && !warnings(kernel, cin).is_empty() {
        // Where an operand is copied for each row, a GPU copies it for all: its loops come to other rows than these.
        return None;
    }
    let background = match case.assignment.op {
        AssignOp::Reduce(m) => m.identity(case.dtype)?,
        AssignOp::Assign => case.output().spec.fill.value(case.dtype),
    };
    let (mut surely, mut perhaps) = (Vec::new(), open);
    for_each_point(&case.output().dims, &mut |at| {
        let mut point = vec![None; case.vars.len()];
        lhs.iter().zip(at).for_each(|(v, &c)| point[v.index()] = Some(c));
        if whole && !in_blocks {
            // A sum that has no term is not stored.
            surely.extend(meetings.binary_search_by(|m| m[..].cmp(at)).is_ok().then(|| at.to_vec()));
            return;
        }
        let n = walk.right_side(&mut point);
        // A workspace has elements where its sums have terms, which the walk to its reader does not tell.
        let unsure = bound.scattered && meetings.binary_search_by(|m| m[..].cmp(at)).is_err();
        if n.open || unsure && (!n.structural || n.value != background) {
            perhaps.push(at.to_vec());
        } else if !n.structural || n.value != background {
            surely.push(at.to_vec());
        }
    });
    if let ResultKind::Like { of, levels } = result_kind(kernel, cin) {
        // An operand's pattern is shared as it is, even by a result that is the fill everywhere.
        let name = kernel.tensors[of.tensor.index()].name.to_string();
        let operand = || case.tensors.iter().filter(|t| t.name == name);
        // What the operand has not is a dense level's, of which all is there.
        let written = &kernel.assignment.lhs.indices;
        let dims: Vec<_> = written.iter().map(|v| of.indices.iter().position(|w| w == v)).collect();
        let at = |c: &Vec<usize>| dims.iter().map(|d| d.map_or(0, |d| c[d])).collect();
        perhaps.extend(operand().flat_map(|t| t.entries.iter().map(|e| at(&e.0))));
        let by_dimension = |t: &Operand, fiber: &[usize]| {
            let mut c = vec![0; t.dims.len()];
            t.spec.order().iter().zip(fiber).for_each(|(&d, own)| c[d] = *own);
            c
        };
        for t in operand() {
            perhaps.extend(t.bare_fibers().filter(|f| f.len() >= levels).map(|f| at(&by_dimension(t, f))));
        }
    }
    let out = case.output();
    let all = [&surely[..], &perhaps].concat();
    Some(Visited { surely: padded(out, &surely), perhaps: padded(out, &all) })
}

/// Is the right-hand side reduced as a whole, not term by term?
fn reduces_as_a_whole(case: &Case) -> bool {
    let lhs = &case.assignment.lhs.indices;
    let mut free = false;
    case.assignment.rhs.for_each_access(&mut |a| free |= a.indices.iter().any(|v| !lhs.contains(v)));
    let mut rhs = &case.assignment.rhs;
    while let Expr::Unary(UnaryOp::Neg, a) = rhs {
        rhs = a;
    }
    let additive = matches!(rhs, Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..));
    free && match case.assignment.op {
        AssignOp::Reduce(m) if m != Monoid::Add => true,
        _ => !additive,
    }
}

/// Is the result one whose pattern is checked?
pub fn is_checked(case: &Case) -> bool {
    case.output().mode == Mode::Result && !case.output().spec.is_dense()
}
