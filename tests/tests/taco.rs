//! What users of TACO reported about sparse results (github.com/tensor-compiler/taco; the numbers are of its issues).
//! Each is a kernel, compiled by the macro and interpreted, against the oracle, its storage and pattern included.
#![forbid(unsafe_code)]
#![allow(non_snake_case)]

use sparse_core::scalar::Value;
use sparse_core::tensor::DynTensor;
use sparse_gpu::prelude::*;
use tests::named::{Data, agrees};
use tests::natively::{build, counted, random};
use tests::{check, kernel};

/// 297: the umbrella: six expressions over sparse matrices whose results came out wrong.
mod products_of_sparse_matrices_297 {
    use super::*;

    kernel! { PRODUCT: fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[i, k] = A[i, j] * B[j, k]; } }
    kernel! { SCALED: fn scaled(A: Csr<f64>, D: DenseVec<f64>) -> Csr<f64> { R[i, k] = A[j, i] * D[j] * A[j, k]; } }
    kernel! {
        DIAGONAL: fn diagonal(A: Csr<f64>, D: Dcsr<f64>) -> Csr<f64> { R[i, l] = A[j, i] * D[j, k] * A[k, l]; }
    }
    kernel! { SQUARE: fn square(A: Csr<f64>) -> Csr<f64> { R[i, k] = A[j, i] * A[j, k]; } }
    kernel! {
        SUMS: fn sums(A: Csr<f64>, B: Csr<f64>, Bt: Csc<f64>, C: Csr<f64>, c0: f64, c1: f64) -> Csr<f64> {
            R[i, k] = (c0 * A[j, i] + B[j, i]) * (c1 * Bt[k, j] + C[j, k]);
        }
    }
    kernel! {
        TRIPLE: fn triple(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {
            R[i, l] = A[i, j] * B[j, k] * C[k, l];
        }
    }
    kernel! {
        UNIONS: fn unions(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {
            R[i, k] = (A[i, j] + B[i, j]) * (A[j, k] + B[j, k] + C[j, k]);
        }
    }

    #[test]
    fn a_product() {
        for (seed, one_in) in [(1, 2), (2, 5), (3, 40)] {
            let A = random(&[9, 7], one_in, seed);
            let B = random(&[7, 11], one_in, seed + 10);
            check!(PRODUCT, product(A, B));
        }
    }

    #[test]
    fn a_product_with_a_diagonal_and_a_transposition() {
        for (seed, one_in) in [(1, 2), (2, 6)] {
            let A = random(&[8, 6], one_in, seed);
            let D = random(&[8], 1, seed + 10);
            check!(SCALED, scaled(A, D));
            let D = build(&[8, 8], &[0, 2, 3, 7].map(|k| (vec![k, k], Value::F64(k as f64))));
            check!(DIAGONAL, diagonal(A, D));
        }
    }

    #[test]
    fn a_matrix_and_its_transposition() {
        for (seed, one_in) in [(1, 2), (2, 6)] {
            let A = random(&[8, 6], one_in, seed);
            check!(SQUARE, square(A));
        }
    }

    #[test]
    fn a_product_of_scaled_sums() {
        for (seed, one_in) in [(1, 2), (2, 6)] {
            let [A, B, C] = [0, 10, 20].map(|k| random(&[7, 7], one_in, seed + k));
            let Bt = build(&[7, 7], &DynTensor::from(&B).iter().collect::<Vec<_>>());
            let (c0, c1) = (2.0, -3.0);
            check!(SUMS, sums(A, B, Bt, C; c0, c1));
        }
    }

    #[test]
    fn a_product_of_three() {
        for (seed, one_in) in [(1, 2), (2, 4)] {
            let A = random(&[5, 7], one_in, seed);
            let B = random(&[7, 6], one_in, seed + 10);
            let C = random(&[6, 8], one_in, seed + 20);
            check!(TRIPLE, triple(A, B, C));
        }
    }

    #[test]
    fn a_product_of_sums() {
        for (seed, one_in) in [(1, 2), (2, 6)] {
            let [A, B, C] = [0, 10, 20].map(|k| random(&[7, 7], one_in, seed + k));
            check!(UNIONS, unions(A, B, C));
        }
    }
}

/// 465: a product of matrices that are sparse in all dimensions did not build, in one order of the indices; and so for
/// tensors with more.
mod products_without_dense_levels_465 {
    use super::*;

    kernel! { PRODUCT: fn product(B: Dcsr<f64>, C: Dcsr<f64>) -> Dcsr<f64> { A[i, k] = B[i, j] * C[j, k]; } }
    kernel! { TURNED: fn turned(B: Dcsr<f64>, C: Dcsr<f64>) -> Dcsr<f64> { A[i, k] = B[i, j] * C[k, j]; } }
    kernel! {
        TENSORS: fn tensors(B: Csf3<f64>, C: Csf3<f64>) -> Tensor<f64, (Compressed, Compressed, Compressed, Compressed)> {
            A[i, j, l, m] = B[i, j, k] * C[k, l, m];
        }
    }

    #[test]
    fn in_both_orders() {
        for (seed, one_in) in [(1, 2), (2, 5), (3, 30)] {
            let B = random(&[9, 7], one_in, seed);
            let C = random(&[7, 11], one_in, seed + 10);
            check!(PRODUCT, product(B, C));
            let C = random(&[11, 7], one_in, seed + 10);
            check!(TURNED, turned(B, C));
        }
    }

    #[test]
    fn of_tensors() {
        let B = random(&[3, 4, 5], 3, 1);
        let C = random(&[5, 4, 3], 3, 2);
        check!(TENSORS, tensors(B, C));
    }
}

/// 522: TTM from CSF and CSC into CSF did not build.
mod ttm_into_csf_522 {
    use super::*;

    kernel! {
        TTM: fn ttm(B: Csf3<f64>, C: Csc<f64>) -> Csf3<f64> { A[i, j, k] = B[i, j, l] * C[k, l]; }
    }

    #[test]
    fn with_a_matrix_by_columns() {
        for (seed, one_in) in [(1, 2), (2, 5), (3, 20)] {
            let B = random(&[5, 4, 6], one_in, seed);
            let C = random(&[7, 6], one_in, seed + 10);
            check!(TTM, ttm(B, C));
        }
    }
}

/// 558: a contraction of COO tensors into a COO tensor left entries out, and stored others again and again.
mod contractions_of_coordinates_558 {
    use super::*;

    /// Four coordinates an entry.
    type Coo4<T> = Tensor<T, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)>;

    kernel! {
        CONTRACTION: fn contraction(
            A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)>,
            B: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)>,
        ) -> Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)> {
            C[p1, p3, h3, h2] += 0.5 * A[p2, p3, h3, h1] * B[p1, p2, h1, h2];
        }
    }

    #[test]
    fn every_element_is_there_once() {
        // As it was reported, with smaller tensors: all elements of the operands are stored.
        let A: Coo4<f64> = counted(&[4, 3, 2, 5]);
        let B: Coo4<f64> = counted(&[3, 4, 5, 2]);
        let C = check!(CONTRACTION, contraction(A, B));
        assert_eq!(C.stored(), 3 * 3 * 2 * 2);
    }

    #[test]
    fn of_few_entries() {
        for seed in 0..4 {
            let A: Coo4<f64> = random(&[4, 3, 2, 5], 7, seed);
            let B: Coo4<f64> = random(&[3, 4, 5, 2], 7, seed + 10);
            check!(CONTRACTION, contraction(A, B));
        }
    }
}

/// 564: a transposition did not build.
mod transpositions_564 {
    use super::*;

    kernel! { ROWS: fn rows(A: Csr<f64>) -> Csr<f64> { B[j, i] = A[i, j]; } }
    kernel! { COLUMNS: fn columns(A: Csr<f64>) -> Csc<f64> { B[i, j] = A[j, i]; } }

    #[test]
    fn of_rows() {
        for (dims, one_in) in [([4, 4], 2), ([3, 9], 3), ([9, 1], 2), ([0, 3], 1), ([6, 5], 100)] {
            let A = random(&dims, one_in, 7);
            let B = check!(ROWS, rows(A));
            assert_eq!(rows(&B).unwrap(), A);
            check!(COLUMNS, columns(A));
        }
    }
}

/// 555: a contraction whose summed index is not the innermost one read what was not written yet.
#[test]
fn a_summed_index_outside_of_others_555() {
    let text = "fn kernel(S: Csf3<f64>, C: Csr<f64>) -> Csf3<f64> { T[q, c, p] = S[q, r, p] * C[r, c]; }";
    let entries: &[(&[usize], f64)] =
        &[(&[0, 0, 1], 1.0), (&[0, 1, 0], 2.0), (&[0, 1, 1], 3.0), (&[2, 0, 0], 4.0), (&[2, 2, 1], 5.0)];
    let matrix: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[0, 3], 2.0), (&[1, 0], -1.0), (&[2, 3], 3.0)];
    agrees(text, &[Data::Tensor("S", &[3, 3, 2], entries), Data::Tensor("C", &[3, 4], matrix)]);
}

/// 309: coordinates of a result with four levels came in the wrong order, and twice.
#[test]
fn a_result_with_two_indices_of_each_operand_309() {
    let text = "fn kernel(X: Csf3<f64>, Y: Csf3<f64>) -> \
                Tensor<f64, (Compressed, Compressed, Compressed, Compressed)> { Z[j, k, l, m] = X[i, j, k] * Y[i, l, m]; }";
    let entries: &[(&[usize], f64)] = &[
        (&[0, 0, 0], 1.0),
        (&[0, 1, 0], 2.0),
        (&[0, 3, 0], 10.0),
        (&[1, 0, 1], 7.0),
        (&[1, 1, 0], 8.0),
        (&[1, 2, 0], 6.0),
        (&[2, 0, 2], 3.0),
        (&[2, 2, 0], 4.0),
        (&[3, 0, 1], 5.0),
    ];
    agrees(text, &[Data::Tensor("X", &[4, 4, 3], entries), Data::Tensor("Y", &[4, 4, 3], entries)]);
}

/// 214: a sparse result without entries had no arrays.
#[test]
fn results_without_entries_have_all_their_arrays_214() {
    for result in ["Csr", "Dcsr", "Coo"] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: Csr<f64>) -> {result}<f64> {{ R[i, k] = A[i, j] * B[j, k]; }}"
        );
        let one: &[(&[usize], f64)] = &[(&[0, 1], 1.0)];
        for (m, n, k) in [(2, 2, 2), (0, 2, 2), (2, 2, 0)] {
            agrees(&text, &[Data::Tensor("A", &[m, n], &[]), Data::Tensor("B", &[n, k], &[])]);
        }
        agrees(&text, &[Data::Tensor("A", &[2, 2], one), Data::Tensor("B", &[2, 2], one)]);
        agrees(&text, &[Data::Tensor("A", &[2, 0], &[]), Data::Tensor("B", &[0, 2], &[])]);
    }
    let text = "fn kernel(A: Tensor<f64, (Compressed, Dense)>, c: SparseVec<f64>) -> SparseVec<f64> { y[i] = A[j, i] * c[j]; }";
    agrees(text, &[Data::Tensor("A", &[3, 2], &[(&[1, 0], 1.0)]), Data::Tensor("c", &[3], &[(&[2], 1.0)])]);
}

/// 325, 315: products of matrices in every combination of formats, of which some crashed and some were wrong.
#[test]
fn every_combination_of_formats_in_a_product_325() {
    let formats = ["DenseMat", "Csr", "Csc", "Dcsr", "Coo"];
    let b: &[(&[usize], f64)] =
        &[(&[0, 0], 1.0), (&[1, 2], 2.0), (&[1, 3], 3.0), (&[2, 0], -1.0), (&[2, 2], 4.0)];
    let c: &[(&[usize], f64)] = &[(&[0, 1], 4.0), (&[1, 0], 5.0), (&[2, 1], 4.0), (&[3, 1], -1.0)];
    for (a, (x, y)) in
        formats.iter().flat_map(|a| formats.iter().flat_map(move |x| formats.map(|y| (a, (x, y)))))
    {
        let text =
            format!("fn kernel(B: {x}<f64>, C: {y}<f64>) -> {a}<f64> {{ A[i, j] = B[i, k] * C[k, j]; }}");
        agrees(&text, &[Data::Tensor("B", &[3, 4], b), Data::Tensor("C", &[4, 2], c)]);
    }
}
