//! Loops on threads that break their rule.

use super::{buffer, reduction, rejected, rows, run, var, with_scratch};
use crate::llir::samples::{column_sums, mut_, sparse_add, spmv, spmv_on_threads};
use crate::llir::verify::{Rule, verify};
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};

/// Column sums in a copy for each thread.
fn with_copies() -> Program {
    column_sums(Some(Monoid::Add), |buffer, index, value| {
        vec![Stmt::Reduce { buffer, index, op: Monoid::Add, value }]
    })
}

/// Column sums by atomic updates.
fn with_atomics() -> Program {
    column_sums(None, |buffer, index, value| vec![Stmt::Atomic { buffer, index, op: Monoid::Add, value }])
}

/// The body of the loop on threads.
fn shared(p: &mut Program) -> &mut Block {
    let Some(Stmt::Threads { body, .. }) = run(p).last_mut() else { panic!("the sample has threads") };
    body
}

fn on_threads(var: VarId, body: Block) -> Stmt {
    let (lo, hi, work) = (Expr::Index(0), Expr::Index(2), Expr::Index(9));
    Stmt::Threads { var, lo, hi, work, balance: vec![], private: None, appends: None, body }
}

#[test]
fn samples_pass() {
    assert!(verify(spmv_on_threads()).is_ok());
    assert!(verify(with_copies()).is_ok());
    assert!(verify(with_atomics()).is_ok());
}

#[test]
fn threads_change_nothing_that_they_share() {
    let outer = || {
        let mut p = spmv_on_threads();
        p.vars.push(Var { name: "total".into(), ty: Ty::Scalar(DType::F64) });
        p.vars.push(Var { name: "last".into(), ty: Ty::Index });
        let (total, last) = (var(&p, "total"), var(&p, "last"));
        run(&mut p).insert(0, mut_(total, Expr::Lit(Value::F64(0.0))));
        run(&mut p).insert(0, mut_(last, Expr::Index(0)));
        p
    };
    assert!(verify(outer()).is_ok());
    rejected(Rule::Threads, outer, |p| {
        let (total, t) = (var(p, "total"), var(p, "t"));
        shared(p).push(Stmt::Update { var: total, op: Monoid::Add, value: t.into() });
    });
    rejected(Rule::Threads, outer, |p| {
        let (last, i) = (var(p, "last"), var(p, "i"));
        shared(p).push(Stmt::Assign { var: last, value: i.into() });
    });
    // A reduction that leaves the loop.
    rejected(Rule::Threads, outer, |p| {
        let total = var(p, "total");
        let Stmt::For { kind, body, .. } = &mut shared(p)[1] else { panic!("a row's reduction") };
        *kind = LoopKind::Reduce { var: total, op: Monoid::Add };
        let Some(Stmt::Update { var, .. }) = body.last_mut() else { panic!("an update") };
        *var = total;
    });
    rejected(Rule::Threads, sparse_add, |p| {
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        let (n, values) = (var(p, "n"), buffer(p, "a_vals"));
        let value = Expr::Lit(Value::F64(0.0));
        run(p).push(on_threads(n, vec![Stmt::Append { buffer: values, value }]));
    });
}

#[test]
fn registers_belong_to_one_thread() {
    let sample = || {
        let mut p = spmv_on_threads();
        p.buffers.push(Buffer {
            name: "r".into(),
            elem: Elem::Scalar(DType::F64),
            space: Space::Register { len: 4 },
            array: Array::Local,
        });
        p
    };
    let r = buffer(&sample(), "r");
    let declare = || Stmt::Local { buffer: r, init: Some(Value::F64(0.0)) };
    let read = |p: &Program| Stmt::Assign { var: var(p, "t"), value: build::load(r, Expr::Index(0)) };
    let mut fine = sample();
    let stmts = [declare(), read(&fine)];
    shared(&mut fine).extend(stmts);
    assert!(verify(fine).is_ok());
    rejected(Rule::Threads, sample, |p| {
        run(p).insert(0, declare());
        let read = read(p);
        shared(p).push(read);
    });
}

#[test]
fn scratch_arrays_of_outside_are_shared() {
    let (mut p, w) = with_scratch(with_atomics);
    let zero = Value::F64(0.0);
    run(&mut p).insert(0, Stmt::Alloc { buffer: w, len: VarId(1).into(), init: Init::Value(zero) });
    let (op, value) = (Monoid::Max, Expr::Lit(zero));
    shared(&mut p).push(Stmt::Atomic { buffer: w, index: Expr::Index(0), op, value });
    assert!(verify(p.clone()).is_ok());
    // One of an iteration's own is not.
    let declared = run(&mut p).remove(0);
    shared(&mut p).insert(0, declared);
    assert_eq!(verify(p).expect_err("no thread shares it").rule, Rule::Threads);
}

#[test]
fn threads_are_not_nested() {
    rejected(Rule::Threads, spmv_on_threads, |p| {
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        let n = var(p, "n");
        shared(p).push(on_threads(n, vec![]));
    });
    // Nor are they inside a reduction.
    rejected(Rule::Threads, spmv, |p| {
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        let n = var(p, "n");
        reduction(p).push(on_threads(n, vec![]));
    });
}

#[test]
fn threads_are_balanced_by_positions() {
    fn balance(p: &mut Program, by: &str) {
        let by = buffer(p, by);
        let Some(Stmt::Threads { balance, .. }) = run(p).last_mut() else { panic!("the sample has threads") };
        *balance = vec![by];
    }
    rejected(Rule::Threads, spmv_on_threads, |p| balance(p, "A2_crd"));
    rejected(Rule::Allocation, sparse_add, |p| {
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        let (n, pos) = (var(p, "n"), buffer(p, "a1_pos"));
        let mut early = on_threads(n, vec![]);
        if let Stmt::Threads { balance, .. } = &mut early {
            *balance = vec![pos];
        }
        p.steps.insert(0, Step::Run(vec![early]));
    });
    rejected(Rule::Types, spmv_on_threads, |p| {
        let Some(Stmt::Threads { work, .. }) = run(p).last_mut() else { panic!("the sample has threads") };
        *work = Expr::Lit(Value::F64(1.0));
    });
}

#[test]
fn copies_are_reduced_into_and_nothing_else() {
    fn private(p: &mut Program) -> &mut (BufferId, Monoid) {
        let Some(Stmt::Threads { private: Some(private), .. }) = run(p).last_mut() else {
            panic!("the sample has copies")
        };
        private
    }
    rejected(Rule::Threads, with_copies, |p| private(p).1 = Monoid::Mul);
    rejected(Rule::Types, with_copies, |p| private(p).1 = Monoid::Or);
    rejected(Rule::Threads, with_copies, |p| private(p).0 = buffer(&with_copies(), "A_vals"));
    let value = || Expr::Lit(Value::F64(1.0));
    let y = buffer(&with_copies(), "y_vals");
    rejected(Rule::Threads, with_copies, |p| {
        shared(p).push(Stmt::Store { buffer: y, index: Expr::Index(0), value: value() });
    });
    rejected(Rule::Threads, with_copies, |p| {
        let (op, index) = (Monoid::Add, Expr::Index(0));
        shared(p).push(Stmt::Atomic { buffer: y, index, op, value: value() });
    });
    rejected(Rule::Threads, with_copies, |p| {
        let value = build::load(y, Expr::Index(1));
        shared(p).push(Stmt::Reduce { buffer: y, index: Expr::Index(0), op: Monoid::Add, value });
    });
}

#[test]
fn atomic_updates_are_of_what_threads_share() {
    let value = || Expr::Lit(Value::F64(1.0));
    let atomic = |buffer, op| Stmt::Atomic { buffer, index: Expr::Index(0), op, value: value() };
    rejected(Rule::Threads, spmv, |p| {
        let y = buffer(p, "y_vals");
        rows(p).push(atomic(y, Monoid::Add));
    });
    rejected(Rule::Types, with_atomics, |p| {
        let y = buffer(p, "y_vals");
        shared(p).push(atomic(y, Monoid::And));
    });
    rejected(Rule::Space, with_atomics, |p| {
        let a = buffer(p, "A_vals");
        shared(p).push(atomic(a, Monoid::Add));
    });
    // Positions are no scalars.
    rejected(Rule::Types, sparse_add, |p| {
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        let (n, pos) = (var(p, "n"), buffer(p, "a1_pos"));
        let (index, value) = (Expr::Index(1), Expr::Index(1));
        run(p).push(on_threads(n, vec![Stmt::Atomic { buffer: pos, index, op: Monoid::Add, value }]));
    });
}
