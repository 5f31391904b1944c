//! Rows that loops come to again and again are looked up, on CPUs: natively, and by the steps of the interpreter.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, Limits, run_with};
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn triangles(A: Csr<f64>) -> Scalar<f64> {
        t = A[i, j] * A[j, k] * A[i, k];
    }
}

tensor_kernel! {
    fn by_rows(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> DenseVec<f64> {
        y[i] = M[i, k] * A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn masked(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> DenseMat<f64> {
        Y[i, k] = M[i, k] * A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// The products of pairs of rows, in which those of the first matrix stay.
    fn pairs(A: Csr<f64>, B: Csr<f64>) -> DenseMat<f64> {
        Y[i, j] = A[i, k] * B[j, k];
    }
    schedule cpu = none;
}

tensor_kernel! {
    /// Two rows stay, and one has blocks of its own.
    fn both(M: Csr<f64>, N: Tensor<f64, (Dense, Compressed, Dense)>, A: Csr<f64>, B: Csf3<f64>) -> DenseVec<f64> {
        y[i] = M[i, k] * N[i, l, m] * A[i, j] * B[j, k, l];
    }
}

/// On any number of threads, each of which has a table, or several parts of the rows after one another.
macro_rules! all {
    ($kernel:ident($($argument:expr),*)) => {{
        let host = $kernel($($argument),*)?;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let there = pool.install(|| $kernel($($argument),*))?;
            assert!(there.approx_eq(&host, 1e-12), stringify!($kernel));
        }
        host
    }};
}

#[test]
fn what_is_looked_up_is_what_is_merged() -> Result<(), Error> {
    for (n, density) in [(0, 0.0), (1, 1.0), (20, 0.0), (20, 0.05), (20, 0.3), (20, 1.0)] {
        let [m, a, b] = [1, 2, 3].map(|seed| Csr::<f64>::random_sparse([n, n], density, seed));
        let c = Csf3::<f64>::random_sparse([n, n, n], density, 4);
        let blocks = Tensor::<f64, (Dense, Compressed, Dense)>::random_sparse([n, n, 2], density, 5);
        let product = |i: usize, k: usize| (0..n).map(|j| a.get([i, j]) * b.get([j, k])).sum::<f64>();
        let row = |i: usize| (0..n).map(|k| m.get([i, k]) * product(i, k)).sum::<f64>();
        let squares = |i: usize, k: usize| (0..n).map(|j| a.get([i, j]) * a.get([j, k])).sum::<f64>();
        let all = (0..n).flat_map(|i| (0..n).map(move |k| (i, k)));
        let expected: f64 = all.clone().map(|(i, k)| a.get([i, k]) * squares(i, k)).sum();
        assert!((all!(triangles(&a)).get([]) - expected).abs() < 1e-9, "triangles of {n}, {density}");
        let (y, each) = (all!(by_rows(&m, &a, &b)), all!(masked(&m, &a, &b)));
        let (paired, twice) = (all!(pairs(&a, &b)), all!(both(&m, &blocks, &a, &c)));
        for i in 0..n {
            assert!((y.get([i]) - row(i)).abs() < 1e-10, "row {i} of {n}, {density}");
            let sum = |l: usize| blocks.get([i, l, 0]) + blocks.get([i, l, 1]);
            let terms = all.clone().flat_map(|(j, k)| (0..n).map(move |l| (j, k, l)));
            let terms = terms.map(|(j, k, l)| m.get([i, k]) * sum(l) * a.get([i, j]) * c.get([j, k, l]));
            assert!((twice.get([i]) - terms.sum::<f64>()).abs() < 1e-9, "both of {n}, {density}");
        }
        for (i, k) in all {
            assert!((each.get([i, k]) - m.get([i, k]) * product(i, k)).abs() < 1e-10);
            let dot: f64 = (0..n).map(|j| a.get([i, j]) * b.get([k, j])).sum();
            assert!((paired.get([i, k]) - dot).abs() < 1e-10, "pairs of {n}, {density}");
        }
    }
    Ok(())
}

/// A row that is long is not gone through again for each row that it is merged with.
#[test]
fn a_long_row_is_read_once() {
    let n = 2000;
    let row = Csr::<f64>::from_triplets([n, n], (0..n).map(|k| ([0, k], 1.0))).unwrap();
    let diagonal = Csr::<f64>::from_triplets([n, n], (0..n).map(|k| ([k, k], 2.0))).unwrap();
    let [row, diagonal] = [&row, &diagonal].map(|t| Arg::Tensor(DynTensor::from(t)));
    let steps = |statement: &str, schedule: &str| {
        let text = format!("fn f(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> {statement} {schedule}");
        let program = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
        let args = [&row, &row, &diagonal].map(Arg::clone);
        let enough = |steps: u64| run_with(&program, &args, Limits { steps }).is_ok();
        (10..30).map(|log2| 1 << log2).find(|steps| enough(*steps)).expect("it ends")
    };
    for statement in [
        "Scalar<f64> { s = M[i, k] * A[i, j] * B[j, k]; }",
        "DenseVec<f64> { y[i] = M[i, k] * A[i, j] * B[j, k]; }",
        "DenseMat<f64> { Y[i, k] = M[i, k] * A[i, j] * B[j, k]; }",
    ] {
        let merged = steps(statement, "schedule cpu { mergeby(k, TwoFinger); }");
        let looked_up = steps(statement, "schedule cpu = none;");
        assert!(looked_up <= 64 * n as u64, "{looked_up} steps of {statement}");
        assert!(merged >= 16 * looked_up, "{merged} steps by merging, {looked_up} of {statement}");
    }
}

/// Nothing stays, or nothing moves on: what is merged once is merged.
#[test]
fn what_is_merged_once_has_no_table() {
    for text in [
        "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, j]; }",
        "fn f(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = x[l] * A[i, j] * B[i, j]; }",
        // Where B has none there is something to do: it cannot lead.
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> DenseVec<f32> { y[i] = C[i, j] * A[i, k] * exp(B[j, k]); }",
        "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> DenseVec<f32> { y[i] = C[i, j] * A[i, k] * B[j, k]; } schedule cpu { mergeby(k, TwoFinger); }",
    ] {
        let program = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        assert!(!program.program_text().contains("_after"), "{text}");
    }
}
