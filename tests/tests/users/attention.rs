//! Attention over the edges of a graph: scores, a softmax of each row's edges, weighted sums; with a gradient.

use super::{at, check, entries, everywhere, matrix, sparse, vector};
use sparse_gpu::prelude::*;

tensor_kernel! {
    /// Leaky scores of edges.
    fn scores(A: Csr<f64>, s: DenseVec<f64>, t: DenseVec<f64>) -> Csr<f64> {
        E[i, j] = A[i, j] * max(s[i] + t[j], 0.2 * (s[i] + t[j]));
    }
}

tensor_kernel! {
    /// The largest of each row's stored scores.
    fn largest(E: Tensor<f64, Filled<(Dense, Compressed), NegInf>>) -> DenseVec<f64> {
        m[i] max= E[i, j];
    }
}

tensor_kernel! {
    fn exponentials(A: Csr<f64>, E: Csr<f64>, m: DenseVec<f64>) -> Csr<f64> {
        P[i, j] = A[i, j] * exp(E[i, j] - m[i]);
    }
}

tensor_kernel! {
    /// A fill of −∞ has an exponential of 0, so that the result is as sparse as the scores.
    fn exponentials_of_infinities(E: Tensor<f64, Filled<(Dense, Compressed), NegInf>>, m: DenseVec<f64>) -> Csr<f64> {
        P[i, j] = exp(E[i, j] - m[i]);
    }
}

tensor_kernel! {
    fn sums(P: Csr<f64>) -> DenseVec<f64> { z[i] += P[i, j]; }
}

tensor_kernel! {
    fn shares(P: Csr<f64>, z: DenseVec<f64>) -> Csr<f64> { S[i, j] = P[i, j] / z[i]; }
}

tensor_kernel! {
    fn weighted(S: Csr<f64>, V: DenseMat<f64>) -> DenseMat<f64> { O[i, d] = S[i, j] * V[j, d]; }
}

tensor_kernel! {
    /// Scores of keys and queries at the edges, scaled.
    fn products(A: Csr<f64>, Q: DenseMat<f64>, K: DenseMat<f64>, scale: f64) -> Csr<f64> {
        E[i, j] = A[i, j] * scale * Q[i, d] * K[j, d];
    }
}

tensor_kernel! {
    /// Several heads: scores in the pattern of the edges, once a head.
    fn heads(A: Csr<f64>, Q: Dense3<f64>, K: Dense3<f64>) -> Tensor<f64, (Dense, Compressed, Dense)> {
        E[i, j, h] = A[i, j] * Q[i, h, d] * K[j, h, d];
    }
}

tensor_kernel! {
    /// dE = S ∘ (dS − rows' sums of S ∘ dS)
    fn softmax_gradient(S: Csr<f64>, D: Csr<f64>, r: DenseVec<f64>) -> Csr<f64> {
        E[i, j] = S[i, j] * (D[i, j] - r[i]);
    }
}

tensor_kernel! {
    fn dots(S: Csr<f64>, D: Csr<f64>) -> DenseVec<f64> { r[i] = S[i, j] * D[i, j]; }
}

type Infinite = Tensor<f64, Filled<(Dense, Compressed), NegInf>>;

#[test]
fn softmax_of_edges() -> Result<(), Error> {
    let n = 21;
    let mut edges = entries([n, n], 5);
    edges.values_mut().for_each(|v| *v = 1.0);
    edges.retain(|at, _| at[0] != 4);
    let a: Csr<f64> = sparse([n, n], &edges)?;
    let (s, t) = (vector(n, 1)?, vector(n, 2)?);
    let e = everywhere!(scores, &a, &s, &t);
    let score = |i: usize, j: usize| {
        let sum = s.get([i]) + t.get([j]);
        sum.max(0.2 * sum)
    };
    check(&e, |[i, j]| at(&edges, [i, j]) * score(i, j));
    // The same arrays, filled with −∞.
    let infinite = Infinite::from_triplets([n, n], e.iter())?;
    assert_eq!(infinite.stored(), edges.len());
    let m = everywhere!(largest, &infinite);
    let of = |i: usize| edges.keys().filter(move |at| at[0] == i).map(|at| at[1]);
    let most = |i: usize| of(i).map(|j| score(i, j)).fold(f64::NEG_INFINITY, f64::max);
    check(&m, |[i]| most(i));
    let p = everywhere!(exponentials, &a, &e, &m);
    let exp =
        |i: usize, j: usize| if at(&edges, [i, j]) == 0.0 { 0.0 } else { (score(i, j) - most(i)).exp() };
    check(&p, |[i, j]| exp(i, j));
    let q = everywhere!(exponentials_of_infinities, &infinite, &m);
    assert_eq!(q.stored(), p.stored());
    check(&q, |[i, j]| exp(i, j));
    let z = everywhere!(sums, &p);
    let total = |i: usize| of(i).map(|j| exp(i, j)).sum::<f64>();
    check(&z, |[i]| total(i));
    let shares = everywhere!(shares, &p, &z);
    let share = |i: usize, j: usize| if exp(i, j) == 0.0 { 0.0 } else { exp(i, j) / total(i) };
    check(&shares, |[i, j]| share(i, j));
    let v = matrix([n, 5], 8)?;
    check(&everywhere!(weighted, &shares, &v), |[i, d]| (0..n).map(|j| share(i, j) * v.get([j, d])).sum());
    // Back again.
    let r = everywhere!(dots, &shares, &e);
    let dot = |i: usize| of(i).map(|j| share(i, j) * score(i, j)).sum::<f64>();
    check(&r, |[i]| dot(i));
    check(&everywhere!(softmax_gradient, &shares, &e, &r), |[i, j]| {
        share(i, j) * (at(&edges, [i, j]) * score(i, j) - dot(i))
    });
    Ok(())
}

#[test]
fn scores_of_keys_and_queries() -> Result<(), Error> {
    let n = 17;
    let edges = entries([n, n], 6);
    let a: Csr<f64> = sparse([n, n], &edges)?;
    let (q, k) = (matrix([n, 4], 3)?, matrix([n, 4], 4)?);
    check(&everywhere!(products, &a, &q, &k; 0.5), |[i, j]| {
        at(&edges, [i, j]) * 0.5 * (0..4).map(|d| q.get([i, d]) * k.get([j, d])).sum::<f64>()
    });
    let three = |seed| -> Result<Dense3<f64>, Error> {
        let flat = matrix([n, 6], seed)?;
        Dense3::from_dense([n, 2, 3], flat.vals().to_vec())
    };
    let (q, k) = (three(5)?, three(6)?);
    check(&everywhere!(heads, &a, &q, &k), |[i, j, h]| {
        at(&edges, [i, j]) * (0..3).map(|d| q.get([i, h, d]) * k.get([j, h, d])).sum::<f64>()
    });
    Ok(())
}
