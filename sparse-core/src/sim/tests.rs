//! Hand-written programs on the interpreter: right results, and each fault.

mod threads;

use super::{Arg, Fault, Limits, RunError, run, run_with};
use crate::error::Error;
use crate::format::{FormatSpec, Level};
use crate::llir::build::{add, load, search, sub};
use crate::llir::samples::{f64_lit, let_, sparse_add, spmv};
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};
use crate::tensor::DynTensor;

const CSR: [Level; 2] = [Level::Dense, Level::Compressed { unique: true }];
const SPARSE_VEC: [Level; 1] = [Level::Compressed { unique: true }];
const DENSE_VEC: [Level; 1] = [Level::Dense];

fn tensor(levels: &[Level], dims: &[usize], entries: &[(&[usize], f64)]) -> Arg {
    let entries: Vec<_> = entries.iter().map(|(at, v)| (at.to_vec(), Value::F64(*v))).collect();
    let spec = FormatSpec::new(levels.to_vec());
    Arg::Tensor(DynTensor::from_entries(spec, DType::F64, dims.to_vec(), &entries, false).expect("a tensor"))
}

fn matrix() -> Arg {
    tensor(&CSR, &[3, 4], &[(&[0, 1], 2.0), (&[0, 3], 3.0), (&[2, 0], 5.0)])
}

pub(super) fn vector(values: &[f64]) -> Arg {
    let at: Vec<[usize; 1]> = (0..values.len()).map(|i| [i]).collect();
    let entries: Vec<(&[usize], f64)> = at.iter().zip(values).map(|(at, v)| (&at[..], *v)).collect();
    tensor(&DENSE_VEC, &[values.len()], &entries)
}

fn spmv_args() -> [Arg; 2] {
    [matrix(), vector(&[1.0, 10.0, 100.0, 1000.0])]
}

fn f64s(t: &DynTensor) -> Vec<f64> {
    t.vals.iter().map(|v| v.to_f64()).collect()
}

/// Runs a changed SpMV.
fn faulty(change: impl FnOnce(&mut Program)) -> Fault {
    let mut p = spmv();
    change(&mut p);
    let p = verify(p).expect("the program is well-formed");
    match run(&p, &spmv_args()) {
        Err(RunError::Program(e)) => e.fault,
        other => panic!("the program should fail, not give {other:?}"),
    }
}

fn code(p: &mut Program) -> &mut Block {
    let Some(Step::Run(block)) = p.steps.last_mut() else { panic!("the sample ends with its code") };
    block
}

const Y: BufferId = BufferId(4);
const X: BufferId = BufferId(3);
const A2_POS: BufferId = BufferId(0);
const A2_CRD: BufferId = BufferId(1);

fn store_y(index: Expr) -> Stmt {
    Stmt::Store { buffer: Y, index, value: f64_lit(0.0) }
}

#[test]
fn spmv_multiplies() {
    let y = run(&verify(spmv()).unwrap(), &spmv_args()).unwrap();
    assert_eq!(y.dims, [3]);
    assert_eq!(f64s(&y), [3020.0, 0.0, 5.0]);
}

#[test]
fn sparse_vectors_add() {
    let b = tensor(&SPARSE_VEC, &[6], &[(&[0], 1.0), (&[2], 2.0), (&[3], 3.0)]);
    let c = tensor(&SPARSE_VEC, &[6], &[(&[2], 10.0), (&[5], 20.0)]);
    let a = run(&verify(sparse_add()).unwrap(), &[b, c]).unwrap();
    let entries: Vec<_> = a.iter().map(|(at, v)| (at[0], v.to_f64())).collect();
    assert_eq!(entries, [(0, 1.0), (2, 12.0), (3, 3.0), (5, 20.0)]);
    let empty = || tensor(&SPARSE_VEC, &[0], &[]);
    assert_eq!(run(&verify(sparse_add()).unwrap(), &[empty(), empty()]).unwrap().vals, []);
}

#[test]
fn arguments_are_checked() {
    let p = verify(spmv()).unwrap();
    let [a, x] = spmv_args();
    assert!(matches!(
        run(&p, std::slice::from_ref(&a)),
        Err(RunError::ArgumentCount { expected_tensors: 2, tensors: 1, .. })
    ));
    assert!(matches!(run(&p, &[x.clone(), a.clone()]), Err(RunError::Format { tensor }) if tensor == "A"));
    let error = run(&p, &[a.clone(), vector(&[1.0])]).unwrap_err();
    assert!(
        matches!(&error, RunError::Tensor(Error::DimensionMismatch { variable, first, second, .. })
            if (&variable[..], &first[..], &second[..]) == ("j", "A", "x")),
        "{error}"
    );
    let Arg::Tensor(mut invalid) = a else { panic!("a tensor") };
    invalid.vals.pop();
    assert!(matches!(run(&p, &[Arg::Tensor(invalid), x]), Err(RunError::Tensor(_))));
}

#[test]
fn scalars_are_bound_and_checked() {
    // y[i] = alpha
    let mut p = spmv();
    p.vars.push(Var { name: "alpha".into(), ty: Ty::Scalar(DType::F64) });
    let alpha = VarId(p.vars.len() as u32 - 1);
    p.params.push(Param::Scalar { var: alpha, index: 0 });
    let rows = p.params[0].clone();
    let Param::Dim { var: rows, .. } = rows else { panic!("the number of rows") };
    *code(&mut p) = vec![crate::llir::samples::for_(
        VarId(1),
        Expr::Index(0),
        rows,
        vec![Stmt::Store { buffer: Y, index: VarId(1).into(), value: alpha.into() }],
    )];
    let p = verify(p).unwrap();
    let [a, x] = spmv_args();
    let y = run(&p, &[Arg::Scalar(Value::F64(7.0)), a.clone(), x.clone()]).unwrap();
    assert_eq!(f64s(&y), [7.0; 3]);
    let error = run(&p, &[Arg::Scalar(Value::I32(7)), a, x]).unwrap_err();
    assert!(matches!(error, RunError::Type { expected: DType::F64, found: DType::I32, .. }), "{error}");
}

#[test]
fn an_in_place_output_is_a_changed_copy() {
    // x[0] += 1
    let mut p = spmv();
    p.tensors[1].role = Role::InOut;
    p.tensors.truncate(2);
    p.buffers.truncate(4);
    p.buffers[3].space = Space::InOut;
    p.steps = vec![Step::Run(vec![Stmt::Reduce {
        buffer: X,
        index: Expr::Index(0),
        op: Monoid::Add,
        value: f64_lit(1.0),
    }])];
    let args = spmv_args();
    let x = run(&verify(p).unwrap(), &args).unwrap();
    assert_eq!(f64s(&x), [2.0, 10.0, 100.0, 1000.0]);
    assert_eq!(args, spmv_args());
}

#[test]
fn a_result_shares_its_operands_pattern() {
    let mut p = spmv();
    p.tensors[2].role = Role::ResultLike(TensorId(0), 2);
    p.tensors[2].spec = p.tensors[0].spec.clone();
    p.tensors[2].dims_from = vec![(TensorId(0), 0), (TensorId(0), 1)];
    let entries = load(A2_POS, VarId(0));
    p.steps =
        vec![Step::Allocate { buffer: Y, len: entries, init: Some(Value::F64(4.0)) }, Step::Run(vec![])];
    let y = run(&verify(p).unwrap(), &spmv_args()).unwrap();
    let entries: Vec<_> = y.iter().map(|(at, v)| (at, v.to_f64())).collect();
    assert_eq!(entries, [(vec![0, 1], 4.0), (vec![0, 3], 4.0), (vec![2, 0], 4.0)]);
}

#[test]
fn lanes_run_in_any_order() {
    let mut p = spmv();
    let i = VarId(1);
    *code(&mut p) = vec![Stmt::For {
        var: i,
        lo: Expr::Index(0),
        hi: Expr::Index(3),
        step: 2,
        kind: LoopKind::Lanes,
        body: vec![store_y(i.into())],
    }];
    let p = verify(p).unwrap();
    let error = run(&p, &spmv_args()).unwrap_err();
    // Both ends were visited: only the middle is not written.
    assert!(error.to_string().contains("`y_vals[1]` is read before it is written"), "{error}");
}

#[test]
fn register_arrays_hold_values() {
    let mut p = spmv();
    p.buffers.push(Buffer {
        name: "r".into(),
        elem: Elem::Scalar(DType::F64),
        space: Space::Register { len: 3 },
        array: Array::Local,
    });
    let r = BufferId(5);
    let at = |n| Expr::Index(n);
    let mut block = vec![
        Stmt::Local { buffer: r, init: Some(Value::F64(1.5)) },
        Stmt::Reduce { buffer: r, index: at(2), op: Monoid::Mul, value: f64_lit(4.0) },
    ];
    block.extend((0..3).map(|n| Stmt::Store { buffer: Y, index: at(n), value: load(r, at(n)) }));
    *code(&mut p) = block;
    assert_eq!(f64s(&run(&verify(p).unwrap(), &spmv_args()).unwrap()), [1.5, 1.5, 6.0]);
}

#[test]
fn searches_give_either_end() {
    let mut p = spmv();
    let number = |e| Expr::FromIndex(DType::F64, Box::new(e));
    let at = |n| Expr::Index(n);
    // A2_pos is 0, 2, 2, 3.
    let mut find = |found: [Expr; 3]| {
        let stores = found.into_iter().enumerate();
        let store = |(n, e)| Stmt::Store { buffer: Y, index: at(n as u64), value: number(e) };
        *code(&mut p) = stores.map(store).collect();
        f64s(&run(&verify(p.clone()).unwrap(), &spmv_args()).unwrap())
    };
    let found = find([
        search(Bound::Lower, A2_POS, at(0), at(4), at(2)),
        search(Bound::Upper, A2_POS, at(0), at(4), at(2)),
        search(Bound::Lower, A2_POS, at(2), at(2), at(0)),
    ]);
    assert_eq!(found, [1.0, 3.0, 2.0]);
    let found = find([
        search(Bound::Gallop, A2_POS, at(0), at(4), at(2)),
        search(Bound::Gallop, A2_POS, at(1), at(4), at(9)),
        search(Bound::Gallop, A2_POS, at(2), at(2), at(0)),
    ]);
    assert_eq!(found, [1.0, 4.0, 2.0]);
}

#[test]
fn accesses_outside_a_buffer() {
    let fault = faulty(|p| code(p).push(store_y(Expr::Index(3))));
    assert_eq!(fault, Fault::OutOfBounds { buffer: "y_vals".into(), index: 3, len: 3 });
    let fault = faulty(|p| {
        let value = load(X, Expr::Index(9));
        code(p).push(Stmt::Store { buffer: Y, index: Expr::Index(0), value });
    });
    assert_eq!(fault, Fault::OutOfBounds { buffer: "x_vals".into(), index: 9, len: 4 });
}

#[test]
fn reads_before_writes() {
    let fault = faulty(|p| {
        code(p).insert(
            0,
            Stmt::Reduce { buffer: Y, index: Expr::Index(1), op: Monoid::Add, value: f64_lit(1.0) },
        );
    });
    assert_eq!(fault, Fault::Uninitialised { buffer: "y_vals".into(), index: 1 });
    let fault = faulty(|p| *code(p) = vec![store_y(Expr::Index(0))]);
    assert_eq!(fault, Fault::Uninitialised { buffer: "y_vals".into(), index: 1 });
}

/// A scratch array that is declared unwritten, and written or not before it is read.
#[test]
fn scratch_that_nobody_writes() {
    for written in [true, false] {
        let mut p = spmv();
        let (elem, space, array) = (Elem::Scalar(DType::F64), Space::Scratch, Array::Local);
        p.buffers.push(Buffer { name: "w".into(), elem, space, array });
        let w = BufferId(p.buffers.len() as u32 - 1);
        let index = Expr::Index(2);
        let declared = Stmt::Alloc { buffer: w, len: Expr::Index(3), init: Init::Unwritten };
        let written = written.then(|| Stmt::Store { buffer: w, index: index.clone(), value: f64_lit(1.0) });
        let read = Stmt::Store { buffer: Y, index: Expr::Index(0), value: load(w, index) };
        let all = [Some(declared), written.clone(), Some(read)];
        code(&mut p).splice(0..0, all.into_iter().flatten());
        let ran = run(&verify(p).unwrap(), &spmv_args());
        let unwritten = Fault::Uninitialised { buffer: "w".into(), index: 2 };
        match ran {
            Ok(_) => assert!(written.is_some()),
            Err(RunError::Program(e)) => assert!(written.is_none() && e.fault == unwritten, "{e}"),
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn appends_above_the_capacity() {
    let mut p = sparse_add();
    if let Step::Reserve { capacity, .. } = &mut p.steps[1] {
        *capacity = Some(Expr::Index(1));
    }
    let b = || tensor(&SPARSE_VEC, &[6], &[(&[0], 1.0), (&[2], 2.0)]);
    let error = run(&verify(p).unwrap(), &[b(), b()]).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e)
            if e.fault == Fault::OverCapacity { buffer: "a1_crd".into(), capacity: 1 }),
        "{error}"
    );
}

#[test]
fn appended_elements_that_nobody_writes() {
    let mut p = sparse_add();
    let Step::Reserve { buffer, .. } = p.steps[1] else { panic!("coordinates are appended") };
    code(&mut p).insert(0, Stmt::AppendN { buffer, count: Expr::Index(1), value: None });
    let b = || tensor(&SPARSE_VEC, &[6], &[(&[0], 1.0), (&[2], 2.0)]);
    let error = run(&verify(p).unwrap(), &[b(), b()]).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e)
            if e.fault == Fault::Uninitialised { buffer: "a1_crd".into(), index: 0 }),
        "{error}"
    );
}

#[test]
fn results_that_are_no_tensors() {
    let mut p = sparse_add();
    // Without the end of the root's fiber.
    code(&mut p).pop();
    let b = || tensor(&SPARSE_VEC, &[6], &[(&[0], 1.0)]);
    assert!(matches!(run(&verify(p).unwrap(), &[b(), b()]), Err(RunError::InvalidResult(_))));
}

#[test]
fn index_arithmetic() {
    let at = |e| faulty(|p| code(p).push(store_y(e)));
    let (zero, one) = (|| Expr::Var(VarId(0)), || Expr::Index(1));
    let op = |op, a, b| Expr::IndexOp(op, Box::new(a), Box::new(b));
    assert_eq!(at(sub(one(), zero())), Fault::NegativeIndex { left: 1, right: 3 });
    assert_eq!(at(add(Expr::Index(u64::MAX), zero())), Fault::Overflow { left: u64::MAX, right: 3 });
    assert_eq!(at(op(IndexOp::Div, one(), Expr::Index(0))), Fault::DivisionByZero { left: 1 });
    let fault = at(search(Bound::Lower, A2_CRD, Expr::Index(2), Expr::Index(1), one()));
    assert_eq!(fault, Fault::SearchRange { buffer: "A2_crd".into(), lo: 2, hi: 1, len: 3 });
    let fault = at(search(Bound::Lower, A2_CRD, Expr::Index(0), Expr::Index(3), one()));
    assert_eq!(fault, Fault::Unsorted { buffer: "A2_crd".into(), lo: 0, hi: 3 });
}

#[test]
fn elements_that_do_not_fit() {
    let mut p = sparse_add();
    let big = Expr::Index(1 << 31);
    code(&mut p).insert(0, Stmt::Append { buffer: BufferId(7), value: big });
    let b = || tensor(&SPARSE_VEC, &[6], &[(&[0], 1.0)]);
    let error = run(&verify(p).unwrap(), &[b(), b()]).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e)
            if e.fault == Fault::TooLarge { buffer: "a1_crd".into(), value: 1 << 31 }),
        "{error}"
    );
}

#[test]
fn endless_loops_end_at_the_limit() {
    let mut p = spmv();
    p.vars.push(Var { name: "never".into(), ty: Ty::Cond });
    let never = VarId(p.vars.len() as u32 - 1);
    *code(&mut p) = vec![
        let_(never, Expr::Cond(false)),
        Stmt::While { cond: Expr::Not(Box::new(never.into())), body: vec![] },
    ];
    let error = run_with(&verify(p).unwrap(), &spmv_args(), Limits { steps: 1000 }).unwrap_err();
    assert!(matches!(&error, RunError::Program(e) if e.fault == Fault::StepLimit { limit: 1000 }), "{error}");
}
