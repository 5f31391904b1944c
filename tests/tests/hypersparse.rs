//! Dimensions as large as they may be, in formats that store nothing for what is empty: a kernel's memory is in proportion to
//! the entries, and the result is that of the same entries in small dimensions.

use sparse_gpu::prelude::*;
use std::ops::Range;
use tests::memory::{self, Limited, alone};

#[global_allocator]
static LIMITED: Limited = Limited;

/// The largest dimension.
const HUGE: usize = i32::MAX as usize;
/// The small ones, in which there are as many entries.
const FEW: usize = 61;
/// Bytes of a block of memory that entries so few need, and one for a dimension does not have.
const BYTES: usize = 1 << 20;

type Dcsf3<T> = Tensor<T, (Compressed, Compressed, Compressed)>;
type Blocks<T> = Tensor<T, (Compressed, Compressed, Dense, Dense)>;

tensor_kernel! {
    fn multiply(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn multiply_to_coo(A: Dcsr<f64>, B: Dcsr<f64>) -> Coo<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn masked(M: Dcsr<f64>, A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = M[i, k] * A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn gram(A: Dcsr<f64>) -> Dcsr<f64> {
        C[j, k] = A[i, j] * A[i, k];
    }
}
tensor_kernel! {
    fn rows_times_rows(A: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * A[k, j];
    }
}
tensor_kernel! {
    fn triple(R: Dcsr<f64>, A: Dcsr<f64>, P: Dcsr<f64>) -> Dcsr<f64> {
        C[i, l] = R[i, j] * A[j, k] * P[k, l];
    }
}
tensor_kernel! {
    fn transpose(A: Dcsr<f64>) -> Dcsr<f64> {
        B[j, i] = A[i, j];
    }
}
tensor_kernel! {
    fn sums_of_columns(A: Dcsr<f64>) -> SparseVec<f64> {
        y[j] = A[i, j];
    }
}
tensor_kernel! {
    fn times_vector(A: Dcsr<f64>, x: SparseVec<f64>) -> SparseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}
tensor_kernel! {
    fn vector_times(A: Dcsr<f64>, x: SparseVec<f64>) -> SparseVec<f64> {
        y[j] = A[i, j] * x[i];
    }
}
tensor_kernel! {
    fn sum(A: Dcsr<f64>, B: Dcsr<f64>, C: Dcsr<f64>) -> Dcsr<f64> {
        D[i, j] = A[i, j] + B[i, j] - C[j, i];
    }
}
tensor_kernel! {
    fn product_and_rest(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k] + B[i, k];
    }
}
tensor_kernel! {
    fn times_matrix(A: Tensor<f64, (Compressed, Compressed, Compressed)>, B: Dcsr<f64>) -> Tensor<f64, (Compressed, Compressed, Compressed)> {
        C[i, j, l] = A[i, j, k] * B[k, l];
    }
}
tensor_kernel! {
    fn contract_first(A: Tensor<f64, (Compressed, Compressed, Compressed)>, x: SparseVec<f64>) -> Dcsr<f64> {
        C[j, k] = A[i, j, k] * x[i];
    }
}
tensor_kernel! {
    fn blocks_times_blocks(A: Tensor<f64, (Compressed, Compressed, Dense, Dense)>, B: Tensor<f64, (Compressed, Compressed, Dense, Dense)>) -> Tensor<f64, (Compressed, Compressed, Dense, Dense)> {
        C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
    }
}
tensor_kernel! {
    fn sampled(S: Dcsr<f64>, A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, j] = S[i, j] * A[i, k] * B[j, k];
    }
}

/// Coordinates from a small dimension in the largest one, in the same order.
fn far(c: usize) -> usize {
    c * (HUGE / FEW) + c * c
}

/// Entries of a matrix.
fn entries(seed: u64) -> Vec<([usize; 2], f64)> {
    Dcsr::<f64>::random_sparse([FEW, FEW], 0.06, seed).iter().collect()
}

/// The same entries in small dimensions, and in the largest.
fn matrices(seed: u64) -> [Dcsr<f64>; 2] {
    let spread = |([i, j], v): ([usize; 2], f64)| ([far(i), far(j)], v);
    [
        Dcsr::from_triplets([FEW; 2], entries(seed)).unwrap(),
        Dcsr::from_triplets([HUGE; 2], entries(seed).into_iter().map(spread)).unwrap(),
    ]
}

fn vectors(seed: u64) -> [SparseVec<f64>; 2] {
    let entries: Vec<_> = SparseVec::<f64>::random_sparse([FEW], 0.4, seed).iter().collect();
    let spread = entries.iter().map(|([i], v)| ([far(*i)], *v));
    [
        SparseVec::from_triplets([FEW], entries.clone()).unwrap(),
        SparseVec::from_triplets([HUGE], spread).unwrap(),
    ]
}

fn tensors(seed: u64) -> [Dcsf3<f64>; 2] {
    let entries: Vec<_> = Dcsf3::<f64>::random_sparse([FEW; 3], 0.002, seed).iter().collect();
    let spread = entries.iter().map(|(at, v)| (at.map(far), *v));
    [
        Dcsf3::from_triplets([FEW; 3], entries.clone()).unwrap(),
        Dcsf3::from_triplets([HUGE; 3], spread).unwrap(),
    ]
}

fn blocks(seed: u64) -> [Blocks<f64>; 2] {
    let entries: Vec<_> = entries(seed)
        .into_iter()
        .flat_map(|([i, j], v)| (0..4).map(move |n| ([i, j, n / 2, n % 2], v * (n + 1) as f64)))
        .collect();
    let spread = entries.iter().map(|([i, j, m, n], v)| ([far(*i), far(*j), *m, *n], *v));
    [
        Blocks::from_triplets([FEW, FEW, 2, 2], entries.clone()).unwrap(),
        Blocks::from_triplets([HUGE, HUGE, 2, 2], spread).unwrap(),
    ]
}

/// What a call gives, which may have no large block of memory.
fn within<R>(call: impl FnOnce() -> Result<R, Error>) -> R {
    let _alone = alone();
    memory::within(BYTES, call).unwrap()
}

/// Has the far one the near one's entries? The first dimensions, so many, are large.
fn assert_far<F: Format<Coord = [usize; R]>, const R: usize>(
    [near, far_one]: [Tensor<f64, F>; 2],
    large: Range<usize>,
) {
    let spread =
        |at: [usize; R]| std::array::from_fn(|d| if large.contains(&d) { far(at[d]) } else { at[d] });
    let expected: Vec<_> = near.iter().map(|(at, v)| (spread(at), v)).collect();
    assert!(!expected.is_empty());
    assert_eq!(far_one.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn products() {
    let [a, b, c] = [matrices(1), matrices(2), matrices(3)];
    assert_far([0, 1].map(|n| within(|| multiply(&a[n], &b[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| multiply_to_coo(&a[n], &b[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| masked(&c[n], &a[n], &b[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| gram(&a[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| rows_times_rows(&a[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| triple(&a[n], &b[n], &c[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| product_and_rest(&a[n], &b[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| sampled(&c[n], &a[n], &b[n]))), 0..2);
}

#[test]
fn other_orders_and_sums() {
    let [a, b, c] = [matrices(4), matrices(5), matrices(6)];
    assert_far([0, 1].map(|n| within(|| transpose(&a[n]))), 0..2);
    assert_far([0, 1].map(|n| within(|| sums_of_columns(&a[n]))), 0..1);
    assert_far([0, 1].map(|n| within(|| sum(&a[n], &b[n], &c[n]))), 0..2);
}

#[test]
fn vectors_times_matrices() {
    let (a, x) = (matrices(7), vectors(8));
    assert_far([0, 1].map(|n| within(|| times_vector(&a[n], &x[n]))), 0..1);
    assert_far([0, 1].map(|n| within(|| vector_times(&a[n], &x[n]))), 0..1);
}

#[test]
fn tensors_times_matrices_and_vectors() {
    let (a, b, x) = (tensors(9), matrices(10), vectors(11));
    assert_far([0, 1].map(|n| within(|| times_matrix(&a[n], &b[n]))), 0..3);
    assert_far([0, 1].map(|n| within(|| contract_first(&a[n], &x[n]))), 0..2);
}

#[test]
fn blocks_of_few_elements() {
    let [a, b] = [blocks(12), blocks(13)];
    assert_far([0, 1].map(|n| within(|| blocks_times_blocks(&a[n], &b[n]))), 0..2);
}
