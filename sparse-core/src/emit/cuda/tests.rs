//! The text of small programs written by hand.

use super::{emit, kernels};
use crate::format::Level;
use crate::llir::build::{add, load, lt, mul};
use crate::llir::samples::{Tables, f64_lit, for_, let_, mut_, times};
use crate::llir::verify::{Verified, verify};
use crate::llir::*;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
use expect_test::expect;

const COMPRESSED: Level = Level::Compressed { unique: true };

/// A program of one launch that writes `y_vals`, a dense vector of this type.
struct Bench {
    t: Tables,
    y: BufferId,
    block: VarId,
    thread: VarId,
    grid: Vec<Axis>,
}

impl Bench {
    fn new(dtype: DType) -> Bench {
        let mut t = Tables::new("test", "");
        let x = t.tensor("x", &[Level::Dense], Role::Input);
        let y = t.tensor("y", &[Level::Dense], Role::Result);
        t.0.tensors[y.index()].dims_from = vec![(x, 0)];
        for tensor in &mut t.0.tensors {
            tensor.dtype = dtype;
        }
        let len = t.dim("x1_dim", x, 0);
        let y = t.buffer("y_vals", Space::Output, Array::Vals(y));
        t.0.buffers[y.index()].elem = Elem::Scalar(dtype);
        t.0.steps = vec![Step::Allocate { buffer: y, len: len.into(), init: Some(dtype.zero()) }];
        let (block, thread) = (t.index("block"), t.index("thread"));
        Bench { t, y, block, thread, grid: vec![Axis { var: block, blocks: len.into() }] }
    }

    fn finish(mut self, body: Block) -> Verified {
        let launch = Launch::new("test".into(), self.grid, (self.thread, 128), body);
        self.t.0.steps.push(Step::Launch(launch));
        verify(self.t.0).expect("a program written with care")
    }

    /// The statements of a kernel with this body.
    fn body(self, body: Block) -> String {
        let text = emit(&self.finish(body));
        let kernel = &text[text.find("extern").expect("a kernel")..];
        let (_, body) = kernel.strip_suffix("}\n").and_then(|k| k.split_once(") {\n")).expect("its body");
        body.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned() + "\n").collect()
    }
}

fn store(buffer: BufferId, value: Expr) -> Stmt {
    Stmt::Store { buffer, index: Expr::Index(0), value }
}

fn op(op: IndexOp, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(b.into()))
}

/// `y[i] = A[i, j] * x[j]`, eight threads a row.
fn spmv() -> Verified {
    let mut t = Tables::new("spmv", "y[i] = A[i, j] * x[j];");
    let a = t.tensor("A", &[Level::Dense, COMPRESSED], Role::Input);
    let x = t.tensor("x", &[Level::Dense], Role::Input);
    let y = t.tensor("y", &[Level::Dense], Role::Result);
    t.0.tensors[y.index()].dims_from = vec![(a, 0)];
    let rows = t.dim("A1_dim", a, 0);
    let pos = t.buffer("A2_pos", Space::Input, Array::Pos(a, 1));
    let crd = t.buffer("A2_crd", Space::Input, Array::Crd(a, 1));
    let a_vals = t.buffer("A_vals", Space::Input, Array::Vals(a));
    let x_vals = t.buffer("x_vals", Space::Input, Array::Vals(x));
    let y_vals = t.buffer("y_vals", Space::Output, Array::Vals(y));
    let [block, thread, i, p, j] = ["block", "thread", "i", "p", "j"].map(|n| t.index(n));
    let (sum, live) = (t.var("sum", Ty::Scalar(DType::F64)), t.var("live", Ty::Cond));
    let row = Stmt::For {
        var: p,
        lo: add(load(pos, i), op(IndexOp::Rem, thread, Expr::Index(8))),
        hi: load(pos, add(i, Expr::Index(1))),
        step: 8,
        kind: LoopKind::Serial,
        body: vec![
            let_(j, load(crd, p)),
            Stmt::Update { var: sum, op: Monoid::Add, value: times(load(a_vals, p), load(x_vals, j)) },
        ],
    };
    let body = vec![
        Stmt::Comment("rows of A".into()),
        let_(i, add(mul(block, Expr::Index(16)), op(IndexOp::Div, thread, Expr::Index(8)))),
        let_(live, lt(i, rows)),
        mut_(sum, f64_lit(0.0)),
        Stmt::If { cond: live.into(), then: vec![row], otherwise: vec![] },
        Stmt::Collective(Collective::Reduce {
            group: Group { size: 8, arrive: Arrive::Warp },
            segments: None,
            op: Monoid::Add,
            value: sum.into(),
            buffer: y_vals,
            index: i.into(),
            when: live.into(),
            write: Write::Sole(Sole::Store),
        }),
    ];
    let blocks = op(IndexOp::Div, add(rows, Expr::Index(15)), Expr::Index(16));
    t.0.steps = vec![
        Step::Allocate { buffer: y_vals, len: rows.into(), init: None },
        Step::Launch(Launch {
            name: "spmv".into(),
            grid: vec![Axis { var: block, blocks }],
            thread,
            threads: 128,
            resident: 0,
            follows: false,
            shared: vec![],
            body,
        }),
    ];
    verify(t.0).expect("a program written with care")
}

#[test]
fn a_kernel_reads_as_if_written_by_hand() {
    let program = spmv();
    let text = emit(&program);
    let at = text.find("// y[i]").expect("the statement stands above its kernel");
    expect![[r#"
        // y[i] = A[i, j] * x[j];
        extern "C" __global__ void __launch_bounds__(128) spmv(
            const int* __restrict__ A2_pos, const int* __restrict__ A2_crd, const double* __restrict__ A_vals,
            const double* __restrict__ x_vals, int A1_dim, double* __restrict__ y_vals) {
            const int block = blockIdx.x;
            const int thread = threadIdx.x;
            // rows of A
            const int i = block * 16 + thread / 8;
            const bool live = i < A1_dim;
            double sum = 0.0;
            if (live) {
                for (int p = A2_pos[i] + thread % 8, p_end = A2_pos[i + 1]; p < p_end; p += 8) {
                    const int j = A2_crd[p];
                    sum += A_vals[p] * x_vals[j];
                }
            }
            writeGroup<double, 8, Add, Store>(y_vals, i, sum, live);
        }
    "#]]
    .assert_eq(&text[at..]);
    let [kernel] = &kernels(&program)[..] else { panic!("one kernel") };
    expect![[r#"
        spmv(const int* A2_pos, const int* A2_crd, const double* A_vals, const double* x_vals, int A1_dim, double* y_vals)
        ["(A1_dim + 15) / 16"] × 128, at most [134217727], of 2147483631
    "#]].assert_eq(&format!(
        "{}({})\n{:?} × {}, at most {:?}, of {}\n",
        kernel.name,
        kernel.signature(),
        kernel.grid,
        kernel.threads,
        kernel.max_blocks,
        kernel.most
    ));
}

/// Who reads of an entry point learns its grid without the sizes that the program names, and the launcher how far it goes.
#[test]
fn grids_are_told_in_full() {
    let program = spmv();
    let mut named = program.program().clone();
    let (rows, threes) = (VarId(named.vars.len() as u32), VarId(named.vars.len() as u32 + 1));
    for name in ["rows", "threes"] {
        named.vars.push(Var { name: name.into(), ty: Ty::Index });
    }
    let Some(Step::Launch(launch)) = named.steps.last_mut() else { panic!("it launches") };
    let blocks = std::mem::replace(&mut launch.grid[0].blocks, threes.into());
    named.steps.insert(0, Step::Let { var: rows, value: blocks });
    named.steps.insert(
        1,
        Step::Let { var: threes, value: op(IndexOp::Div, add(rows, Expr::Index(99)), Expr::Index(3)) },
    );
    let named = verify(named).expect("its sizes are known");
    let [kernel] = &kernels(&named)[..] else { panic!("one kernel") };
    assert_eq!(kernel.grid, ["((A1_dim + 15) / 16 + 99) / 3"]);
    assert_eq!(kernel.most, MOST - 114);
    assert_eq!(emit(&named), emit(&program));
}

#[test]
fn a_source_has_the_parts_of_the_prelude_that_it_needs() {
    let b = Bench::new(DType::F32);
    let y = b.y;
    let plain = emit(&b.finish(vec![store(y, Expr::Lit(Value::F32(1.0)))]));
    assert!(plain.starts_with("extern"), "{plain}");
    let grouped = emit(&spmv());
    assert!(grouped.contains("struct Add") && grouped.contains("T reduceGroup"));
    assert!(!grouped.contains("lowerBound") && !grouped.contains("segReduceGroup"));
}

/// What launches before it write is loaded after the wait, by whatever compiler; arguments may be loaded before.
#[test]
fn a_launch_that_follows_another_waits_for_it() {
    let mut b = Bench::new(DType::F64);
    let (y, dim) = (b.y, VarId(0));
    let x = b.t.buffer("x_vals", Space::Input, Array::Vals(TensorId(0)));
    let part = b.t.buffer("part", Space::Output, Array::Local);
    b.t.0.steps.push(Step::Allocate { buffer: part, len: dim.into(), init: None });
    for (name, from, to, follows) in
        [("first", x, part, false), ("second", part, y, true), ("third", y, part, true)]
    {
        let (block, thread) = (b.t.index(&format!("{name}_block")), b.t.index(&format!("{name}_thread")));
        let [mine, other] = ["x", "other"].map(|v| b.t.var(&format!("{name}_{v}"), Ty::Scalar(DType::F64)));
        let element = |buffer| load(buffer, Expr::Index(0));
        let sum = Expr::Binary(BinaryOp::Add, Box::new(mine.into()), Box::new(other.into()));
        b.t.0.steps.push(Step::Launch(Launch {
            name: name.into(),
            grid: vec![Axis { var: block, blocks: Expr::Index(1) }],
            thread,
            threads: 32,
            resident: 0,
            follows,
            shared: vec![],
            body: vec![let_(mine, element(x)), let_(other, element(from)), store(to, sum)],
        }));
    }
    let text = emit(&verify(b.t.0).expect("a program written with care"));
    expect![[r#"
        extern "C" __global__ void __launch_bounds__(32) first(
            const double* __restrict__ x_vals, double* __restrict__ part) {
            allowNextLaunch();
            const double first_x = x_vals[0];
            const double first_other = x_vals[0];
            part[0] = first_x + first_other;
        }

        extern "C" __global__ void __launch_bounds__(32) second(
            const double* x_vals, const double* part, double* __restrict__ y_vals) {
            const double second_x = x_vals[0];
            waitForLaunch();
            allowNextLaunch();
            const double second_other = part[0];
            y_vals[0] = second_x + second_other;
        }

        extern "C" __global__ void __launch_bounds__(32) third(
            const double* y_vals, const double* x_vals, double* part) {
            const double third_x = x_vals[0];
            waitForLaunch();
            const double third_other = y_vals[0];
            part[0] = third_x + third_other;
        }
    "#]]
    .assert_eq(&text[text.find("extern").expect("a kernel")..]);
}

#[test]
fn products_of_what_varies_have_64_bits_and_what_is_bounded_has_32() {
    let mut b = Bench::new(DType::F64);
    let (y, block, thread) = (b.y, b.block, b.thread);
    let (dim, [wide, narrow, both, clamped, moving, k, l]) =
        (VarId(0), ["wide", "narrow", "both", "clamped", "moving", "k", "l"].map(|n| b.t.index(n)));
    let at = |index: Expr| Stmt::Store { buffer: y, index, value: f64_lit(0.0) };
    let text = b.body(vec![
        let_(wide, mul(block, dim)),
        let_(narrow, add(mul(block, Expr::Index(128)), thread)),
        let_(both, add(wide, narrow)),
        let_(clamped, op(IndexOp::Min, both, dim)),
        mut_(moving, Expr::Index(0)),
        at(op(IndexOp::Rem, both, dim)),
        at(op(IndexOp::Div, mul(narrow, dim), dim)),
        at(op(IndexOp::Max, both, Expr::Index(5))),
        at(mul(wide, Expr::Index(4))),
        at(add(mul(mul(block, dim), narrow), Expr::Index(1 << 40))),
        for_(k, clamped, wide, vec![Stmt::Assign { var: moving, value: add(moving, k) }]),
        for_(l, Expr::Index(0), add(clamped, Expr::Index(1)), vec![at(moving.into())]),
    ]);
    expect![[r#"
        const int block = blockIdx.x;
        const int thread = threadIdx.x;
        const long long wide = (long long)block * x1_dim;
        const int narrow = block * 128 + thread;
        const long long both = wide + narrow;
        const int clamped = (int)min(both, (long long)x1_dim);
        long long moving = 0;
        y_vals[(int)(both % x1_dim)] = 0.0;
        y_vals[(int)((long long)narrow * x1_dim / x1_dim)] = 0.0;
        y_vals[max(both, 5LL)] = 0.0;
        y_vals[wide * 4] = 0.0;
        y_vals[(long long)block * x1_dim * narrow + 1099511627776LL] = 0.0;
        for (long long k = clamped; k < wide; ++k) {
            moving += k;
        }
        for (int l = 0; l < clamped + 1; ++l) {
            y_vals[moving] = 0.0;
        }
    "#]]
    .assert_eq(&text);
}

/// Products with constants too, where one block goes over more than 32 bits count; any number of such blocks may be launched.
#[test]
fn all_products_of_far_blocks_have_64_bits() {
    let (blocks, bits): (Vec<_>, Vec<_>) = [1 << 26, 1 << 27]
        .map(|part: u64| {
            let text = format!(
                "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * x[j]; }} schedule cuda {{
                    split(i, i0, i1, {part}); split(i0, block, thread, 16);
                    parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces);
                }}"
            );
            let kernel = crate::front::parse_str(&text).unwrap();
            let program = crate::driver::compile_cuda(kernel, &crate::driver::Options::default()).unwrap().program;
            let [kernel] = &kernels(&program)[..] else { panic!("one kernel") };
            let far = emit(&program).contains("const long long i0 = ");
            (kernel.max_blocks[0], far)
        })
        .into_iter()
        .unzip();
    assert_eq!((&blocks[..], &bits[..]), (&[1, i32::MAX as u64][..], &[false, true][..]));
}

#[test]
fn scalars_follow_the_rules_of_the_language() {
    let text = |t: DType, values: &[Expr]| {
        let b = Bench::new(t);
        let y = b.y;
        b.body(values.iter().map(|v| store(y, v.clone())).collect())
    };
    let y = || load(BufferId(0), Expr::Index(1));
    let binary = |op, a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
    let unary = |op, a: Expr| Expr::Unary(op, Box::new(a));
    let floats = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, -0.0, 1e-45, f32::MAX, 1e16];
    let floats: Vec<_> = floats.into_iter().map(|v| Expr::Lit(Value::F32(v))).collect();
    expect![[r#"
        y_vals[0] = __int_as_float(0x7f800000);
        y_vals[0] = -__int_as_float(0x7f800000);
        y_vals[0] = __int_as_float(0x7fc00000);
        y_vals[0] = -__int_as_float(0x7fc00000);
        y_vals[0] = -0.0f;
        y_vals[0] = 1e-45f;
        y_vals[0] = 3.4028235e38f;
        y_vals[0] = 1e16f;
    "#]]
    .assert_eq(&text(DType::F32, &floats));
    let sum = || binary(BinaryOp::Add, y(), y());
    expect![[r#"
        y_vals[0] = -__longlong_as_double(0x7ff0000000000000);
        y_vals[0] = 0.1;
        y_vals[0] = y_vals[1] - (y_vals[1] + y_vals[1]);
        y_vals[0] = y_vals[1] + y_vals[1] - -1.0;
        y_vals[0] = fmin(y_vals[1] + y_vals[1], (double)(y_vals[1] < y_vals[1] + y_vals[1]));
        y_vals[0] = -(-y_vals[1]);
        y_vals[0] = log((double)7);
        y_vals[0] = true ? y_vals[1] : y_vals[1] + y_vals[1];
    "#]]
    .assert_eq(&text(
        DType::F64,
        &[
            Expr::Lit(Value::F64(f64::NEG_INFINITY)),
            Expr::Lit(Value::F64(0.1)),
            binary(BinaryOp::Sub, y(), sum()),
            binary(BinaryOp::Sub, sum(), Expr::Lit(Value::F64(-1.0))),
            binary(BinaryOp::Min, sum(), binary(BinaryOp::Lt, y(), sum())),
            unary(UnaryOp::Neg, unary(UnaryOp::Neg, y())),
            unary(UnaryOp::Ln, Expr::FromIndex(DType::F64, Box::new(Expr::Index(7)))),
            Expr::Select(Box::new(Expr::Cond(true)), Box::new(y()), Box::new(sum())),
        ],
    ));
    expect![[r#"
        y_vals[0] = -9223372036854775807LL - 1;
        y_vals[0] = -5LL;
        y_vals[0] = divideOrZero(wrappingAdd(y_vals[1], y_vals[1]), y_vals[1]);
        y_vals[0] = y_vals[1] ^ (y_vals[1] & ~y_vals[1]);
        y_vals[0] = wrappingAbs(wrappingNeg(y_vals[1]));
    "#]]
    .assert_eq(&text(
        DType::I64,
        &[
            Expr::Lit(Value::I64(i64::MIN)),
            Expr::Lit(Value::I64(-5)),
            binary(BinaryOp::Div, sum(), y()),
            binary(BinaryOp::Xor, y(), binary(BinaryOp::And, y(), unary(UnaryOp::Not, y()))),
            unary(UnaryOp::Abs, unary(UnaryOp::Neg, y())),
        ],
    ));
    expect![[r#"
        y_vals[0] = (unsigned char)255;
        y_vals[0] = (unsigned char)max(y_vals[1], (unsigned char)(y_vals[1] | (unsigned char)~y_vals[1]));
        y_vals[0] = wrappingMul(y_vals[1], (unsigned char)(y_vals[1] >= y_vals[1]));
    "#]]
    .assert_eq(&text(
        DType::U8,
        &[
            Expr::Lit(Value::U8(255)),
            binary(BinaryOp::Max, y(), binary(BinaryOp::Or, y(), unary(UnaryOp::Not, y()))),
            binary(BinaryOp::Mul, y(), binary(BinaryOp::Ge, y(), y())),
        ],
    ));
    expect![[r#"
        y_vals[0] = y_vals[1] & (y_vals[1] | !y_vals[1]);
        y_vals[0] = (y_vals[1] <= y_vals[1]) == (y_vals[1] ^ y_vals[1]);
        y_vals[0] = 2 != 0;
    "#]]
    .assert_eq(&text(
        DType::Bool,
        &[
            binary(BinaryOp::Min, y(), binary(BinaryOp::Max, y(), unary(UnaryOp::Not, y()))),
            binary(BinaryOp::Eq, binary(BinaryOp::Le, y(), y()), binary(BinaryOp::Xor, y(), y())),
            Expr::FromIndex(DType::Bool, Box::new(Expr::Index(2))),
        ],
    ));
}

/// What is negated and added is subtracted, also from a variable.
#[test]
fn sums_with_negated_terms_are_differences() {
    let text = |t: DType| {
        let mut b = Bench::new(t);
        let (y, sum) = (b.y, b.t.var("sum", Ty::Scalar(t)));
        let at = |n| load(y, Expr::Index(n));
        let negated = |e: Expr| Expr::Unary(UnaryOp::Neg, Box::new(e));
        let plus = |a: Expr, b: Expr| Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b));
        let (op, index) = (Monoid::Add, Expr::Index(2));
        b.body(vec![
            mut_(sum, plus(at(0), negated(plus(at(1), at(2))))),
            Stmt::Update { var: sum, op, value: negated(plus(at(1), at(2))) },
            Stmt::Update { var: sum, op: Monoid::Mul, value: negated(at(1)) },
            Stmt::Reduce { buffer: y, index, op, value: negated(sum.into()) },
        ])
    };
    expect![[r#"
        double sum = y_vals[0] - (y_vals[1] + y_vals[2]);
        sum -= y_vals[1] + y_vals[2];
        sum *= -y_vals[1];
        y_vals[2] -= sum;
    "#]]
    .assert_eq(&text(DType::F64));
    expect![[r#"
        int sum = wrappingSub(y_vals[0], wrappingAdd(y_vals[1], y_vals[2]));
        sum = wrappingSub(sum, wrappingAdd(y_vals[1], y_vals[2]));
        sum = wrappingMul(sum, wrappingNeg(y_vals[1]));
        y_vals[2] = wrappingSub(y_vals[2], sum);
    "#]]
    .assert_eq(&text(DType::I32));
}

#[test]
fn names_make_room_for_what_cuda_calls_its_own() {
    let mut b = Bench::new(DType::F64);
    let y = b.y;
    let names = ["float", "float_", "threadIdx", "β", "__half", "cudaArrayDefault", "Segment", "min", "log2"];
    let vars: Vec<_> = names.iter().map(|n| b.t.index(n)).collect();
    let mut body: Block = vars.iter().map(|v| let_(*v, Expr::Index(1))).collect();
    body.extend(vars.iter().map(|v| Stmt::Store { buffer: y, index: (*v).into(), value: f64_lit(0.0) }));
    body.truncate(vars.len() + 1);
    expect![[r#"
        const int float__ = 1;
        const int float_ = 1;
        const int threadIdx_ = 1;
        const int u3b2 = 1;
        const int x___half = 1;
        const int x_cudaArrayDefault = 1;
        const int Segment_ = 1;
        const int min_ = 1;
        const int log2 = 1;
        y_vals[float__] = 0.0;
    "#]]
    .assert_eq(&b.body(body));

    for (name, entry) in
        [("spmm", "spmm"), ("norm", "norm_"), ("expf", "expf_"), ("log2", "log2_"), ("main", "main_")]
    {
        let b = Bench::new(DType::F64);
        let mut program = b.finish(vec![]).into_program();
        let Some(Step::Launch(launch)) = program.steps.last_mut() else { panic!("it ends with a launch") };
        launch.name = name.into();
        assert_eq!(kernels(&verify(program).expect("another name"))[0].name, entry);
    }
}

#[test]
fn groups_that_wait() {
    let text = emit(&Bench::new(DType::F32).finish(vec![Stmt::Barrier(Scope::Group(8))]));
    assert!(text.contains("\n    syncGroup<8>();\n"), "{text}");
    assert!(text.contains("void syncGroup() { __syncwarp(OwnGroup::mask<G>()); }"), "{text}");
    // Nothing of monoids.
    assert!(!text.contains("Add"), "{text}");
}

#[test]
fn what_lanes_do_together() {
    let mut b = Bench::new(DType::I64);
    let (y, thread) = (b.y, b.thread);
    let own = Group { size: 16, arrive: Arrive::Group };
    let warp = Group { size: 32, arrive: Arrive::Warp };
    let (t, s) = (b.t.var("t", Ty::Scalar(DType::I64)), b.t.var("s", Ty::Segments));
    let (k, before, v) = (b.t.index("k"), b.t.index("before"), b.t.var("v", Ty::Scalar(DType::I64)));
    let reduce = |group, segments, op, write, when| {
        let (value, index) = (t.into(), k.into());
        Stmt::Collective(Collective::Reduce { group, segments, op, value, buffer: y, index, when, write })
    };
    let live = || lt(k, Expr::Index(9));
    let text = b.body(vec![
        let_(k, op(IndexOp::Div, thread, Expr::Index(4))),
        mut_(t, Expr::FromIndex(DType::I64, Box::new(k.into()))),
        Stmt::Collective(Collective::Total { var: t, op: Monoid::Max, group: own }),
        Stmt::Collective(Collective::Total { var: t, op: Monoid::Add, group: warp }),
        Stmt::Collective(Collective::Shuffle {
            var: before,
            value: k.into(),
            from: Neighbour::Previous,
            group: warp,
        }),
        Stmt::Collective(Collective::Shuffle { var: v, value: t.into(), from: Neighbour::Next, group: own }),
        Stmt::Collective(Collective::Segments { var: s, key: before.into(), group: warp }),
        reduce(warp, None, Monoid::Add, Write::Atomic, Expr::Cond(true)),
        reduce(own, None, Monoid::Min, Write::Atomic, live()),
        reduce(own, None, Monoid::Add, Write::Sole(Sole::Combine), live()),
        reduce(warp, Some(s), Monoid::Add, Write::Atomic, live()),
        reduce(warp, Some(s), Monoid::Or, Write::Sole(Sole::Store), live()),
        reduce(warp, Some(s), Monoid::Add, Write::Complete(Sole::Combine), Expr::Cond(true)),
        Stmt::Atomic { buffer: y, index: k.into(), op: Monoid::Add, value: v.into() },
        Stmt::Atomic { buffer: y, index: k.into(), op: Monoid::Max, value: v.into() },
        Stmt::Reduce { buffer: y, index: add(k, Expr::Index(1)), op: Monoid::Mul, value: v.into() },
        Stmt::Barrier(Scope::Block),
        Stmt::Barrier(Scope::WARP),
    ]);
    expect![[r#"
        const int thread = threadIdx.x;
        const int k = thread / 4;
        long long t = (long long)k;
        t = reduceGroup<long long, 16, Max, OwnGroup>(t);
        t = reduceGroup<long long, 32>(t);
        const int before = previousInGroup<int, 32>(k);
        const long long v = nextInGroup<long long, 16, OwnGroup>(t);
        const Segment s = segmentsOf<32>(before);
        atomicAddGroup<long long, 32>(y_vals, k, t);
        atomicMinGroup<long long, 16, OwnGroup>(y_vals, k, t, k < 9);
        writeGroup<long long, 16, Add, Combine, OwnGroup>(y_vals, k, t, k < 9);
        segReduceGroup<long long, 32>(y_vals, k, t, s, k < 9);
        segReduceGroup<long long, 32, Or, Store>(y_vals, k, t, s, k < 9);
        segReduceGroup<long long, 32, Add, Complete<Combine>>(y_vals, k, t, s);
        Add::atomic(&y_vals[k], v);
        atomicMax(&y_vals[k], v);
        {
            long long& element = y_vals[k + 1];
            element = wrappingMul(element, v);
        }
        __syncthreads();
        __syncwarp();
    "#]]
    .assert_eq(&text);
}
