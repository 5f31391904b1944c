//! Numbers at the ends of their types, infinities and NaN; on the host and on the simulator.

use crate::everywhere;
use sparse_gpu::prelude::*;

tensor_kernel! { fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; } }
tensor_kernel! { fn spmm(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! { fn scaled(A: Csr<f32>, alpha: f32) -> Csr<f32> { B[i, j] = alpha * A[i, j]; } }
tensor_kernel! { fn over(A: Csr<f64>, B: DenseMat<f64>) -> Csr<f64> { C[i, j] = A[i, j] / B[i, j]; } }
tensor_kernel! { fn plus(a: SparseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> { c[i] = a[i] + b[i]; } }
tensor_kernel! { fn negated(a: SparseVec<f64>) -> SparseVec<f64> { c[i] = -a[i]; } }

/// Equal, or both NaN; and of one sign, zeros too.
#[track_caller]
fn same(found: &[f64], expected: &[f64]) {
    let equal = |(a, b): (&f64, &f64)| a.is_nan() && b.is_nan() || a == b;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(equal),
        "{found:?}, expected {expected:?}"
    );
}

#[test]
fn what_is_not_stored_takes_no_part() -> Result<(), Error> {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    // Row 0 stores nothing where x is not finite; row 1 a zero; row 2 a number; row 3 nothing at all.
    let a = Csr::from_triplets(
        [4, 4],
        [([0, 0], 2.0), ([1, 1], 0.0), ([1, 0], 1.0), ([2, 2], -1.0), ([2, 1], 1.0)],
    )?;
    let y = everywhere!(spmv, a, DenseVec::from_dense([4], vec![3.0, nan, inf, -inf])?);
    assert_eq!(y.get([0]), 6.0);
    assert!(y.get([1]).is_nan() && y.get([2]).is_nan());
    assert_eq!(y.get([3]), 0.0);
    let y = everywhere!(spmv, a, DenseVec::from_dense([4], vec![3.0, 1.0, inf, nan])?);
    assert_eq!(y.vals(), [6.0, 3.0, -inf, 0.0]);
    // The parameter is no exception: 0 · ∞ of what is stored is NaN, and the pattern stays.
    let a = Csr::from_triplets([2, 2], [([0, 0], inf), ([0, 1], 0.0), ([1, 1], 2.0)])?;
    let b = everywhere!(scaled, a; 0.0);
    assert!(b.stored() == 3 && b.get([0, 0]).is_nan() && b.get([1, 1]) == 0.0);
    let b = everywhere!(scaled, a; nan);
    assert!(b.stored() == 3 && b.iter().all(|e| e.1.is_nan()) && b.get([1, 0]) == 0.0);
    // A zero that is not stored divided by zero is no element.
    let a = Csr::from_triplets([2, 2], [([0, 0], 1.0), ([1, 0], 0.0), ([1, 1], -1.0)])?;
    let c = everywhere!(over, a, DenseMat::zeros([2, 2]));
    assert_eq!(
        (c.stored(), c.get([0, 0]), c.get([0, 1]), c.get([1, 1])),
        (3, f64::INFINITY, 0.0, f64::NEG_INFINITY)
    );
    assert!(c.get([1, 0]).is_nan());
    // Wide enough for tiles and vectors, and a tail.
    for n in [1, 3, 8, 17, 33] {
        let a = Csr::from_triplets([2, 3], [([0, 0], 1.0), ([0, 2], f64::INFINITY), ([1, 1], 0.0)])?;
        let b = DenseMat::from_dense(
            [3, n],
            (0..3 * n).map(|k| if k % 5 == 4 { f64::NAN } else { 1.0 + k as f64 }).collect(),
        )?;
        let c = everywhere!(spmm, a, b);
        let expected = (0..n)
            .map(|k| b.get([0, k]) + f64::INFINITY * b.get([2, k]))
            .chain((0..n).map(|k| 0.0 * b.get([1, k])));
        same(c.vals(), &expected.collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn signs_of_zero_and_infinities_in_sums() -> Result<(), Error> {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let a =
        SparseVec::from_triplets([6], [([0], inf), ([1], -inf), ([2], nan), ([3], -0.0), ([4], f64::MAX)])?;
    let b = DenseVec::from_dense([6], vec![-inf, -inf, 1.0, -0.0, f64::MAX, -0.0])?;
    same(everywhere!(plus, a, b).vals(), &[nan, -inf, nan, 0.0, inf, 0.0]);
    let c = everywhere!(negated, a);
    assert_eq!(c.stored(), 5);
    assert!(c.get([3]).to_bits() == 0 && c.get([0]) == -inf && c.get([2]).is_nan());
    Ok(())
}

tensor_kernel! { fn least(A: Csr<f64>) -> Tensor<f64, Filled<(Dense,), PosInf>> { y[i] min= A[i, j]; } }
tensor_kernel! {
    fn relax(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, d: DenseVec<f64>)
        -> Tensor<f64, Filled<(Dense,), PosInf>>
    {
        e[i] min= A[i, j] + d[j];
    }
}
tensor_kernel! {
    fn shortest(A: Tensor<i32, Filled<(Dense, Compressed), PosInf>>, d: Tensor<i32, Filled<(Dense,), PosInf>>)
        -> Tensor<i32, Filled<(Dense,), PosInf>>
    {
        e[i] min= A[i, j] + d[j];
    }
}

#[test]
fn min_plus() -> Result<(), Error> {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    type Edges = Tensor<f64, Filled<(Dense, Compressed), PosInf>>;
    let a = Edges::from_triplets(
        [4, 4],
        [([0, 1], 2.0), ([0, 2], inf), ([1, 0], -inf), ([2, 3], nan), ([2, 0], 1.0)],
    )?;
    let d = DenseVec::from_dense([4], vec![5.0, 3.0, -1.0, 0.0])?;
    let e = everywhere!(relax, a, d);
    // A number wins over NaN; a stored infinity is the fill.
    same(e.vals(), &[5.0, -inf, 6.0, inf]);
    let e = everywhere!(relax, a, DenseVec::from_dense([4], vec![inf, 3.0, -inf, nan])?);
    // A reduction begins with its identity, however it is grouped: nothing but NaN, ∞ − ∞ here, is ∞.
    same(e.vals(), &[5.0, inf, inf, inf]);
    // minNum.
    let b = Csr::from_triplets(
        [3, 2],
        [([0, 0], nan), ([0, 1], 3.0), ([1, 0], nan), ([1, 1], nan), ([2, 0], -0.0)],
    )?;
    let y = everywhere!(least, b);
    assert_eq!(y.get([0]), 3.0);
    assert_eq!(y.get([1]), inf);
    assert_eq!(y.get([2]), 0.0);
    type Lengths = Tensor<i32, Filled<(Dense, Compressed), PosInf>>;
    type Far = Tensor<i32, Filled<(Dense,), PosInf>>;
    let a = Lengths::from_triplets([3, 3], [([0, 1], 2), ([1, 0], -3), ([1, 2], 7)])?;
    let e = everywhere!(shortest, a, Far::from_dense([3], vec![10, 20, 30])?);
    assert_eq!(e.vals(), [22, 7, i32::MAX]);
    Ok(())
}

tensor_kernel! {
    fn arithmetic_i32(a: DenseVec<i32>, b: DenseVec<i32>, s: &mut DenseMat<i32>, o: DenseVec<i32>) {
        s[i, u] = (a[i] * b[i] + a[i] - b[i]) * o[u];
    }
}
tensor_kernel! { fn quotient_i32(a: DenseVec<i32>, b: DenseVec<i32>) -> DenseVec<i32> { c[i] = a[i] / b[i]; } }
tensor_kernel! { fn quotient_i64(a: DenseVec<i64>, b: DenseVec<i64>) -> DenseVec<i64> { c[i] = a[i] / b[i]; } }
tensor_kernel! { fn quotient_u8(a: DenseVec<u8>, b: DenseVec<u8>) -> DenseVec<u8> { c[i] = a[i] / b[i]; } }
tensor_kernel! { fn tenth(a: DenseVec<i64>, n: i64) -> DenseVec<i64> { c[i] = a[i] / n; } }
tensor_kernel! { fn magnitude(a: DenseVec<i32>) -> DenseVec<i32> { c[i] = abs(-a[i]); } }
tensor_kernel! { fn inverted(a: DenseVec<u8>) -> DenseVec<u8> { c[i] = 255 - a[i]; } }
tensor_kernel! { fn bits(a: DenseVec<u8>, b: DenseVec<u8>) -> DenseVec<u8> { c[i] = (a[i] & b[i]) ^ !(a[i] | b[i]); } }
tensor_kernel! { fn sum_u8(a: Csr<u8>) -> DenseVec<u8> { c[i] = a[i, j]; } }
tensor_kernel! { fn product_i64(a: DenseVec<i64>) -> Tensor<i64, Filled<(), One>> { c *= a[i]; } }

#[test]
fn integers_wrap() -> Result<(), Error> {
    let a: Vec<i32> = vec![i32::MIN, i32::MAX, i32::MIN, -1, 7, 0, i32::MAX];
    let b: Vec<i32> = vec![-1, i32::MAX, 0, i32::MIN, 0, 0, i32::MIN];
    let vector = |v: &[i32]| DenseVec::from_dense([v.len()], v.to_vec());
    let (x, y) = (vector(&a)?, vector(&b)?);
    let mut s = DenseMat::zeros([7, 2]);
    arithmetic_i32(&x, &y, &mut s, &vector(&[1, -1])?)?;
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        let one = a.wrapping_mul(*b).wrapping_add(*a).wrapping_sub(*b);
        assert_eq!((s.get([i, 0]), s.get([i, 1])), (one, one.wrapping_neg()), "{a} and {b}");
    }
    let quotient = |a: i64, b: i64| if b == 0 { 0 } else { a.wrapping_div(b) };
    let expected: Vec<i32> =
        a.iter().zip(&b).map(|(a, b)| if *b == 0 { 0 } else { a.wrapping_div(*b) }).collect();
    assert_eq!(everywhere!(quotient_i32, x, y).vals(), expected);
    let (a, b) = (vec![i64::MIN, i64::MIN, 5, -5, i64::MAX], vec![-1, 0, 0, 2, i64::MIN]);
    let expected: Vec<i64> = a.iter().zip(&b).map(|(a, b)| quotient(*a, *b)).collect();
    let (x, y) = (DenseVec::from_dense([5], a.clone())?, DenseVec::from_dense([5], b)?);
    assert_eq!(everywhere!(quotient_i64, x, y).vals(), expected);
    for n in [0, -1, 10, i64::MIN] {
        let expected: Vec<i64> = a.iter().map(|a| quotient(*a, n)).collect();
        assert_eq!(everywhere!(tenth, x; n).vals(), expected, "by {n}");
    }
    let (x, y) =
        (DenseVec::from_dense([3], vec![7u8, 255, 1])?, DenseVec::from_dense([3], vec![0u8, 254, 2])?);
    assert_eq!(everywhere!(quotient_u8, x, y).vals(), [0, 1, 0]);
    assert_eq!(everywhere!(inverted, x).vals(), [248, 0, 254]);
    let expected: Vec<u8> = x.vals().iter().zip(y.vals()).map(|(a, b)| (a & b) ^ !(a | b)).collect();
    assert_eq!(everywhere!(bits, x, y).vals(), expected);
    assert_eq!(
        everywhere!(magnitude, vector(&[i32::MIN, i32::MAX, -3, 0])?).vals(),
        [i32::MIN, i32::MAX, 3, 0]
    );
    let many = Csr::from_triplets([2, 300], (0..300).map(|j| ([0, j], 3u8)))?;
    assert_eq!(everywhere!(sum_u8, many).vals(), [(900 % 256) as u8, 0]);
    assert_eq!(everywhere!(product_i64, DenseVec::from_dense([3], vec![i64::MAX, 2, 3])?).value()?, -6);
    Ok(())
}

tensor_kernel! { fn reached(A: Csr<bool>, s: DenseVec<bool>) -> DenseVec<bool> { t[i] |= A[i, j] & s[j]; } }
tensor_kernel! { fn neither(A: Csr<bool>, B: Csr<bool>) -> DenseMat<bool> { C[i, j] = !(A[i, j] | B[i, j]); } }
tensor_kernel! { fn differ(A: Csr<bool>, B: Csr<bool>) -> Csr<bool> { C[i, j] = A[i, j] ^ B[i, j]; } }
tensor_kernel! { fn every(A: Csr<bool>) -> Tensor<bool, Filled<(Dense,), One>> { t[i] &= A[i, j]; } }

#[test]
fn truth_values() -> Result<(), Error> {
    let a = Csr::from_triplets([3, 2], [([0, 0], true), ([0, 1], true), ([1, 0], false), ([2, 1], true)])?;
    let b = Csr::from_triplets([3, 2], [([0, 0], true), ([1, 1], true), ([2, 0], false)])?;
    assert_eq!(
        everywhere!(reached, a, DenseVec::from_dense([2], vec![false, true])?).vals(),
        [true, false, true]
    );
    assert_eq!(everywhere!(neither, a, b).vals(), [false, false, true, false, true, false]);
    let c = everywhere!(differ, a, b);
    assert_eq!(c.to_dense()?.vals(), [false, true, false, true, false, true]);
    assert_eq!(everywhere!(every, a).vals(), [true, false, false]);
    Ok(())
}

tensor_kernel! { fn roots(a: SparseVec<f32>) -> DenseVec<f32> { b[i] = sqrt(a[i]) + ln(a[i] + 1) + floor(a[i]); } }
tensor_kernel! { fn exps(a: SparseVec<f64>) -> DenseVec<f64> { b[i] = exp(a[i]); } }
tensor_kernel! { fn compare(a: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> {
    c[i] = (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] == b[i]) + 8 * (a[i] != b[i]) + 16 * (a[i] >= b[i]) + 32 * (a[i] > b[i]);
} }

#[test]
fn functions_at_their_ends() -> Result<(), Error> {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let values = [-1.0, -0.0, inf, -inf, nan, 1e-45, f32::MAX];
    let a = SparseVec::from_triplets([8], values.iter().enumerate().map(|(i, v)| ([i], *v)))?;
    let b = everywhere!(roots, a);
    for (i, v) in values.iter().enumerate() {
        let (found, expected) = (b.get([i]), v.sqrt() + (v + 1.0).ln() + v.floor());
        assert!(found.is_nan() && expected.is_nan() || found == expected, "{v}: {found}, not {expected}");
    }
    assert_eq!(b.get([7]), 0.0);
    let a = SparseVec::from_triplets([4], [([0], 1000.0), ([1], -1000.0), ([2], f64::NEG_INFINITY)])?;
    same(everywhere!(exps, a).vals(), &[f64::INFINITY, 0.0, 0.0, 1.0]);
    let pairs =
        [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (-0.0, 0.0), (nan, 1.0), (nan, nan), (inf, inf), (-inf, inf)];
    let a = DenseVec::from_dense([8], pairs.iter().map(|p| p.0).collect())?;
    let b = DenseVec::from_dense([8], pairs.iter().map(|p| p.1).collect())?;
    let expected: Vec<f32> = pairs
        .iter()
        .map(|(a, b)| [a < b, a <= b, a == b, a != b, a >= b, a > b])
        .map(|bits| bits.iter().enumerate().map(|(k, bit)| if *bit { (1 << k) as f32 } else { 0.0 }).sum())
        .collect();
    assert_eq!(everywhere!(compare, a, b).vals(), expected);
    Ok(())
}
