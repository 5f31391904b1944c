//! What is counted, in kernels small enough to count by hand.

use super::args;
use super::kernels::{Spmv, THREADS};
use crate::llir::build::{load, lt, mul, search};
use crate::llir::samples::{f64_lit, for_};
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};
use crate::sim::grid::Path;
use crate::sim::{LaunchReport, Limits, run_reporting};
use expect_test::expect;

/// Runs a body in one block of two warps.
fn report(body: impl FnOnce(&mut Spmv) -> Block) -> LaunchReport {
    let mut k = Spmv::new();
    let body = body(&mut k);
    let program = verify(k.launch(Some(0.0), Expr::Index(THREADS.into()), vec![], body)).unwrap();
    run_reporting(&program, &args(), Limits::default()).unwrap().1.remove(0)
}

fn store(k: &Spmv, index: impl Into<Expr>, value: Expr) -> Stmt {
    Stmt::Store { buffer: k.y, index: index.into(), value }
}

#[test]
fn a_copy_of_21_elements() {
    let r = report(|k| {
        let then = vec![store(k, k.thread, load(k.x, k.thread))];
        vec![Stmt::If { cond: lt(k.thread, k.rows), then, otherwise: vec![] }]
    });
    // Both warps compare and branch; the first one loads and stores.
    assert_eq!((r.counts.instructions, r.counts.active_lanes), (6, 4 * 32 + 2 * 21));
    assert_eq!((r.counts.branches, r.counts.divergent_branches), (2, 1));
    // Four doubles are a sector.
    assert_eq!([r.sectors_read, r.least_read, r.sectors_written, r.least_written], [6; 4]);
    assert!((r.utilisation() - 170.0 / 192.0).abs() < 1e-12);
    expect![[r#"
        spmv_kernel: 1 x 1 x 1 blocks of 64 threads
          instructions                 6   lanes active 88.5 %
          warps                        2   the longest 4 instructions
          sectors read                 6   once a block 6, at least 6
          sectors written              6   at least 6
          atomic updates               0   in conflict 0, elements updated more than once 0
          shuffles                     0   barriers 0
          branches                     2   divergent 1"#]]
    .assert_eq(&r.to_string());
}

#[test]
fn sectors_of_a_stride_and_of_what_is_read_again() {
    // Each of 17 lanes reads a sector of its own; then all read the same one, once a warp.
    let r = report(|k| {
        let kept = k.t.var("kept", Ty::Scalar(DType::F64));
        let again = k.t.var("again", Ty::Scalar(DType::F64));
        let far = Stmt::Let { var: kept, value: load(k.x, mul(k.thread, Expr::Index(4))) };
        let near = Stmt::Let { var: again, value: load(k.x, Expr::Index(64)) };
        vec![Stmt::If { cond: lt(k.thread, Expr::Index(17)), then: vec![far], otherwise: vec![] }, near]
    });
    // The second reading is of a sector that the block has read, by both warps.
    assert_eq!((r.sectors_read, r.block_read, r.least_read), (17 + 2, 17, 17));
    assert_eq!(r.counts.loads, 3);
}

#[test]
fn vectors_of_doubles_are_updated_one_by_one() {
    let r = report(|k| {
        let two = k.t.buffer("two", Space::Register { len: 2 }, Array::Local);
        let index = mul(k.thread, Expr::Index(2));
        let add = Stmt::StoreVector { buffer: k.y, index, from: two, update: Some(Monoid::Add) };
        let then = vec![Stmt::Local { buffer: two, init: Some(Value::F64(1.0)) }, add];
        vec![Stmt::If { cond: lt(k.thread, Expr::Index(8)), then, otherwise: vec![] }]
    });
    assert_eq!((r.counts.atomics, r.counts.atomic_conflicts), (2 * 8, 0));
    // Numbers of single precision are added at once.
    let at_once = |of| Monoid::ALL.into_iter().filter(move |op| op.updates_vectors(of)).collect::<Vec<_>>();
    assert_eq!((at_once(DType::F32), at_once(DType::F64)), (vec![Monoid::Add], vec![]));
}

#[test]
fn what_blocks_read_again_counts_once_a_block() {
    let mut k = Spmv::new();
    let [kept, again] = ["kept", "again"].map(|name| k.t.var(name, Ty::Scalar(DType::F64)));
    let body = vec![
        Stmt::Let { var: kept, value: load(k.x, Expr::Index(0)) },
        Stmt::Let { var: again, value: load(k.x, Expr::Index(1)) },
    ];
    let program = verify(k.launch(Some(0.0), Expr::Index(3 * u64::from(THREADS)), vec![], body)).unwrap();
    let r = run_reporting(&program, &args(), Limits::default()).unwrap().1.remove(0);
    assert_eq!((r.grid, r.warps, r.counts.loads), ([3, 1, 1], 6, 12));
    assert_eq!((r.sectors_read, r.block_read, r.least_read), (12, 3, 1));
}

#[test]
fn the_longest_warp_and_the_longest_block() {
    let r = report(|k| {
        let (n, kept) = (k.t.index("n"), k.t.var("kept", Ty::Scalar(DType::F64)));
        let once = vec![Stmt::Let { var: kept, value: load(k.x, n) }];
        // The first warp goes round five times, and loads each time; the second one leaves at once.
        let rounds = Expr::IndexOp(IndexOp::Div, Box::new(k.thread.into()), Box::new(Expr::Index(32)));
        let first = vec![for_(n, Expr::Index(0), Expr::Index(5), once)];
        vec![Stmt::If { cond: lt(rounds, Expr::Index(1)), then: first, otherwise: vec![] }]
    });
    // Division, comparison and branch; six tests of two, five increments and five loads.
    let (first, second) = (3 + 6 * 2 + 5 + 5, 3);
    assert_eq!((r.longest_warp, r.warps), (Path { instructions: first, loads: 5 }, 2));
    assert_eq!((r.longest_block, r.counts.instructions), (first + second, first + second));
}

#[test]
fn updates_of_one_element() {
    let update = |atomic: bool, per_element: u64| {
        report(|k| {
            let index =
                Expr::IndexOp(IndexOp::Div, Box::new(k.thread.into()), Box::new(Expr::Index(per_element)));
            let (buffer, op, value) = (k.y, Monoid::Add, f64_lit(1.0));
            let stmt = match atomic {
                true => Stmt::Atomic { buffer, index, op, value },
                false => Stmt::Reduce { buffer, index: k.thread.into(), op, value },
            };
            vec![Stmt::If { cond: lt(k.thread, Expr::Index(20)), then: vec![stmt], otherwise: vec![] }]
        })
    };
    let r = update(true, 4);
    assert_eq!((r.counts.atomics, r.counts.atomic_conflicts, r.contended), (20, 15, 5));
    assert_eq!((r.sectors_read, r.sectors_written, r.least_written), (0, 2, 2));
    // A division, and the update.
    assert_eq!(r.counts.instructions, 4 + 2);
    // A load, an addition and a store.
    let r = update(false, 1);
    assert_eq!((r.counts.atomics, r.counts.instructions), (0, 4 + 3));
    assert_eq!((r.sectors_read, r.sectors_written), (5, 5));
}

#[test]
fn loops_and_searches() {
    let r = report(|k| {
        let n = k.t.index("n");
        vec![for_(n, Expr::Index(0), Expr::Index(5), vec![])]
    });
    // Six tests of two instructions and five increments, in two warps.
    assert_eq!((r.counts.instructions, r.counts.branches), (2 * (6 * 2 + 5), 2 * 6));
    assert_eq!(r.counts.divergent_branches, 0);
    let r = report(|k| {
        let found = k.t.index("found");
        // 22 positions: seven elements, then the two before the first of them.
        let value = search(Bound::Lower, k.pos, Expr::Index(0), Expr::Index(22), Expr::Index(0));
        vec![Stmt::Let { var: found, value }]
    });
    assert_eq!((r.counts.instructions, r.counts.loads), (2 * 3 * (7 + 2), 2 * 2));
    assert_eq!(r.counts.active_lanes, 32 * r.counts.instructions);
}

#[test]
fn what_lanes_do_together() {
    let collective = |c: &dyn Fn(&Spmv, VarId, Group) -> Collective| {
        report(|k| {
            let v = k.t.var("v", Ty::Scalar(DType::F64));
            let group = Group { size: 8, arrive: Arrive::Warp };
            vec![Stmt::Mut { var: v, value: f64_lit(1.0) }, Stmt::Collective(c(k, v, group))]
        })
        .counts
    };
    let total = collective(&|_, var, group| Collective::Total { var, op: Monoid::Max, group });
    assert_eq!((total.instructions, total.shuffles), (2 * 6, 2 * 3));
    let scatter = report(|k| {
        let space = Space::Register { len: 4 };
        let buffer = k.t.buffer("acc", space, Array::Local);
        let group = Group { size: 8, arrive: Arrive::Warp };
        let scatter = Collective::Scatter { buffer, op: Monoid::Add, group };
        vec![Stmt::Local { buffer, init: Some(Value::F64(1.0)) }, Stmt::Collective(scatter)]
    })
    .counts;
    // Two and one exchanges of two selections, a shuffle and an addition, and a step of a tree.
    assert_eq!((scatter.instructions, scatter.shuffles), (2 * (3 * 4 + 2), 2 * 4));
    let reduce = collective(&|k, v, group| Collective::Reduce {
        group,
        segments: None,
        op: Monoid::Add,
        value: v.into(),
        buffer: k.y,
        index: Expr::IndexOp(IndexOp::Div, Box::new(k.thread.into()), Box::new(Expr::Index(8))),
        when: Expr::Cond(true),
        write: Write::Sole(Sole::Store),
    });
    // The quotient, three steps of two, who writes, and four lanes' store.
    assert_eq!((reduce.instructions, reduce.shuffles), (2 * 9, 2 * 3));
    assert_eq!(reduce.active_lanes, 2 * (8 * 32 + 4));
}

/// Who finds a key at a place has loaded it; the others swap.
#[test]
fn claims_of_a_place() {
    let mut k = Spmv::new();
    let places = k.t.buffer("places", Space::Shared { len: 2 }, Array::Local);
    k.t.0.buffers[places.index()].elem = Elem::Index;
    let held = k.t.index("held");
    let at = Expr::Index(1);
    let put = Stmt::Store { buffer: places, index: at.clone(), value: Expr::Index(MOST) };
    let claim = Stmt::Claim { var: held, buffer: places, index: at, value: Expr::Index(7) };
    let first = Expr::Cmp(Cmp::Eq, Box::new(k.thread.into()), Box::new(Expr::Index(0)));
    let value = Expr::FromIndex(DType::F64, Box::new(held.into()));
    let body = vec![
        Stmt::If { cond: first, then: vec![put], otherwise: vec![] },
        Stmt::Barrier(Scope::Block),
        Stmt::Mut { var: held, value: Expr::Index(0) },
        claim,
        Stmt::If { cond: lt(k.thread, k.rows), then: vec![store(&k, k.thread, value)], otherwise: vec![] },
    ];
    let program = verify(k.launch(Some(0.0), Expr::Index(THREADS.into()), vec![places], body)).unwrap();
    let (y, reports) = run_reporting(&program, &args(), Limits::default()).unwrap();
    // One lane of the first warp is the first of all.
    let found: Vec<f64> = y.vals.iter().map(|v| v.to_f64()).collect();
    assert_eq!(found.iter().filter(|v| **v == MOST as f64).count(), 1);
    assert_eq!(found.iter().filter(|v| **v == 7.0).count(), 20);
    // All of its lanes have found nothing, those of the second warp a key.
    assert_eq!((reports[0].counts.atomics, reports[0].counts.atomic_conflicts), (32, 31));
}
