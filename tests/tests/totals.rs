//! Sums into one element on a CPU without a schedule: by threads, and the same bits on any number of them.

use rayon::ThreadPoolBuilder;
use sparse_core::driver::{Options, compile_kernel};
use sparse_core::emit;
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn dot(x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> { s = x[i] * y[i]; }
}
tensor_kernel! {
    fn quadratic(A: Csr<f64>, x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> { s = y[i] * A[i, j] * x[j]; }
}
tensor_kernel! {
    fn frobenius(A: Csr<f64>, B: Csr<f64>) -> Scalar<f64> { s = A[i, j] * B[i, j]; }
}
tensor_kernel! {
    fn squares(A: Csr<f64>) -> Scalar<f64> { s = A[i, j] * A[i, j]; }
}
tensor_kernel! {
    fn dense_squares(X: DenseMat<f64>) -> Scalar<f64> { s = X[i, j] * X[i, j]; }
}
tensor_kernel! {
    fn largest(a: SparseVec<f64>) -> Scalar<f64> { s max= a[i] * 2.0; }
}
tensor_kernel! {
    fn more(x: DenseVec<f64>, s: &mut Scalar<f64>) { s += x[i]; }
}

/// Not exact: the order of a sum shows.
fn value(n: usize) -> f64 {
    1.0 / (n % 1013 + 1) as f64 - 0.01
}

fn vector(n: usize) -> DenseVec<f64> {
    DenseVec::from_dense([n], (0..n).map(value).collect()).unwrap()
}

/// Rows of zero to thirty entries, of which the first has all the columns.
fn matrix(rows: usize, columns: usize) -> Csr<f64> {
    let columns_of = |i: usize| if i == 0 { columns } else { i * 7 % 31 };
    let entries = (0..rows)
        .flat_map(|i| (0..columns_of(i)).map(move |k| ([i, (i * 13 + k * 17) % columns], value(i + k))));
    Csr::from_triplets([rows, columns], entries).unwrap()
}

fn check(what: &str, expected: f64, run: impl Fn() -> f64 + Sync) {
    let on = |threads: usize| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&run);
    let one = on(1);
    assert!((one - expected).abs() <= 1e-9 * expected.abs(), "{what}: {one}, not {expected}");
    for threads in [2, 3, 8] {
        assert_eq!(on(threads).to_bits(), one.to_bits(), "{what} on {threads} threads");
    }
}

#[test]
fn totals_have_the_same_bits_on_any_number_of_threads() {
    for n in [0, 1, 1000, 3_000_000] {
        let (x, y) = (vector(n), vector(n));
        let expected = (0..n).map(|i| value(i) * value(i)).sum();
        check("a dot product", expected, || dot(&x, &y).unwrap().get([]));
        let expected = 0.5 + (0..n).map(value).sum::<f64>();
        check("a sum that goes on", expected, || {
            let mut s = Scalar::from_dense([], vec![0.5]).unwrap();
            more(&x, &mut s).unwrap();
            s.get([])
        });
    }
    let (a, x, y) = (matrix(100_000, 5_000), vector(5_000), vector(100_000));
    let expected = a.iter().map(|([i, j], v)| value(i) * v * value(j)).sum();
    check("a quadratic form", expected, || quadratic(&a, &x, &y).unwrap().get([]));
    let expected = a.iter().map(|(_, v)| v * v).sum();
    check("a product of matrices' entries", expected, || frobenius(&a, &a).unwrap().get([]));
    check("a matrix's squares", expected, || squares(&a).unwrap().get([]));
    let x = DenseMat::from_dense([1500, 1000], (0..1_500_000).map(value).collect()).unwrap();
    let expected = (0..1_500_000).map(|n| value(n) * value(n)).sum();
    check("a dense matrix's squares", expected, || dense_squares(&x).unwrap().get([]));
    let entries = (0..2_000_000).map(|i| ([3 * i], value(i)));
    let v = SparseVec::from_triplets([6_000_000], entries).unwrap();
    check("a maximum", 2.0 * value(0), || largest(&v).unwrap().get([]));
}

#[test]
fn totals_run_on_threads() {
    for text in
        [dot::explain(), quadratic::explain(), frobenius::explain(), largest::explain(), more::explain()]
    {
        assert!(text.contains("parallelize(part, CPUThread, Temporary)"), "{text}");
    }
}

/// Where nothing asks for rows there is one loop over all entries, or elements.
#[test]
fn totals_of_one_operand_have_one_loop() {
    for (program, all) in [(squares::PROGRAM, "A2_pos[A1_dim]"), (dense_squares::PROGRAM, "X1_dim * X2_dim")]
    {
        let run = &program[program.find("run {").unwrap()..];
        assert!(run.contains(all) && run.matches("for ").count() == 2, "{run}");
    }
}

/// A row's bounds have names where it is asked whether it has entries: it is a row's sum all the same.
#[test]
fn rows_are_summed_by_fours_where_a_factor_is_taken_out() {
    for rhs in ["y[i] * A[i, j] * x[j]", "x[j] * A[i, j] * y[i] * y[i]"] {
        let text =
            format!("fn f(A: Csr<f64>, x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> {{ s = {rhs}; }}");
        let compiled = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap();
        let code = emit::rust::native(compiled.program.program());
        assert!(code.contains("in_fours"), "{code}");
    }
}
