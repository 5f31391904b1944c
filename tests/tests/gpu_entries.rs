//! Points that share out entries, on the simulator: what a thread's entries have beside each other is loaded in vectors.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, Limits, run, run_reporting};
use sparse_core::tensor::{Csr, DenseVec, DynTensor};

const SPMV: &str = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
const COLUMNS: usize = 40;

/// Small numbers, whose sums are exact in every order.
fn value(n: usize) -> f32 {
    (n % 7) as f32 - 2.0
}

/// So many entries, in rows of twenty.
fn matrix(entries: usize) -> Arg {
    let entry = |n: usize| ([n / 20, n % 20 * 2 + n / 20 % 2], value(n));
    Arg::Tensor(DynTensor::from(
        &Csr::from_triplets([entries / 20 + 1, COLUMNS], (0..entries).map(entry)).unwrap(),
    ))
}

/// Loads of the longest warp, of a result that is the CPU's.
fn loads(point: &str, entries: usize) -> u64 {
    let text = format!("{SPMV} schedule cuda = atomic({point});");
    let serial = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let x = DenseVec::from_dense([COLUMNS], (0..COLUMNS).map(value).collect()).unwrap();
    let args = [matrix(entries), Arg::Tensor(DynTensor::from(&x))];
    let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
    assert_eq!(found, run(&serial, &args).unwrap(), "{point}, {entries} entries");
    reports[0].longest_warp.loads
}

#[test]
fn eight_entries_are_two_vectors_of_each_array() {
    // Whole batches alone: twelve loads of eight entries, and those of where rows end.
    let [eight, six] = ["<8 nnz, 1 col>, 32", "<6 nnz, 1 col>, 32"].map(|point| loads(point, 32 * 240));
    assert!(eight + 6 <= six, "{eight} loads of eight entries, {six} of six");
}

#[test]
fn entries_that_are_no_whole_batch_are_loaded_one_by_one() {
    for entries in [1, 7, 8, 9, 255, 257, 2_049, 4_100] {
        for point in ["<8 nnz, 1 col>, 32", "<4 nnz, 1 col>, 4", "<6 nnz, 1 col>, 8", "<12 nnz, 1 col>, 1"] {
            assert!(loads(point, entries) > 0);
        }
    }
}
