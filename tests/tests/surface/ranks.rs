//! Tensors of rank 0 to 6.

use super::*;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn scalar_sum(a: Scalar<f64>, b: Scalar<f64>, c: f64) -> Scalar<f64> {
        s = a * b + c;
    }
}
tensor_kernel! {
    fn constant(a: Scalar<f64>, x: SparseVec<f64>) -> SparseVec<f64> {
        y[i] = a * x[i];
    }
}
tensor_kernel! {
    fn norm(A: Csr<f32>) -> Scalar<f32> {
        s = A[i, j] * A[i, j];
    }
}
tensor_kernel! {
    fn kron(A: Csr<f64>, B: Csr<f64>) -> Dense4<f64> {
        C[i, j, k, l] = A[i, k] * B[j, l];
    }
}
tensor_kernel! {
    fn outer(a: SparseVec<f64>, b: SparseVec<f64>) -> Dcsr<f64> {
        C[i, j] = a[i] * b[j];
    }
}
tensor_kernel! {
    fn block(A: Dcsr<f64>, B: Dcsr<f64>) -> Csf4<f64> {
        C[i, k, j, l] = A[i, k] * B[j, l];
    }
}
tensor_kernel! {
    fn ttv(T: Csf3<f64>, v: DenseVec<f64>) -> Dcsr<f64> {
        Y[i, j] = T[i, j, k] * v[k];
    }
}
tensor_kernel! {
    fn ttv_first(T: Csf3<f64>, v: SparseVec<f64>) -> DenseMat<f64> {
        Y[j, k] = T[i, j, k] * v[i];
    }
}
tensor_kernel! {
    fn ttm(T: Csf3<f64>, M: DenseMat<f64>) -> Dense3<f64> {
        Y[i, j, r] = T[i, j, k] * M[k, r];
    }
}
tensor_kernel! {
    fn ttm_sparse(T: Csf3<f64>, M: DenseMat<f64>) -> Tensor<f64, (Compressed, Compressed, Dense)> {
        Y[i, j, r] = T[i, j, k] * M[k, r];
    }
}
tensor_kernel! {
    fn mttkrp3(T: Coo3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        M[i, r] = T[i, j, k] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    fn mttkrp4(T: Csf4<f64>, B: DenseMat<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> {
        M[i, r] = T[i, j, k, l] * B[j, r] * C[k, r] * D[l, r];
    }
}
tensor_kernel! {
    fn mttkrp4_coo(T: Coo4<f64>, B: DenseMat<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> {
        M[j, r] = T[i, j, k, l] * B[i, r] * C[k, r] * D[l, r];
    }
}
tensor_kernel! {
    fn add5(
        A: Tensor<i32, (Compressed, Compressed, Compressed, Compressed, Compressed)>,
        B: Tensor<i32, (Compressed, Compressed, Compressed, Compressed, Compressed)>,
    ) -> Tensor<i32, (Compressed, Compressed, Compressed, Compressed, Compressed)> {
        C[i, j, k, l, m] = A[i, j, k, l, m] + B[i, j, k, l, m];
    }
}
tensor_kernel! {
    fn add6(
        A: Tensor<i64, (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed)>,
        B: Tensor<i64, (Dense, Compressed, Dense, Compressed, Compressed, Dense)>,
    ) -> Tensor<i64, (Dense, Dense, Dense, Dense, Dense, Dense)> {
        C[a, b, c, d, e, f] = A[a, b, c, d, e, f] - B[a, b, c, d, e, f];
    }
}
tensor_kernel! {
    fn mul6(
        A: Tensor<i64, (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed)>,
        B: Tensor<i64, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)>,
    ) -> Tensor<i64, (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed)> {
        C[a, b, c, d, e, f] = A[a, b, c, d, e, f] * B[a, b, c, d, e, f];
    }
}
tensor_kernel! {
    fn contract6(
        A: Tensor<i64, (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed)>,
    ) -> DenseMat<i64> {
        C[b, e] = A[a, b, c, d, e, f];
    }
}
tensor_kernel! {
    fn permuted6(
        A: Tensor<i64, Reordered<(Compressed, Compressed, Compressed, Dense, Compressed, Compressed), 5, 3, 0, 1, 2, 4>>,
    ) -> Tensor<i64, (Dense, Dense, Dense, Dense, Dense, Dense)> {
        C[a, b, c, d, e, f] = 2 * A[a, b, c, d, e, f];
    }
}
tensor_kernel! {
    fn transpose(A: Csc<f64>) -> Csr<f64> {
        B[j, i] = A[i, j];
    }
}
tensor_kernel! {
    fn transpose_dense(A: Csr<f64>) -> DenseMatColumnMajor<f64> {
        B[j, i] = A[i, j];
    }
}
tensor_kernel! {
    fn triple(A: Csr<f64>, x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> {
        s = x[i] * A[i, j] * y[j];
    }
}
tensor_kernel! {
    fn mixed_sum(A: Csr<f64>, B: DenseMat<f64>, C: Dcsr<f64>) -> DenseMat<f64> {
        D[i, j] = A[i, j] - B[i, j] + 0.5 * C[i, j];
    }
}
tensor_kernel! {
    fn bilinear(A: Csr<f64>, x: SparseVec<f64>, B: Csr<f64>, y: SparseVec<f64>) -> DenseVec<f64> {
        z[i] = A[i, j] * x[j] + B[i, k] * y[k];
    }
}

#[test]
fn scalars_and_vectors() -> Result<(), Error> {
    let (a, b) = (Scalar::scalar(3.0), Scalar::from_dense([], vec![-2.0])?);
    assert_eq!(scalar_sum(&a, &b, 10.0)?.value()?, 4.0);
    let x = SparseVec::from_triplets([4], [([3], 2.0), ([0], 0.0)])?;
    let y = constant(&a, &x)?;
    assert_eq!((y.to_dense()?.vals(), y.dims()), (&[0.0, 0.0, 0.0, 6.0][..], [4]));
    assert_eq!(norm(&Csr::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], 4.0)])?)?.value()?, 25.0);
    assert_eq!(norm(&Csr::from_triplets([0, 5], [])?)?.value()?, 0.0);
    Ok(())
}

#[test]
fn matrices() -> Result<(), Error> {
    for (m, n, one_in) in [(3, 4, 2), (1, 5, 2), (5, 1, 1), (0, 2, 1), (2, 0, 1), (4, 4, 99), (9, 11, 3)] {
        let (e, f, g) = (floats([m, n], one_in, 1), floats([m, n], one_in, 2), floats([m, n], one_in, 3));
        let (a, b) = (Csr::from_triplets([m, n], e.clone())?, Csr::from_triplets([m, n], f.clone())?);
        let c = Dcsr::from_triplets([m, n], g.clone())?;
        let (u, v) = (floats([m], 2, 4), floats([n], 2, 5));
        let (us, vs) = (SparseVec::from_triplets([m], u.clone())?, SparseVec::from_triplets([n], v.clone())?);
        let k = kron(&a, &b)?;
        for at in coords([m, m, n, n]) {
            assert_eq!(k.get(at), num(&e, [at[0], at[2]]) * num(&f, [at[1], at[3]]));
        }
        let blocks = block(&Dcsr::from_triplets([m, n], e.clone())?, &c)?;
        assert_eq!(blocks.dims(), [m, n, m, n]);
        for at in coords([m, n, m, n]) {
            assert_eq!(blocks.get(at), num(&e, [at[0], at[1]]) * num(&g, [at[2], at[3]]));
        }
        let o = outer(&us, &vs)?;
        let t = transpose(&a.convert()?)?;
        let td = transpose_dense(&a)?;
        let d = mixed_sum(&a, &b.to_dense()?, &c)?;
        for at in coords([m, n]) {
            assert_eq!(o.get(at), num(&u, [at[0]]) * num(&v, [at[1]]));
            assert_eq!((t.get([at[1], at[0]]), td.get([at[1], at[0]])), (num(&e, at), num(&e, at)));
            assert_eq!(d.get(at), num(&e, at) - num(&f, at) + 0.5 * num(&g, at));
        }
        let s = triple(&a, &us.to_dense()?, &vs.to_dense()?)?.value()?;
        assert_eq!(
            s,
            coords([m, n]).iter().map(|&c| num(&u, [c[0]]) * num(&e, c) * num(&v, [c[1]])).sum::<f64>()
        );
        let w = SparseVec::from_triplets([n], floats([n], 3, 9))?;
        let z = bilinear(&a, &vs, &b, &w)?;
        for i in 0..m {
            let expected: f64 =
                (0..n).map(|j| num(&e, [i, j]) * num(&v, [j]) + num(&f, [i, j]) * w.get([j])).sum();
            assert_eq!(z.get([i]), expected);
        }
    }
    Ok(())
}

#[test]
fn tensors_of_order_three_and_four() -> Result<(), Error> {
    for (dims, one_in, r) in [
        ([3, 4, 5], 3, 2),
        ([3, 4, 5], 40, 5),
        ([1, 1, 1], 1, 1),
        ([2, 0, 3], 1, 4),
        ([4, 3, 2], 1, 0),
        ([5, 2, 9], 2, 33),
    ] {
        let e = floats(dims, one_in, 1);
        let t = Csf3::from_triplets(dims, e.clone())?;
        let (v0, v2) = (floats([dims[0]], 2, 2), floats([dims[2]], 1, 3));
        let by_last = ttv(&t, &DenseVec::from_triplets([dims[2]], v2.clone())?)?;
        for c in coords([dims[0], dims[1]]) {
            assert_eq!(
                by_last.get(c),
                (0..dims[2]).map(|k| num(&e, [c[0], c[1], k]) * num(&v2, [k])).sum::<f64>()
            );
        }
        let by_first = ttv_first(&t, &SparseVec::from_triplets([dims[0]], v0.clone())?)?;
        for c in coords([dims[1], dims[2]]) {
            assert_eq!(
                by_first.get(c),
                (0..dims[0]).map(|i| num(&e, [i, c[0], c[1]]) * num(&v0, [i])).sum::<f64>()
            );
        }
        let (bf, cf) = (floats([dims[1], r], 1, 4), floats([dims[2], r], 1, 5));
        let (b, c) = (
            DenseMat::from_triplets([dims[1], r], bf.clone())?,
            DenseMat::from_triplets([dims[2], r], cf.clone())?,
        );
        let (y, ys) = (ttm(&t, &c)?, ttm_sparse(&t, &c)?);
        for at in coords([dims[0], dims[1], r]) {
            let expected: f64 = (0..dims[2]).map(|k| num(&e, [at[0], at[1], k]) * num(&cf, [k, at[2]])).sum();
            assert_eq!((y.get(at), ys.get(at)), (expected, expected));
        }
        let m = mttkrp3(&t.convert()?, &b, &c)?;
        for at in coords([dims[0], r]) {
            let term = |j, k| num(&e, [at[0], j, k]) * num(&bf, [j, at[1]]) * num(&cf, [k, at[1]]);
            assert_eq!(m.get(at), coords([dims[1], dims[2]]).iter().map(|c| term(c[0], c[1])).sum::<f64>());
        }
        let big = [dims[0], dims[1], dims[2], 3];
        let e4 = floats(big, one_in, 6);
        let (af, df) = (floats([dims[0], r], 1, 7), floats([3, r], 1, 8));
        let (a, d) = (
            DenseMat::from_triplets([dims[0], r], af.clone())?,
            DenseMat::from_triplets([3, r], df.clone())?,
        );
        let rows = mttkrp4(&Csf4::from_triplets(big, e4.clone())?, &b, &c, &d)?;
        let columns = mttkrp4_coo(&Coo4::from_triplets(big, e4.clone())?, &a, &c, &d)?;
        for q in 0..r {
            let rest = |at: [usize; 4]| num(&cf, [at[2], q]) * num(&df, [at[3], q]);
            for i in 0..dims[0] {
                let expected: f64 = e4
                    .iter()
                    .filter(|e| e.0[0] == i)
                    .map(|&(at, v)| v * num(&bf, [at[1], q]) * rest(at))
                    .sum();
                assert_eq!(rows.get([i, q]), expected);
            }
            for j in 0..dims[1] {
                let expected: f64 = e4
                    .iter()
                    .filter(|e| e.0[1] == j)
                    .map(|&(at, v)| v * num(&af, [at[0], q]) * rest(at))
                    .sum();
                assert_eq!(columns.get([j, q]), expected);
            }
        }
    }
    Ok(())
}

#[test]
fn tensors_of_order_five_and_six() -> Result<(), Error> {
    for (dims, one_in) in
        [([2, 3, 1, 2, 2, 3], 3), ([1; 6], 1), ([2, 2, 0, 2, 1, 2], 1), ([2, 2, 2, 2, 2, 2], 30)]
    {
        let (e, f) = (entries(dims, one_in, 1), entries(dims, one_in, 2));
        let zero = |e: &[([usize; 6], i64)], c| at(e, c).unwrap_or(0);
        let a = Tensor::from_triplets(dims, e.clone())?;
        let (sum, product) = (
            add6(&a, &Tensor::from_triplets(dims, f.clone())?)?,
            mul6(&a, &Tensor::from_triplets(dims, f.clone())?)?,
        );
        let twice = permuted6(&a.convert()?)?;
        let sides = contract6(&a)?;
        for c in coords(dims) {
            assert_eq!(sum.get(c), zero(&e, c) - zero(&f, c));
            assert_eq!(product.get(c), zero(&e, c) * zero(&f, c));
            assert_eq!(twice.get(c), 2 * zero(&e, c));
        }
        for c in coords([dims[1], dims[4]]) {
            assert_eq!(
                sides.get(c),
                e.iter().filter(|e| e.0[1] == c[0] && e.0[4] == c[1]).map(|e| e.1).sum::<i64>()
            );
        }
        let five = [dims[0], dims[1], dims[2], dims[3], dims[4]];
        let int =
            |seed| entries(five, one_in, seed).into_iter().map(|(at, v)| (at, v as i32)).collect::<Vec<_>>();
        let (p, q) = (int(5), int(6));
        let s = add5(&Tensor::from_triplets(five, p.clone())?, &Tensor::from_triplets(five, q.clone())?)?;
        for c in coords(five) {
            assert_eq!(s.get(c), at(&p, c).unwrap_or(0) + at(&q, c).unwrap_or(0));
        }
    }
    Ok(())
}
