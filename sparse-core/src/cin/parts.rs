//! Products that are summed in parts: what a chain is without a step for each combination of its sums.
//!
//! ```text
//! ∀i ∀j ∀l ∀k Y[i, k] += A[i, j] * X[j, l] * W[l, k]
//!     →   ∀i (∀l ∀k Y[i, k] += t0[l] * W[l, k]) where (∀j ∀l_t0 t0[l_t0] += A[i, j] * X[j, l_t0])
//! ```
//!
//! Some of the factors are summed first over the variables that nothing else has, inside of the loops over what they share with
//! the others. Which ones is the question of an einsum's order of contraction, and [`cost`](mod@super::cost) answers it; parts of
//! parts are asked for one by one, as long as that is less work.
//!
//! What is not stored does not take part: where a part has no terms the product has none, whatever the other factors are there
//! ([`WorkspaceDecl::part`](super::WorkspaceDecl::part)). So zero is what no operand stores.

use super::Cin;
use super::copies::subsets;
use super::terms::{Apart, Arrays, Part, access, free_vars, plain, summed_products, sums_terms};
use super::way::{ONE_MORE, Way};
use crate::format::Fill;
use crate::front::ast::{self, Kernel};
use crate::front::command::Platform;

/// By so much sums in parts have to be less work.
const WORTH: f64 = 2.0;

/// So many parts of a sum's terms may have no terms.
const SKIPPED: usize = 2;

/// The loops in which products are summed in parts, if the statement's own are much more work, and those with copies; else
/// these.
pub(super) fn in_parts(kernel: &Kernel, own: &Way, copies: Option<Way>, arrays: Arrays) -> Option<Way> {
    let spec = &kernel.tensors[kernel.assignment.lhs.tensor.index()].spec;
    // A sum in a sparse result's sum of terms is stored where its row has terms.
    if !spec.is_dense() && sums_terms(&kernel.assignment) {
        return copies;
    }
    let parts = parts(kernel);
    let of = |apart: Apart| {
        Way::of(kernel, Apart { arrays, ..apart }, Platform::Cpu).filter(|way| is_short(kernel, &way.cin))
    };
    let with_one = |apart: &Apart| {
        let with = parts.iter().filter_map(|part| of(apart.with_part(part)?));
        with.reduce(Way::better)
    };
    let bases = [Some(&Apart::NONE), copies.as_ref().map(|way| &way.apart)];
    let mut best = bases.into_iter().flatten().filter_map(with_one).reduce(Way::better);
    while let Some(way) = &best
        && let Some(further) = with_one(&way.apart)
        && further.weight < way.weight
    {
        best = Some(further);
    }
    let others = copies.as_ref().map_or(own.weight, |way| way.weight);
    best.filter(|way| way.weight * WORTH < others).or(copies)
}

/// The loops in which parts are arrays outside of all loops, each less work than those after them, and than these, which are there
/// for calls in which they are not: first those in which arrays are made of arrays.
pub(super) fn with_arrays(kernel: &Kernel, own: &Way, copies: Option<&Way>, best: &Way) -> Vec<Way> {
    let number = |way: &Way| way.cin.workspaces.iter().filter(|w| w.rows.is_some()).count();
    let mut found: Vec<Way> = Vec::new();
    for arrays in [Arrays::OfOperands, Arrays::OfArrays] {
        let last = found.first();
        let (weight, least) = last.map_or((best.weight, 0), |way| (way.weight, number(way)));
        let way = in_parts(kernel, own, copies.cloned(), arrays);
        let way = way.filter(|way| number(way) > least && way.weight * ONE_MORE < weight);
        found.splice(0..0, way);
    }
    found
}

/// Are there products that can be summed in parts?
pub(super) fn any(kernel: &Kernel) -> bool {
    !parts(kernel).is_empty()
}

/// What is left of a sum of terms where a part has none is code of its own, which doubles with each part.
fn is_short(kernel: &Kernel, cin: &Cin) -> bool {
    !sums_terms(&kernel.assignment)
        || cin.workspaces.iter().filter(|w| w.part && w.rows.is_none() && !w.format.is_sparse()).count()
            <= SKIPPED
}

/// The parts of products that are summed over a variable, but for the whole product.
fn parts(kernel: &Kernel) -> Vec<Part> {
    let lhs = access(&kernel.assignment.lhs);
    let vars = |factors: &[&ast::Expr]| {
        let vars = factors.iter().flat_map(|f| free_vars(&plain(f), &lhs));
        vars.collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (term, factors) in summed_products(kernel) {
        if !factors.iter().all(|f| leaves_nothing(kernel, f)) {
            continue;
        }
        for (some, inside, outside) in divisions(&factors) {
            let others = vars(&outside);
            if vars(&inside).iter().any(|v| !others.contains(v)) {
                found.push(Part { term, factors: some });
            }
        }
    }
    found
}

/// Some of a product's factors by their numbers, they, and the others: in every way. Constants are no reason to sum by parts.
pub(crate) fn divisions<'e>(factors: &[&'e ast::Expr]) -> Vec<Division<'e>> {
    let operands: Vec<usize> = (0..factors.len()).filter(|f| !factors[*f].accesses().is_empty()).collect();
    let some = subsets(operands.len()).into_iter().filter(|some| some.len() < operands.len());
    let divided = some.map(|some| {
        let some: Vec<usize> = some.into_iter().map(|at| operands[at]).collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..factors.len()).partition(|f| some.contains(f));
        let of = |numbers: Vec<usize>| numbers.into_iter().map(|f| factors[f]).collect();
        (some, of(inside), of(outside))
    });
    divided.collect()
}

type Division<'e> = (Vec<usize>, Vec<&'e ast::Expr>, Vec<&'e ast::Expr>);

/// Is zero what a factor's operands do not store?
fn leaves_nothing(kernel: &Kernel, factor: &ast::Expr) -> bool {
    factor.accesses().into_iter().all(|a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        spec.is_dense() || spec.fill == Fill::Zero
    })
}

#[cfg(test)]
mod tests {
    use crate::cin::copies::{self, copied};
    use crate::cin::print::print;
    use crate::front::command::Platform;
    use crate::front::parse_str;

    fn cin(text: &str) -> Option<String> {
        let kernel = parse_str(text).unwrap();
        copied(&kernel, Platform::Cpu).map(|cin| print(&cin, &kernel))
    }

    #[test]
    fn a_chain_of_matrices_is_summed_row_by_row() {
        for (text, loops) in [
            (
                "fn f(A: Csr<f32>, X: DenseMat<f32>, W: DenseMat<f32>) -> DenseMat<f32> { Y[i, k] = A[i, j] * X[j, l] * W[l, k]; }",
                "∀i (∀l ∀k Y[i, k] += t0[l] * W[l, k]) where (∀j ∀l_t0 t0[l_t0] += A[i, j] * X[j, l_t0])",
            ),
            (
                "fn f(b: DenseMat<f32>, A: Csr<f32>, X: DenseMat<f32>, W: DenseMat<f32>) -> DenseMat<f32> { Y[i, k] = b[i, k] - A[i, j] * X[j, l] * W[l, k]; }",
                "∀i (∀k (Y[i, k] = b[i, k] - t0) where (∀l t0 += t1[l] * W[l, k])) where (∀j ∀l_t1 t1[l_t1] += A[i, j] * X[j, l_t1])",
            ),
            (
                "fn f(R: Csr<f32>, A: Csr<f32>, P: Csr<f32>) -> Csr<f32> { C[i, l] = R[i, j] * A[j, k] * P[k, l]; }",
                "∀i (∀l C[i, l] = w[l]) where ((∀k ∀l w[l] += t0[k] * P[k, l]) where (∀j ∀k_t0 t0[k_t0] += R[i, j] * A[j, k_t0]))",
            ),
            // Parts of parts.
            (
                "fn f(A: Csr<f32>, X: DenseMat<f32>, W: DenseMat<f32>, V: DenseMat<f32>) -> DenseMat<f32> { Y[i, m] = A[i, j] * X[j, l] * W[l, k] * V[k, m]; }",
                "∀i ((∀k ∀m Y[i, m] += t0[k] * V[k, m]) where (∀l ∀k_t0 t0[k_t0] += t1[l] * W[l, k_t0])) where (∀j ∀l_t1 t1[l_t1] += A[i, j] * X[j, l_t1])",
            ),
        ] {
            assert_eq!(cin(text).as_deref(), Some(loops), "{text}");
        }
    }

    #[test]
    fn what_others_do_not_depend_on_is_summed_once() {
        for (text, loops) in [
            (
                "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[k] = A[i, k] * A[i, j] * x[j]; }",
                "∀i (∀k y[k] += A[i, k] * t0) where (∀j t0 += A[i, j] * x[j])",
            ),
            (
                "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, k]; }",
                "∀i ((y[i] = t0 * t1) where (∀j t0 += A[i, j])) where (∀k t1 += B[i, k])",
            ),
            // For each entry, where its operands lie along the sum.
            (
                "fn f(S: Csr<f32>, Q: DenseMat<f32>, K: DenseMat<f32>, V: DenseMat<f32>) -> DenseMat<f32> { O[i, d] = S[i, j] * Q[i, e] * K[j, e] * V[j, d]; }",
                "∀i ∀j (∀d O[i, d] += S[i, j] * t0 * V[j, d]) where (∀e t0 += Q[i, e] * K[j, e])",
            ),
            // For each fiber, outside of the loops that it is not for.
            (
                "fn f(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> Dense3<f32> { Y[i, r, s] = X[i, j, k] * B[j, r] * C[k, s]; }",
                "∀i ∀j (∀r ∀s Y[i, r, s] += B[j, r] * t0[s]) where (∀k ∀s_t0 t0[s_t0] += X[i, j, k] * C[k, s_t0])",
            ),
        ] {
            assert_eq!(cin(text).as_deref(), Some(loops), "{text}");
        }
    }

    #[test]
    fn a_vector_of_rows_is_a_list() {
        let bilinear = "fn f(x: DenseVec<f32>, A: Csr<f32>, B: Csr<f32>, y: DenseVec<f32>) -> Scalar<f32> { s = x[i] * A[i, j] * B[j, k] * y[k]; }";
        let loops = "(∀j (s += t0[j] * t1) where (∀k t1 += B[j, k] * y[k])) where (∀i ∀j_t0 t0[j_t0] += x[i] * A[i, j_t0])";
        assert_eq!(cin(bilinear).as_deref(), Some(loops));
    }

    fn with_arrays(text: &str) -> Vec<String> {
        let kernel = parse_str(text).unwrap();
        copies::with_arrays(&kernel).iter().map(|cin| print(cin, &kernel)).collect()
    }

    #[test]
    fn one_product_of_a_matrix_follows_the_other() {
        for (text, loops) in [
            (
                "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, h] * A[h, j] * x[j]; }",
                "(∀i ∀h y[i] += A[i, h] * t0[h]) where (∀h_t0 ∀j t0[h_t0] += A[h_t0, j] * x[j])",
            ),
            (
                "fn f(A: Csr<f32>, X: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, h] * A[h, j] * X[j, k]; }",
                "(∀i ∀h ∀k C[i, k] += A[i, h] * t0[h, k]) where (∀h_t0 ∀j ∀k_t0 t0[h_t0, k_t0] += A[h_t0, j] * X[j, k_t0])",
            ),
            (
                "fn f(b: DenseVec<f32>, A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = b[i] - A[i, h] * A[h, j] * x[j]; }",
                "(∀i (y[i] = b[i] - t0) where (∀h t0 += A[i, h] * t1[h])) where (∀h_t1 ∀j t1[h_t1] += A[h_t1, j] * x[j])",
            ),
            (
                "fn f(x: DenseVec<f32>, A: Csr<f32>, B: Csr<f32>, y: DenseVec<f32>) -> Scalar<f32> { s = x[i] * A[i, j] * B[j, k] * y[k]; }",
                "(∀i ∀j s += x[i] * A[i, j] * t0[j]) where (∀j_t0 ∀k t0[j_t0] += B[j_t0, k] * y[k])",
            ),
        ] {
            assert_eq!(with_arrays(text), [loops], "{text}");
        }
    }

    #[test]
    fn an_array_is_made_of_another_one() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, h] * B[h, j] * C[j, l] * x[l]; }";
        let of_arrays = "((∀i ∀h y[i] += A[i, h] * t0[h]) where (∀h_t0 ∀j t0[h_t0] += B[h_t0, j] * t1[j])) where (∀j_t1 ∀l t1[j_t1] += C[j_t1, l] * x[l])";
        // Where some rows of C are empty.
        let of_operands =
            "(∀i ∀h ∀j y[i] += A[i, h] * B[h, j] * t0[j]) where (∀j_t0 ∀l t0[j_t0] += C[j_t0, l] * x[l])";
        assert_eq!(with_arrays(text), [of_arrays, of_operands]);
        let text = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>, D: Csr<f32>, X: DenseMat<f32>) -> DenseMat<f32> { Y[i, m] = A[i, h] * B[h, j] * C[j, k] * D[k, l] * X[l, m]; }";
        let of_arrays = "(((∀i ∀h ∀m Y[i, m] += A[i, h] * t0[h, m]) where (∀h_t0 ∀j ∀m_t0 t0[h_t0, m_t0] += B[h_t0, j] * t1[j, m_t0])) where (∀j_t1 ∀k ∀m_t1 t1[j_t1, m_t1] += C[j_t1, k] * t2[k, m_t1])) where (∀k_t2 ∀l ∀m_t2 t2[k_t2, m_t2] += D[k_t2, l] * X[l, m_t2])";
        assert_eq!(with_arrays(text), [of_arrays]);
    }

    #[test]
    fn what_positions_do_not_tell_is_no_array_outside() {
        for text in [
            // A number a row is enough.
            "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[k] = A[i, k] * A[i, j] * x[j]; }",
            // A row has terms where both have.
            "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, h] * B[h, j] * C[h, j] * x[j]; }",
            // Columns have no fibers.
            "fn f(A: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, h] * A[h, j] * x[j]; }",
            // No terms where a dimension has no coordinates.
            "fn f(A: Csr<f32>, X: DenseMat<f32>, w: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, h] * A[h, j] * X[j, m] * w[m]; }",
            // It counts where something is stored.
            "fn f(A: Csr<f32>, X: DenseMat<f32>) -> Csr<f32> { C[i, k] = A[i, h] * A[h, j] * X[j, k]; }",
            "fn f(A: Csr<f32>, X: Dense3<f32>) -> Dense3<f32> { C[i, k, l] = A[i, h] * A[h, j] * X[j, k, l]; }",
        ] {
            assert!(with_arrays(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_parts_do_not_spare_stays_a_product() {
        for text in [
            // A sum's factor leaves it where it is lowered.
            "fn f(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> DenseMat<f32> { D[i, r] = X[i, j, k] * B[j, r] * C[k, r]; }",
            "fn f(S: Csr<f32>, A: DenseMat<f32>, B: DenseMat<f32>) -> Csr<f32> { C[i, j] = S[i, j] * A[i, k] * B[k, j]; }",
            "fn f(x: DenseVec<f32>, A: Csr<f32>, y: DenseVec<f32>) -> Scalar<f32> { s = x[i] * A[i, j] * y[j]; }",
            "fn f(A: Csr<f32>) -> Scalar<f32> { t = A[i, j] * A[j, k] * A[i, k]; }",
            // What is not stored is 1, and takes part.
            "fn f(A: Tensor<f32, Filled<(Dense, Compressed), One>>, x: DenseVec<f32>) -> DenseVec<f32> { y[k] = A[i, k] * A[i, j] * x[j]; }",
            // Sums of nothing else.
            "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[k] max= A[i, k] * A[i, j] * x[j]; }",
        ] {
            assert_eq!(cin(text), None, "{text}");
        }
        let gpu = parse_str(
            "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[k] = A[i, k] * A[i, j] * x[j]; }",
        );
        assert!(copied(&gpu.unwrap(), Platform::Cuda).is_none(), "threads of a GPU share no row");
    }
}
