//! How often the host waits for a sparse result on a GPU, and who takes turns meanwhile.

use sparse_core::cin::grid::RowClass;
use sparse_core::driver::{Options, compile_cuda, compile_kernel, concretize_kernel, default_loops};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;
use sparse_core::llir::{Step, Verified};
use sparse_core::lower;
use sparse_core::sim::{Arg, Limits, run, run_shuffled};
use sparse_core::tensor::{Csr, DynTensor};

const THREADS: &str = "schedule cuda { split(i, block, thread, 64); parallelize(block, GPUBlock, NoRaces); \
     parallelize(thread, GPUThread, NoRaces); }";
const WARPS: &str = "schedule cuda { split(i, block, warp, 4); parallelize(block, GPUBlock, NoRaces); \
     parallelize(warp, GPUWarp, NoRaces); }";
const BLOCKS: &str = "schedule cuda { parallelize(i, GPUBlock, NoRaces); }";
const SPGEMM: &str = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, k] = A[i, j] * B[j, k]; }";

fn compiled(text: &str, lower: lower::Options) -> Verified {
    let compiled = compile_cuda(parse_str(text).unwrap(), &Options { lower, ..Options::default() });
    compiled.unwrap_or_else(|d| panic!("{text}\n{d}")).program
}

/// What is read of what has been launched is one wait, however many numbers it is.
fn waits(text: &str) -> usize {
    let (mut waits, mut launched) = (0, false);
    for step in &compiled(text, lower::Options::default()).program().steps {
        match step {
            Step::Launch(_) => launched = true,
            Step::Read { .. } | Step::Fits { .. } => waits += usize::from(std::mem::take(&mut launched)),
            _ => {}
        }
    }
    waits
}

/// Bounds by which the host makes room without a wait, unless they are larger than it has room for.
fn bounds(text: &str) -> usize {
    let compiled = compiled(text, lower::Options::default());
    compiled.program().steps.iter().filter(|s| matches!(s, Step::AtMost { .. })).count()
}

#[test]
fn the_host_waits_for_the_size_of_the_result_alone() {
    for schedule in ["", THREADS, WARPS, BLOCKS] {
        assert_eq!(waits(&format!("{SPGEMM} {schedule}")), 1, "{schedule}");
    }
    for kernel in [
        "fn f(A: Dcsr<f32>, B: Dcsr<f32>) -> Dcsr<f32> { R[i, k] = A[i, j] * B[j, k]; }",
        "fn f(A: Dcsr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, k] = A[i, j] * B[j, k]; }",
        "fn f(M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, k] = M[i, k] * A[i, j] * B[j, k]; }",
        "fn f(M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, k] = M[i, k] + A[i, j] * B[j, k]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, l] = A[i, j] * B[j, k] * C[k, l]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, k] = A[i, j] * (B[j, k] + C[j, k]); }",
        // Operands are copied in another order first: they have as many entries as before.
        "fn f(A: Csr<f32>) -> Csr<f32> { R[i, k] = A[j, i] * A[j, k]; }",
        "fn f(P: Csr<f32>, A: Csr<f32>) -> Csr<f32> { R[i, l] = P[j, i] * A[j, k] * P[k, l]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, k] = A[k, i] + B[i, j] * C[j, k]; }",
        "fn f(A: Csr<f32>) -> Csr<f32> { R[i, j] = A[i, j] * A[j, i]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, j] = A[i, j] * B[j, k] * C[k, i]; }",
        // All pairs of coordinates are stored by one operand.
        "fn f(A: Csr<f32>, T: Tensor<f32, (Compressed, Compressed, Compressed)>) -> Tensor<f32, (Compressed, Compressed, Compressed)> { R[i, k, l] = A[i, j] * T[j, k, l]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, j] = A[i, j] + B[i, j]; }",
    ] {
        assert_eq!(waits(kernel), 1, "{kernel}");
    }
}

/// A workspace over two variables, of two operands: how many pairs there are at most the longest fibers say.
#[test]
fn tables_are_bounded_by_fibers() {
    assert_eq!((waits(PAIRS), bounds(PAIRS)), (1, 1));
}

const PAIRS: &str = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Tensor<f32, (Compressed, Compressed, Compressed)> \
                     { R[i, k, l] = A[i, j] * B[j, k] * C[j, l]; }";

/// Of loops over parts of a variable the host knows no bound.
#[test]
fn the_host_waits_for_tables_that_parts_of_loops_fill() {
    let schedule = "schedule cuda { split(j, part, window, 4); split(i, block, thread, 64); \
                    parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces); }";
    let kernel = format!("{PAIRS} {schedule}");
    assert_eq!((waits(&kernel), bounds(&kernel)), (2, 0));
}

/// What is scattered whole is on a list, of whose length the host knows a bound, by entries and fibers.
#[test]
fn lists_are_bounded_by_fibers() {
    let mut all = 0;
    for kernel in [
        "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[i, k] = B[i, k] + A[j, i] * A[j, k]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> Coo<f32> { R[i, k] = B[i, k] + A[j, i] * A[j, k]; }",
        "fn f(A: Dcsr<f32>, B: Dcsr<f32>) -> Dcsr<f32> { R[i, k] = B[i, k] + A[j, i] * A[j, k]; }",
        "fn f(A: Dcsr<f32>) -> Csr<f32> { R[i, k] = A[j, i] * A[j, k]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> Csc<f32> { R[i, k] = A[i, j] * B[j, k]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> SparseVec<f32> { r[k] = A[i, j] * B[j, k]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j] * B[i, j]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> SparseVec<f32> { r[j] = max(A[i, j], B[i, j]); }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> SparseVec<f32> { r[j] = abs(A[i, j] - 2 * B[i, j]); }",
        "fn f(A: Csf3<f32>) -> Csf3<f32> { R[k, l, j] = A[i, j, k] * A[i, j, l]; }",
        "fn f(A: Csf3<f32>) -> Csr<f32> { R[j, i] = A[i, j, k]; }",
        // Dense levels below are summed before.
        "fn f(A: Tensor<f32, (Dense, Compressed, Dense)>) -> Csr<f32> { R[j, i] = A[i, j, k]; }",
    ] {
        // Rows that are summed one by one, of operands in another order, need no list of products.
        let parsed = parse_str(kernel).unwrap();
        let own = concretize_kernel(&parsed).unwrap();
        let listed = usize::from(default_loops(&parsed, Platform::Cuda).unwrap() == own);
        assert_eq!((waits(kernel), bounds(kernel)), (1, listed), "{kernel}");
        all += listed;
    }
    assert!(all >= 8);
}

/// What is packed is counted by level, and the host learns these counts, that of the entries, and whether these fit, at once.
#[test]
fn the_host_waits_once_for_what_is_packed() {
    for (bounded, kernel) in [
        (
            1,
            "fn f(A: Csf3<f32>) -> Tensor<f32, (Compressed, Dense, Compressed)> { R[i, j, k] = A[i, j, k]; }",
        ),
        (
            0,
            "fn f(A: Csf3<f32>) -> Tensor<f32, (Compressed, Dense, Compressed)> { R[k, j, i] = A[i, j, k]; }",
        ),
        (
            1,
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Tensor<f32, (Dense, Singleton)> { R[i, j] = A[i, j] + B[i, j]; }",
        ),
        (
            1,
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Tensor<f32, (Dense, Singleton)> { R[j, i] = A[i, j] * B[i, j]; }",
        ),
        (
            2,
            "fn f(A: Csf3<f32>) -> Tensor<f32, (Compressed, Dense, Compressed)> { R[k, l, j] = A[i, j, k] * A[i, j, l]; }",
        ),
    ] {
        assert_eq!((waits(kernel), bounds(kernel)), (1, bounded), "{kernel}");
    }
}

/// The length of a list is that of an operand, or of pairs of entries, or, where the list is the result, what is asked for.
#[test]
fn lists_of_a_known_length_have_no_bounds() {
    for (waited, kernel) in [
        (0, "fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }"),
        (0, "fn f(B: Csr<f32>) -> Coo<f32> { A[j, i] = 2.0 * B[i, j]; }"),
        // Its rows are assembled from the list.
        (
            1,
            "fn f(B: Tensor<f32, (Compressed, Compressed, Compressed)>) -> Tensor<f32, (Compressed, Compressed, Compressed)> { A[k, i, j] = B[i, j, k]; }",
        ),
        (0, "fn f(B: Csr<f32>, c: DenseVec<f32>) -> Csr<f32> { A[j, i] = B[i, j] * c[i]; }"),
        (1, "fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }"),
        // Terms have lists of their own.
        (1, "fn f(A: Csr<f32>, B: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j] + B[i, j]; }"),
        (1, "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[j, i] = A[i, j] * B[i, j]; }"),
        (1, "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[j, i] = A[i, j] + B[i, j]; }"),
    ] {
        assert_eq!((waits(kernel), bounds(kernel)), (waited, 0), "{kernel}");
    }
}

fn matrix(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Arg {
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    let values = |n: usize| if n.is_multiple_of(3) { 1e6 / 7.0 } else { 1.0 / (3 + n % 11) as f32 };
    let entries = all.filter(|c| stored(c[0], c[1])).enumerate().map(|(n, c)| (c, values(n)));
    Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets(dims, entries).unwrap()))
}

/// One team or many, with room for all tables or for one; rows of all sizes, and of a few.
#[test]
fn teams_take_rows_in_turn() {
    let b = matrix([40, 300], |j, k| match j % 4 {
        0 => k < 3,
        1 => k % 23 == j % 23,
        2 => k % 3 == 0,
        // Three quarters of a table.
        _ => (50..53 + 3 * j).contains(&k),
    });
    let all = matrix([150, 40], |i, j| i % 7 != 3 && (i * 5 + j * 3).is_multiple_of(11 + i % 13));
    let few = matrix([150, 40], |i, j| i % 20 == 0 && j == 15 || i == 149 && j == 31);
    for a in [all, few] {
        let args = [a, b.clone()];
        let cpu = parse_str(&format!("{SPGEMM} schedule cpu = none;")).unwrap();
        let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
        for (table_threads, table_places) in [(1, 1), (1, 1 << 20), (256, 512), (512, 64), (1 << 19, 1 << 25)]
        {
            let row_classes =
                [(16, 8), (64, 32), (256, 64)].map(|(from, threads)| RowClass { from, threads });
            let lower = lower::Options {
                row_classes: row_classes.to_vec(),
                table_threads,
                table_places,
                ..lower::Options::default()
            };
            for schedule in ["", THREADS, WARPS, BLOCKS] {
                let program = compiled(&format!("{SPGEMM} {schedule}"), lower.clone());
                let found = run_shuffled(&program, &args, Limits::default(), table_threads);
                let found =
                    found.unwrap_or_else(|e| panic!("{schedule} {table_threads} {table_places}: {e}"));
                assert!(found.iter().eq(expected.iter()), "{schedule} {table_threads} {table_places}");
            }
        }
    }
}

/// Tables of pairs, in room for a bound, or for the largest one, which the host waits for; some rows scatter far more than others,
/// and some nothing.
#[test]
fn tables_of_pairs_have_room_for_a_bound_or_for_the_largest() {
    let a = matrix([30, 20], |i, j| i % 5 != 1 && (i * 3 + j) % 7 == 0 || i == 4);
    let b = matrix([20, 12], |j, k| j != 3 && (j * 5 + k) % 6 == 0 || j == 7);
    let c = matrix([20, 15], |j, l| j != 5 && (j + l * 2) % 9 == 0 || j == 7);
    let empty = |dims| matrix(dims, |_, _| false);
    let inputs = [
        [a.clone(), b.clone(), c.clone()],
        [a.clone(), empty([20, 12]), c.clone()],
        [a, b.clone(), empty([20, 15])],
        [empty([30, 20]), b, c],
        [empty([0, 0]), empty([0, 0]), empty([0, 3])],
    ];
    let cpu = parse_str(&format!("{PAIRS} schedule cpu = none;")).unwrap();
    let cpu = compile_kernel(cpu, &Options::default()).unwrap().program;
    for (table_threads, table_places) in [(1, 1), (256, 512), (512, 4096), (1 << 19, 1 << 25)] {
        let lower = lower::Options { table_threads, table_places, ..lower::Options::default() };
        let program = compiled(PAIRS, lower);
        for args in &inputs {
            let expected = run(&cpu, args).unwrap();
            let found = run_shuffled(&program, args, Limits::default(), table_threads);
            let found = found.unwrap_or_else(|e| panic!("{table_threads} {table_places}: {e}"));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{table_threads} {table_places}");
        }
    }
}
