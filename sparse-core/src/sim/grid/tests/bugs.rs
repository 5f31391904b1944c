//! A mistake of each kind in kernels that are right without it.

use super::kernels::{by_blocks, by_entries, by_rows};
use super::{clean, fault, runs_clean};
use crate::llir::build::{add, lt};
use crate::llir::*;
use crate::sim::{Access, Fault, GridThread, Party, Touch};

fn body(p: &mut Program) -> &mut Block {
    match p.steps.last_mut() {
        Some(Step::Launch(l)) => &mut l.body,
        _ => panic!("the kernel ends with its launch"),
    }
}

fn variable(p: &Program, name: &str) -> VarId {
    VarId(p.vars.iter().position(|v| v.name == name).expect("a variable") as u32)
}

fn reduction(p: &mut Program) -> &mut Collective {
    match body(p).last_mut() {
        Some(Stmt::Collective(c)) => c,
        _ => panic!("the kernel ends with its reduction"),
    }
}

fn not(cond: Expr) -> Expr {
    Expr::Not(Box::new(cond))
}

fn if_(cond: Expr, then: Block) -> Stmt {
    Stmt::If { cond, then, otherwise: vec![] }
}

fn thread(block: u64, thread: u32) -> Option<Box<GridThread>> {
    Some(Box::new(GridThread { kernel: "spmv_kernel".into(), block: [block, 0, 0], thread }))
}

#[test]
fn a_full_mask_where_some_lanes_are_elsewhere() {
    // Groups past the last row of 21 do not come to the reduction.
    let around = |arrive| {
        let mut p = by_rows(8);
        let (g, rows) = (variable(&p, "g"), variable(&p, "A1_dim"));
        reduction(&mut p).set_arrive(arrive);
        let inside = body(&mut p).split_off(1);
        body(&mut p).push(if_(lt(g, rows), inside));
        p
    };
    let e = fault(around(Arrive::Warp));
    assert_eq!(e.fault, Fault::AbsentLane { thread: 40, left: false });
    assert_eq!(e.place, "`group(8, warp) store y_vals[i] += sum if g < A1_dim;`");
    assert_eq!(e.thread, thread(2, 32));
    assert_eq!(
        e.to_string(),
        "a shuffle from an absent lane: thread 40 is elsewhere (at `group(8, warp) store y_vals[i] += sum if g < \
         A1_dim;` in `spmv_kernel`, block 2, thread 32)"
    );
    // Right, but more than the verifier can prove.
    runs_clean(&Verified::unchecked(around(Arrive::Group)));
}

#[test]
fn an_early_return_before_a_shuffle() {
    let mut p = by_entries(8);
    let (n, entries) = (variable(&p, "n"), variable(&p, "entries"));
    body(&mut p).insert(2, if_(not(lt(n, entries)), vec![Stmt::Exit]));
    let e = fault(p);
    // 90 entries: in the second block 26 are left.
    assert_eq!(e.fault, Fault::AbsentLane { thread: 26, left: true });
    assert_eq!(e.place, "`group(8, warp) let s = segments(i);`");
    assert_eq!(e.thread, thread(1, 0));
}

#[test]
fn a_row_past_the_last_one_in_the_tail() {
    let mut p = by_entries(8);
    let (n, entries, rows) = (variable(&p, "n"), variable(&p, "entries"), variable(&p, "A1_dim"));
    let Stmt::Let { value, .. } = &mut body(&mut p)[3] else { panic!("the row") };
    let row = std::mem::replace(value, Expr::Index(0));
    *value = Expr::Select(Box::new(lt(n, entries)), Box::new(row), Box::new(rows.into()));
    clean(p.clone());
    let Collective::Reduce { when, .. } = reduction(&mut p) else { panic!("a reduction") };
    *when = Expr::Cond(true);
    let e = fault(p);
    assert_eq!(e.fault, Fault::OutOfBounds { buffer: "y_vals".into(), index: 21, len: 21 });
    assert_eq!(e.place, "`group(8, warp) atomic y_vals[i] += v by s;`");
    assert_eq!(e.thread, thread(1, 26));
}

#[test]
fn a_plain_store_on_a_shared_row() {
    let mut p = by_entries(8);
    let Collective::Reduce { write, .. } = reduction(&mut p) else { panic!("a reduction") };
    *write = Write::Sole(Sole::Combine);
    let e = fault(p);
    // Row 2 begins at entry 2.
    let by = |thread| Touch { by: Party::Thread { block: 0, thread }, access: Access::Write };
    assert_eq!(e.fault, Fault::Conflict { buffer: "y_vals".into(), index: 2, first: by(2), second: by(8) });
    assert_eq!(e.place, "`group(8, warp) combine y_vals[i] += v by s if n < entries;`");
    assert_eq!(e.thread, thread(0, 8));
}

#[test]
fn a_missing_barrier_around_shared_memory() {
    clean(by_blocks(true, true));
    // The first thread reads what others have not written.
    let e = fault(by_blocks(false, true));
    let by = |thread, access| Touch { by: Party::Thread { block: 0, thread }, access };
    let (buffer, index) = ("sums".to_owned(), 1);
    let (first, second) = (by(1, Access::Write), by(0, Access::Read));
    assert_eq!(e.fault, Fault::Conflict { buffer, index, first, second });
    assert_eq!((&e.place[..], e.thread), ("`all += sums[n];`", thread(0, 0)));
    // In the next turn others write what the first thread still has to read.
    let e = fault(by_blocks(true, false));
    let (buffer, index) = ("sums".to_owned(), 1);
    let (first, second) = (by(0, Access::Read), by(1, Access::Write));
    assert_eq!(e.fault, Fault::Conflict { buffer, index, first, second });
    assert_eq!((&e.place[..], e.thread), ("`sums[t] = sum;`", thread(0, 1)));
}

#[test]
fn a_missing_barrier_between_warps() {
    // The first thread begins with the other warp's.
    let mut p = by_blocks(false, true);
    let Stmt::For { body, .. } = &mut body(&mut p)[0] else { panic!("turns") };
    let Some(Stmt::If { then, .. }) = body.iter_mut().find(|s| matches!(s, Stmt::If { .. })) else {
        panic!("the first thread's part")
    };
    let Stmt::For { lo, .. } = &mut then[1] else { panic!("the sum") };
    *lo = Expr::Index(32);
    let e = fault(p);
    let by = |thread, access| Touch { by: Party::Thread { block: 0, thread }, access };
    let (first, second) = (by(0, Access::Read), by(32, Access::Write));
    assert_eq!(e.fault, Fault::Conflict { buffer: "sums".into(), index: 32, first, second });
    assert_eq!((&e.place[..], e.thread), ("`sums[t] = sum;`", thread(0, 32)));
}

#[test]
fn a_barrier_that_only_some_come_to() {
    let part = |scope, cond: &dyn Fn(VarId) -> Expr| {
        let mut p = by_rows(8);
        let t = variable(&p, "t");
        body(&mut p).insert(0, if_(cond(t), vec![Stmt::Barrier(scope)]));
        p
    };
    let below = |n| move |t: VarId| lt(t, Expr::Index(n));
    for (scope, n, missing, line) in [
        (Scope::Block, 5, 5, "`barrier;`"),
        (Scope::Block, 32, 32, "`barrier;`"),
        (Scope::WARP, 40, 40, "`warp barrier;`"),
        (Scope::Group(8), 5, 5, "`group(8) barrier;`"),
        (Scope::Group(8), 42, 42, "`group(8) barrier;`"),
    ] {
        let e = fault(part(scope, &below(n)));
        assert_eq!(e.fault, Fault::DivergentBarrier { scope, thread: missing });
        assert_eq!(e.place, line);
    }
    runs_clean(&Verified::unchecked(part(Scope::WARP, &below(32))));
    // Other groups of the warp may be elsewhere.
    runs_clean(&Verified::unchecked(part(Scope::Group(8), &below(8))));
    runs_clean(&Verified::unchecked(part(Scope::Group(2), &below(42))));
    runs_clean(&Verified::unchecked(part(Scope::Block, &below(64))));
}

#[test]
fn keys_that_decrease_and_elements_that_differ() {
    let mut p = by_entries(8);
    let Collective::Reduce { index, .. } = reduction(&mut p) else { panic!("a reduction") };
    let n = match index {
        Expr::Var(_) => index.clone(),
        _ => panic!("the row"),
    };
    *index = add(
        n,
        Expr::IndexOp(IndexOp::Rem, Box::new(variable(&by_entries(8), "t").into()), Box::new(Expr::Index(2))),
    );
    let e = fault(p);
    assert_eq!(e.fault, Fault::ElementsDiffer { buffer: "y_vals".into(), first: 0, second: 1 });
    let mut p = by_entries(8);
    let (i, t) = (variable(&p, "i"), variable(&p, "t"));
    let Stmt::Collective(Collective::Segments { key, .. }) = &mut body(&mut p)[5] else { panic!("segments") };
    *key = Expr::IndexOp(IndexOp::Sub, Box::new(add(i, Expr::Index(64))), Box::new(t.into()));
    let e = fault(p);
    assert_eq!(e.fault, Fault::DecreasingKeys { before: 64, after: 63 });
    assert_eq!(e.place, "`group(8, warp) atomic y_vals[i] += v by s if n < entries;`");
}

#[test]
fn a_writer_that_does_not_write() {
    // The first lane's element exists whenever another one's does.
    let mut p = by_rows(8);
    let (g, rows, t) = (variable(&p, "g"), variable(&p, "A1_dim"), variable(&p, "t"));
    let Collective::Reduce { when, .. } = reduction(&mut p) else { panic!("a reduction") };
    let others = lt(Expr::Index(10), t);
    *when = Expr::And(Box::new(lt(g, rows)), Box::new(others));
    let e = fault(p);
    assert_eq!(e.fault, Fault::LostValue { buffer: "y_vals".into(), index: 1, writer: 8 });
    assert_eq!(e.place, "`group(8, warp) store y_vals[i] += sum if g < A1_dim && 10 < t;`");
    assert_eq!(e.thread, thread(0, 11));
}
