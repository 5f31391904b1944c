//! The native code of programs written by hand, as it reads.

mod threads;

use crate::format::{FormatSpec, Level, TensorId};
use crate::llir::build::{add, and, eq, load, lt, min, mul};
use crate::llir::*;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
use expect_test::{Expect, expect};

/// Builds programs.
struct Builder(Program);

impl Builder {
    fn new(name: &str, source: &str, tensors: &[(&str, FormatSpec)]) -> Self {
        let mut tensors: Vec<Tensor> = tensors
            .iter()
            .map(|(name, spec)| Tensor {
                name: (*name).into(),
                spec: spec.clone(),
                dtype: DType::F32,
                role: Role::Input,
                dims_from: vec![],
                packed: None,
            })
            .collect();
        tensors.last_mut().expect("a result").role = Role::Result;
        Builder(Program {
            name: name.into(),
            source: source.into(),
            tensors,
            extents: vec![],
            fused: vec![],
            params: vec![],
            vars: vec![],
            buffers: vec![],
            steps: vec![],
            workspaces: vec![],
            ignored_races: vec![],
        })
    }

    fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.0.vars.push(Var { name: name.into(), ty });
        VarId(self.0.vars.len() as u32 - 1)
    }

    fn index(&mut self, name: &str) -> VarId {
        self.var(name, Ty::Index)
    }

    fn dim(&mut self, name: &str, tensor: u32, level: usize) -> VarId {
        let var = self.index(name);
        self.0.params.push(Param::Dim { var, tensor: TensorId(tensor), level });
        var
    }

    fn buffer(&mut self, name: &str, space: Space, array: Array) -> BufferId {
        let elem = match array {
            Array::Pos(..) | Array::Crd(..) => Elem::Index,
            Array::Vals(_) | Array::Local => Elem::Scalar(DType::F32),
        };
        self.0.buffers.push(Buffer { name: name.into(), elem, space, array });
        BufferId(self.0.buffers.len() as u32 - 1)
    }

    /// pos, crd and vals of a CSR matrix.
    fn csr(&mut self, name: &str, tensor: u32, space: Space) -> [BufferId; 3] {
        let t = TensorId(tensor);
        let pos_space = if space == Space::Growable { Space::Output } else { space };
        [
            self.buffer(&format!("{name}2_pos"), pos_space, Array::Pos(t, 1)),
            self.buffer(&format!("{name}2_crd"), space, Array::Crd(t, 1)),
            self.buffer(&format!("{name}_vals"), space, Array::Vals(t)),
        ]
    }
}

fn csr() -> FormatSpec {
    FormatSpec::new(vec![Level::Dense, Level::Compressed { unique: true }])
}

fn dense(rank: usize) -> FormatSpec {
    FormatSpec::new(vec![Level::Dense; rank])
}

fn times(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b))
}

fn plus(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b))
}

fn serial(var: VarId, lo: impl Into<Expr>, hi: impl Into<Expr>, body: Block) -> Stmt {
    Stmt::For { var, lo: lo.into(), hi: hi.into(), step: 1, kind: LoopKind::Serial, body }
}

fn check(program: &Program, expected: Expect) {
    let file = syn::parse_str(&super::native(program)).expect("the emitted text is Rust");
    let text = prettyplease::unparse(&file);
    let body = text.split("#[cfg(target_arch = \"x86_64\")]\n#[target_feature").next().unwrap_or(&text);
    expected.assert_eq(body);
}

#[test]
fn spmv() {
    let mut b =
        Builder::new("spmv", "y[i] = A[i, j] * x[j]", &[("A", csr()), ("x", dense(1)), ("y", dense(1))]);
    let m = b.dim("A1_dim", 0, 0);
    let [pos, crd, a] = b.csr("A", 0, Space::Input);
    let x = b.buffer("x_vals", Space::Input, Array::Vals(TensorId(1)));
    let y = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(2)));
    let (i, p, t) = (b.index("i"), b.index("pA2"), b.var("t", Ty::Scalar(DType::F32)));
    b.0.steps = vec![
        Step::Allocate { buffer: y, len: m.into(), init: None },
        Step::Run(vec![serial(
            i,
            Expr::Index(0),
            m,
            vec![
                Stmt::Mut { var: t, value: Expr::Lit(Value::F32(0.0)) },
                Stmt::For {
                    var: p,
                    lo: load(pos, i),
                    hi: load(pos, add(i, Expr::Index(1))),
                    step: 1,
                    kind: LoopKind::Reduce { var: t, op: Monoid::Add },
                    body: vec![Stmt::Update {
                        var: t,
                        op: Monoid::Add,
                        value: times(load(a, p), load(x, load(crd, p))),
                    }],
                },
                Stmt::Store { buffer: y, index: i.into(), value: t.into() },
            ],
        )]),
    ];
    check(
        &b.0,
        expect![[r#"
            /// y[i] = A[i, j] * x[j]
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
                x_vals: &[f32],
                y_vals: &mut [MaybeUninit<f32>],
            ) {
                unsafe {
                    let mut A2_begin = A2_pos.index(0);
                    for i in 0..A1_dim {
                        let A2_end = A2_pos.index(i + 1);
                        let mut t = 0.0_f32;
                        let mut next = A2_begin;
                        let end = A2_end;
                        let mut partial = [0.0_f32; 4];
                        while next + 4 <= end {
                            for offset in 0..4 {
                                let pA2 = next + offset;
                                partial[offset] = isa
                                    .mul_add(
                                        A_vals.at(pA2),
                                        x_vals.at(A2_crd.index(pA2)),
                                        partial[offset],
                                    );
                            }
                            next += 4;
                        }
                        for pA2 in next..end {
                            t = isa.mul_add(A_vals.at(pA2), x_vals.at(A2_crd.index(pA2)), t);
                        }
                        t += partial[0] + partial[1] + (partial[2] + partial[3]);
                        y_vals.set(i, t);
                        A2_begin = A2_end;
                    }
                }
            }
        "#]],
    );
}

/// What is negated and added is subtracted, but where a product is added to it by one operation.
#[test]
fn sums_with_negated_terms_are_differences() {
    let mut b = Builder::new("f", "", &[("x", dense(1)), ("y", dense(1))]);
    let m = b.dim("x1_dim", 0, 0);
    let x = b.buffer("x_vals", Space::Input, Array::Vals(TensorId(0)));
    let y = b.buffer("y_vals", Space::Output, Array::Vals(TensorId(1)));
    let t = b.var("t", Ty::Scalar(DType::F32));
    let at = |n| load(x, Expr::Index(n));
    let negated = |e: Expr| Expr::Unary(UnaryOp::Neg, Box::new(e));
    let (op, index) = (Monoid::Add, Expr::Index(2));
    let code = vec![
        Stmt::Mut { var: t, value: plus(at(0), negated(plus(at(1), at(2)))) },
        Stmt::Update { var: t, op, value: negated(times(at(3), at(4))) },
        Stmt::Update { var: t, op, value: plus(times(at(5), at(6)), negated(at(7))) },
        Stmt::Reduce { buffer: y, index, op, value: negated(t.into()) },
    ];
    let init = Some(Value::F32(0.0));
    b.0.steps = vec![Step::Allocate { buffer: y, len: m.into(), init }, Step::Run(code)];
    let file = syn::parse_str(&super::native(&b.0)).expect("the emitted text is Rust");
    let text = prettyplease::unparse(&file);
    let (_, code) = text.split_once("let mut t = ").expect("the code");
    let (code, _) = code.split_once("\n    }").expect("its end");
    let lines = code.lines().map(|line| line.trim().to_owned() + "\n");
    expect![[r#"
        x_vals.at(0) - (x_vals.at(1) + x_vals.at(2));
        t -= x_vals.at(3) * x_vals.at(4);
        t += isa.mul_add(x_vals.at(5), x_vals.at(6), -x_vals.at(7));
        y_vals.set(2, y_vals.at(2) - t);
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// Functions that vectors have are theirs, of adjacent elements and of four stored entries; others are of numbers side by side.
#[test]
fn functions_of_vectors() {
    let code = |text: &str| {
        let kernel = crate::front::parse_str(text).unwrap();
        let compiled = crate::driver::compile_kernel(kernel, &crate::driver::Options::default()).unwrap();
        super::native(compiled.program.program()).split_whitespace().collect::<String>()
    };
    for function in ["abs", "sqrt", "floor", "ceil"] {
        let dense =
            code(&format!("fn f(A: DenseMat<f64>) -> DenseVec<f64> {{ y[i] max= {function}(A[i, j]); }}"));
        assert!(dense.contains(&format!("isa.load(A_vals,i*A2_dim+j).{function}()")), "{dense}");
        let stored = code(&format!(
            "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = {function}(A[i, j]) * x[j]; }}"
        ));
        assert!(stored.contains(&format!("isa.load_four(A_vals,pA).{function}()")), "{stored}");
    }
    let other = code("fn f(A: DenseMat<f64>) -> DenseVec<f64> { y[i] = exp(A[i, j]); }");
    assert!(other.contains("A_vals.at(i*A2_dim+j).exp()") && !other.contains("isa.load(A_vals"), "{other}");
}

#[test]
fn spmm_with_lanes() {
    let mut b = Builder::new(
        "spmm",
        "C[i, k] = A[i, j] * B[j, k]",
        &[("A", csr()), ("B", dense(2)), ("C", dense(2))],
    );
    let (m, n) = (b.dim("A1_dim", 0, 0), b.dim("B2_dim", 1, 1));
    let [pos, crd, a] = b.csr("A", 0, Space::Input);
    let bv = b.buffer("B_vals", Space::Input, Array::Vals(TensorId(1)));
    let c = b.buffer("C_vals", Space::Output, Array::Vals(TensorId(2)));
    let acc = b.buffer("acc", Space::Register { len: 16 }, Array::Local);
    let [i, j, k, l, p] = ["i", "j", "k0", "l", "pA2"].map(|n| b.index(n));
    let lanes = |body| Stmt::For {
        var: l,
        lo: Expr::Index(0),
        hi: Expr::Index(16),
        step: 1,
        kind: LoopKind::Lanes,
        body: vec![body],
    };
    let at = |row: VarId| add(add(mul(row, n), k), l);
    b.0.steps = vec![
        Step::Allocate { buffer: c, len: mul(m, n), init: None },
        Step::Run(vec![serial(
            i,
            Expr::Index(0),
            m,
            vec![Stmt::For {
                var: k,
                lo: Expr::Index(0),
                hi: n.into(),
                step: 16,
                kind: LoopKind::Serial,
                body: vec![
                    Stmt::Local { buffer: acc, init: Some(Value::F32(0.0)) },
                    serial(
                        p,
                        load(pos, i),
                        load(pos, add(i, Expr::Index(1))),
                        vec![
                            Stmt::Let { var: j, value: load(crd, p) },
                            lanes(Stmt::Reduce {
                                buffer: acc,
                                index: l.into(),
                                op: Monoid::Add,
                                value: times(load(a, p), load(bv, at(j))),
                            }),
                        ],
                    ),
                    lanes(Stmt::Store { buffer: c, index: at(i), value: load(acc, l) }),
                ],
            }],
        )]),
    ];
    check(
        &b.0,
        expect![[r#"
            /// C[i, k] = A[i, j] * B[j, k]
            ///
            /// # Safety
            /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
            /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
            /// instruction set are called on processors that have it.
            #[inline(always)]
            unsafe fn body(
                isa: impl rt::Isa,
                A1_dim: usize,
                B2_dim: usize,
                A2_pos: &[i32],
                A2_crd: &[i32],
                A_vals: &[f32],
                B_vals: &[f32],
                C_vals: &mut [MaybeUninit<f32>],
            ) {
                unsafe {
                    let mut A2_begin = A2_pos.index(0);
                    for i in 0..A1_dim {
                        let A2_end = A2_pos.index(i + 1);
                        for k0 in (0..B2_dim).step_by(16) {
                            let mut acc: [f32; 16] = [0.0_f32; 16];
                            for pA2 in A2_begin..A2_end {
                                let j = A2_crd.index(pA2);
                                for l in 0..16_usize {
                                    acc[l] = isa
                                        .mul_add(
                                            A_vals.at(pA2),
                                            B_vals.at(j * B2_dim + k0 + l),
                                            acc[l],
                                        );
                                }
                            }
                            for l in 0..16_usize {
                                C_vals.set(i * B2_dim + k0 + l, acc[l]);
                            }
                        }
                        A2_begin = A2_end;
                    }
                }
            }
        "#]],
    );
}

#[test]
fn sum_into_an_appended_result() {
    let mut b =
        Builder::new("add", "A[i, j] = B[i, j] + C[i, j]", &[("B", csr()), ("C", csr()), ("A", csr())]);
    let m = b.dim("B1_dim", 0, 0);
    let [bpos, bcrd, bv] = b.csr("B", 0, Space::Input);
    let [cpos, ccrd, cv] = b.csr("C", 1, Space::Input);
    let [apos, acrd, av] = b.csr("A", 2, Space::Growable);
    let [i, pb, pbe, pc, pce, jb, jc, j] =
        ["i", "pB2", "pB2_end", "pC2", "pC2_end", "jB", "jC", "j"].map(|n| b.index(n));
    let bound = || add(load(bpos, m), load(cpos, m));
    let append = |crd: Expr, value| {
        vec![Stmt::Append { buffer: acrd, value: crd }, Stmt::Append { buffer: av, value }]
    };
    let bump = |p: VarId| Stmt::Assign { var: p, value: add(p, Expr::Index(1)) };
    let only = |p: VarId, crd, v| {
        let mut body = append(load(crd, p), load(v, p));
        body.push(bump(p));
        body
    };
    let mut both = append(j.into(), plus(load(bv, pb), load(cv, pc)));
    both.extend([bump(pb), bump(pc)]);
    let next = add(i, Expr::Index(1));
    b.0.steps = vec![
        Step::Allocate { buffer: apos, len: add(m, Expr::Index(1)), init: Some(Value::I32(0)) },
        Step::Reserve { buffer: acrd, capacity: Some(bound()), exact: false },
        Step::Reserve { buffer: av, capacity: Some(bound()), exact: false },
        Step::Run(vec![serial(
            i,
            Expr::Index(0),
            m,
            vec![
                Stmt::Mut { var: pb, value: load(bpos, i) },
                Stmt::Let { var: pbe, value: load(bpos, next.clone()) },
                Stmt::Mut { var: pc, value: load(cpos, i) },
                Stmt::Let { var: pce, value: load(cpos, next.clone()) },
                Stmt::While {
                    cond: and(lt(pb, pbe), lt(pc, pce)),
                    body: vec![
                        Stmt::Let { var: jb, value: load(bcrd, pb) },
                        Stmt::Let { var: jc, value: load(ccrd, pc) },
                        Stmt::Let { var: j, value: min(jb, jc) },
                        Stmt::If {
                            cond: and(eq(jb, j), eq(jc, j)),
                            then: both,
                            otherwise: vec![Stmt::If {
                                cond: eq(jb, j),
                                then: only(pb, bcrd, bv),
                                otherwise: only(pc, ccrd, cv),
                            }],
                        },
                    ],
                },
                Stmt::While { cond: lt(pb, pbe), body: only(pb, bcrd, bv) },
                Stmt::While { cond: lt(pc, pce), body: only(pc, ccrd, cv) },
                Stmt::Store { buffer: apos, index: next, value: Expr::Len(acrd) },
            ],
        )]),
    ];
    check(
        &b.0,
        expect![[r#"
            /// A[i, j] = B[i, j] + C[i, j]
            ///
            /// # Safety
            /// The arrays are those of tensors, whose invariants (validated on construction) keep every index in bounds;
            /// outputs have the lengths, growing ones the capacities, that the launcher computed. Functions for an
            /// instruction set are called on processors that have it.
            #[inline(always)]
            unsafe fn body(
                isa: impl rt::Isa,
                B1_dim: usize,
                B2_pos: &[i32],
                B2_crd: &[i32],
                B_vals: &[f32],
                C2_pos: &[i32],
                C2_crd: &[i32],
                C_vals: &[f32],
                A2_pos: &mut [MaybeUninit<i32>],
                A2_crd: &mut [MaybeUninit<i32>],
                A_vals: &mut [MaybeUninit<f32>],
            ) -> [usize; 1] {
                unsafe {
                    let mut A2_crd_len = 0_usize;
                    for i in 0..B1_dim {
                        let mut pB2 = B2_pos.index(i);
                        let pB2_end = B2_pos.index(i + 1);
                        let mut pC2 = C2_pos.index(i);
                        let pC2_end = C2_pos.index(i + 1);
                        if pB2 < pB2_end && pC2 < pC2_end {
                            rt::align();
                            loop {
                                let jB = B2_crd.index(pB2);
                                let jC = C2_crd.index(pC2);
                                let j = jB.min(jC);
                                if jB == j && jC == j {
                                    A2_crd.set(A2_crd_len, j as i32);
                                    A_vals.set(A2_crd_len, B_vals.at(pB2) + C_vals.at(pC2));
                                    A2_crd_len += 1;
                                    pB2 += 1;
                                    pC2 += 1;
                                    if pB2_end <= pB2 || pC2_end <= pC2 {
                                        break;
                                    }
                                } else if jB == j {
                                    A2_crd.set(A2_crd_len, B2_crd.index(pB2) as i32);
                                    A_vals.set(A2_crd_len, B_vals.at(pB2));
                                    A2_crd_len += 1;
                                    pB2 += 1;
                                    pC2 = rt::unforeseen(pC2);
                                    if pB2_end <= pB2 {
                                        break;
                                    }
                                } else {
                                    A2_crd.set(A2_crd_len, C2_crd.index(pC2) as i32);
                                    A_vals.set(A2_crd_len, C_vals.at(pC2));
                                    A2_crd_len += 1;
                                    pC2 += 1;
                                    pB2 = rt::unforeseen(pB2);
                                    if pC2_end <= pC2 {
                                        break;
                                    }
                                }
                            }
                        }
                        while pB2 < pB2_end {
                            A2_crd.set(A2_crd_len, B2_crd.index(pB2) as i32);
                            A_vals.set(A2_crd_len, B_vals.at(pB2));
                            A2_crd_len += 1;
                            pB2 += 1;
                        }
                        while pC2 < pC2_end {
                            A2_crd.set(A2_crd_len, C2_crd.index(pC2) as i32);
                            A_vals.set(A2_crd_len, C_vals.at(pC2));
                            A2_crd_len += 1;
                            pC2 += 1;
                        }
                        A2_pos.set(i + 1, A2_crd_len as i32);
                    }
                    [A2_crd_len]
                }
            }
        "#]],
    );
}
