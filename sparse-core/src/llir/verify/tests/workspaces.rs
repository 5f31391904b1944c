//! Sparse workspaces, and what is asked of the host, where they break their rules.

use super::{rejected, run};
use crate::format::WorkspaceFormat;
use crate::llir::samples::{let_, spmv};
use crate::llir::verify::{Rule, verify};
use crate::llir::*;
use crate::scalar::{DType, Value};

const W: WorkspaceId = WorkspaceId(0);

/// Scatters an element into a workspace that threads gather, and gathers it.
fn gathered() -> Program {
    let mut p = spmv();
    for (name, elem) in [("w_crd", Elem::Index), ("w_vals", Elem::Scalar(DType::F64))] {
        p.buffers.push(Buffer { name: name.into(), elem, space: Space::Gathered, array: Array::Local });
    }
    let vals = BufferId(p.buffers.len() as u32 - 1);
    p.workspaces.push(Workspace {
        name: "w".into(),
        format: WorkspaceFormat::Sort,
        dims: vec![Expr::Index(9)],
        block: None,
        op: None,
        init: Value::F64(0.0),
        masked: false,
        on_threads: true,
        crd: vec![BufferId(vals.0 - 1)],
        vals,
    });
    run(&mut p).extend(scatter_and_gather());
    p
}

fn scatter_and_gather() -> Block {
    let value = Expr::Lit(Value::F64(1.0));
    vec![Stmt::Scatter { workspace: W, at: vec![Expr::Index(3)], value }, Stmt::Gather(W)]
}

/// The same inside of a loop on threads.
fn gathered_by_each() -> Program {
    let mut p = gathered();
    p.workspaces[0].on_threads = false;
    p.vars.push(Var { name: "n".into(), ty: Ty::Index });
    let var = VarId(p.vars.len() as u32 - 1);
    let code = run(&mut p);
    let body = code.split_off(code.len() - 2);
    let (lo, hi, work) = (Expr::Index(0), Expr::Index(2), Expr::Index(9));
    code.push(Stmt::Threads { var, lo, hi, work, balance: vec![], private: None, appends: None, body });
    p
}

#[test]
fn threads_gather_what_is_sorted_outside_of_their_loops() {
    assert!(verify(gathered()).is_ok());
    assert!(verify(gathered_by_each()).is_ok());
    rejected(Rule::Workspaces, gathered, |p| p.workspaces[0].format = WorkspaceFormat::List);
    rejected(Rule::Workspaces, gathered_by_each, |p| p.workspaces[0].on_threads = true);
}

/// The same under a mask.
fn gathered_under_a_mask() -> Program {
    let mut p = gathered();
    let w = &mut p.workspaces[0];
    (w.format, w.on_threads, w.masked) = (WorkspaceFormat::List, false, true);
    let crd = p.buffers.iter().position(|b| b.name.ends_with("_crd")).map(|at| BufferId(at as u32));
    let mask = Stmt::Mask { workspace: W, crd: crd.unwrap(), lo: Expr::Index(0), hi: Expr::Index(1) };
    let code = run(&mut p);
    let at = code.len() - 2;
    code.insert(at, mask);
    p
}

#[test]
fn masks_come_before_what_they_are_for() {
    assert!(verify(gathered_under_a_mask()).is_ok());
    rejected(Rule::Workspaces, gathered_under_a_mask, |p| p.workspaces[0].masked = false);
    rejected(Rule::Workspaces, gathered_under_a_mask, |p| p.workspaces[0].format = WorkspaceFormat::Hash);
    let moved = |from: usize, to: usize| {
        move |p: &mut Program| {
            let code = run(p);
            let first = code.len() - 3;
            code.swap(first + from, first + to);
        }
    };
    // Behind an element, behind all of them, and twice.
    rejected(Rule::Workspaces, gathered_under_a_mask, moved(0, 1));
    rejected(Rule::Workspaces, gathered_under_a_mask, moved(0, 2));
    rejected(Rule::Workspaces, gathered_under_a_mask, |p| {
        let code = run(p);
        let at = code.len() - 3;
        let again = code[at].clone();
        code.insert(at, again);
    });
    rejected(Rule::Types, gathered_under_a_mask, |p| {
        let vals = p.buffers.iter().position(|b| b.name.ends_with("_vals") && b.space == Space::Input);
        let code = run(p);
        let at = code.len() - 3;
        let Stmt::Mask { crd, .. } = &mut code[at] else { panic!("the mask") };
        *crd = BufferId(vals.unwrap() as u32);
    });
}

/// The same with blocks of two, one of which is written.
fn gathered_in_blocks() -> Program {
    let mut p = gathered();
    let elem = Elem::Scalar(DType::F64);
    p.buffers.push(Buffer { name: "w_block".into(), elem, space: Space::Scratch, array: Array::Local });
    let open = BufferId(p.buffers.len() as u32 - 1);
    let w = &mut p.workspaces[0];
    (w.format, w.on_threads) = (WorkspaceFormat::List, false);
    w.block = Some(DenseBlock { dims: vec![Expr::Index(2)], open });
    let store = Stmt::Store { buffer: open, index: Expr::Index(1), value: Expr::Lit(Value::F64(1.0)) };
    let place = Stmt::Place { workspace: W, at: vec![Expr::Index(3)], block: open };
    let code = run(&mut p);
    let at = code.len() - 2;
    code.splice(at..=at, [place, store]);
    p
}

#[test]
fn blocks_are_written_where_they_are_placed() {
    assert!(verify(gathered_in_blocks()).is_ok());
    rejected(Rule::Workspaces, gathered_in_blocks, |p| p.workspaces[0].block = None);
    rejected(Rule::Workspaces, gathered_in_blocks, |p| p.workspaces[0].format = WorkspaceFormat::Sort);
    rejected(Rule::Workspaces, gathered_in_blocks, |p| {
        if let Some(block) = &mut p.workspaces[0].block {
            block.dims.clear();
        }
    });
    // A block of elements takes none by itself, and is not written before it is found, nor when all are gathered.
    rejected(Rule::Workspaces, gathered_in_blocks, |p| {
        let value = Expr::Lit(Value::F64(1.0));
        let code = run(p);
        let at = code.len() - 1;
        code.insert(at, Stmt::Scatter { workspace: W, at: vec![Expr::Index(3)], value });
    });
    let moved = |from: usize, to: usize| {
        move |p: &mut Program| {
            let code = run(p);
            let first = code.len() - 3;
            code.swap(first + from, first + to);
        }
    };
    rejected(Rule::Registers, gathered_in_blocks, moved(0, 1));
    rejected(Rule::Registers, gathered_in_blocks, moved(1, 2));
    // Nor is another one found while it is in use.
    let nested = |p: &mut Program| {
        let code = run(p);
        let at = code.len() - 2;
        let (place, store) = (code[at - 1].clone(), code[at].clone());
        let then = vec![place];
        code.splice(at..=at, [Stmt::If { cond: Expr::Cond(true), then, otherwise: vec![] }, store]);
    };
    rejected(Rule::Registers, gathered_in_blocks, nested);
}

#[test]
fn the_host_s_code_alone_asks_how_many_threads_there_are() {
    let workers = || Expr::Workers(Box::new(Expr::Index(9)));
    let asks = || {
        let mut p = spmv();
        p.vars.push(Var { name: "n".into(), ty: Ty::Index });
        p
    };
    let last = |p: &Program| VarId(p.vars.len() as u32 - 1);
    let mut p = asks();
    let n = last(&p);
    run(&mut p).push(let_(n, workers()));
    assert!(verify(p).is_ok());
    rejected(Rule::Space, spmv, |p| {
        let Some(Step::Allocate { len, .. }) = p.steps.first_mut() else { panic!("the sample allocates") };
        *len = workers();
    });
    rejected(Rule::Space, asks, |p| {
        let n = last(p);
        for name in ["thread", "block"] {
            p.vars.push(Var { name: name.into(), ty: Ty::Index });
        }
        let (thread, block) = (VarId(n.0 + 1), VarId(n.0 + 2));
        let grid = vec![Axis { var: block, blocks: Expr::Index(1) }];
        let body = vec![let_(n, workers())];
        let shared = vec![];
        p.steps.push(Step::Launch(Launch { shared, ..Launch::new("f".into(), grid, (thread, 32), body) }));
    });
}

#[test]
fn lengths_are_asked_where_something_is_launched() {
    let asks = || {
        let mut p = spmv();
        p.vars.push(Var { name: "longest".into(), ty: Ty::Index });
        let var = VarId(p.vars.len() as u32 - 1);
        p.steps.insert(0, Step::Fibers { var, tensor: TensorId(0), depth: 1, what: Fibers::Longest });
        p
    };
    rejected(Rule::Host, asks, |_| {});
}
