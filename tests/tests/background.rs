//! Sparse results where the right side is not their fill though nothing is stored: entries are stored there as well, also in
//! results that are scattered whole.

use sparse_gpu::prelude::*;

/// Kernels of one operand whose result is transposed, and what each makes of a value.
macro_rules! transposed {
    ($($name:ident($from:ty) -> $to:ty { $($rhs:tt)* } $value:expr;)*) => {
        $(mod $name {
            use super::*;

            tensor_kernel! {
                pub fn kernel(A: $from) -> $to {
                    C[j, i] = $($rhs)*;
                }
            }

            pub fn check(dims: [usize; 2], entries: &[([usize; 2], f64)]) -> Result<(), Error> {
                let a = <$from>::from_triplets(dims, entries.iter().copied())?;
                let value: fn(f64) -> f64 = $value;
                let there = kernel(&a.to(&Sim::new())?)?.to_host()?;
                for c in [kernel(&a)?, there] {
                    for i in 0..dims[0] {
                        for j in 0..dims[1] {
                            let expected = value(a.get([i, j]));
                            assert_eq!(c.get([j, i]), expected, "{} of {dims:?} at {i}, {j}", stringify!($name));
                        }
                    }
                }
                Ok(())
            }
        })*

        fn check_all(dims: [usize; 2], entries: &[([usize; 2], f64)]) -> Result<(), Error> {
            $($name::check(dims, entries)?;)*
            Ok(())
        }
    };
}

transposed! {
    larger(Csr<f64>) -> Csr<f64> { max(A[i, j], 1.0) } |v| v.max(1.0);
    smaller(Csr<f64>) -> Csr<f64> { A[i, j] < 0.1 } |v| f64::from(u8::from(v < 0.1));
    next(Csr<f64>) -> Dcsr<f64> { 1.0 / (1.0 + A[i, j] * A[i, j]) } |v| 1.0 / (1.0 + v * v);
    to_list(Csr<f64>) -> Coo<f64> { max(A[i, j], 1.0) } |v| v.max(1.0);
    of_list(Coo<f64>) -> Csr<f64> { max(A[i, j], 1.0) } |v| v.max(1.0);
    of_columns(Csc<f64>) -> Csc<f64> { A[i, j] == 0.0 } |v| f64::from(u8::from(v == 0.0));
    to_blocks(Csr<f64>) -> Tensor<f64, (Compressed, Dense)> { max(A[i, j], 1.0) } |v| v.max(1.0);
    of_ones(Tensor<f64, Filled<(Dense, Compressed), One>>) -> Csr<f64> { A[i, j] } |v| v;
    to_ones(Csr<f64>) -> Tensor<f64, Filled<(Dense, Compressed), One>> { A[i, j] } |v| v;
    to_infinite(Csr<f64>) -> Tensor<f64, Filled<(Dense, Compressed), PosInf>> { A[i, j] } |v| v;
    of_infinite(Tensor<f64, Filled<(Dense, Compressed), PosInf>>) -> Csr<f64> { min(A[i, j], 9.0) } |v| v.min(9.0);
}

#[test]
fn what_is_not_the_fill_is_stored_where_nothing_is() -> Result<(), Error> {
    check_all([0, 0], &[])?;
    check_all([3, 0], &[])?;
    check_all([2, 2], &[([0, 1], 3.0)])?;
    let entries: Vec<_> = (0..40).map(|k: usize| ([k * 7 % 23, k * 5 % 31], k as f64)).collect();
    check_all([23, 31], &entries)
}

tensor_kernel! {
    fn packed(A: Csf3<f64>) -> Tensor<f64, (Compressed, Dense, Compressed)> {
        C[i, k, j] = max(A[i, j, k], 1.0);
    }
}

#[test]
fn lists_hold_less_than_such_results() -> Result<(), Error> {
    let a = Csf3::<f64>::from_triplets([1, 2, 2], [([0, 0, 1], 3.0)])?;
    for c in [packed(&a)?, packed(&a.to(&Sim::new())?)?.to_host()?] {
        assert_eq!(c.iter().map(|(_, v)| v).collect::<Vec<_>>(), [1.0, 1.0, 3.0, 1.0]);
    }
    Ok(())
}

tensor_kernel! {
    /// One entry a parent, at two levels.
    fn one_each(A: Tensor<f64, (Dense, Dense, Dense, Dense)>) -> Tensor<f64, Reordered<(Dense, Singleton, Dense, Singleton), 3, 2, 0, 1>> {
        R[j, l, m, n] = A[j, l, m, n];
    }
}

/// Where a parent above has several entries, those below are in no order of their parents, and are not searched.
#[test]
fn below_what_does_not_fit_nothing_is_searched() -> Result<(), Error> {
    for (dims, fits) in [([2, 1, 1, 1], true), ([2, 1, 2, 1], false), ([2, 2, 1, 1], false)] {
        let n = dims.iter().product();
        let a = Tensor::<f64, (Dense, Dense, Dense, Dense)>::from_dense(dims, vec![1.0; n])?;
        for r in [one_each(&a), one_each(&a.to(&Sim::new())?).and_then(|r| r.to_host())] {
            assert!(r.is_ok() == fits && r.err().is_none_or(|e| matches!(e, Error::NotOneEntry { .. })));
        }
    }
    Ok(())
}

tensor_kernel! {
    /// A graph network's aggregation: a maximum over neighbours, in which what is not stored is a 0.
    fn pooled(A: Csr<f32>, X: DenseMat<f32>) -> Tensor<f32, Filled<(Dense, Dense), NegInf>> {
        H[i, f] max= A[i, j] * X[j, f];
    }
}

/// The zeros of a row are one to a maximum, however many columns are computed together: work is as the entries are many.
#[test]
fn a_run_of_fills_is_one_to_a_maximum() -> Result<(), Error> {
    let instructions = |n: usize| {
        let sim = Sim::new();
        let entries =
            (0..n).flat_map(|i| (0..5).map(move |k| ([i, (i * 7 + k * n / 5) % n], 1.0 - k as f32)));
        let (a, x) = (Csr::from_triplets([n, n], entries)?, DenseMat::<f32>::random([n, 4], 3));
        let there = pooled(&a.to(&sim)?, &x.to(&sim)?)?.to_host()?;
        let here = pooled(&a, &x)?;
        for (i, f) in (0..n).flat_map(|i| (0..4).map(move |f| (i, f))) {
            let largest = (0..n).map(|j| a.get([i, j]) * x.get([j, f])).fold(f32::NEG_INFINITY, f32::max);
            assert!(here.get([i, f]) == largest && there.get([i, f]) == largest);
        }
        Ok::<u64, Error>(sim.report().launches.iter().map(|l| l.counts.instructions).sum::<u64>())
    };
    let (few, many) = (instructions(128)?, instructions(512)?);
    assert!(many < 8 * few, "{few} instructions, and {many} of four times as many rows");
    Ok(())
}
