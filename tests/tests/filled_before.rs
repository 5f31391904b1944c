//! On GPUs, dense workspaces outside of all loops: launches of their own fill them, or add to the result what would be in them.

use sparse_core::driver::{Options, compile_cuda};
use sparse_core::front::parse_str;
use sparse_core::llir::{Launch, Program};
use sparse_gpu::prelude::*;
use tests::named::Data::{Scalar, Tensor};
use tests::named::agrees_on_gpu;

fn program(text: &str) -> Program {
    let compiled = compile_cuda(parse_str(text).unwrap(), &Options::default());
    compiled.unwrap_or_else(|d| panic!("{text}\n{d}")).program.into_program()
}

fn launches(program: &Program) -> Vec<&str> {
    program.launches().map(|l: &Launch| l.name.as_str()).collect()
}

fn refused(text: &str) -> (&'static str, String) {
    let found = compile_cuda(parse_str(text).unwrap(), &Options::default()).err();
    let found = found.unwrap_or_else(|| panic!("{text}"));
    let [only] = &found.iter().collect::<Vec<_>>()[..] else { panic!("{found}") };
    (only.code, only.message.clone())
}

type Entries = Vec<(Vec<usize>, f64)>;

/// Rows and columns without entries, and with many.
fn sparse(dims: [usize; 2]) -> Entries {
    let stored =
        |i: usize, j: usize| i % 4 != 1 && j % 5 != 2 && (i == 3 || (i * 7 + j * 3).is_multiple_of(4));
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| (i, j)));
    all.filter(|&(i, j)| stored(i, j)).map(|(i, j)| (vec![i, j], (1 + (i + 2 * j) % 5) as f64)).collect()
}

fn dense(dims: &[usize]) -> Entries {
    let mut entries = Entries::new();
    tests::oracle::for_each_point(dims, &mut |c| entries.push((c.to_vec(), (entries.len() % 4) as f64)));
    entries
}

/// A kernel on matrices `A` and `B` and dense operands.
#[track_caller]
fn agrees(text: &str, operands: &[(&str, &[usize])]) {
    let data: Vec<_> = operands
        .iter()
        .map(|(name, dims)| match (*name, *dims) {
            ("A" | "B", &[rows, columns]) => sparse([rows, columns]),
            (_, dims) => dense(dims),
        })
        .collect();
    let refs: Vec<Vec<(&[usize], f64)>> =
        data.iter().map(|entries| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors = operands.iter().zip(&refs).map(|((name, dims), entries)| match name {
        &"alpha" | &"beta" => Scalar(name, 2.0),
        _ => Tensor(name, dims, entries),
    });
    agrees_on_gpu(text, &tensors.collect::<Vec<_>>());
}

/// Nothing is sorted, and there is no array for what is added: the other terms are written first.
#[test]
fn scattered_sums_are_added_to_the_result() {
    let i: &[usize] = &[60];
    let j: &[usize] = &[45];
    for (text, expected, operands) in [
        (
            "fn f(A: Csc<f32>, d: DenseVec<f32>, r: DenseVec<f32>, c: DenseVec<f32>) -> DenseVec<f32> { \
             y[i] = d[i] * A[i, j] * r[j] + c[i]; }",
            &["f_1_nnz_1_col_1", "f_t0_1_nnz_1_col_1"][..],
            &[("d", i), ("r", j), ("c", i)][..],
        ),
        (
            "fn f(A: Csc<f32>, b: DenseVec<f32>, x: DenseVec<f32>) -> DenseVec<f32> { r[i] = b[i] - A[i, j] * x[j]; }",
            &["f_1_nnz_1_col_1", "f_t0_1_nnz_1_col_1"],
            &[("b", i), ("x", j)],
        ),
        (
            "fn f(A: Csc<i32>, B: Csc<i32>, x: DenseVec<i32>, z: DenseVec<i32>) -> DenseVec<i32> { \
             y[i] = A[i, j] * x[j] - B[i, k] * z[k]; }",
            &["f_t0_1_nnz_1_col_1", "f_t1_1_nnz_1_col_1"],
            &[("B", &[60, 20]), ("x", j), ("z", &[20])],
        ),
        (
            "fn f(A: Csc<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) { y[i] += A[i, j] * x[j] - 1.0; }",
            &["f_1_nnz_1_col_1", "f_t0_1_nnz_1_col_1"],
            &[("x", j), ("y", i)],
        ),
        (
            "fn f(A: Csc<f32>, X: DenseMat<f32>, Z: DenseMatColumnMajor<f32>, alpha: f32, beta: f32) -> DenseMatColumnMajor<f32> { \
             C[i, k] = alpha * A[i, j] * X[j, k] + beta * Z[i, k]; }",
            &["f_16_nnz_4_col_1_vector", "f_t0_16_nnz_4_col_1_vector"],
            &[("X", &[45, 6]), ("Z", &[60, 6]), ("alpha", &[]), ("beta", &[])],
        ),
        (
            "fn f(x: DenseVec<f64>, y: DenseVec<f64>, c: Scalar<f64>) -> Scalar<f64> { s = x[i] * y[i] + c; }",
            &["f", "f_t0"],
            &[("x", &[5000]), ("y", &[5000]), ("c", &[])],
        ),
    ] {
        let program = program(text);
        assert_eq!(launches(&program), expected, "{text}");
        assert!(!program.buffers.iter().any(|b| b.name.starts_with('t')), "{text}");
        let a = text.contains("A: ").then_some(("A", &[60, 45][..]));
        agrees(text, &a.into_iter().chain(operands.iter().copied()).collect::<Vec<_>>());
    }
}

/// A row's sum is a number for all of the row's entries, where the row has some: an empty row has no term, whatever its factors.
#[test]
fn products_of_one_operand_are_summed_in_two_launches() {
    let text = "fn f(A: Csr<f64>, x: DenseVec<f64>, z: DenseVec<f64>) -> DenseVec<f64> { y[k] = z[i] * A[i, k] * A[i, j] * x[j]; }";
    let chained = program(text);
    assert!(chained.buffers.iter().any(|b| b.name == "t0"));
    assert_eq!(launches(&chained), ["f_t0_8_nnz_1_col_32", "f_8_nnz_1_col_32"]);
    agrees(text, &[("A", &[60, 45]), ("x", &[45]), ("z", &[60])]);
    let (one, infinite): (&[usize], f64) = (&[1], f64::INFINITY);
    agrees_on_gpu(
        text,
        &[
            Tensor("A", &[3, 2], &[(&[0, 1], 2.0), (&[2, 0], 3.0)]),
            Tensor("x", &[2], &[(&[0], 5.0), (&[1], 7.0)]),
            Tensor("z", &[3], &[(&[0], 1.0), (one, infinite), (&[2], 1.0)]),
        ],
    );
    // Nothing tells that the rows of another matrix have entries.
    let other = "fn f(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[k] = B[i, k] * A[i, j] * x[j]; }";
    assert!(!program(other).buffers.iter().any(|b| b.name == "t0"));
}

/// What is subtracted has no negative in an unsigned type; beside an infinite fill the sum takes no part, whatever it is.
#[test]
fn sums_that_are_not_added_are_arrays() {
    let unsigned = "fn f(A: Csc<u8>, b: DenseVec<u8>, x: DenseVec<u8>) -> DenseVec<u8> { r[i] = b[i] - A[i, j] * x[j]; }";
    let infinite = "fn f(A: Csc<f64>, x: DenseVec<f64>, b: Tensor<f64, Filled<(Compressed,), PosInf>>) -> DenseVec<f64> { \
                    r[i] = A[i, j] * x[j] + b[i]; }";
    for text in [unsigned, infinite] {
        let program = program(text);
        assert!(program.buffers.iter().any(|b| b.name == "t0"), "{text}");
        assert_eq!(launches(&program).len(), 2, "{text}");
        agrees(text, &[("A", &[60, 45]), ("b", &[60]), ("x", &[45])]);
    }
}

const UNITS: &str = "parallelize(pb, GPUBlock, NoRaces); parallelize(pt, GPUThread, Atomics); \
                     parallelize(ib, GPUBlock, NoRaces); parallelize(it, GPUThread, NoRaces);";

/// Commands name the loops of both sides; a workspace over whole dimensions was refused, which its blocks would have shared.
#[test]
fn workspaces_that_blocks_share_have_launches() {
    let chain = "fn f(A: Csr<f64>, X: DenseMat<f64>, W: DenseMat<f64>) -> DenseMat<f64> { \
                 Y[i, k] = A[i, j] * X[j, l] * W[l, k]; }";
    let schedule = "precompute(A[i, j] * X[j, l], [i, l], [iw, lw], T); reorder(iw, lw, j); fuse(iw, lw, p); \
                    split(p, pb, pt, 64); reorder(i, k, l); fuse(i, k, f); split(f, ib, it, 64);";
    let text = format!("{chain} schedule cuda {{ {schedule} {} }}", UNITS.replace("Atomics", "NoRaces"));
    let program = program(&text);
    assert_eq!(launches(&program), ["f_T", "f"]);
    assert!(program.buffers.iter().any(|b| b.name == "T"));
    agrees(&text, &[("A", &[40, 30]), ("X", &[30, 7]), ("W", &[7, 9])]);

    let least = "fn f(A: Tensor<f64, Filled<Reordered<(Dense, Compressed), 1, 0>, PosInf>>, x: DenseVec<f64>, \
                 b: DenseVec<f64>, y: &mut DenseVec<f64>) { y[i] min= A[i, j] + x[j] + b[i]; }";
    let schedule = "precompute(A[i, j] + x[j], [i], [iw], m); fuse(j, iw, f); pos(f, p, A[i, j]); \
                    split(p, pb, pt, 32); split(i, ib, it, 32);";
    let text = format!("{least} schedule cuda {{ {schedule} {UNITS} }}");
    agrees(&text, &[("A", &[50, 33]), ("x", &[33]), ("b", &[50]), ("y", &[50])]);
}

const RESIDUAL: &str = "fn f(A: Csc<f32>, b: DenseVec<f32>, x: DenseVec<f32>) -> DenseVec<f32> { r[i] = b[i] - A[i, j] * x[j]; }";

/// One thread would do what no command is about; and what is promised an order has one in every launch.
#[test]
fn schedules_are_of_all_launches() {
    let fills = "fuse(j, i_t0, f); pos(f, p, A[i, j]); split(p, pb, pt, 32);";
    let half = "parallelize(pb, GPUBlock, NoRaces); parallelize(pt, GPUThread, Atomics);";
    let (code, message) = refused(&format!("{RESIDUAL} schedule cuda {{ {fills} {half} }}"));
    assert_eq!(code, "not-parallel");
    assert!(message.contains("no loop of the statement's own runs on the GPU"), "{message}");
    let own =
        "split(i, ib, it, 32); parallelize(ib, GPUBlock, NoRaces); parallelize(it, GPUThread, NoRaces);";
    let (code, message) = refused(&format!("{RESIDUAL} schedule cuda {{ {own} }}"));
    assert_eq!(code, "not-parallel");
    assert!(message.contains("`t0` is filled by a launch of its own"), "{message}");

    let both = "fn f(A: Csr<f64>, B: Csc<f64>, x: DenseVec<f64>, z: DenseVec<f64>) -> DenseVec<f64> { \
                y[i] = A[i, j] * x[j] * z[i] + B[i, k] * z[k]; }";
    let in_order = "precompute(A[i, j] * x[j], [i], [iw], s); fuse(iw, j, g); pos(g, q, A[i, j]); split(q, qb, qt, 64); \
                    fuse(k, i_t1, f); pos(f, p, B[i, k]); split(p, pb, pt, 32); split(i, ib, it, 32); \
                    parallelize(qb, GPUBlock, NoRaces); parallelize(qt, GPUGroup(32), Deterministic);";
    let (code, _) = refused(&format!("{both} schedule cuda {{ {in_order} {UNITS} }}"));
    assert_eq!(code, "not-deterministic");
    program(&format!("{both} schedule cuda {{ {} {UNITS} }}", in_order.replace("Deterministic", "Segment")));
}

tensor_kernel! {
    fn too_large(A: Csr<f32>, B: Csr<f32>, w: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[j, k] * w[k]; }
    schedule cuda {
        precompute(A[i, j] * B[j, k], [i, k], [iw, kw], T);
        split(iw, pb, pt, 64);
        split(i, ib, it, 64);
        parallelize(pb, GPUBlock, NoRaces);
        parallelize(pt, GPUThread, NoRaces);
        parallelize(ib, GPUBlock, NoRaces);
        parallelize(it, GPUThread, NoRaces);
    }
}

tensor_kernel! {
    fn combined(
        A: Csc<f32>, X: DenseMat<f32>, Z: DenseMat<f32>, alpha: f32, beta: f32,
    ) -> DenseMat<f32> {
        C[i, k] = alpha * A[i, j] * X[j, k] + beta * Z[i, k];
    }
}

/// The rule chooses among the programs of the whole by the operand of the launch that it is for.
#[test]
fn a_rule_chooses_for_a_launch() -> Result<(), Error> {
    let explained = combined::explain();
    assert!(explained.contains("-> <16 nnz, 4 col>, 1, vector"), "{explained}");
    let sim = Sim::new();
    let a = Csc::<f32>::from_triplets([3, 900], (0..900).map(|j| ([j % 2, j], 2.0)))?;
    for columns in [1, 5, 40] {
        let x = DenseMat::from_dense([900, columns], vec![1.0; 900 * columns])?;
        let z = DenseMat::from_dense([3, columns], vec![3.0; 3 * columns])?;
        let c = combined(&a.to(&sim)?, &x.to(&sim)?, &z.to(&sim)?, 0.5, 2.0)?.to_host()?;
        assert_eq!([0, 1, 2].map(|i| c.get([i, columns - 1])), [456.0, 456.0, 6.0]);
    }
    Ok(())
}

/// More elements than positions can count are an error of the call, before there is memory for them.
#[test]
fn arrays_that_are_too_large_are_errors() -> Result<(), Error> {
    let sim = Sim::new();
    let call = |n: usize| {
        let a = Csr::<f32>::from_triplets([n, 1], [([2, 0], 2.0)])?.to(&sim)?;
        let b = Csr::<f32>::from_triplets([1, n], [([0, 3], 5.0)])?.to(&sim)?;
        let w = DenseVec::from_dense([n], vec![1.0; n])?.to(&sim)?;
        too_large(&a, &b, &w)?.to_host()
    };
    assert_eq!(call(100)?.get([2]), 10.0);
    let found = call(50_000).err();
    assert!(
        matches!(found, Some(Error::TooLargeForDevice { .. } | Error::TooManyEntries { .. })),
        "{found:?}"
    );
    Ok(())
}
