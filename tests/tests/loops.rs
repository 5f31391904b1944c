//! What loops a CPU's program has: where sums stand, who is walked and who is searched, and what threads go by.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use tests::named::Data::Tensor;
use tests::named::{agrees, agrees_on_gpu};

/// The program without declarations, for a CPU.
fn program(text: &str) -> String {
    let kernel = parse_str(text).unwrap_or_else(|f| panic!("{text}\n{}", f.diagnostics));
    compile_kernel(kernel, &Options::default()).unwrap_or_else(|d| panic!("{text}\n{d}")).program_text()
}

fn gpu_program(text: &str) -> String {
    let kernel = parse_str(text).unwrap_or_else(|f| panic!("{text}\n{}", f.diagnostics));
    compile_cuda(kernel, &Options::default()).unwrap_or_else(|d| panic!("{text}\n{d}")).program_text()
}

type Entries = Vec<(Vec<usize>, f64)>;

/// Of each its name, dimensions, and at one coordinate in how many it has entries.
type Operands<'a> = &'a [(&'a str, &'a [usize], usize)];

/// Entries at about one coordinate in so many, with slices that have none.
fn entries(dims: &[usize], one_in: usize) -> Entries {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        let mixed: usize = c.iter().enumerate().map(|(d, x)| (d + 3) * x).sum();
        if one_in == 1 || c[0] % 4 != 1 && mixed.is_multiple_of(one_in) {
            entries.push((c.to_vec(), (mixed % 7) as f64 - 2.0));
        }
    });
    entries
}

/// On the CPU and on a GPU what the oracle says.
#[track_caller]
fn right(text: &str, operands: Operands<'_>) {
    let data: Vec<_> = operands.iter().map(|(_, dims, one_in)| entries(dims, *one_in)).collect();
    let refs: Vec<Vec<(&[usize], f64)>> =
        data.iter().map(|entries| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors = || {
        let named = operands.iter().zip(&refs);
        named.map(|((name, dims, _), entries)| Tensor(name, dims, entries)).collect::<Vec<_>>()
    };
    agrees(text, &tensors());
    if !text.contains("schedule") {
        agrees_on_gpu(text, &tensors());
    }
}

/// Blocks of an operand's first levels, and such as are appended.
const BLOCKS: [(&str, Operands<'_>); 9] = [
    (
        "fn f(X: Csr<f64>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Dense)> { Y[i, r] = X[i, k] * B[k, r]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Tensor<f64, Filled<(Dense, Compressed), NegInf>>, B: DenseMat<f64>) -> Tensor<f64, Filled<(Compressed, Dense), NegInf>> { Y[i, r] max= X[i, k] + B[k, r]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Tensor<f32, (Dense, Compressed, Compressed)>, B: DenseMat<f32>) -> Tensor<f32, (Compressed, Compressed, Dense)> { Y[i, j, r] = X[i, j, k] * B[k, r]; }",
        &[("X", &[5, 4, 6], 2), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Compressed, Compressed, Dense)> { Y[i, j, r] = X[i, j, k] * B[k, r]; }",
        &[("X", &[5, 4, 6], 2), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Dcsr<f64>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Dense)> { Y[i, r] = X[i, k] * B[k, r]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Tensor<f64, Filled<(Compressed, Compressed), NegInf>>, B: DenseMat<f64>) -> Tensor<f64, Filled<(Compressed, Dense), NegInf>> { Y[i, r] max= X[i, k] + B[k, r]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Tensor<f64, Filled<(Compressed, Compressed), PosInf>>, B: DenseMat<f64>) -> Tensor<f64, Filled<(Compressed, Dense), PosInf>> { Y[i, r] min= X[i, k] + B[k, r]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1)],
    ),
    (
        "fn f(X: Tensor<f32, (Dense, Compressed, Compressed)>, B: Tensor<f32, (Dense, Dense, Dense)>) -> Tensor<f32, (Dense, Compressed, Dense, Dense)> { Y[i, j, r, s] = X[i, j, k] * B[k, r, s]; }",
        &[("X", &[5, 4, 6], 2), ("B", &[6, 3, 13], 1)],
    ),
    (
        "fn f(X: Dcsr<f64>, B: DenseMat<f64>, c: DenseVec<f64>) -> Tensor<f64, (Compressed, Dense)> { Y[i, r] = X[i, k] * B[k, r] * X[i, l] * c[l]; }",
        &[("X", &[9, 6], 3), ("B", &[6, 45], 1), ("c", &[6], 1)],
    ),
];

/// As those of a dense result: its unit stride is theirs.
#[test]
fn columns_of_appended_blocks_are_register_tiles() {
    for (text, operands) in BLOCKS {
        let program = program(text);
        assert!(program.contains("lane] = acc"), "{text}\n{program}");
        right(text, operands);
    }
}

/// There a thread has each element in a register, and stores it once.
#[test]
fn on_a_gpu_sums_stand_inside_of_appended_blocks() {
    for (text, _) in BLOCKS {
        let program = gpu_program(text);
        if program.contains("result with the pattern of") {
            continue;
        }
        let mut stores = program.lines().filter(|line| line.trim_start().starts_with("Y_vals["));
        assert!(stores.next().is_some_and(|line| line.contains("] = t;")), "{text}\n{program}");
        assert!(stores.all(|line| line.contains("] = t;")), "{text}\n{program}");
    }
}

/// Each term adds to what the block has, where no tile holds it.
#[test]
fn columns_inside_of_sums_add_to_appended_blocks() {
    let text = "fn f(X: Dcsr<f64>, B: Csr<f64>) -> Tensor<f64, (Compressed, Dense)> { Y[i, r] = X[i, k] * B[k, r]; }";
    let on_cpu = program(text);
    // No workspace takes the row first.
    assert!(!on_cpu.contains("scatter") && on_cpu.contains("] += X_val *"), "{on_cpu}");
    right(text, &[("X", &[9, 6], 3), ("B", &[6, 45], 2)]);
    let (text, operands) = BLOCKS[0];
    right(
        &format!(
            "{text} schedule cuda {{ reorder(k, r); split(i, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces); }}"
        ),
        operands,
    );
    right(&format!("{text} schedule cpu {{ split(r, r0, r1, 8); reorder(k, r0, r1); }}"), operands);
}

/// A search for each entry would cost more than both operands have.
#[test]
fn totals_of_several_sparse_operands_are_merged() {
    for (text, operands) in [
        (
            "fn f(a: SparseVec<f32>, b: SparseVec<f32>) -> Scalar<f32> { s = a[i] * b[i]; }",
            &[("a", &[700][..], 2), ("b", &[700], 3)],
        ),
        (
            "fn f(A: Coo<f32>, B: Coo<f32>) -> Scalar<f32> { s = A[i, j] * B[i, j]; }",
            &[("A", &[30, 20], 2), ("B", &[30, 20], 3)],
        ),
        (
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Scalar<f32> { s = A[i, j] * B[i, j]; }",
            &[("A", &[30, 20], 2), ("B", &[30, 20], 3)],
        ),
    ] {
        let program = program(text);
        let inside = program.split_once("for threads").unwrap().1;
        let innermost = inside.rsplit_once("while").unwrap_or_else(|| panic!("{text}\n{program}")).1;
        assert!(!innermost.contains("lower_bound"), "{text}\n{program}");
        right(text, operands);
    }
    // A dense one is looked up.
    let text = "fn f(a: SparseVec<f32>, x: DenseVec<f32>) -> Scalar<f32> { s = a[i] * x[i]; }";
    let program = program(text);
    assert!(program.contains("for reduce(") && !program.contains("while"), "{program}");
}

fn header(text: &str) -> String {
    let program = program(text);
    let line = program.lines().find(|line| line.contains("for threads(")).map(str::trim);
    line.unwrap_or_else(|| panic!("{text}\n{program}")).to_owned()
}

/// A small operand does not keep the others' rows on one thread, nor decide where threads' rows end.
#[test]
fn threads_go_by_all_that_rows_merge() {
    let max = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, j] = max(A[i, j], B[i, j]); }";
    let sum = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, j] = A[i, j] + B[i, j]; }";
    for text in [max, sum] {
        let line = header(text);
        assert!(line.contains("work A2_pos[A1_dim] + B2_pos[A1_dim], balance A2_pos B2_pos"), "{line}");
        right(text, &[("A", &[9, 20], 2), ("B", &[9, 20], 3)]);
    }
    let three =
        "fn f(A: Csr<f32>, B: Csr<f32>, D: Csr<f32>) -> Csr<f32> { C[i, j] = A[i, j] * B[i, j] + D[i, j]; }";
    let line = header(three);
    assert!(line.contains("balance A2_pos B2_pos D2_pos"), "{line}");
    right(three, &[("A", &[9, 20], 2), ("B", &[9, 20], 3), ("D", &[9, 20], 5)]);
    // Sums of their own are added, not multiplied.
    let two = "fn f(A: Csr<f32>, B: Csr<f32>, x: DenseVec<f32>, z: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j] + B[i, k] * z[k]; }";
    let line = header(two);
    assert!(line.contains("work B2_pos[A1_dim] + A2_pos[A1_dim], balance B2_pos A2_pos"), "{line}");
    right(two, &[("A", &[9, 20], 2), ("B", &[9, 14], 3), ("x", &[20], 1), ("z", &[14], 1)]);
    // One operand's rows are those of the product.
    let product = "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
    let line = header(product);
    assert!(
        line.contains("work A2_pos[A1_dim] * (B2_pos[A2_dim] / max(A2_dim, 1) + 1), balance A2_pos"),
        "{line}"
    );
}

/// Threads share the first and the last row of their positions alone.
#[test]
fn tiles_of_rows_with_one_writer_are_stored() {
    let text = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; } \
                schedule cpu { fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, 8); parallelize(p0, CPUThread, Atomics); }";
    let program = program(text);
    let stores = program.matches("lane] = acc").count();
    assert!(stores > 0 && stores == program.matches("lane] += acc").count(), "{program}");
    assert_eq!(program.matches("if first < ").count(), stores + 1, "{program}");
    for dims in [[0, 4, 4], [1, 90, 45], [90, 1, 45], [30, 20, 45], [30, 20, 0]] {
        right(text, &[("A", &dims[..2], 2), ("B", &dims[1..], 1)]);
    }
    // A tile inside of a row's fibers writes the row many times.
    let text = "fn f(B: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> { A[i, r] = B[i, k, l] * C[k, r] * D[l, r]; } \
                schedule cpu { fuse(i, k, f); fuse(f, l, g); pos(g, p, B[i, k, l]); split(p, p0, p1, 8); parallelize(p0, CPUThread, Atomics); }";
    right(text, &[("B", &[7, 6, 9], 2), ("C", &[6, 45], 1), ("D", &[9, 45], 1)]);
}

/// Unrolled loops inside of each other are not written out as often as their copies' product says.
#[test]
fn copies_of_unrolled_loops_are_bounded_together() {
    let length = |inner: usize, outer: usize| {
        let kernel = parse_str(&format!(
            "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{ C[i, k] = A[i, j] * B[j, k]; }}
             schedule cpu {{
                 split(i, i0, i1, 64); split(k, k0, k1, 64); reorder(i0, k0, i1, j, k1);
                 unroll(k1, {inner}); unroll(i1, {outer});
             }}"
        ));
        let compiled = compile_kernel(kernel.unwrap(), &Options::default()).unwrap();
        sparse_core::emit::rust::native(compiled.program.program()).len()
    };
    let (most, more) = (length(8, 8), length(64, 64));
    assert!(length(2, 2) < most && more < 4 * most, "{most} {more}");
}

/// Of three and more operands that meet, each step moves one on, or those that have met, by branches. Runs of equal coordinates are
/// ended at the least of all coordinates, and on a GPU the lanes of a warp move on together.
#[test]
fn who_is_behind_moves_on_by_itself() {
    let csr = "A: Csr<f32>, B: Csr<f32>, C: Csr<f32>";
    let four = "A: Csr<f32>, B: Dcsr<f32>, C: Csr<f32>, D: Dcsr<f32>";
    let runs = "A: Csr<f32>, B: Coo<f32>, C: Csr<f32>";
    let text = |operands: &str, rest: &str| format!("fn f({operands}) -> {rest}");
    let hadamard = text(csr, "Csr<f32> { S[i, j] = A[i, j] * B[i, j] * C[i, j]; }");
    assert!(program(&hadamard).contains("} else if jB < jA {"), "{}", program(&hadamard));
    assert!(!program(&hadamard).contains("min(jA"), "{}", program(&hadamard));
    assert!(gpu_program(&hadamard).contains("min(min(jA, jB), jC)"), "{}", gpu_program(&hadamard));
    let with_runs = text(runs, "Csr<f32> { S[i, j] = A[i, j] * B[i, j] * C[i, j]; }");
    let inner = text(four, "Scalar<f32> { s = A[i, j] * B[i, j] * C[i, j] * D[i, j]; }");
    let masked =
        text(four, "DenseVec<f32> { y[i] = A[i, j] * B[i, j] * C[i, j] * (D[i, j] + B[i, j] + A[i, j]); }");
    for (one, text) in [&hadamard, &with_runs].into_iter().enumerate() {
        right(text, &[("A", &[9, 40], 2), ("B", &[9, 40], 3), ("C", &[9, 40], 1 + one)]);
        right(text, &[("A", &[7, 30], 5), ("B", &[7, 30], 1), ("C", &[7, 30], 2)]);
    }
    for text in [&inner, &masked] {
        right(text, &[("A", &[9, 60], 2), ("B", &[9, 60], 3), ("C", &[9, 60], 1), ("D", &[9, 60], 2)]);
        right(text, &[("A", &[9, 60], 1), ("B", &[9, 60], 2), ("C", &[9, 60], 2), ("D", &[9, 60], 1)]);
    }
}
