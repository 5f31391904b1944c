//! Loops on threads, and unrolled ones, as they read. Whole programs are among the golden files, which are run too.

use super::{Builder, check, csr, dense, serial};
use crate::emit::rust::names::Names;
use crate::emit::rust::tasks::Task;
use crate::format::TensorId;
use crate::llir::build::{add, load, mul};
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};
use expect_test::expect;

fn sample() -> Builder {
    Builder::new("sample", "y[i] = A[i, j]", &[("A", csr()), ("y", dense(1))])
}

fn on_threads(var: VarId, hi: impl Into<Expr>, body: Block) -> Stmt {
    let (lo, hi, work) = (Expr::Index(0), hi.into(), Expr::Index(9));
    Stmt::Threads { var, lo, hi, work, balance: vec![], private: None, appends: None, body }
}

#[test]
fn an_atomic_update() {
    let mut b = sample();
    let m = b.dim("A1_dim", 0, 0);
    let [pos, crd, vals] = b.csr("A", 0, Space::Input);
    let y = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(1)));
    let p = b.index("p");
    let update = Stmt::Atomic { buffer: y, index: load(crd, p), op: Monoid::Min, value: load(vals, p) };
    b.0.steps = vec![
        Step::Allocate { buffer: y, len: m.into(), init: Some(Value::F32(f32::INFINITY)) },
        Step::Run(vec![on_threads(p, load(pos, m), vec![update])]),
    ];
    check(
        &b.0,
        expect![[r#"
            /// y[i] = A[i, j]
            ///
            /// # Safety
            /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
            /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
            /// instruction set are called on processors that have it.
            #[inline(always)]
            unsafe fn body(
                isa: impl rt::Isa,
                A1_dim: usize,
                A2_pos: &[i32],
                A2_crd: &[i32],
                A_vals: &[f32],
                y_vals: &mut [MaybeUninit<f32>],
            ) {
                unsafe {
                    rt::threads(
                        isa,
                        &Task_p {
                            A2_crd,
                            A_vals,
                            y_vals: y_vals.shared(),
                        },
                        0..A2_pos.index(A1_dim),
                        9,
                        rt::Even,
                    );
                }
            }
            /// What the iterations of `p` capture.
            struct Task_p<'a> {
                A2_crd: &'a [i32],
                A_vals: &'a [f32],
                y_vals: rt::Shared<f32>,
            }
            impl rt::Task for Task_p<'_> {
                type Appended = ();
                unsafe fn run(&self, isa: rt::Level, chunk: rt::Chunk) {
                    let Task_p { A2_crd, A_vals, ref y_vals } = *self;
                    let body_p = match isa {
                        #[cfg(target_arch = "x86_64")]
                        rt::Level::Avx512 => avx512_p,
                        #[cfg(target_arch = "x86_64")]
                        rt::Level::Avx2 => avx2_p,
                        _ => baseline_p,
                    };
                    unsafe { body_p(chunk, A2_crd, A_vals, y_vals) }
                }
            }
            /// Iterations of `p`.
            ///
            /// # Safety
            /// As for `body`, and no other thread runs these.
            #[inline(always)]
            unsafe fn body_p(
                isa: impl rt::Isa,
                chunk: rt::Chunk,
                A2_crd: &[i32],
                A_vals: &[f32],
                y_vals: &rt::Shared<f32>,
            ) {
                unsafe {
                    for p in chunk.lo..chunk.hi {
                        y_vals.combine(chunk.alone, A2_crd.index(p), A_vals.at(p), rt::monoid::Min);
                    }
                }
            }
        "#]],
    );
}

#[test]
fn unrolled_loops() {
    let mut b = sample();
    let m = b.dim("A1_dim", 0, 0);
    let y = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(1)));
    let store =
        |i: VarId| vec![Stmt::Store { buffer: y, index: i.into(), value: Expr::Lit(Value::F32(1.0)) }];
    let mut unroll = |name, lo: Expr, hi: Expr, step, copies| {
        let var = b.index(name);
        Stmt::For { var, lo, hi, step, kind: LoopKind::Unroll(copies), body: store(var) }
    };
    let n = Expr::Index;
    let code = vec![
        unroll("any", n(0), m.into(), 1, 2),
        unroll("steps", n(1), m.into(), 3, 2),
        unroll("few", add(m, n(1)), add(m, n(4)), 1, 4),
        unroll("many", n(0), m.into(), 2, 100),
    ];
    b.0.steps = vec![Step::Allocate { buffer: y, len: m.into(), init: None }, Step::Run(code)];
    check(
        &b.0,
        expect![[r#"
            /// y[i] = A[i, j]
            ///
            /// # Safety
            /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
            /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
            /// instruction set are called on processors that have it.
            #[inline(always)]
            unsafe fn body(isa: impl rt::Isa, A1_dim: usize, y_vals: &mut [MaybeUninit<f32>]) {
                unsafe {
                    let mut next = 0_usize;
                    let end = A1_dim;
                    while next + 1 < end {
                        {
                            let any = next;
                            y_vals.set(any, 1.0_f32);
                        }
                        {
                            let any = next + 1;
                            y_vals.set(any, 1.0_f32);
                        }
                        next += 2;
                    }
                    for any in next..end {
                        y_vals.set(any, 1.0_f32);
                    }
                    let mut next = 1_usize;
                    let end = A1_dim;
                    while next + 3 < end {
                        {
                            let steps = next;
                            y_vals.set(steps, 1.0_f32);
                        }
                        {
                            let steps = next + 3;
                            y_vals.set(steps, 1.0_f32);
                        }
                        next += 6;
                    }
                    for steps in (next..end).step_by(3) {
                        y_vals.set(steps, 1.0_f32);
                    }
                    {
                        let next = A1_dim + 1;
                        {
                            let few = next;
                            y_vals.set(few, 1.0_f32);
                        }
                        {
                            let few = next + 1;
                            y_vals.set(few, 1.0_f32);
                        }
                        {
                            let few = next + 2;
                            y_vals.set(few, 1.0_f32);
                        }
                    }
                    let mut next = 0_usize;
                    let end = A1_dim;
                    while next + 198 < end {
                        for many in (next..next + 200).step_by(2) {
                            y_vals.set(many, 1.0_f32);
                        }
                        next += 200;
                    }
                    for many in (next..end).step_by(2) {
                        y_vals.set(many, 1.0_f32);
                    }
                }
            }
        "#]],
    );
}

#[test]
fn what_hangs_on_the_row_size_is_computed_again() {
    let mut b = Builder::new("sample", "C[i, k] = B[i, k]", &[("B", dense(2)), ("C", dense(2))]);
    let (m, n) = (b.dim("B1_dim", 0, 0), b.dim("B2_dim", 0, 1));
    let c = b.buffer("C_vals", Space::Output, Array::Vals(TensorId(1)));
    let [double, end, changing, mixed, rows, i, k0, lane, k] =
        ["double", "end", "changing", "mixed", "rows", "i", "k0", "lane", "k"].map(|n| b.index(n));
    let value = || Expr::Lit(Value::F32(1.0));
    let tile = Stmt::For {
        var: lane,
        lo: Expr::Index(0),
        hi: Expr::Index(8),
        step: 1,
        kind: LoopKind::Lanes,
        body: vec![Stmt::Store { buffer: c, index: add(add(mul(i, n), k0), lane), value: value() }],
    };
    let tiles = Stmt::For {
        var: k0,
        lo: Expr::Index(0),
        hi: end.into(),
        step: 8,
        kind: LoopKind::Serial,
        body: vec![tile],
    };
    let rest = vec![Stmt::Store { buffer: c, index: add(mul(i, rows), k), value: value() }];
    let eighth = Expr::IndexOp(IndexOp::Div, Box::new(n.into()), Box::new(Expr::Index(8)));
    let code = vec![
        Stmt::Let { var: end, value: mul(eighth, Expr::Index(8)) },
        Stmt::Let { var: double, value: add(end, end) },
        Stmt::Mut { var: changing, value: Expr::Index(0) },
        Stmt::Let { var: mixed, value: add(end, changing) },
        Stmt::Let { var: rows, value: add(m, m) },
        Stmt::Assign { var: changing, value: n.into() },
        on_threads(i, m, vec![serial(k, mixed, double, rest), tiles]),
    ];
    b.0.steps = vec![Step::Run(code)];
    let names = Names::new(&b.0);
    let Step::Run(code) = &b.0.steps[0] else { panic!("code") };
    let task = Task::of(&names, code.last().expect("the loop")).expect("a loop on threads");
    let (again, captured) = task.captures.variables();
    let name = |v: &VarId| b.0.var(*v).name.clone();
    assert_eq!(again.iter().map(name).collect::<Vec<_>>(), ["end", "double"]);
    // What was computed from a variable that has changed since is passed on, as is what has nothing to do with rows.
    assert_eq!(captured.iter().map(name).collect::<Vec<_>>(), ["B2_dim", "mixed", "rows"]);
}

#[test]
fn memory_of_a_workspace_is_kept() {
    let mut b = sample();
    let m = b.dim("A1_dim", 0, 0);
    let y = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(1)));
    let [w, v] = ["w", "v"].map(|n| b.buffer(n, Space::Scratch, Array::Local));
    let (i, j, t) = (b.index("i"), b.index("j"), b.var("t", Ty::Scalar(DType::F32)));
    let alloc = |buffer| Stmt::Alloc { buffer, len: m.into(), init: Init::Value(Value::F32(0.0)) };
    let sum = |array, var| Stmt::For {
        var,
        lo: Expr::Index(0),
        hi: m.into(),
        step: 1,
        kind: LoopKind::Reduce { var: t, op: Monoid::Add },
        body: vec![Stmt::Update { var: t, op: Monoid::Add, value: load(array, var) }],
    };
    let code = vec![
        alloc(v),
        serial(
            i,
            Expr::Index(0),
            m,
            vec![
                alloc(w),
                Stmt::Mut { var: t, value: Expr::Lit(Value::F32(0.0)) },
                sum(w, j),
                Stmt::Reduce { buffer: v, index: i.into(), op: Monoid::Add, value: t.into() },
                Stmt::Store { buffer: y, index: i.into(), value: load(v, i) },
            ],
        ),
    ];
    b.0.steps = vec![Step::Allocate { buffer: y, len: m.into(), init: None }, Step::Run(code)];
    check(
        &b.0,
        expect![[r#"
            /// y[i] = A[i, j]
            ///
            /// # Safety
            /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
            /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
            /// instruction set are called on processors that have it.
            #[inline(always)]
            unsafe fn body(isa: impl rt::Isa, A1_dim: usize, y_vals: &mut [MaybeUninit<f32>]) {
                unsafe {
                    let mut v_memory = rt::Scratch::<f32>::new();
                    let mut w_memory = rt::Scratch::<f32>::new();
                    let v = v_memory.array(A1_dim, 0.0_f32);
                    for i in 0..A1_dim {
                        let w = w_memory.array(A1_dim, 0.0_f32);
                        let mut t = 0.0_f32;
                        let mut next = 0_usize;
                        let end = A1_dim;
                        let width = isa.width::<f32>();
                        if next + width <= end {
                            let mut partial = isa.splat(-0.0_f32);
                            if next + 8 * width <= end {
                                let mut each = [isa.splat(-0.0_f32); 4];
                                each[0] = partial;
                                while next + 8 * width <= end {
                                    for offset in 0..8 {
                                        let j = next + offset * width;
                                        each[offset % 4] += isa.load(w, j);
                                    }
                                    next += 8 * width;
                                }
                                partial = rt::sum(each);
                            }
                            if next + 2 * width <= end {
                                let mut each = [isa.splat(-0.0_f32); 2];
                                each[0] = partial;
                                while next + 2 * width <= end {
                                    for offset in 0..2 {
                                        let j = next + offset * width;
                                        each[offset] += isa.load(w, j);
                                    }
                                    next += 2 * width;
                                }
                                partial = rt::sum(each);
                            }
                            if next + width <= end {
                                let j = next;
                                partial += isa.load(w, j);
                                next += width;
                            }
                            t += partial.sum();
                        }
                        for j in next..end {
                            t += w.at(j);
                        }
                        v.set(i, v.at(i) + t);
                        y_vals.set(i, v.at(i));
                    }
                }
            }
        "#]],
    );
}

/// A loop on threads that stores the sums, or products, of a matrix' rows times a vector's elements.
fn rows_times(b: &mut Builder, op: Monoid, a: [BufferId; 3], (x, y): (BufferId, BufferId), m: VarId) -> Stmt {
    let [pos, crd, vals] = a;
    let (i, p, j) = (b.index("i"), b.index("p"), b.index("j"));
    let product = mul_scalars(load(vals, p), load(x, j));
    let body = vec![
        Stmt::Let { var: j, value: load(crd, p) },
        Stmt::Reduce { buffer: y, index: i.into(), op, value: product },
    ];
    let entries = serial(p, load(pos, i), load(pos, add(i, Expr::Index(1))), body);
    on_threads(i, m, vec![entries])
}

fn mul_scalars(a: Expr, b: Expr) -> Expr {
    Expr::Binary(crate::scalar::BinaryOp::Mul, Box::new(a), Box::new(b))
}

/// Loops that do the same to other arrays share their functions, also if one writes what the other reads; others do not.
#[test]
fn loops_that_do_the_same() {
    for (second, functions) in [(Monoid::Add, 1), (Monoid::Mul, 2)] {
        let mut b = sample();
        let m = b.dim("A1_dim", 0, 0);
        let a = b.csr("A", 0, Space::Input);
        let [x, y] = ["x", "y"].map(|name| b.buffer(name, Space::Scratch, Array::Local));
        let z = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(1)));
        let zeros = |buffer| Stmt::Alloc { buffer, len: m.into(), init: Init::Value(Value::F32(0.0)) };
        let first = rows_times(&mut b, Monoid::Add, a, (x, y), m);
        let second = rows_times(&mut b, second, a, (y, z), m);
        b.0.steps = vec![
            Step::Allocate { buffer: z, len: m.into(), init: Some(Value::F32(0.0)) },
            Step::Run(vec![zeros(x), zeros(y), first, second]),
        ];
        let text: String = crate::emit::rust::native(&b.0).split_whitespace().collect();
        assert_eq!(text.matches("implrt::Taskfor").count(), functions, "{text}");
        let shared = "&Task_i{A2_pos,A2_crd,A_vals,operand:&*y,y:y_vals.shared()}";
        assert_eq!(text.contains(shared), functions == 1, "{text}");
    }
}
