//! Results on GPUs that are scattered whole, on the simulator: the bytes that one thread of the CPU makes, in every order of
//! blocks and warps.

use sparse_core::cin::grid::RowClass;
use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::format::{Compressed, Dense, Filled, NegInf};
use sparse_core::front::parse_str;
use sparse_core::llir::verify::verify;
use sparse_core::llir::{Expr, IndexOp, Step, Stmt, Verified};
use sparse_core::lower;
use sparse_core::scalar::Value;
use sparse_core::sim::{Arg, InterpError, Limits, RunError, run, run_reporting, run_shuffled};
use sparse_core::tensor::{Coo, Csc, Csf3, Csr, Dcsr, DynTensor, Tensor};
use tests::barriers::without_barrier;

fn on_gpu(text: &str) -> Verified {
    // Groups, warps and blocks have buckets of far fewer elements than by default.
    let row_classes =
        [(20, 4), (56, 32), (200, 64)].map(|(from, threads)| RowClass { from, threads }).to_vec();
    let lower = lower::Options { row_classes, ..Default::default() };
    let compiled = compile_cuda(parse_str(text).unwrap(), &Options { lower, ..Options::default() });
    compiled.unwrap_or_else(|d| panic!("{text}\n{d}")).program
}

fn on_one_thread(text: &str) -> Verified {
    let kernel = parse_str(&format!("{text} schedule cpu = none;")).unwrap();
    compile_kernel(kernel, &Options::default()).unwrap().program
}

/// Values whose sums depend on their order.
fn value(n: usize) -> f32 {
    if n.is_multiple_of(3) { 1e6 / 7.0 } else { 1.0 / (3 + n % 11) as f32 }
}

fn entries<const R: usize>(dims: [usize; R], stored: impl Fn([usize; R]) -> bool) -> Vec<([usize; R], f32)> {
    let mut all = Vec::new();
    tests::oracle::for_each_point(&dims, &mut |c| {
        let mut at = [0; R];
        at.copy_from_slice(c);
        if stored(at) {
            all.push((at, value(all.len())));
        }
    });
    all
}

/// Rows and columns without entries, with few, and with more than a block has threads.
fn csr(dims: [usize; 2], salt: usize) -> Csr<f32> {
    let stored = |[i, j]: [usize; 2]| match (i, j) {
        (0, _) | (_, 1) => false,
        (3, _) => true,
        (_, 2) => true,
        (i, j) => (i * 7 + j * 13 + salt).is_multiple_of(11),
    };
    Csr::from_triplets(dims, entries(dims, stored)).unwrap()
}

fn arg<T>(tensor: &T) -> Arg
where
    for<'a> DynTensor: From<&'a T>,
{
    Arg::Tensor(DynTensor::from(tensor))
}

/// Everything that a result stores, bit by bit.
fn bytes(t: &DynTensor) -> String {
    format!("{t:?}")
}

/// Sums that are scattered whole: how many rows an operand of this format has entries in nobody knows.
const SCATTERED: &str = "fn f(A: Dcsr<f32>) -> Csr<f32> { R[i, k] = A[j, i] * A[j, k]; }";
/// The same of one that is copied in another order first, and whose rows go through tables.
const COPIED: &str = "fn f(A: Csr<f32>) -> Csr<f32> { R[i, k] = A[j, i] * A[j, k]; }";

fn dcsr(dims: [usize; 2]) -> Dcsr<f32> {
    csr(dims, 0).convert().unwrap()
}

#[track_caller]
fn same_as_one_thread(text: &str, args: &[Arg]) {
    let expected = run(&on_one_thread(text), args).unwrap();
    let program = on_gpu(text);
    for seed in 0..2 {
        let found = run_shuffled(&program, args, Limits::default(), seed);
        let found = found.unwrap_or_else(|e| panic!("{text}: {e}"));
        found.validate().unwrap();
        assert_eq!(bytes(&found), bytes(&expected), "{text}");
    }
}

/// The same where teams sum what has many terms, which they do in an order of their own: the same pattern, values that differ
/// by rounding alone, and the same bytes in every run.
#[track_caller]
fn sums_of_one_thread(text: &str, args: &[Arg]) {
    let expected = run(&on_one_thread(text), args).unwrap();
    let program = on_gpu(text);
    let mut all = std::collections::BTreeSet::new();
    for seed in 0..3 {
        let found = run_shuffled(&program, args, Limits::default(), seed);
        let found = found.unwrap_or_else(|e| panic!("{text}: {e}"));
        found.validate().unwrap();
        let near = |a: &Value, b: &Value| (a.to_f64() - b.to_f64()).abs() <= 1e-5 * b.to_f64().abs();
        let same = found.iter().zip(expected.iter()).all(|(a, b)| a.0 == b.0 && near(&a.1, &b.1));
        assert!(same && found.iter().count() == expected.iter().count(), "{text}");
        all.insert(bytes(&found));
    }
    assert_eq!(all.len(), 1, "{text}");
}

const SIZES: [[usize; 2]; 6] = [[40, 30], [300, 5], [5, 600], [1, 3], [0, 4], [4, 0]];

#[test]
fn transpositions() {
    for dims in SIZES {
        let b = csr(dims, 0);
        for result in ["Csr", "Dcsr", "Coo"] {
            let text = format!("fn f(B: Csr<f32>) -> {result}<f32> {{ A[j, i] = B[i, j]; }}");
            same_as_one_thread(&text, &[arg(&b)]);
        }
    }
}

#[test]
fn a_transposition_of_a_large_matrix() {
    let b = Csr::<f32>::random_sparse([700, 900], 0.02, 7);
    let text = "fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }";
    let transposed = run(&on_gpu(text), &[arg(&b)]).unwrap();
    let mut expected: Vec<_> = b.iter().map(|([i, j], v)| ([j, i], v)).collect();
    expected.sort_by_key(|e| e.0);
    let expected = Csr::from_triplets([900, 700], expected).unwrap();
    assert_eq!(bytes(&transposed), bytes(&DynTensor::from(&expected)));
}

#[test]
fn conversions() {
    let b = csr([30, 50], 1);
    let csc: Csc<f32> = b.convert().unwrap();
    let dcsr: Dcsr<f32> = b.convert().unwrap();
    for (format, arg) in [("Csc", arg(&csc)), ("Csr", arg(&b)), ("Dcsr", arg(&dcsr))] {
        for result in ["Csr", "Csc", "Dcsr", "Coo"] {
            let text = format!("fn f(B: {format}<f32>) -> {result}<f32> {{ A[i, j] = B[i, j]; }}");
            same_as_one_thread(&text, std::slice::from_ref(&arg));
        }
    }
}

#[test]
fn sums_over_rows() {
    for dims in [[40, 30], [300, 5], [5, 70], [0, 4], [4, 0]] {
        let (a, b) = (csr(dims, 0), csr(dims, 3));
        for result in ["Csr", "Csc", "Dcsr", "Coo"] {
            let text =
                format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {result}<f32> {{ R[i, k] = A[j, i] * B[j, k]; }}");
            sums_of_one_thread(&text, &[arg(&a), arg(&b)]);
        }
        sums_of_one_thread(SCATTERED, &[arg(&dcsr(dims))]);
        same_as_one_thread(COPIED, &[arg(&a)]);
    }
}

/// Buckets of one dimension have elements to sum and no further coordinates.
#[test]
fn vectors() {
    for dims in SIZES {
        let text = "fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }";
        sums_of_one_thread(text, &[arg(&csr(dims, 0))]);
        let text = "fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = 2 * A[i, j] * A[i, j]; }";
        sums_of_one_thread(text, &[arg(&csr(dims, 0))]);
    }
}

#[test]
fn other_operators() {
    let a = csr([40, 30], 0);
    let text = "fn f(A: Csr<f32>) -> Tensor<f32, Filled<(Dense, Compressed), NegInf>> \
                { R[i, k] max= A[j, i] + A[j, k]; }";
    let text = text.replace("A: Csr<f32>", "A: Tensor<f32, Filled<(Dense, Compressed), NegInf>>");
    type Max = Tensor<f32, Filled<(Dense, Compressed), NegInf>>;
    let given = Max::from_triplets([40, 30], a.iter()).unwrap();
    same_as_one_thread(&text, &[arg(&given)]);
}

#[test]
fn tensors_of_three_dimensions() {
    for dims in [[6, 9, 40], [300, 2, 3], [0, 2, 3]] {
        let stored = |[i, j, k]: [usize; 3]| i != 2 && (i * 5 + j * 3 + k * 7) % 4 < 2;
        let b = Csf3::<f32>::from_triplets(dims, entries(dims, stored)).unwrap();
        for lhs in ["A[k, j, i]", "A[j, i, k]", "A[k, i, j]", "A[j, k, i]"] {
            for result in [
                "Csf3<f32>",
                "Tensor<f32, (Dense, Compressed, Compressed)>",
                "Tensor<f32, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton)>",
                "Tensor<f32, (Dense, Compressed, Dense)>",
                "Tensor<f32, (Compressed, Dense, Dense)>",
            ] {
                let text = format!("fn f(B: Csf3<f32>) -> {result} {{ {lhs} = B[i, j, k]; }}");
                same_as_one_thread(&text, &[arg(&b)]);
            }
        }
        let text = "fn f(B: Csf3<f32>) -> Csf3<f32> { A[k, l, j] = B[i, j, k] * B[i, j, l]; }";
        same_as_one_thread(text, &[arg(&b)]);
    }
}

/// What was scattered is read beside other operands, in results of any format.
#[test]
fn consumers_that_merge() {
    let (a, b) = (csr([40, 40], 0), csr([40, 40], 5));
    for result in ["Csr", "Dcsr", "Coo"] {
        for rhs in [
            "A[i, j] + B[j, i]",
            "A[i, j] - 2 * A[j, i] * B[j, i]",
            "A[i, j] + A[k, i] * B[k, j] - B[k, i] * A[k, j]",
        ] {
            let text = format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {result}<f32> {{ R[i, j] = {rhs}; }}");
            same_as_one_thread(&text, &[arg(&a), arg(&b)]);
        }
    }
}

/// Rows of two dense levels, of which the loops make the second one's in another order; and terms of a sum, one of which has
/// a workspace of its own inside of a loop.
#[test]
fn workspaces_inside_of_loops() {
    let stored = |[i, j, k]: [usize; 3]| i != 2 && (i * 5 + j * 3 + k * 7) % 4 < 2;
    let a = Csf3::<f32>::from_triplets([6, 9, 20], entries([6, 9, 20], stored)).unwrap();
    let b = csr([20, 30], 0);
    let text = "fn f(A: Csf3<f32>, B: Csr<f32>) -> Tensor<f32, Reordered<(Dense, Dense, Compressed), 0, 2, 1>> \
                { R[i, j, l] = A[i, j, k] * B[k, l]; }";
    same_as_one_thread(text, &[arg(&a), arg(&b)]);
    let text = "fn f(A: Csr<f32>, B: Coo<f32>) -> Csc<f32> { R[i, k] = A[i, j] * A[j, k] - B[i, k]; }";
    let b: Coo<f32> = csr([40, 40], 3).convert().unwrap();
    same_as_one_thread(text, &[arg(&csr([40, 40], 0)), arg(&b)]);
}

#[test]
fn runs_have_the_same_bytes_in_every_order() {
    let a = arg(&csr([120, 20], 0));
    for (text, a) in [
        (SCATTERED, arg(&dcsr([120, 20]))),
        (COPIED, a.clone()),
        ("fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }", a),
    ] {
        let program = on_gpu(text);
        let first = bytes(&run(&program, std::slice::from_ref(&a)).unwrap());
        for seed in 0..30 {
            let again = run_shuffled(&program, std::slice::from_ref(&a), Limits::default(), seed).unwrap();
            assert_eq!(bytes(&again), first, "{text}");
        }
    }
}

/// Small buckets are a thread's, others a group's, a warp's or a block's: all have some here.
#[test]
fn each_class_has_buckets() {
    let text = "fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }";
    let program = on_gpu(text);
    let b = arg(&csr([300, 50], 0));
    let (_, reports) = run_reporting(&program, &[b], Limits::default()).unwrap();
    for name in ["f_sort_w", "f_sort_w_group4", "f_sort_w_warp", "f_sort_w_block"] {
        let report = reports.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert!(report.sectors_written > 0, "{name}");
    }
    // Where no bucket has enough there are no blocks.
    let few = arg(&Csr::<f32>::from_triplets([3, 3], [([0, 1], 1.0), ([2, 0], 2.0)]).unwrap());
    let (_, reports) = run_reporting(&program, &[few], Limits::default()).unwrap();
    let of_teams = |name: &str| ["group", "warp", "block"].iter().any(|team| name.contains(team));
    assert!(!reports.iter().any(|r| r.warps > 0 && of_teams(&r.name)));
}

/// Elements of few terms are a thread's, others a warp's or a block's: all are there, and where no element has many terms
/// there are no teams.
#[test]
fn each_class_has_sums() {
    let program = on_gpu(SCATTERED);
    let (_, reports) = run_reporting(&program, &[arg(&dcsr([900, 20]))], Limits::default()).unwrap();
    for name in ["f_fill", "f_fill_by_warps", "f_fill_by_blocks"] {
        let report = reports.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert!(report.sectors_written > 0, "{name}");
    }
    let few = arg(&Dcsr::<f32>::from_triplets([3, 3], [([0, 1], 1.0), ([2, 0], 2.0)]).unwrap());
    let (_, reports) = run_reporting(&program, &[few], Limits::default()).unwrap();
    assert!(!reports.iter().any(|r| r.warps > 0 && r.name.contains("_by_")));
}

/// Where an operand is copied first, rows are a thread's, a group's, a warp's or a block's by what they scatter.
#[test]
fn each_class_has_rows_below_a_copy() {
    let mixed = |[i, j]: [usize; 2]| match j % 8 {
        0 => i == j,
        1 => i % 40 == j % 40,
        2 => i < 5,
        _ => i % 16 == j % 16,
    };
    let a = arg(&Csr::<f32>::from_triplets([60, 400], entries([60, 400], mixed)).unwrap());
    same_as_one_thread(COPIED, std::slice::from_ref(&a));
    let (_, reports) = run_reporting(&on_gpu(COPIED), &[a], Limits::default()).unwrap();
    for name in ["f_fill", "f_fill_group4", "f_fill_warp", "f_fill_block"] {
        let report = reports.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert!(report.sectors_written > 0, "{name}");
    }
}

/// Products of a transpose and of several matrices, and a term of a sum in another order: an operand is copied, and rows are
/// the bytes of one thread's.
#[test]
fn operands_and_terms_in_another_order_first() {
    let (a, b) = (arg(&csr([40, 40], 0)), arg(&csr([40, 40], 3)));
    for rhs in [
        "A[j, i] * B[j, k]",
        "A[j, i] * B[j, l] * A[l, k]",
        "A[j, i] * (A[j, k] + B[j, k])",
        "A[k, i] + A[i, j] * B[j, k]",
        "A[i, k] * A[j, i] * B[j, k]",
    ] {
        for result in ["Csr", "Dcsr", "Coo"] {
            let text = format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {result}<f32> {{ R[i, k] = {rhs}; }}");
            let compiled = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap();
            assert!(compiled.cin_text().contains("= A[j_t0, i_t0])") || rhs.starts_with("A[k, i]"), "{text}");
            same_as_one_thread(&text, &[a.clone(), b.clone()]);
        }
    }
}

/// Sums that are exact have the bytes of one thread whoever makes them; and lanes begin with what leaves a sum as it is.
#[test]
fn exact_sums_are_those_of_one_thread() {
    let whole = |dims| {
        let entries = csr(dims, 0).iter().map(|(c, _)| (c, (c[0] % 7 + c[1]) as f32)).collect::<Vec<_>>();
        arg(&Csr::<f32>::from_triplets(dims, entries).unwrap())
    };
    for rows in [29, 101, 300, 900] {
        for statement in ["R[i, k] = A[j, i] * A[j, k]", "R[i, k] = -2 * A[j, i] * A[j, k]"] {
            let text = format!("fn f(A: Csr<f32>) -> Csr<f32> {{ {statement}; }}");
            same_as_one_thread(&text, &[whole([rows, 12])]);
        }
        same_as_one_thread("fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }", &[whole([rows, 5])]);
    }
}

/// Lists have room for a bound of what is scattered, or for that, for which the host waits: the bytes are the same. Values are
/// whole numbers, whose sums are exact in any order.
#[test]
fn lists_have_room_for_a_bound_or_for_what_is_scattered() {
    fn matrix(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Csr<f32> {
        let entries = entries(dims, |[i, j]| stored(i, j)).into_iter();
        Csr::from_triplets(dims, entries.map(|(c, _)| (c, (c[0] % 7 + c[1] % 5) as f32))).unwrap()
    }
    let few = |i: usize, j: usize| (i * 7 + j * 13).is_multiple_of(11);
    let inputs = [
        (matrix([40, 40], few), matrix([40, 40], |i, j| few(j, i))),
        // One long row, and a coordinate that all rows have.
        (matrix([50, 50], |i, j| i == 3 || j == 2 || i == j), matrix([50, 50], |i, j| i == 2 || j == 3)),
        (matrix([30, 30], |_, _| false), matrix([30, 30], |i, j| i == j)),
        (matrix([30, 30], |_, _| false), matrix([30, 30], |_, _| false)),
        (matrix([0, 0], |_, _| false), matrix([0, 0], |_, _| false)),
        (matrix([1, 1], |_, _| true), matrix([1, 1], |_, _| true)),
    ];
    // Threads enough for all rows at once. More would only make tables that no row uses.
    const ROOM: u64 = 1 << 13;
    for statement in [
        "Csr<f32> { R[i, k] = B[i, k] + A[j, i] * A[j, k]; }",
        "Coo<f32> { R[i, k] = B[i, k] + A[j, i] * A[j, k]; }",
        "Csc<f32> { R[i, k] = A[i, j] * B[j, k]; }",
        "Csc<f32> { R[i, k] = A[i, j] * (A[j, k] + B[j, k]); }",
        "Dcsr<f32> { R[k, i] = A[i, j] * B[j, k]; }",
        "SparseVec<f32> { R[k] = A[i, j] * B[j, k]; }",
        "SparseVec<f32> { R[j] = A[i, j] * B[i, j]; }",
        "SparseVec<f32> { R[j] = max(A[i, j], B[i, j]); }",
        "SparseVec<f32> { R[j] = abs(A[i, j] - 2 * B[i, j]) * A[i, j]; }",
        "SparseVec<f32> { R[j] = (A[i, j] + B[i, j]) * (A[i, j] - B[i, j]); }",
    ] {
        let text = format!("fn f(A: Csr<f32>, B: Csr<f32>) -> {statement}");
        let expected = on_one_thread(&text);
        for (list_elements, table_threads) in [(1 << 25, ROOM), (1 << 25, 256), (500, 256), (0, ROOM)] {
            let lower = lower::Options { list_elements, table_threads, ..Default::default() };
            let options = Options { lower, ..Options::default() };
            let program = compile_cuda(parse_str(&text).unwrap(), &options).unwrap().program;
            for (a, b) in &inputs {
                let args = [arg(a), arg(b)];
                let found = run_shuffled(&program, &args, Limits::default(), 1);
                let found = found.unwrap_or_else(|e| panic!("{text} {list_elements}: {e}"));
                assert_eq!(bytes(&found), bytes(&run(&expected, &args).unwrap()), "{text} {list_elements}");
            }
        }
    }
}

/// So have lists that are packed, whose own length and whose levels' the host learns at once then.
#[test]
fn packed_lists_have_room_for_a_bound_or_for_their_entries() {
    let tensor = |dims, stored: &dyn Fn([usize; 3]) -> bool| {
        let entries = entries(dims, stored).into_iter().map(|(c, _)| (c, (c[0] + 3 * c[2]) as f32));
        arg(&Csf3::<f32>::from_triplets(dims, entries).unwrap())
    };
    let some = |[i, j, k]: [usize; 3]| i != 2 && (i * 5 + j * 3 + k * 7) % 4 < 2;
    let inputs = [
        tensor([6, 9, 40], &some),
        tensor([6, 6, 6], &|[i, j, k]| i == 3 || j == 2 && k == 1),
        tensor([5, 4, 3], &|_| false),
        tensor([5, 4, 3], &|_| true),
        tensor([0, 4, 3], &|_| false),
    ];
    for format in [
        "(Compressed, Dense, Compressed)",
        "(Dense, Compressed, Dense)",
        "(Compressed, Dense, Dense)",
        "(Dense, Dense, Singleton)",
        "(Dense, Singleton, Dense)",
        "(Compressed, Singleton, Compressed)",
    ] {
        for statement in
            ["R[i, j, k] = 2 * A[i, j, k]", "R[k, j, i] = A[i, j, k]", "R[k, i, j] = A[i, j, k] * A[i, j, k]"]
        {
            let text = format!("fn f(A: Csf3<f32>) -> Tensor<f32, {format}> {{ {statement}; }}");
            let expected = on_one_thread(&text);
            for list_elements in [1 << 25, 200, 0] {
                let lower = lower::Options { list_elements, ..Default::default() };
                let options = Options { lower, ..Options::default() };
                let program = compile_cuda(parse_str(&text).unwrap(), &options).unwrap().program;
                for a in &inputs {
                    let a = std::slice::from_ref(a);
                    let (found, expected) = (run(&program, a), run(&expected, a));
                    let shown = |made: Result<DynTensor, RunError>| {
                        made.map(|t| bytes(&t)).map_err(|e| e.to_string())
                    };
                    assert_eq!(shown(found), shown(expected), "{text} {list_elements}");
                }
            }
        }
    }
}

/// A bound that is too small is a fault of the simulator: a list without room for what is scattered would be written past its end.
#[test]
fn bounds_are_checked() {
    let program = on_gpu(SCATTERED);
    let a = arg(&dcsr([40, 30]));
    let mut less = program.program().clone();
    for step in &mut less.steps {
        if let Step::AtMost { most, .. } = step {
            *most = Expr::Index(10);
        }
    }
    let fault = run(&verify(less).unwrap(), std::slice::from_ref(&a)).unwrap_err().to_string();
    assert!(fault.contains("and its bound is 10"), "{fault}");
}

#[test]
fn every_wait_is_needed() {
    let program = on_gpu(SCATTERED);
    let launches =
        [("_sort_w_group4", 20), ("_sort_w_warp", 300), ("_sort_w_block", 300), ("_fill_by_blocks", 300)];
    for (launch, rows) in launches {
        let a = arg(&dcsr([rows, 20]));
        let mut n = 0;
        while let Some(broken) = without_barrier(program.program(), launch, n) {
            let fault = run(&broken, std::slice::from_ref(&a)).err().map(|e| match e {
                RunError::Program(InterpError { fault, .. }) => fault.to_string(),
                e => e.to_string(),
            });
            assert!(fault.as_ref().is_some_and(|f| f.contains("conflict")), "{launch} {n}: {fault:?}");
            n += 1;
        }
        assert!(n > 0, "{launch}");
    }
}

/// The program with other statements in place of some.
fn changed(program: &Verified, launches: &str, change: &mut impl FnMut(Stmt) -> Vec<Stmt>) -> Verified {
    let mut program = program.program().clone();
    for step in &mut program.steps {
        if let Step::Launch(launch) = step
            && launch.name.ends_with(launches)
        {
            rewrite(&mut launch.body, change);
        }
    }
    verify(program).unwrap()
}

fn rewrite(block: &mut Vec<Stmt>, change: &mut impl FnMut(Stmt) -> Vec<Stmt>) {
    for mut stmt in std::mem::take(block) {
        stmt.for_each_block_mut(&mut |nested| rewrite(nested, change));
        block.extend(change(stmt));
    }
}

/// Threads that take places by a load and a store are in conflict.
#[test]
fn places_are_taken_by_one_step() {
    let program = on_gpu("fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }");
    let b = arg(&csr([300, 30], 0));
    for launch in ["_counts_w", "_scatter_w", "_sort_w"] {
        let broken = changed(&program, launch, &mut |stmt| match stmt {
            Stmt::Fetch { var, buffer, index, value, .. } => {
                let held = Expr::Load { buffer, index: Box::new(index.clone()) };
                let sum = Expr::IndexOp(IndexOp::Add, Box::new(held.clone()), Box::new(value));
                let taken = var.map(|var| Stmt::Let { var, value: held });
                taken.into_iter().chain([Stmt::Store { buffer, index, value: sum }]).collect()
            }
            stmt => vec![stmt],
        });
        let fault = run(&broken, std::slice::from_ref(&b)).unwrap_err().to_string();
        assert!(fault.contains("conflict"), "{launch}: {fault}");
    }
}

/// In which order buckets are filled is drawn: without the sort the bytes differ.
#[test]
fn buckets_have_to_be_sorted() {
    let program = on_gpu("fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }");
    let a = arg(&csr([300, 5], 0));
    let unsorted = changed(&program, "_sort_w", &mut |stmt| match stmt {
        Stmt::While { .. } => vec![],
        stmt => vec![stmt],
    });
    let unsorted = changed(&unsorted, "_sort_w_block", &mut |stmt| match stmt {
        Stmt::While { .. } => vec![],
        stmt => vec![stmt],
    });
    let results: std::collections::BTreeSet<_> = (0..10)
        .map(|seed| {
            bytes(&run_shuffled(&unsorted, std::slice::from_ref(&a), Limits::default(), seed).unwrap())
        })
        .collect();
    assert!(results.len() > 1);
}

/// Sparse workspaces that threads cannot have are refused, and it is said why and what to write instead: where the result has no
/// rows that are assembled, where a workspace is of several rows, and where one is filled from another.
#[test]
fn workspaces_that_threads_cannot_have() {
    let blocks = "parallelize(i, GPUBlock, NoRaces);";
    for (kernel, schedule, message, help) in [
        (
            "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }",
            format!("precompute(A[i, j] * B[j, k], [k], [k], w, Hash); {blocks}"),
            ["`w` has no memory on a GPU", "`C` is not assembled"],
            "leave the workspace out",
        ),
        (
            "fn f(A: Tensor<f32, (Dense, Dense, Compressed)>, B: Csr<f32>) -> Tensor<f32, (Dense, Dense, Compressed)> { \
             R[i, l, k] = A[i, j, k] * B[j, l]; }",
            blocks.to_string(),
            ["would be filled by many threads", "inside the loops over rows of `R`"],
            "store the operands so that the result's rows can be the outermost loops",
        ),
        (
            "fn f(A: Tensor<f32, Reordered<(Dense, Dense, Compressed), 1, 0, 2>>, B: Tensor<f32, (Dense, Dense, Compressed)>) \
             -> Csr<f32> { R[i, k] = A[i, j, k] * B[i, k, j]; }",
            blocks.to_string(),
            ["is filled from the workspace", "when that has been filled only"],
            "not needed if you declare `B: Tensor<f32, Reordered<(Dense, Dense, Compressed), 0, 2, 1>>`",
        ),
    ] {
        let text = format!("{kernel} schedule cuda {{ {schedule} }}");
        let refused = compile_cuda(parse_str(&text).unwrap(), &Options::default()).err();
        let refused = refused.unwrap_or_else(|| panic!("{text}"));
        let [only] = &refused.iter().collect::<Vec<_>>()[..] else { panic!("{refused}") };
        assert_eq!(only.code, "scattered-on-gpu");
        assert!(message.iter().all(|part| only.message.contains(part)), "{only}");
        assert!(only.help.as_ref().unwrap().contains(help), "{only}");
    }
}
