//! Runs every program as a user does: on what it generates, on files, and on files that are damaged.

use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::Command;

/// A file in a folder for tests.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Standard output of a program that succeeds.
#[track_caller]
fn passes(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}{out}");
    assert!(out.contains("verified"), "{arguments:?}: {out}");
    out.into_owned()
}

/// Standard error of a program that exits with code 1.
#[track_caller]
fn fails(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
    err
}

/// Asserts that a program names file and line of a fault.
#[track_caller]
fn refuses(program: &str, name: &str, text: &str, line: u32, fault: &str) {
    let path = file(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let err = fails(program, &[path]);
    assert!(err.starts_with(&format!("error: {path}:{line}: ")) && err.contains(fault), "{err}");
}

#[track_caller]
fn has(out: &str, lines: &[&str]) {
    for line in lines {
        assert!(out.contains(line), "`{line}` is not in:\n{out}");
    }
}

#[test]
fn spmm() {
    let program = env!("CARGO_BIN_EXE_spmm");
    let out = passes(program, &["--quick"]);
    has(&out, &["512 x 512, ", "N = 32", "GFLOP/s", "GB/s", "verified against a plain loop"]);

    let path = file("spmm.mtx.gz");
    let a = Csr::<f32>::random_sparse([30, 20], 0.1, 1);
    io::write_matrix_market(&path, &a).unwrap();
    let out = passes(program, &[path.to_str().unwrap(), "-n", "5"]);
    has(&out, &[&format!("spmm.mtx.gz: 30 x 20, {} entries, N = 5", a.stored())]);
    passes(program, &[path.to_str().unwrap(), "-n", "0"]);

    let banner = "%%MatrixMarket matrix coordinate real general\n";
    refuses(program, "truncated.mtx", &format!("{banner}3 3 2\n1 1 1.0\n"), 3, "cut short");
    refuses(program, "outside.mtx", &format!("{banner}3 3 1\n% a comment\n4 1 1.0\n"), 4, "outside 1..=3");
    refuses(program, "word.mtx", &format!("{banner}3 3 1\n1 1 one\n"), 3, "not a number");
    refuses(program, "banner.mtx", "1 1 1.0\n", 1, "%%MatrixMarket");
    refuses(program, "huge.mtx", &format!("{banner}3 3 2147483648\n"), 2, "too many");
    assert!(fails(program, &["no/such/file.mtx"]).starts_with("error: no/such/file.mtx: "));
    assert!(fails(program, &["--quick", "-n", "999999999"]).contains("entries"));
}

#[test]
fn spmv_power_iteration() {
    let program = env!("CARGO_BIN_EXE_spmv_power_iteration");
    let out = passes(program, &["--quick"]);
    has(&out, &["512 vertices", "change", "rank", "verified: the ranks sum to 1"]);

    // Everyone links to the first vertex, which links nowhere.
    let path = file("star.mtx");
    let star = Csr::<f32>::from_triplets([4, 4], (1..4).map(|i| ([i, 0], -2.0))).unwrap();
    io::write_matrix_market(&path, &star).unwrap();
    let out = passes(program, &[path.to_str().unwrap(), "--damping", "0.5"]);
    let first = out.lines().find(|l| l.contains("rank")).unwrap();
    assert!(first.contains("vertex        1"), "{out}");

    let path = file("tall.mtx");
    io::write_matrix_market(&path, &Csr::<f32>::random_sparse([4, 3], 0.5, 1)).unwrap();
    assert!(fails(program, &[path.to_str().unwrap()]).contains("tall.mtx: expected a square matrix"));
    refuses(program, "no_size.mtx", "%%MatrixMarket matrix coordinate pattern general\n", 1, "size line");
}

#[test]
fn sddmm_attention() {
    let program = env!("CARGO_BIN_EXE_sddmm_attention");
    let out = passes(program, &["--quick"]);
    has(&out, &["96 tokens", "heads of 64", "verified against dense attention"]);

    // Most of the tokens see none.
    let path = file("mask.mtx");
    io::write_matrix_market(&path, &Csr::<f32>::random_sparse([50, 50], 0.01, 1)).unwrap();
    passes(program, &[path.to_str().unwrap(), "--width", "7"]);

    let banner = "%%MatrixMarket matrix coordinate pattern general\n";
    refuses(program, "mask_zero.mtx", &format!("{banner}3 3 1\n0 1\n"), 3, "start at 1");
}

#[test]
fn cp_als() {
    let program = env!("CARGO_BIN_EXE_cp_als");
    let out = passes(program, &["--quick"]);
    has(&out, &["[24, 20, 16]", "sweep   1: fit 0.", "verified: plain loops find the fit 0.99"]);

    let path = file("random.tns.gz");
    io::write_tns(&path, &Csf3::<f64>::random_sparse([9, 8, 7], 0.1, 1)).unwrap();
    let out = passes(program, &[path.to_str().unwrap(), "--rank", "3", "--sweeps", "4"]);
    has(&out, &["[9, 8, 7]", "rank 3"]);

    refuses(program, "fields.tns", "1 1 1 1.0\n2 2 2\n", 2, "expected 4 fields");
    refuses(program, "order.tns", "1 1 1 1 1.0\n", 1, "4 dimensions");
    refuses(program, "empty.tns", "", 1, "no entries");
    let path = file("zero.tns");
    std::fs::write(&path, "1 1 1 0\n").unwrap();
    assert!(fails(program, &[path.to_str().unwrap()]).contains("nothing to decompose"));
}

#[test]
fn shortest_paths() {
    let program = env!("CARGO_BIN_EXE_shortest_paths");
    let out = passes(program, &["--quick"]);
    has(&out, &["512 vertices", "reached", "rounds", "verified: Dijkstra"]);

    // The way round is shorter than the direct edge, and nobody comes to the last vertex.
    let path = file("detour.mtx");
    let edges = [([0, 2], 5.0), ([0, 1], 1.0), ([1, 2], 1.5), ([3, 0], 1.0)];
    let graph = Csr::<f64>::from_triplets([4, 4], edges).unwrap();
    io::write_matrix_market(&path, &graph).unwrap();
    let out = passes(program, &[path.to_str().unwrap(), "--from", "1"]);
    has(&out, &["3 reached, the farthest at 2.5"]);
    assert!(fails(program, &[path.to_str().unwrap(), "--from", "5"]).contains("no vertex 5"));

    let path = file("negative.mtx");
    let graph = Csr::<f64>::from_triplets([2, 2], [([0, 1], -1.0)]).unwrap();
    io::write_matrix_market(&path, &graph).unwrap();
    assert!(fails(program, &[path.to_str().unwrap()]).contains("edge from 1 to 2 has length -1"));
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    refuses(program, "long.mtx", &format!("{banner}3 3 1\n1 1 1.0\n2 2 2.0\n"), 4, "beyond the 1");
}

#[test]
fn triangle_count() {
    let program = env!("CARGO_BIN_EXE_triangle_count");
    let out = passes(program, &["--quick"]);
    has(&out, &["256 vertices", "triangles over", "verified: a plain loop counts as many"]);

    // All edges between four vertices, some in both directions, one in a loop, and a fifth vertex.
    let path = file("four.mtx");
    let edges = [[0, 1], [1, 0], [2, 0], [3, 0], [1, 2], [1, 3], [3, 2], [2, 2], [4, 0]];
    let graph = Csr::<f64>::from_triplets([5, 5], edges.map(|edge| (edge, -2.0))).unwrap();
    io::write_matrix_market(&path, &graph).unwrap();
    has(&passes(program, &[path.to_str().unwrap()]), &["5 vertices, 7 edges", "  4 triangles over 3 edges"]);

    let path = file("no_edges.mtx");
    io::write_matrix_market(&path, &Csr::<f64>::from_triplets([3, 3], []).unwrap()).unwrap();
    has(&passes(program, &[path.to_str().unwrap()]), &["3 vertices, 0 edges", "  0 triangles over 0 edges"]);
    let banner = "%%MatrixMarket matrix coordinate pattern general\n";
    refuses(program, "triangle.mtx", &format!("{banner}3 3 1\n1 4\n"), 3, "outside 1..=3");
    let path = file("wide.mtx");
    io::write_matrix_market(&path, &Csr::<f64>::random_sparse([3, 4], 0.5, 1)).unwrap();
    assert!(fails(program, &[path.to_str().unwrap()]).contains("wide.mtx: expected a square matrix"));
}

#[test]
fn galerkin() {
    let program = env!("CARGO_BIN_EXE_galerkin");
    let out = passes(program, &["--quick"]);
    has(&out, &["576 unknowns", "coarse: ", "cycles", "verified: the coarse matrix by plain loops"]);

    // Only diagonals: every unknown is an aggregate.
    let path = file("diagonal.mtx");
    let diagonal = (0..5).map(|i| ([i, i], i as f64 + 1.0));
    io::write_matrix_market(&path, &Csr::<f64>::from_triplets([5, 5], diagonal).unwrap()).unwrap();
    has(&passes(program, &[path.to_str().unwrap()]), &["5 unknowns, 5 entries", "coarse: 5 unknowns"]);

    let path = file("hole.mtx");
    let hole = [([0, 0], 1.0), ([1, 0], 1.0)];
    io::write_matrix_market(&path, &Csr::<f64>::from_triplets([2, 2], hole).unwrap()).unwrap();
    assert!(fails(program, &[path.to_str().unwrap()]).contains("element 2 of the diagonal is 0"));
}

#[test]
fn transpose() {
    let program = env!("CARGO_BIN_EXE_transpose");
    has(&passes(program, &["--quick"]), &["300 x 150", "verified: the arrays are those of"]);
    has(&passes(program, &["--quick", "--device", "sim"]), &["transpose_scatter_w: ", "atomic"]);
    for (name, dims) in [("tall_one.mtx", [40, 1]), ("wide_one.mtx", [1, 40]), ("both.mtx", [17, 30])] {
        let path = file(name);
        io::write_matrix_market(&path, &Csr::<f64>::random_sparse(dims, 0.2, 1)).unwrap();
        passes(program, &[path.to_str().unwrap()]);
    }
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let path = file("nan.mtx");
    std::fs::write(&path, format!("{banner}2 3 2\n1 3 nan\n2 1 1.0\n")).unwrap();
    has(&passes(program, &[path.to_str().unwrap()]), &["verified"]);
    refuses(program, "transposed.mtx", &format!("{banner}3 3 1\n1 1 x\n"), 3, "not a number");
}

#[test]
fn spmm_on_devices() {
    let program = env!("CARGO_BIN_EXE_spmm");
    let out = passes(program, &["--quick", "--device", "sim", "-n", "7"]);
    has(&out, &["spmm: ", "lanes active", "shuffles"]);
    // With a GPU it passes; without one it says what is missing.
    let output = Command::new(program).args(["--quick", "--device", "cuda"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(String::from_utf8_lossy(&output.stdout).contains("verified")),
        code => assert!(code == Some(1) && err.starts_with("error: "), "{code:?}: {err}"),
    }
}

#[test]
fn tune_spmm() {
    let program = env!("CARGO_BIN_EXE_tune_spmm");
    let folder = file("tune_spmm");
    let _ = std::fs::remove_dir_all(&folder);
    let run = |arguments: &[&str]| {
        Command::new(program).args(arguments).env("SPARSE_CACHE", &folder).output().unwrap()
    };
    let passes = |arguments: &[&str]| {
        let output = run(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let out = passes(&["--quick", "-n", "4"]);
    has(
        &out,
        &[
            "128 x 128, ",
            "expected to be slower",
            "schedule cuda = atomic(<",
            "verified against the processor",
        ],
    );
    assert!(out.contains("predicted") && !out.contains("measured"), "{out}");
    has(&passes(&["--quick", "-n", "4"]), &["remembered", "found by an earlier search", "verified"]);
    assert!(!passes(&["--quick", "-n", "4", "--afresh"]).contains("remembered"));
    // What is not a result is ignored, and the user hears of it.
    let found = std::fs::read_dir(folder.join("tuned")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&found, "{").unwrap();
    let output = run(&["--quick", "-n", "4"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is no result of tuning"));
    assert_eq!(output.status.code(), Some(0));
    // What can't be kept is said once.
    let unwritable = Command::new(program).args(["--quick", "-n", "4"]).env("SPARSE_CACHE", &found).output();
    let output = unwritable.unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(
        err.matches("note: ").count() == 1 && err.contains("note: the result is not remembered: "),
        "{err}"
    );

    let path = file("tune.mtx");
    io::write_matrix_market(&path, &Csr::<f32>::random_sparse([30, 20], 0.1, 1)).unwrap();
    has(&passes(&[path.to_str().unwrap(), "--quick", "-n", "3"]), &["tune.mtx: 30 x 20", "verified"]);
    refuses(program, "tune_banner.mtx", "1 1 1.0\n", 1, "%%MatrixMarket");
    let output = run(&["--quick", "--device", "cuda"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0) => assert!(out.contains("measured") && out.contains("verified"), "{out}"),
        code => assert!(code == Some(1) && err.starts_with("error: "), "{code:?}: {err}"),
    }
}

#[test]
fn explain_spmm() {
    let program = env!("CARGO_BIN_EXE_explain_spmm");
    let output = Command::new(program).args(["--quick", "-n", "6"]).output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    has(
        &out,
        &["=== RB+SR", "=== RB+PR", "=== EB+SR", "=== EB+PR", "GPUGroup(8), Segment", "all four agree"],
    );
    has(&out, &["extern \"C\" __global__", "segReduceGroup<float, 8", "lanes active"]);
    fails(program, &["missing.mtx"]);
}

#[test]
fn gcn() {
    let program = env!("CARGO_BIN_EXE_gcn");
    let here = passes(program, &["--quick"]);
    let there = passes(program, &["--quick", "--device", "sim"]);
    let classes = |out: &str| out.lines().find(|l| l.starts_with("vertices by class")).map(str::to_owned);
    assert_eq!(classes(&here), classes(&there));
    has(&there, &["aggregate: ", "project: ", "relu: "]);
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_reads_what_is_printed() {
    use std::process::Stdio;
    let program = env!("CARGO_BIN_EXE_transpose");
    // A full disk is an error.
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(program).arg("--quick").stdout(full).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && err.starts_with("error: standard output: "), "{err}");
    // A reader that has gone, as `head` does, is none.
    let mut child =
        Command::new(program).arg("--quick").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
