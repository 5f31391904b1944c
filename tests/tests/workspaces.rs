//! Sparse results whose entries their loops do not make in order: workspaces, natively.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn spgemm_hash(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [k], acc, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn spgemm_sort(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], acc, Sort);
        unroll(kw, 2);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn spgemm_dcsr(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// The product by columns of the first.
    fn spgemm_outer(A: Csc<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn gram(A: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[j, i] * A[j, k];
    }
}

tensor_kernel! {
    fn galerkin(R: Csr<f64>, A: Csr<f64>, P: Csr<f64>) -> Csr<f64> {
        C[i, l] = R[i, j] * A[j, k] * P[k, l];
    }
}

tensor_kernel! {
    fn masked(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = M[i, k] * A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn transpose(B: Csr<f64>) -> Csr<f64> {
        A[j, i] = B[i, j];
    }
}

tensor_kernel! {
    fn add_product(E: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = E[i, k] + A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// The loops that fill its workspace have names of their own, which the schedule need not know.
    fn add_product_hash(E: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = E[i, k] + A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], w, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn residual_sort(b: DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>) -> SparseVec<f64> {
        y[j] = b[j] - A[i, j] * x[i];
    }
    schedule cpu {
        precompute(A[i, j] * x[i], [j], [j], w, Sort);
    }
    schedule cuda = none;
}

tensor_kernel! {
    /// A workspace named as generated code names something of its own.
    fn spgemm_named(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], A_val, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn spmv_named(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        precompute(A[i, j] * x[j], [i], [iw], t, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn min_plus(
        A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>,
        B: Tensor<f64, Filled<(Dense, Compressed), PosInf>>,
    ) -> Tensor<f64, Filled<(Dense, Compressed), PosInf>> {
        C[i, k] min= A[i, j] + B[j, k];
    }
}

tensor_kernel! {
    fn ttm(T: Csf3<f64>, B: Csr<f64>) -> Csf3<f64> {
        C[i, j, l] = T[i, j, k] * B[k, l];
    }
}

tensor_kernel! {
    fn slices(A: Coo3<f64>, B: Coo3<f64>) -> Tensor<f64, (Compressed, Dense, Compressed)> {
        C[i, j, k] = A[i, j, k] + B[i, j, k];
    }
}

tensor_kernel! {
    fn one_each(A: Csr<f64>, x: DenseVec<f64>) -> Tensor<f64, (Dense, Singleton)> {
        P[i, j] = A[i, j] * x[j];
    }
}

/// `A·B` by its definition: entries where terms meet.
fn product(a: &DenseMat<f64>, b: &DenseMat<f64>) -> DenseMat<f64> {
    let [n, m] = [a.dims(), b.dims()];
    let mut c = vec![0.0; n[0] * m[1]];
    for i in 0..n[0] {
        for k in 0..m[1] {
            c[i * m[1] + k] = (0..n[1]).map(|j| a.get([i, j]) * b.get([j, k])).sum();
        }
    }
    DenseMat::from_dense([n[0], m[1]], c).unwrap()
}

fn matrices() -> (Csr<f64>, Csr<f64>) {
    let a = Csr::random_sparse([70, 90], 0.05, 1);
    let b = Csr::random_sparse([90, 130], 0.04, 2);
    (a, b)
}

#[test]
fn products_of_sparse_matrices() {
    let (a, b) = matrices();
    let expected = product(&a.to_dense().unwrap(), &b.to_dense().unwrap());
    let csr = spgemm(&a, &b).unwrap();
    assert!(csr.to_dense().unwrap().approx_eq(&expected, 1e-12));
    for other in [spgemm_hash(&a, &b).unwrap(), spgemm_sort(&a, &b).unwrap()] {
        // Sums have other roundings: products are not fused with them.
        assert!(other.iter().map(|e| e.0).eq(csr.iter().map(|e| e.0)));
        assert!(other.to_dense().unwrap().approx_eq(&expected, 1e-12));
    }
    let dcsr = spgemm_dcsr(&a.convert().unwrap(), &b.convert().unwrap()).unwrap();
    assert!(dcsr.to_dense().unwrap().approx_eq(&expected, 1e-12));
    assert_eq!(dcsr.stored(), csr.stored());
    let outer = spgemm_outer(&a.convert().unwrap(), &b).unwrap();
    assert!(outer.to_dense().unwrap().approx_eq(&expected, 1e-12));
    assert_eq!(outer.stored(), csr.stored());
}

#[test]
fn products_of_one_and_of_three() {
    let (a, b) = matrices();
    let at = transpose(&a).unwrap();
    let mut turned: Vec<_> = a.iter().map(|([i, j], v)| ([j, i], v)).collect();
    turned.sort_by_key(|(at, _)| *at);
    assert!(at.iter().eq(turned));
    let ata = gram(&a).unwrap();
    assert!(
        ata.to_dense().unwrap().approx_eq(&product(&at.to_dense().unwrap(), &a.to_dense().unwrap()), 1e-12)
    );
    let three = galerkin(&a, &b, &transpose(&b).unwrap()).unwrap();
    let bbt = product(&b.to_dense().unwrap(), &transpose(&b).unwrap().to_dense().unwrap());
    assert!(three.to_dense().unwrap().approx_eq(&product(&a.to_dense().unwrap(), &bbt), 1e-12));
}

#[test]
fn masks_and_sums() {
    let (a, b) = matrices();
    let m = Csr::random_sparse([70, 130], 0.1, 3);
    let ab = product(&a.to_dense().unwrap(), &b.to_dense().unwrap());
    let found = masked(&m, &a, &b).unwrap();
    for ([i, k], v) in found.iter() {
        assert!((v - m.get([i, k]) * ab.get([i, k])).abs() < 1e-12);
    }
    let full = spgemm(&a, &b).unwrap();
    let both = m.iter().filter(|(at, _)| full.iter().any(|(other, _)| other == *at)).count();
    assert_eq!(found.stored(), both);
    let sum = add_product(&m, &a, &b).unwrap();
    assert!(sum.iter().all(|([i, k], v)| (v - m.get([i, k]) - ab.get([i, k])).abs() < 1e-12));
    assert_eq!(sum.stored(), m.stored() + full.stored() - both);
}

#[test]
fn other_reductions_and_other_levels() {
    let a = Tensor::from_triplets([3, 3], [([0, 1], 2.0), ([0, 2], 5.0), ([2, 2], 1.0)]).unwrap();
    let b = Tensor::from_triplets([3, 2], [([1, 0], 4.0), ([2, 0], 0.5), ([2, 1], 3.0)]).unwrap();
    let c = min_plus(&a, &b).unwrap();
    let entries: Vec<_> = c.iter().collect();
    assert_eq!(entries, [([0, 0], 5.5), ([0, 1], 8.0), ([2, 0], 1.5), ([2, 1], 4.0)]);
    let t = Csf3::random_sparse([9, 8, 30], 0.05, 4);
    let b = Csr::random_sparse([30, 12], 0.1, 5);
    let c = ttm(&t, &b).unwrap();
    for ([i, j, l], v) in c.iter() {
        let expected: f64 = (0..30).map(|k| t.get([i, j, k]) * b.get([k, l])).sum();
        assert!((v - expected).abs() < 1e-12);
    }
    assert!(c.stored() > 0);
}

#[test]
fn formats_that_are_packed() {
    let a = Tensor::random_sparse([6, 4, 9], 0.1, 6);
    let b = Tensor::random_sparse([6, 4, 9], 0.1, 7);
    let c = slices(&a, &b).unwrap();
    for ([i, j, k], v) in c.iter() {
        assert_eq!(v, a.get([i, j, k]) + b.get([i, j, k]));
    }
    let x = DenseVec::from_dense([3], vec![1.0, 2.0, 3.0]).unwrap();
    let permutation = Csr::from_triplets([3, 3], [([0, 2], 1.0), ([1, 0], 1.0), ([2, 1], 1.0)]).unwrap();
    let p = one_each(&permutation, &x).unwrap();
    assert!(p.iter().eq([([0, 2], 3.0), ([1, 0], 1.0), ([2, 1], 2.0)]));
    let two = Csr::from_triplets([2, 3], [([0, 2], 1.0), ([0, 0], 1.0)]).unwrap();
    assert!(matches!(one_each(&two, &x), Err(Error::NotOneEntry { .. })));
}

#[test]
fn workspaces_are_named_as_the_user_likes() -> Result<(), Error> {
    let [a, b, e] = [1, 2, 3].map(|seed| Csr::random_sparse([30, 30], 0.1, seed));
    let x = DenseVec::random([30], 4);
    assert!(add_product_hash(&e, &a, &b)?.approx_eq(&add_product(&e, &a, &b)?, 1e-12));
    assert!(spgemm_named(&a, &b)?.approx_eq(&spgemm(&a, &b)?, 1e-12));
    let (y, r) = (spmv_named(&a, &x)?, residual_sort(&x, &a, &x)?);
    for n in 0..30 {
        let row: f64 = (0..30).map(|m| a.get([n, m]) * x.get([m])).sum();
        let column: f64 = (0..30).map(|m| a.get([m, n]) * x.get([m])).sum();
        assert!((y.get([n]) - row).abs() < 1e-12);
        assert!((r.get([n]) - (x.get([n]) - column)).abs() < 1e-12);
    }
    Ok(())
}
