//! The largest and the smallest of adjacent elements are found by vectors, which pass over what is no number as one by one do.

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
    fn shortest(X: DenseMat<f64>, d: DenseVec<f64>) -> Scalar<f64> { s min= X[i, j] - 2 * d[j]; }
}
tensor_kernel! {
    /// Of what is stored: between the rows' entries lie those of others.
    fn largest_stored(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>) -> DenseVec<f64> { y[i] max= A[i, j]; }
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
        for i in 0..rows {
            let row = || (0..columns).map(|j| of(i, j));
            let (large, small) =
                (row().fold(f64::NEG_INFINITY, f64::max), row().fold(f64::INFINITY, f64::min));
            assert_eq!([most.get([i]), least.get([i])], [large, small], "row {i} of {columns}");
            assert_eq!([narrow_most.get([i]), narrow_least.get([i])], [large as f32, small as f32]);
            assert_eq!(of_stored.get([i]), large, "row {i} of {columns}");
        }
        let d = DenseVec::<f64>::from_triplets([columns], (0..columns).map(|j| ([j], j as f64 % 5.0)))?;
        let each = entries().map(|[i, j]| of(i, j) - 2.0 * (j as f64 % 5.0));
        assert_eq!(shortest(&x, &d)?.get([]), each.fold(f64::INFINITY, f64::min), "{columns} columns");
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
    // What vectors have no rule for is computed one by one.
    let inside =
        code("fn f(X: DenseMat<f64>, d: DenseVec<f64>) -> DenseVec<f64> { y[i] max= min(X[i, j], d[j]); }");
    assert!(!inside.contains("largest"), "{inside}");
}
