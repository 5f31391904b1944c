//! Long rows of operands that are merged on a GPU, of which each lane of a team has a part, on the simulator: the bytes that one
//! thread makes, in every order of blocks and warps, and every wait of the generated code is needed.

use sparse_core::cin::grid::RowClass;
use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::format::{Compressed, Dense};
use sparse_core::front::parse_str;
use sparse_core::llir::Verified;
use sparse_core::lower;
use sparse_core::sim::{Arg, InterpError, LaunchReport, Limits, RunError, run, run_reporting, run_shuffled};
use sparse_core::tensor::{Coo, Csr, Dcsr, DenseVec, DynTensor, SparseVec, Tensor};
use tests::barriers::without_barrier;

const COLUMNS: usize = 300;

/// Teams have rows of far fewer entries than by default.
const CLASSES: [(u64, u32); 3] = [(8, 8), (40, 32), (100, 64)];
const WHO: [&str; 4] = ["f_fill", "f_fill_group8", "f_fill_warp", "f_fill_block"];

fn options(classes: &[(u64, u32)]) -> Options {
    let merged_classes = classes.iter().map(|&(from, threads)| RowClass { from, threads }).collect();
    // A block at a time, whose teams have several rows in turn.
    let lower = lower::Options { merged_classes, table_threads: 32, ..Default::default() };
    Options { lower, ..Options::default() }
}

fn compiled_for(text: &str, classes: &[(u64, u32)]) -> Verified {
    compile_cuda(parse_str(text).unwrap(), &options(classes)).unwrap().program
}

fn on_one_thread(text: &str, args: &[Arg]) -> DynTensor {
    let cpu = parse_str(&format!("{text} schedule cpu = none;")).unwrap();
    run(&compile_kernel(cpu, &Options::default()).unwrap().program, args).unwrap()
}

fn value(n: usize) -> f32 {
    if n.is_multiple_of(3) { 1e6 / 7.0 } else { 1.0 / (3 + n % 11) as f32 }
}

fn entries(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Vec<([usize; 2], f32)> {
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    all.filter(|c| stored(c[0], c[1])).enumerate().map(|(n, c)| (c, value(n))).collect()
}

fn csr(rows: usize, stored: impl Fn(usize, usize) -> bool) -> Arg {
    let dims = [rows, COLUMNS];
    Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets(dims, entries(dims, stored)).unwrap()))
}

fn dcsr(rows: usize, stored: impl Fn(usize, usize) -> bool) -> Arg {
    let dims = [rows, COLUMNS];
    Arg::Tensor(DynTensor::from(&Dcsr::<f32>::from_triplets(dims, entries(dims, stored)).unwrap()))
}

fn coo(rows: usize, stored: impl Fn(usize, usize) -> bool) -> Arg {
    let dims = [rows, COLUMNS];
    Arg::Tensor(DynTensor::from(&Coo::<f32>::from_triplets(dims, entries(dims, stored)).unwrap()))
}

/// How entries of a row lie in operand `n`: next to each other, apart, all between two of another's, the same, none.
fn lies(n: usize, i: usize, j: usize) -> bool {
    match (i % 13, n) {
        (0, _) => false,
        (1, 0) | (2, 1) => false,
        (1 | 2, _) => true,
        (3, 0) => j < 150,
        (3, _) => j >= 150,
        (4, 0) => j == 0 || j == 299,
        (4, _) => j > 0 && j < 299,
        (5, _) => j % 3 == n,
        (6, _) => j.is_multiple_of(2),
        (7, 0) => j == 200,
        (7, 1) => true,
        (7, _) => j > 290,
        (8, 0) => (100..130).contains(&j),
        (8, _) => j % 100 == n,
        (9, _) => j < 4 + n,
        (10, _) => (j * (7 + n) + i).is_multiple_of(5),
        (11, 0) => j % 2 == 1,
        (11, _) => j == 151 + n,
        (_, _) => (j / 10 + n).is_multiple_of(2),
    }
}

/// Statements, and the types of their operands.
const STATEMENTS: [(&str, &str); 14] = [
    ("A[i, j] + B[i, j]", "A: Csr<f32>, B: Csr<f32>"),
    ("2.0 * A[i, j] - B[i, j] * x[j]", "A: Csr<f32>, B: Csr<f32>, x: DenseVec<f32>"),
    ("A[i, j] * B[i, j]", "A: Csr<f32>, B: Csr<f32>"),
    ("A[i, j] + B[i, j] + C[i, j]", "A: Csr<f32>, B: Csr<f32>, C: Csr<f32>"),
    ("A[i, j] * (B[i, j] + C[i, j])", "A: Csr<f32>, B: Csr<f32>, C: Csr<f32>"),
    ("A[i, j] * B[i, j] + C[i, j]", "A: Csr<f32>, B: Csr<f32>, C: Csr<f32>"),
    ("A[i, j] + B[i, j]", "A: Csr<f32>, B: Dcsr<f32>"),
    ("A[i, j] * B[i, j]", "A: Dcsr<f32>, B: Csr<f32>"),
    ("A[i, j] + v[j]", "A: Csr<f32>, v: SparseVec<f32>"),
    ("A[i, j] + B[i, j] + C[i, j] - D[i, j]", "A: Csr<f32>, B: Csr<f32>, C: Dcsr<f32>, D: Csr<f32>"),
    ("A[i, j] + B[i, j]", "A: Dcsr<f32>, B: Dcsr<f32>"),
    ("A[i, j] - B[i, j]", "A: Coo<f32>, B: Coo<f32>"),
    ("A[i, j] * B[i, j]", "A: Coo<f32>, B: Dcsr<f32>"),
    ("A[i, j] + B[i, j] + C[i, j] - D[i, j]", "A: Dcsr<f32>, B: Coo<f32>, C: Dcsr<f32>, D: Dcsr<f32>"),
];

fn text((rhs, operands): (&str, &str), result: &str) -> String {
    format!("fn f({operands}) -> {result}<f32> {{ R[i, j] = {rhs}; }}")
}

fn args(operands: &str, rows: usize) -> Vec<Arg> {
    let of = |(n, operand): (usize, &str)| match operand.trim_end_matches(", ") {
        t if t.contains("Dcsr") => dcsr(rows, |i, j| i % 4 != 2 && lies(n, i, j)),
        t if t.contains("Coo") => coo(rows, |i, j| i % 5 != 3 && lies(n, i, j)),
        t if t.contains("Csr") => csr(rows, |i, j| lies(n, i, j)),
        t if t.contains("SparseVec") => {
            let entries = (0..COLUMNS).filter(|j| j % 7 == 2).map(|j| ([j], value(j)));
            Arg::Tensor(DynTensor::from(&SparseVec::<f32>::from_triplets([COLUMNS], entries).unwrap()))
        }
        _ => {
            let all = (0..COLUMNS).map(value).collect();
            Arg::Tensor(DynTensor::from(&DenseVec::<f32>::from_dense([COLUMNS], all).unwrap()))
        }
    };
    operands.split(", ").enumerate().map(of).collect()
}

/// Which launches of teams, by their place among [`WHO`], stored entries.
fn filled(reports: &[LaunchReport]) -> Vec<usize> {
    let wrote = |name: &&str| reports.iter().any(|r| r.name == *name && r.sectors_written > 0);
    (0..WHO.len()).filter(|n| wrote(&WHO[*n])).collect()
}

#[test]
fn rows_have_the_bytes_of_one_thread() {
    for statement in STATEMENTS {
        let args = args(statement.1, 27);
        for result in ["Csr", "Dcsr", "Coo"] {
            let text = text(statement, result);
            let expected = on_one_thread(&text, &args);
            for classes in [&CLASSES[..], &[(1, 32)], &[(2, 256)], &[(1, 8), (64, 16)]] {
                let program = compiled_for(&text, classes);
                let launches = || program.program().launches();
                // How long rows of a list are the host does not know; it is asked where the result's rows are found by entries.
                if result != "Csr" || !statement.1.contains("Coo") {
                    assert!(launches().any(|l| l.name.starts_with("f_fill_")), "{text} {classes:?}");
                }
                for seed in 0..3 {
                    let found = run_shuffled(&program, &args, Limits::default(), seed);
                    let found = found.unwrap_or_else(|e| panic!("{text} {classes:?}: {e}"));
                    assert_eq!(found, expected, "{text} {classes:?}");
                }
            }
        }
    }
}

/// A row has the team that its number of entries asks for, to one entry, however they are divided among the operands.
#[test]
fn rows_at_the_bounds_of_classes() {
    let sum = text(STATEMENTS[0], "Csr");
    let program = compiled_for(&sum, &CLASSES);
    for (class, (from, _)) in CLASSES.into_iter().enumerate() {
        for (entries, by) in [(from - 1, class), (from, class + 1), (from + 1, class + 1)] {
            for of_a in [0, 1, entries / 3, entries - 1, entries].map(|n| n as usize) {
                let of_b = entries as usize - of_a;
                let args = [
                    csr(9, |i, j| i == 5 && j % 2 == 0 && j / 2 < of_a),
                    csr(9, |i, j| i == 5 && j % 3 == 0 && j / 3 < of_b),
                ];
                let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
                assert_eq!(found, on_one_thread(&sum, &args), "{of_a} and {of_b}");
                // Those that have nothing store nothing, and are not launched if the longest rows are short.
                assert_eq!(filled(&reports), [by], "{of_a} and {of_b}");
                let launched: Vec<_> = reports.iter().filter(|r| r.warps > 0).map(|r| &*r.name).collect();
                assert_eq!(launched.contains(&"f_fill_block"), by == 3, "{of_a} and {of_b}");
            }
        }
    }
}

/// Rows of every length, one after another: up to 150 entries of each operand.
#[test]
fn rows_of_every_length() {
    for (statement, step) in [(STATEMENTS[0], 1), (STATEMENTS[2], 7), (STATEMENTS[3], 5)] {
        let rows = 151 / step;
        let of = |n: usize| csr(rows, move |i, j| (j * (n + 3) + i).is_multiple_of(2) && j / 2 < i * step);
        let args: Vec<Arg> = (0..statement.1.split(", ").count()).map(of).collect();
        let text = text(statement, "Csr");
        let program = compiled_for(&text, &CLASSES);
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert_eq!(found, on_one_thread(&text, &args), "{text}");
        // Short rows may have nothing in common.
        assert!(filled(&reports).ends_with(&[2, 3]), "{text}");
    }
}

/// Each lane has about as many entries, though one operand's lie between two of the other's.
#[test]
fn parts_are_balanced_where_operands_lie_apart() {
    let sum = text(STATEMENTS[0], "Csr");
    let program = compiled_for(&sum, &[(8, 32)]);
    let instructions = |args: &[Arg]| {
        let (found, reports) = run_reporting(&program, args, Limits::default()).unwrap();
        assert_eq!(found, on_one_thread(&sum, args));
        reports.iter().find(|r| r.name == "f_fill_warp").unwrap().longest_warp.instructions
    };
    let even = instructions(&[csr(1, |_, j| j % 2 == 0), csr(1, |_, j| j % 2 == 1)]);
    let apart = [csr(1, |_, j| !(75..225).contains(&j)), csr(1, |_, j| (75..225).contains(&j))];
    assert!(instructions(&apart) < even * 3 / 2);
}

/// Rows that operands store are a thread's each, and as many numbers as these have entries there, however many rows there may be.
#[test]
fn rows_of_a_sparse_first_level() {
    for format in ["Dcsr", "Coo"] {
        let text = format!(
            "fn f(A: {format}<f32>, B: {format}<f32>) -> {format}<f32> {{ R[i, j] = A[i, j] + B[i, j]; }}"
        );
        let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
        let on = |rows: usize, of: fn(usize, usize) -> bool| {
            let made = |n: usize| match format {
                "Dcsr" => dcsr(rows, move |i, j| of(i, j + n)),
                _ => coo(rows, move |i, j| of(i, j + n)),
            };
            let args = [made(0), made(1)];
            let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
            assert_eq!(found, on_one_thread(&text, &args));
            let of = |name: &str| reports.iter().find(|r| r.name == name).unwrap().clone();
            (of("f_fill").longest_warp.instructions, of("f_fill").warps)
        };
        let (one, _) = on(1, |_, j| j % 60 == 0);
        let (all, _) = on(640, |_, j| j % 60 == 0);
        // A search is longer; a thread would merge 32 rows.
        assert!(all < 3 * one, "{format}: {one}, {all}");
        let (_, warps) = on(5000, |i, j| i % 2500 == 7 && j % 60 == 0);
        assert_eq!(warps, 8, "{format}");
    }
}

#[test]
fn rows_below_several_dense_levels() {
    let format = "Tensor<f32, (Dense, Dense, Compressed)>";
    let text = format!(
        "fn f(A: {format}, B: {format}) -> {format} {{ R[i, j, k] = A[i, j, k] + 3.0 * B[i, j, k]; }}"
    );
    let tensor = |n: usize| {
        let all = (0..3 * 5 * 90).map(|p| [p / 450, p / 90 % 5, p % 90]);
        let stored = |c: &[usize; 3]| c[0] + c[1] != 3 && (c[2] * (n + 2) + c[1]).is_multiple_of(2 + c[0]);
        let entries = all.filter(stored).enumerate().map(|(n, c)| (c, value(n)));
        let made = Tensor::<f32, (Dense, Dense, Compressed)>::from_triplets([3, 5, 90], entries);
        Arg::Tensor(DynTensor::from(&made.unwrap()))
    };
    let args = [tensor(0), tensor(1)];
    let program = compiled_for(&text, &CLASSES);
    let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
    assert_eq!(found, on_one_thread(&text, &args));
    assert!(filled(&reports).contains(&2), "{:?}", filled(&reports));
}

/// Where no row is long nothing more is launched, nor is memory taken for lists.
#[test]
fn short_rows_are_threads() {
    let sum = text(STATEMENTS[0], "Csr");
    let program = compile_cuda(parse_str(&sum).unwrap(), &Options::default()).unwrap().program;
    let args = [csr(40, |i, j| j < i % 8), csr(40, |i, j| j % 40 == i)];
    let (_, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
    let launched: Vec<_> = reports.iter().filter(|r| r.warps > 0).map(|r| r.name.as_str()).collect();
    let expected = ["f_count", "f_sums", "f_sum_tiles", "f_begins", "f_fill"];
    assert_eq!(launched, expected);
}

#[test]
fn explain_says_who_merges_a_row() {
    let explain = |text: &str| compile_cuda(parse_str(text).unwrap(), &Options::default()).unwrap().explain();
    let sum = text(STATEMENTS[0], "Csr");
    let who = "a row of `R` is assembled by one thread, \
         32 threads from 32 entries of its operands on, \
         256 threads from 512 entries of its operands on";
    let explained = explain(&sum);
    assert!(explained.contains(who), "{explained}");
    // A schedule is what it says.
    let threads = "schedule cuda { split(i, block, thread, 64); \
         parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces); }";
    let explained = explain(&format!("{sum} {threads}"));
    assert!(!explained.contains("entries of its operands"), "{explained}");
    let explained = explain(&text(STATEMENTS[10], "Dcsr"));
    assert!(explained.contains(who), "{explained}");
    assert!(explained.contains("default: one thread a coordinate that operands store"), "{explained}");
}

#[test]
fn every_wait_is_needed() {
    // Lanes that have kept what lies before their parts need not sum again.
    let of_rows = [
        (STATEMENTS[3], "Csr", [8, 40], false),
        (STATEMENTS[8], "Csr", [40, 80], true),
        (STATEMENTS[12], "Dcsr", [8, 40], false),
    ];
    for (statement, result, [few, more], sums) in of_rows {
        // Each team has several rows.
        let args = args(statement.1, 520);
        let program = compiled_for(&text(statement, result), &[(few, 8), (more, 32), (300, 64)]);
        for who in ["group8", "warp", "block"] {
            // Samples are stored, and read; a block waits for what it sums besides.
            let scans = if who == "block" { 1 } else { 2 };
            let fills = if sums { scans } else { 2 };
            for (launch, waits) in [(format!("_count_{who}"), scans), (format!("_fill_{who}"), fills)] {
                assert_eq!(needed_waits(&program, &args, &launch), waits, "{statement:?}{launch}");
            }
        }
    }
}

/// Lanes that have equal parts of one operand store no samples. Blocks sum what they count all the same, after rows of two
/// operands, too.
#[test]
fn every_wait_is_needed_of_one_operand() {
    let of_one = ("2.0 * A[i, j]", "A: Csr<f32>");
    let (of_both, of_either) = (STATEMENTS[10], 3);
    for (statement, result, waits) in [(of_one, "Coo", 1), (of_both, "Dcsr", of_either)] {
        let args = args(statement.1, 520);
        let text = text(statement, result);
        let program = compiled_for(&text, &[(8, 8), (40, 32), (80, 64)]);
        assert_eq!(run(&program, &args).unwrap(), on_one_thread(&text, &args));
        assert_eq!(needed_waits(&program, &args, "_count_block"), waits, "{text}");
        if waits == 1 {
            let others = ["_count_group8", "_count_warp", "_fill_group8", "_fill_warp", "_fill_block"];
            for launch in others {
                assert_eq!(needed_waits(&program, &args, launch), 0, "{launch}");
            }
        }
    }
}

/// How many barriers a launch has, each of which is missed where it is left out.
fn needed_waits(program: &Verified, args: &[Arg], launch: &str) -> usize {
    let mut n = 0;
    while let Some(broken) = without_barrier(program.program(), launch, n) {
        let fault = run(&broken, args).err().map(|e| match e {
            RunError::Program(InterpError { fault, .. }) => fault.to_string(),
            e => e.to_string(),
        });
        let noticed = |f: &String| f.contains("conflict") || f.contains("before it is written");
        assert!(fault.as_ref().is_some_and(noticed), "{launch}, barrier {n}: {fault:?}");
        n += 1;
    }
    n
}
