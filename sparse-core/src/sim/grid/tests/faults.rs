//! The other faults, and what is none: accesses one by one in kernels of a few lines.

use super::kernels::{Spmv, THREADS};
use super::{args, fault};
use crate::llir::build::{add, eq, load, lt};
use crate::llir::samples::f64_lit;
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};
use crate::sim::{Access, Fault, InterpError, Limits, Party, RunError, Touch, run_reporting};

/// A kernel of one block with this body, the result filled or not.
fn kernel(init: Option<f64>, body: impl FnOnce(&mut Spmv) -> Block) -> Program {
    let mut k = Spmv::new();
    let body = body(&mut k);
    k.launch(init, Expr::Index(THREADS.into()), vec![], body)
}

fn if_(cond: Expr, then: Block) -> Stmt {
    Stmt::If { cond, then, otherwise: vec![] }
}

fn store(buffer: BufferId, index: impl Into<Expr>, value: Expr) -> Stmt {
    Stmt::Store { buffer, index: index.into(), value }
}

fn op(op: IndexOp, a: impl Into<Expr>, b: u64) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(Expr::Index(b)))
}

fn runs(program: Program) -> Vec<f64> {
    let ran = run_reporting(&verify(program).unwrap(), &args(), Limits::default());
    let (y, _) = ran.unwrap_or_else(|e| panic!("{e}"));
    y.vals.iter().map(|v| v.to_f64()).collect()
}

fn only(thread: u64, k: &Spmv, then: Block) -> Stmt {
    if_(eq(k.thread, Expr::Index(thread)), then)
}

#[test]
fn elements_that_nobody_wrote() {
    let e = fault(kernel(None, |k| {
        vec![only(
            3,
            k,
            vec![Stmt::Atomic { buffer: k.y, index: Expr::Index(5), op: Monoid::Add, value: f64_lit(1.0) }],
        )]
    }));
    assert_eq!(e.fault, Fault::Uninitialised { buffer: "y_vals".into(), index: 5 });
    assert_eq!(e.place, "`atomic y_vals[5] += 1.0;`");
    // What is left without a value is found when the program ends.
    let e = fault(kernel(None, |k| {
        vec![if_(lt(k.thread, Expr::Index(20)), vec![store(k.y, k.thread, f64_lit(1.0))])]
    }));
    assert_eq!(e.fault, Fault::Uninitialised { buffer: "y_vals".into(), index: 20 });
    assert_eq!((&e.place[..], e.thread), ("the end of the program", None));
}

#[test]
fn register_arrays_are_written_before_they_are_read() {
    let kept = |k: &mut Spmv, first: Expr, read: Expr| {
        let array = k.t.buffer("r", Space::Register { len: 2 }, Array::Local);
        vec![
            Stmt::Local { buffer: array, init: None },
            store(array, first, f64_lit(7.0)),
            if_(lt(k.thread, Expr::Index(21)), vec![store(k.y, k.thread, load(array, read))]),
        ]
    };
    assert_eq!(runs(kernel(None, |k| kept(k, Expr::Index(1), Expr::Index(1))))[20], 7.0);
    let other = |k: &mut Spmv| kept(k, Expr::Index(1), op(IndexOp::Rem, add(k.thread, Expr::Index(1)), 2));
    let e = fault(kernel(None, other));
    assert_eq!(e.fault, Fault::Uninitialised { buffer: "r".into(), index: 0 });
    assert_eq!(e.thread.map(|t| t.thread), Some(1));
    // An array has no value each time that it is declared without one.
    let e = fault(kernel(None, |k| {
        let mut body = kept(k, Expr::Index(1), Expr::Index(1));
        let again = body.remove(0);
        let loaded = body.pop();
        let n = k.t.index("n");
        let first = Expr::Cmp(Cmp::Lt, Box::new(n.into()), Box::new(Expr::Index(1)));
        let mut each = vec![again, if_(first, body)];
        each.extend(loaded);
        let (lo, hi) = (Expr::Index(0), Expr::Index(2));
        vec![Stmt::For { var: n, lo, hi, step: 1, kind: LoopKind::Serial, body: each }]
    }));
    assert_eq!(e.fault, Fault::Uninitialised { buffer: "r".into(), index: 1 });
}

#[test]
fn accesses_out_of_bounds() {
    let e = fault(kernel(Some(0.0), |k| {
        let array = k.t.buffer("r", Space::Register { len: 4 }, Array::Local);
        vec![
            Stmt::Local { buffer: array, init: Some(Value::F64(0.0)) },
            store(array, op(IndexOp::Div, k.thread, 8), f64_lit(1.0)),
        ]
    }));
    assert_eq!(e.fault, Fault::OutOfBounds { buffer: "r".into(), index: 4, len: 4 });
    assert_eq!(e.thread.map(|t| t.thread), Some(32));
    let e = fault(kernel(Some(0.0), |k| {
        let loaded = load(k.x, add(k.thread, Expr::Index(10)));
        vec![only(60, k, vec![store(k.y, Expr::Index(0), loaded)])]
    }));
    assert_eq!(e.fault, Fault::OutOfBounds { buffer: "x_vals".into(), index: 70, len: 70 });
    // Nobody evaluates what is not needed.
    let y = runs(kernel(Some(2.0), |k| {
        let at = add(k.thread, Expr::Index(50));
        let inside = Expr::Cmp(Cmp::Lt, Box::new(at.clone()), Box::new(Expr::Index(70)));
        let value = Expr::Select(Box::new(inside), Box::new(load(k.x, at)), Box::new(f64_lit(0.0)));
        vec![if_(lt(k.thread, Expr::Index(21)), vec![store(k.y, k.thread, value)])]
    }));
    assert_eq!((y[0], y[19], y[20]), (51.0, 70.0, 0.0));
}

#[test]
fn indices_that_are_none() {
    let at = |index: &dyn Fn(&Spmv) -> Expr| {
        let e = fault(kernel(Some(0.0), |k| vec![store(k.y, index(k), f64_lit(0.0))]));
        (e.fault, e.thread.map_or(0, |t| t.thread))
    };
    let minus = |k: &Spmv| Expr::IndexOp(IndexOp::Sub, Box::new(Expr::Index(2)), Box::new(k.thread.into()));
    assert_eq!(at(&minus), (Fault::NegativeIndex { left: 2, right: 3 }, 3));
    let by = |k: &Spmv| Expr::IndexOp(IndexOp::Rem, Box::new(Expr::Index(2)), Box::new(k.thread.into()));
    assert_eq!(at(&by), (Fault::DivisionByZero { left: 2 }, 0));
    let big = |k: &Spmv| op(IndexOp::Mul, k.thread, u64::MAX);
    assert_eq!(at(&big).0, Fault::Overflow { left: 2, right: u64::MAX });
}

/// What two threads do to one element one after the other.
fn two(first: (u64, Access), between: Option<Scope>, second: (u64, Access)) -> Result<(), InterpError> {
    let program = kernel(Some(0.0), |k| {
        let kept = k.t.var("kept", Ty::Scalar(DType::F64));
        let access = |(thread, access): (u64, Access)| {
            let (buffer, index, value) = (k.y, Expr::Index(0), f64_lit(1.0));
            let stmt = match access {
                Access::Read => Stmt::Assign { var: kept, value: load(buffer, index) },
                Access::Write => store(buffer, index, value),
                Access::Atomic(op) => Stmt::Atomic { buffer, index, op, value },
                Access::Claim => unreachable!("indices alone are claimed"),
            };
            only(thread, k, vec![stmt])
        };
        let mut body = vec![Stmt::Mut { var: kept, value: f64_lit(0.0) }, access(first)];
        body.extend(between.map(Stmt::Barrier));
        body.push(access(second));
        body
    });
    match run_reporting(&verify(program).unwrap(), &args(), Limits::default()) {
        Ok(_) => Ok(()),
        Err(RunError::Program(e)) => Err(e),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn conflicts_of_two_threads() {
    let add = Access::Atomic(Monoid::Add);
    let max = Access::Atomic(Monoid::Max);
    let pairs = [
        (Access::Read, Access::Read, false),
        (Access::Read, Access::Write, true),
        (Access::Write, Access::Read, true),
        // Even of the same value.
        (Access::Write, Access::Write, true),
        (Access::Write, add, true),
        (add, Access::Read, true),
        (add, add, false),
        (add, max, true),
    ];
    for (first, second, conflict) in pairs {
        for other in [1, 5, 40] {
            let by = |thread, access| Touch { by: Party::Thread { block: 0, thread }, access };
            let ran = two((0, first), None, (other as u64, second));
            assert_eq!(ran.is_err(), conflict, "{first:?} {second:?}");
            if let Err(e) = ran {
                let (first, second) = (by(0, first), by(other, second));
                assert_eq!(e.fault, Fault::Conflict { buffer: "y_vals".into(), index: 0, first, second });
            }
            two((0, first), Some(Scope::Block), (other as u64, second)).unwrap();
            // A group's barrier orders the group alone, of a warp's lanes too.
            let ran = two((0, first), Some(Scope::Group(4)), (other as u64, second));
            assert_eq!(ran.is_err(), conflict && other > 3, "{first:?} {second:?}");
            let ran = two((0, first), Some(Scope::WARP), (other as u64, second));
            assert_eq!(ran.is_err(), conflict && other == 40, "{first:?} {second:?}");
        }
        two((7, first), None, (7, second)).unwrap();
    }
}

#[test]
fn several_readers_of_one_warp() {
    // The one that writes has read too, but not it alone.
    let e = fault(kernel(Some(0.0), |k| {
        let kept = k.t.var("kept", Ty::Scalar(DType::F64));
        let read = Stmt::Let { var: kept, value: load(k.y, Expr::Index(0)) };
        vec![read, only(0, k, vec![store(k.y, Expr::Index(0), f64_lit(1.0))])]
    }));
    let first = Touch { by: Party::Another, access: Access::Read };
    let second = Touch { by: Party::Thread { block: 0, thread: 0 }, access: Access::Write };
    assert_eq!(e.fault, Fault::Conflict { buffer: "y_vals".into(), index: 0, first, second });
    assert_eq!(
        e.to_string(),
        "a conflict at `y_vals[0]`: another thread reads it, thread 0 of block 0 writes it (at `y_vals[0] = 1.0;` in \
         `spmv_kernel`, block 0, thread 0)"
    );
}

#[test]
fn blocks_are_never_ordered() {
    let twice = |stmt: &dyn Fn(&Spmv) -> Stmt| {
        let k = Spmv::new();
        let body = vec![only(0, &k, vec![stmt(&k)]), Stmt::Barrier(Scope::Block)];
        k.launch(Some(0.0), Expr::Index(2 * u64::from(THREADS)), vec![], body)
    };
    let e = fault(twice(&|k| store(k.y, Expr::Index(4), f64_lit(1.0))));
    let by = |block| Touch { by: Party::Thread { block, thread: 0 }, access: Access::Write };
    let (first, second) = (by(0), by(1));
    assert_eq!(e.fault, Fault::Conflict { buffer: "y_vals".into(), index: 4, first, second });
    assert_eq!(e.thread.map(|t| t.block), Some([1, 0, 0]));
    let (index, op, value) = (Expr::Index(4), Monoid::Add, f64_lit(1.5));
    let y = runs(twice(&|k| Stmt::Atomic { buffer: k.y, index: index.clone(), op, value: value.clone() }));
    assert_eq!(y[4], 3.0);
}

#[test]
fn threads_that_leave() {
    // Out of a branch inside a loop; the others go on.
    let y = runs(kernel(Some(0.0), |k| {
        let n = k.t.index("n");
        let leave = if_(eq(k.thread, n), vec![Stmt::Exit]);
        let count = if_(
            lt(k.thread, k.rows),
            vec![Stmt::Reduce { buffer: k.y, index: k.thread.into(), op: Monoid::Add, value: f64_lit(1.0) }],
        );
        let turns = Stmt::For {
            var: n,
            lo: Expr::Index(0),
            hi: Expr::Index(12),
            step: 1,
            kind: LoopKind::Serial,
            body: vec![leave, count],
        };
        let last = if_(
            lt(k.thread, k.rows),
            vec![Stmt::Reduce {
                buffer: k.y,
                index: k.thread.into(),
                op: Monoid::Add,
                value: f64_lit(100.0),
            }],
        );
        vec![turns, last]
    }));
    assert_eq!((y[0], y[3], y[11], y[12], y[20]), (0.0, 3.0, 11.0, 112.0, 112.0));
    // All of a warp out of the middle, and nobody goes on.
    let y = runs(kernel(Some(5.0), |k| {
        let out = vec![
            if_(lt(k.thread, Expr::Index(64)), vec![Stmt::Exit]),
            store(k.y, Expr::Index(0), f64_lit(1.0)),
        ];
        vec![
            if_(lt(k.thread, Expr::Index(60)), out),
            only(61, k, vec![Stmt::Exit]),
            only(62, k, vec![store(k.y, Expr::Index(1), f64_lit(1.0))]),
        ]
    }));
    assert_eq!((y[0], y[1]), (5.0, 1.0));
}

#[test]
fn limits() {
    let endless = kernel(Some(0.0), |_| {
        vec![Stmt::While { cond: Expr::Not(Box::new(Expr::Cond(false))), body: vec![] }]
    });
    let ran = run_reporting(&verify(endless).unwrap(), &args(), Limits { steps: 1000 });
    assert!(matches!(ran, Err(RunError::Program(e)) if matches!(e.fault, Fault::StepLimit { .. })));
    let mut k = Spmv::new();
    let more = k.t.index("more");
    let mut p = k.launch(Some(0.0), Expr::Index(64), vec![], vec![]);
    let Some(Step::Launch(l)) = p.steps.last_mut() else { panic!("a launch") };
    l.grid.push(Axis { var: more, blocks: Expr::Index(65536) });
    let e = fault(p.clone());
    assert_eq!(e.fault, Fault::GridTooLarge { axis: 1, blocks: 65536 });
    let Some(Step::Launch(l)) = p.steps.last_mut() else { panic!("a launch") };
    l.grid[1].blocks = Expr::Index(0);
    assert_eq!(runs(p.clone())[0], 0.0);
    // Of as many blocks as a grid can have the first ones run, and nothing is kept for the others: 16 GiB.
    let Some(Step::Launch(l)) = p.steps.last_mut() else { panic!("a launch") };
    (l.grid[0].blocks, l.grid[1].blocks) = (Expr::Index(i32::MAX as u64), Expr::Index(1));
    l.body = vec![Stmt::While { cond: Expr::Not(Box::new(Expr::Cond(false))), body: vec![] }];
    let ran = run_reporting(&verify(p).unwrap(), &args(), Limits { steps: 1000 });
    assert!(matches!(ran, Err(RunError::Program(e)) if matches!(e.fault, Fault::StepLimit { .. })));
}

/// A kernel of one block in which each thread moves two elements of `A_vals` to `y_vals`.
fn pairs(mut k: Spmv, index: fn(VarId) -> Expr) -> Program {
    let (elem, space) = (Elem::Scalar(DType::F64), Space::Register { len: 2 });
    k.t.0.buffers.push(Buffer { name: "two".into(), elem, space, array: Array::Local });
    let to = BufferId(k.t.0.buffers.len() as u32 - 1);
    let (at, first) = (index(k.thread), lt(k.thread, Expr::Index(2)));
    let body = vec![
        Stmt::Local { buffer: to, init: Some(Value::F64(0.0)) },
        if_(
            first,
            vec![
                Stmt::LoadVector { to, part: None, buffer: k.a, index: at.clone() },
                Stmt::StoreVector { buffer: k.y, index: at, from: to, update: None },
            ],
        ),
    ];
    k.launch(Some(0.0), Expr::Index(THREADS.into()), vec![], body)
}

#[test]
fn vectors_are_aligned_and_in_bounds() {
    let moved = verify(pairs(Spmv::new(), |thread| op(IndexOp::Mul, thread, 2))).unwrap();
    let (y, reports) = run_reporting(&moved, &args(), Limits::default()).unwrap();
    let got: Vec<f64> = y.vals.iter().map(|v| v.to_f64()).collect();
    assert_eq!(got[..5], [2.0, 3.0, 1.0, 1.0, 0.0]);
    // Two lanes of 16 bytes are one sector, read once and written once.
    assert_eq!((reports[0].sectors_read, reports[0].sectors_written), (1, 1));
    let misaligned = fault(pairs(Spmv::new(), |thread| add(thread, Expr::Index(1))));
    assert_eq!(misaligned.fault, Fault::Misaligned { buffer: "A_vals".into(), index: 1, elements: 2 });
    assert_eq!(misaligned.place, "`vector two = A_vals[t + 1];`");
    let outside = fault(pairs(Spmv::new(), |thread| add(op(IndexOp::Mul, thread, 2), Expr::Index(20))));
    assert_eq!(outside.fault, Fault::OutOfBounds { buffer: "y_vals".into(), index: 21, len: 21 });
}
