//! Steps of tensor decompositions: MTTKRP of every mode, chains of TTM, cores, fits.

use super::{at, check, coords, entries, everywhere, matrix, sparse};
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn first(T: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        M[i, r] = T[i, j, k] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    fn second(T: Csf3<f64>, A: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        M[j, r] = T[i, j, k] * A[i, r] * C[k, r];
    }
}
tensor_kernel! {
    fn third(T: Csf3<f64>, A: DenseMat<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        M[k, r] = T[i, j, k] * A[i, r] * B[j, r];
    }
}
tensor_kernel! {
    fn of_coordinates(T: Coo3<f64>, A: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        M[j, r] = T[i, j, k] * A[i, r] * C[k, r];
    }
}
tensor_kernel! {
    fn of_order_four(T: Csf4<f64>, B: DenseMat<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> {
        M[i, r] = T[i, j, k, l] * B[j, r] * C[k, r] * D[l, r];
    }
}
tensor_kernel! {
    fn gram(A: DenseMat<f64>) -> DenseMat<f64> { G[r, s] = A[i, r] * A[i, s]; }
}
tensor_kernel! {
    fn hadamard(G: DenseMat<f64>, H: DenseMat<f64>) -> DenseMat<f64> { V[r, s] = G[r, s] * H[r, s]; }
}
tensor_kernel! {
    fn inner(T: Csf3<f64>, A: DenseMat<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Scalar<f64> {
        s = T[i, j, k] * A[i, r] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    /// The model's values where the tensor has entries.
    fn sampled(T: Csf3<f64>, A: DenseMat<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Csf3<f64> {
        S[i, j, k] = T[i, j, k] * A[i, r] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    /// The last mode of a semi-sparse result is dense.
    fn ttm(T: Csf3<f64>, C: DenseMat<f64>) -> Tensor<f64, (Compressed, Compressed, Dense)> {
        Y[i, j, r] = T[i, j, k] * C[k, r];
    }
}
tensor_kernel! {
    fn second_ttm(Y: Tensor<f64, (Compressed, Compressed, Dense)>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Dense, Dense)> {
        Z[i, q, r] = Y[i, j, r] * B[j, q];
    }
}
tensor_kernel! {
    fn both_ttm(T: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Dense3<f64> {
        Z[i, q, r] = T[i, j, k] * B[j, q] * C[k, r];
    }
}
tensor_kernel! {
    fn core(T: Csf3<f64>, A: DenseMat<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Dense3<f64> {
        G[p, q, r] = T[i, j, k] * A[i, p] * B[j, q] * C[k, r];
    }
}
tensor_kernel! {
    /// Two vectors at once.
    fn ttvs(T: Csf3<f64>, b: DenseVec<f64>, c: DenseVec<f64>) -> SparseVec<f64> { y[i] = T[i, j, k] * b[j] * c[k]; }
}
tensor_kernel! {
    /// A contraction of two sparse tensors.
    fn contract(S: Csf3<f64>, T: Csf3<f64>) -> Csr<f64> { C[i, l] = S[i, j, k] * T[l, j, k]; }
}

#[test]
fn products_with_factors() -> Result<(), Error> {
    let [m, n, o, rank] = [9, 8, 7, 5];
    let all = entries([m, n, o], 2);
    let t: Csf3<f64> = sparse([m, n, o], &all)?;
    let (a, b, c) = (matrix([m, rank], 3)?, matrix([n, rank], 4)?, matrix([o, rank], 5)?);
    let (fa, fb, fc) = (|i, r| a.get([i, r]), |j, r| b.get([j, r]), |k, r| c.get([k, r]));
    check(&everywhere!(first, &t, &b, &c), |[i, r]| {
        coords([n, o]).map(|[j, k]| at(&all, [i, j, k]) * fb(j, r) * fc(k, r)).sum()
    });
    let expected = |[j, r]: [usize; 2]| -> f64 {
        coords([m, o]).map(|[i, k]| at(&all, [i, j, k]) * fa(i, r) * fc(k, r)).sum()
    };
    check(&everywhere!(second, &t, &a, &c), expected);
    check(
        &everywhere!(
            of_coordinates,
            &t.convert::<(Compressed<NonUnique>, Singleton<NonUnique>, Singleton)>()?,
            &a,
            &c
        ),
        expected,
    );
    check(&everywhere!(third, &t, &a, &b), |[k, r]| {
        coords([m, n]).map(|[i, j]| at(&all, [i, j, k]) * fa(i, r) * fb(j, r)).sum()
    });
    let model = |i: usize, j: usize, k: usize| (0..rank).map(|r| fa(i, r) * fb(j, r) * fc(k, r)).sum::<f64>();
    check(&everywhere!(inner, &t, &a, &b, &c), |_| {
        coords([m, n, o]).map(|[i, j, k]| at(&all, [i, j, k]) * model(i, j, k)).sum()
    });
    let s = everywhere!(sampled, &t, &a, &b, &c);
    assert_eq!(s.stored(), t.stored());
    check(&s, |[i, j, k]| at(&all, [i, j, k]) * model(i, j, k));
    let g = everywhere!(gram, &a);
    let dot = |r, s| (0..m).map(|i| fa(i, r) * fa(i, s)).sum::<f64>();
    check(&g, |[r, s]| dot(r, s));
    check(&everywhere!(hadamard, &g, &g), |[r, s]| dot(r, s).powi(2));
    Ok(())
}

#[test]
fn chains() -> Result<(), Error> {
    let [m, n, o, p, q, r] = [7, 6, 8, 3, 2, 4];
    let all = entries([m, n, o], 6);
    let t: Csf3<f64> = sparse([m, n, o], &all)?;
    let (a, b, c) = (matrix([m, p], 3)?, matrix([n, q], 4)?, matrix([o, r], 5)?);
    let y = everywhere!(ttm, &t, &c);
    let one = |i: usize, j: usize, r: usize| (0..o).map(|k| at(&all, [i, j, k]) * c.get([k, r])).sum::<f64>();
    check(&y, |[i, j, r]| one(i, j, r));
    let two = |i: usize, q: usize, r: usize| (0..n).map(|j| one(i, j, r) * b.get([j, q])).sum::<f64>();
    check(&everywhere!(second_ttm, &y, &b), |[i, q, r]| two(i, q, r));
    check(&everywhere!(both_ttm, &t, &b, &c), |[i, q, r]| two(i, q, r));
    check(&everywhere!(core, &t, &a, &b, &c), |[p, q, r]| (0..m).map(|i| two(i, q, r) * a.get([i, p])).sum());
    let (v, w) = (super::vector(n, 1)?, super::vector(o, 2)?);
    check(&everywhere!(ttvs, &t, &v, &w), |[i]| {
        coords([n, o]).map(|[j, k]| at(&all, [i, j, k]) * v.get([j]) * w.get([k])).sum()
    });
    let other = entries([5, n, o], 7);
    let u: Csf3<f64> = sparse([5, n, o], &other)?;
    check(&everywhere!(contract, &t, &u), |[i, l]| {
        coords([n, o]).map(|[j, k]| at(&all, [i, j, k]) * at(&other, [l, j, k])).sum()
    });
    Ok(())
}

#[test]
fn order_four() -> Result<(), Error> {
    let dims = [5, 4, 6, 3];
    let all = entries(dims, 9);
    let t: Csf4<f64> = sparse(dims, &all)?;
    let (b, c, d) = (matrix([4, 3], 3)?, matrix([6, 3], 4)?, matrix([3, 3], 5)?);
    check(&everywhere!(of_order_four, &t, &b, &c, &d), |[i, r]| {
        coords([4, 6, 3])
            .map(|[j, k, l]| at(&all, [i, j, k, l]) * b.get([j, r]) * c.get([k, r]) * d.get([l, r]))
            .sum()
    });
    Ok(())
}
