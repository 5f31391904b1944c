//! Threads that share out entries, on the simulator: what one has beside each other is loaded in vectors, and a long row is no thread's.

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

/// A product into a dense matrix: the entries of a long row are different threads', without a schedule.
#[test]
fn entries_of_a_long_row_scatter_side_by_side() {
    let product = "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
    let by_rows = "schedule cuda { split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces); \
         parallelize(thread, GPUThread, NoRaces); }";
    let csr = |stored: fn(usize, usize) -> bool| {
        let all = (0..64 * 64).map(|n| [n / 64, n % 64]).filter(|c| stored(c[0], c[1]));
        let made = Csr::from_triplets([64, 64], all.enumerate().map(|(n, c)| (c, value(n))));
        Arg::Tensor(DynTensor::from(&made.unwrap()))
    };
    let args = [csr(|i, j| i == 0 || i == j), csr(|i, j| (i + j) % 16 == 0)];
    let serial = compile_kernel(parse_str(product).unwrap(), &Options::default()).unwrap().program;
    let longest = |text: &str| {
        let program = compile_cuda(parse_str(text).unwrap(), &Options::default()).unwrap().program;
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert_eq!(found, run(&serial, &args).unwrap(), "{text}");
        reports[0].longest_warp.instructions
    };
    let (default, rows) = (longest(product), longest(&format!("{product} {by_rows}")));
    assert!(default * 8 < rows, "{default}, {rows}");
}
