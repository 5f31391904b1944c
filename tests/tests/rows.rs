//! Rows of sparse results that warps and blocks of a GPU assemble, on the simulator: the bytes that one thread makes, in
//! every order of blocks and warps, and every wait of the generated code is needed.

use sparse_core::cin::grid::RowClass;
use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::format::{Compressed, Dense};
use sparse_core::front::parse_str;
use sparse_core::llir::walk::visit_stmts;
use sparse_core::llir::{Stmt, Verified};
use sparse_core::lower;
use sparse_core::sim::{Arg, InterpError, Limits, RunError, run, run_reporting, run_shuffled};
use sparse_core::tensor::{Csr, Dcsr, DynTensor, LevelArrays, Parts, Tensor};
use tests::barriers::without_barrier;

const WARPS: &str = "schedule cuda { split(i, block, warp, 4); parallelize(block, GPUBlock, NoRaces); \
     parallelize(warp, GPUWarp, NoRaces); }";
const BLOCKS: &str = "schedule cuda { parallelize(i, GPUBlock, NoRaces); }";

const STATEMENTS: [&str; 5] = [
    "R[i, k] = A[i, j] * B[j, k];",
    "R[i, k] = C[i, k] * A[i, j] * B[j, k];",
    "R[i, k] = C[i, k] + A[i, j] * B[j, k];",
    "R[i, k] = A[i, j] * B[j, k] - C[i, j] * B[j, k];",
    "R[i, k] = -2.0 * A[i, j] * B[j, k];",
];

fn text(statement: &str, result: &str, schedule: &str) -> String {
    let c = if statement.contains('C') { ", C: Csr<f32>" } else { "" };
    format!("fn f(A: Csr<f32>, B: Csr<f32>{c}) -> {result}<f32> {{ {statement} }} {schedule}")
}

/// Values whose sums depend on their order.
fn value(n: usize) -> f32 {
    if n.is_multiple_of(3) { 1e6 / 7.0 } else { 1.0 / (3 + n % 11) as f32 }
}

fn matrix(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Arg {
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    let entries = all.filter(|c| stored(c[0], c[1])).enumerate().map(|(n, c)| (c, value(n)));
    Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets(dims, entries).unwrap()))
}

/// The same with columns that are so far apart.
fn apart(matrix: &Arg, by: usize) -> Arg {
    let Arg::Tensor(t) = matrix else { panic!("it is a matrix") };
    let entries = t.iter().map(|(at, value)| ([at[0], by * at[1]], value.to_f64() as f32));
    let dims = [t.dims[0], by * t.dims[1]];
    Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets(dims, entries).unwrap()))
}

/// Rows without entries, with few, with more than the lanes of a warp and of a block, that meet and that do not.
fn args(statement: &str) -> Vec<Arg> {
    args_of_rows(statement, 9)
}

fn args_of_rows(statement: &str, rows: usize) -> Vec<Arg> {
    // Further ones are for groups and warps, and then for blocks and the largest tables.
    let like = |i: usize| match i {
        ..9 => i,
        // Teams come to an empty row after others.
        10 => 0,
        // Of groups a block has many.
        9..66 => [6, 7, 8, 8, 8][i % 5],
        _ => 3,
    };
    let a = matrix([rows, 60], |i, j| match like(i) {
        0 => false,
        // More entries than are gone through at a time, of short rows, and then after long ones.
        7 => j >= 20,
        3 => true,
        _ if j >= 20 => false,
        5 => j == 9,
        1 => j == 8,
        2 => j % 2 == 0,
        // Elements that are scattered twice leave gaps in the tables of every class.
        4 => [6, 7, 12, 16].contains(&j),
        6 => [0, 4, 9, 14, 19].contains(&j),
        _ => j == 0 || j == 19,
    });
    let b = matrix([60, 400], |j, k| match j % 5 {
        _ if j >= 20 => k % 200 == 3,
        0 => k % 37 == j,
        1 => (60..100).contains(&k),
        2 => k % 3 == j % 3,
        3 => j == 8,
        _ => k == 399,
    });
    let mut args = vec![a, b];
    if statement.contains("C[i, k]") {
        args.push(matrix([rows, 400], |i, k| i == 0 || (i * k) % 4 == 1));
    } else if statement.contains('C') {
        args.push(matrix([rows, 60], |i, j| (i + 2 * j) % 5 == 0));
    }
    args
}

/// Teams have rows of far fewer elements than by default, so that small matrices have some of each class.
const CLASSES: [(u64, u32); 3] = [(8, 8), (32, 32), (256, 256)];

fn compiled(text: &str) -> Verified {
    compiled_for(text, &CLASSES, Options::default().lower.table_bytes)
}

/// Compiled for classes of rows, from how many places on, and how many threads have such a row; and for so much shared memory.
fn compiled_for(text: &str, classes: &[(u64, u32)], table_bytes: u64) -> Verified {
    let row_classes = classes.iter().map(|&(from, threads)| RowClass { from, threads }).collect();
    // A block at a time: teams have several rows in turn, and those with large tables are few.
    let (table_threads, table_places) = (32, 2048);
    let lower = lower::Options {
        row_classes,
        table_threads,
        table_places,
        table_bytes,
        piece_work: 0,
        ..Default::default()
    };
    compile_cuda(parse_str(text).unwrap(), &Options { lower, ..Options::default() }).unwrap().program
}

fn on_one_thread(statement: &str, args: &[Arg]) -> DynTensor {
    let cpu = parse_str(&(text(statement, "Csr", "") + " schedule cpu = none;")).unwrap();
    run(&compile_kernel(cpu, &Options::default()).unwrap().program, args).unwrap()
}

#[test]
fn rows_of_any_length_have_the_bytes_of_one_thread() {
    for statement in STATEMENTS {
        let args = args(statement);
        let expected = on_one_thread(statement, &args);
        for schedule in ["", WARPS, BLOCKS] {
            for result in ["Csr", "Dcsr"] {
                let program = compiled(&text(statement, result, schedule));
                for seed in 0..2 {
                    let found = run_shuffled(&program, &args, Limits::default(), seed);
                    let found = found.unwrap_or_else(|e| panic!("{statement} {schedule}: {e}"));
                    assert!(found.iter().eq(expected.iter()), "{statement} {schedule} {result}");
                }
            }
        }
    }
}

/// Groups of every size, alone with all rows, and with other teams.
#[test]
fn rows_of_groups_have_the_bytes_of_one_thread() {
    for statement in STATEMENTS {
        let args = args(statement);
        let expected = on_one_thread(statement, &args);
        for size in [2, 4, 8, 16, 32] {
            for classes in [&[(1, size)][..], &[(16, size), (512, 64)], &[(4, 2), (64, 2 * size)]] {
                if classes[0].1 == classes.last().unwrap().1 && classes.len() > 1 {
                    continue;
                }
                let program = compiled_for(&text(statement, "Csr", ""), classes, u64::from(size % 3) * 2048);
                let found = run_shuffled(&program, &args, Limits::default(), u64::from(size));
                let found = found.unwrap_or_else(|e| panic!("{statement} {classes:?}: {e}"));
                assert!(found.iter().eq(expected.iter()), "{statement} {classes:?}");
            }
        }
    }
}

/// A row has the team that its number of elements asks for, to one element.
#[test]
fn rows_at_the_bounds_of_classes() {
    let classes = [(8, 2), (16, 8), (32, 16), (64, 32), (128, 64)];
    let program =
        compiled_for(&text(STATEMENTS[0], "Csr", ""), &classes, Options::default().lower.table_bytes);
    let who = ["f_fill", "f_fill_group2", "f_fill_group8", "f_fill_group16", "f_fill_warp", "f_fill_block"];
    // A row whose only entry chooses the row of B that has so many.
    let b = matrix([131, 131], |j, k| k < j);
    let filled = |rows: &dyn Fn(usize) -> Option<usize>| {
        let args = [matrix([131, 131], |i, j| rows(i) == Some(j)), b.clone()];
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert!(found.iter().eq(on_one_thread(STATEMENTS[0], &args).iter()));
        let wrote = |name: &&str| reports.iter().any(|r| r.name == *name && r.sectors_written > 0);
        who.iter().position(&wrote).into_iter().chain(who.iter().rposition(wrote)).collect::<Vec<_>>()
    };
    for (class, (from, _)) in classes.into_iter().enumerate() {
        // So many fill three quarters of a table half as large.
        let most = from * 3 / 8;
        for (elements, by) in [(most, class), (most + 1, class + 1), (most + 2, class + 1)] {
            assert_eq!(filled(&|i| (i == 77).then_some(elements as usize)), [by, by], "{elements}");
        }
    }
    // All of them at once, and rows without entries between them.
    assert_eq!(filled(&|i| (i % 4 != 3).then_some(i)), [0, 5]);
}

/// Fibers that are merged with others, of which one is scattered: each lane has to know how far the merge is.
/// Tables in memory of the device are put in order by marks, and by comparing where the columns are many more than a row's elements.
#[test]
fn large_tables_are_in_order() {
    for statement in &STATEMENTS[..3] {
        let program = compiled_for(&text(statement, "Csr", ""), &[(8, 64)], 0);
        // As many words as there are places, one more, and one that is not full.
        for columns in [31 * 16, 31 * 16 + 1, 40, 5000] {
            // Nine elements have 16 places; the first and the last column are among them.
            let a = matrix([9, 9], |i, j| i % 4 == 0 && j % 3 == 0 && j < 6);
            let b = matrix([9, columns], |j, k| {
                j % 3 == 0 && k % (columns / 4) == j || j == 0 && k + 1 == columns
            });
            let mut args = vec![a, b];
            if statement.contains('C') {
                args.push(matrix([9, columns], |i, k| (i + k) % 7 == 0));
            }
            let expected = on_one_thread(statement, &args);
            for seed in 0..3 {
                let found = run_shuffled(&program, &args, Limits::default(), seed).unwrap();
                assert!(found.iter().eq(expected.iter()), "{statement}, {columns} columns");
            }
        }
    }
}

#[test]
fn lanes_agree_how_far_a_merge_around_them_is() {
    let fibers = "Tensor<f32, (Dense, Compressed, Compressed)>";
    let tensor = |stored: &dyn Fn([usize; 3]) -> bool| {
        let all = (0..4 * 9 * 40).map(|n| [n / 360, n / 40 % 9, n % 40]);
        let entries = all.filter(|c| stored(*c)).enumerate().map(|(n, c)| (c, value(n)));
        let made = Tensor::<f32, (Dense, Compressed, Compressed)>::from_triplets([4, 9, 40], entries);
        Arg::Tensor(DynTensor::from(&made.unwrap()))
    };
    let args = [
        tensor(&|[i, j, l]| i != 2 && (i + j) % 3 != 1 && l % 7 == j),
        matrix([40, 40], |l, k| (l * k) % 5 == 1 || k == 3),
        tensor(&|[i, j, k]| (i + j) % 2 == 0 && k % 9 == i),
        tensor(&|[i, j, k]| j > 3 && (j + k) % 11 == i),
    ];
    let terms = ["A[i, j, l] * B[l, k]", "D[i, j, k]", "E[i, j, k]"];
    for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0]] {
        let sum = order.map(|n| terms[n]).join(" + ");
        let text = |schedule| {
            format!(
                "fn f(A: {fibers}, B: Csr<f32>, D: {fibers}, E: {fibers}) -> {fibers} {{ R[i, j, k] = {sum}; }} {schedule}"
            )
        };
        let cpu = parse_str(&text("schedule cpu = none;")).unwrap();
        let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
        for schedule in [WARPS, BLOCKS] {
            let program = compiled(&text(schedule));
            let found = run_shuffled(&program, &args, Limits::default(), 1);
            assert_eq!(found.unwrap_or_else(|e| panic!("{sum}: {e}")), expected, "{sum} {schedule}");
        }
    }
}

#[test]
fn runs_have_the_same_bytes_in_every_order() {
    let args = args(STATEMENTS[0]);
    for schedule in ["", WARPS, BLOCKS] {
        let program = compiled(&text(STATEMENTS[0], "Csr", schedule));
        let runs: Vec<_> =
            (0..30).map(|seed| run_shuffled(&program, &args, Limits::default(), seed).unwrap()).collect();
        assert!(runs.iter().all(|r| *r == runs[0]), "{schedule}");
    }
}

/// What comes to the same number in every order is combined by atomic updates; parts of teams that combine others take turns.
#[test]
fn integers_are_combined_in_any_order() {
    let integers = |dims: [usize; 2], stored: &dyn Fn(usize, usize) -> bool| {
        let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
        let entries = all.filter(|c| stored(c[0], c[1])).enumerate().map(|(n, c)| (c, n as i32 * 40_503 - 7));
        Arg::Tensor(DynTensor::from(&Csr::<i32>::from_triplets(dims, entries).unwrap()))
    };
    let a = integers([40, 60], &|i, j| i % 5 == 3 || (i + j) % 7 == 0 || i % 5 == 1 && j >= 20);
    let b = integers([60, 400], &|j, k| if j < 5 { k % 3 == j % 3 } else { k % 50 == j % 4 });
    let atomics = |program: &Verified| {
        let mut found = 0;
        for launch in program.program().launches() {
            visit_stmts(&launch.body, &mut |s| found += usize::from(matches!(s, Stmt::Atomic { .. })));
        }
        found
    };
    let text = "fn f(A: Csr<i32>, B: Csr<i32>) -> Csr<i32> { R[i, k] = A[i, j] * B[j, k]; }";
    let cpu = parse_str(&format!("{text} schedule cpu = none;")).unwrap();
    let args = [a, b];
    let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
    let program = compiled(text);
    assert!(atomics(&program) > 0);
    assert_eq!(atomics(&compiled(&text.replace("i32", "f32"))), 0);
    for seed in 0..3 {
        let found = run_shuffled(&program, &args, Limits::default(), seed).unwrap_or_else(|e| panic!("{e}"));
        assert!(found.iter().eq(expected.iter()), "{seed}");
    }
}

#[test]
fn explain_says_who_assembles_a_row() {
    let kernel = parse_str(&text(STATEMENTS[0], "Csr", "")).unwrap();
    let explained = compile_cuda(kernel, &Options::default()).unwrap().explain();
    let who = "a row of `R` is assembled by one thread, \
         8 threads from 32 elements that it scatters, or places of its table, on, \
         32 threads from 128 elements that it scatters, or places of its table, on, \
         256 threads from 512 elements that it scatters, or places of its table, on";
    assert!(explained.contains(who), "{explained}");
}

/// Without a schedule rows are shared among threads, groups, warps and blocks: all of them have some here.
#[test]
fn each_class_has_rows() {
    let program = compiled(&text(STATEMENTS[0], "Csr", ""));
    let (_, reports) = run_reporting(&program, &args(STATEMENTS[0]), Limits::default()).unwrap();
    for name in ["f_fill", "f_fill_group8", "f_fill_warp", "f_fill_block"] {
        let report = reports.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert!(report.sectors_written > 0, "{name}");
    }
    // Where no row has enough there are no blocks.
    let few = || matrix([3, 3], |i, j| i == 0 && j == 0);
    let (_, reports) = run_reporting(&program, &[few(), few()], Limits::default()).unwrap();
    let of_teams = |name: &str| ["group", "warp", "block"].iter().any(|team| name.contains(team));
    assert!(!reports.iter().any(|r| r.warps > 0 && of_teams(&r.name)));
}

#[test]
fn every_wait_is_needed() {
    let (all, warps) = (["_count", "_fill"], ["_count", "_fill", "_count_largest"]);
    let classes = ["_count_group8", "_fill_group8", "_count_warp", "_fill_warp", "_fill_block"];
    let shared = Options::default().lower.table_bytes;
    // Each team of a block has a second row, which is when some of the waits are needed.
    // What a block has put in order on the device is read by the lanes that did so, if it is not merged.
    let merged = STATEMENTS[2];
    for (schedule, bytes, statement, launches, rows) in [
        (WARPS, shared, STATEMENTS[0], &all[..], 27),
        (WARPS, 0, STATEMENTS[0], &warps, 82),
        (BLOCKS, shared, STATEMENTS[0], &all, 12),
        (BLOCKS, 0, STATEMENTS[0], &all[..1], 12),
        (BLOCKS, 0, merged, &all[1..], 12),
        ("", shared, STATEMENTS[0], &classes, 66),
        ("", 0, STATEMENTS[0], &classes[..4], 66),
        ("", 0, merged, &classes[4..], 66),
    ] {
        let args = args_of_rows(statement, rows);
        // Columns that are far apart, so that large tables are sorted by comparing.
        let apart: Vec<Arg> =
            args[..1].iter().cloned().chain(args[1..].iter().map(|m| apart(m, 80))).collect();
        let program = compiled_for(&text(statement, "Csr", schedule), &CLASSES, bytes);
        for launch in launches {
            let mut n = 0;
            while let Some(broken) = without_barrier(program.program(), launch, n) {
                let fault = |args: &[Arg]| match run(&broken, args).err()? {
                    RunError::Program(InterpError { fault, .. }) => Some(fault.to_string()),
                    e => Some(e.to_string()),
                };
                let noticed = |f: &String| f.contains("conflict") || f.contains("before it is written");
                let found =
                    fault(&args).is_some_and(|f| noticed(&f)) || fault(&apart).is_some_and(|f| noticed(&f));
                assert!(found, "{schedule}{launch}, {bytes} bytes, barrier {n}");
                n += 1;
            }
            assert!(n > 1, "{launch}: {n}");
        }
    }
}

/// One lane does what lanes cannot share: operands that are merged, rows that are scattered by several loops.
#[test]
fn producers_that_merge() {
    for statement in [
        "R[i, k] = A[i, j] * (B[j, k] + D[j, k]);",
        "R[i, k] = A[i, j] * B[j, k] * D[j, k];",
        "R[i, k] = A[i, j] * B[j, l] * D[l, k];",
    ] {
        let square = |m: usize| matrix([33, 33], move |i, j| (i * m + j).is_multiple_of(7));
        let args = [square(3), square(4), square(5)];
        let make = |schedule: &str| {
            format!("fn f(A: Csr<f32>, B: Csr<f32>, D: Csr<f32>) -> Csr<f32> {{ {statement} }} {schedule}")
        };
        let cpu = parse_str(&make("schedule cpu = none;")).unwrap();
        let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
        for schedule in ["", WARPS, BLOCKS] {
            let found = run(&compiled(&make(schedule)), &args);
            let found = found.unwrap_or_else(|e| panic!("{statement} {schedule}: {e}"));
            assert!(found.iter().eq(expected.iter()), "{statement} {schedule}");
        }
    }
}

/// An operand whose rows are sparse, and a result too.
#[test]
fn sparse_rows_on_teams() {
    let a = [([0, 3], 1.0_f32), ([7, 2], 2.0), ([7, 3], 3.0), ([8, 0], 4.0)];
    let b = (0..40).map(|n| ([n % 4, n * 7 % 60], value(n)));
    let args = [
        Arg::Tensor(DynTensor::from(&Dcsr::<f32>::from_triplets([9, 4], a).unwrap())),
        Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets([4, 60], b).unwrap())),
    ];
    for result in ["Csr", "Dcsr"] {
        let make = |schedule: &str| {
            format!(
                "fn f(A: Dcsr<f32>, B: Csr<f32>) -> {result}<f32> {{ R[i, k] = A[i, j] * B[j, k]; }} {schedule}"
            )
        };
        let cpu = parse_str(&make("schedule cpu = none;")).unwrap();
        let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
        let positions = "schedule cuda { pos(i, p, A[i, j]); parallelize(p, GPUBlock, NoRaces); }";
        for schedule in ["", WARPS, BLOCKS, positions] {
            let found = run(&compiled(&make(schedule)), &args);
            let found = found.unwrap_or_else(|e| panic!("{result} {schedule}: {e}"));
            assert!(found.iter().eq(expected.iter()), "{result} {schedule}");
        }
    }
}

/// A row of few elements to which it scatters often is work for a block, and its small table is in the block's shared memory.
#[test]
fn rows_of_few_elements_that_are_scattered_often() {
    let program =
        compiled_for(&text(STATEMENTS[0], "Csr", ""), &CLASSES, Options::default().lower.table_bytes);
    for per_row in [1, 3, 9, 33, 300] {
        let columns = if per_row > 5 { per_row } else { 5 };
        let a = matrix([3, 400], |i, j| i != 1 || j == 7);
        let b = matrix([400, columns], |j, k| (j + k) % columns < per_row);
        let args = [a, b];
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert!(found.iter().eq(on_one_thread(STATEMENTS[0], &args).iter()), "{per_row}");
        let fill =
            |name: &str| reports.iter().find(|r| r.name == name).is_some_and(|r| r.sectors_written > 0);
        assert!(fill("f_fill_block"), "{per_row}");
    }
}

/// A row may have more fibers than entries, as some may be empty: whether it is long is told by its fibers.
#[test]
fn long_rows_of_empty_fibers() {
    type Fibers = Tensor<f32, (Dense, Compressed, Compressed)>;
    let statement =
        "fn f(A: Tensor<f32, (Dense, Compressed, Compressed)>) -> Csr<f32> { C[i, k] = A[i, j, k]; }";
    for (fibers, filled) in [(128, 127), (128, 0), (300, 5), (127, 127), (129, 128)] {
        let crd: Vec<i32> = (0..fibers).collect();
        let ends = (0..=fibers).map(|j| j.min(filled));
        let levels = vec![
            LevelArrays::Dense,
            LevelArrays::compressed(vec![0, 0, fibers], crd),
            LevelArrays::compressed(ends.collect::<Vec<_>>(), (0..filled).map(|j| j % 7).collect::<Vec<_>>()),
        ];
        let vals = (0..filled as usize).map(value).collect::<Vec<_>>().into();
        let a = Fibers::try_from_parts(Parts { dims: vec![2, 300, 7], levels, vals }).unwrap();
        let args = [Arg::Tensor(DynTensor::from(&a))];
        let program = compiled(statement);
        let found = run(&program, &args).unwrap_or_else(|e| panic!("{fibers} {filled}: {e}"));
        let cpu = parse_str(&format!("{statement} schedule cpu = none;")).unwrap();
        let expected = run(&compile_kernel(cpu, &Options::default()).unwrap().program, &args).unwrap();
        assert!(found.iter().eq(expected.iter()), "{fibers} {filled}");
    }
}
