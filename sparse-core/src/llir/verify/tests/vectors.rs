//! Vectors that break their rule.

use super::{buffer, rejected, run, var};
use crate::llir::build::{add, eq, mul};
use crate::llir::samples::spmv;
use crate::llir::verify::{Rule, verify};
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};

/// A launch that copies two elements of the values at an index, under a condition.
fn copies(len: u32, cond: fn(VarId) -> Expr, index: fn(VarId, VarId) -> Expr) -> Program {
    let mut p = spmv();
    p.steps.pop();
    let mut index_var = |name: &str| {
        p.vars.push(Var { name: name.into(), ty: Ty::Index });
        VarId(p.vars.len() as u32 - 1)
    };
    let (block, thread) = (index_var("block"), index_var("thread"));
    let elem = Elem::Scalar(DType::F64);
    p.buffers.push(Buffer { name: "two".into(), elem, space: Space::Register { len }, array: Array::Local });
    let (two, from, to) = (buffer(&p, "two"), buffer(&p, "A_vals"), buffer(&p, "y_vals"));
    let rows = var(&p, "A1_dim");
    let at = index(rows, thread);
    let then = vec![
        Stmt::LoadVector { to: two, part: None, buffer: from, index: at.clone() },
        Stmt::StoreVector { buffer: to, index: at, from: two, update: None },
    ];
    let body = vec![
        Stmt::Local { buffer: two, init: Some(Value::F64(0.0)) },
        Stmt::If { cond: cond(rows), then, otherwise: vec![] },
    ];
    let grid = vec![Axis { var: block, blocks: Expr::Index(1) }];
    p.steps.push(Step::Launch(Launch::new("f".into(), grid, (thread, 32), body)));
    p
}

/// `rows % n == 0`
fn whole(rows: VarId, n: u64) -> Expr {
    eq(Expr::IndexOp(IndexOp::Rem, Box::new(rows.into()), Box::new(Expr::Index(n))), Expr::Index(0))
}

fn rows_of_pairs() -> Program {
    copies(2, |rows| whole(rows, 2), |rows, thread| add(mul(thread, rows), mul(thread, Expr::Index(2))))
}

#[test]
fn their_index_is_a_multiple_by_what_is_known() {
    verify(rows_of_pairs()).unwrap();
    verify(copies(2, |_| Expr::Cond(true), |_, thread| mul(thread, Expr::Index(6)))).unwrap();
    rejected(Rule::Vectors, || copies(2, |_| Expr::Cond(true), |rows, thread| mul(thread, rows)), |_| ());
    rejected(Rule::Vectors, || copies(2, |rows| whole(rows, 3), |rows, thread| mul(thread, rows)), |_| ());
    rejected(Rule::Vectors, || copies(2, |_| Expr::Cond(true), |_, thread| thread.into()), |_| ());
    // What holds in a branch does not hold after it.
    rejected(Rule::Vectors, rows_of_pairs, |p| {
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        let Stmt::If { then, .. } = &launch.body[1] else { panic!("a condition is around it") };
        let outside = then.clone();
        launch.body.extend(outside);
    });
}

#[test]
fn they_fit_one_access() {
    let four = || copies(4, |_| Expr::Cond(true), |_, thread| mul(thread, Expr::Index(4)));
    rejected(Rule::Vectors, four, |_| ());
    // A part of more elements does.
    let part = |p: &mut Program, len: u32| {
        let two = buffer(p, "two");
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        let Stmt::If { then, .. } = &mut launch.body[1] else { panic!("a condition is around it") };
        then.pop();
        let Stmt::LoadVector { to, part, .. } = &mut then[0] else { panic!("it loads") };
        assert_eq!(*to, two);
        *part = Some(VectorPart { at: Expr::Index(2), len });
    };
    let mut half = four();
    part(&mut half, 2);
    verify(half).unwrap();
    rejected(Rule::Vectors, four, |p| part(p, 4));
    rejected(Rule::Vectors, rows_of_pairs, |p| part(p, 4));
    let three = || copies(3, |_| Expr::Cond(true), |_, thread| mul(thread, Expr::Index(3)));
    rejected(Rule::Vectors, three, |_| ());
}

#[test]
fn they_stand_in_launches_between_registers_and_memory() {
    rejected(Rule::Vectors, rows_of_pairs, |p| {
        let two = buffer(p, "two");
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        launch.body.push(Stmt::LoadVector { to: two, part: None, buffer: two, index: Expr::Index(0) });
    });
    rejected(Rule::Vectors, rows_of_pairs, |p| {
        let (two, pos) = (buffer(p, "two"), buffer(p, "A2_pos"));
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        launch.body.push(Stmt::LoadVector { to: two, part: None, buffer: pos, index: Expr::Index(0) });
    });
    rejected(Rule::Space, rows_of_pairs, |p| {
        let (two, values) = (buffer(p, "two"), buffer(p, "A_vals"));
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        launch.body.push(Stmt::StoreVector {
            buffer: values,
            index: Expr::Index(0),
            from: two,
            update: None,
        });
    });
    // Updates of what a block shares are scalar.
    let shared = |p: &mut Program, update: Option<Monoid>| {
        let (two, elem) = (buffer(p, "two"), Elem::Scalar(DType::F64));
        p.buffers.push(Buffer {
            name: "tile".into(),
            elem,
            space: Space::Shared { len: 64 },
            array: Array::Local,
        });
        let tile = buffer(p, "tile");
        let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("it ends with a launch") };
        launch.shared.push(tile);
        launch.body.push(Stmt::StoreVector {
            buffer: tile,
            index: mul(launch.thread, Expr::Index(2)),
            from: two,
            update,
        });
    };
    rejected(Rule::Vectors, rows_of_pairs, |p| shared(p, Some(Monoid::Add)));
    let mut stored = rows_of_pairs();
    shared(&mut stored, None);
    verify(stored).unwrap();
    rejected(Rule::Vectors, spmv, |p| {
        let elem = Elem::Scalar(DType::F64);
        let space = Space::Register { len: 2 };
        p.buffers.push(Buffer { name: "two".into(), elem, space, array: Array::Local });
        let (two, values) = (buffer(p, "two"), buffer(p, "A_vals"));
        run(p).push(Stmt::Local { buffer: two, init: Some(Value::F64(0.0)) });
        run(p).push(Stmt::LoadVector { to: two, part: None, buffer: values, index: Expr::Index(0) });
    });
}
