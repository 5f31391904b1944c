//! `Deterministic`: the same bits in every run, whatever the order in which blocks and warps come.

use sparse_core::driver::{Options, compile_cuda};
use sparse_core::front::parse_str;
use sparse_core::llir::{BufferId, Step};
use sparse_core::scalar::Value;
use sparse_core::sim::{Arg, Limits, run_reporting, run_shuffled};
use sparse_core::tensor::{Csr, DenseMat, DenseVec, DynTensor, generate};
use sparse_gpu::sim::Report;
use sparse_gpu::tune::Model;
use tests::named::Data::Tensor;
use tests::named::agrees_on_gpu;

/// A tensor's dimensions and entries.
type Entries<const R: usize> = ([usize; R], Vec<([usize; R], f64)>);

fn tensor<const R: usize>(dims: [usize; R], stored: impl Fn([usize; R]) -> bool) -> Entries<R> {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(&dims, &mut |c| {
        let mut at = [0; R];
        at.copy_from_slice(c);
        if stored(at) {
            entries.push((at, (entries.len() % 7) as f64 - 2.0));
        }
    });
    (dims, entries)
}

fn full<const R: usize>(dims: [usize; R]) -> Entries<R> {
    tensor(dims, |_| true)
}

fn refs<const R: usize>(t: &Entries<R>) -> Vec<(&[usize], f64)> {
    t.1.iter().map(|(c, v)| (&c[..], *v)).collect()
}

/// Empty rows at both ends and between, rows that many groups and many warps have parts of, no entries.
fn matrices() -> Vec<Entries<2>> {
    vec![
        tensor([7, 9], |[i, j]| (i * 3 + j * 5) % 4 == 1),
        tensor([34, 11], |[i, j]| i % 3 == 1 && (i + j) % 4 == 0),
        tensor([6, 700], |[i, j]| i == 4 || (i > 4 && j % 9 == i)),
        tensor([2, 1500], |[i, _]| i == 1),
        tensor([70, 1], |[i, _]| i % 2 == 0),
        tensor([600, 5], |[i, _]| i == 400),
        tensor([6, 5], |_| false),
        tensor([300, 2], |_| false),
        tensor([0, 3], |_| true),
        tensor([3, 0], |_| true),
    ]
}

/// A block's positions, so many a lane, on groups.
fn on_groups(each: usize, r: usize, lanes: usize) -> String {
    let split = match each {
        1 => format!("split(p, block, lane, {lanes});"),
        n => format!("split(p, block, part, {}); split(part, lane, nnz, {n});", n * lanes),
    };
    format!(
        "fuse(i, j, f); pos(f, p, A[i, j]); {split} parallelize(block, GPUBlock, NoRaces); \
         parallelize(lane, GPUGroup({r}), Deterministic);"
    )
}

#[test]
fn spmv() {
    for format in ["Csr", "Dcsr", "Coo"] {
        for (each, r, lanes) in [(1, 2, 32), (1, 8, 64), (1, 32, 256), (3, 2, 32), (4, 8, 64), (8, 32, 32)] {
            // In place: what is there stays and is added to, rows without entries too.
            for (parameter, result, op) in [
                ("", " -> DenseVec<i64>", "="),
                (", y: &mut DenseVec<i64>", "", "="),
                (", y: &mut DenseVec<i64>", "", "+="),
            ] {
                let text = format!(
                    "fn kernel(A: {format}<i64>, x: DenseVec<i64>{parameter}){result} \
                     {{ y[i] {op} A[i, j] * x[j]; }} schedule cuda {{ {} }}",
                    on_groups(each, r, lanes)
                );
                for a in matrices() {
                    if format == "Coo" && each > 1 {
                        continue;
                    }
                    let (x, y) = (full([a.0[1]]), full([a.0[0]]));
                    let (a, x, y) = ((a.0, refs(&a)), (x.0, refs(&x)), (y.0, refs(&y)));
                    let mut data = vec![Tensor("A", &a.0, &a.1), Tensor("x", &x.0, &x.1)];
                    if !parameter.is_empty() {
                        data.push(Tensor("y", &y.0, &y.1));
                    }
                    agrees_on_gpu(&text, &data);
                }
            }
        }
    }
}

#[test]
fn spmm() {
    for (each, r, c) in [(1, 8, 4), (1, 32, 1), (4, 8, 4), (8, 4, 2)] {
        let split = match each {
            1 => "split(p, block, lane, 64);".to_owned(),
            n => format!("split(p, block, part, {}); split(part, lane, nnz, {n});", 64 * n),
        };
        let lanes = if each == 1 { "lane" } else { "lane, nnz" };
        for tiles in ["", "parallelize(ko, GPUBlock, NoRaces);"] {
            let text = format!(
                "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {{ C[i, k] = A[i, j] * B[j, k]; }} \
                 schedule cuda {{ fuse(i, j, f); pos(f, p, A[i, j]); {split} split(k, ko, ki, {c}); \
                 reorder(block, ko, {lanes}, ki); parallelize(block, GPUBlock, NoRaces); {tiles} \
                 parallelize(lane, GPUGroup({r}), Deterministic); }}"
            );
            for a in matrices() {
                for columns in [0, 1, 7, 20] {
                    let b = full([a.0[1], columns]);
                    agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
                }
            }
        }
    }
}

/// Rows that the result has in another place, with columns of several variables, and of blocks; operands without some entries.
#[test]
fn rows_without_entries() {
    let lanes = "parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(8), Deterministic);";
    let entries = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, t, 64);";
    let reordered = format!("reorder(i, j, k, l); {entries} reorder(b, t, k, l);");
    for a in matrices() {
        let agrees = |signature: &str, statement: &str, schedule: &str, operand: (&str, &[usize])| {
            let text =
                format!("fn kernel({signature} {{ {statement} }} schedule cuda {{ {schedule} {lanes} }}");
            let (name, dims) = operand;
            let mut stored = Vec::new();
            tests::oracle::for_each_point(dims, &mut |c| {
                if !signature.contains("Sparse") || c[0] % 3 == 0 {
                    stored.push((c.to_vec(), (stored.len() % 5) as f64 - 1.0));
                }
            });
            let stored: Vec<(&[usize], f64)> = stored.iter().map(|(c, v)| (&c[..], *v)).collect();
            agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a)), Tensor(name, dims, &stored)]);
        };
        let [rows, n] = a.0;
        let matrix = "A: Csr<i64>, B: DenseMat<i64>) -> DenseMat<i64>";
        agrees(matrix, "C[k, i] = A[i, j] * B[j, k];", entries, ("B", &[n, 5]));
        let tensor =
            "A: Csr<i64>, B: Tensor<i64, (Dense, Dense, Dense)>) -> Tensor<i64, (Dense, Dense, Dense)>";
        agrees(tensor, "C[i, k, l] = A[i, j] * B[j, k, l];", &reordered, ("B", &[n, 3, 3]));
        let vector = "A: Csr<i64>, x: SparseVec<i64>) -> DenseVec<i64>";
        agrees(vector, "y[i] = A[i, j] * x[j];", entries, ("x", &[n]));
        agrees(vector, "y[i] = A[i, j] * x[i];", entries, ("x", &[rows]));
    }
}

/// Does the program of SpMV fill its result, whose declaration in the signature is given, and with what?
fn filled(signature: &str, statement: &str) -> Option<Value> {
    let text =
        format!("fn kernel({signature} {{ {statement} }} schedule cuda {{ {} }}", on_groups(1, 32, 256));
    let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let result = |b: BufferId| program.program().buffer(b).name == "y_vals";
    program.program().steps.iter().find_map(|step| match *step {
        Step::Allocate { buffer, init, .. } if result(buffer) => init,
        Step::Fill { buffer, value } if result(buffer) => Some(value),
        _ => None,
    })
}

#[test]
fn what_rows_of_an_operand_tell_is_not_filled() {
    let spmv = "y[i] = A[i, j] * x[j];";
    let of = |format: &str| filled(&format!("A: {format}<f32>, x: DenseVec<f32>) -> DenseVec<f32>"), spmv);
    assert_eq!(of("Csr"), None);
    // Rows that are not all there.
    assert_eq!(of("Dcsr"), Some(Value::F32(0.0)));
    assert_eq!(of("Coo"), Some(Value::F32(0.0)));
    // In place too.
    let in_place = "A: Csr<f32>, x: DenseVec<f32>, y: &mut DenseVec<f32>)";
    assert_eq!(filled(in_place, spmv), None);
    assert_eq!(filled(in_place, "y[i] += A[i, j] * x[j];"), None);
}

/// How many blocks each launch of SpMV has.
fn blocks(a: &Entries<2>) -> Vec<u64> {
    let text = format!(
        "fn kernel(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {{ y[i] = A[i, j] * x[j]; }} \
         schedule cuda {{ {} }}",
        on_groups(1, 32, 256)
    );
    let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let sparse = Csr::<f32>::from_triplets(a.0, a.1.iter().map(|&(c, v)| (c, v as f32))).unwrap();
    let x = DenseVec::<f32>::random([a.0[1]], 1);
    let args = [Arg::Tensor(DynTensor::from(&sparse)), Arg::Tensor(DynTensor::from(&x))];
    let (_, launches) = run_reporting(&program, &args, Limits::default()).unwrap();
    launches.iter().map(|launch| launch.grid.iter().product()).collect()
}

#[test]
fn the_second_launch_has_a_thread_a_row() {
    assert_eq!(blocks(&tensor([600, 5], |_| false)), [0, 3]);
    assert_eq!(blocks(&tensor([600, 5], |[i, _]| i == 400)), [1, 3]);
    assert_eq!(blocks(&tensor([0, 3], |_| true)), [0, 0]);
    // Or a lane a slot.
    assert_eq!(blocks(&full([2, 8192])), [64, 4]);
}

#[test]
fn mttkrp() {
    for (split, lanes) in [("split(p, b, t, 64);", "t"), ("split(p, b, q, 256); split(q, t, n, 4);", "t, n")]
    {
        let text = format!(
            "fn kernel(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> \
             {{ A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }} schedule cuda {{ reorder(i, k, l, j); \
             fuse(i, k, f); fuse(f, l, g); pos(g, p, B[i, k, l]); {split} split(j, jo, ji, 4); \
             reorder(b, jo, {lanes}, ji); parallelize(b, GPUBlock, NoRaces); parallelize(jo, GPUBlock, NoRaces); \
             parallelize(t, GPUGroup(16), Deterministic); }}"
        );
        for b in [
            tensor([5, 6, 7], |[i, k, l]| (i + 2 * k + 3 * l) % 4 != 1),
            tensor([3, 20, 30], |[i, k, l]| i == 1 || (k + l) % 11 == i),
            tensor([5, 6, 7], |_| false),
        ] {
            for columns in [1, 7] {
                let (c, d) = (full([b.0[1], columns]), full([b.0[2], columns]));
                agrees_on_gpu(
                    &text,
                    &[
                        Tensor("B", &b.0, &refs(&b)),
                        Tensor("C", &c.0, &refs(&c)),
                        Tensor("D", &d.0, &refs(&d)),
                    ],
                );
            }
        }
    }
}

#[test]
fn monoids() {
    for (ty, fill, op, times) in [
        ("f64", "PosInf", "min=", "+"),
        ("f32", "NegInf", "max=", "+"),
        ("i32", "One", "*=", ""),
        ("bool", "Zero", "|=", "&"),
        ("bool", "One", "&=", ""),
        ("u8", "Zero", "|=", "&"),
    ] {
        for (each, r, lanes) in [(1, 16, 32), (4, 2, 64)] {
            // What is not stored leaves a product and a conjunction alone only where nothing is multiplied to it.
            let (x, factor) = match times {
                "" => (String::new(), String::new()),
                times => (format!(", x: DenseVec<{ty}>"), format!(" {times} x[j]")),
            };
            let text = format!(
                "fn kernel(A: Tensor<{ty}, Filled<(Dense, Compressed), {fill}>>{x}) -> DenseVec<{ty}> \
                 {{ y[i] {op} A[i, j]{factor}; }} schedule cuda {{ {} }}",
                on_groups(each, r, lanes)
            );
            for (dims, entries) in matrices() {
                let entries = entries.into_iter().map(|(c, v)| (c, if ty == "u8" { v.abs() } else { v }));
                let a: Entries<2> = (dims, entries.collect());
                let x: Entries<1> = ([dims[1]], (0..dims[1]).map(|j| ([j], (j % 3) as f64)).collect());
                let (a, x) = ((a.0, refs(&a)), (x.0, refs(&x)));
                let mut data = vec![Tensor("A", &a.0, &a.1)];
                if !times.is_empty() {
                    data.push(Tensor("x", &x.0, &x.1));
                }
                agrees_on_gpu(&text, &data);
            }
        }
    }
}

/// Floats of very different magnitudes, whose sums depend on their order.
fn rounded(t: &Entries<2>) -> Entries<2> {
    let value = |n: usize| if n.is_multiple_of(3) { 1e6 / 7.0 } else { 1.0 / (3 + n % 11) as f64 };
    (t.0, t.1.iter().enumerate().map(|(n, (c, _))| (*c, value(n))).collect())
}

/// The bits of SpMM under a schedule, blocks and warps in the order of each of so many seeds.
fn bits(on_lanes: &str, runs: u64) -> Vec<Vec<u32>> {
    let text = format!(
        "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{ C[i, k] = A[i, j] * B[j, k]; }} \
         schedule cuda {{ fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, part, 256); \
         split(part, lane, nnz, 4); split(k, ko, ki, 2); reorder(block, ko, lane, nnz, ki); \
         parallelize(block, GPUBlock, NoRaces); parallelize(lane, {on_lanes}); }}"
    );
    let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let (a, b) = (rounded(&tensor([40, 300], |[i, j]| i == 7 || (i + j) % 13 == 0)), full([300, 3]));
    let sparse = Csr::<f32>::from_triplets(a.0, a.1.iter().map(|&(c, v)| (c, v as f32))).unwrap();
    let dense = DenseMat::from_dense(b.0, b.1.iter().map(|(_, v)| *v as f32 + 0.1).collect()).unwrap();
    let args = [Arg::Tensor(DynTensor::from(&sparse)), Arg::Tensor(DynTensor::from(&dense))];
    let run = |seed| {
        let result = run_shuffled(&program, &args, Limits::default(), seed).unwrap();
        let bits = |v: Value| match v {
            Value::F32(v) => v.to_bits(),
            other => panic!("an f32, not {other}"),
        };
        result.to_dense_values().unwrap().into_iter().map(bits).collect()
    };
    (0..runs).map(run).collect()
}

#[test]
fn a_hundred_runs_have_the_same_bits() {
    let runs = bits("GPUGroup(8), Deterministic", 100);
    assert!(runs.iter().all(|run| *run == runs[0]));
    // What they are measured by: with atomic updates the order of the blocks shows.
    for on_lanes in ["GPUGroup(8), Segment", "GPUThread, Atomics"] {
        let mut runs = bits(on_lanes, 10);
        runs.sort_unstable();
        runs.dedup();
        assert!(runs.len() > 1, "{on_lanes}: the runs were all in one order");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |kernel: &str, schedule: &str| {
        let text = format!("{kernel} schedule cuda {{ {schedule} parallelize(b, GPUBlock, NoRaces); }}");
        let d = compile_cuda(parse_str(&text).unwrap(), &Options::default()).err();
        d.map(|d| d.iter().map(|d| d.code).collect::<Vec<_>>()).unwrap_or_default()
    };
    let spmv = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
    let entries = "fuse(i, j, f); pos(f, p, A[i, j]);";
    let group = "parallelize(t, GPUGroup(8), Deterministic);";
    assert!(refused(spmv, &format!("{entries} split(p, b, t, 64); {group}")).is_empty());
    // Columns come in any order.
    let transposed = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[j] = A[i, j] * x[i]; }";
    assert_eq!(refused(transposed, &format!("{entries} split(p, b, t, 64); {group}")), ["unsorted-segment"]);
    // All groups have parts of one element.
    let sum = "fn f(A: Csr<f32>) -> Scalar<f32> { s = A[i, j]; }";
    assert_eq!(refused(sum, &format!("{entries} split(p, b, t, 64); {group}")), ["not-deterministic"]);
    // A sum around the columns comes by each of them again.
    let blocks = "fn kernel(A: Tensor<f32, (Dense, Compressed, Dense)>, B: DenseMat<f32>) -> DenseMat<f32> \
         { y[i, l] = A[i, j, k] * B[j, l]; }";
    let positions = "fuse(i, j, f); pos(f, p, A[i, j, k]); split(p, b, t, 64);";
    assert_eq!(refused(blocks, &format!("{positions} {group}")), ["not-deterministic"]);
    assert!(refused(blocks, &format!("reorder(l, k); {positions} {group}")).is_empty());
    // Groups that have not as many positions each; blocks of which some may have none.
    assert_eq!(
        refused(spmv, &format!("{entries} split(p, b, q, 46); split(q, t, n, 3); {group}")),
        ["not-deterministic"]
    );
    assert_eq!(
        refused(spmv, &format!("{entries} divide(p, b, q, 4); split(q, c, t, 64); {group}")),
        ["not-deterministic"]
    );
    // No group.
    let thread = "parallelize(t, GPUThread, Deterministic);";
    assert_eq!(refused(spmv, &format!("{entries} split(p, b, t, 64); {thread}")), ["wrong-strategy"]);
    // No positions.
    assert_eq!(refused(spmv, &format!("split(i, b, t, 64); {group}")), ["unsorted-segment"]);
}

/// What the model of a GPU predicts of SpMV on a matrix that keeps a GPU busy, in seconds.
fn predicted(strategy: &str, each: usize, r: usize) -> f64 {
    let split = match each {
        1 => "split(p, block, lane, 256);".to_owned(),
        n => format!("split(p, block, part, {}); split(part, lane, nnz, {n});", 256 * n),
    };
    let text = format!(
        "fn kernel(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {{ y[i] = A[i, j] * x[j]; }} \
         schedule cuda {{ fuse(i, j, f); pos(f, p, A[i, j]); {split} parallelize(block, GPUBlock, NoRaces); \
         parallelize(lane, GPUGroup({r}), {strategy}); }}"
    );
    let program = compile_cuda(parse_str(&text).unwrap(), &Options::default()).unwrap().program;
    let a = Csr::<f32>::from_coordinates(generate::rmat(16, 8, 1).unwrap()).unwrap();
    let size = a.dims()[1];
    let x = DenseVec::<f32>::random([size], 2);
    let args = [Arg::Tensor(DynTensor::from(&a)), Arg::Tensor(DynTensor::from(&x))];
    let (_, launches) = run_reporting(&program, &args, Limits::default()).unwrap();
    let is_filled = |step: &Step| matches!(step, Step::Allocate { init: Some(_), .. });
    let fills =
        program.program().steps.iter().filter(|step| is_filled(step)).map(|_| 4 * size as u64).collect();
    Model::h200().predict_all(&Report { launches, fills }).0.as_secs_f64()
}

/// A prediction, no measurement. `bench gpu --device sim` has more of them.
#[test]
fn it_costs_at_most_1_3_times_what_atomics_cost() {
    for (each, r) in [(1, 32), (8, 8)] {
        let [atomic, same] = ["Segment", "Deterministic"].map(|s| predicted(s, each, r));
        println!("{each} a lane, groups of {r}: {:.2} times atomics, predicted", same / atomic);
        assert!(same <= 1.3 * atomic, "{each} a lane, groups of {r}: {same} s, {atomic} s");
    }
}
