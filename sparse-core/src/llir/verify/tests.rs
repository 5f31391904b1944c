//! One failing program for each rule, made by breaking a program that passes.

mod launches;
mod threads;
mod vectors;
mod workspaces;

use super::{Rule, verify};
use crate::format::{LevelMap, TensorId};
use crate::llir::build::add;
use crate::llir::samples::{let_, sparse_add, spmv};
use crate::llir::*;
use crate::scalar::{BinaryOp, DType, Monoid, Value};

#[track_caller]
fn rejected(rule: Rule, sample: fn() -> Program, breakage: impl FnOnce(&mut Program)) {
    let mut p = sample();
    breakage(&mut p);
    let error = verify(p).expect_err("the program breaks a rule");
    assert_eq!(error.rule, rule, "{error}");
    assert!(!error.place.is_empty() && !error.message.is_empty());
}

fn var(p: &Program, name: &str) -> VarId {
    VarId(p.vars.iter().position(|v| v.name == name).expect("a variable of the sample") as u32)
}

fn buffer(p: &Program, name: &str) -> BufferId {
    BufferId(p.buffers.iter().position(|b| b.name == name).expect("a buffer of the sample") as u32)
}

/// The code of the sample.
fn run(p: &mut Program) -> &mut Block {
    let Some(Step::Run(block)) = p.steps.last_mut() else { panic!("the sample ends with its code") };
    block
}

/// The body of SpMV's loop over rows: `let mut t`, the reduction loop, the store.
fn rows(p: &mut Program) -> &mut Block {
    let Some(Stmt::For { body, .. }) = run(p).last_mut() else { panic!("SpMV loops over rows") };
    body
}

fn reduction(p: &mut Program) -> &mut Block {
    let Stmt::For { body, .. } = &mut rows(p)[1] else { panic!("SpMV reduces over positions") };
    body
}

#[test]
fn samples_pass() {
    assert!(verify(spmv()).is_ok());
    assert!(verify(sparse_add()).is_ok());
}

#[test]
fn ids() {
    rejected(Rule::Ids, spmv, |p| run(p).push(let_(VarId(99), Expr::Index(0))));
    rejected(Rule::Ids, spmv, |p| p.buffers[0].array = Array::Pos(TensorId(9), 1));
    rejected(Rule::Ids, sparse_add, |p| {
        run(p).push(Stmt::Append { buffer: BufferId(99), value: Expr::Index(0) });
    });
}

#[test]
fn names() {
    rejected(Rule::Names, spmv, |p| p.vars[0].name = "loop".into());
    rejected(Rule::Names, spmv, |p| p.vars[0].name = "1x".into());
    rejected(Rule::Names, spmv, |p| p.vars[0].name = p.buffers[0].name.clone());
    // One hides the other.
    rejected(Rule::Names, spmv, |p| p.vars[2].name = p.vars[1].name.clone());
    rejected(Rule::Names, spmv, |p| p.vars[1].name = p.vars[0].name.clone());
}

#[test]
fn tensors() {
    rejected(Rule::Tensors, spmv, |p| p.tensors[2].role = Role::Input);
    rejected(Rule::Tensors, spmv, |p| p.tensors[2].dims_from.clear());
    rejected(Rule::Tensors, spmv, |p| p.tensors[2].dims_from = vec![(TensorId(0), 2)]);
    rejected(Rule::Tensors, spmv, |p| p.tensors[2].role = Role::ResultLike(TensorId(0), 2));
    rejected(Rule::Tensors, spmv, |p| p.tensors[0].spec.map = LevelMap::Permutation(vec![1, 1]));
}

#[test]
fn extents() {
    rejected(Rule::Extents, spmv, |p| p.extents[0].sources.push((TensorId(1), 1)));
    rejected(Rule::Extents, spmv, |p| p.extents[0].sources.push((TensorId(2), 0)));
}

#[test]
fn params() {
    rejected(Rule::Params, spmv, |p| p.params.push(p.params[0].clone()));
    rejected(Rule::Params, spmv, |p| p.params[0] = Param::Scalar { var: VarId(0), index: 0 });
    rejected(Rule::Params, spmv, |p| {
        p.params[0] = Param::Dim { var: VarId(0), tensor: TensorId(1), level: 1 };
    });
}

#[test]
fn buffers() {
    rejected(Rule::Buffers, spmv, |p| p.buffers[0].elem = Elem::Scalar(DType::F64));
    rejected(Rule::Buffers, spmv, |p| p.buffers[2].elem = Elem::Scalar(DType::F32));
    rejected(Rule::Buffers, spmv, |p| p.buffers[2].space = Space::InOut);
    rejected(Rule::Buffers, spmv, |p| p.buffers[0].array = Array::Pos(TensorId(0), 0));
    rejected(Rule::Buffers, spmv, |p| p.buffers[1].array = p.buffers[0].array);
    rejected(Rule::Buffers, sparse_add, |p| p.buffers.truncate(8));
}

#[test]
fn types() {
    rejected(Rule::Types, spmv, |p| {
        rows(p)[0] = Stmt::Mut { var: var(&spmv(), "t"), value: Expr::Index(0) };
    });
    rejected(Rule::Types, spmv, |p| {
        let t = var(p, "t");
        rows(p).push(Stmt::Update { var: t, op: Monoid::And, value: t.into() });
    });
    rejected(Rule::Types, spmv, |p| {
        let t = var(p, "t");
        let value = Expr::Binary(BinaryOp::Xor, Box::new(t.into()), Box::new(t.into()));
        rows(p).push(Stmt::Assign { var: t, value });
    });
    rejected(Rule::Types, spmv, |p| {
        let (y, i) = (buffer(p, "y_vals"), var(p, "i"));
        rows(p).push(Stmt::Store { buffer: y, index: i.into(), value: i.into() });
    });
    rejected(Rule::Types, sparse_add, |p| {
        if let Step::Allocate { init, .. } = &mut p.steps[0] {
            *init = Some(Value::F64(0.0));
        }
    });
}

#[test]
fn scope() {
    // Used after its block.
    rejected(Rule::Scope, spmv, |p| {
        let (y, j, t) = (buffer(p, "y_vals"), var(p, "j"), var(p, "t"));
        rows(p).push(Stmt::Store { buffer: y, index: j.into(), value: t.into() });
    });
    // Used before its declaration.
    rejected(Rule::Scope, spmv, |p| rows(p).swap(0, 1));
    // Declared twice.
    rejected(Rule::Scope, spmv, |p| {
        let first = rows(p)[0].clone();
        rows(p).push(first);
    });
    // A parameter declared again.
    rejected(Rule::Scope, spmv, |p| run(p).push(let_(VarId(0), Expr::Index(0))));
}

#[test]
fn mutability() {
    rejected(Rule::Mutability, spmv, |p| {
        let j = var(p, "j");
        reduction(p).push(Stmt::Assign { var: j, value: Expr::Index(0) });
    });
    rejected(Rule::Mutability, spmv, |p| {
        let i = var(p, "i");
        rows(p).push(Stmt::Assign { var: i, value: Expr::Index(0) });
    });
}

#[test]
fn space() {
    rejected(Rule::Space, spmv, |p| {
        let x = buffer(p, "x_vals");
        let value = Expr::Lit(Value::F64(0.0));
        run(p).push(Stmt::Store { buffer: x, index: Expr::Index(0), value });
    });
    rejected(Rule::Space, spmv, |p| {
        let y = buffer(p, "y_vals");
        run(p).push(Stmt::Append { buffer: y, value: Expr::Lit(Value::F64(0.0)) });
    });
    rejected(Rule::Space, sparse_add, |p| {
        let (a_pos, b_vals) = (buffer(p, "a1_pos"), buffer(p, "b_vals"));
        let value = build::search(Bound::Lower, b_vals, Expr::Index(0), Expr::Index(0), Expr::Index(0));
        run(p).push(Stmt::Store { buffer: a_pos, index: Expr::Index(0), value });
    });
    rejected(Rule::Space, sparse_add, |p| {
        let a_pos = buffer(p, "a1_pos");
        run(p).push(Stmt::Store { buffer: a_pos, index: Expr::Index(0), value: Expr::Len(a_pos) });
    });
    rejected(Rule::Space, sparse_add, |p| {
        let (a_pos, a_crd, thread) = (buffer(p, "a1_pos"), buffer(p, "a1_crd"), VarId(p.vars.len() as u32));
        p.vars.push(Var { name: "thread".into(), ty: Ty::Index });
        p.vars.push(Var { name: "block".into(), ty: Ty::Index });
        let grid = vec![Axis { var: VarId(thread.0 + 1), blocks: Expr::Index(1) }];
        let body = vec![Stmt::Store { buffer: a_pos, index: Expr::Index(0), value: Expr::Len(a_crd) }];
        let launch = Launch::new("f".into(), grid, (thread, 32), body);
        p.steps.push(Step::Launch(launch));
    });
}

#[test]
fn allocation() {
    rejected(Rule::Allocation, spmv, |p| p.steps.swap(0, 1));
    rejected(Rule::Allocation, spmv, |p| p.steps.insert(0, p.steps[0].clone()));
    rejected(Rule::Allocation, spmv, |p| p.steps.clear());
    rejected(Rule::Allocation, sparse_add, |p| {
        let buffer = buffer(p, "a1_pos");
        p.steps[0] = Step::Reserve { buffer, capacity: None, exact: false };
    });
    rejected(Rule::Allocation, sparse_add, |p| {
        let buffer = buffer(p, "a1_crd");
        p.steps[1] = Step::Reserve { buffer, capacity: None, exact: false };
        let Some(Step::Run(code)) = p.steps.last_mut() else { panic!("it runs") };
        code.push(Stmt::AppendN { buffer, count: Expr::Index(1), value: None });
    });
}

#[test]
fn registers() {
    fn with_register() -> (Program, BufferId) {
        let mut p = spmv();
        p.buffers.push(Buffer {
            name: "r".into(),
            elem: Elem::Scalar(DType::F64),
            space: Space::Register { len: 4 },
            array: Array::Local,
        });
        let r = buffer(&p, "r");
        (p, r)
    }
    let (_, r) = with_register();
    let declare = || Stmt::Local { buffer: r, init: Some(Value::F64(0.0)) };
    let write = || Stmt::Store { buffer: r, index: Expr::Index(0), value: Expr::Lit(Value::F64(1.0)) };
    let sample = || with_register().0;
    let mut fine = sample();
    run(&mut fine).extend([declare(), write()]);
    assert!(verify(fine).is_ok());
    rejected(Rule::Registers, sample, |p| run(p).extend([write(), declare()]));
    rejected(Rule::Registers, sample, |p| run(p).extend([declare(), declare()]));
    rejected(Rule::Registers, sample, |p| {
        rows(p).push(declare());
        run(p).push(write());
    });
}

/// The sample with a scratch array `w`.
fn with_scratch(sample: fn() -> Program) -> (Program, BufferId) {
    let mut p = sample();
    p.buffers.push(Buffer {
        name: "w".into(),
        elem: Elem::Scalar(DType::F64),
        space: Space::Scratch,
        array: Array::Local,
    });
    let w = buffer(&p, "w");
    (p, w)
}

#[test]
fn scratch_arrays() {
    let (_, w) = with_scratch(spmv);
    let declare = || Stmt::Alloc { buffer: w, len: VarId(0).into(), init: Init::Value(Value::F64(0.0)) };
    let write = || Stmt::Store { buffer: w, index: Expr::Index(0), value: Expr::Lit(Value::F64(1.0)) };
    let sample = || with_scratch(spmv).0;
    let mut fine = sample();
    run(&mut fine).extend([declare(), write()]);
    assert!(verify(fine).is_ok());
    rejected(Rule::Registers, sample, |p| run(p).extend([write(), declare()]));
    rejected(Rule::Registers, sample, |p| run(p).extend([declare(), declare()]));
    rejected(Rule::Registers, sample, |p| {
        rows(p).push(declare());
        run(p).push(write());
    });
    rejected(Rule::Types, sample, |p| {
        run(p).push(Stmt::Alloc { buffer: w, len: VarId(0).into(), init: Init::Value(Value::F32(0.0)) });
    });
    // What is kept are indices.
    rejected(Rule::Types, sample, |p| {
        run(p).push(Stmt::Alloc { buffer: w, len: VarId(0).into(), init: Init::Kept });
    });
    rejected(Rule::Types, sample, |p| {
        let len = Expr::Lit(Value::F64(3.0));
        run(p).push(Stmt::Alloc { buffer: w, len, init: Init::Value(Value::F64(0.0)) });
    });
    rejected(Rule::Buffers, sample, |p| p.buffers[w.index()].array = Array::Vals(TensorId(0)));
}

#[test]
fn loops() {
    fn inner(p: &mut Program, change: impl FnOnce(&mut u32, &mut LoopKind)) {
        let Stmt::For { step, kind, .. } = &mut rows(p)[1] else { panic!("SpMV reduces over positions") };
        change(step, kind);
    }
    rejected(Rule::Loops, spmv, |p| inner(p, |step, _| *step = 0));
    rejected(Rule::Loops, spmv, |p| inner(p, |_, kind| *kind = LoopKind::Lanes));
    // Another operator than the updates'.
    rejected(Rule::Loops, spmv, |p| {
        let var = var(p, "t");
        inner(p, |_, kind| *kind = LoopKind::Reduce { var, op: Monoid::Max });
    });
    // Updated twice, and read.
    rejected(Rule::Loops, spmv, |p| {
        let second = reduction(p)[1].clone();
        reduction(p).push(second);
    });
    rejected(Rule::Loops, spmv, |p| {
        let (y, i, t) = (buffer(p, "y_vals"), var(p, "i"), var(p, "t"));
        reduction(p).push(Stmt::Store { buffer: y, index: i.into(), value: t.into() });
    });
    rejected(Rule::Loops, spmv, |p| inner(p, |_, kind| *kind = LoopKind::Unroll(0)));
    // Updated below the top level.
    rejected(Rule::Loops, spmv, |p| {
        let then = vec![reduction(p).remove(1)];
        reduction(p).push(Stmt::If { cond: Expr::Cond(true), then, otherwise: vec![] });
    });
}

#[test]
fn lanes_over_a_moving_window_have_a_constant_trip_count() {
    let mut p = spmv();
    p.vars.push(Var { name: "k".into(), ty: Ty::Index });
    let (i, k) = (var(&p, "i"), var(&p, "k"));
    rows(&mut p).push(Stmt::For {
        var: k,
        lo: i.into(),
        hi: add(i, Expr::Index(4)),
        step: 1,
        kind: LoopKind::Lanes,
        body: vec![],
    });
    assert!(verify(p).is_ok());
}

#[test]
fn host() {
    rejected(Rule::Host, sparse_add, |p| {
        let a_pos = buffer(p, "a1_pos");
        if let Step::Reserve { capacity, .. } = &mut p.steps[1] {
            *capacity = Some(build::load(a_pos, Expr::Index(0)));
        }
    });
    rejected(Rule::Host, spmv, |p| {
        let buffer = buffer(p, "x_vals");
        p.steps.push(Step::Fill { buffer, value: Value::F64(0.0) });
    });
}
