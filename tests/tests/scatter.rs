//! Reduce-scatter on the simulator: lanes that share a row's columns write one each.

use sparse_core::driver::{Options, compile_cuda};
use sparse_core::format::{FormatSpec, Level};
use sparse_core::front::parse_str;
use sparse_core::scalar::{DType, Value};
use sparse_core::sim::{Arg, Limits, run_reporting};
use sparse_core::tensor::DynTensor;
use tests::named::Data::{Scalar, Tensor};
use tests::named::agrees_on_gpu;

type Entries = Vec<(Vec<usize>, f64)>;

/// Entries at about one place in two, with empty rows and a full one.
fn sparse(dims: &[usize]) -> Entries {
    let mut entries = Entries::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        let mixed: usize = c.iter().enumerate().map(|(d, x)| (d + 3) * x).sum();
        if c[0] % 5 != 1 && (c[0] == 2 || mixed % 2 == 1) {
            entries.push((c.to_vec(), (mixed % 7) as f64 - 2.0));
        }
    });
    entries
}

fn dense(dims: &[usize]) -> Entries {
    let mut entries = Entries::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        entries.push((c.to_vec(), (entries.len() % 5) as f64 - 1.0));
    });
    entries
}

/// A kernel on `A` and dense operands.
#[track_caller]
fn agrees(text: &str, operands: &[(&str, &[usize])]) {
    let data: Vec<_> = operands
        .iter()
        .map(|(name, dims)| (*name, *dims, if *name == "A" { sparse(dims) } else { dense(dims) }))
        .collect();
    let refs: Vec<Vec<(&[usize], f64)>> =
        data.iter().map(|(_, _, entries)| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors = data.iter().zip(&refs).map(|((name, dims, _), entries)| match dims {
        [] => Scalar(name, 2.0),
        dims => Tensor(name, dims, entries),
    });
    agrees_on_gpu(text, &tensors.collect::<Vec<_>>());
}

fn spmm(c: u32, g: u32, r: u32) -> String {
    format!(
        "schedule cuda {{ split(k, ko, ki, {c}); split(i, block, warp, 2); pos(j, p, A[i, j]); split(p, step, lane, {g}); \
         reorder(block, ko, warp, lane, step, ki); parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
         parallelize(warp, GPUWarp, NoRaces); parallelize(lane, GPUGroup({r}), ReduceScatter); }}"
    )
}

/// More columns than lanes, as many, fewer; groups that share a row; a tail of columns.
#[test]
fn columns_and_lanes_of_all_numbers() {
    let kernel = "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }";
    for (c, g, r) in [(2, 2, 2), (4, 8, 8), (4, 32, 8), (8, 2, 2), (16, 4, 4), (32, 32, 32), (32, 8, 4)] {
        for n in [1, 4, 7, 33] {
            agrees(&format!("{kernel} {}", spmm(c, g, r)), &[("A", &[9, 40]), ("B", &[40, n])]);
        }
    }
}

#[test]
fn other_semirings_and_outputs_in_place() {
    let operands: [(&str, &[usize]); 3] = [("A", &[9, 20]), ("B", &[20, 7]), ("C", &[9, 7])];
    for (a, update) in [
        ("Csr<f64>", "+="),
        ("Tensor<f64, Filled<(Dense, Compressed), PosInf>>", "min="),
        ("Tensor<f64, Filled<(Dense, Compressed), NegInf>>", "max="),
    ] {
        let times = if update == "+=" { "*" } else { "+" };
        let text = format!(
            "fn kernel(A: {a}, B: DenseMat<f64>, C: &mut DenseMat<f64>) {{ C[i, k] {update} A[i, j] {times} B[j, k]; }} {}",
            spmm(4, 8, 8)
        );
        agrees(&text, &operands);
    }
}

/// Columns of two variables, and a promised number of columns.
#[test]
fn columns_of_several_loops() {
    let text = "fn kernel(A: Csr<f64>, B: Tensor<f64, (Dense, Dense, Dense)>) -> Tensor<f64, (Dense, Dense, Dense)> { \
                C[i, k, l] = A[i, j] * B[j, k, l]; } schedule cuda { split(k, ko, ki, 2); bound(l, lb, 4, MaxExact); \
                pos(j, p, A[i, j]); split(p, step, lane, 8); reorder(i, ko, lane, step, ki, lb); \
                parallelize(i, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
                parallelize(lane, GPUGroup(8), ReduceScatter); }";
    agrees(text, &[("A", &[9, 20]), ("B", &[20, 5, 4])]);
    let more = text.replace("lane, 8)", "lane, 2)").replace("GPUGroup(8)", "GPUGroup(2)");
    agrees(&more, &[("A", &[9, 20]), ("B", &[20, 5, 4])]);
}

/// Lanes share a dense sum of every entry, and several entries a row: updates are atomic.
#[test]
fn columns_of_every_entry() {
    let text = "fn kernel(A: Csr<f64>, B: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> { \
                C[i, k] = A[i, j] * B[j, l] * D[l, k]; } schedule cuda { split(k, ko, ki, 4); fuse(i, j, f); \
                pos(f, p, A[i, j]); split(p, block, own, 6); split(l, step, lane, 8); \
                reorder(ko, block, own, lane, step, ki); parallelize(block, GPUBlock, Atomics); \
                parallelize(ko, GPUBlock, NoRaces); parallelize(lane, GPUGroup(8), ReduceScatter); }";
    agrees(text, &[("A", &[9, 20]), ("B", &[20, 11]), ("D", &[11, 6])]);
}

/// A row's lanes exchange values six times in place of four trees of five steps, and their writes are one instruction.
#[test]
fn what_is_saved() {
    let kernel = "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }";
    let tensor = |below: Level, dims: &[usize], entries: &Entries| {
        let entries: Vec<_> = entries.iter().map(|(c, v)| (c.clone(), Value::F64(*v))).collect();
        let spec = FormatSpec::new(vec![Level::Dense, below]);
        Arg::Tensor(DynTensor::from_entries(spec, DType::F64, dims.to_vec(), &entries, true).unwrap())
    };
    let args = [
        tensor(Level::Compressed { unique: true }, &[8, 40], &sparse(&[8, 40])),
        tensor(Level::Dense, &[40, 4], &dense(&[40, 4])),
    ];
    let shuffles = |schedule: &str| {
        let kernel =
            parse_str(&format!("{kernel} {schedule}")).map_err(|f| f.diagnostics.to_string()).unwrap();
        let program = compile_cuda(kernel, &Options::default()).unwrap().program;
        run_reporting(&program, &args, Limits::default()).unwrap().1[0].counts.shuffles
    };
    let scatter = spmm(4, 32, 32);
    let trees = scatter.replace("ReduceScatter", "ParallelReduction");
    assert_eq!([shuffles(&trees), shuffles(&scatter)], [8 * 20, 8 * 6]);
}
