//! Layers of graph networks: convolution with symmetric normalisation, means and maxima over neighbours.

use super::{at, check, coords, entries, everywhere, matrix, sparse, vector};
use sparse_gpu::prelude::*;

tensor_kernel! {
    /// Sums of the rows of A.
    fn degrees(A: Csr<f64>) -> DenseVec<f64> { d[i] = A[i, j]; }
}

tensor_kernel! {
    /// D^(-1/2)·A·D^(-1/2), with A's pattern.
    fn normalise(A: Csr<f64>, d: DenseVec<f64>) -> Csr<f64> {
        N[i, j] = A[i, j] / (sqrt(d[i]) * sqrt(d[j]));
    }
}

tensor_kernel! {
    /// max(A·X·W, 0), in one statement: the product is one term, so it is summed after max.
    fn layer(N: Csr<f64>, X: DenseMat<f64>, W: DenseMat<f64>) -> DenseMat<f64> {
        H[i, f] = N[i, j] * X[j, k] * W[k, f];
    }
}

tensor_kernel! {
    fn relu(H: DenseMat<f64>) -> DenseMat<f64> { R[i, f] = max(H[i, f], 0.0); }
}

tensor_kernel! {
    /// relu(H + b), the bias for all rows.
    fn biased_relu(H: DenseMat<f64>, b: DenseVec<f64>) -> DenseMat<f64> { R[i, f] = max(H[i, f] + b[f], 0); }
}

tensor_kernel! {
    /// Means over the neighbours.
    fn mean(A: Csr<f64>, X: DenseMat<f64>, d: DenseVec<f64>) -> DenseMat<f64> {
        H[i, k] = A[i, j] * X[j, k] / d[i];
    }
}

tensor_kernel! {
    /// (1 + ε)·X + A·X
    fn isomorphism(A: Csr<f64>, X: DenseMat<f64>, eps: f64) -> DenseMat<f64> {
        H[i, k] = (1.0 + eps) * X[i, k] + A[i, j] * X[j, k];
    }
}

/// Edges; there is none where nothing is stored.
type Edges = Tensor<f64, Filled<(Dense, Compressed), NegInf>>;

tensor_kernel! {
    /// Maxima over the neighbours: −∞ where there are none.
    fn pool(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>, X: DenseMat<f64>) -> DenseMat<f64> {
        H[i, k] max= A[i, j] + X[j, k];
    }
}

tensor_kernel! {
    /// The gradient of the weights of one layer, Xᵀ·Aᵀ·G.
    fn weights(N: Csr<f64>, X: DenseMat<f64>, G: DenseMat<f64>) -> DenseMat<f64> {
        W[k, f] = X[j, k] * N[i, j] * G[i, f];
    }
}

/// A graph whose last vertex has no edges, of ones.
fn graph(n: usize) -> super::Entries<2> {
    let mut all = entries([n, n], 7);
    all.retain(|at, _| at[0] + 1 < n && at[1] + 1 < n);
    all.values_mut().for_each(|v| *v = 1.0);
    all
}

#[test]
fn convolution() -> Result<(), Error> {
    let n = 23;
    let mut edges = graph(n);
    (0..n).for_each(|v| {
        edges.insert([v, v], 1.0);
    });
    let a: Csr<f64> = sparse([n, n], &edges)?;
    let d = everywhere!(degrees, &a);
    let degree = |i: usize| edges.keys().filter(|at| at[0] == i).count() as f64;
    check(&d, |[i]| degree(i));
    let norm = everywhere!(normalise, &a, &d);
    assert_eq!(norm.stored(), a.stored());
    let scaled = |i, j| at(&edges, [i, j]) / (degree(i).sqrt() * degree(j).sqrt());
    check(&norm, |[i, j]| scaled(i, j));
    let (x, w, b) = (matrix([n, 6], 3)?, matrix([6, 5], 4)?, vector(5, 5)?);
    let h = everywhere!(layer, &norm, &x, &w);
    let sum = |i: usize, f: usize| -> f64 {
        coords([n, 6]).map(|[j, k]| scaled(i, j) * x.get([j, k]) * w.get([k, f])).sum()
    };
    check(&h, |[i, f]| sum(i, f));
    check(&everywhere!(relu, &h), |[i, f]| sum(i, f).max(0.0));
    check(&everywhere!(biased_relu, &h, &b), |[i, f]| (sum(i, f) + b.get([f])).max(0.0));
    let g = matrix([n, 5], 9)?;
    check(&everywhere!(weights, &norm, &x, &g), |[k, f]| {
        coords([n, n]).map(|[i, j]| x.get([j, k]) * scaled(i, j) * g.get([i, f])).sum()
    });
    Ok(())
}

#[test]
fn neighbours() -> Result<(), Error> {
    let n = 19;
    let edges = graph(n);
    let a: Csr<f64> = sparse([n, n], &edges)?;
    let x = matrix([n, 7], 11)?;
    let d = everywhere!(degrees, &a);
    let of = |i: usize| edges.keys().filter(move |at| at[0] == i).map(|at| at[1]);
    assert_eq!((of(n - 1).count(), d.get([n - 1])), (0, 0.0));
    // What has no neighbours has no terms to divide.
    check(&everywhere!(mean, &a, &x, &d), |[i, k]| {
        of(i).map(|j| x.get([j, k])).sum::<f64>() / (of(i).count().max(1)) as f64
    });
    check(&everywhere!(isomorphism, &a, &x; 0.5), |[i, k]| {
        1.5 * x.get([i, k]) + of(i).map(|j| x.get([j, k])).sum::<f64>()
    });
    let zeros = edges.keys().map(|at| (*at, 0.0));
    let e = Edges::from_triplets([n, n], zeros)?;
    check(&everywhere!(pool, &e, &x), |[i, k]| {
        of(i).map(|j| x.get([j, k])).fold(f64::NEG_INFINITY, f64::max)
    });
    Ok(())
}
