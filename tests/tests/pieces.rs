//! Rows of sparse results of which several blocks of a GPU have pieces, on the simulator: the same bytes in every order of blocks and
//! warps, whole rows' values but for rounding, and every wait of the generated code is needed.

use sparse_core::cin::grid::RowClass;
use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::llir::verify::verify;
use sparse_core::llir::{Launch, Program, Step, Stmt, Verified};
use sparse_core::lower;
use sparse_core::sim::{Arg, InterpError, LaunchReport, Limits, RunError, run, run_reporting, run_shuffled};
use sparse_core::tensor::{Csr, DynTensor};

const PRODUCT: &str = "R[i, k] = A[i, j] * B[j, k];";
/// No row is long enough for two pieces.
const NEVER: u64 = 1 << 30;

fn text(statement: &str, dtype: &str, result: &str) -> String {
    let c = if statement.contains('C') { format!(", C: Csr<{dtype}>") } else { String::new() };
    format!("fn f(A: Csr<{dtype}>, B: Csr<{dtype}>{c}) -> {result}<{dtype}> {{ {statement} }}")
}

/// Compiled so that pieces have so many elements at least, for tables in so many bytes of shared memory.
fn compiled(text: &str, piece_work: u64, table_bytes: u64) -> Verified {
    compiled_for(text, piece_work, (table_bytes, Options::default().lower.table_places))
}

/// The same for so many places of large tables, too.
fn compiled_for(text: &str, piece_work: u64, (table_bytes, table_places): (u64, u64)) -> Verified {
    let row_classes = [(8, 8), (32, 32), (64, 64)].map(|(from, threads)| RowClass { from, threads });
    let lower = lower::Options {
        row_classes: row_classes.into(),
        piece_work,
        table_bytes,
        table_places,
        ..Default::default()
    };
    compile_cuda(parse_str(text).unwrap(), &Options { lower, ..Options::default() }).unwrap().program
}

fn on_one_thread(text: &str, args: &[Arg]) -> DynTensor {
    let cpu = parse_str(&format!("{text} schedule cpu = none;")).unwrap();
    run(&compile_kernel(cpu, &Options::default()).unwrap().program, args).unwrap()
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

/// Rows of several lengths, with entries that lead to short rows, long ones, and none.
fn args(rows: usize) -> [Arg; 2] {
    args_of(rows, 40)
}

fn args_of(rows: usize, columns: usize) -> [Arg; 2] {
    let a = matrix([rows, 400], |i, j| match i % 4 {
        0 => true,
        1 => j % 3 == 0,
        2 => j == 17,
        _ => j >= 100 && j % 5 != 0,
    });
    let b = matrix([400, columns], |j, k| match j % 7 {
        0 => false,
        1 => true,
        _ => (j * 3 + k * 5) % 11 < 3,
    });
    [a, b]
}

fn report<'a>(reports: &'a [LaunchReport], name: &str) -> &'a LaunchReport {
    reports.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("no launch is {name}"))
}

fn close(found: &DynTensor, expected: &DynTensor, what: &str) {
    let at = |t: &DynTensor| t.iter().map(|(at, value)| (at.to_vec(), value.to_f64())).collect::<Vec<_>>();
    let (found, expected) = (at(found), at(expected));
    assert_eq!(found.len(), expected.len(), "{what}");
    for ((a, x), (b, y)) in found.iter().zip(&expected) {
        // All terms are positive.
        assert!(a == b && (x - y).abs() <= 1e-5 * y.abs(), "{what}: {a:?} {x} {b:?} {y}");
    }
}

#[test]
fn rows_in_pieces_are_the_same_bytes_in_every_order() {
    for statement in [
        PRODUCT,
        "R[i, k] = C[i, k] + A[i, j] * B[j, k];",
        "R[i, k] = C[i, k] * A[i, j] * B[j, k];",
        "R[i, k] max= A[i, j] * B[j, k];",
    ] {
        let [a, b] = args(7);
        let mut args = vec![a, b];
        if statement.contains('C') {
            args.push(matrix([7, 40], |i, k| (i + k) % 3 != 1));
        }
        let filled = "-> Tensor<f32, Filled<(Dense, Compressed), NegInf>>";
        let text = match statement.contains("max") {
            true => text(statement, "f32", "Csr").replace("-> Csr<f32>", filled),
            false => text(statement, "f32", "Csr"),
        };
        let expected = on_one_thread(&text, &args);
        let lower::Options { table_bytes, table_places, .. } = lower::Options::default();
        // In shared memory, of small tables on the device, and of its largest ones.
        for bytes in [(table_bytes, table_places), (0, table_places), (0, 1 << 13)] {
            for work in [1, 50, NEVER] {
                let program = compiled_for(&text, work, bytes);
                let found = run_reporting(&program, &args, Limits::default());
                let (first, reports) = found.unwrap_or_else(|e| panic!("{statement} {bytes:?} {work}: {e}"));
                close(&first, &expected, statement);
                if statement == PRODUCT {
                    let cut = report(&reports, "f_pieces_block").sectors_written > 0;
                    assert_eq!(cut, work < NEVER, "{bytes:?} {work}");
                }
                for seed in 0..3 {
                    let found = run_shuffled(&program, &args, Limits::default(), seed);
                    let found = found.unwrap_or_else(|e| panic!("{statement} {bytes:?} {work}: {e}"));
                    assert!(found.iter().eq(first.iter()), "{statement} {bytes:?} {work}");
                }
            }
        }
    }
}

/// Pieces are summed in the order of a row's entries, and the sums in that of the pieces: a sum of large and small terms shows it.
#[test]
fn pieces_are_joined_in_order() {
    let (entries, columns) = (64, 1);
    let a = matrix([1, entries], |_, _| true);
    let b = matrix([entries, columns], |_, _| true);
    let program = compiled(&text(PRODUCT, "f32", "Csr"), 1, 1 << 12);
    let (found, reports) = run_reporting(&program, &[a, b], Limits::default()).unwrap();
    assert!(report(&reports, "f_pieces_block").sectors_written > 0);
    // 64 elements for a table of four places: four pieces.
    let sum = |of: &mut dyn Iterator<Item = f32>| of.fold(0.0, |sum: f32, term| sum + term);
    let piece = |s: usize| sum(&mut (16 * s..16 * (s + 1)).map(|n| value(n) * value(n)));
    let expected = sum(&mut (0..4).map(piece));
    let found: Vec<f64> = found.iter().map(|(_, value)| value.to_f64()).collect();
    assert_eq!(found, [f64::from(expected)]);
}

/// Few long rows: no warp works as long as where each is one block's.
#[test]
fn blocks_share_long_rows() {
    let a = matrix([3, 6000], |i, j| i != 1 || j % 2 == 0);
    let b = matrix([6000, 36], |j, k| (j + k) % 5 == 0);
    let args = [a, b];
    let longest = |work| {
        let program = compiled(&text(PRODUCT, "f32", "Csr"), work, Options::default().lower.table_bytes);
        let (_, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        let of = |name: &str| report(&reports, name).longest_warp;
        ["f_pieces_block", "f_count_block", "f_fill_block"].map(of)
    };
    let ([_, count, fill], cut) = (longest(NEVER), longest(256));
    for path in cut {
        assert!(8 * path.instructions < fill.instructions, "{path:?} {fill:?}");
        assert!(4 * path.loads < fill.loads, "{path:?} {fill:?}");
    }
    assert!(8 * cut[1].instructions < count.instructions, "{:?} {count:?}", cut[1]);
}

/// Where blocks have enough rows none is in pieces, and values are those of one thread.
#[test]
fn many_rows_are_whole() {
    let args = args(800);
    let text = text(PRODUCT, "f32", "Csr");
    let (found, reports) = run_reporting(&compiled(&text, 1, 1 << 12), &args, Limits::default()).unwrap();
    assert_eq!(report(&reports, "f_pieces_block").sectors_written, 0);
    assert!(found.iter().eq(on_one_thread(&text, &args).iter()));
}

/// A result with an order that is promised, several workspaces, or rows of another kind has no pieces.
#[test]
fn launches_of_pieces() {
    let names = |text: &str| {
        let program = compiled(text, 1, Options::default().lower.table_bytes);
        program.program().launches().filter(|l| l.name.contains("_pieces_")).count()
    };
    assert_eq!(names(&text(PRODUCT, "f32", "Csr")), 2);
    // Nor has any by choice.
    assert_eq!(
        compiled(&text(PRODUCT, "f32", "Csr"), 0, 0)
            .program()
            .launches()
            .filter(|l| l.name.contains("_pieces_"))
            .count(),
        0
    );
    assert_eq!(names(&text("R[i, k] = A[i, j] * B[j, l] * C[l, k];", "f32", "Csr")), 0);
    assert_eq!(names(&text("R[i, j] = A[i, j] + B[i, j];", "f32", "Csr")), 0);
    assert_eq!(names(&text(PRODUCT, "f32", "Dcsr")), 0);
}

#[test]
fn explain_says_which_rows_blocks_share() {
    let explained = |product: &str| {
        let kernel = parse_str(&text(product, "f32", "Csr")).unwrap();
        compile_cuda(kernel, &Options::default()).unwrap().explain()
    };
    let pieces = "where a launch's blocks have at most 512 rows of `R`, several share one, in pieces of 2048 elements or more that are \
        scattered";
    let product = explained(PRODUCT);
    assert!(product.contains(pieces), "{product}");
    assert!(!explained("R[i, k] = A[i, j] * B[j, l] * C[l, k];").contains("in pieces"));
}

/// Integers too, whose sums are atomic updates in a piece: exactly what one thread makes.
#[test]
fn integers_in_pieces() {
    let of = |t: &Arg| {
        let Arg::Tensor(t) = t else { panic!("it is a matrix") };
        let entries = t.iter().map(|(at, value)| ([at[0], at[1]], value.to_f64() as i32 % 100));
        Arg::Tensor(DynTensor::from(&Csr::<i32>::from_triplets([t.dims[0], t.dims[1]], entries).unwrap()))
    };
    let args = args(5).each_ref().map(of);
    let text = text(PRODUCT, "i32", "Csr");
    for bytes in [Options::default().lower.table_bytes, 0] {
        let program = compiled(&text, 1, bytes);
        for seed in 0..3 {
            let found = run_shuffled(&program, &args, Limits::default(), seed).unwrap();
            assert!(found.iter().eq(on_one_thread(&text, &args).iter()), "{bytes}");
        }
    }
}

/// The program without the n-th wait of a launch, if it has so many.
fn without_barrier(program: &Program, launch: &str, n: usize) -> Option<Verified> {
    let mut program = program.clone();
    let mut left = n;
    let of = |step: &mut Step| match step {
        Step::Launch(Launch { name, body, .. }) if name.ends_with(launch) => remove(body, &mut left),
        _ => false,
    };
    program.steps.iter_mut().any(of).then(|| verify(program).unwrap())
}

fn remove(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for at in 0..block.len() {
        if matches!(block[at], Stmt::Barrier(_)) {
            if *left == 0 {
                block.remove(at);
                return true;
            }
            *left -= 1;
        }
        let mut removed = false;
        block[at].for_each_block_mut(&mut |nested| removed = removed || remove(nested, left));
        if removed {
            return true;
        }
    }
    false
}

#[test]
fn every_wait_is_needed() {
    // Blocks have several rows, or pieces, in turn.
    let row_classes = vec![RowClass { from: 8, threads: 64 }];
    let lower = lower::Options { row_classes, piece_work: 50, table_threads: 64, ..Default::default() };
    let kernel = parse_str(&text(PRODUCT, "f32", "Csr")).unwrap();
    let program = compile_cuda(kernel, &Options { lower, ..Options::default() }).unwrap().program;
    // With pieces, of which warps join one at a time or several, of small tables and of larger ones, and without.
    let inputs = [args(9), args_of(9, 6), args_of(9, 20), args_of(9, 200), args(800)];
    for launch in ["_pieces_block", "_count_block", "_fill_block"] {
        let mut n = 0;
        while let Some(broken) = without_barrier(program.program(), launch, n) {
            let fault = |args: &[Arg; 2]| match run(&broken, args).err()? {
                RunError::Program(InterpError { fault, .. }) => Some(fault.to_string()),
                e => Some(e.to_string()),
            };
            let noticed = |f: &String| f.contains("conflict") || f.contains("before it is written");
            assert!(inputs.iter().filter_map(fault).any(|f| noticed(&f)), "{launch}, barrier {n}");
            n += 1;
        }
        assert!(n > 1, "{launch}: {n}");
    }
}
