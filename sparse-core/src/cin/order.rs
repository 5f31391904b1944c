//! The loop order: one that every operand can be iterated in.
//!
//! A sparse level can be iterated only below a known parent, so the variables of the levels above it come before
//! its own; an assembled result needs its variables in level order, and reductions inside them. Among the orders
//! that satisfy all this, loops over variables that only dense operands use go innermost if most of those accesses
//! have unit stride there (the vectorised loop of SpMM), and the left-hand side's order decides the rest.

use super::result::{ResultKind, result_kind};
use super::{Access, Cin, Expr, Stmt, Target};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::{FormatSpec, Level, LevelMap};
use crate::front::ast::{IndexVar, Kernel};
use crate::front::type_name;
use crate::scalar::Monoid;
use proc_macro2::Span;

/// Loops that share a body: the root's, or a reduction's.
pub struct Nest<'a> {
    /// Variables, in the order preferred where nothing decides.
    pub vars: Vec<IndexVar>,
    /// What they loop over.
    pub body: &'a Expr,
}

/// `first` must be an outer loop of `then`, because of this operand, or of the result.
struct Edge {
    first: IndexVar,
    then: IndexVar,
    cause: Option<Access>,
}

/// The order of each nest's loops, in the order of `nests` (the root first).
///
/// # Errors
/// Operands, or the result, that no order suits.
pub fn choose(
    kernel: &Kernel,
    lhs: &Access,
    op: Option<Monoid>,
    nests: &[Nest<'_>],
) -> Result<Vec<Vec<IndexVar>>, Diagnostics> {
    let mut edges = Vec::new();
    if appends(kernel, lhs, op, nests) {
        result_edges(kernel, lhs, &nests[0], &mut edges);
    }
    for nest in nests {
        nest.body.for_each_access(&mut |a| operand_edges(kernel, a, &mut edges));
    }
    let mut diagnostics = Diagnostics::new();
    let mut orders = Vec::new();
    for (n, nest) in nests.iter().enumerate() {
        let mut mine: Vec<&Edge> = Vec::new();
        for e in &edges {
            let here = |v| nest.vars.contains(&v);
            let from_outside = n > 0 && here(e.first) && nests[0].vars.contains(&e.then);
            if let Some(a) = e.cause.as_ref().filter(|a| from_outside && mentions(nest, a)) {
                diagnostics.push(discordant(kernel, a, e));
            } else if here(e.first) && here(e.then) {
                if !reaches(&mine, e.then, e.first) {
                    mine.push(e);
                    continue;
                }
                // The result's own order comes first and has no cycle: an operand closes this one. Would the order
                // do if entries of the result could be added to later?
                let Some(a) = &e.cause else { continue };
                let finishes = |e: &&Edge| e.cause.is_none() && !lhs.indices.contains(&e.then);
                let scattered: Vec<&Edge> = mine.iter().copied().filter(|e| !finishes(e)).collect();
                if !reaches(&scattered, e.then, e.first) {
                    return Err(scattered_result(kernel, a, e).into());
                }
                diagnostics.push(discordant(kernel, a, e));
            }
        }
        orders.push(sort(kernel, lhs, nest, nests, &mine));
    }
    diagnostics.finish(orders)
}

fn mentions(nest: &Nest<'_>, operand: &Access) -> bool {
    let mut found = false;
    nest.body.for_each_access(&mut |a| found |= a == operand);
    found
}

/// Is the output assembled? Decided on a draft of the CIN, whose loop order does not matter here.
fn appends(kernel: &Kernel, lhs: &Access, op: Option<Monoid>, nests: &[Nest<'_>]) -> bool {
    // Workspaces stand for their bodies: a draft in which each is the sum it will hold.
    let mut root = Stmt::Assign { target: Target::Tensor(lhs.clone()), op, rhs: nests[0].body.clone() };
    for (k, nest) in nests[1..].iter().enumerate() {
        let assign = Stmt::Assign {
            target: Target::Workspace(super::Workspace(k as u32), vec![]),
            op: Some(Monoid::Add),
            rhs: nest.body.clone(),
        };
        let producer = Box::new(Stmt::nest(&nest.vars, assign));
        root = Stmt::Where { consumer: Box::new(root), producer };
    }
    let provenance = super::Provenance::new(kernel);
    let draft = Cin { root, workspaces: vec![], provenance, accumulates: false };
    result_kind(kernel, &draft) == ResultKind::Append
}

/// The variable at each level of an access, from the root.
pub fn level_vars(spec: &FormatSpec, a: &Access) -> Vec<IndexVar> {
    (0..spec.rank()).map(|l| a.indices[spec.map.dim_of_level(l)]).collect()
}

fn operand_edges(kernel: &Kernel, a: &Access, edges: &mut Vec<Edge>) {
    let spec = &kernel.tensors[a.tensor.index()].spec;
    let vars = level_vars(spec, a);
    for (l, level) in spec.levels.iter().enumerate() {
        if level.can_locate() {
            continue;
        }
        for &first in vars[..l].iter().filter(|&&v| v != vars[l]) {
            edges.push(Edge { first, then: vars[l], cause: Some(a.clone()) });
        }
    }
}

fn result_edges(kernel: &Kernel, lhs: &Access, root: &Nest<'_>, edges: &mut Vec<Edge>) {
    let vars = level_vars(&kernel.tensors[lhs.tensor.index()].spec, lhs);
    for pair in vars.windows(2) {
        edges.push(Edge { first: pair[0], then: pair[1], cause: None });
    }
    for &v in root.vars.iter().filter(|v| !vars.contains(v)) {
        edges.extend(vars.iter().map(|&first| Edge { first, then: v, cause: None }));
    }
}

fn reaches(edges: &[&Edge], from: IndexVar, to: IndexVar) -> bool {
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

fn sort(kernel: &Kernel, lhs: &Access, nest: &Nest<'_>, all: &[Nest<'_>], edges: &[&Edge]) -> Vec<IndexVar> {
    let key = |v: IndexVar| {
        let gain = if edges.iter().any(|e| e.first == v) { 0 } else { stride_gain(kernel, lhs, all, v) };
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
fn stride_gain(kernel: &Kernel, lhs: &Access, nests: &[Nest<'_>], v: IndexVar) -> i32 {
    let mut gain = 0;
    let mut sparse = false;
    let mut count = |a: &Access| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        for (l, w) in level_vars(spec, a).into_iter().enumerate().filter(|&(_, w)| w == v) {
            debug_assert_eq!(w, v);
            sparse |= !spec.levels[l].can_locate();
            gain += if l + 1 == spec.rank() { 1 } else { -1 };
        }
    };
    count(lhs);
    nests.iter().for_each(|n| n.body.for_each_access(&mut count));
    if sparse { 0 } else { gain }
}

fn discordant(kernel: &Kernel, a: &Access, e: &Edge) -> Diagnostic {
    let name = |v: IndexVar| kernel.vars[v.0 as usize].name.as_str();
    let (first, then) = (name(e.first), name(e.then));
    let t = &kernel.tensors[a.tensor.index()];
    let order: Vec<_> = level_vars(&t.spec, a).into_iter().map(name).collect();
    let LevelMap::Permutation(modes) = &t.spec.map;
    let wanted = concordant_order(&t.spec, a, e);
    Diagnostic::new(
        "discordant-order",
        access_span(kernel, a),
        format!(
            "`{}` is stored in the order ({}), mode order {modes:?}, so its loop over `{then}` must be inside its loop over `{first}`; the rest of the statement needs the opposite",
            t.name,
            order.join(", ")
        ),
    )
    .help(format!(
        "store it in mode order {wanted:?}: declare `{0}: {1}`, and convert the argument before the call, `{0}.convert()`",
        t.name,
        type_name(&t.spec.clone().reordered(wanted.clone()), t.dtype)
    ))
}

/// An operand needs a sum outside a loop over the result's own variable.
fn scattered_result(kernel: &Kernel, a: &Access, e: &Edge) -> Diagnostic {
    let name = |v: IndexVar| kernel.vars[v.0 as usize].name.as_str();
    let t = &kernel.tensors[kernel.assignment.lhs.tensor.index()];
    let dense = FormatSpec::new(vec![Level::Dense; t.spec.rank()]).filled(t.spec.fill);
    Diagnostic::new(
        "scattered-result",
        kernel.assignment.lhs.span,
        format!(
            "`{}` is sparse and would be scattered into: `{}` needs the reduction over `{}` outside the loop over `{}`, so entries come again and again, in no order; that needs a workspace, which is not available yet for a sparse result",
            t.name,
            kernel.tensors[a.tensor.index()].name,
            name(e.first),
            name(e.then)
        ),
    )
    .help(format!("return a dense result: `-> {}`", type_name(&dense, t.dtype)))
}

/// The operand's mode order with the two variables' levels in the order the loops need.
fn concordant_order(spec: &FormatSpec, a: &Access, e: &Edge) -> Vec<usize> {
    let mut order: Vec<usize> = (0..spec.rank()).map(|l| spec.map.dim_of_level(l)).collect();
    let at = |v: IndexVar| order.iter().position(|&d| a.indices[d] == v);
    if let (Some(x), Some(y)) = (at(e.first), at(e.then)) {
        let moved = order.remove(y);
        order.insert(x, moved);
    }
    order
}

fn access_span(kernel: &Kernel, a: &Access) -> Span {
    let mut span = kernel.assignment.lhs.span;
    kernel.assignment.rhs.for_each_access(&mut |b| {
        if b.tensor == a.tensor && b.indices == a.indices {
            span = b.span;
        }
    });
    span
}

#[cfg(test)]
mod tests {
    use crate::cin::concretize::concretize;
    use crate::cin::print::print;
    use crate::front::parse_str;

    fn cin(text: &str) -> Result<String, String> {
        let kernel = parse_str(text).map_err(|f| f.diagnostics.to_string())?;
        concretize(&kernel).map(|c| print(&c, &kernel)).map_err(|d| d.to_string())
    }

    #[test]
    fn unit_stride_loops_of_dense_operands_go_innermost() {
        let spmm = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        assert_eq!(cin(spmm).unwrap(), "∀i ∀j ∀k C[i, k] += A[i, j] * B[j, k]");
        let gemm =
            "fn f(A: DenseMat<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        assert_eq!(cin(gemm).unwrap(), "∀i ∀j ∀k C[i, k] += A[i, j] * B[j, k]");
    }

    #[test]
    fn level_order_comes_before_the_left_hand_side() {
        let csc = "fn f(A: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
        assert_eq!(cin(csc).unwrap(), "∀j ∀i y[i] += A[i, j] * x[j]");
    }

    #[test]
    fn each_additive_term_sums_its_own_variables() {
        let residual = "fn f(b: DenseVec<f32>, A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { \
             r[i] = b[i] - A[i, j] * x[j]; }";
        assert_eq!(cin(residual).unwrap(), "∀i (r[i] = b[i] - t0) where (∀j t0 += A[i, j] * x[j])");
    }

    #[test]
    fn a_result_that_is_scattered_into_is_refused() {
        let text = |ty| format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {ty} {{ C[i, k] = A[i, j] * B[j, k]; }}");
        let error = cin(&text("Csr<f32>")).unwrap_err();
        assert!(error.contains("scattered-result") && error.contains("-> DenseMat<f32>"), "{error}");
        assert_eq!(cin(&text("DenseMat<f32>")).unwrap(), "∀i ∀j ∀k C[i, k] += A[i, j] * B[j, k]");
    }

    #[test]
    fn operands_that_need_opposite_orders_are_refused() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, j] = A[i, j] + B[j, i]; }";
        let error = cin(text).unwrap_err();
        assert!(error.contains("discordant-order") && error.contains("Csc"), "{error}");
    }
}
