//! Kernels through the macro, against plain loops over coordinates; in a crate that forbids unsafe code and every
//! warning.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, missing_docs, unused, nonstandard_style)]

use sparse_gpu::prelude::*;

tensor_kernel! {
    /// y = A·x
    pub fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    /// C = A·B
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// C += α·A·B
    fn spmm_into(A: Csr<f32>, B: DenseMat<f32>, alpha: f32, C: &mut DenseMat<f32>) {
        C[i, k] += alpha * A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn sddmm(A: Csr<f32>, B: DenseMat<f32>, D: DenseMat<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * B[i, k] * D[j, k];
    }
}

tensor_kernel! {
    fn mttkrp(T: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        M[i, r] = T[i, j, k] * B[j, r] * C[k, r];
    }
}

tensor_kernel! {
    fn ttv(T: Csf3<f64>, v: DenseVec<f64>) -> DenseMat<f64> {
        M[i, j] = T[i, j, k] * v[k];
    }
}

tensor_kernel! {
    fn add(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn mul(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
}

tensor_kernel! {
    fn norm2(A: Csr<i64>) -> Scalar<i64> {
        s = A[i, j] * A[i, j];
    }
}

tensor_kernel! {
    fn column_sums(A: Csr<f64>) -> DenseVec<f64> {
        y[j] = A[i, j];
    }
    schedule cpu { parallelize(i, CPUThread, IgnoreRaces); }
    schedule cuda = none;
}

/// Sizes that lanes and partial sums divide, and sizes that they don't.
const SIZES: [usize; 11] = [0, 1, 3, 4, 17, 24, 32, 45, 140, 300, 321];

tensor_kernel! {
    /// What is subtracted from each lane's sum.
    fn negated(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = -(A[i, j] * x[j]);
    }
}

tensor_kernel! {
    fn negated_total(x: DenseVec<f32>) -> Scalar<f32> {
        s = -x[i];
    }
}

fn sparse<T: Element>(dims: [usize; 2], seed: u64) -> Csr<T> {
    Csr::random_sparse(dims, 0.2, seed)
}

fn at<T: Element>(m: &DenseMat<T>, i: usize, k: usize) -> T {
    m.get([i, k])
}

#[test]
fn spmv_agrees() {
    for (seed, n) in (1..).zip(SIZES) {
        let a = sparse::<f64>([9, n], seed);
        let x = DenseVec::<f64>::random([n], seed);
        let mut expected = vec![0.0; 9];
        for ([i, j], v) in a.iter() {
            expected[i] += v * x.get([j]);
        }
        let expected = DenseVec::from_dense([9], expected).expect("9 values");
        assert!(spmv(&a, &x).expect("sizes agree").approx_eq(&expected, 1e-12), "{n}");
    }
}

/// Small integers, so that every order of a sum gives the same.
#[test]
fn sums_of_negated_terms_agree() {
    for n in [0_usize, 1, 3, 4, 5, 31, 64, 257, 1000] {
        let value = |i: usize| (i % 9) as f64 - 4.0;
        let entries = (0..n).map(|j| ([j % 3, j], value(j)));
        let a = Csr::from_triplets([3, n], entries).expect("coordinates in range");
        let x = DenseVec::from_dense([n], (0..n).map(|j| value(j + 2)).collect()).expect("as many");
        let (minus, plus) = (negated(&a, &x).expect("sizes agree"), spmv(&a, &x).expect("sizes agree"));
        assert!((0..3).all(|i| minus.get([i]) == -plus.get([i])), "{n}");
        let x = DenseVec::from_dense([n], (0..n).map(|j| value(j) as f32).collect()).expect("as many");
        let total: f32 = (0..n).map(|j| value(j) as f32).sum();
        assert_eq!(negated_total(&x).expect("it has a size").get([]), -total, "{n}");
    }
}

/// The code for rows that are alike, for rows of any length, and for more entries than the caches hold.
#[test]
fn rows_of_each_length_and_kind_are_summed() {
    // Integers, so that every order of a sum gives the same.
    let number = |n: usize| (n % 7) as f64 - 3.0;
    let check = |rows: usize, length: &dyn Fn(usize) -> usize| {
        let columns = 100;
        let row = |i: usize| (0..length(i)).map(move |n| ((i, (n * 3 + i) % columns), number(n + i)));
        let entries = (0..rows).flat_map(row).map(|((i, j), v)| ([i, j], v));
        let a = Csr::from_triplets([rows, columns], entries).expect("coordinates in range");
        let x = DenseVec::from_dense([columns], (0..columns).map(number).collect()).expect("as many");
        let y = spmv(&a, &x).expect("sizes agree");
        for i in 0..rows {
            let sum: f64 = row(i).map(|((_, j), v)| v * number(j)).sum();
            assert_eq!(y.get([i]), sum, "row {i} of {rows}, of length {}", length(i));
        }
    };
    for length in 0..24 {
        for rows in [33, 34, 77] {
            check(rows, &|_| length);
            // Some are shorter, also the last ones, behind which the arrays end.
            check(rows, &|i| if i % 20 == 0 || i + 2 > rows { length / 2 } else { length });
            check(rows, &|i| (i * 5) % (length + 1));
        }
    }
    check(80_000, &|i| 30 - i % 3);
}

fn plain_spmm(a: &Csr<f32>, b: &DenseMat<f32>, scale: f32, start: f32) -> DenseMat<f32> {
    let (m, n) = (a.dim(0), b.dim(1));
    let mut c = vec![start; m * n];
    for ([i, j], v) in a.iter() {
        for k in 0..n {
            c[i * n + k] += scale * v * at(b, j, k);
        }
    }
    DenseMat::from_dense([m, n], c).expect("m × n values")
}

#[test]
fn spmm_agrees() {
    for (seed, n) in (1..).zip(SIZES) {
        let (a, b) = (sparse::<f32>([11, 13], seed), DenseMat::<f32>::random([13, n], seed));
        assert!(spmm(&a, &b).expect("sizes agree").approx_eq(&plain_spmm(&a, &b, 1.0, 0.0), 1e-5), "{n}");
        let mut c = DenseMat::from_dense([11, n], vec![2.0; 11 * n]).expect("11 × n values");
        spmm_into(&a, &b, 3.0, &mut c).expect("sizes agree");
        assert!(c.approx_eq(&plain_spmm(&a, &b, 3.0, 2.0), 1e-5), "{n} in place");
    }
}

/// In safe code no schedule may make a data race.
#[test]
fn threads_whose_races_are_ignored_update_atomically() {
    let rows = 40_000;
    let a = Csr::from_triplets([rows, 4], (0..4 * rows).map(|n| ([n / 4, n % 4], 1.0))).expect("in range");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
    for _ in 0..5 {
        let sums = pool.install(|| column_sums(&a)).expect("there is memory");
        assert_eq!(sums.vals(), [rows as f64; 4]);
    }
    assert!(column_sums::explain().contains("update it atomically"), "{}", column_sums::explain());
}

#[test]
fn sddmm_agrees_and_keeps_the_pattern() {
    for (seed, n) in (1..).zip(SIZES) {
        let a = sparse::<f32>([11, 13], seed);
        let (b, d) = (DenseMat::<f32>::random([11, n], seed), DenseMat::<f32>::random([13, n], seed + 1));
        let c = sddmm(&a, &b, &d).expect("sizes agree");
        assert_eq!(c.stored(), a.stored());
        for (([i, j], v), (at_c, got)) in a.iter().zip(c.iter()) {
            let dot: f32 = (0..n).map(|k| at(&b, i, k) * at(&d, j, k)).sum();
            assert_eq!([i, j], at_c);
            assert!((got - v * dot).abs() <= 1e-4 * (1.0 + dot.abs()), "{n}: {got} {}", v * dot);
        }
    }
}

#[test]
fn mttkrp_and_ttv_agree() {
    for (seed, n) in (1..).zip(SIZES) {
        let t = Csf3::<f64>::random_sparse([5, 6, 7], 0.2, seed);
        let (b, c) = (DenseMat::<f64>::random([6, n], seed), DenseMat::<f64>::random([7, n], seed + 1));
        let v = DenseVec::<f64>::random([7], seed);
        let (mut m, mut tv) = (vec![0.0; 5 * n], vec![0.0; 30]);
        for ([i, j, k], x) in t.iter() {
            tv[i * 6 + j] += x * v.get([k]);
            for r in 0..n {
                m[i * n + r] += x * at(&b, j, r) * at(&c, k, r);
            }
        }
        let m = DenseMat::from_dense([5, n], m).expect("5 × n values");
        let tv = DenseMat::from_dense([5, 6], tv).expect("5 × 6 values");
        assert!(mttkrp(&t, &b, &c).expect("sizes agree").approx_eq(&m, 1e-12), "{n}");
        assert!(ttv(&t, &v).expect("sizes agree").approx_eq(&tv, 1e-12));
    }
}

#[test]
fn sums_and_products_of_sparse_matrices_are_assembled() {
    for (seed, n) in (1..).zip(SIZES) {
        let (a, b) = (sparse::<f64>([9, n], seed), sparse::<f64>([9, n], seed + 100));
        let (sum, product) = (add(&a, &b).expect("sizes agree"), mul(&a, &b).expect("sizes agree"));
        for i in 0..9 {
            for j in 0..n {
                assert_eq!(sum.get([i, j]), a.get([i, j]) + b.get([i, j]));
                assert_eq!(product.get([i, j]), a.get([i, j]) * b.get([i, j]));
            }
        }
    }
}

#[test]
fn a_scalar_result_is_a_tensor_of_rank_0() {
    let a = Csr::<i64>::from_triplets([2, 2], [([0, 0], 3), ([1, 1], -4)]).expect("in range");
    assert_eq!(norm2(&a).expect("one size").value().expect("rank 0"), 25);
}

#[test]
fn sizes_that_disagree_are_an_error_with_names() {
    let a = sparse::<f32>([3, 4], 1);
    let b = DenseMat::<f32>::random([5, 2], 1);
    let error = spmm(&a, &b).expect_err("4 is not 5").to_string();
    assert!(error.contains("`j` has size 4 in `A` but 5 in `B`"), "{error}");
}

#[test]
fn a_kernel_tells_what_became_of_it() {
    assert!(spmm::CIN.contains("C[i, k]"));
    assert!(spmm::PROGRAM.contains("A2_pos"));
    assert!(spmm::explain().contains(spmm::CIN));
}

#[test]
fn a_kernel_can_stand_inside_a_function() {
    tensor_kernel! {
        fn scale(a: DenseVec<f64>, x: f64) -> DenseVec<f64> {
            b[i] = a[i] * x;
        }
    }
    let a = DenseVec::from_dense([3], vec![1.0, 2.0, 3.0]).expect("3 values");
    assert_eq!(scale(&a, 2.0).expect("one tensor").vals(), [2.0, 4.0, 6.0]);
}

#[test]
fn lints_of_the_users_crate_pass_by() {
    #![allow(dead_code)]
    mod names {
        use super::*;
        /// In the way of careless macros.
        const N: usize = 1;
        const A: usize = 1;
        tensor_kernel! {
            pub(super) fn odd(isa: Csr<f64>, partial: DenseVec<f64>) -> DenseVec<f64> {
                at[N] = isa[N, next] * partial[next];
            }
        }
    }
    let a = Csr::from_triplets([1, 9], (0..9).map(|j| ([0, j], 1.0))).expect("in range");
    let x = DenseVec::from_dense([9], vec![1.0; 9]).expect("9 values");
    assert_eq!(names::odd(&a, &x).expect("sizes agree").vals(), [9.0]);
}
