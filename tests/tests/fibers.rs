//! Results that have an operand's first levels: its arrays, and an element for each position of theirs, or a dense block.

use sparse_core::driver::{Options, compile_gpu, compile_kernel};
use sparse_core::format::LevelArrays;
use sparse_core::front::parse_str;
use sparse_core::llir::{Program, Role, Space, Step};
use sparse_core::scalar::{DType, Value};
use sparse_core::sim::{Arg, Limits, run, run_reporting};
use sparse_core::tensor::{Csf3, DenseMat, DenseVec, DynTensor};
use tests::named::Data::Tensor;
use tests::named::{agrees, agrees_on_gpu};

const TTV: &str = "fn f(X: Csf3<f32>, v: DenseVec<f32>) -> Dcsr<f32> { Y[i, j] = X[i, j, k] * v[k]; }";
const TTM: &str = "fn f(X: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Compressed, Compressed, Dense)> { \
                   Y[i, j, r] = X[i, j, k] * B[k, r]; }";

/// How many levels of its first parameter the result shares, if any.
fn shared(text: &str) -> Option<usize> {
    let shares = |program: &Program| match program.output().1.role {
        Role::ResultLike(_, levels) => Some(levels),
        _ => None,
    };
    let kernel = parse_str(text).map_err(|f| f.diagnostics.to_string()).unwrap();
    let compiled = compile_kernel(kernel, &Options::default()).unwrap_or_else(|d| panic!("{d}\n{text}"));
    shares(compiled.program.program())
}

/// Entries with small values at some coordinates of these dimensions.
fn some(dims: &[usize], stored: impl Fn(usize) -> bool) -> Vec<(Vec<usize>, f64)> {
    let (mut entries, mut number) = (Vec::new(), 0);
    tests::oracle::for_each_point(dims, &mut |c| {
        number += 1;
        if stored(number) {
            entries.push((c.to_vec(), (number % 7) as f64 - 2.0));
        }
    });
    entries
}

fn refs(entries: &[(Vec<usize>, f64)]) -> Vec<(&[usize], f64)> {
    entries.iter().map(|(c, v)| (&c[..], *v)).collect()
}

#[test]
fn levels_are_shared_down_to_what_is_reduced() {
    let is = |params: &str, result: &str, statement: &str| {
        shared(&format!("fn f({params}) -> {result} {{ {statement}; }}"))
    };
    let (x, v) = ("X: Csf3<f64>", "v: DenseVec<f64>");
    let xv = &format!("{x}, {v}");
    assert_eq!((shared(TTV), shared(TTM)), (Some(2), Some(2)));
    assert_eq!(is("A: Dcsr<f64>, v: DenseVec<f64>", "SparseVec<f64>", "y[i] = A[i, j] * v[j]"), Some(1));
    assert_eq!(is(x, "SparseVec<f64>", "y[i] = X[i, j, k]"), Some(1));
    assert_eq!(is(x, "Dcsr<f64>", "Y[i, j] = max(X[i, j, k], 0)"), Some(2));
    assert_eq!(is(xv, "Dcsr<f64>", "Y[i, j] = v[j] * X[i, j, k] + X[i, j, k] * v[k]"), Some(2));
    assert_eq!(is(xv, "Dcsr<f64>", "Y[i, j] = min(X[i, j, k] * v[k], X[i, j, k])"), Some(2));
    let rows = "X: Tensor<f64, (Dense, Compressed, Compressed)>, B: DenseMat<f64>";
    assert_eq!(is(rows, "Csr<f64>", "Y[i, j] = X[i, j, k] * B[k, i]"), Some(2));
    let blocks = "Tensor<f64, (Dense, Compressed, Dense)>";
    assert_eq!(is(rows, blocks, "Y[i, j, r] = X[i, j, k] * B[k, r]"), Some(2));
    assert_eq!(is("A: Csr<f64>, v: DenseVec<f64>", blocks, "Y[i, j, r] = A[i, j] * v[r]"), Some(2));
    // By levels, whatever the order of the dimensions.
    assert_eq!(
        is(
            "X: Tensor<f64, Reordered<(Compressed, Compressed, Dense), 2, 0, 1>>",
            "Dcsr<f64>",
            "Y[k, i] = X[i, j, k]"
        ),
        Some(2)
    );
    assert_eq!(is("A: Csr<f64>", "Csc<f64>", "Y[j, i] = 2.0 * A[i, j]"), Some(2));
    // No fiber for a position, not all of the operand's fibers, or none of its own.
    assert_eq!(is("A: Csr<f64>, v: DenseVec<f64>", "SparseVec<f64>", "y[i] = A[i, j] * v[j]"), None);
    assert_eq!(
        is("A: Coo<f64>, v: DenseVec<f64>", "Tensor<f64, (Compressed<NonUnique>,)>", "y[i] = A[i, j] * v[j]"),
        None
    );
    assert_eq!(is("X: Csf3<f64>, Z: Csf3<f64>", "Dcsr<f64>", "Y[i, j] = X[i, j, k] * Z[i, j, k]"), None);
    assert_eq!(is(x, "Dcsr<f64>", "Y[i, j] = X[i, j, j]"), None);
    assert_eq!(is(xv, "Dcsr<f64>", "Y[i, k] = X[i, j, k] * v[j]"), None);
    assert_eq!(is(x, "Tensor<f64, (Compressed, Compressed, Dense)>", "Y[i, j, k] = X[i, j, k]"), None);
}

/// Fibers are found by their positions on a GPU, all in one launch, and nothing is counted before.
#[test]
fn one_launch_writes_all_fibers() {
    let x = some(&[40, 30, 20], |n| n % 11 < 3 && n % 600 < 450);
    let x = Csf3::<f32>::from_triplets([40, 30, 20], x.iter().map(|(c, v)| ([c[0], c[1], c[2]], *v as f32)));
    let x = DynTensor::from(&x.unwrap());
    let ones = |n: usize| (0..n).map(|n| (n % 5) as f32 - 1.0).collect();
    let v = DynTensor::from(&DenseVec::<f32>::from_dense([20], ones(20)).unwrap());
    let b = DynTensor::from(&DenseMat::<f32>::from_dense([20, 8], ones(160)).unwrap());
    for (text, dense) in [(TTV, v), (TTM, b)] {
        let args = [Arg::Tensor(x.clone()), Arg::Tensor(dense)];
        let cpu = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
        assert!(cpu.program().buffers.iter().all(|b| b.space != Space::Growable), "{text}");
        let wanted = run(&cpu, &args).unwrap();
        let variants = compile_gpu(parse_str(text).unwrap(), &Options::default()).unwrap();
        assert!(variants.all.len() > 1, "the rule's points");
        for compiled in &variants.all {
            let steps = &compiled.program.program().steps;
            assert!(steps.iter().all(|s| matches!(s, Step::Allocate { .. } | Step::Launch(_))), "{steps:?}");
            let (found, reports) = run_reporting(&compiled.program, &args, Limits::default()).unwrap();
            assert_eq!(found, wanted, "{text}");
            assert_eq!(reports.len(), 1, "{text}");
        }
    }
}

/// What nobody has a point for: a thread has a fiber, or an element of its block.
#[test]
fn threads_have_fibers_by_position() {
    let text = "fn f(X: Csf3<f64>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Compressed, Dense)> { \
                Y[i, j, r] = X[i, j, k] * B[k, r] - B[j, r] * X[i, j, k]; }";
    let variants = compile_gpu(parse_str(text).unwrap(), &Options::default()).unwrap();
    let [compiled] = &variants.all[..] else { panic!("one program: {}", variants.cin_text()) };
    let commands: Vec<&str> = compiled.steps.iter().map(|s| &s.command[..]).collect();
    assert!(commands.iter().any(|c| c.starts_with("pos(fused, position, X")), "{commands:?}");
    assert!(commands.contains(&"fuse(position, r, element)"), "{commands:?}");
    let launches = compiled.program.program().steps.iter().filter(|s| matches!(s, Step::Launch(_)));
    assert_eq!(launches.count(), 1);
}

/// Well-formed operands have no such fiber; one that a user has put together may, and so has the result then.
#[test]
fn a_fiber_without_entries_is_the_operands() {
    let three = |pos: [Vec<i32>; 3], crd: [Vec<i32>; 3]| {
        pos.into_iter().zip(crd).map(|(pos, crd)| LevelArrays::Compressed { pos, crd }).collect::<Vec<_>>()
    };
    let levels = three(
        [vec![0, 2], vec![0, 3, 4], vec![0, 2, 2, 3, 3]],
        [vec![1, 2], vec![0, 1, 3, 0], vec![1, 3, 0]],
    );
    let empty = Csf3::<f32>::from_triplets([0; 3], []).unwrap();
    let x = DynTensor {
        spec: DynTensor::from(&empty).spec,
        dtype: DType::F32,
        dims: vec![3, 4, 5],
        vals: [2.0, 3.0, 5.0].map(Value::F32).to_vec(),
        levels: levels.clone(),
    };
    x.validate().unwrap();
    let v = DenseVec::<f32>::from_dense([5], vec![1.0, 10.0, 100.0, 1000.0, 0.0]).unwrap();
    let args = [Arg::Tensor(x), Arg::Tensor(DynTensor::from(&v))];
    let check = |found: DynTensor| {
        assert_eq!(found.levels, levels[..2]);
        assert_eq!(found.vals, [3020.0, 0.0, 5.0, 0.0].map(Value::F32));
    };
    check(
        run(&compile_kernel(parse_str(TTV).unwrap(), &Options::default()).unwrap().program, &args).unwrap(),
    );
    for compiled in compile_gpu(parse_str(TTV).unwrap(), &Options::default()).unwrap().all {
        check(run(&compiled.program, &args).unwrap());
    }
}

#[test]
fn values_are_the_oracles() {
    let x = some(&[7, 6, 5], |n| n % 5 < 2 && n % 60 < 40);
    let x = refs(&x);
    let (m, v) = (some(&[5, 9], |_| true), some(&[5], |_| true));
    let m = refs(&m);
    let v = refs(&v);
    for first in ["Compressed", "Dense"] {
        for (op, value, fill) in [
            ("=", "X[i, j, k] * B[k, r]", "Zero"),
            ("max=", "X[i, j, k] + B[k, r]", "NegInf"),
            ("=", "v[k] * X[i, j, k] * B[k, r] - X[i, j, k] * B[k, r]", "Zero"),
            ("=", "max(X[i, j, k] * B[k, r], 0)", "Zero"),
        ] {
            let text = format!(
                "fn f(X: Tensor<f64, Filled<({first}, Compressed, Compressed), {fill}>>, B: DenseMat<f64>, v: DenseVec<f64>) \
                 -> Tensor<f64, Filled<({first}, Compressed, Dense), {fill}>> {{ Y[i, j, r] {op} {value}; }}"
            );
            let text = if text.contains("v[k]") { text } else { text.replace(", v: DenseVec<f64>", "") };
            assert_eq!(shared(&text), Some(2), "{text}");
            let data = [Tensor("X", &[7, 6, 5], &x), Tensor("B", &[5, 9], &m), Tensor("v", &[5], &v)];
            agrees(&text, &data);
            agrees_on_gpu(&text, &data);
        }
    }
}

/// Where a workspace tells entries of the result they are assembled, also beside the operand that the workspace is filled from.
#[test]
fn a_scheduled_workspace_assembles() {
    let scheduled = |commands: &str| TTV.replacen(" }", &format!(" }} schedule cpu {{ {commands} }}"), 1);
    assert_eq!(shared(&scheduled("precompute(X[i, j, k] * v[k], [j], [j], w, List);")), None);
    assert_eq!(shared(&scheduled("split(i, i0, i1, 4); parallelize(i0, CPUThread, NoRaces);")), Some(2));
    let x = some(&[5, 6, 6], |n| n % 5 < 2 && n % 60 < 40);
    let x = refs(&x);
    let v = some(&[6], |_| true);
    let v = refs(&v);
    let beside = "fn f(X: Csf3<f64>, v: DenseVec<f64>) -> Dcsr<f64> { Y[i, j] = X[i, j, k] * v[k] + v[j] * X[i, j, k]; } \
                  schedule cpu { precompute(X[i, j, k] * v[k], [j], [j], w, List); }";
    assert_eq!(shared(beside), None);
    agrees(beside, &[Tensor("X", &[5, 6, 6], &x), Tensor("v", &[6], &v)]);
    let whole = "fn f(A: Csr<f64>, B: DenseMat<f64>) -> Csr<f64> { Y[i, j] = A[i, j] * B[i, j] + B[j, i] * A[i, j]; } \
                 schedule cpu { precompute(A[i, j] * B[i, j], [j], [j], w, List); }";
    assert_eq!(shared(whole), None);
    let b = some(&[6, 6], |_| true);
    let b = refs(&b);
    let square = some(&[6, 6], |n| n % 3 == 1);
    let square = refs(&square);
    agrees(whole, &[Tensor("A", &[6, 6], &square), Tensor("B", &[6, 6], &b)]);
}

/// Through the launchers, which take the levels of the argument.
mod called {
    use sparse_gpu::Sim;
    use sparse_gpu::prelude::*;

    tensor_kernel! {
        fn ttm(X: Csf3<f64>, B: DenseMat<f64>) -> Tensor<f64, (Compressed, Compressed, Dense)> {
            Y[i, j, r] = X[i, j, k] * B[k, r];
        }
    }
    tensor_kernel! {
        fn turned(A: Csr<f64>) -> Csc<f64> { B[j, i] = 2.0 * A[i, j]; }
    }

    #[test]
    fn levels_are_the_arguments() -> Result<(), Error> {
        let x = Csf3::<f64>::random_sparse([5, 6, 7], 0.2, 1);
        let b = DenseMat::<f64>::random([7, 4], 2);
        let sim = Sim::new();
        let y = ttm(&x, &b)?;
        let there = ttm(&x.to(&sim)?, &b.to(&sim)?)?;
        assert!(there.to_host()?.approx_eq(&y, 1e-12));
        assert_eq!((y.dims(), y.levels()[..2] == x.levels()[..2]), ([5, 6, 4], true));
        let mut wanted = vec![0.0; 5 * 6 * 4];
        for ([i, j, k], v) in x.iter() {
            (0..4).for_each(|r| wanted[(i * 6 + j) * 4 + r] += v * b.get([k, r]));
        }
        assert!(y.iter().all(|([i, j, r], v)| (v - wanted[(i * 6 + j) * 4 + r]).abs() < 1e-12));
        assert_eq!(y.stored(), wanted.iter().filter(|v| **v != 0.0).count());
        let a = Csr::from_triplets([2, 3], [([0, 2], 1.0), ([1, 0], 3.0)])?;
        let b = turned(&a)?;
        assert_eq!((b.dims(), b.get([2, 0]), b.get([0, 1]), b.stored()), ([3, 2], 2.0, 6.0, 2));
        assert!(turned(&a.to(&sim)?)?.to_host()? == b);
        Ok(())
    }
}
