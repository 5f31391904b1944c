//! The loop order: one that every operand can be iterated in.
//!
//! A sparse level can be iterated only below a known parent, so the variables of the levels above it come before
//! its own; an assembled result needs its variables in level order, and reductions inside them, or a workspace. Those
//! of dense levels at its leaves need only be inside of its others, and sums of one term ([`single`](super::single)) anywhere. Among the orders
//! that satisfy all this, loops over variables that only dense operands use go innermost if most of those accesses
//! have unit stride there (the vectorised loop of SpMM), and the left-hand side's order decides the rest.

mod edges;
mod sort;

use super::result::{ResultKind, result_kind};
use super::single::singles;
use super::{Access, Cin, Expr, Stmt, Target};
use crate::format::FormatSpec;
use crate::front::ast::{IndexVar, Kernel};
use crate::scalar::Monoid;
use edges::{Edge, Wanted, nest_edges, wanted_by_result};
use sort::{one_order, stride_gain};

/// Loops that share a body: the root's, or a reduction's.
#[derive(Clone)]
pub struct Nest<'a> {
    /// Variables, in the order preferred where nothing decides.
    pub vars: Vec<IndexVar>,
    /// What they loop over.
    pub body: &'a Expr,
    /// The workspace, by number, whose body reads that of this nest; `None`: the root's.
    pub within: Option<usize>,
    /// The order of the loops that read its workspace; empty: any.
    pub order: &'a [IndexVar],
    /// Is it a part of a product, which may have an array for loops that go innermost?
    pub part: bool,
    /// Is it one that may be an array outside of all loops, of several dimensions too?
    pub array: bool,
}

/// The loops of a statement.
#[derive(Debug)]
pub struct Orders {
    /// Loops of the root's nest. If it scatters: those around its workspace, then the producer's.
    pub root: Vec<IndexVar>,
    /// So many loops stand around the workspace of a result whose entries its loops do not make in order; over the
    /// result's other variables, in level order.
    pub scatters: Option<(usize, Vec<IndexVar>)>,
    /// Of each other nest.
    pub reductions: Vec<Reduced>,
}

/// Where a reduction below the root stands, and its loops.
#[derive(Debug)]
pub struct Reduced {
    /// The root's loops around it.
    pub outside: usize,
    /// The root's other variables, for each of which it has an element: a workspace's dimensions.
    pub over: Vec<IndexVar>,
    /// Its loops.
    pub loops: Vec<IndexVar>,
}

/// Which of an assembled result's loops stand around its workspace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// As many as the operands' levels allow.
    Most,
    /// None: all of the result is scattered.
    None,
}

/// The order of the root's loops and of the other nests'.
///
/// An assembled result wants its variables outermost, in level order. Of these some stand around a workspace, and those over
/// the others stand in the operands' order, inside. A reduction of which an operand needs a loop outside of one of the root's
/// takes that loop into itself, and has a workspace over its variable. What it does not depend on it is computed outside of, but
/// inside of so many loops. `None`: there are operands that no order suits.
pub fn choose(
    kernel: &Kernel,
    lhs: &Access,
    op: Option<Monoid>,
    nests: &[Nest<'_>],
    stand_around: Around,
    inside_of: usize,
) -> Option<Orders> {
    let edges: Vec<Vec<Edge>> = nests.iter().map(|nest| nest_edges(kernel, nest, nests)).collect();
    let root_vars = &nests[0].vars;
    let among = |e: &&Edge| root_vars.contains(&e.first) && root_vars.contains(&e.then);
    let own: Vec<&Edge> = edges[0].iter().filter(among).collect();
    let draft = draft(kernel, lhs, op, nests);
    let wanted = match result_kind(kernel, &draft) {
        ResultKind::Append => {
            // A copy is not stored as its operand is.
            let copy =
                |nest: &Nest<'_>, a: &Access| nest.vars.is_empty() && *nest.body == Expr::Access(a.clone());
            let singles = singles(kernel, &draft, |a| !nests[1..].iter().any(|nest| copy(nest, a)));
            wanted_by_result(kernel, lhs, &nests[0], (&own, &singles), stand_around)
        }
        ResultKind::Dense | ResultKind::Like { .. } => Wanted::default(),
    };
    // What the other nests want of the root's loops is a wish: where it cannot be, they have loops of their own. Not of what
    // is copied in order to be read in another order.
    let wishing = nests.iter().zip(&edges).skip(1).filter(|(nest, _)| nest.order.is_empty());
    let wishes = wanted.in_block.iter().chain(wishing.flat_map(|(_, edges)| edges).filter(among));
    let around_parts = around_parts(kernel, lhs, nests);
    let wishes = wishes.chain(&around_parts);
    let root = one_order(kernel, lhs, &nests[0], (nests, nests), wanted.edges.iter().chain(own), wishes)?;
    let mut reductions = Vec::new();
    for (nest, edges) in nests[1..].iter().zip(&edges[1..]) {
        // The loops around where it is read; it stands outside of those of the workspace that reads it.
        let reader: Option<&Reduced> = nest.within.map(|w| &reductions[w]);
        let around = match reader {
            None => root.clone(),
            Some(reader) => [&root[..reader.outside], &reader.loops].concat(),
        };
        let place = |v: IndexVar| around.iter().position(|r| *r == v);
        // Loops around that have to be inside one of these, or of another of those around that is inside of them.
        let inside = |e: &Edge| match (place(e.first), place(e.then)) {
            (None, then) => then,
            (Some(first), Some(then)) => (then < first).then_some(then),
            (Some(_), None) => None,
        };
        let most = reader.map_or(root.len(), |reader| reader.outside);
        let mut outside = edges.iter().filter_map(inside).min().unwrap_or(most).min(most);
        let reads = |v: &IndexVar| has_var(nests, nest.body, *v);
        if nest.part {
            // A row instead of a number for each of its elements, where its operands lie along it.
            let along = |v: &IndexVar| reads(v) && goes_along(kernel, lhs, nests, nest, *v);
            outside = root[..outside].iter().position(along).unwrap_or(outside);
        }
        // An operand is copied once, not in each iteration of loops that don't read it.
        let is_copy = matches!(nest.body, Expr::Access(_)) && nest.vars.is_empty();
        let least = if is_copy { 0 } else { inside_of.min(outside) };
        while outside > least && !reads(&root[outside - 1]) {
            outside -= 1;
        }
        // Nor in each iteration of one around those that do, nor is a row computed there.
        if let Some(once) = (least..outside).find(|&at| !reads(&root[at]))
            && (is_copy || nest.array && once == 0 || around[once..].iter().filter(|v| reads(v)).count() == 1)
        {
            outside = once;
        }
        let mut over = around[outside..].to_vec();
        over.retain(reads);
        let all = Nest { vars: [over.clone(), nest.vars.clone()].concat(), ..*nest };
        let among = |e: &&Edge| all.vars.contains(&e.first) && all.vars.contains(&e.then);
        let own = edges.iter().filter(among);
        let counted = if nest.part { std::slice::from_ref(nest) } else { nests };
        let loops = one_order(kernel, lhs, &all, (nests, counted), own, std::iter::empty())?;
        reductions.push(Reduced { outside, over, loops });
    }
    Some(Orders { root, scatters: wanted.scatters, reductions })
}

/// What parts of a product want of the root's loops: those that a part is for outside of the others, which would compute it again.
fn around_parts(kernel: &Kernel, lhs: &Access, nests: &[Nest<'_>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for nest in nests.iter().filter(|nest| nest.part && nest.within.is_none()) {
        let (read, others): (Vec<IndexVar>, Vec<IndexVar>) =
            nests[0].vars.iter().partition(|v| has_var(nests, nest.body, **v));
        for first in read.into_iter().filter(|v| !goes_along(kernel, lhs, nests, nest, *v)) {
            edges.extend(others.iter().map(|&then| Edge { first, then }));
        }
    }
    edges
}

/// Do a nest's dense operands lie along a variable?
fn goes_along(kernel: &Kernel, lhs: &Access, nests: &[Nest<'_>], nest: &Nest<'_>, v: IndexVar) -> bool {
    stride_gain(kernel, lhs, nests, std::slice::from_ref(nest), v) > 0
}

/// Does a variable's coordinate decide what there is: is it one of a sparse level, or above one?
pub(super) fn decides(kernel: &Kernel, nests: &[Nest<'_>], v: IndexVar) -> bool {
    let mut decides = false;
    nests.iter().for_each(|nest| {
        nest.body.for_each_access(&mut |a| {
            let spec = &kernel.tensors[a.tensor.index()].spec;
            let sparse = spec.levels.iter().rposition(|level| !level.is_full()).map_or(0, |last| last + 1);
            decides |= level_vars(spec, a)[..sparse].contains(&v);
        });
    });
    decides
}

/// Does a value depend on a variable, itself or by a workspace that it reads?
fn has_var(nests: &[Nest<'_>], body: &Expr, v: IndexVar) -> bool {
    body.any(&|e| match e {
        Expr::Access(a) => a.indices.contains(&v),
        Expr::Workspace(w, _) => has_var(nests, nests[w.index() + 1].body, v),
        _ => false,
    })
}

/// A draft of the CIN, for what the order of the loops does not decide.
fn draft(kernel: &Kernel, lhs: &Access, op: Option<Monoid>, nests: &[Nest<'_>]) -> Cin {
    // Workspaces stand for their bodies: each is the sum it will hold.
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
    Cin { root, workspaces: vec![], provenance, accumulates: false }
}

/// The variable at each level of an access, from the root.
pub fn level_vars(spec: &FormatSpec, a: &Access) -> Vec<IndexVar> {
    (0..spec.rank()).map(|l| a.indices[spec.map.dim_of_level(l)]).collect()
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
    fn an_element_of_a_block_is_scattered_once() {
        let blocks = "Tensor<f32, (Dense, Compressed, Dense, Dense)>";
        let product = format!(
            "fn f(A: {blocks}, B: {blocks}) -> {blocks} {{ C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n]; }}"
        );
        assert_eq!(
            cin(&product).unwrap(),
            "∀i (∀k ∀m ∀n C[i, k, m, n] = w[k, m, n]) where (∀j ∀k ∀m ∀n ∀l w[k, m, n] += A[i, j, m, l] * B[j, k, l, n])"
        );
        let outer = format!(
            "fn f(A: Tensor<f32, (Dense, Compressed, Dense)>, B: Tensor<f32, (Dense, Compressed, Dense)>) -> {blocks} \
             {{ C[i, k, m, n] = A[i, j, m] * B[j, k, n]; }}"
        );
        assert_eq!(
            cin(&outer).unwrap(),
            "∀i (∀k ∀m ∀n C[i, k, m, n] = w[k, m, n]) where (∀j ∀k ∀m ∀n w[k, m, n] += A[i, j, m] * B[j, k, n])"
        );
    }

    #[test]
    fn a_result_that_is_scattered_into_has_a_workspace() {
        let text = |ty| format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {ty} {{ C[i, k] = A[i, j] * B[j, k]; }}");
        assert_eq!(
            cin(&text("Csr<f32>")).unwrap(),
            "∀i (∀k C[i, k] = w[k]) where (∀j ∀k w[k] += A[i, j] * B[j, k])"
        );
        assert_eq!(
            cin(&text("Csc<f32>")).unwrap(),
            "(∀k ∀i C[i, k] = w[k, i]) where (∀i ∀j ∀k w[k, i] += A[i, j] * B[j, k])"
        );
        assert_eq!(cin(&text("DenseMat<f32>")).unwrap(), "∀i ∀j ∀k C[i, k] += A[i, j] * B[j, k]");
    }

    #[test]
    fn a_transposition_scatters() {
        let text = "fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }";
        assert_eq!(cin(text).unwrap(), "(∀j ∀i A[j, i] = w[j, i]) where (∀i ∀j w[j, i] = B[i, j])");
    }

    #[test]
    fn a_term_that_needs_another_order_has_a_workspace() {
        let text = |ty| {
            format!(
                "fn f(E: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> {ty} {{ C[i, k] = E[i, k] + A[i, j] * B[j, k]; }}"
            )
        };
        assert_eq!(
            cin(&text("Csr<f32>")).unwrap(),
            "∀i (∀k C[i, k] = E[i, k] + t0[k]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * B[j, k_t0])"
        );
    }

    #[test]
    fn a_term_in_another_order_is_computed_first() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, j] = A[i, j] + 2 * B[j, i]; }";
        assert_eq!(
            cin(text).unwrap(),
            "(∀i ∀j C[i, j] = A[i, j] + t0[i, j]) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = 2.0 * B[j_t0, i_t0])"
        );
    }

    #[test]
    fn so_is_one_of_a_sum_inside_of_a_term() {
        let text = "fn f(A: Csr<f32>) -> Csr<f32> { C[i, j] = (A[i, j] + A[j, i]) / 2; }";
        assert_eq!(
            cin(text).unwrap(),
            "(∀i ∀j C[i, j] = (A[i, j] + t0[i, j]) / 2.0) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])"
        );
        let text = "fn f(A: Csr<f32>) -> Scalar<f32> { s = abs(A[i, j] - A[j, i]); }";
        assert_eq!(
            cin(text).unwrap(),
            "(∀i ∀j s += abs(A[i, j] - t0[i, j])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])"
        );
    }

    #[test]
    fn an_operand_in_another_order_is_copied() {
        for (text, loops) in [
            (
                "fn f(A: Csr<f32>, B: Csc<f32>) -> Csr<f32> { C[i, j] = A[i, j] * B[i, j]; }",
                "(∀i ∀j C[i, j] = A[i, j] * t0[i, j]) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = B[i_t0, j_t0])",
            ),
            // The last of two would do as well, but all of the result would be scattered.
            (
                "fn f(A: Csr<f32>) -> Csr<f32> { C[i, j] = min(A[j, i], A[i, j]); }",
                "(∀i ∀j C[i, j] = min(t0[i, j], A[i, j])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])",
            ),
            // Inside of a row where that is enough.
            (
                "fn f(A: Csf3<f32>, B: Csf3<f32>) -> DenseVec<f32> { y[i] = A[i, j, k] * B[i, k, j]; }",
                "∀i (∀j ∀k y[i] += A[i, j, k] * t0[j, k]) where (∀k_t0 ∀j_t0 t0[j_t0, k_t0] = B[i, k_t0, j_t0])",
            ),
            // In a term that is summed.
            (
                "fn f(b: DenseVec<f32>, A: Csr<f32>, B: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = b[i] - (A[i, j] * B[i, j]) * x[j]; }",
                "(∀i (y[i] = b[i] - t0) where (∀j t0 += A[i, j] * t1[i, j] * x[j])) where (∀j_t1 ∀i_t1 t1[i_t1, j_t1] = B[i_t1, j_t1])",
            ),
            (
                "fn f(b: DenseVec<f32>, A: Csr<f32>, B: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = b[i] - (A[i, j] + B[i, j]) * x[j]; }",
                "(∀i (y[i] = b[i] - t0) where (∀j t0 += (A[i, j] + t1[i, j]) * x[j])) where (∀j_t1 ∀i_t1 t1[i_t1, j_t1] = B[i_t1, j_t1])",
            ),
            (
                "fn f(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Scalar<f64> { s = A[i, j] * B[j, k] * C[k, i]; }",
                "(∀i ∀j ∀k s += A[i, j] * B[j, k] * t0[i, k]) where (∀k_t0 ∀i_t0 t0[i_t0, k_t0] = C[k_t0, i_t0])",
            ),
        ] {
            assert_eq!(cin(text).unwrap(), loops, "{text}");
        }
    }

    #[test]
    fn a_coordinate_that_is_known_is_sought() {
        let text = "fn f(A: Csf3<f32>) -> DenseMat<f32> { C[i, j] = A[i, j, i]; }";
        assert_eq!(cin(text).unwrap(), "∀i ∀j C[i, j] = A[i, j, i]");
    }

    #[test]
    fn of_many_operands_the_last_are_copied() {
        let sum = ["i, j", "j, i"]
            .map(|v| ["A", "B", "C", "D"].map(|t| format!("{t}[{v}]")).join(" * "))
            .join(" * ");
        let text = format!(
            "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>, D: Csr<f32>) -> Scalar<f32> {{ s = {sum}; }}"
        );
        let cin = cin(&text).unwrap();
        assert!(cin.contains("* D[i, j] * t0[i, j] * t1[i, j] * t2[i, j] * t3[i, j]"), "{cin}");
    }
}
