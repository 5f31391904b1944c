//! Sums of a matrix and one in another order, inside of terms: A and Aᵀ, rows and columns.

use super::{Entries, at, check, coords, entries, everywhere, sparse, vector};
use sparse_gpu::prelude::*;

tensor_kernel! {
    /// (A + Aᵀ)/2
    fn symmetric(A: Csr<f64>) -> Csr<f64> { S[i, j] = (A[i, j] + A[j, i]) / 2; }
}
tensor_kernel! {
    fn symmetric_coo(A: Coo<f64>) -> Coo<f64> { S[i, j] = 0.5 * (A[i, j] + A[j, i]); }
}
tensor_kernel! {
    fn add_symmetric(A: Csr<f64>, S: &mut DenseMat<f64>) { S[i, j] += (A[i, j] + A[j, i]) / 2; }
}
tensor_kernel! {
    /// ‖A − Aᵀ‖²: a reduction that all threads of a GPU share.
    fn asymmetry(A: Csr<f64>) -> Scalar<f64> { s = (A[i, j] - A[j, i]) * (A[i, j] - A[j, i]); }
}
tensor_kernel! {
    fn largest(A: Csr<f64>) -> Tensor<f64, Filled<(), NegInf>> { s max= abs(A[i, j] - A[j, i]); }
}
tensor_kernel! {
    /// What is not stored in the mask does not take part, whatever `W` has there.
    fn masked(M: Csr<f64>, A: Csr<f64>, B: Csc<f64>, W: DenseMat<f64>) -> DenseMat<f64> {
        S[i, j] = W[i, j] * (A[i, j] - 1.3 * B[i, j]) * M[i, j];
    }
}
tensor_kernel! {
    fn apply(A: Csr<f64>, B: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = (A[i, j] + B[i, j]) * x[j]; }
}
tensor_kernel! {
    fn product(A: Csr<f64>, B: Csc<f64>, C: Csr<f64>) -> Csr<f64> { P[i, k] = (A[i, j] - B[i, j]) * C[j, k]; }
}
tensor_kernel! {
    /// The mean over all orders of two indices.
    fn exchanged(X: Csf3<f64>) -> Csf3<f64> { S[i, j, k] = (X[i, j, k] + X[j, i, k] + X[k, j, i]) / 3; }
}

#[test]
fn a_matrix_and_its_transpose() -> Result<(), Error> {
    for (n, seed) in [(0, 1), (1, 2), (9, 3), (33, 4)] {
        let stored = entries([n, n], seed);
        let (a, coo) = (sparse([n, n], &stored)?, sparse([n, n], &stored)?);
        let half = |[i, j]: [usize; 2]| (at(&stored, [i, j]) + at(&stored, [j, i])) / 2.0;
        let apart = |[i, j]: [usize; 2]| at(&stored, [i, j]) - at(&stored, [j, i]);
        let met =
            coords([n, n]).filter(|&[i, j]| stored.contains_key(&[i, j]) || stored.contains_key(&[j, i]));
        let s = everywhere!(symmetric, &a);
        check(&s, half);
        assert!(s.iter().map(|(c, _)| c).eq(met));
        check(&everywhere!(symmetric_coo, &coo), half);
        check(&everywhere!(asymmetry, &a), |[]| coords([n, n]).map(|c| apart(c) * apart(c)).sum());
        let most = coords([n, n]).map(|c| apart(c).abs()).fold(f64::NEG_INFINITY, f64::max);
        check(&everywhere!(largest, &a), |[]| most);
        let sim = Sim::new();
        let mut sum = DenseMat::full([n, n], 1.0);
        let mut there = sum.to(&sim)?;
        add_symmetric(&a, &mut sum)?;
        add_symmetric(&a.to(&sim)?, &mut there)?;
        check(&sum, |c| 1.0 + half(c));
        check(&there.to_host()?, |c| 1.0 + half(c));
    }
    Ok(())
}

#[test]
fn rows_and_columns() -> Result<(), Error> {
    let [m, n, o] = [11, 14, 6];
    let (ea, eb, em) = (entries([m, n], 5), entries([m, n], 6), entries([m, n], 7));
    let (a, b, mask) = (sparse([m, n], &ea)?, sparse([m, n], &eb)?, sparse([m, n], &em)?);
    let w = DenseMat::full([m, n], f64::INFINITY);
    let met = |c| em.contains_key(&c) && (ea.contains_key(&c) || eb.contains_key(&c));
    check(&everywhere!(masked, &mask, &a, &b, &w), |c| match met(c) {
        true => f64::INFINITY * (at(&ea, c) - 1.3 * at(&eb, c)) * at(&em, c),
        false => 0.0,
    });
    let x = vector(n, 8)?;
    let both = |c| at(&ea, c) + at(&eb, c);
    check(&everywhere!(apply, &a, &b, &x), |[i]| (0..n).map(|j| both([i, j]) * x.get([j])).sum());
    let ec = entries([n, o], 9);
    let difference = |c| at(&ea, c) - at(&eb, c);
    check(&everywhere!(product, &a, &b, &sparse([n, o], &ec)?), |[i, k]| {
        (0..n).map(|j| difference([i, j]) * at(&ec, [j, k])).sum()
    });
    let ex: Entries<3> = entries([5, 5, 5], 10);
    check(&everywhere!(exchanged, &sparse([5, 5, 5], &ex)?), |[i, j, k]| {
        (at(&ex, [i, j, k]) + at(&ex, [j, i, k]) + at(&ex, [k, j, i])) / 3.0
    });
    Ok(())
}
