//! The cost model's counts against the simulator's, and its order of points against the order of predictions.

use crate::sim::{Report, Sim};
use crate::tune::cost::estimate;
use crate::tune::profile::Profile;
use crate::tune::tunable::Parsed;
use crate::tune::{Arguments, Choice, Figure, Model};
use sparse_core::format::{Compressed, Format};
use sparse_core::scalar::Element;
use sparse_core::tensor::{Coordinates, Csf3, Csr, DenseMat, DenseVec, Tensor, generate};

fn on<T: Element, F: Format>(sim: &Sim, tensor: &Tensor<T, F>) -> Tensor<T, F, Sim> {
    tensor.to(sim).unwrap()
}

/// What the simulator counts, and what arithmetic expects, of each point.
fn both(text: &str, points: &[&str], arguments: &Arguments<'_, Sim>) -> Vec<(String, Report, Report)> {
    let kernel = Parsed::of(text).unwrap();
    let profile = Profile::of(&kernel, arguments).unwrap().unwrap();
    let run = |point: &&str| {
        let point = point.parse().unwrap();
        let compiled = kernel.compile(&Choice::Point(point)).unwrap_or_else(|e| panic!("{point}: {e}"));
        let (result, report) =
            arguments.device().unwrap().apart(|| arguments.call(&compiled, None, &mut None)?.made());
        assert!(result.is_ok());
        (point.to_string(), report, estimate(&profile, &point))
    };
    points.iter().map(run).collect()
}

const SPMM: &str = "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
const SPMM_POINTS: [&str; 27] = [
    "<1 row, 4 col>, 1",
    "<2 row, 1 col>, 1",
    "<1/4 row, 4 col>, 4",
    "<1/8 row, 2 col>, 8",
    "<1/32 row, 4 col>, 32",
    "<1/8 row, 4 col>, 8, scatter",
    "<1/32 row, 4 col>, 32, scatter",
    "<1/2 row, 4 col>, 2, scatter",
    "<1/8 row, 2 col>, 8, rows = 2",
    "<1/32 row, 1 col>, 8",
    "<1 nnz, 4 col>, 8",
    "<1 nnz, 2 col>, 32",
    "<1 nnz, 1 col>, 1",
    "<8 nnz, 4 col>, 8",
    "<4 nnz, 1 col>, 1",
    "<32 nnz, 4 col>, 1",
    "<1 row, 1 col>, 1, shared = 64",
    "<2 row, 1 col>, 1, threads = 128, shared = 16",
    "<1 row, 2 col>, 1, vector, shared = 64",
    "<4 row, 4 col>, 1, vector, shared = 64",
    "<1 row, 4 col>, 1, vector",
    "<1/4 row, 4 col>, 4, vector",
    "<1/8 row, 2 col>, 8, vector",
    "<1/8 row, 4 col>, 8, scatter, vector",
    "<1 nnz, 4 col>, 8, vector",
    "<8 nnz, 4 col>, 8, vector",
    "<32 nnz, 4 col>, 1, vector",
];

/// Are they within a factor? What is few may be off by some more.
fn is_close(counted: u64, expected: u64, factor: f64) -> bool {
    let (a, b) = (counted as f64 + 50.0, expected as f64 + 50.0);
    a <= b * factor && b <= a * factor
}

/// Compares every count, and then how far both order the points alike.
#[track_caller]
fn compare(text: &str, points: &[&str], arguments: &Arguments<'_, Sim>) -> f64 {
    let model = Model::h200();
    let (mut times, mut wrong) = (vec![], vec![]);
    for (point, counted, expected) in both(text, points, arguments) {
        if counted.fills != expected.fills {
            wrong.push(format!("{point}: fills {:?}, expected {:?}", counted.fills, expected.fills));
        }
        let (c, e) = (&counted.launches[0], &expected.launches[0]);
        for (what, counted, expected, factor) in [
            ("warps", c.warps, e.warps, 1.3),
            ("instructions", c.counts.instructions, e.counts.instructions, 2.0),
            ("the longest warp", c.longest_warp.instructions, e.longest_warp.instructions, 2.5),
            ("shuffles", c.counts.shuffles, e.counts.shuffles, 2.0),
            ("loads", c.counts.loads, e.counts.loads, 2.0),
            ("sectors read", c.sectors_read, e.sectors_read, 2.5),
            ("sectors once a block", c.block_read, e.block_read, 2.5),
            ("least read", c.least_read, e.least_read, 2.0),
            ("sectors written", c.sectors_written, e.sectors_written, 3.0),
            ("atomic updates", c.counts.atomics, e.counts.atomics, 3.0),
        ] {
            if !is_close(counted, expected, factor) {
                wrong.push(format!("{point}: {what} {counted}, expected {expected}"));
            }
        }
        let time = |r: &Report| (model.predict_all(r).time() - model.launch).as_secs_f64();
        times.push((time(&counted), time(&expected)));
    }
    assert!(wrong.is_empty(), "{text}\n{}", wrong.join("\n"));
    let agreement = spearman(&times);
    println!("{agreement:.3} {text}");
    agreement
}

/// How far two orders agree: 1 is all the way.
fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let rank = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
        pairs.iter().map(|p| pairs.iter().filter(|q| of(q) < of(p)).count() as f64).collect()
    };
    let (a, b) = (rank(&|p| p.0), rank(&|p| p.1));
    let n = pairs.len() as f64;
    let d: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    1.0 - 6.0 * d / (n * (n * n - 1.0))
}

#[test]
fn spmm_costs_what_the_simulator_counts() {
    let sim = Sim::new();
    for (coordinates, columns) in [
        (generate::uniform(1500, 900, 5.0, 1).unwrap(), 4),
        (generate::uniform(60, 2000, 90.0, 2).unwrap(), 4),
        (generate::rmat(9, 8, 3).unwrap(), 8),
        (generate::stencil_2d(30, 30).unwrap(), 16),
    ] {
        let a = on(&sim, &Csr::<f32>::from_coordinates(coordinates).unwrap());
        let b = on(&sim, &DenseMat::<f32>::random([a.dim(1), columns], 1));
        let arguments = Arguments::new().tensor(&a).tensor(&b);
        let agreement = compare(SPMM, &SPMM_POINTS, &arguments);
        assert!(agreement > 0.8, "{agreement}");
    }
}

/// The number of columns does not divide: the code without vectors runs.
#[test]
fn vectors_that_do_not_divide_are_none() {
    let sim = Sim::new();
    let a = on(&sim, &Csr::<f32>::from_coordinates(generate::uniform(300, 200, 9.0, 1).unwrap()).unwrap());
    let b = on(&sim, &DenseMat::<f32>::random([200, 6], 1));
    let arguments = Arguments::new().tensor(&a).tensor(&b);
    let [with, without] = ["<1 row, 4 col>, 1, vector", "<1 row, 4 col>, 1"].map(|point| {
        let (_, counted, expected) = both(SPMM, &[point], &arguments).remove(0);
        (counted.launches[0].counts.loads, expected.launches[0].counts)
    });
    assert_eq!(with, without);
}

const SPMV: &str = "fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
const SPMV_POINTS: [&str; 13] = [
    "<1 row, 1 col>, 1",
    "<2 row, 1 col>, 1",
    "<1/2 row, 1 col>, 2",
    "<1/4 row, 1 col>, 4",
    "<1/8 row, 1 col>, 8",
    "<1/32 row, 1 col>, 32",
    "<1/8 row, 1 col>, 8, rows = 2",
    "<1 nnz, 1 col>, 8",
    "<1 nnz, 1 col>, 32",
    "<8 nnz, 1 col>, 8",
    "<4 nnz, 1 col>, 4",
    "<32 nnz, 1 col>, 1",
    "<1 row, 1 col>, 1, shared = 64",
];

#[test]
fn spmv_costs_what_the_simulator_counts() {
    let sim = Sim::new();
    for coordinates in [
        generate::uniform(400, 300, 12.0, 1).unwrap(),
        generate::uniform(60, 2000, 90.0, 2).unwrap(),
        generate::rmat(9, 8, 3).unwrap(),
    ] {
        let a = on(&sim, &Csr::<f32>::from_coordinates(coordinates).unwrap());
        let x = on(&sim, &DenseVec::<f32>::random([a.dim(1)], 2));
        let agreement = compare(SPMV, &SPMV_POINTS, &Arguments::new().tensor(&a).tensor(&x));
        assert!(agreement > 0.85, "{agreement}");
    }
}

const SDDMM: &str = "fn sddmm(A: Csr<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> Csr<f32> \
                     { D[i, j] = A[i, j] * B[i, k] * C[j, k]; }";
const SDDMM_POINTS: [&str; 11] = [
    "<1 nnz, 1 col>, 1",
    "<1 nnz, 1 col>, 4",
    "<1 nnz, 1 col>, 8",
    "<1 nnz, 1 col>, 32",
    "<2 nnz, 1 col>, 16",
    "<1 nnz, 2 col>, 8",
    "<1 nnz, 4 col>, 4",
    "<8 nnz, 4 col>, 8",
    "<1 nnz, 4 col>, 4, vector",
    "<1 nnz, 2 col>, 8, vector",
    "<1 nnz, 4 col>, 1, vector",
];

#[test]
fn sddmm_costs_what_the_simulator_counts() {
    let sim = Sim::new();
    for (coordinates, columns) in
        [(generate::uniform(400, 300, 12.0, 1).unwrap(), 16), (generate::rmat(8, 8, 3).unwrap(), 64)]
    {
        let a = on(&sim, &Csr::<f32>::from_coordinates(coordinates).unwrap());
        let b = on(&sim, &DenseMat::<f32>::random([a.dim(0), columns], 1));
        let c = on(&sim, &DenseMat::<f32>::random([a.dim(1), columns], 2));
        let agreement = compare(SDDMM, &SDDMM_POINTS, &Arguments::new().tensor(&a).tensor(&b).tensor(&c));
        assert!(agreement > 0.85, "{agreement}");
    }
}

/// Sixty slices of fibers of at most twenty entries, and as many of a power law.
fn tensors(sim: &Sim) -> [Tensor<f32, (Compressed, Compressed, Compressed), Sim>; 2] {
    let fold = |entries: Coordinates<f32>, rows: usize| {
        let matrix = Csr::<f32>::from_coordinates(entries).unwrap();
        let folded = matrix.iter().map(|([i, j], v)| ([i, j / 20, j % 20], v));
        on(sim, &Csf3::<f32>::from_triplets([rows, 20, 20], folded).unwrap())
    };
    [fold(generate::uniform(60, 400, 25.0, 3).unwrap(), 60), fold(generate::rmat(8, 8, 3).unwrap(), 256)]
}
const TENSOR_POINTS: [&str; 12] = [
    "<1 row, 4 col>, 1",
    "<1/2 row, 4 col>, 2",
    "<1/4 row, 4 col>, 4",
    "<1/8 row, 2 col>, 8",
    "<1 nnz, 4 col>, 8",
    "<1 nnz, 2 col>, 32",
    "<4 nnz, 1 col>, 4",
    "<8 nnz, 4 col>, 8",
    "<32 nnz, 4 col>, 1",
    "<1 row, 4 col>, 1, vector",
    "<1/4 row, 4 col>, 4, vector",
    "<8 nnz, 4 col>, 8, vector",
];

/// The legal ones of some points.
fn legal<'p>(text: &str, points: &[&'p str]) -> Vec<&'p str> {
    let kernel = Parsed::of(text).unwrap();
    let compiles = |point: &&&str| kernel.compile(&Choice::Point(point.parse().unwrap())).is_ok();
    let legal: Vec<&str> = points.iter().filter(compiles).copied().collect();
    legal
}

#[test]
fn mttkrp_costs_what_the_simulator_counts() {
    const MTTKRP: &str = "fn mttkrp(A: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> \
                          { M[i, l] = A[i, j, k] * C[j, l] * D[k, l]; }";
    let sim = Sim::new();
    let points = legal(MTTKRP, &TENSOR_POINTS);
    assert!(points.len() >= 5, "{points:?}");
    for t in tensors(&sim) {
        let [d, e] = [20, 20].map(|n| on(&sim, &DenseMat::<f32>::random([n, 8], 1)));
        let agreement = compare(MTTKRP, &points, &Arguments::new().tensor(&t).tensor(&d).tensor(&e));
        assert!(agreement > 0.85, "{agreement}");
    }
}

#[test]
fn ttm_costs_what_the_simulator_counts() {
    const TTM: &str = "fn ttm(A: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Dense, Dense, Dense)> \
                       { Y[i, j, r] = A[i, j, k] * B[k, r]; }";
    let sim = Sim::new();
    // Of all fibers, and of those that are stored.
    for text in [TTM, &TTM.replace("(Dense, Dense, Dense)", "(Compressed, Compressed, Dense)")] {
        let points = legal(text, &TENSOR_POINTS);
        assert!(points.len() >= 5, "{points:?}");
        for t in tensors(&sim) {
            let b = on(&sim, &DenseMat::<f32>::random([20, 8], 1));
            let agreement = compare(text, &points, &Arguments::new().tensor(&t).tensor(&b));
            assert!(agreement > 0.85, "{text}: {agreement}");
        }
    }
}

#[test]
fn ttv_costs_what_the_simulator_counts() {
    const TTV: &str =
        "fn ttv(A: Csf3<f32>, x: DenseVec<f32>) -> DenseMat<f32> { Y[i, j] = A[i, j, k] * x[k]; }";
    let sim = Sim::new();
    let points = legal(TTV, &SPMV_POINTS);
    assert!(points.len() >= 5, "{points:?}");
    for t in tensors(&sim) {
        let x = on(&sim, &DenseVec::<f32>::random([20], 1));
        let agreement = compare(TTV, &points, &Arguments::new().tensor(&t).tensor(&x));
        assert!(agreement > 0.85, "{agreement}");
    }
}

/// As many of the first points by arithmetic as get a time have the one that is the best by the simulator's counts, or one
/// nearly as good.
#[test]
fn the_first_by_arithmetic_are_the_first_by_simulation() {
    let sim = Sim::new();
    let kernel = Parsed::of(SPMM).unwrap();
    for (name, coordinates, columns) in [
        ("short rows", generate::uniform(3000, 900, 4.0, 1).unwrap(), 4),
        ("long rows", generate::uniform(40, 2000, 120.0, 2).unwrap(), 4),
        ("a power law", generate::rmat(8, 8, 3).unwrap(), 4),
        ("a mesh", generate::stencil_2d(24, 24).unwrap(), 16),
    ] {
        let a = on(&sim, &Csr::<f32>::from_coordinates(coordinates).unwrap());
        let b = on(&sim, &DenseMat::<f32>::random([a.dim(1), columns], 1));
        let arguments = Arguments::new().tensor(&a).tensor(&b);
        let points: Vec<String> = kernel.points().iter().map(|p| format!("{p}, threads = 128")).collect();
        // One in four: they are many.
        let points: Vec<&str> = points.iter().step_by(4).map(String::as_str).collect();
        let model = Model::h200();
        let time = |r: &Report| (model.predict_all(r).time() - model.launch).as_secs_f64();
        let mut times: Vec<(f64, f64)> =
            both(SPMM, &points, &arguments).iter().map(|(_, c, e)| (time(c), time(e))).collect();
        let agreement = spearman(&times);
        let best = times.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        let first = times.iter().take(8).map(|t| t.0).fold(f64::INFINITY, f64::min);
        println!("{name}: {agreement:.3} {:.3}", first / best);
        assert!(agreement > 0.85, "{name}: the orders agree to {agreement:.2} only");
        assert!(
            first < 1.15 * best,
            "{name}: the best of the first eight takes {:.2} times the best",
            first / best
        );
    }
}
