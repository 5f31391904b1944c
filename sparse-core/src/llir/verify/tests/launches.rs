//! What lanes do together, where it breaks its rule.

use super::{buffer, rejected, run, var};
use crate::llir::build::lt;
use crate::llir::samples::{let_, spmv};
use crate::llir::verify::{Rule, VerifyError, verify};
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};

const GROUP: Group = Group { size: 8, arrive: Arrive::Warp };

/// A launch that scatters a register array of each lane, of so many elements.
fn scatters(len: u32) -> Program {
    let mut p = spmv();
    let (elem, space) = (Elem::Scalar(DType::F64), Space::Register { len });
    p.buffers.push(Buffer { name: "acc".into(), elem, space, array: Array::Local });
    let acc = buffer(&p, "acc");
    for name in ["thread", "block"] {
        p.vars.push(Var { name: name.into(), ty: Ty::Index });
    }
    let thread = VarId(p.vars.len() as u32 - 2);
    let grid = vec![Axis { var: VarId(thread.0 + 1), blocks: Expr::Index(1) }];
    let scatter = Collective::Scatter { buffer: acc, op: Monoid::Add, group: GROUP };
    let body = vec![Stmt::Local { buffer: acc, init: Some(Value::F64(0.0)) }, Stmt::Collective(scatter)];
    let launch = Launch::new("f".into(), grid, (thread, 32), body);
    p.steps.push(Step::Launch(launch));
    p
}

fn launch(p: &mut Program) -> &mut Launch {
    let Some(Step::Launch(launch)) = p.steps.last_mut() else { panic!("the sample ends with its launch") };
    launch
}

#[test]
fn arrays_are_exchanged_by_halves() {
    for len in [2, 4, 32] {
        assert!(verify(scatters(len)).is_ok());
    }
    rejected(Rule::Launch, || scatters(1), |_| {});
    rejected(Rule::Launch, || scatters(3), |_| {});
    rejected(Rule::Registers, || scatters(4), |p| drop(launch(p).body.remove(0)));
    rejected(
        Rule::Launch,
        || scatters(4),
        |p| {
            let body = std::mem::take(&mut launch(p).body);
            p.steps.pop();
            run(p).extend(body);
        },
    );
    rejected(
        Rule::Launch,
        || scatters(4),
        |p| {
            let y = buffer(p, "y_vals");
            if let Stmt::Collective(Collective::Scatter { buffer, .. }) = &mut launch(p).body[1] {
                *buffer = y;
            }
        },
    );
    rejected(
        Rule::Types,
        || scatters(4),
        |p| {
            if let Stmt::Collective(Collective::Scatter { op, .. }) = &mut launch(p).body[1] {
                *op = Monoid::Or;
            }
        },
    );
}

/// Two launches, the second of which follows the first.
fn one_after_another() -> Program {
    let mut p = scatters(4);
    let mut second = launch(&mut p).clone();
    (second.name, second.follows, second.body) = ("g".into(), true, vec![]);
    for var in [&mut second.thread, &mut second.grid[0].var] {
        *var = VarId(p.vars.len() as u32);
        p.vars.push(Var { name: format!("again{}", var.0), ty: Ty::Index });
    }
    p.steps.push(Step::Launch(second));
    p
}

#[test]
fn a_launch_that_follows_another_has_it_before() {
    assert!(verify(one_after_another()).is_ok());
    rejected(Rule::Launch, || scatters(4), |p| launch(p).follows = true);
    // Room for an array that is not set may come between, nothing that is put into the queue.
    for (init, follows) in [(None, true), (Some(Value::F64(0.0)), false)] {
        let mut p = one_after_another();
        let (elem, space) = (Elem::Scalar(DType::F64), Space::Output);
        p.buffers.push(Buffer { name: "room".into(), elem, space, array: Array::Local });
        let room = buffer(&p, "room");
        p.steps.insert(p.steps.len() - 1, Step::Allocate { buffer: room, len: Expr::Index(1), init });
        assert_eq!(verify(p).err().map(|e| e.rule), (!follows).then_some(Rule::Launch));
    }
}

/// What is launched is behind a condition that runs of so many threads decide alike.
fn behind(p: &mut Program, threads: u64) {
    let launch = launch(p);
    let (thread, body) = (launch.thread, std::mem::take(&mut launch.body));
    let cond = lt(
        Expr::IndexOp(IndexOp::Div, Box::new(thread.into()), Box::new(Expr::Index(threads))),
        Expr::Index(1),
    );
    launch.body = vec![Stmt::If { cond, then: body, otherwise: vec![] }];
}

#[test]
fn all_lanes_arrive() {
    let mut whole = scatters(4);
    behind(&mut whole, 32);
    assert!(verify(whole).is_ok());
    rejected(Rule::Convergence, || scatters(4), |p| behind(p, 8));
    let mut own = scatters(4);
    if let Stmt::Collective(c) = &mut launch(&mut own).body[1] {
        c.set_arrive(Arrive::Group);
    }
    behind(&mut own, 8);
    assert!(verify(own).is_ok());
}

/// A launch whose lanes wait for each other.
fn waits(scopes: &[Scope]) -> Program {
    let mut p = scatters(4);
    launch(&mut p).body = scopes.iter().copied().map(Stmt::Barrier).collect();
    p
}

#[test]
fn groups_wait_for_their_own_lanes() {
    let rule = |verified: Result<Verified, VerifyError>| verified.err().map(|e| e.rule);
    for size in [2, 4, 8, 16] {
        let alone = |threads| {
            let mut p = waits(&[Scope::Group(size)]);
            behind(&mut p, threads);
            verify(p)
        };
        assert!(alone(size.into()).is_ok() && alone(32).is_ok());
        assert_eq!(rule(alone(u64::from(size) / 2)), Some(Rule::Convergence));
        assert!(verify(waits(&[Scope::Group(size), Scope::Block, Scope::Group(size)])).is_ok());
        // Who has waited for whom would depend on both.
        assert_eq!(rule(verify(waits(&[Scope::Group(size), Scope::WARP]))), Some(Rule::Launch));
    }
    for size in [0, 1, 3, 64] {
        assert_eq!(rule(verify(waits(&[Scope::Group(size)]))), Some(Rule::Launch));
    }
}

/// A launch that claims elements of an array of indices that its block shares, and counts in it.
fn counts() -> Program {
    let mut p = scatters(4);
    let space = Space::Shared { len: 32 };
    p.buffers.push(Buffer { name: "n".into(), elem: Elem::Index, space, array: Array::Local });
    for name in ["held", "was"] {
        p.vars.push(Var { name: name.into(), ty: Ty::Index });
    }
    let (n, held, was) = (buffer(&p, "n"), var(&p, "held"), var(&p, "was"));
    let launch = launch(&mut p);
    launch.shared = vec![n];
    let (index, one) = (Expr::from(launch.thread), Expr::Index(1));
    launch.body = vec![
        Stmt::Mut { var: held, value: Expr::Index(0) },
        Stmt::Claim { var: held, buffer: n, index: index.clone(), value: one.clone() },
        Stmt::Fetch { op: FetchOp::Add, var: None, buffer: n, index: index.clone(), value: one.clone() },
        Stmt::Fetch { op: FetchOp::Max, var: Some(was), buffer: n, index, value: one },
    ];
    p
}

/// The parts of a claim, or of a count: buffer, index, value.
fn parts(p: &mut Program, at: usize) -> (&mut BufferId, &mut Expr, &mut Expr) {
    match &mut launch(p).body[at] {
        Stmt::Claim { buffer, index, value, .. } | Stmt::Fetch { buffer, index, value, .. } => {
            (buffer, index, value)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn indices_are_claimed_and_counted() {
    assert!(verify(counts()).is_ok());
    let real = || Expr::Lit(Value::F64(1.0));
    for at in 1..4 {
        rejected(Rule::Types, counts, |p| *parts(p, at).1 = real());
        rejected(Rule::Types, counts, |p| *parts(p, at).2 = real());
        // Others do not see what is there.
        for unseen in ["x_vals", "A2_crd"] {
            rejected(Rule::Space, counts, |p| *parts(p, at).0 = buffer(p, unseen));
        }
        rejected(Rule::Types, counts, |p| *parts(p, at).0 = buffer(p, "y_vals"));
        // On the host.
        rejected(Rule::Launch, counts, |p| {
            let stmt = launch(p).body.remove(at);
            let held = Stmt::Mut { var: var(p, "held"), value: Expr::Index(0) };
            p.steps.pop();
            run(p).extend([held, stmt]);
        });
    }
    // What was there is an index, which is declared by a count, and changed by a claim.
    rejected(Rule::Types, counts, |p| {
        let was = var(p, "was");
        p.vars[was.index()].ty = Ty::Scalar(DType::F64);
    });
    rejected(Rule::Scope, counts, |p| {
        let again = launch(p).body[3].clone();
        launch(p).body.push(again);
    });
    rejected(Rule::Scope, counts, |p| drop(launch(p).body.remove(0)));
    rejected(Rule::Mutability, counts, |p| {
        let was = var(p, "was");
        launch(p).body.push(Stmt::Assign { var: was, value: Expr::Index(0) });
    });
    rejected(Rule::Mutability, counts, |p| launch(p).body[0] = let_(var(p, "held"), Expr::Index(0)));
}

/// A size that the host names is its own, and known to the steps after it alone.
#[test]
fn sizes_that_are_named_are_the_host_s() {
    let with = |at: usize, in_launch: bool| {
        let mut p = scatters(4);
        for name in ["blocks", "copied"] {
            p.vars.push(Var { name: name.into(), ty: Ty::Index });
        }
        let (blocks, copied) = (VarId(p.vars.len() as u32 - 2), VarId(p.vars.len() as u32 - 1));
        launch(&mut p).grid[0].blocks = blocks.into();
        if in_launch {
            launch(&mut p).body.push(Stmt::Let { var: copied, value: blocks.into() });
        }
        let value = build::div(var(&p, "A1_dim"), Expr::Index(8));
        p.steps.insert(p.steps.len() - at, Step::Let { var: blocks, value });
        p
    };
    assert!(verify(with(1, false)).is_ok());
    let refused = |p: Program| verify(p).err().map(|e| e.rule);
    assert_eq!(refused(with(1, true)), Some(Rule::Host));
    assert_eq!(refused(with(0, false)), Some(Rule::Scope));
    let mut on_the_host = with(1, false);
    on_the_host.steps.retain(|step| !matches!(step, Step::Launch(_)));
    assert_eq!(refused(on_the_host), Some(Rule::Host));
    let mut a_condition = with(1, false);
    for step in &mut a_condition.steps {
        if let Step::Let { value, .. } = step {
            *value = Expr::Cond(true);
        }
    }
    assert_eq!(refused(a_condition), Some(Rule::Types));
}

/// What is read back from a launch is known to the host, which computes the sizes of others; so is a bound of it.
#[test]
fn numbers_that_are_read_back_are_the_host_s() {
    let with = |bounded: bool, in_launch: bool| {
        let mut p = scatters(4);
        let space = Space::Output;
        p.buffers.push(Buffer { name: "counts".into(), elem: Elem::Index, space, array: Array::Local });
        p.vars.push(Var { name: "len".into(), ty: Ty::Index });
        let (counts, len) = (buffer(&p, "counts"), VarId(p.vars.len() as u32 - 1));
        let launched = p.steps.pop();
        p.steps.push(Step::Allocate { buffer: counts, len: Expr::Index(1), init: Some(Value::I32(0)) });
        let index = Expr::Index(0);
        if bounded {
            p.vars.push(Var { name: "longest".into(), ty: Ty::Index });
            let (longest, what) = (VarId(p.vars.len() as u32 - 1), Fibers::Longest);
            p.steps.push(Step::Fibers { var: longest, tensor: TensorId(0), depth: 1, what });
            p.steps.push(Step::AtMost { var: len, most: longest.into(), within: 9, buffer: counts, index });
        } else {
            p.steps.push(Step::Read { var: len, buffer: counts, index });
        }
        p.steps.extend(launched);
        launch(&mut p).grid[0].blocks = len.into();
        let copied = p.vars.len() as u32;
        p.vars.push(Var { name: "copied".into(), ty: Ty::Index });
        if in_launch {
            launch(&mut p).body.push(Stmt::Let { var: VarId(copied), value: len.into() });
        }
        p
    };
    for bounded in [false, true] {
        assert!(verify(with(bounded, false)).is_ok());
        let refused: Result<_, VerifyError> = verify(with(bounded, true));
        assert_eq!(refused.err().map(|e| e.rule), Some(Rule::Host));
    }
    // A matrix has no third level.
    let mut deeper = with(true, false);
    for step in &mut deeper.steps {
        if let Step::Fibers { depth, .. } = step {
            *depth = 3;
        }
    }
    assert_eq!(verify(deeper).err().map(|e| e.rule), Some(Rule::Tensors));
}

/// A launch of two warps that scan what each thread has.
fn scans() -> Program {
    let mut p = scatters(4);
    let (elem, space) = (Elem::Index, Space::Shared { len: 2 });
    p.buffers.push(Buffer { name: "partial".into(), elem, space, array: Array::Local });
    let partial = buffer(&p, "partial");
    for name in ["before", "all"] {
        p.vars.push(Var { name: name.into(), ty: Ty::Index });
    }
    let (before, all) = (Some(var(&p, "before")), Some(var(&p, "all")));
    let l = launch(&mut p);
    (l.threads, l.shared) = (64, vec![partial]);
    let (of, over) = (Scanned::Sum(l.thread.into()), Over::Block { partial });
    l.body = vec![Stmt::Collective(Collective::Scan { of, before, all, over })];
    p
}

fn scan(p: &mut Program) -> (&mut Scanned, &mut Over) {
    match &mut launch(p).body[0] {
        Stmt::Collective(Collective::Scan { of, over, .. }) => (of, over),
        _ => panic!("the launch scans"),
    }
}

#[test]
fn threads_scan_together() {
    assert!(verify(scans()).is_ok());
    let group = |size| Over::Group(Group { size, arrive: Arrive::Warp });
    let mut of_groups = scans();
    *scan(&mut of_groups).1 = group(8);
    assert!(verify(of_groups).is_ok());
    rejected(Rule::Launch, scans, |p| *scan(p).1 = group(3));
    // One element a warp, of indices, that the block shares.
    rejected(Rule::Launch, scans, |p| launch(p).threads = 96);
    rejected(Rule::Space, scans, |p| {
        let partial = buffer(p, "partial");
        p.buffers[partial.index()].elem = Elem::Scalar(DType::F64);
    });
    rejected(Rule::Allocation, scans, |p| launch(p).shared.clear());
    // Votes are conditions, and counts are indices.
    rejected(Rule::Types, scans, |p| {
        let value = scan(p).0.value().clone();
        *scan(p).0 = Scanned::Lanes(value);
    });
    rejected(Rule::Convergence, scans, |p| behind(p, 32));
}
