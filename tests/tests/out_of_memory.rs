//! Memory that there is not is an error of the call, wherever in it that is found out, and the next call is as good as any.

use sparse_gpu::prelude::*;
use std::sync::Mutex;
use tests::memory::{Limited, alone, pool, within};

#[global_allocator]
static LIMITED: Limited = Limited;

/// A call that finds no memory within so many bytes, and is right with more, on one thread and on several.
#[track_caller]
fn refused<T: PartialEq + Send + Sync>(
    most: usize,
    expected: &T,
    call: impl Fn() -> Result<T, Error> + Sync,
) {
    let _alone = alone();
    for threads in [1, 3] {
        pool(threads).install(|| {
            for _ in 0..3 {
                match within(most, &call) {
                    Err(Error::OutOfMemory { bytes }) => assert!(bytes > most as u128, "{bytes}"),
                    Err(error) => panic!("{error:?}"),
                    Ok(_) => panic!("a result on {threads} threads"),
                }
            }
            if most < 1 << 30 {
                assert!(call().unwrap() == *expected);
            }
        });
    }
}

tensor_kernel! {
    fn exponentials(A: Csr<f64>) -> Csr<f64> {
        E[i, j] = exp(A[i, j]);
    }
}

tensor_kernel! {
    fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn hashed(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [k], w, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn transpose(B: Csr<f64>) -> Csr<f64> {
        A[j, i] = B[i, j];
    }
}

tensor_kernel! {
    fn reversed(B: Csf3<f64>) -> Csf3<f64> {
        A[k, j, i] = B[i, j, k];
    }
}

tensor_kernel! {
    fn product_by_vector(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * B[j, k] * x[k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [k], w);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn two_products(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, h] * B[h, j] * x[j];
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn column_sums(A: Csr<f64>, y: &mut DenseVec<f64>) {
        y[j] = A[i, j];
    }
    schedule cpu {
        parallelize(i, CPUThread, Temporary);
    }
    schedule cuda = none;
}

/// Stored elements far apart in rows of so many columns.
fn hypersparse(rows: usize, size: usize) -> Csr<f64> {
    let entries = (0..rows).flat_map(|i| [([i, i * 7919], 1.0), ([i, size - 1 - i], 2.0)]);
    Csr::from_triplets([rows, size], entries).unwrap()
}

#[test]
fn workspaces_as_long_as_rows() {
    let (a, b) = (Csr::random_sparse([900, 900], 0.2, 1), hypersparse(900, 1 << 26));
    // What is asked for is the dimension, whose pages are not touched; a table does without, as does a list of a larger dimension.
    let c = hashed(&a, &b).unwrap();
    assert!(c.stored() > a.stored());
    refused(1 << 28, &c, || spgemm(&a, &b));
    let b = hypersparse(900, i32::MAX as usize);
    let _alone = alone();
    let c = within(1 << 28, || spgemm(&a, &b)).unwrap();
    assert!(c == hashed(&a, &b).unwrap() && c.stored() == 2 * a.stored());
}

#[test]
fn workspaces_that_grow() {
    // A row of so many elements that twice the memory for them is more than the result's.
    let (a, b) = (Csr::random_sparse([1, 80], 1.0, 1), Csr::random_sparse([80, 20_000], 0.2, 2));
    let c = hashed(&a, &b).unwrap();
    assert!((17_000..=20_000).contains(&c.stored()));
    refused(200_000, &c, || hashed(&a, &b));
    let entries = (0..20_000).map(|n| ([n / 40, n % 8, n % 40 / 8], n as f64));
    let b = Csf3::from_triplets([500, 8, 5], entries).unwrap();
    refused(200_000, &reversed(&b).unwrap(), || reversed(&b));
}

/// What is counted and placed asks for no more than there is: here as much as the result has.
#[test]
fn workspaces_that_are_counted() {
    let b = Csr::random_sparse([500, 40], 1.0, 3);
    refused(159_000, &transpose(&b).unwrap(), || transpose(&b));
    let long = Csr::random_sparse([2, 40_000], 0.01, 3);
    refused(100_000, &transpose(&long).unwrap(), || transpose(&long));
}

#[test]
fn dense_workspaces() {
    let (a, b) = (Csr::random_sparse([50, 80], 0.5, 1), Csr::random_sparse([80, 20_000], 0.1, 2));
    let x = DenseVec::random([20_000], 3);
    refused(100_000, &product_by_vector(&a, &b, &x).unwrap(), || product_by_vector(&a, &b, &x));
}

/// Nothing is written to it before its rows are, so that it is the allocation that fails.
#[test]
fn parts_of_products() {
    // The result is shorter than the part, of whose rows each is read twice.
    let entries = (0..40_000).map(|n| ([n / 2000, n % 20_000], 1.0));
    let (a, b) = (Csr::from_triplets([20, 20_000], entries).unwrap(), DenseVec::random([300], 3));
    let rows = Csr::from_triplets([20_000, 300], (0..20_000).map(|h| ([h, h % 300], 2.0))).unwrap();
    refused(100_000, &two_products(&a, &rows, &b).unwrap(), || two_products(&a, &rows, &b));
}

#[test]
fn copies_of_a_result() {
    let a = Csr::<f64>::random_sparse([20_000, 20_000], 0.001, 1);
    let y = Mutex::new(DenseVec::zeros([20_000]));
    let sums = || -> Result<(), Error> { column_sums(&a, &mut y.lock().unwrap()) };
    let _alone = alone();
    pool(3).install(|| {
        assert!(matches!(within(100_000, sums), Err(Error::OutOfMemory { bytes: 160_000 })));
        sums().unwrap();
    });
    let expected: f64 = a.iter().map(|(_, v)| v).sum();
    assert!((y.lock().unwrap().vals().iter().sum::<f64>() - expected).abs() < 1e-6 * expected.abs().max(1.0));
}

/// An array grows by more than it needs: where there is no memory for that, there may be for as much as it needs.
#[test]
fn results_that_grow() {
    let a = Csr::random_sparse([600, 600], 0.05, 1);
    let c = spgemm(&a, &a).unwrap();
    let bytes = c.stored() * 8;
    refused(bytes - 1000, &c, || spgemm(&a, &a));
    let _alone = alone();
    for threads in [1, 3] {
        assert!(pool(threads).install(|| within(bytes + 100, || spgemm(&a, &a))).unwrap() == c);
    }
}

tensor_kernel! {
    fn dense_blocks(A: Csr<f64>, B: Csr<f64>, d: SparseVec<f64>) -> Tensor<f64, (Dense, Compressed, Dense)> {
        C[i, k, l] = A[i, j] * B[j, k] * d[l];
    }
}

tensor_kernel! {
    fn outer(A: Coo<f64>, b: SparseVec<f64>) -> Csf3<f64> {
        C[i, j, k] = A[i, j] * b[k];
    }
}

/// What is appended without a bound is counted, and what has a known length not even that: no memory is asked for.
#[test]
fn results_that_positions_cannot_count() {
    let a = Csr::from_triplets([9, 5], (0..3).map(|i| ([2 * i, 1], 1.0))).unwrap();
    let b = Csr::from_triplets([5, 7], [([1, 3], 2.0)]).unwrap();
    let d = |size: usize| SparseVec::from_triplets([size], [([2], 2.0), ([4], 1.0)]).unwrap();
    assert_eq!(dense_blocks(&a, &b, &d(8)).unwrap().stored(), 24);
    let wide = d(1 << 30);
    let entries = (0..60_000).map(|k| ([k / 300, k % 300], 1.0));
    let (list, long) = (
        Coo::from_triplets([200, 300], entries).unwrap(),
        SparseVec::from_triplets([60_000], (0..60_000).map(|k| ([k], 1.0))).unwrap(),
    );
    let _alone = alone();
    let refused = within(10_000, || dense_blocks(&a, &b, &wide));
    assert!(matches!(refused, Err(Error::TooManyEntries { count: 0xc000_0000 })), "{:?}", refused.err());
    let refused = within(10_000, || outer(&list, &long));
    assert!(matches!(refused, Err(Error::TooManyEntries { count: 3_600_000_000 })), "{:?}", refused.err());
    // What is 1 where nothing is stored has all coordinates, which nobody counts one by one.
    let few = Csr::from_triplets([60_000, 60_000], [([1, 1], 1.0)]).unwrap();
    let refused = within(1_000_000, || exponentials(&few));
    assert!(matches!(refused, Err(Error::TooManyEntries { count: 3_600_000_000 })), "{:?}", refused.err());
    let small = Csr::from_triplets([3, 2], [([1, 1], 1.0)]).unwrap();
    assert_eq!(exponentials(&small).unwrap().vals(), [1.0, 1.0, 1.0, 1.0_f64.exp(), 1.0, 1.0]);
}
