//! Reductions, and semirings that follow from fills.

use super::*;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn least(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), PosInf>> {
        m[i] min= A[i, j];
    }
}
tensor_kernel! {
    fn greatest(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), NegInf>> {
        m[i] max= A[i, j];
    }
}
tensor_kernel! {
    fn column_greatest(A: Csr<i32>) -> Tensor<i32, Filled<(Dense,), NegInf>> {
        m[j] max= A[i, j];
    }
}
tensor_kernel! {
    fn product(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), One>> {
        m[i] *= A[i, j];
    }
}
tensor_kernel! {
    fn product_of_ones(
        A: Tensor<f64, Filled<(Dense, Compressed), One>>,
    ) -> Tensor<f64, Filled<(Dense,), One>> {
        m[i] *= A[i, j];
    }
}
tensor_kernel! {
    fn any(A: Csr<i64>) -> DenseVec<i64> {
        m[i] |= A[i, j];
    }
}
tensor_kernel! {
    fn every(A: Csr<i64>, m: &mut DenseVec<i64>) {
        m[i] &= A[i, j];
    }
}
tensor_kernel! {
    fn total_product(A: DenseMat<i64>) -> Tensor<i64, Filled<(), One>> {
        p *= A[i, j];
    }
}
tensor_kernel! {
    fn least_into(A: Csr<f64>, m: &mut DenseVec<f64>) {
        m[i] min= A[i, j];
    }
}
tensor_kernel! {
    fn scaled_products(A: DenseMat<f64>, c: f64, m: &mut DenseVec<f64>) {
        m[i] *= c + A[i, j];
    }
}
tensor_kernel! {
    fn min_plus(
        A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>,
        B: Tensor<f64, Filled<(Dense, Compressed), PosInf>>,
    ) -> Tensor<f64, Filled<(Dense, Dense), PosInf>> {
        C[i, k] min= A[i, j] + B[j, k];
    }
}
tensor_kernel! {
    fn max_plus(
        A: Tensor<i64, Filled<(Dense, Compressed), NegInf>>,
        x: DenseVec<i64>,
        y: &mut DenseVec<i64>,
    ) {
        y[i] max= A[i, j] + x[j];
    }
}
tensor_kernel! {
    fn whole_min_plus(
        A: Tensor<i32, Filled<(Dense, Compressed), PosInf>>,
        B: Tensor<i32, Filled<(Dense, Compressed), PosInf>>,
    ) -> Tensor<i32, Filled<(Dense, Dense), PosInf>> {
        C[i, k] min= A[i, j] + B[j, k] - 1;
    }
}
tensor_kernel! {
    fn bottleneck(A: Csr<i32>, B: Csr<i32>) -> Tensor<i32, Filled<(Dense, Dense), NegInf>> {
        C[i, k] max= min(A[i, j], B[j, k]);
    }
}
tensor_kernel! {
    fn or_and(A: Csr<bool>, f: SparseVec<bool>) -> DenseVec<bool> {
        y[i] |= A[i, j] & f[j];
    }
}
tensor_kernel! {
    fn or_and_matrix(A: Csr<bool>, B: Csr<bool>) -> DenseMat<bool> {
        C[i, k] |= A[i, j] & B[j, k];
    }
}
tensor_kernel! {
    fn sum_of_max(A: Csr<f64>, B: Csr<f64>) -> Scalar<f64> {
        s += max(A[i, j], B[i, j]);
    }
}
tensor_kernel! {
    fn einsum(A: Csr<f64>, x: DenseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = b[i] - A[i, j] * x[j] + x[k] * 2;
    }
}
tensor_kernel! {
    fn overwrite(A: Csr<f64>, B: DenseMat<f64>, C: &mut DenseMat<f64>) {
        C[i, k] = A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn accumulate(A: Csr<f64>, B: DenseMat<f64>, C: &mut DenseMat<f64>) {
        C[i, k] += A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn scatter(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[j] = A[i, j] * x[i];
    }
}
tensor_kernel! {
    fn scalar_into(A: Csr<f64>, s: &mut Scalar<f64>) {
        s += A[i, j] * A[i, j];
    }
}

#[test]
fn every_reduction() -> Result<(), Error> {
    for (dims, one_in) in
        [([5, 4], 2), ([5, 4], 1), ([3, 1], 2), ([1, 6], 3), ([3, 0], 1), ([0, 3], 1), ([4, 4], 1000)]
    {
        let e = floats(dims, one_in, 7);
        let whole: Vec<_> = e.iter().map(|&(at, v)| (at, v as i64)).collect();
        let a = Csr::from_triplets(dims, e.clone())?;
        let n = Csr::from_triplets(dims, whole.clone())?;
        let x = DenseVec::from_dense([dims[1]], (0..dims[1]).map(|v| v as f64 - 1.0).collect())?;
        let b = DenseVec::from_dense([dims[0]], (0..dims[0]).map(|v| v as f64).collect())?;
        let (mn, mx, pr, or) = (least(&a)?, greatest(&a)?, product(&a)?, any(&n)?);
        let ones = product_of_ones(&Tensor::from_triplets(dims, e.clone())?)?;
        let mut and = DenseVec::from_dense([dims[0]], vec![0b101; dims[0]])?;
        every(&n, &mut and)?;
        let mut kept = DenseVec::from_dense([dims[0]], vec![-2.0; dims[0]])?;
        least_into(&a, &mut kept)?;
        let sums = einsum(&a, &x, &b)?;
        let twice: f64 = x.vals().iter().map(|v| 2.0 * v).sum();
        for i in 0..dims[0] {
            let row: Vec<f64> = (0..dims[1]).map(|j| num(&e, [i, j])).collect();
            assert_eq!(mn.get([i]), row.iter().copied().fold(f64::INFINITY, f64::min));
            assert_eq!(mx.get([i]), row.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            assert_eq!(pr.get([i]), row.iter().product::<f64>(), "{row:?}");
            assert_eq!(ones.get([i]), (0..dims[1]).map(|j| at(&e, [i, j]).unwrap_or(1.0)).product::<f64>());
            assert_eq!(or.get([i]), row.iter().fold(0, |s, &v| s | v as i64));
            assert_eq!(and.get([i]), row.iter().fold(0b101, |s, &v| s & v as i64));
            assert_eq!(kept.get([i]), row.iter().copied().fold(-2.0, f64::min));
            let dot: f64 = row.iter().zip(x.vals()).map(|(a, x)| a * x).sum();
            assert_eq!(sums.get([i]), b.get([i]) - dot + twice);
        }
        let columns =
            column_greatest(&Csr::from_triplets(dims, whole.iter().map(|&(at, v)| (at, v as i32)))?)?;
        for j in 0..dims[1] {
            let expected = (0..dims[0]).map(|i| num(&e, [i, j]) as i32).max().unwrap_or(i32::MIN);
            assert_eq!(columns.get([j]), expected);
        }
        assert_eq!(
            total_product(&n.to_dense()?)?.value()?,
            coords(dims).iter().map(|&c| num(&e, c) as i64).product::<i64>()
        );
        let w = floats(dims, 3, 8);
        let bigger = sum_of_max(&a, &Csr::from_triplets(dims, w.clone())?)?.value()?;
        assert_eq!(bigger, coords(dims).iter().map(|&c| num(&e, c).max(num(&w, c))).sum::<f64>());
        let mut scaled = DenseVec::from_dense([dims[0]], vec![2.0; dims[0]])?;
        scaled_products(&a.to_dense()?, 1.0, &mut scaled)?;
        for i in 0..dims[0] {
            assert_eq!(scaled.get([i]), (0..dims[1]).fold(2.0, |p, j| p * (1.0 + num(&e, [i, j]))));
        }
        let mut s = Scalar::scalar(100.0);
        scalar_into(&a, &mut s)?;
        assert_eq!(s.value()?, 100.0 + e.iter().map(|e| e.1 * e.1).sum::<f64>());
    }
    Ok(())
}

#[test]
fn semirings() -> Result<(), Error> {
    for (n, one_in) in [(6, 2), (6, 5), (1, 1), (0, 1)] {
        let (e, f) = (floats([n, n], one_in, 3), floats([n, n], one_in, 4));
        let shortest =
            min_plus(&Tensor::from_triplets([n, n], e.clone())?, &Tensor::from_triplets([n, n], f.clone())?)?;
        let int =
            |e: &[([usize; 2], f64)]| Csr::from_triplets([n, n], e.iter().map(|&(at, v)| (at, v as i32)));
        let wide = bottleneck(&int(&e)?, &int(&f)?)?;
        let whole =
            |e: &[([usize; 2], f64)]| Tensor::from_triplets([n, n], e.iter().map(|&(at, v)| (at, v as i32)));
        let whole = whole_min_plus(&whole(&e)?, &whole(&f)?)?;
        let truth =
            |e: &[([usize; 2], f64)]| Csr::from_triplets([n, n], e.iter().map(|&(at, v)| (at, v > 0.0)));
        let paths = or_and_matrix(&truth(&e)?, &truth(&f)?)?;
        let front = SparseVec::from_triplets([n], (0..n).step_by(2).map(|i| ([i], i % 4 == 0)))?;
        let next = or_and(&truth(&e)?, &front)?;
        let x = DenseVec::from_dense([n], (0..n as i64).collect())?;
        let mut y = DenseVec::from_dense([n], vec![-3i64; n])?;
        max_plus(&Tensor::from_triplets([n, n], e.iter().map(|&(at, v)| (at, v as i64)))?, &x, &mut y)?;
        for i in 0..n {
            let (mut longest, mut reached) = (-3, false);
            for j in 0..n {
                longest = longest.max(at(&e, [i, j]).map_or(i64::MIN, |v| v as i64 + j as i64));
                reached |= num(&e, [i, j]) > 0.0 && j % 4 == 0;
            }
            assert_eq!((y.get([i]), next.get([i])), (longest, reached));
            for k in 0..n {
                let (mut short, mut width, mut path) = (f64::INFINITY, i32::MIN, false);
                let mut least = i32::MAX;
                for j in 0..n {
                    if let (Some(a), Some(b)) = (at(&e, [i, j]), at(&f, [j, k])) {
                        short = short.min(a + b);
                        least = least.min(a as i32 + b as i32 - 1);
                    }
                    width = width.max((num(&e, [i, j]) as i32).min(num(&f, [j, k]) as i32));
                    path |= num(&e, [i, j]) > 0.0 && num(&f, [j, k]) > 0.0;
                }
                assert_eq!(whole.get([i, k]), least);
                assert_eq!((shortest.get([i, k]), wide.get([i, k]), paths.get([i, k])), (short, width, path));
            }
        }
    }
    Ok(())
}

#[test]
fn results_in_place() -> Result<(), Error> {
    for (m, k, n) in [(3, 4, 5), (1, 1, 1), (3, 0, 2), (0, 2, 2), (2, 2, 0), (4, 3, 37)] {
        let (e, f) = (floats([m, k], 2, 5), floats([k, n], 1, 6));
        let (a, b) = (Csr::from_triplets([m, k], e.clone())?, DenseMat::from_triplets([k, n], f.clone())?);
        let mut over = DenseMat::from_dense([m, n], vec![f64::NAN; m * n])?;
        let mut plus = DenseMat::from_dense([m, n], vec![10.0; m * n])?;
        overwrite(&a, &b, &mut over)?;
        accumulate(&a, &b, &mut plus)?;
        accumulate(&a, &b, &mut plus)?;
        for c in coords([m, n]) {
            let expected: f64 = (0..k).map(|j| num(&e, [c[0], j]) * num(&f, [j, c[1]])).sum();
            assert_eq!((over.get(c), plus.get(c)), (expected, 10.0 + 2.0 * expected));
        }
        let x = DenseVec::from_dense([m], (0..m).map(|v| v as f64).collect())?;
        let mut y = DenseVec::from_dense([k], vec![f64::NAN; k])?;
        scatter(&a, &x, &mut y)?;
        for j in 0..k {
            assert_eq!(y.get([j]), (0..m).map(|i| num(&e, [i, j]) * i as f64).sum::<f64>());
        }
    }
    Ok(())
}
