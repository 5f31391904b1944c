//! What tags make of a CPU's program, and what `explain` says of those that come to nothing.

use sparse_core::driver::{Compiled, Options, compile_kernel};
use sparse_core::front::parse_str;

fn compiled(kernel: &str, schedule: &str) -> Compiled {
    let text = format!("{kernel} schedule cpu {{ {schedule} }}");
    let kernel = parse_str(&text).unwrap_or_else(|f| panic!("{text}\n{}", f.diagnostics));
    compile_kernel(kernel, &Options::default()).unwrap_or_else(|d| panic!("{text}\n{d}"))
}

/// The program, of which there are no warnings.
fn program(kernel: &str, schedule: &str) -> String {
    let compiled = compiled(kernel, schedule);
    assert_eq!(compiled.warnings, [""; 0], "{schedule}");
    compiled.program_text()
}

fn warnings(kernel: &str, schedule: &str) -> Vec<String> {
    let compiled = compiled(kernel, schedule);
    compiled.warnings.iter().for_each(|w| assert!(compiled.explain().contains(w)));
    compiled.warnings
}

const SPMV: &str = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
const SPMM: &str = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
const SUM: &str = "fn f(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> { c[i] = a[i] + b[i]; }";
const PRODUCT: &str = "fn f(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> { c[i] = a[i] * b[i]; }";
const DENSE: &str = "fn f(a: DenseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> { c[i] = a[i] * b[i]; }";

#[test]
fn loops_are_unrolled() {
    assert!(program(SPMV, "unroll(i, 4);").contains("for unroll(4) i in"));
    let reduction = program(SPMV, "unroll(j, 4);");
    assert!(reduction.contains("for unroll(4) pA in") && !reduction.contains("reduce"), "{reduction}");
    assert!(program(SPMV, "pos(j, p, A[i, j]); unroll(p, 3);").contains("for unroll(3) pA in"));
    // Not the sum over the entries, which the tile of columns would be.
    assert!(program(SPMM, "unroll(j, 2);").contains("for unroll(2) pA in"));
    assert!(!program(SPMV, "").contains("unroll"));
}

#[test]
fn an_unroll_that_does_nothing_is_said() {
    assert_eq!(
        warnings(SPMV, "unroll(i, 4); parallelize(i, CPUThread, NoRaces);"),
        [
            "`unroll(i, 4)` has no effect: threads share out the iterations; split the loop, and unroll the inner part"
        ]
    );
    assert_eq!(
        warnings(PRODUCT, "unroll(i, 4);"),
        [
            "`unroll(i, 4)` has no effect: the loop merges the stored coordinates of operands, one after another"
        ]
    );
    assert_eq!(
        warnings(DENSE, "unroll(i, 4); parallelize(i, CPUVector, NoRaces);"),
        ["`unroll(i, 4)` has no effect: the iterations run on `CPUVector`"]
    );
}

#[test]
fn galloping_is_of_intersections() {
    assert!(program(PRODUCT, "mergeby(i, Gallop);").contains("gallop("));
    assert!(!program(PRODUCT, "mergeby(i, TwoFinger);").contains("gallop("));
    let of_union = warnings(SUM, "mergeby(i, Gallop);");
    assert!(
        of_union.len() == 1
            && of_union[0].starts_with("`mergeby(i, Gallop)` has no effect: the loop has something to do"),
        "{of_union:?}"
    );
    assert_eq!(warnings(SUM, "mergeby(i, TwoFinger);"), [""; 0]);
    // Some of the loops that a mixture becomes are intersections.
    let mixed = "fn f(a: SparseVec<f64>, b: SparseVec<f64>, c: SparseVec<f64>) -> DenseVec<f64> { d[i] = a[i] * b[i] + c[i]; }";
    assert!(program(mixed, "mergeby(i, Gallop);").contains("gallop("));
}

#[test]
fn loops_on_vectors_are_vectors_or_said_not_to_be() {
    for (kernel, schedule) in [
        (SPMM, "parallelize(k, CPUVector, NoRaces);"),
        (SPMM, "reorder(k, j); parallelize(k, CPUVector, NoRaces);"),
        (SPMV, "parallelize(j, CPUVector, ParallelReduction);"),
        (DENSE, "parallelize(i, CPUVector, NoRaces);"),
        (DENSE, "split(i, i0, i1, 8); parallelize(i1, CPUVector, NoRaces);"),
    ] {
        assert_eq!(warnings(kernel, schedule), [""; 0], "{schedule}");
    }
    let inner = "fn f(A: DenseMat<f64>, D: DenseMat<f64>) -> DenseVec<f64> { y[i] = A[i, j] * D[j, k]; }";
    // Lanes of rows would search each row for every column.
    assert!(!compiled(SPMV, "parallelize(i, CPUVector, NoRaces);").program_text().contains("gallop("));
    assert_eq!(
        warnings(SPMV, "parallelize(i, CPUVector, NoRaces);"),
        [
            "`parallelize(i, CPUVector, NoRaces)` makes no vectors: lanes cannot take the loops and branches inside together, and iterations run one after another"
        ]
    );
    assert_eq!(
        warnings(inner, "parallelize(j, CPUVector, ParallelReduction);"),
        [
            "`parallelize(j, CPUVector, ParallelReduction)` makes no vectors: an iteration does more than to add one term to one sum, so that they run one after another"
        ]
    );
}

#[test]
fn a_bound_that_divides_takes_the_guard_away() {
    let spmv = "fn f(B: DenseMat<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = B[i, k] * x[k]; }";
    let guards = |schedule: &str| {
        let compiled = compiled(spmv, schedule);
        // In reverse order the variable is recovered from its parts.
        let said = compiled.notes.join("\n");
        assert_eq!(compiled.explain().contains("bounds and guards"), !said.is_empty());
        (compiled.program_text().contains("if k"), said)
    };
    let reversed = |bound: &str, k: &str, n: u32| {
        guards(&format!("{bound} split({k}, k0, k1, {n}); reorder(i, k1, k0);"))
    };
    let (guarded, said) = reversed("", "k", 8);
    assert!(guarded && said.contains("a guard keeps `k` inside its range"), "{said}");
    assert_eq!(reversed("bound(k, kb, 8, Divisible);", "kb", 8), (false, String::new()));
    assert_eq!(reversed("bound(k, kb, 8, Divisible);", "kb", 4), (false, String::new()));
    let (guarded, said) = reversed("bound(k, kb, 8, Divisible);", "kb", 3);
    assert!(guarded && said.contains("a guard keeps `kb` inside its range"), "{said}");
    let in_order = |bound: &str, k: &str, n: u32| guards(&format!("{bound} split({k}, k0, k1, {n});")).1;
    assert!(in_order("", "k", 8).contains("ends early"));
    assert_eq!(in_order("bound(k, kb, 8, Divisible);", "kb", 8), "");
    assert!(in_order("bound(k, kb, 8, Divisible);", "kb", 3).contains("ends early"));
}

#[test]
fn many_operands_are_merged_in_one_loop() {
    let names = |n: usize| (0..n).map(|k| format!("a{k}")).collect::<Vec<_>>();
    let text = |n: usize, operator: &str| {
        let params: Vec<_> = names(n).iter().map(|a| format!("{a}: SparseVec<f64>")).collect();
        let terms: Vec<_> = names(n).iter().map(|a| format!("{a}[i]")).collect();
        format!("fn f({}) -> DenseVec<f64> {{ y[i] = {}; }}", params.join(", "), terms.join(operator))
    };
    for schedule in ["mergeby(i, TwoFinger);", "mergeby(i, Gallop);"] {
        let product = program(&text(7, " * "), schedule);
        assert_eq!(product.matches("while ").count(), 1, "{product}");
    }
    // A sum has one loop as well; under a mask the others catch up by a loop each, or by searches.
    let sum = program(&text(7, " + "), "mergeby(i, TwoFinger);");
    assert_eq!(sum.matches("while ").count(), 1, "{sum}");
    let masked = text(7, " + ").replace("a0[i] + ", "a0[i] * (").replace("; }", "); }");
    for (schedule, loops) in [("mergeby(i, TwoFinger);", 7), ("mergeby(i, Gallop);", 1)] {
        let masked = program(&masked, schedule);
        assert_eq!(masked.matches("while ").count(), loops, "{masked}");
    }
    // A product of sums has cases for all sets of its operands.
    let product =
        text(7, " + ").replace("= a0", "= (a0").replace("a3[i] + ", "a3[i]) * (").replace("; }", "); }");
    let too_long = parse_str(&product).ok().map(|k| compile_kernel(k, &Options::default()));
    let refused = too_long.and_then(|c| c.err()).map(|d| d.to_string()).unwrap_or_default();
    assert!(refused.contains("729 cases are the most"), "{refused}");
}

#[test]
fn the_default_states_its_rule() {
    let kernel = parse_str(SPMM).unwrap_or_else(|f| panic!("{}", f.diagnostics));
    let explained = compile_kernel(kernel, &Options::default()).unwrap_or_else(|d| panic!("{d}")).explain();
    for said in [
        "one thread runs it if its operations are fewer than 2^17 (2^13 inside the pool right after another call, unless the result grows),",
        "registers\n  tiles of 128, 64, 32, 8, 4 elements along `k`, of which each processor takes those that its registers hold, over the loops over `j`",
    ] {
        assert!(explained.contains(said), "{explained}");
    }
}
