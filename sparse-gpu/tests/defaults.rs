//! Kernels that nobody scheduled: which point runs them, by what they are called with.

use sparse_core::driver::{Options, compile_gpu};
use sparse_core::front::parse_str;
use sparse_core::schedule::rule::Rule;
use sparse_gpu::launch::{Argument, Call, Variants};
use sparse_gpu::prelude::*;

const SPMM: &str = "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
const SPMV: &str = "fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
const SDDMM: &str = "fn sddmm(A: Csr<f32>, X: DenseMat<f32>, Y: DenseMat<f32>) -> Csr<f32> {
    C[i, j] = A[i, j] * X[i, k] * Y[j, k]; }";
const MTTKRP: &str = "fn mttkrp(A: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> {
    M[i, r] = A[i, k, l] * C[k, r] * D[l, r]; }";
const TTM: &str = "fn ttm(A: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Dense, Dense, Dense)> {
    Y[i, j, r] = A[i, j, k] * B[k, r]; }";
const TTV: &str = "fn ttv(A: Csf3<f32>, x: DenseVec<f32>) -> DenseMat<f32> { Y[i, j] = A[i, j, k] * x[k]; }";

fn variants(text: &str) -> Variants {
    Variants::new(
        compile_gpu(parse_str(text).unwrap(), &Options::default()).unwrap_or_else(|d| panic!("{d}")),
    )
}

/// Every point of the rule is there for the kernels that it is for.
#[test]
fn all_points_compile() {
    for text in [SPMM, SPMV, SDDMM, MTTKRP, TTM, TTV] {
        let variants = variants(text);
        let choice = variants.choice().expect("several");
        let all: Vec<_> = Rule::standard().of(choice.shape.kind).collect();
        // Lines after the first without conditions are for formats that its point is not for.
        let len = all.iter().position(|line| line.when.is_empty()).map_or(all.len(), |last| last + 1);
        let lines: Vec<String> = all[..len].iter().map(ToString::to_string).collect();
        assert_eq!(choice.rule(), lines, "{text}");
        assert_eq!(choice.points.len(), variants.kernels().len());
        for (point, kernel) in choice.points.iter().zip(variants.kernels()) {
            let (_, entry) = kernel.launches().next().expect("a launch");
            assert!(entry.name.ends_with(&point.identifier()));
            assert!(variants.source().contains(&format!(" {}(", entry.name)));
        }
    }
}

/// Where points are not for a kernel, what is shown is still what decides: the last line that is left has no conditions.
#[test]
fn the_rule_of_points_that_are_left() {
    let rules = [
        ("fn f(A: Csr<f32>) -> DenseVec<f32> { y[i] max= A[i, j]; }", 1, "plain: -> <1 row, 1 col>, 1"),
        (
            "fn f(A: Csc<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }",
            4,
            "columns: -> <16 nnz, 4 col>, 1, vector",
        ),
        // Four of these have no room in one access, two have.
        (
            "fn f(A: Csc<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }",
            3,
            "columns: -> <16 nnz, 2 col>, 1, vector",
        ),
        (
            "fn f(A: Csc<f32>, B: DenseMatColumnMajor<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }",
            4,
            "columns: -> <16 nnz, 4 col>, 1, vector",
        ),
    ];
    for (text, kernels, last) in rules {
        let variants = variants(text);
        let rule = variants.choice().unwrap().rule();
        assert_eq!(
            (variants.kernels().len(), rule.last().map(String::as_str)),
            (kernels, Some(last)),
            "{text}"
        );
        assert!(rule[..rule.len() - 1].iter().all(|line| !line.contains(": ->")), "{rule:?}");
    }
    let outer = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> Tensor<f32, (Dense, Dense, Dense)> {
        C[i, k, l] = A[i, j] * B[k, l]; }";
    let rule = variants(outer).choice().unwrap().rule();
    // All are for a result with more dense variables.
    let last = rule.last().map(String::as_str);
    assert_eq!((rule.len(), last), (11, Some("columns: -> <16 nnz, 4 col>, 1, vector")), "{rule:?}");
}

/// A matrix with so many entries in each row.
fn rows(lengths: impl IntoIterator<Item = usize>, columns: usize) -> Csr<f32> {
    let mut entries = vec![];
    let mut count = 0;
    for (i, n) in lengths.into_iter().enumerate() {
        entries.extend((0..n).map(|j| ([i, (j * 7 + i) % columns], ((i + j) % 5) as f32 - 1.5)));
        count = i + 1;
    }
    Csr::from_triplets([count, columns], entries).unwrap()
}

tensor_kernel! {
    fn product(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

/// The rule sees what the call has, and what it chooses is right: so is what it does not choose.
#[test]
fn the_statistics_of_a_call_decide() {
    let variants = variants(SPMM);
    let sim = Sim::new();
    let cases = [
        (rows([3; 2500], 101), 5, "<1/32 row, 4 col>, 32, scatter, vector"),
        (rows([30; 1700], 211), 8, "<1/32 row, 4 col>, 32, scatter, vector"),
        // The more elements the result has, the fewer threads share a row.
        (rows([30; 2100], 211), 33, "<1/4 row, 4 col>, 4, scatter, vector"),
        (rows([11; 2000], 1009), 90, "<1/4 row, 4 col>, 4, scatter, vector"),
        (rows([3; 2000], 101), 300, "<1 row, 4 col>, 1, vector"),
        (rows([90, 80, 100], 1009), 4, "<1/32 row, 4 col>, 32, scatter, vector"),
        (
            rows((0..3000).map(|i| if i % 3 == 0 { 9 } else { 0 }), 50),
            4,
            "<1/32 row, 4 col>, 32, scatter, vector",
        ),
        // One row that is long among short ones.
        (rows((0..2500).map(|i| if i == 77 { 900 } else { 3 }), 1009), 3, "<8 nnz, 2 col>, 1, vector"),
        (rows((0..2500).map(|i| if i == 77 { 900 } else { 8 }), 1009), 210, "<16 nnz, 4 col>, 1, vector"),
    ];
    for (a, columns, expected) in cases {
        let b = DenseMat::<f32>::random([a.dim(1), columns], 3);
        let host = product(&a, &b).unwrap();
        let (a, b) = (a.to(&sim).unwrap(), b.to(&sim).unwrap());
        let arguments = || vec![Argument::read(&a), Argument::read(&b)];
        let chosen = variants.choose(&arguments()).unwrap();
        let at = variants.kernels().iter().position(|k| std::ptr::eq(k, chosen)).unwrap();
        let points = &variants.choice().unwrap().points;
        assert_eq!(points[at].to_string(), expected, "{:?} x {columns}", a.lengths(1));
        for kernel in variants.kernels() {
            let c = Call::new(kernel, arguments(), vec![]).unwrap().result::<f32, (Dense, Dense)>().unwrap();
            assert!(c.to_host().unwrap().approx_eq(&host, 1e-4));
        }
        sim.clear_report();
        assert!(product(&a, &b).unwrap().to_host().unwrap().approx_eq(&host, 1e-4));
        let name = sim.report().launches[0].name.clone();
        assert!(name.ends_with(&points[at].identifier()), "{name}");
    }
}

/// Nothing to do is no reason to fail, whatever the statistics are.
#[test]
fn no_rows_no_entries_no_columns() {
    let sim = Sim::new();
    for (dims, columns) in [([0, 3], 2), ([3, 0], 2), ([3, 3], 0), ([3, 3], 1), ([0, 0], 0)] {
        let a = Csr::<f32>::from_triplets(dims, []).unwrap();
        let b = DenseMat::<f32>::random([dims[1], columns], 3);
        let c = product(&a.to(&sim).unwrap(), &b.to(&sim).unwrap()).unwrap().to_host().unwrap();
        assert_eq!((c.dims(), c.vals().iter().all(|v| *v == 0.0)), ([dims[0], columns], true));
    }
}

tensor_kernel! {
    fn sampled(A: Csr<f32>, X: DenseMat<f32>, Y: DenseMat<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * X[i, k] * Y[j, k];
    }
}

/// A result that shares its operand's levels shares what is known of them; nothing is fetched from the device.
#[test]
fn results_know_their_operands_rows() {
    let sim = Sim::new();
    let a = rows((0..60).map(|i| i % 4), 31);
    let [x, y] = [60, 31].map(|n| DenseMat::<f32>::random([n, 9], 1).to(&sim).unwrap());
    let c = sampled(&a.to(&sim).unwrap(), &x, &y).unwrap();
    assert_eq!(c.known_lengths().get().map(|known| known[1]), Some(a.lengths(1).unwrap()));
    assert!(
        c.to_host()
            .unwrap()
            .approx_eq(&sampled(&a, &x.to_host().unwrap(), &y.to_host().unwrap()).unwrap(), 1e-4)
    );
}

#[test]
fn the_items_beside_the_function_say_what_there_is() {
    let rule = Rule::standard();
    let points = sparse_gpu::launch::Variants::new(
        compile_gpu(parse_str(SPMM).unwrap(), &Options::default()).unwrap(),
    );
    let points = &points.choice().unwrap().points;
    assert_eq!(product::KERNELS.len(), points.len());
    for (kernel, point) in product::KERNELS.iter().zip(points) {
        assert_eq!(kernel.name, format!("product_{}", point.identifier()));
        assert!(product::CUDA_CIN.contains(&format!("\n{point}\n∀")));
    }
    assert!(product::CUDA_CIN.starts_with(&rule.lines()[0].to_string()));
    product::prepare(&Sim::new()).unwrap();
}
