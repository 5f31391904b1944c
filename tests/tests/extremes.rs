//! The largest and the smallest of adjacent elements, and of those that a row's entries pick, are found by vectors, which pass
//! over what is no number as one by one do.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::emit;
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn largest_f32(X: DenseMat<f32>) -> DenseVec<f32> { y[i] max= X[i, j]; }
}
tensor_kernel! {
    fn smallest_f32(X: DenseMat<f32>) -> DenseVec<f32> { y[i] min= X[i, j]; }
}
tensor_kernel! {
    fn largest_f64(X: DenseMat<f64>) -> DenseVec<f64> { y[i] max= X[i, j]; }
}
tensor_kernel! {
    fn smallest_f64(X: DenseMat<f64>) -> DenseVec<f64> { y[i] min= X[i, j]; }
}
tensor_kernel! {
    fn farthest_from_zero_f32(X: DenseMat<f32>) -> DenseVec<f32> { y[i] max= abs(X[i, j]); }
}
tensor_kernel! {
    fn rounded(X: DenseMat<f64>) -> DenseVec<f64> { y[i] max= floor(X[i, j] / 4) - ceil(sqrt(abs(X[i, j]))); }
}
tensor_kernel! {
    fn farthest_from_zero(A: Csr<f64>) -> DenseVec<f64> { y[i] max= abs(A[i, j]); }
}
tensor_kernel! {
    fn shortest(X: DenseMat<f64>, d: DenseVec<f64>) -> Scalar<f64> { s min= X[i, j] - 2 * d[j]; }
}
tensor_kernel! {
    /// Of what is stored: between the rows' entries lie those of others.
    fn largest_stored(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>) -> DenseVec<f64> { y[i] max= A[i, j]; }
}

tensor_kernel! {
    fn farthest_f32(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] max= A[i, j] * x[j]; }
}
tensor_kernel! {
    fn farthest(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] max= A[i, j] + x[j];
    }
}
tensor_kernel! {
    fn nearest(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] min= A[i, j] + x[j];
    }
}

/// Nothing, numbers of both signs, infinities and NaN, in another order each row.
fn value(at: usize) -> f64 {
    let values =
        [1.5, -3.0, f64::NAN, -0.0, 0.0, f64::NEG_INFINITY, f64::NAN, 8.5, -9.25, f64::INFINITY, 7.0];
    values[at * at % 89 % values.len()]
}

#[test]
fn of_rows_of_all_lengths() -> Result<(), Error> {
    for columns in (0..70).chain([127, 128, 129, 512, 700]) {
        let rows = 9;
        // One row has no number at all, and one has no infinity.
        let of = |i: usize, j: usize| match i {
            3 => f64::NAN,
            5 => (j as f64 * 7.0) % 31.0 - 14.0,
            _ => value(i * 37 + j),
        };
        let entries = || (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
        let x = DenseMat::<f64>::from_triplets([rows, columns], entries().map(|[i, j]| ([i, j], of(i, j))))?;
        let narrow = entries().map(|[i, j]| ([i, j], of(i, j) as f32));
        let narrow = DenseMat::<f32>::from_triplets([rows, columns], narrow)?;
        let (most, least) = (largest_f64(&x)?, smallest_f64(&x)?);
        let (narrow_most, narrow_least) = (largest_f32(&narrow)?, smallest_f32(&narrow)?);
        let stored = Tensor::from_triplets([rows, columns], entries().map(|[i, j]| ([i, j], of(i, j))))?;
        let of_stored = largest_stored(&stored)?;
        let far_narrow = farthest_from_zero_f32(&narrow)?;
        let listed = Csr::from_triplets([rows, columns], entries().map(|[i, j]| ([i, j], of(i, j))))?;
        let (far_stored, round_values) = (farthest_from_zero(&listed)?, rounded(&x)?);
        for i in 0..rows {
            let row = || (0..columns).map(|j| of(i, j));
            let (large, small) =
                (row().fold(f64::NEG_INFINITY, f64::max), row().fold(f64::INFINITY, f64::min));
            assert_eq!([most.get([i]), least.get([i])], [large, small], "row {i} of {columns}");
            assert_eq!([narrow_most.get([i]), narrow_least.get([i])], [large as f32, small as f32]);
            assert_eq!(of_stored.get([i]), large, "row {i} of {columns}");
            let far = row().map(f64::abs).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(far_narrow.get([i]), far as f32, "row {i} of {columns}");
            assert_eq!(far_stored.get([i]), far, "row {i} of {columns}");
            let round = row().map(|v| (v / 4.0).floor() - v.abs().sqrt().ceil());
            assert_eq!(
                round_values.get([i]),
                round.fold(f64::NEG_INFINITY, f64::max),
                "row {i} of {columns}"
            );
        }
        let d = DenseVec::<f64>::from_triplets([columns], (0..columns).map(|j| ([j], j as f64 % 5.0)))?;
        let each = entries().map(|[i, j]| of(i, j) - 2.0 * (j as f64 % 5.0));
        assert_eq!(shortest(&x, &d)?.get([]), each.fold(f64::INFINITY, f64::min), "{columns} columns");
    }
    Ok(())
}

/// Rows that are as long as the ones before them, as short, and of any length; and what lies behind a row is larger and smaller.
#[test]
fn of_what_entries_pick() -> Result<(), Error> {
    let (rows, columns) = (80, 40);
    let x = |j: usize| value(j * 11 + 5);
    let lengths: [fn(usize) -> usize; 4] = [|_| 12, |_| 2, |i| i * i % 14, |i| i % 3 * 13];
    for length in lengths {
        let entries = || (0..rows).flat_map(move |i| (0..length(i)).map(move |n| [i, (n * 3 + i) % columns]));
        let of = |[i, j]: [usize; 2]| value(i * 37 + j) + (i * 50 % 7) as f64;
        let given = || entries().map(|at| (at, of(at)));
        let v = DenseVec::<f64>::from_dense([columns], (0..columns).map(x).collect())?;
        let most = farthest(&Tensor::from_triplets([rows, columns], given())?, &v)?;
        let least = nearest(&Tensor::from_triplets([rows, columns], given())?, &v)?;
        let narrow = Csr::from_triplets([rows, columns], given().map(|(at, v)| (at, v as f32)))?;
        let narrow_v = DenseVec::<f32>::from_dense([columns], (0..columns).map(|j| x(j) as f32).collect())?;
        let narrow_most = farthest_f32(&narrow, &narrow_v)?;
        for i in 0..rows {
            let row = || entries().filter(move |at| at[0] == i);
            let sums = || row().map(|at| of(at) + x(at[1]));
            assert_eq!(most.get([i]), sums().fold(f64::NEG_INFINITY, f64::max), "row {i}");
            assert_eq!(least.get([i]), sums().fold(f64::INFINITY, f64::min), "row {i}");
            // What is not stored is 0, in rows that are not full.
            let products = row().map(|at| of(at) as f32 * x(at[1]) as f32);
            assert_eq!(narrow_most.get([i]), products.fold(0.0, f32::max), "row {i}");
        }
    }
    Ok(())
}

#[test]
fn are_found_by_vectors() {
    let code = |text: &str| {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        emit::rust::native(compiled.program.program()).replace(' ', "")
    };
    let max = code("fn f(X: DenseMat<f32>) -> DenseVec<f32> { y[i] max= X[i, j]; }");
    assert!(max.contains("rt::largest"), "{max}");
    let min = code("fn f(X: DenseMat<f64>, d: DenseVec<f64>) -> DenseVec<f64> { y[i] min= X[i, j] + d[j]; }");
    assert!(min.contains("rt::smallest"), "{min}");
    let max = code("fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] max= A[i, j] * x[j]; }");
    assert!(max.contains("isa.four(-f32::INFINITY)") && max.contains("partial.largest()"), "{max}");
    let min =
        "fn f(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, x: DenseVec<f64>) -> DenseVec<f64> {";
    let min = code(&format!("{min} y[i] min= A[i, j] - x[j]; }}"));
    assert!(min.contains("isa.four(f64::INFINITY)") && min.contains("partial.smallest()"), "{min}");
    // What vectors have no rule for is computed one by one.
    let inside =
        code("fn f(X: DenseMat<f64>, d: DenseVec<f64>) -> DenseVec<f64> { y[i] max= min(X[i, j], d[j]); }");
    assert!(!inside.contains("largest"), "{inside}");
}
