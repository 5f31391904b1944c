//! One test a rule, and token soup.

use super::ast::{AssignOp, Kernel, Mode, Param};
use super::command::{BoundKind, Merge, Schedule, Strategy, Unit};
use super::spelling::{ALIASES, alias};
use super::{Commands, ParamKind, Signature, parse_schedule, parse_str};
use crate::format::{Fill, FormatSpec, Level, TensorId, WorkspaceFormat};
use crate::scalar::{DType, Monoid};

mod rules;
mod soup;

fn ok(text: &str) -> Kernel {
    parse_str(text).unwrap_or_else(|f| panic!("{text}\n{}", f.diagnostics))
}

/// The statement as printed, in a kernel of matrices A, B, vectors x, z and a scalar tensor t.
fn printed(dtype: &str, rhs: &str) -> String {
    let mut text = String::from("fn f(y: &mut DenseMat<DTYPE>");
    for (name, ty) in [
        ("A", "Csr<DTYPE>"),
        ("B", "Csr<DTYPE>"),
        ("x", "DenseVec<DTYPE>"),
        ("t", "Scalar<DTYPE>"),
        ("a", "DTYPE"),
    ] {
        let word = |w: &str| w.chars().all(char::is_alphanumeric) && w == name;
        if rhs.split(|c: char| !c.is_alphanumeric()).any(word) {
            text += &format!(", {name}: {ty}");
        }
    }
    let text = text.replace("DTYPE", dtype) + ") { y[i, j] = " + rhs + " }";
    let source = ok(&text).source;
    source.strip_prefix("y[i, j] = ").and_then(|s| s.strip_suffix(';')).unwrap().to_owned()
}

#[test]
fn spmm() {
    let k = ok(
        "/// Doc.\n#[inline] pub(crate) fn spmm(A: Csr<f32>, B: sparse_gpu::DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j,k];
    }
    schedule cuda = none;",
    );
    assert_eq!(k.source, "C[i, k] = A[i, j] * B[j, k];");
    assert_eq!((k.attrs.len(), k.name.to_string().as_str(), k.dtype), (2, "spmm", DType::F32));
    assert_eq!(k.params, [Param::Tensor(TensorId(0)), Param::Tensor(TensorId(1))]);
    let modes: Vec<_> =
        k.tensors.iter().map(|t| (t.name.to_string(), t.mode, t.spec.levels.clone())).collect();
    let compressed = Level::Compressed { unique: true };
    assert_eq!(modes[0], ("A".into(), Mode::Input, vec![Level::Dense, compressed]));
    assert_eq!(modes[2], ("C".into(), Mode::Result, vec![Level::Dense; 2]));
    let vars: Vec<_> = k.vars.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(vars, ["i", "k", "j"]);
    let signature = Signature::from(&k);
    assert_eq!(signature.params[0].kind, ParamKind::Tensor);
    assert!(signature.output.is_some_and(|t| t.is_some()));
}

#[test]
fn schedules() {
    let text =
        "fn spmm(A: Csr<f32>, B: DenseMat<f32>, t: f32) -> DenseMat<f32> { C[i, k] = t * A[i, j] * B[j, k]; }
    schedule cpu {
        split(k, k0, k1, 8);; divide(i, i0, i1, 4); fuse(i0, i1, f); reorder(f, k0, j, k1);
        pos(j, p, A[i,j]); coord(p, c);
        precompute(t*A[i, j], [], [], w); precompute(t * (A[i, j]), j, jw, w);
        precompute(B[j, k], [k], [kw], v, Hash);
        bound(i, ib, 64, MaxExact); unroll(p, 4); mergeby(j, Gallop);
        parallelize(f, GPUGroup(8), ParallelReduction)
    }
    schedule cuda = none;";
    let k = ok(text);
    let Schedule::Commands(commands) = &k.cpu else { panic!("{:?}", k.cpu) };
    let sources: Vec<_> = commands.iter().map(|c| c.source.as_str()).collect();
    assert_eq!(
        sources,
        [
            "split(k, k0, k1, 8)",
            "divide(i, i0, i1, 4)",
            "fuse(i0, i1, f)",
            "reorder(f, k0, j, k1)",
            "pos(j, p, A[i, j])",
            "coord(p, c)",
            "precompute(t * A[i, j], [], [], w)",
            "precompute(t * A[i, j], [j], [jw], w)",
            "precompute(B[j, k], [k], [kw], v, Hash)",
            "bound(i, ib, 64, MaxExact)",
            "unroll(p, 4)",
            "mergeby(j, Gallop)",
            "parallelize(f, GPUGroup(8), ParallelReduction)",
        ]
    );
    assert!(matches!(k.cuda, Schedule::None));
    let again = parse_schedule(&k, &sources.join(";")).unwrap();
    assert_eq!(sources, again.iter().map(|c| c.source.as_str()).collect::<Vec<_>>());
    let built = Commands::new()
        .split("k", "k0", "k1", 8)
        .divide("i", "i0", "i1", 4)
        .fuse("i0", "i1", "f")
        .reorder(&["f", "k0", "j", "k1"])
        .pos("j", "p", "A[i, j]")
        .coord("p", "c")
        .precompute("t * A[i, j]", &[], &[], "w")
        .precompute("t * A[i, j]", &["j"], &["jw"], "w")
        .precompute_into("B[j, k]", &["k"], &["kw"], "v", WorkspaceFormat::Hash)
        .bound("i", "ib", 64, BoundKind::MaxExact)
        .unroll("p", 4)
        .mergeby("j", Merge::Gallop)
        .parallelize("f", Unit::GpuGroup(8), Strategy::ParallelReduction);
    let built = built.resolve(&k).unwrap();
    assert_eq!(sources, built.iter().map(|c| c.source.as_str()).collect::<Vec<_>>());
    assert!(matches!(
        ok("fn f(x: DenseVec<f32>) -> DenseVec<f32> { y[i] = x[i]; } schedule cpu = none;").cpu,
        Schedule::None
    ));
}

#[test]
fn outputs_and_scalars() {
    let k = ok(
        "fn f(alpha: f64, A: Csr<f64>, y: &mut DenseVec<f64>, x: DenseVec<f64>) { y[i] += alpha * A[i, j] * x[j] }",
    );
    assert_eq!(k.source, "y[i] += alpha * A[i, j] * x[j];");
    assert_eq!(k.params[0], Param::Scalar(0));
    assert_eq!(k.tensors[1].mode, Mode::InOut);
    assert_eq!(k.assignment.lhs.tensor, TensorId(1));
    assert_eq!(Signature::from(&k).params[2].kind, ParamKind::TensorMut);
    let k = ok("fn norm(A: Csr<f32>) -> Scalar<f32> { s = A[i, j] * A[i, j]; }");
    assert_eq!(k.source, "s = A[i, j] * A[i, j];");
    assert_eq!(ok("fn g(A: Csr<f32>) -> Scalar<f32> { s[] += A[i, i]; }").source, "s += A[i, i];");
    assert_eq!(
        ok("fn g(A: Csr<f32>, t: Scalar<f32>) -> Csr<f32> { C[i, j] = A[i, j] * t; }").source,
        "C[i, j] = A[i, j] * t;"
    );
}

#[test]
fn reductions() {
    for (op, monoid) in [
        ("+=", Monoid::Add),
        ("*=", Monoid::Mul),
        ("min=", Monoid::Min),
        ("max =", Monoid::Max),
        ("&=", Monoid::And),
        ("|=", Monoid::Or),
    ] {
        let k = ok(&format!("fn f(A: Csr<i32>, y: &mut DenseVec<i32>) {{ y[i] {op} A[i, j]; }}"));
        assert_eq!(k.assignment.op, AssignOp::Reduce(monoid));
        assert_eq!(k.source, format!("y[i] {}= A[i, j];", monoid.symbol()));
    }
    let k = ok("fn f(A: Csr<f32>) -> Scalar<f32> { min min= A[i, j]; }");
    assert_eq!(k.source, "min min= A[i, j];");
    let k = ok(
        "fn f(A: Csr<f32>, B: Csr<f32>) -> Tensor<f32, Filled<(Dense, Compressed), PosInf>> { C[i, k] min= A[i, j] + B[j, k]; }",
    );
    assert_eq!(k.tensors[2].spec.fill, Fill::PosInf);
}

#[test]
fn formats() {
    let spec = |ty: &str, rank: usize| {
        let index = ["i", "j", "k", "l", "m", "n"][..rank].join(", ");
        ok(&format!("fn f(A: {ty}) -> Scalar<f32> {{ s = A[{index}]; }}")).tensors[0].spec.clone()
    };
    let (dense, compressed) = (Level::Dense, Level::Compressed { unique: true });
    let repeated = Level::Compressed { unique: false };
    let csr = FormatSpec::new(vec![dense, compressed]);
    assert_eq!(spec("Csr<f32>", 2), csr);
    assert_eq!(spec("sparse_gpu::Tensor<f32, (format::Dense, Compressed)>", 2), csr);
    assert_eq!(spec("Csc<f32>", 2), csr.clone().reordered(vec![1, 0]));
    assert_eq!(
        spec("Tensor<f32, Reordered<(Dense, Compressed,), 1, 0>>", 2),
        csr.clone().reordered(vec![1, 0])
    );
    assert_eq!(spec("Tensor<f32, (Dense,)>", 1), FormatSpec::new(vec![dense]));
    assert_eq!(spec("Tensor<f32, ()>", 0), FormatSpec::new(vec![]));
    assert_eq!(
        spec("Tensor<f32, (Dense, Compressed<NonUnique>)>", 2),
        FormatSpec::new(vec![dense, repeated])
    );
    assert_eq!(spec("Tensor<f32, (Dense, Compressed<Unique>)>", 2), csr);
    let filled = csr.clone().reordered(vec![1, 0]).filled(Fill::NegInf);
    assert_eq!(spec("Tensor<f32, Filled<Reordered<(Dense, Compressed), 1, 0>, NegInf>>", 2), filled);
    assert_eq!(spec("Tensor<f32, Reordered<Filled<(Dense, Compressed), NegInf>, 1, 0>>", 2), filled);
    assert_eq!(
        spec("Tensor<f32, Reordered<(Dense, Dense, Dense), 1, 0>>", 3).map,
        FormatSpec::new(vec![dense; 3]).reordered(vec![1, 0, 2]).map
    );
    assert_eq!(spec("Tensor<f32, (Dense, Dense, Dense, Dense, Dense, Dense)>", 6).rank(), 6);
}

#[test]
fn aliases_are_those_of_the_tensors() {
    use crate::format::Format;
    use crate::tensor::*;
    fn spec<F: Format>(_: Option<Tensor<f32, F>>) -> FormatSpec {
        F::spec()
    }
    macro_rules! check {
        ($($alias:ident)*) => { $(
            let actual = spec(None::<$alias<f32>>);
            assert_eq!(alias(stringify!($alias)).as_ref(), Some(&actual), stringify!($alias));
            assert_eq!(super::type_name(&actual, DType::F32), concat!(stringify!($alias), "<f32>"));
        )* assert_eq!([$(stringify!($alias)),*], ALIASES); };
    }
    check!(Scalar DenseVec DenseMat DenseMatColumnMajor Dense3 Dense4 SparseVec Csr Csc Dcsr Dcsc Coo Coo3 Coo4 Csf3 Csf4);
}

#[test]
fn expressions_print_as_written() {
    for text in [
        "A[i, j]",
        "A[i, j] * B[i, j] + x[j]",
        "A[i, j] * (B[i, j] + x[j])",
        "a - (A[i, j] - B[i, j])",
        "a - A[i, j] - B[i, j]",
        "a / (A[i, j] / B[i, j])",
        "-A[i, j] * -2",
        "-(A[i, j] + a)",
        "--a",
        "min(A[i, j], B[i, j], 2.5) + max(x[i], 0)",
        "min(a, min(A[i, j], x[j]))",
        "abs(sqrt(exp(ln(sin(cos(tanh(floor(ceil(A[i, j])))))))))",
        "(A[i, j] < B[i, j]) * (x[i] == x[j])",
        "(a < 2) < t",
        "A[i, j] + 1 < B[i, j]",
        "A[i, j] * (a >= 0.001)",
        "A[i, j] * inf",
        "max(A[i, j], -inf)",
    ] {
        assert_eq!(printed("f32", text), text);
    }
    for text in ["A[i, j] & B[i, j] | !A[j, i] ^ 3", "(A[i, j] | B[i, j]) & 255", "A[i, j] != -1", "-(a & 1)"]
    {
        assert_eq!(printed("i32", text), text);
    }
    assert_eq!(printed("bool", "A[i, j] & !false | true"), "A[i, j] & !false | true");
    assert_eq!(printed("f64", "2.0f64 * 1e3 * A[i, j,]"), "2 * 1000 * A[i, j]");
    assert_eq!(printed("i32", "0xff * 1_000i32 * -2147483648"), "255 * 1000 * -2147483648");
    assert_eq!(printed("f32", "a<-1"), "a < -1");
    assert_eq!(printed("f32", "a * -(2)"), "a * -2");
    assert_eq!(printed("f32", "((A[i,j])) * (2)"), "A[i, j] * 2");
}
