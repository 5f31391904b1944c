//! Formats: duplicates, mode orders, fills, levels of every sort.

use super::*;
use sparse_gpu::prelude::*;
use std::collections::BTreeMap;

tensor_kernel! {
    fn coo_spmv(
        A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>,
        x: DenseVec<f64>,
    ) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}
tensor_kernel! {
    fn coo_add(A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}
tensor_kernel! {
    fn coo_square(A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>) -> Csr<f64> {
        C[i, j] = A[i, j] * A[i, j];
    }
}
tensor_kernel! {
    fn coo_greatest(
        A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>,
    ) -> Tensor<f64, Filled<(Dense,), NegInf>> {
        m[i] max= A[i, j];
    }
}
tensor_kernel! {
    fn coo_absolute(A: Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>) -> DenseVec<f64> {
        m[i] = abs(A[i, j]);
    }
}
tensor_kernel! {
    fn bag_dot(
        a: Tensor<f64, (Compressed<NonUnique>,)>,
        b: Tensor<f64, (Compressed<NonUnique>,)>,
    ) -> Scalar<f64> {
        s = a[i] * b[i];
    }
}
tensor_kernel! {
    fn bag_add(
        a: Tensor<f64, (Compressed<NonUnique>,)>,
        b: Tensor<f64, (Compressed<NonUnique>,)>,
    ) -> SparseVec<f64> {
        c[i] = a[i] - b[i];
    }
}
tensor_kernel! {
    fn ragged(
        A: Tensor<f64, (Dense, Compressed<NonUnique>)>,
        B: Tensor<f64, (Dense, Compressed<NonUnique>)>,
    ) -> Csr<f64> {
        C[i, j] = max(A[i, j], B[i, j]);
    }
}
tensor_kernel! {
    fn one_a_row(P: Tensor<f64, (Dense, Singleton)>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = P[i, j] * x[j];
    }
}
tensor_kernel! {
    fn csc(A: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}
tensor_kernel! {
    fn csc_add(A: Csc<f64>, B: Dcsc<f64>) -> Csc<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}
tensor_kernel! {
    fn column_major(A: DenseMatColumnMajor<f64>, B: DenseMat<f64>) -> DenseMatColumnMajor<f64> {
        C[i, j] = A[i, j] - B[i, j];
    }
}
tensor_kernel! {
    fn rotated(
        T: Tensor<f64, Reordered<(Compressed, Compressed, Compressed), 2, 0, 1>>,
        v: DenseVec<f64>,
    ) -> DenseMat<f64> {
        Y[i, k] = T[i, j, k] * v[j];
    }
}
tensor_kernel! {
    fn filled_add(
        A: Tensor<f64, Filled<(Dense, Compressed), One>>,
        B: Csr<f64>,
    ) -> Tensor<f64, Filled<(Dense, Compressed), One>> {
        C[i, j] = A[i, j] + B[i, j];
    }
}
tensor_kernel! {
    fn filled_mul(
        A: Tensor<f64, Filled<(Dense, Compressed), One>>,
        B: Tensor<f64, Filled<(Dense, Compressed), One>>,
    ) -> Tensor<f64, Filled<(Dense, Compressed), One>> {
        C[i, j] = A[i, j] * B[i, j];
    }
}
tensor_kernel! {
    fn filled_mix(A: Tensor<f64, Filled<(Dense, Compressed), One>>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
}
tensor_kernel! {
    fn filled_sum(A: Tensor<i64, Filled<(Dense, Compressed), One>>) -> DenseVec<i64> {
        y[i] = A[i, j];
    }
}
tensor_kernel! {
    fn filled_reordered(
        A: Tensor<i32, Filled<Reordered<(Dense, Compressed), 1, 0>, PosInf>>,
        B: Tensor<i32, Reordered<Filled<(Dense, Compressed), PosInf>, 1, 0>>,
    ) -> Tensor<i32, Filled<(Dense, Dense), PosInf>> {
        C[i, j] = min(A[i, j], B[i, j]);
    }
}
tensor_kernel! {
    fn sddmm(S: Csr<f64>, A: DenseMat<f64>, B: DenseMat<f64>) -> Csr<f64> {
        C[i, j] = S[i, j] * A[i, k] * B[k, j];
    }
}
tensor_kernel! {
    fn spmspv(A: Csr<f64>, x: SparseVec<f64>) -> SparseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}
tensor_kernel! {
    fn five(
        a: SparseVec<f64>,
        b: SparseVec<f64>,
        c: SparseVec<f64>,
        d: SparseVec<f64>,
        e: SparseVec<f64>,
    ) -> SparseVec<f64> {
        y[i] = a[i] * b[i] + c[i] * (d[i] - e[i]) - a[i];
    }
}
tensor_kernel! {
    fn same_twice(A: Csr<f64>) -> Csr<f64> {
        B[i, j] = A[i, j] + A[i, j] * A[i, j] - 3 * A[i, j];
    }
}
tensor_kernel! {
    fn dense_below(
        A: Tensor<f64, (Compressed, Dense)>,
        B: Tensor<f64, (Dense, Compressed)>,
    ) -> Tensor<f64, (Compressed, Dense)> {
        C[i, j] = A[i, j] * B[i, j];
    }
}

type Sums = BTreeMap<[usize; 2], f64>;

/// Coordinates in order, each perhaps several times.
fn repeated(dims: [usize; 2], seed: u64) -> (Vec<([usize; 2], f64)>, Sums) {
    let mut all = Vec::new();
    let mut sums = BTreeMap::new();
    for (n, (at, v)) in floats(dims, 2, seed).into_iter().enumerate() {
        for again in 0..1 + n % 3 {
            all.push((at, v + again as f64));
            *sums.entry(at).or_insert(0.0) += v + again as f64;
        }
    }
    (all, sums)
}

type Pairs = Tensor<f64, (Compressed<NonUnique>, Singleton<NonUnique>)>;
type Bag = Tensor<f64, (Compressed<NonUnique>,)>;
type Rows = Tensor<f64, (Dense, Compressed<NonUnique>)>;

fn crd(e: &[([usize; 2], f64)], d: usize) -> Vec<i32> {
    e.iter().map(|e| e.0[d] as i32).collect()
}
fn vals(e: &[([usize; 2], f64)]) -> Vec<f64> {
    e.iter().map(|e| e.1).collect()
}
fn pairs(dims: [usize; 2], e: &[([usize; 2], f64)]) -> Result<Pairs, Error> {
    let levels =
        vec![LevelArrays::compressed(vec![0, e.len() as i32], crd(e, 0)), LevelArrays::singleton(crd(e, 1))];
    Ok(Pairs::try_from_parts(Parts { dims: dims.to_vec(), levels, vals: vals(e).into() })?)
}
fn bag(n: usize, e: &[([usize; 2], f64)]) -> Result<Bag, Error> {
    let levels = vec![LevelArrays::compressed(vec![0, e.len() as i32], crd(e, 1))];
    Ok(Bag::try_from_parts(Parts { dims: vec![n], levels, vals: vals(e).into() })?)
}
fn rows(dims: [usize; 2], e: &[([usize; 2], f64)]) -> Result<Rows, Error> {
    let pos: Vec<i32> = (0..=dims[0]).map(|i| e.iter().filter(|e| e.0[0] < i).count() as i32).collect();
    let levels = vec![LevelArrays::Dense, LevelArrays::compressed(pos, crd(e, 1))];
    Ok(Rows::try_from_parts(Parts { dims: dims.to_vec(), levels, vals: vals(e).into() })?)
}

#[test]
fn duplicates_are_summed_before_anything_else() -> Result<(), Error> {
    for dims in [[4, 5], [1, 7], [6, 1], [0, 2], [2, 0]] {
        let (e, sums) = repeated(dims, 11);
        let (f, more) = repeated(dims, 12);
        let (a, b) = (pairs(dims, &e)?, Dcsr::from_triplets(dims, more.clone())?);
        let get = |m: &Sums, c| m.get(&c).copied().unwrap_or(0.0);
        let x = DenseVec::from_dense([dims[1]], (0..dims[1]).map(|j| j as f64 - 1.5).collect())?;
        let (y, sum, square) = (coo_spmv(&a, &x)?, coo_add(&a, &b)?, coo_square(&a)?);
        let (big, absolute) = (coo_greatest(&a)?, coo_absolute(&a)?);
        let maxima = ragged(&rows(dims, &e)?, &rows(dims, &f)?)?;
        for i in 0..dims[0] {
            let row: Vec<f64> = (0..dims[1]).map(|j| get(&sums, [i, j])).collect();
            assert_eq!(y.get([i]), row.iter().zip(x.vals()).map(|(a, x)| a * x).sum::<f64>());
            assert_eq!(big.get([i]), row.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            assert_eq!(absolute.get([i]), row.iter().map(|v| v.abs()).sum::<f64>());
            for (j, v) in row.iter().enumerate() {
                let w = get(&more, [i, j]);
                assert_eq!((sum.get([i, j]), square.get([i, j])), (v + w, v * v));
                assert_eq!(maxima.get([i, j]), v.max(w));
            }
        }
    }
    let (e, sums) = repeated([1, 9], 13);
    let (f, more) = repeated([1, 9], 14);
    let (a, b) = (bag(9, &e)?, bag(9, &f)?);
    let get = |m: &Sums, i| m.get(&[0, i]).copied().unwrap_or(0.0);
    assert_eq!(bag_dot(&a, &b)?.value()?, (0..9).map(|i| get(&sums, i) * get(&more, i)).sum::<f64>());
    assert_eq!(bag_dot(&a, &a)?.value()?, (0..9).map(|i| get(&sums, i) * get(&sums, i)).sum::<f64>());
    let c = bag_add(&a, &b)?;
    for i in 0..9 {
        assert_eq!(c.get([i]), get(&sums, i) - get(&more, i));
    }
    Ok(())
}

#[test]
fn orders_and_levels() -> Result<(), Error> {
    for (dims, one_in) in [([5, 4], 2), ([1, 1], 1), ([0, 3], 1), ([3, 0], 1), ([6, 6], 30)] {
        let (e, f) = (floats(dims, one_in, 1), floats(dims, one_in, 2));
        let (a, b) = (Csc::from_triplets(dims, e.clone())?, Dcsc::from_triplets(dims, f.clone())?);
        let xs = floats([dims[1]], 2, 3);
        let x = SparseVec::from_triplets([dims[1]], xs.clone())?;
        let (y, z) = (csc(&a, &x.to_dense()?)?, spmspv(&a.convert()?, &x)?);
        for i in 0..dims[0] {
            let expected: f64 = (0..dims[1]).map(|j| num(&e, [i, j]) * num(&xs, [j])).sum();
            assert_eq!((y.get([i]), z.get([i])), (expected, expected));
        }
        let (sum, difference) = (csc_add(&a, &b)?, column_major(&a.convert()?, &b.convert()?)?);
        let (poly, below) = (same_twice(&a.convert()?)?, dense_below(&a.convert()?, &b.convert()?)?);
        let one = |e: &[([usize; 2], f64)]| {
            Tensor::<f64, Filled<(Dense, Compressed), One>>::from_triplets(dims, e.to_vec())
        };
        let (fa, fb) = (one(&e)?, one(&f)?);
        let (plus, times, mix) =
            (filled_add(&fa, &b.convert()?)?, filled_mul(&fa, &fb)?, filled_mix(&fa, &b.convert()?)?);
        let int = |e: &[([usize; 2], f64)]| e.iter().map(|&(at, v)| (at, v as i32)).collect::<Vec<_>>();
        let least =
            filled_reordered(&Tensor::from_triplets(dims, int(&e))?, &Tensor::from_triplets(dims, int(&f))?)?;
        for c in coords(dims) {
            let (v, w) = (num(&e, c), num(&f, c));
            let (p, q) = (at(&e, c).unwrap_or(1.0), at(&f, c).unwrap_or(1.0));
            assert_eq!((sum.get(c), difference.get(c)), (v + w, v - w));
            assert_eq!((poly.get(c), below.get(c)), (v + v * v - 3.0 * v, v * w));
            assert_eq!((plus.get(c), times.get(c), mix.get(c)), (p + w, p * q, p * w));
            let i = |e: &[([usize; 2], f64)]| at(e, c).map_or(i32::MAX, |v| v as i32);
            assert_eq!(least.get(c), i(&e).min(i(&f)));
        }
        let ones = filled_sum(&Tensor::from_triplets(dims, e.iter().map(|&(at, v)| (at, v as i64)))?)?;
        for i in 0..dims[0] {
            assert_eq!(
                ones.get([i]),
                (0..dims[1]).map(|j| at(&e, [i, j]).unwrap_or(1.0) as i64).sum::<i64>()
            );
        }
        let (p, q) = (floats([dims[0], 3], 1, 4), floats([3, dims[1]], 1, 5));
        let s = Csr::from_triplets(dims, e.clone())?;
        let out = sddmm(
            &s,
            &DenseMat::from_triplets([dims[0], 3], p.clone())?,
            &DenseMat::from_triplets([3, dims[1]], q.clone())?,
        )?;
        assert_eq!(out.stored(), s.stored());
        for c in coords(dims) {
            let dot: f64 = (0..3).map(|k| num(&p, [c[0], k]) * num(&q, [k, c[1]])).sum();
            assert_eq!(out.get(c), num(&e, c) * dot);
        }
    }
    let p: Tensor<f64, (Dense, Singleton)> =
        Tensor::from_triplets([3, 3], [([0, 2], 1.0), ([1, 0], -1.0), ([2, 1], 2.0)])?;
    assert_eq!(one_a_row(&p, &DenseVec::from_dense([3], vec![1.0, 2.0, 3.0])?)?.vals(), [3.0, -1.0, 4.0]);
    let e = floats([3, 4, 2], 2, 6);
    let t = Tensor::from_triplets([3, 4, 2], e.clone())?;
    let y = rotated(&t, &DenseVec::from_dense([4], vec![1.0, 2.0, 3.0, 4.0])?)?;
    for c in coords([3, 2]) {
        assert_eq!(y.get(c), (0..4).map(|j| num(&e, [c[0], j, c[1]]) * (j + 1) as f64).sum::<f64>());
    }
    Ok(())
}

#[test]
fn five_operands() -> Result<(), Error> {
    let vecs: Vec<_> = (0..5).map(|s| floats([40], 1 + s % 4, 20 + s)).collect();
    let v = |n: usize| SparseVec::from_triplets([40], vecs[n].clone());
    let y = five(&v(0)?, &v(1)?, &v(2)?, &v(3)?, &v(4)?)?;
    for i in 0..40 {
        let n = |k: usize| num(&vecs[k], [i]);
        assert_eq!(y.get([i]), n(0) * n(1) + n(2) * (n(3) - n(4)) - n(0));
    }
    Ok(())
}
