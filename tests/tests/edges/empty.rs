//! Nothing to compute: sizes of 0, operands without entries, sums without terms; on the host and on the simulator.

use crate::everywhere;
use sparse_gpu::prelude::*;

type C = Compressed;

tensor_kernel! { fn copy0(A: Scalar<f32>) -> Scalar<f32> { B = A; } }
tensor_kernel! { fn copy1(A: SparseVec<f32>) -> SparseVec<f32> { B[i] = A[i]; } }
tensor_kernel! { fn copy2(A: Csr<f32>) -> Dcsr<f32> { B[i, j] = A[i, j]; } }
tensor_kernel! { fn copy3(A: Csf3<f32>) -> Dense3<f32> { B[i, j, k] = A[i, j, k]; } }
tensor_kernel! { fn copy4(A: Coo4<f32>) -> Csf4<f32> { B[i, j, k, l] = A[i, j, k, l]; } }
tensor_kernel! {
    fn copy6(A: Tensor<f32, (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed)>)
        -> Tensor<f32, (Dense, Compressed, Compressed, Compressed, Compressed, Compressed)>
    {
        B[i, j, k, l, m, n] = A[i, j, k, l, m, n];
    }
}

#[test]
fn tensors_of_every_rank() -> Result<(), Error> {
    assert_eq!(everywhere!(copy0, Scalar::<f32>::from_triplets([], [])?).value()?, 0.0);
    for n in [0, 1, 5] {
        assert_eq!(everywhere!(copy1, SparseVec::from_triplets([n], [])?).stored(), 0);
        for m in [0, 1, 5] {
            let b = everywhere!(copy2, Csr::from_triplets([n, m], [])?);
            assert_eq!((b.dims(), b.stored()), ([n, m], 0));
            let b = everywhere!(copy3, Csf3::from_triplets([n, m, 3], [])?);
            assert_eq!((b.dims(), b.vals().len()), ([n, m, 3], n * m * 3));
            assert!(b.vals().iter().all(|v| *v == 0.0));
            assert_eq!(everywhere!(copy4, Coo4::from_triplets([n, 1, m, 2], [])?).stored(), 0);
            let b =
                everywhere!(copy6, Tensor::<f32, (C, C, C, C, C, C)>::from_triplets([n, 1, m, 2, 0, 3], [])?);
            assert_eq!((b.dims(), b.stored()), ([n, 1, m, 2, 0, 3], 0));
        }
    }
    Ok(())
}

tensor_kernel! { fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; } }
tensor_kernel! { fn spmm(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! { fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! { fn add(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] + B[i, j]; } }
tensor_kernel! { fn transpose(A: Csr<f64>) -> Csr<f64> { B[j, i] = A[i, j]; } }
tensor_kernel! {
    fn sddmm(S: Csr<f64>, Q: DenseMat<f64>, K: DenseMat<f64>) -> Csr<f64> { R[i, j] = S[i, j] * Q[i, c] * K[j, c]; }
}
tensor_kernel! {
    fn mttkrp(X: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        A[i, r] = X[i, j, k] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    fn by_entries(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
    schedule cpu {
        fuse(i, j, f);
        pos(f, p, A[i, j]);
        split(p, p0, p1, 16);
        parallelize(p0, CPUThread, Atomics);
    }
    schedule cuda = atomic(<8 nnz, 1 col>, 8);
}
tensor_kernel! {
    fn by_parts(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
    schedule cpu {
        divide(i, i0, i1, 7);
        pos(j, p, A[i, j]);
        split(p, p0, p1, 1000000);
        parallelize(i0, CPUThread, NoRaces);
    }
    schedule cuda = atomic(<1/32 row, 1 col>, 8);
}
tensor_kernel! {
    fn workspace(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }
    schedule cpu {
        split(k, k0, k1, 8);
        reorder(i, k0, j, k1);
        precompute(A[i, j] * B[j, k], [k1], [k1], w);
        unroll(k1, 8);
    }
    schedule cuda = atomic(<8 nnz, 4 col>, 8, deterministic);
}

#[test]
fn products_without_entries() -> Result<(), Error> {
    for (m, n) in [(0, 0), (0, 3), (3, 0), (3, 4), (1, 1)] {
        let a = Csr::from_triplets([m, n], [])?;
        let x = DenseVec::full([n], f64::NAN);
        for y in [everywhere!(spmv, a, x), everywhere!(by_entries, a, x), everywhere!(by_parts, a, x)] {
            assert_eq!(y.vals(), vec![0.0; m], "{m} x {n}");
        }
        for k in [0, 1, 9] {
            let b = DenseMat::full([n, k], f64::INFINITY);
            for c in [everywhere!(spmm, a, b), everywhere!(workspace, a, b)] {
                assert_eq!((c.dims(), c.vals()), ([m, k], &vec![0.0; m * k][..]));
            }
            let b = Csr::from_triplets([n, k], [])?;
            assert_eq!((everywhere!(spgemm, a, b).dims(), spgemm(&a, &b)?.stored()), ([m, k], 0));
            let (q, d) = (DenseMat::full([m, k], 1.0), DenseMat::full([n, k], 1.0));
            assert_eq!(everywhere!(sddmm, a, q, d).stored(), 0);
            let x = Csf3::from_triplets([m, n, k], [])?;
            for r in [0, 1, 5] {
                let (b, c) = (DenseMat::full([n, r], f64::NAN), DenseMat::full([k, r], 1.0));
                assert_eq!(everywhere!(mttkrp, x, b, c).vals(), vec![0.0; m * r]);
            }
        }
        assert_eq!(everywhere!(add, a, a).stored(), 0);
        assert_eq!(everywhere!(transpose, a).dims(), [n, m]);
    }
    // Columns of nothing: entries, but each of zero columns.
    let a = Csr::from_triplets([2, 3], [([0, 1], 2.0), ([1, 2], 3.0)])?;
    assert_eq!(everywhere!(spmm, a, DenseMat::zeros([3, 0])).dims(), [2, 0]);
    assert_eq!(everywhere!(workspace, a, DenseMat::zeros([3, 0])).dims(), [2, 0]);
    // A sum over nothing is the identity; what the pattern says stays stored.
    let r = everywhere!(sddmm, a, DenseMat::zeros([2, 0]), DenseMat::zeros([3, 0]));
    assert_eq!((r.stored(), r.get([0, 1]), r.get([1, 2])), (2, 0.0, 0.0));
    Ok(())
}

tensor_kernel! { fn sum_f32(A: DenseMat<f32>) -> DenseVec<f32> { y[i] += A[i, j]; } }
tensor_kernel! { fn sum_u8(A: DenseMat<u8>) -> DenseVec<u8> { y[i] = A[i, j]; } }
tensor_kernel! { fn product_i32(A: DenseMat<i32>) -> Tensor<i32, Filled<(Dense,), One>> { y[i] *= A[i, j]; } }
tensor_kernel! { fn least_f64(A: DenseMat<f64>) -> Tensor<f64, Filled<(Dense,), PosInf>> { y[i] min= A[i, j]; } }
tensor_kernel! { fn most_f32(A: DenseMat<f32>) -> Tensor<f32, Filled<(Dense,), NegInf>> { y[i] max= A[i, j]; } }
tensor_kernel! { fn least_i32(A: DenseMat<i32>) -> Tensor<i32, Filled<(Dense,), PosInf>> { y[i] min= A[i, j]; } }
tensor_kernel! { fn most_u8(A: DenseMat<u8>) -> DenseVec<u8> { y[i] max= A[i, j]; } }
tensor_kernel! { fn most_i64(A: DenseMat<i64>) -> Tensor<i64, Filled<(Dense,), NegInf>> { y[i] max= A[i, j]; } }
tensor_kernel! { fn any(A: DenseMat<bool>) -> DenseVec<bool> { y[i] |= A[i, j]; } }
tensor_kernel! { fn all(A: DenseMat<bool>) -> Tensor<bool, Filled<(Dense,), One>> { y[i] &= A[i, j]; } }
tensor_kernel! { fn least_of_all(A: Csr<f32>) -> Tensor<f32, Filled<(), PosInf>> { s min= A[i, j]; } }
tensor_kernel! { fn sum_of_all(A: Csr<f32>) -> Scalar<f32> { s = A[i, j]; } }
tensor_kernel! { fn product_of_all(A: DenseMat<f64>) -> Tensor<f64, Filled<(), One>> { s *= A[i, j]; } }

#[test]
fn reductions_over_nothing() -> Result<(), Error> {
    for dims in [[3, 0], [0, 3], [0, 0]] {
        let n = dims[0];
        assert_eq!(everywhere!(sum_f32, DenseMat::zeros(dims)).vals(), vec![0.0; n]);
        assert_eq!(everywhere!(sum_u8, DenseMat::zeros(dims)).vals(), vec![0; n]);
        assert_eq!(everywhere!(product_i32, DenseMat::zeros(dims)).vals(), vec![1; n]);
        assert_eq!(everywhere!(least_f64, DenseMat::zeros(dims)).vals(), vec![f64::INFINITY; n]);
        assert_eq!(everywhere!(most_f32, DenseMat::zeros(dims)).vals(), vec![f32::NEG_INFINITY; n]);
        assert_eq!(everywhere!(least_i32, DenseMat::zeros(dims)).vals(), vec![i32::MAX; n]);
        assert_eq!(everywhere!(most_u8, DenseMat::zeros(dims)).vals(), vec![0; n]);
        assert_eq!(everywhere!(most_i64, DenseMat::zeros(dims)).vals(), vec![i64::MIN; n]);
        assert_eq!(everywhere!(any, DenseMat::zeros(dims)).vals(), vec![false; n]);
        assert_eq!(everywhere!(all, DenseMat::zeros(dims)).vals(), vec![true; n]);
        assert_eq!(everywhere!(sum_of_all, Csr::from_triplets(dims, [])?).value()?, 0.0);
        assert_eq!(everywhere!(least_of_all, Csr::from_triplets(dims, [])?).value()?, f32::INFINITY);
        assert_eq!(everywhere!(product_of_all, DenseMat::zeros(dims)).value()?, 1.0);
    }
    // Over elements that are there the fill takes part, where it is a number that is not the identity.
    assert_eq!(everywhere!(least_of_all, Csr::from_triplets([2, 2], [([0, 0], 5.0)])?).value()?, 0.0);
    let full = Csr::from_triplets([1, 2], [([0, 0], 5.0), ([0, 1], 7.0)])?;
    assert_eq!(everywhere!(least_of_all, full).value()?, 5.0);
    Ok(())
}
