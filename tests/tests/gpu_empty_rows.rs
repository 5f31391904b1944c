//! Points that share out entries, on matrices most of whose rows have none, on the simulator: rows without entries are passed over
//! by a search, and nothing is written for them.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, LaunchReport, Limits, run, run_reporting};
use sparse_core::tensor::{Csr, DenseMat, DenseVec, DynTensor};

const SPMV: &str = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
const SPMM: &str = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
const ROWS: usize = 300;
/// Rows for each that has entries.
const APART: usize = 500;
const COLUMNS: usize = 40;

/// Small numbers, whose sums are exact in every order.
fn value(n: usize) -> f32 {
    (n % 7) as f32 - 2.0
}

/// Rows of one to seven entries, so many rows from one to the next.
fn matrix(apart: usize) -> Arg {
    let row = |r: usize| (0..1 + r * 5 % 7).map(move |n| [r * apart + apart / 2, (r + n * 5) % COLUMNS]);
    let entries = (0..ROWS).flat_map(row).enumerate().map(|(n, at)| (at, value(n)));
    Arg::Tensor(DynTensor::from(&Csr::from_triplets([ROWS * apart, COLUMNS], entries).unwrap()))
}

/// What the launches did, whose result is the CPU's.
fn reports(text: &str, args: &[Arg]) -> Vec<LaunchReport> {
    let serial = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let program = compile_cuda(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let (found, reports) = run_reporting(&program, args, Limits::default()).unwrap();
    assert_eq!(found, run(&serial, args).unwrap(), "{text}");
    reports
}

#[test]
fn rows_without_entries_are_passed_over() {
    let vector = Arg::Tensor(DynTensor::from(
        &DenseVec::from_dense([COLUMNS], (0..COLUMNS).map(value).collect()).unwrap(),
    ));
    let columns = 8;
    let dense =
        DenseMat::from_dense([COLUMNS, columns], (0..COLUMNS * columns).map(value).collect()).unwrap();
    let dense = Arg::Tensor(DynTensor::from(&dense));
    let points = [
        (SPMV, &vector, "<8 nnz, 1 col>, 32"),
        (SPMV, &vector, "<8 nnz, 1 col>, 1"),
        (SPMM, &dense, "<8 nnz, 4 col>, 8, vector"),
        (SPMM, &dense, "<8 nnz, 4 col>, 1, vector"),
        (SPMM, &dense, "<4 nnz, 2 col>, 4, deterministic"),
    ];
    for (kernel, operand, point) in points {
        let text = format!("{kernel} schedule cuda = atomic({point});");
        let [near, apart] = [1, APART].map(|n| reports(&text, &[matrix(n), operand.clone()]));
        let (near, apart) = (&near[0], &apart[0]);
        // A thread's eight entries are in eight rows at most, and a search of five hundred looks at some ten; it walked past thousands.
        let [walk, found] = [near, apart].map(|r| r.longest_warp.loads);
        assert!(found <= walk + 80, "{point}: {found} loads, {walk} without empty rows");
        // Rows that are apart have sectors of their own.
        let [together, alone] = [near, apart].map(|r| r.sectors_written);
        assert!(alone <= 3 * together, "{point}: {alone} sectors, {together} without empty rows");
    }
}
