//! Sums that a GPU's threads share without a schedule, on the simulator: exact values, and how few updates of one element there are.

use sparse_core::driver::{Options, compile_gpu, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, LaunchReport, Limits, run, run_reporting};
use sparse_core::tensor::{Csr, DenseMat, DenseVec, DynTensor, SparseVec};

/// Small numbers, whose sums are exact in every order.
fn value(n: usize) -> f32 {
    (n * 7 % 11) as f32 - 4.0
}

fn vector(n: usize) -> Arg {
    Arg::Tensor(DynTensor::from(&DenseVec::from_dense([n], (0..n).map(value).collect()).unwrap()))
}

fn dense([rows, columns]: [usize; 2]) -> Arg {
    let values = (0..rows * columns).map(value).collect();
    Arg::Tensor(DynTensor::from(&DenseMat::from_dense([rows, columns], values).unwrap()))
}

/// About one entry in three, and empty rows.
fn matrix([rows, columns]: [usize; 2]) -> Arg {
    let all = (0..rows * columns).filter(|n| n / columns % 5 != 1 && n * n % 7 < 3);
    let entries = all.map(|n| ([n / columns, n % columns], value(n)));
    Arg::Tensor(DynTensor::from(&Csr::from_triplets([rows, columns], entries).unwrap()))
}

fn sparse(n: usize, one_in: usize) -> Arg {
    let entries = (0..n).filter(|i| i % one_in == 0).map(|i| ([i], value(i)));
    Arg::Tensor(DynTensor::from(&SparseVec::from_triplets([n], entries).unwrap()))
}

/// What the launch did that sums, if its result is that of one thread.
fn report(text: &str, args: &[Arg]) -> LaunchReport {
    let variants = compile_gpu(parse_str(text).unwrap(), &Options::default()).unwrap();
    let [compiled] = &variants.all[..] else { panic!("one program: {text}") };
    let serial = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let (found, reports) = run_reporting(&compiled.program, args, Limits::default()).unwrap();
    assert_eq!(found, run(&serial, args).unwrap(), "{text}");
    reports.into_iter().next_back().unwrap()
}

const DOT: &str = "fn f(x: DenseVec<f32>, y: DenseVec<f32>) -> Scalar<f32> { s = x[i] * y[i]; }";

#[test]
fn a_thread_has_eight_terms_or_more() {
    for n in [0, 1, 255, 2_048, 2_049, 100_000] {
        let r = report(DOT, &[vector(n), vector(n)]);
        assert_eq!(r.grid, [n.div_ceil(2_048).max(1) as u64, 1, 1]);
        // A warp updates the sum once.
        assert_eq!(r.counts.atomics, 8 * r.grid[0]);
    }
}

#[test]
fn no_more_blocks_than_a_gpu_runs_sum_into_one_element() {
    let n = 5_000_000;
    let r = report("fn f(x: DenseVec<f32>) -> Scalar<f32> { s max= x[i]; }", &[vector(n)]);
    assert_eq!((r.grid, r.counts.atomics), ([2_048, 1, 1], 8 * 2_048));
    // Neighbouring threads have neighbouring elements: each is read once.
    assert!(r.sectors_read < r.least_read + r.least_read / 8, "{} of {}", r.sectors_read, r.least_read);
}

/// Matrices are one range of elements, whose rows and columns are found where something asks for them.
#[test]
fn dense_matrices_are_summed_whole() {
    for dims in [[0, 3], [3, 0], [1, 5_000], [5_000, 1], [70, 90]] {
        let text = "fn f(X: DenseMat<f32>, Y: DenseMat<f32>) -> Scalar<f32> { s = X[i, k] * Y[i, k]; }";
        assert!(report(text, &[dense(dims), dense(dims)]).grid[0] >= 1);
        let text = "fn f(X: DenseMat<f32>, w: DenseVec<f32>) -> Scalar<f32> { s = X[i, k] * w[k]; }";
        assert!(report(text, &[dense(dims), vector(dims[1])]).grid[0] >= 1);
    }
}

#[test]
fn entries_are_summed_whole() {
    for dims in [[0, 4], [4, 0], [1, 9_000], [9_000, 1], [150, 70]] {
        let r = report("fn f(A: Csr<f32>) -> Scalar<f32> { s = A[i, j] * A[i, j]; }", &[matrix(dims)]);
        assert_eq!(r.counts.atomics, 8 * r.grid[0]);
        let text = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> Scalar<f32> { s = A[i, j] * x[j]; }";
        assert_eq!(report(text, &[matrix(dims), vector(dims[1])]).grid, r.grid);
        // Rows are found on the way.
        let text = "fn f(A: Csr<f32>, x: DenseVec<f32>, y: DenseVec<f32>) -> Scalar<f32> { s = y[i] * A[i, j] * x[j]; }";
        let r = report(text, &[matrix(dims), vector(dims[1]), vector(dims[0])]);
        assert_eq!(r.counts.atomics, 8 * r.grid[0]);
        let text = "fn f(A: Csr<f32>, B: Csr<f32>) -> Scalar<f32> { s = A[i, j] * B[i, j]; }";
        report(text, &[matrix(dims), matrix(dims)]);
    }
    let text = "fn f(a: SparseVec<f32>, b: SparseVec<f32>) -> Scalar<f32> { s = a[i] * b[i]; }";
    report(text, &[sparse(30_000, 2), sparse(30_000, 3)]);
}

/// Elements that few columns have, of many rows.
#[test]
fn threads_share_what_is_summed_for_an_element() {
    let columns = "fn f(X: DenseMat<f32>) -> DenseVec<f32> { b[k] = X[i, k]; }";
    let gram = "fn f(X: DenseMat<f32>, Y: DenseMat<f32>) -> DenseMat<f32> { C[k, l] = X[i, k] * Y[i, l]; }";
    for (rows, k) in [(0_usize, 3), (3, 0), (1, 1), (100, 1), (3_000, 5), (37, 40)] {
        let parts = rows.div_ceil(8).max(1);
        let r = report(columns, &[dense([rows, k])]);
        assert_eq!(r.grid[0], (parts * k).div_ceil(256) as u64, "{rows} rows of {k}");
        let r = report(gram, &[dense([rows, k]), dense([rows, k])]);
        assert_eq!(r.grid[0], (parts * k * k).div_ceil(256) as u64, "{rows} rows of {k} by {k}");
    }
    // Where there are elements enough a thread has one, whole.
    let r = report(gram, &[dense([20, 300]), dense([20, 500])]);
    assert_eq!((r.grid[0], r.contended), (150_000_u64.div_ceil(256), 0));
}

/// Elements that many terms have, each a row of dense operands: eight lanes read what is side by side, and nothing is updated.
#[test]
fn lanes_share_rows_of_dense_operands() {
    let gemv = "fn f(X: DenseMat<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = X[i, j] * x[j]; }";
    let linear = "fn f(X: DenseMat<f32>, W: DenseMat<f32>) -> DenseMat<f32> { Y[i, k] = X[i, j] * W[k, j]; }";
    let largest = "fn f(X: DenseMat<f32>) -> DenseVec<f32> { y[i] max= X[i, j]; }";
    for (rows, k) in [(0_usize, 3), (3, 0), (1, 1), (1, 1_000), (100, 7), (33, 8), (70, 129)] {
        let grid = |elements: usize| [elements.div_ceil(32) as u64, 1, 1];
        let r = report(gemv, &[dense([rows, k]), vector(k)]);
        assert_eq!((r.grid, r.counts.atomics), (grid(rows), 0), "{rows} rows of {k}");
        let r = report(linear, &[dense([rows, k]), dense([5, k])]);
        assert_eq!((r.grid, r.counts.atomics), (grid(5 * rows), 0), "{rows} rows of {k}, five times");
        report(largest, &[dense([rows, k])]);
    }
    // Each element of X is read once, and those of x by each warp, for its four rows.
    let r = report(gemv, &[dense([64, 512]), vector(512)]);
    assert_eq!(r.sectors_read, (64 * 512 + 64 / 4 * 512) / 8);
}

/// By which points a kernel runs that nobody scheduled.
fn points(text: &str) -> Vec<String> {
    let variants = compile_gpu(parse_str(text).unwrap(), &Options::default()).unwrap();
    variants.choice.map_or(vec![], |choice| choice.points.iter().map(ToString::to_string).collect())
}

/// What an element sums is all over the operand: threads have an entry each, not the operand's rows, which may be few or long.
#[test]
fn entries_are_spread_over_threads() {
    for (operand, statement) in [
        ("A: Csc<f32>", "y[i] = A[i, j] * x[j]"),
        ("A: Csr<f32>", "y[j] = A[i, j] * x[i]"),
        ("A: Coo<f32>", "y[j] = A[i, j] * x[i]"),
        ("A: Dcsr<f32>", "y[j] = A[i, j] * x[i]"),
    ] {
        let text = format!("fn f({operand}, x: DenseVec<f32>) -> DenseVec<f32> {{ {statement}; }}");
        assert_eq!(points(&text), ["<1 nnz, 1 col>, 1"], "{text}");
    }
    assert_eq!(points("fn f(A: Csr<f32>) -> DenseVec<f32> { y[j] = A[i, j]; }"), ["<1 nnz, 1 col>, 1"]);
}

/// A product that an expression goes on with has the rule's points of rows.
#[test]
fn sums_as_numbers_are_chosen_by_the_rule() {
    let text = "fn f(A: Csr<f32>, x: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> { y[i] = b[i] - A[i, j] * x[j]; }";
    let found = points(text);
    for point in ["<1 row, 1 col>, 1", "<1/4 row, 1 col>, 4", "<1/32 row, 1 col>, 32"] {
        assert!(found.iter().any(|p| p == point), "{found:?}");
    }
    assert!(!found.iter().any(|p| p.contains("nnz")), "{found:?}");
}

/// Of dense operands neighbouring threads have neighbouring elements, however many variables the result has.
#[test]
fn dense_elements_are_neighbours() {
    let text = "fn f(A: DenseMat<f32>, B: DenseMat<f32>) -> Dense3<f32> { C[i, j, r] = A[i, r] * B[j, r]; }";
    let r = report(text, &[dense([30, 40]), dense([50, 40])]);
    assert_eq!(r.grid[0], 60_000_u64.div_ceil(256));
    assert_eq!(r.sectors_written, 60_000 / 8);
}
