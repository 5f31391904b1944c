//! Atomic parallelism: every legal point of every kernel of the kind compiles, and agrees with the oracle on the
//! simulator.

use sparse_core::driver::{Options, compile_cuda, concretize_kernel};
use sparse_core::front::command::Schedule;
use sparse_core::front::point::{Amount, Data};
use sparse_core::front::{AtomicParallelism, ast::Kernel, parse_str};
use sparse_core::schedule::{point_commands, point_name, points};
use tests::named::Data::Tensor;
use tests::named::agrees_on_gpu;

const SPMV: &str = "fn kernel(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
const SPMM: &str =
    "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }";
const SDDMM: &str = "fn kernel(A: Csr<f64>, B: DenseMat<f64>, D: DenseMat<f64>) -> Csr<f64> { C[i, j] = A[i, j] * B[i, k] * D[j, k]; }";
const TTV: &str =
    "fn kernel(B: Csf3<f64>, c: DenseVec<f64>) -> DenseMat<f64> { A[i, j] = B[i, j, k] * c[k]; }";
const TTM: &str = "fn kernel(B: Csf3<f64>, C: DenseMat<f64>) -> Tensor<f64, (Dense, Dense, Dense)> { A[i, j, k] = B[i, j, l] * C[k, l]; }";
const MTTKRP: &str = "fn kernel(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> { A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }";
const MTTKRP4: &str = "fn kernel(B: Tensor<f64, (Compressed, Compressed, Compressed, Compressed)>, C: DenseMat<f64>, D: DenseMat<f64>, E: DenseMat<f64>) -> DenseMat<f64> { A[i, j] = B[i, k, l, m] * C[k, j] * D[l, j] * E[m, j]; }";

fn legal(text: &str) -> (Kernel, Vec<AtomicParallelism>) {
    let kernel = parse_str(text).map_err(|f| f.diagnostics.to_string()).unwrap();
    let points = points(&kernel, &concretize_kernel(&kernel).unwrap());
    (kernel, points)
}

/// Entries of every dimension's coordinates, at about one place in three, with an empty and a full first slice.
fn sparse(dims: &[usize], full_slice: usize) -> Vec<(Vec<usize>, f64)> {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        let mixed: usize = c.iter().enumerate().map(|(d, x)| (d + 3) * x).sum();
        if c[0] % 4 != 1 && (c[0] == full_slice || mixed % 3 == 1) {
            entries.push((c.to_vec(), (mixed % 7) as f64 - 2.0));
        }
    });
    entries
}

fn dense(dims: &[usize]) -> Vec<(Vec<usize>, f64)> {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        entries.push((c.to_vec(), (entries.len() % 5) as f64 - 1.0))
    });
    entries
}

/// The kernel at every `stride`-th of its legal points.
#[track_caller]
fn agrees(text: &str, operands: &[(&str, &[usize])], at_least: usize, stride: usize) {
    let (_, points) = legal(text);
    assert!(points.len() >= at_least, "{} points", points.len());
    agrees_at(text, operands, points.iter().step_by(stride));
}

/// The kernel at the points that load and store vectors, for sizes of which rows are whole ones.
#[track_caller]
fn agrees_in_vectors(text: &str, operands: &[(&str, &[usize])], stride: usize) {
    let (_, points) = legal(text);
    let points: Vec<_> = points.iter().filter(|p| p.vector).collect();
    assert!(points.len() > 30, "{} points", points.len());
    agrees_at(text, operands, points.into_iter().step_by(stride));
}

#[track_caller]
fn agrees_at<'p>(
    text: &str,
    operands: &[(&str, &[usize])],
    points: impl Iterator<Item = &'p AtomicParallelism>,
) {
    let data: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(n, (name, dims))| (*name, *dims, if n == 0 { sparse(dims, dims[0] / 2) } else { dense(dims) }))
        .collect();
    let refs: Vec<Vec<(&[usize], f64)>> =
        data.iter().map(|(_, _, entries)| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors: Vec<_> =
        data.iter().zip(&refs).map(|((name, dims, _), entries)| Tensor(name, dims, entries)).collect();
    for point in points {
        agrees_on_gpu(&format!("{text} schedule cuda = atomic({point});"), &tensors);
    }
}

#[test]
fn all_compile() {
    for text in [SPMV, SPMM, SDDMM, TTV, TTM, MTTKRP, MTTKRP4] {
        let (kernel, points) = legal(text);
        for point in points {
            let cuda = Schedule::Point(point, kernel.name.span());
            let compiled = compile_cuda(Kernel { cuda, ..kernel.clone() }, &Options::default());
            assert!(compiled.is_ok(), "{point} of {text}:\n{}", compiled.err().unwrap());
        }
    }
}

#[test]
fn spmv() {
    agrees(SPMV, &[("A", &[40, 30]), ("x", &[30])], 60, 1);
}

#[test]
fn spmm() {
    agrees(SPMM, &[("A", &[21, 30]), ("B", &[30, 7])], 180, 2);
    agrees_in_vectors(SPMM, &[("A", &[21, 30]), ("B", &[30, 8])], 2);
    agrees_in_vectors(&SPMM.replace("f64", "f32"), &[("A", &[21, 30]), ("B", &[30, 12])], 2);
}

#[test]
fn sddmm() {
    agrees(SDDMM, &[("A", &[9, 13]), ("B", &[9, 37]), ("D", &[13, 37])], 120, 3);
    let operands: [(&str, &[usize]); 3] = [("A", &[9, 13]), ("B", &[9, 36]), ("D", &[13, 36])];
    agrees_in_vectors(&SDDMM.replace("f64", "f32"), &operands, 2);
}

#[test]
fn ttv_and_ttm() {
    agrees(TTV, &[("B", &[5, 6, 7]), ("c", &[7])], 60, 2);
    agrees(TTM, &[("B", &[5, 4, 6]), ("C", &[5, 6])], 180, 5);
}

#[test]
fn mttkrp() {
    agrees(MTTKRP, &[("B", &[7, 5, 6]), ("C", &[5, 6]), ("D", &[6, 6])], 180, 4);
    let operands: [(&str, &[usize]); 3] = [("B", &[7, 5, 6]), ("C", &[5, 8]), ("D", &[6, 8])];
    agrees_in_vectors(&MTTKRP.replace("f64", "f32"), &operands, 5);
    agrees(MTTKRP4, &[("B", &[4, 3, 4, 5]), ("C", &[3, 5]), ("D", &[4, 5]), ("E", &[5, 5])], 180, 7);
}

/// Sums that an expression goes on with: the threads of a row have them together.
#[test]
fn sums_as_numbers() {
    let kernel = |operands: &str, value: &str| {
        format!("fn kernel({operands}, b: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = {value}; }}")
    };
    const CSR: &str = "A: Csr<f64>, x: DenseVec<f64>";
    let dims: [(&str, &[usize]); 3] = [("A", &[40, 30]), ("x", &[30]), ("b", &[40])];
    agrees(&kernel(CSR, "b[i] - A[i, j] * x[j]"), &dims, 15, 1);
    agrees(&kernel(CSR, "2.0 * A[i, j] * x[j] + 3.0 * b[i]"), &dims, 15, 4);
    let two =
        kernel(&format!("{CSR}, B: Csr<f64>, z: DenseVec<f64>"), "A[i, j] * x[j] + B[i, k] * z[k] - b[i]");
    let dims: [(&str, &[usize]); 5] =
        [("A", &[40, 30]), ("x", &[30]), ("B", &[40, 9]), ("z", &[9]), ("b", &[40])];
    agrees(&two, &dims, 15, 1);
    let fibers = kernel(
        "A: Tensor<f64, (Dense, Compressed, Compressed)>, X: DenseMat<f64>",
        "b[i] - A[i, j, k] * X[j, k]",
    );
    agrees(&fibers, &[("A", &[13, 5, 6]), ("X", &[5, 6]), ("b", &[13])], 15, 2);
    let dense = kernel("A: Csr<f64>, X: DenseMat<f64>, x: DenseVec<f64>", "A[i, j] * x[j] - X[i, k] * b[k]");
    agrees(&dense, &[("A", &[13, 5]), ("X", &[13, 13]), ("x", &[5]), ("b", &[13])], 15, 2);
    // What commands say of a sum's loops they say of those of another one, over the same entries.
    let dims: [(&str, &[usize]); 3] = [("A", &[40, 30]), ("x", &[30]), ("b", &[40])];
    agrees(&kernel(CSR, "b[i] - A[i, j] * A[i, j] * x[j] - A[i, j]"), &dims, 15, 1);
    let fibers = kernel(
        "A: Tensor<f64, (Dense, Compressed, Compressed)>, X: DenseMat<f64>, x: DenseVec<f64>",
        "b[i] - A[i, j, k] * X[j, k] + A[i, j, k] * x[k]",
    );
    let dims: [(&str, &[usize]); 4] = [("A", &[13, 5, 6]), ("X", &[5, 6]), ("x", &[6]), ("b", &[13])];
    agrees(&fibers, &dims, 15, 2);
    // Columns are better neighbours.
    let columns = "fn kernel(A: Csr<f64>, X: DenseMat<f64>, B: DenseMat<f64>) -> DenseMat<f64> { Y[i, k] = B[i, k] - A[i, j] * X[j, k]; }";
    assert!(legal(columns).1.is_empty());
}

/// Blocks are stored at entries: a block is what an entry of CSR is, its rows and columns are loops of a thread.
#[test]
fn blocks() {
    const BCSR: &str = "Tensor<f64, (Dense, Compressed, Dense, Dense)>";
    let kernel = |operands: &str, result: &str, statement: &str| {
        format!("fn kernel(W: {BCSR}, {operands}) -> {result} {{ {statement}; }}")
    };
    let dims: (&str, &[usize]) = ("W", &[7, 6, 3, 2]);
    let product = kernel("X: Dense3<f64>", "Dense3<f64>", "Y[i, a, n] = W[i, j, a, b] * X[j, b, n]");
    agrees(&product, &[dims, ("X", &[6, 2, 5])], 180, 7);
    let back = kernel("G: Dense3<f64>", "Dense3<f64>", "X[j, b, n] = W[i, j, a, b] * G[i, a, n]");
    agrees(&back, &[dims, ("G", &[7, 3, 5])], 15, 3);
    let vector = kernel("x: DenseMat<f64>", "DenseMat<f64>", "y[i, a] = W[i, j, a, b] * x[j, b]");
    agrees(&vector, &[dims, ("x", &[6, 2])], 60, 5);
    let norms = kernel("x: DenseVec<f64>", "DenseMat<f64>", "N[i, j] = W[i, j, a, b] * W[i, j, a, b] * x[b]");
    agrees(&norms, &[dims, ("x", &[2])], 60, 5);
    let operands = "G: Dense3<f64>, X: Dense3<f64>";
    let sampled = kernel(operands, BCSR, "D[i, j, a, b] = W[i, j, a, b] * G[i, a, n] * X[j, b, n]");
    agrees(&sampled, &[dims, ("G", &[7, 3, 9]), ("X", &[6, 2, 9])], 100, 9);
    // Nothing is summed.
    let scaled = kernel("v: DenseMat<f64>", BCSR, "D[i, j, a, b] = W[i, j, a, b] * v[i, a]");
    agrees(&scaled, &[dims, ("v", &[7, 3])], 10, 1);
    let (_, points) = legal(&scaled);
    assert!(points.iter().all(|p| p.group == 1), "{points:?}");
}

/// The order of the dense operand is part of DA-SpMM's names.
#[test]
fn names_of_points() {
    let name = |text: &str, point: &str| {
        let kernel = parse_str(text).map_err(|f| f.diagnostics.to_string()).unwrap();
        point_name(&kernel, &concretize_kernel(&kernel).unwrap(), &point.parse().unwrap())
    };
    assert_eq!(name(SPMM, "<1/8 row, 4 col>, 8"), "RB+PR+RM");
    let by_columns = SPMM.replace("B: DenseMat<", "B: DenseMatColumnMajor<");
    assert_eq!(name(&by_columns, "<32 nnz, 4 col>, 1"), "EB+SR+CM");
    assert_eq!(name(SDDMM, "<1 nnz, 4 col>, 8"), "EB+PR+RM");
    assert_eq!(name(SPMV, "<1 row, 1 col>, 1"), "RB+SR");
}

/// Whatever the options, and whether the point is legal or not: what is printed is read as the same point.
#[test]
fn printed_points_are_read_again() {
    let rows = [Amount::Part(8), Amount::Part(1), Amount::Whole(3)].map(Data::Row);
    for data in [Data::Nnz(Amount::Part(2)), Data::Nnz(Amount::Whole(8))].into_iter().chain(rows) {
        for (columns, options) in
            (0..64).map(|n| (if n % 3 == 0 { Amount::Part(2) } else { Amount::Whole(4) }, n))
        {
            let mut point = AtomicParallelism::new(data, columns, 8);
            let has = |bit: u32| options & (1 << bit) != 0;
            (point.threads, point.rows) = (if has(0) { 128 } else { 256 }, if has(1) { 3 } else { 1 });
            (point.scatter, point.vector, point.deterministic) = (has(2), has(3), has(4));
            point.shared = if has(5) { 64 } else { 0 };
            assert_eq!(point.to_string().parse(), Ok(point));
            assert_eq!(format!("atomic({point})").parse(), Ok(point));
        }
    }
}

/// What is listed for a kernel compiles, whatever its operand's format and order.
#[test]
fn listed_points_compile() {
    for text in [
        "fn kernel(A: Csc<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }",
        "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[j, k] = A[i, j] * B[i, k]; }",
        "fn kernel(A: Coo<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }",
        "fn kernel(A: Coo<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[j] = A[i, j] * x[i]; }",
        "fn kernel(A: Dcsr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }",
        "fn kernel(A: Csr<f32>) -> Scalar<f32> { s = A[i, j] * A[i, j]; }",
        "fn kernel(A: Coo<f32>, x: DenseVec<f32>) -> Scalar<f32> { s = A[i, j] * x[j]; }",
        "fn kernel(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> DenseMat<f32> { M[j, r] = X[i, j, k] * B[i, r] * C[k, r]; }",
        "fn kernel(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> Csf3<f32> { M[i, j, k] = X[i, j, k] * B[j, r] * C[k, r]; }",
        // More of the result's dense variables, and blocks.
        "fn kernel(A: Csr<f32>, B: Dense3<f32>) -> Dense3<f32> { C[i, k, l] = A[i, j] * B[j, k, l]; }",
        "fn kernel(A: Csr<f32>, B: DenseMat<f32>, D: DenseMat<f32>) -> Dense3<f32> { C[i, k, l] = A[i, j] * B[j, k] * D[l, m]; }",
        "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> Dense3<f32> { C[i, j, k] = A[i, j] * B[i, k]; }",
        "fn kernel(A: Csr<f32>, B: Dense3<f32>, D: DenseMat<f32>) -> Dense3<f32> { C[i, j, k] = A[i, j] * B[i, k, l] * D[j, l]; }",
        "fn kernel(A: Csf3<f32>, B: DenseMat<f32>) -> Dense3<f32> { C[j, k, l] = A[i, j, m] * B[m, l] * B[i, k]; }",
        "fn kernel(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, B: Dense3<f32>) -> Dense3<f32> { C[i, a, k] = A[i, j, a, b] * B[j, b, k]; }",
        "fn kernel(A: Tensor<f32, (Dense, Compressed, Dense)>, B: DenseMat<f32>) -> Tensor<f32, (Dense, Compressed, Dense)> { C[i, j, a] = A[i, j, a] * B[i, j]; }",
    ] {
        let (_, points) = legal(text);
        assert!(points.len() > 4, "{text}: {points:?}");
        for point in points.iter().step_by(points.len() / 20 + 1) {
            let kernel = parse_str(&format!("{text} schedule cuda = atomic({point});")).unwrap();
            if let Err(refused) = compile_cuda(kernel, &Options::default()) {
                panic!("{text}: {point}: {refused}");
            }
        }
    }
}

#[test]
fn what_is_no_point() {
    let refused = |text: &str| match parse_str(text) {
        Err(f) => f.diagnostics.iter().next().unwrap().code,
        Ok(kernel) => match compile_cuda(kernel, &Options::default()) {
            Err(d) => d.iter().next().unwrap().code,
            Ok(_) => "accepted",
        },
    };
    let spmm = |schedule: &str| refused(&format!("{SPMM} schedule cuda = atomic({schedule});"));
    assert_eq!(spmm("<1/8 row, 4 col>, 8"), "accepted");
    assert_eq!(spmm("<1/8 row, 4 col>, 16"), "group-spans-rows");
    assert_eq!(spmm("<1/8 row, 4 col>"), "no-point");
    assert_eq!(spmm("<1/2 nnz, 4 col>, 1"), "divided-entry");
    assert_eq!(spmm("<1 nnz, 1/64 col>, 8"), "divided-column");
    assert_eq!(spmm("<1/64 row, 4 col>, 8, threads = 96"), "block-size");
    assert_eq!(spmm("<1/64 row, 4 col>, 8, threads = 192"), "accepted");
    assert_eq!(spmm("<1nnz, 4col>, 32"), "accepted");
    assert_eq!(spmm("<4294967296 nnz, 4 col>, 1"), "no-point");
    assert_eq!(spmm("<1/8 row, 2 col>, 8, vector"), "accepted");
    assert_eq!(spmm("<1/8 row, 8 col>, 8, vector"), "vector-columns");
    // Four elements of eight bytes are no access.
    assert_eq!(spmm("<1/8 row, 4 col>, 8, vector"), "vector-columns");
    let by_columns = SPMM.replace("DenseMat<", "DenseMatColumnMajor<");
    let strided = format!("{by_columns} schedule cuda = atomic(<1/8 row, 2 col>, 8, vector);");
    assert_eq!(refused(&strided), "not-contiguous");
    assert_eq!(refused(&format!("{SPMM} schedule cpu = atomic(<1 row, 4 col>, 1);")), "expected-commands");
    let by_columns = "fn kernel(A: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
    assert_eq!(refused(&format!("{by_columns} schedule cuda = atomic(<1 row, 1 col>, 1);")), "no-rows");
    assert_eq!(
        refused(&format!("{by_columns} schedule cuda = atomic(<1 nnz, 1 col>, 8);")),
        "unsorted-entries"
    );
    let list = SPMM.replace("Csr<", "Coo<");
    let coo = |point: &str| refused(&format!("{list} schedule cuda = atomic({point});"));
    assert_eq!(coo("<1 nnz, 4 col>, 8"), "accepted");
    assert_eq!(coo("<8 nnz, 4 col>, 1"), "accepted");
    assert_eq!(coo("<8 nnz, 4 col>, 8"), "repeated-rows");
    assert_eq!(coo("<1 row, 4 col>, 1"), "repeated-rows");
    let fibers = "fn kernel(X: Csf3<f64>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Compressed, Dense)> { Y[i, j, l] = X[i, j, k] * B[k, l]; }";
    assert_eq!(refused(&format!("{fibers} schedule cuda = atomic(<1 nnz, 4 col>, 1);")), "accepted");
    let assembled = fibers.replace("Csf3<f64>", "Tensor<f64, (Dense, Compressed, Compressed)>");
    assert_eq!(
        refused(&format!("{assembled} schedule cuda = atomic(<1 nnz, 4 col>, 1);")),
        "assembled-result"
    );
    let sum = "fn kernel(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * B[i, j] * x[j]; }";
    assert_eq!(refused(&format!("{sum} schedule cuda = atomic(<1 nnz, 1 col>, 8);")), "not-hybrid");
    let of_two = "fn kernel(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j] + B[i, j]; }";
    let sums = |sums: &str, point: &str| refused(&format!("{sums} schedule cuda = atomic({point});"));
    assert_eq!(sums(of_two, "<1/8 row, 1 col>, 8"), "shared-variable");
    assert_eq!(sums(of_two, "<2 row, 1 col>, 1"), "accepted");
    assert_eq!(sums(&of_two.replace("B[i, j]", "B[i, k]"), "<1/8 row, 1 col>, 8"), "accepted");
    assert_eq!(
        sums(&of_two.replace("B[i, j]", "A[i, j]").replace("B: Csr<f64>, ", ""), "<1/8 row, 1 col>, 8"),
        "accepted"
    );
}

/// An entry has an output of its own in a dense result too; where nothing is summed, no threads reduce.
#[test]
fn outputs_of_entries() {
    let dense = SDDMM.replace("-> Csr<f64>", "-> DenseMat<f64>");
    agrees(&dense, &[("A", &[9, 13]), ("B", &[9, 37]), ("D", &[13, 37])], 100, 9);
    let vector = "fn kernel(A: SparseVec<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i] * x[i]; }";
    agrees(vector, &[("A", &[60]), ("x", &[60])], 6, 1);
    let (_, points) = legal(vector);
    assert!(points.iter().all(|p| p.group == 1), "{points:?}");
}

/// What is said to be legal can be compiled, of statements that not all points are for, too; and with `deterministic`.
#[test]
fn legal_points_compile() {
    let statements = [
        ("A: Csr<f32>, x: DenseVec<f32>", "DenseVec<f32>", "y[i] = A[i, i] * x[i];"),
        (
            "A: Csr<f32>, x: DenseVec<f32>",
            "Tensor<f32, Filled<(Dense,), NegInf>>",
            "y[i] max= A[i, j] * x[j];",
        ),
        (
            "X: Tensor<f32, (Compressed, Dense, Compressed)>, x: DenseVec<f32>",
            "DenseMat<f32>",
            "Y[i, j] = X[i, j, k] * x[k];",
        ),
        (
            "X: Tensor<f32, (Compressed, Dense, Compressed)>, B: DenseMat<f32>",
            "Tensor<f32, (Compressed, Dense, Compressed)>",
            "Y[i, j, k] = X[i, j, k] * B[k, c];",
        ),
        ("X: Csf3<f32>, B: DenseMat<f32>", "Dense3<f32>", "Y[i, r, k] = X[i, j, k] * B[j, r];"),
        (
            "A: Tensor<f64, (Compressed, Singleton)>, B: DenseMat<f64>",
            "DenseMat<f64>",
            "C[i, k] = A[i, j] * B[j, k];",
        ),
        ("A: Coo<f32>, B: DenseMat<f32>", "DenseMat<f32>", "C[i, k] = A[i, j] * B[j, k];"),
        (
            "A: Csr<f32>, B: DenseMat<f32>, D: DenseMat<f32>",
            "DenseVec<f32>",
            "s[k] = A[i, j] * B[j, k] * D[i, k];",
        ),
        ("A: Csr<f32>", "Scalar<f32>", "s = A[i, j];"),
    ];
    for (parameters, result, statement) in statements {
        let text = format!("fn f({parameters}) -> {result} {{ {statement} }}");
        let (kernel, points) = legal(&text);
        let cin = concretize_kernel(&kernel).unwrap();
        let span = kernel.name.span();
        let deterministic = points.iter().map(|point| AtomicParallelism { deterministic: true, ..*point });
        let also =
            deterministic.filter(|p| p.check().is_ok() && point_commands(&kernel, &cin, p, span).is_ok());
        let also: Vec<_> = also.collect();
        for point in points.iter().chain(&also).step_by(3) {
            let cuda = Schedule::Point(*point, span);
            let compiled = compile_cuda(Kernel { cuda, ..kernel.clone() }, &Options::default());
            assert!(compiled.is_ok(), "{text} by {point}: {}", compiled.err().unwrap());
        }
    }
    assert_eq!(
        legal("fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, i] * x[i]; }").1,
        []
    );
}
