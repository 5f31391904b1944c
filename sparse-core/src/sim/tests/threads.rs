//! Loops on threads: right results out of order, and each race.

use super::{Y, code, f64s, faulty, matrix, spmv_args, tensor, vector};
use crate::llir::build::{add, load, search};
use crate::llir::samples::{column_sums, f64_lit, for_, let_, spmv, spmv_on_threads};
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};
use crate::sim::{Access, Fault, RunError, Visit, run};

/// A change of column sums, and the fault that it leads to.
fn column_fault(private: Option<Monoid>, update: impl Fn(BufferId, Expr, Expr) -> Block) -> (Fault, String) {
    let p = verify(column_sums(private, update)).expect("the program is well-formed");
    match run(&p, &[meeting()]) {
        Err(RunError::Program(e)) => (e.fault, e.place),
        other => panic!("the program should fail, not give {other:?}"),
    }
}

/// Rows 0 and 2 meet in column 1, rows 1 and 2 in column 3.
fn meeting() -> crate::sim::Arg {
    let entries: [(&[usize], f64); 5] =
        [(&[0, 1], 2.0), (&[1, 3], 3.0), (&[2, 0], 5.0), (&[2, 1], 7.0), (&[2, 3], 11.0)];
    tensor(&super::CSR, &[3, 4], &entries)
}

fn reduce(buffer: BufferId, index: Expr, value: Expr) -> Block {
    vec![Stmt::Reduce { buffer, index, op: Monoid::Add, value }]
}

fn atomic(buffer: BufferId, index: Expr, op: Monoid, value: Expr) -> Block {
    vec![Stmt::Atomic { buffer, index, op, value }]
}

#[test]
fn rows_on_threads_multiply() {
    let y = run(&verify(spmv_on_threads()).unwrap(), &spmv_args()).unwrap();
    assert_eq!(f64s(&y), [3020.0, 0.0, 5.0]);
}

#[test]
fn columns_meet_by_copies_and_by_atomic_updates() {
    let expected = [5.0, 9.0, 0.0, 14.0];
    let copies = column_sums(Some(Monoid::Add), reduce);
    assert_eq!(f64s(&run(&verify(copies).unwrap(), &[meeting()]).unwrap()), expected);
    let atomics = column_sums(None, |b, i, v| atomic(b, i, Monoid::Add, v));
    assert_eq!(f64s(&run(&verify(atomics).unwrap(), &[meeting()]).unwrap()), expected);
}

#[test]
fn copies_begin_with_the_identity_and_are_combined_with_what_was_there() {
    let mut p = column_sums(Some(Monoid::Max), |buffer, index, value| {
        vec![Stmt::Reduce { buffer, index, op: Monoid::Max, value }]
    });
    if let Step::Allocate { init, .. } = &mut p.steps[0] {
        *init = Some(Value::F64(4.0));
    }
    assert_eq!(f64s(&run(&verify(p).unwrap(), &[meeting()]).unwrap()), [5.0, 7.0, 4.0, 11.0]);
}

#[test]
fn copies_of_what_is_not_written_yet() {
    let mut p = column_sums(Some(Monoid::Add), reduce);
    if let Step::Allocate { init, .. } = &mut p.steps[0] {
        *init = None;
    }
    let error = run(&verify(p).unwrap(), &[meeting()]).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e)
            if e.fault == Fault::Uninitialised { buffer: "y_vals".into(), index: 0 }),
        "{error}"
    );
}

#[test]
fn no_iterations_no_copies() {
    let p = verify(column_sums(Some(Monoid::Add), reduce)).unwrap();
    let empty = tensor(&super::CSR, &[0, 2], &[]);
    assert_eq!(f64s(&run(&p, &[empty]).unwrap()), [0.0, 0.0]);
}

#[test]
fn two_iterations_that_write() {
    let (fault, place) = column_fault(None, reduce);
    let visit = |iteration| Visit { iteration, access: Access::Write };
    let Fault::Race { buffer, index, first, second } = &fault else { panic!("{fault}") };
    assert_eq!(buffer, "y_vals");
    // The order of the iterations decides which of the two columns is found.
    let rows = if *index == 1 { [0, 2] } else { [1, 2] };
    assert!([first.iteration, second.iteration].iter().all(|i| rows.contains(i)), "{fault}");
    assert_ne!(first.iteration, second.iteration);
    assert_eq!([*first, *second], [visit(first.iteration), visit(second.iteration)]);
    assert_eq!(place, "`y_vals[A2_crd[p]] += A_vals[p];`");
    assert!(fault.to_string().starts_with("two threads race for `y_vals["), "{fault}");
}

#[test]
fn atomic_updates_beside_plain_ones() {
    // The last row writes plainly where others update.
    let (fault, _) = column_fault(None, |buffer, index, value| {
        let last = build::eq(VarId(2), Expr::Index(2));
        let then = reduce(buffer, index.clone(), value.clone());
        vec![Stmt::If { cond: last, then, otherwise: atomic(buffer, index, Monoid::Add, value) }]
    });
    let Fault::Race { first, second, .. } = &fault else { panic!("{fault}") };
    let both = [first.access, second.access];
    assert!(both.contains(&Access::Write) && both.contains(&Access::Atomic(Monoid::Add)), "{fault}");
}

#[test]
fn atomic_updates_beside_reads() {
    let (fault, _) = column_fault(None, |buffer, index, _| {
        let other = load(buffer, Expr::Index(3));
        atomic(buffer, index, Monoid::Add, other)
    });
    let Fault::Race { index: 3, first, second, .. } = &fault else { panic!("{fault}") };
    let both = [first.access, second.access];
    assert!(both.contains(&Access::Read) && both.contains(&Access::Atomic(Monoid::Add)), "{fault}");
}

#[test]
fn atomic_updates_by_two_operators() {
    let (fault, _) = column_fault(None, |buffer, index, value| {
        let last = build::eq(VarId(2), Expr::Index(2));
        let then = atomic(buffer, index.clone(), Monoid::Max, value.clone());
        vec![Stmt::If { cond: last, then, otherwise: atomic(buffer, index, Monoid::Add, value) }]
    });
    let Fault::Race { first, second, .. } = &fault else { panic!("{fault}") };
    let both = [first.access, second.access];
    assert!(both.contains(&Access::Atomic(Monoid::Max)) && both.contains(&Access::Atomic(Monoid::Add)));
}

#[test]
fn reads_of_what_a_neighbour_writes() {
    let fault = faulty(|p| {
        *p = spmv_on_threads();
        let Some(Stmt::Threads { var, body, .. }) = code(p).last_mut() else { panic!("rows on threads") };
        let next = Expr::IndexOp(IndexOp::Rem, Box::new(add(*var, Expr::Index(1))), Box::new(Expr::Index(3)));
        body.push(Stmt::Store { buffer: Y, index: (*var).into(), value: load(Y, next) });
        // Every element has a value before the loop.
        let Step::Allocate { init, .. } = &mut p.steps[0] else { panic!("the result") };
        *init = Some(Value::F64(0.0));
    });
    let Fault::Race { buffer, first, second, .. } = &fault else { panic!("{fault}") };
    assert_eq!(buffer, "y_vals");
    let both = [first.access, second.access];
    assert!(both.contains(&Access::Read) && both.contains(&Access::Write), "{fault}");
}

/// SpMV with a loop on threads in the place of its code, of 3 iterations.
fn three(body: impl FnOnce(&mut Program, VarId) -> (Block, Block)) -> Program {
    let mut p = spmv();
    let i = VarId(1);
    let (mut block, body) = body(&mut p, i);
    block.push(Stmt::Threads {
        var: i,
        lo: Expr::Index(0),
        hi: Expr::Index(3),
        work: Expr::Index(3),
        balance: vec![],
        private: None,
        appends: None,
        body,
    });
    *code(&mut p) = block;
    p
}

fn array(p: &mut Program, elem: Elem) -> BufferId {
    p.buffers.push(Buffer { name: "w".into(), elem, space: Space::Scratch, array: Array::Local });
    BufferId(p.buffers.len() as u32 - 1)
}

#[test]
fn scratch_arrays_of_an_iteration_are_its_own() {
    let own = |inside: bool| {
        three(|p, i| {
            let w = array(p, Elem::Scalar(DType::F64));
            let declare = Stmt::Alloc { buffer: w, len: Expr::Index(1), init: Init::Value(Value::F64(0.0)) };
            let one = f64_lit(1.0);
            let mut body = vec![
                Stmt::Reduce { buffer: w, index: Expr::Index(0), op: Monoid::Add, value: one },
                Stmt::Store { buffer: Y, index: i.into(), value: load(w, Expr::Index(0)) },
            ];
            if inside {
                body.insert(0, declare);
                (vec![], body)
            } else {
                (vec![declare], body)
            }
        })
    };
    let y = run(&verify(own(true)).unwrap(), &spmv_args()).unwrap();
    assert_eq!(f64s(&y), [1.0, 1.0, 1.0]);
    let error = run(&verify(own(false)).unwrap(), &spmv_args()).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e) if matches!(&e.fault, Fault::Race { buffer, index: 0, .. } if buffer == "w")),
        "{error}"
    );
}

#[test]
fn a_search_reads_the_whole_range() {
    let p = three(|p, i| {
        let w = array(p, Elem::Index);
        let zero = || Expr::Index(0);
        let found = search(Bound::Lower, w, zero(), Expr::Index(3), Expr::Index(7));
        let body = vec![
            Stmt::Store { buffer: w, index: i.into(), value: zero() },
            Stmt::Store { buffer: Y, index: i.into(), value: Expr::FromIndex(DType::F64, Box::new(found)) },
        ];
        (vec![Stmt::Alloc { buffer: w, len: Expr::Index(3), init: Init::Value(Value::I32(0)) }], body)
    });
    let error = run(&verify(p).unwrap(), &spmv_args()).unwrap_err();
    assert!(
        matches!(&error, RunError::Program(e) if matches!(&e.fault, Fault::Race { buffer, .. } if buffer == "w")),
        "{error}"
    );
}

#[test]
fn loops_after_each_other_do_not_race() {
    let mut p = three(|_, i| (vec![], vec![Stmt::Store { buffer: Y, index: i.into(), value: f64_lit(1.0) }]));
    p.vars.push(Var { name: "k".into(), ty: Ty::Index });
    let k = VarId(p.vars.len() as u32 - 1);
    let Some(Stmt::Threads { lo, hi, work, .. }) = code(&mut p).last().cloned() else { panic!("threads") };
    let other = Expr::IndexOp(IndexOp::Sub, Box::new(Expr::Index(2)), Box::new(k.into()));
    let body = vec![Stmt::Reduce { buffer: Y, index: other.clone(), op: Monoid::Add, value: load(Y, other) }];
    code(&mut p).push(Stmt::Threads {
        var: k,
        lo,
        hi,
        work,
        balance: vec![],
        private: None,
        appends: None,
        body,
    });
    // And a loop on one thread touches what it likes.
    let all = || Expr::Index(0);
    p.vars.push(Var { name: "l".into(), ty: Ty::Index });
    let l = VarId(p.vars.len() as u32 - 1);
    let again = Stmt::Reduce { buffer: Y, index: all(), op: Monoid::Add, value: f64_lit(1.0) };
    code(&mut p).push(for_(l, all(), Expr::Index(3), vec![again]));
    assert_eq!(f64s(&run(&verify(p).unwrap(), &spmv_args()).unwrap()), [5.0, 2.0, 2.0]);
}

#[test]
fn positions_that_balance_are_looked_at() {
    // One iteration more than there are positions.
    let mut p = spmv_on_threads();
    let Some(Stmt::Threads { hi, body, .. }) = code(&mut p).last_mut() else { panic!("rows on threads") };
    *hi = add(hi.clone(), Expr::Index(1));
    *body = vec![let_(VarId(2), Expr::Index(0))];
    let error = run(&verify(p).unwrap(), &[matrix(), vector(&[0.0; 4])]).unwrap_err();
    let expected = Fault::SearchRange { buffer: "A2_pos".into(), lo: 0, hi: 5, len: 4 };
    assert!(matches!(&error, RunError::Program(e) if e.fault == expected), "{error}");
}

/// A loop on threads reads one element of a scratch array of which two are written, or all three.
#[test]
fn an_array_that_is_read_on_threads_is_whole() {
    for whole in [true, false] {
        let mut p = column_sums(Some(Monoid::Add), reduce);
        let (elem, space, array) = (Elem::Scalar(DType::F64), Space::Scratch, Array::Local);
        p.buffers.push(Buffer { name: "w".into(), elem, space, array });
        let w = BufferId(p.buffers.len() as u32 - 1);
        let declared = Stmt::Alloc { buffer: w, len: Expr::Index(3), init: Init::Unwritten };
        let store = |n| Stmt::Store { buffer: w, index: Expr::Index(n), value: f64_lit(1.0) };
        let var = VarId(p.vars.len() as u32);
        p.vars.push(Var { name: "read".into(), ty: Ty::Scalar(DType::F64) });
        for stmt in code(&mut p) {
            let Stmt::Threads { body, .. } = stmt else { continue };
            body.insert(0, Stmt::Let { var, value: load(w, Expr::Index(0)) });
        }
        let stores = [Some(store(0)), Some(store(1)), whole.then(|| store(2))];
        code(&mut p).splice(0..0, [declared].into_iter().chain(stores.into_iter().flatten()));
        match run(&verify(p).unwrap(), &[meeting()]) {
            Ok(_) => assert!(whole),
            Err(RunError::Program(e)) => {
                assert!(!whole && e.fault == Fault::Uninitialised { buffer: "w".into(), index: 2 }, "{e}");
            }
            Err(e) => panic!("{e}"),
        }
    }
}
