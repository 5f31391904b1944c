//! SpMV kernels of the shapes that the compiler makes.

use crate::format::Level;
use crate::llir::build::{add, eq, load, lt, min, mul, search, sub};
use crate::llir::samples::{Tables, f64_lit, for_, let_, mut_, times};
use crate::llir::*;
use crate::scalar::{DType, Monoid, Value};

pub(super) const THREADS: u32 = 64;

fn op(op: IndexOp, a: impl Into<Expr>, b: u64) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(Expr::Index(b)))
}

/// What all of them have.
pub(super) struct Spmv {
    pub(super) t: Tables,
    pub(super) rows: VarId,
    pub(super) pos: BufferId,
    pub(super) crd: BufferId,
    pub(super) a: BufferId,
    pub(super) x: BufferId,
    pub(super) y: BufferId,
    pub(super) block: VarId,
    pub(super) thread: VarId,
}

impl Spmv {
    pub(super) fn new() -> Spmv {
        let mut t = Tables::new("spmv", "y[i] = A[i, j] * x[j]");
        let compressed = Level::Compressed { unique: true };
        let a = t.tensor("A", &[Level::Dense, compressed], Role::Input);
        let x = t.tensor("x", &[Level::Dense], Role::Input);
        let y = t.tensor("y", &[Level::Dense], Role::Result);
        t.0.tensors[y.index()].dims_from = vec![(a, 0)];
        Spmv {
            rows: t.dim("A1_dim", a, 0),
            pos: t.buffer("A2_pos", Space::Input, Array::Pos(a, 1)),
            crd: t.buffer("A2_crd", Space::Input, Array::Crd(a, 1)),
            a: t.buffer("A_vals", Space::Input, Array::Vals(a)),
            x: t.buffer("x_vals", Space::Input, Array::Vals(x)),
            y: t.buffer("y_vals", Space::Output, Array::Vals(y)),
            block: t.index("b"),
            thread: t.index("t"),
            t,
        }
    }

    pub(super) fn product(&self, p: impl Into<Expr>) -> Expr {
        let p = p.into();
        times(load(self.a, p.clone()), load(self.x, load(self.crd, p)))
    }

    /// The program that launches this on enough threads.
    pub(super) fn launch(
        mut self,
        init: Option<f64>,
        threads: Expr,
        shared: Vec<BufferId>,
        body: Block,
    ) -> Program {
        let all = u64::from(THREADS);
        let blocks = op(IndexOp::Div, add(threads, Expr::Index(all - 1)), all);
        self.t.0.steps = vec![
            Step::Allocate { buffer: self.y, len: self.rows.into(), init: init.map(Value::F64) },
            Step::Launch(Launch {
                name: "spmv_kernel".into(),
                grid: vec![Axis { var: self.block, blocks }],
                thread: self.thread,
                threads: THREADS,
                resident: 0,
                follows: false,
                shared,
                body,
            }),
        ];
        self.t.0
    }

    pub(super) fn number(&self) -> Expr {
        add(mul(self.block, Expr::Index(u64::from(THREADS))), self.thread)
    }
}

/// A row a group: the sum of its lanes.
pub(super) fn by_rows(size: u32) -> Program {
    let mut k = Spmv::new();
    let (g, i, p) = (k.t.index("g"), k.t.index("i"), k.t.index("p"));
    let sum = k.t.var("sum", Ty::Scalar(DType::F64));
    let group = Group { size, arrive: Arrive::Warp };
    let lane = op(IndexOp::Rem, k.thread, u64::from(size));
    let body = vec![
        let_(g, op(IndexOp::Div, k.number(), u64::from(size))),
        let_(i, min(g, sub(k.rows, Expr::Index(1)))),
        mut_(sum, f64_lit(0.0)),
        Stmt::For {
            var: p,
            lo: add(load(k.pos, i), lane),
            hi: load(k.pos, add(i, Expr::Index(1))),
            step: size,
            kind: LoopKind::Serial,
            body: vec![Stmt::Update { var: sum, op: Monoid::Add, value: k.product(p) }],
        },
        Stmt::Collective(Collective::Reduce {
            group,
            segments: None,
            op: Monoid::Add,
            value: sum.into(),
            buffer: k.y,
            index: i.into(),
            when: lt(g, k.rows),
            write: Write::Sole(Sole::Store),
        }),
    ];
    let threads = mul(k.rows, Expr::Index(u64::from(size)));
    k.launch(None, threads, vec![], body)
}

/// An entry a lane: the sums of neighbouring entries of one row.
pub(super) fn by_entries(size: u32) -> Program {
    let mut k = Spmv::new();
    let (n, p, i) = (k.t.index("n"), k.t.index("p"), k.t.index("i"));
    let entries = k.t.index("entries");
    let (value, segments) = (k.t.var("v", Ty::Scalar(DType::F64)), k.t.var("s", Ty::Segments));
    let group = Group { size, arrive: Arrive::Warp };
    let row = search(Bound::Upper, k.pos, Expr::Index(0), add(k.rows, Expr::Index(1)), p);
    let exists = lt(n, entries);
    let body = vec![
        let_(n, k.number()),
        let_(entries, load(k.pos, k.rows)),
        let_(p, min(n, sub(entries, Expr::Index(1)))),
        let_(i, sub(row, Expr::Index(1))),
        let_(value, Expr::Select(Box::new(exists.clone()), Box::new(k.product(p)), Box::new(f64_lit(0.0)))),
        Stmt::Collective(Collective::Segments { var: segments, key: i.into(), group }),
        Stmt::Collective(Collective::Reduce {
            group,
            segments: Some(segments),
            op: Monoid::Add,
            value: value.into(),
            buffer: k.y,
            index: i.into(),
            when: exists,
            write: Write::Atomic,
        }),
    ];
    let threads = load(k.pos, k.rows);
    k.launch(Some(0.0), threads, vec![], body)
}

/// A row a block, its threads' sums added up by the first one out of shared memory, between barriers or not. Every block
/// computes two rows one after the other.
pub(super) fn by_blocks(first: bool, second: bool) -> Program {
    let mut k = Spmv::new();
    let (turn, i, p, n) = (k.t.index("turn"), k.t.index("i"), k.t.index("p"), k.t.index("n"));
    let scalar = Ty::Scalar(DType::F64);
    let (sum, all) = (k.t.var("sum", scalar), k.t.var("all", scalar));
    let sums = k.t.buffer("sums", Space::Shared { len: THREADS }, Array::Local);
    let update = |var, value| Stmt::Update { var, op: Monoid::Add, value };
    let mut body = vec![
        let_(i, min(add(mul(k.block, Expr::Index(2)), turn), sub(k.rows, Expr::Index(1)))),
        mut_(sum, f64_lit(0.0)),
        Stmt::For {
            var: p,
            lo: add(load(k.pos, i), k.thread),
            hi: load(k.pos, add(i, Expr::Index(1))),
            step: THREADS,
            kind: LoopKind::Serial,
            body: vec![update(sum, k.product(p))],
        },
        Stmt::Store { buffer: sums, index: k.thread.into(), value: sum.into() },
    ];
    if first {
        body.push(Stmt::Barrier(Scope::Block));
    }
    body.push(Stmt::If {
        cond: eq(k.thread, Expr::Index(0)),
        then: vec![
            mut_(all, f64_lit(0.0)),
            for_(n, Expr::Index(0), Expr::Index(THREADS.into()), vec![update(all, load(sums, n))]),
            Stmt::If {
                cond: lt(add(mul(k.block, Expr::Index(2)), turn), k.rows),
                then: vec![Stmt::Store { buffer: k.y, index: i.into(), value: all.into() }],
                otherwise: vec![],
            },
        ],
        otherwise: vec![],
    });
    if second {
        body.push(Stmt::Barrier(Scope::Block));
    }
    let threads = mul(op(IndexOp::Div, add(k.rows, Expr::Index(1)), 2), Expr::Index(THREADS.into()));
    k.launch(None, threads, vec![sums], vec![for_(turn, Expr::Index(0), Expr::Index(2), body)])
}

/// A block's threads scan what each has, and store a thousand times what is before them, and what all have. They do so twice, and
/// wait in between or not.
pub(super) fn by_scans(of: fn(Expr) -> Scanned, given: fn(Expr) -> Expr, waits: bool) -> Program {
    let mut k = Spmv::new();
    let partial = k.t.buffer("partial", Space::Shared { len: THREADS / 32 }, Array::Local);
    k.t.0.buffers[partial.index()].elem = Elem::Index;
    let mut body = vec![];
    for turn in 0..2 {
        let [before, all] = [format!("before_{turn}"), format!("all_{turn}")].map(|name| k.t.index(&name));
        let of = of(given(k.thread.into()));
        let over = Over::Block { partial };
        body.push(Stmt::Collective(Collective::Scan { of, before: Some(before), all: Some(all), over }));
        body.extend((waits && turn == 0).then_some(Stmt::Barrier(Scope::Block)));
        let sum = add(mul(before, Expr::Index(1000)), all);
        let value = Expr::FromIndex(DType::F64, Box::new(sum));
        let then = vec![Stmt::Store { buffer: k.y, index: k.thread.into(), value }];
        body.push(Stmt::If { cond: lt(k.thread, k.rows), then, otherwise: vec![] });
    }
    k.launch(None, Expr::Index(THREADS.into()), vec![partial], body)
}
