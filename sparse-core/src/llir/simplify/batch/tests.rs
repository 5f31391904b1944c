//! Loops that batches are made of, and others.

use super::plan::entries;
use super::*;
use crate::format::Level;
use crate::llir::build::{add, le, load, mul};
use crate::llir::print::print;
use crate::llir::samples::{Tables as Samples, for_, let_, mut_, times};
use crate::llir::{Axis, Role};
use crate::scalar::{DType, Monoid};
use expect_test::expect;

/// What the loops of these tests are made of.
struct Sample {
    t: Samples,
    crd: BufferId,
    vals: BufferId,
    rows: BufferId,
    b_vec: BufferId,
    acc: BufferId,
    thread: VarId,
}

impl Sample {
    fn new() -> Sample {
        let mut t = Samples::new("f", "");
        let a = t.tensor("A", &[Level::Compressed { unique: true }], Role::Input);
        let b = t.tensor("B", &[Level::Dense], Role::Input);
        let crd = t.buffer("A1_crd", Space::Input, Array::Crd(a, 0));
        let vals = t.buffer("A_vals", Space::Input, Array::Vals(a));
        let rows = t.buffer("B_vals", Space::Input, Array::Vals(b));
        let b_vec = t.buffer("B_vec", Space::Register { len: 2 }, Array::Local);
        let acc = t.buffer("acc", Space::Register { len: 2 }, Array::Local);
        let thread = t.index("thread");
        Sample { t, crd, vals, rows, b_vec, acc, thread }
    }

    /// `let j = crd[p]; vector B_vec = B_vals[j * 2]; let A_val = A_vals[p]; for k in 0..2 { acc[k] += A_val * B_vec[k]; }`
    fn entry(&mut self, p: VarId) -> Block {
        let [j, k] = ["j", "k"].map(|name| self.t.index(name));
        let a = self.t.var("A_val", Ty::Scalar(DType::F64));
        let index = mul(j, Expr::Index(2));
        let value = times(a.into(), load(self.b_vec, k));
        let sum = Stmt::Reduce { buffer: self.acc, index: k.into(), op: Monoid::Add, value };
        vec![
            let_(j, load(self.crd, p)),
            Stmt::Local { buffer: self.b_vec, init: Some(DType::F64.zero()) },
            Stmt::LoadVector { to: self.b_vec, part: None, buffer: self.rows, index },
            let_(a, load(self.vals, p)),
            for_(k, Expr::Index(0), Expr::Index(2), vec![sum]),
        ]
    }

    fn batched(mut self, body: Block) -> String {
        let block = self.t.index("block");
        let grid = vec![Axis { var: block, blocks: Expr::Index(1) }];
        let (name, thread) = ("f".into(), self.thread);
        let launch = Launch::new(name, grid, (thread, 128), body);
        self.t.0.steps = vec![Step::Launch(launch)];
        batch(&mut self.t.0);
        let text = print(&self.t.0);
        text[text.find("launch").unwrap_or(0)..].to_owned()
    }
}

#[test]
fn vectors_at_coordinates_are_loaded_for_four_entries_at_a_time() {
    let mut s = Sample::new();
    let [p, q, end] = ["p", "q", "end"].map(|name| s.t.index(name));
    // A row ends between two entries.
    let mut body = s.entry(p);
    let next = Stmt::Assign { var: end, value: add(end, load(s.crd, q)) };
    body.insert(0, Stmt::While { cond: le(end, p), body: vec![next] });
    let step = for_(p, s.thread, load(s.crd, s.thread), body);
    let text = s.batched(vec![let_(q, Expr::Index(0)), mut_(end, Expr::Index(9)), step]);
    expect![[r#"
        launch f blocks(block in 0..1) threads(thread in 0..128) resident(8) {
            let q = 0;
            let mut end = 9;
            let p_stop = A1_crd[thread];
            for unroll(1) batch in (thread..p_stop).step_by(4) {
                // the loads of four entries, which do not wait for each other
                let mut A_val_batch = [_; 4];
                let mut B_vec_batch = [_; 8];
                for unroll(4) n in 0..4 {
                    let p = batch + n;
                    if p < p_stop {
                        let j = A1_crd[p];
                        vector B_vec_batch[n * 2, 2] = B_vals[j * 2];
                        A_val_batch[n] = A_vals[p];
                    }
                }
                for unroll(4) n in 0..4 {
                    let p = batch + n;
                    if p < p_stop {
                        while end <= p {
                            end += A1_crd[q];
                        }
                        for k in 0..2 {
                            acc[k] += A_val_batch[n] * B_vec_batch[n * 2 + k];
                        }
                    }
                }
            }
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn loops_stay_whose_vectors_change_meanwhile_or_that_others_go_around() {
    let unchanged = |make: &dyn Fn(&mut Sample) -> Block| {
        let mut s = Sample::new();
        let body = make(&mut s);
        let text = s.batched(body);
        assert!(!text.contains("batch") && !text.contains("resident"), "{text}");
    };
    // Found by a variable that the loop changes.
    unchanged(&|s| {
        let [p, q] = ["p", "q"].map(|name| s.t.index(name));
        let mut body = s.entry(p);
        if let Stmt::LoadVector { index, .. } = &mut body[2] {
            *index = mul(q, Expr::Index(2));
        }
        body.push(Stmt::Assign { var: q, value: add(q, Expr::Index(1)) });
        vec![mut_(q, Expr::Index(0)), for_(p, Expr::Index(0), s.thread, body)]
    });
    // From an array that the loop writes.
    unchanged(&|s| {
        let p = s.t.index("p");
        s.t.0.buffers[s.rows.index()].space = Space::InOut;
        let body = s.entry(p);
        vec![for_(p, Expr::Index(0), s.thread, body)]
    });
    // Something else is found at the coordinate later.
    unchanged(&|s| {
        let p = s.t.index("p");
        let mut body = s.entry(p);
        let Some(j) = body[0].declared().next() else { panic!("the coordinate") };
        let value = load(s.rows, j);
        body.push(Stmt::Reduce { buffer: s.acc, index: Expr::Index(0), op: Monoid::Add, value });
        vec![for_(p, Expr::Index(0), s.thread, body)]
    });
    // A thread has one fiber after another.
    unchanged(&|s| {
        let [p, q] = ["p", "q"].map(|name| s.t.index(name));
        let body = s.entry(p);
        let fiber = for_(p, Expr::Index(0), q, body);
        vec![for_(q, Expr::Index(0), s.thread, vec![fiber])]
    });
}

#[test]
fn what_a_batch_loads_leaves_room_for_other_threads() {
    let vectors = [3, 5, 6, 7, 12, 13].map(|words| entries(words, true));
    assert_eq!(vectors, [Some(4), Some(4), Some(4), Some(2), Some(2), None]);
    assert_eq!([2, 3, 4].map(|words| entries(words, false)), [Some(8), Some(8), Some(4)]);
}

/// A thread's share of eight entries, but for the last one's: `begin = min(thread * of, 99); end = min(begin + of, 99)`.
fn share(s: &mut Sample, of: u64) -> (Block, VarId, VarId) {
    let [begin, end] = ["begin", "end"].map(|name| s.t.index(name));
    let lets = vec![
        let_(begin, build::min(mul(s.thread, Expr::Index(of)), Expr::Index(99))),
        let_(end, build::min(add(begin, Expr::Index(of)), Expr::Index(99))),
    ];
    (lets, begin, end)
}

#[test]
fn what_stands_together_is_loaded_in_vectors_where_a_batch_is_whole() {
    let mut s = Sample::new();
    let p = s.t.index("p");
    let body = s.entry(p);
    let (mut lets, begin, end) = share(&mut s, 8);
    lets.push(for_(p, begin, end, body));
    let text = s.batched(lets);
    expect![[r#"
        launch f blocks(block in 0..1) threads(thread in 0..128) resident(8) {
            let begin = min(thread * 8, 99);
            let end = min(begin + 8, 99);
            for unroll(1) batch in (begin..end).step_by(4) {
                // the loads of four entries, which do not wait for each other
                let mut A_val_batch = [_; 4];
                let mut B_vec_batch = [_; 8];
                let mut A1_crd_batch = [_; 4];
                if batch + 4 <= end && batch % 4 == 0 {
                    vector A1_crd_batch[0, 4] = A1_crd[batch];
                    vector A_val_batch[0, 2] = A_vals[batch];
                    vector A_val_batch[2, 2] = A_vals[batch + 2];
                    for unroll(4) n in 0..4 {
                        let j = A1_crd_batch[n];
                        vector B_vec_batch[n * 2, 2] = B_vals[j * 2];
                    }
                } else {
                    for unroll(4) n in 0..4 {
                        let p = batch + n;
                        if p < end {
                            let j = A1_crd[p];
                            vector B_vec_batch[n * 2, 2] = B_vals[j * 2];
                            A_val_batch[n] = A_vals[p];
                        }
                    }
                }
                for unroll(4) n in 0..4 {
                    let p = batch + n;
                    if p < end {
                        for k in 0..2 {
                            acc[k] += A_val_batch[n] * B_vec_batch[n * 2 + k];
                        }
                    }
                }
            }
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn batches_are_no_larger_than_shares_and_vectors_begin_where_these_do() {
    let batched = |of: u64| {
        let mut s = Sample::new();
        let p = s.t.index("p");
        let body = s.entry(p);
        let (mut lets, begin, end) = share(&mut s, of);
        lets.push(for_(p, begin, end, body));
        s.batched(lets)
    };
    let vectors = |text: &str| text.matches("] = A1_crd[batch").count();
    let has = |of: u64, step: u64, crd: usize, alignment: &str| {
        let text = batched(of);
        assert!(text.contains(&format!("step_by({step})")), "{of}: {text}");
        assert_eq!(vectors(&text), crd, "{of}: {text}");
        assert!(alignment.is_empty() || text.contains(alignment), "{of}: {text}");
    };
    has(2, 2, 1, "batch % 2 == 0");
    has(4, 4, 1, "batch % 4 == 0");
    has(12, 4, 1, "batch % 4 == 0");
    // Two at a time: the shares of every other thread begin at no multiple of four.
    has(6, 4, 2, "batch % 2 == 0");
    // No batch of four is in a share of three, and those of seven begin anywhere.
    has(3, 4, 0, "");
    has(7, 4, 0, "");
}
