//! Hand-written programs that the tests of the printer, the verifier, the simplifier and the interpreter share.

use super::build::{add, and, eq, load, lt, min, mul};
use super::*;
use crate::format::{FormatSpec, Level};
use crate::scalar::{BinaryOp, DType, Monoid, Value};

const COMPRESSED: Level = Level::Compressed { unique: true };

/// Collects the tables of a program.
pub(crate) struct Tables(pub(crate) Program);

impl Tables {
    pub(crate) fn new(name: &str, source: &str) -> Self {
        Tables(Program {
            name: name.into(),
            source: source.into(),
            tensors: vec![],
            extents: vec![],
            fused: vec![],
            params: vec![],
            vars: vec![],
            buffers: vec![],
            steps: vec![],
            workspaces: vec![],
            ignored_races: vec![],
        })
    }

    pub(crate) fn tensor(&mut self, name: &str, levels: &[Level], role: Role) -> TensorId {
        self.0.tensors.push(Tensor {
            name: name.into(),
            spec: FormatSpec::new(levels.to_vec()),
            dtype: DType::F64,
            role,
            dims_from: vec![],
            packed: None,
        });
        TensorId(self.0.tensors.len() as u32 - 1)
    }

    pub(crate) fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.0.vars.push(Var { name: name.into(), ty });
        VarId(self.0.vars.len() as u32 - 1)
    }

    pub(crate) fn index(&mut self, name: &str) -> VarId {
        self.var(name, Ty::Index)
    }

    pub(crate) fn dim(&mut self, name: &str, tensor: TensorId, level: usize) -> VarId {
        let var = self.index(name);
        self.0.params.push(Param::Dim { var, tensor, level });
        var
    }

    pub(crate) fn buffer(&mut self, name: &str, space: Space, array: Array) -> BufferId {
        let elem = match array {
            Array::Vals(_) | Array::Local => Elem::Scalar(DType::F64),
            Array::Pos(..) | Array::Crd(..) => Elem::Index,
        };
        self.0.buffers.push(Buffer { name: name.into(), elem, space, array });
        BufferId(self.0.buffers.len() as u32 - 1)
    }
}

pub(crate) fn f64_lit(v: f64) -> Expr {
    Expr::Lit(Value::F64(v))
}

pub(crate) fn times(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b))
}

pub(crate) fn let_(var: VarId, value: impl Into<Expr>) -> Stmt {
    Stmt::Let { var, value: value.into() }
}

pub(crate) fn mut_(var: VarId, value: impl Into<Expr>) -> Stmt {
    Stmt::Mut { var, value: value.into() }
}

pub(crate) fn for_(var: VarId, lo: impl Into<Expr>, hi: impl Into<Expr>, body: Block) -> Stmt {
    Stmt::For { var, lo: lo.into(), hi: hi.into(), step: 1, kind: LoopKind::Serial, body }
}

fn append(buffer: BufferId, value: impl Into<Expr>) -> Stmt {
    Stmt::Append { buffer, value: value.into() }
}

/// `y[i] = A[i, j] * x[j]`, A in CSR.
pub(crate) fn spmv() -> Program {
    let mut t = Tables::new("spmv", "y[i] = A[i, j] * x[j]");
    let a = t.tensor("A", &[Level::Dense, COMPRESSED], Role::Input);
    let x = t.tensor("x", &[Level::Dense], Role::Input);
    let y = t.tensor("y", &[Level::Dense], Role::Result);
    t.0.tensors[y.index()].dims_from = vec![(a, 0)];
    t.0.extents = vec![
        Extent { index: "i".into(), sources: vec![(a, 0)], promises: vec![] },
        Extent { index: "j".into(), sources: vec![(a, 1), (x, 0)], promises: vec![] },
    ];
    let rows = t.dim("A1_dim", a, 0);
    let pos = t.buffer("A2_pos", Space::Input, Array::Pos(a, 1));
    let crd = t.buffer("A2_crd", Space::Input, Array::Crd(a, 1));
    let a_vals = t.buffer("A_vals", Space::Input, Array::Vals(a));
    let x_vals = t.buffer("x_vals", Space::Input, Array::Vals(x));
    let y_vals = t.buffer("y_vals", Space::Output, Array::Vals(y));
    let (i, p, j) = (t.index("i"), t.index("p"), t.index("j"));
    let sum = t.var("t", Ty::Scalar(DType::F64));

    let inner = Stmt::For {
        var: p,
        lo: load(pos, i),
        hi: load(pos, add(i, Expr::Index(1))),
        step: 1,
        kind: LoopKind::Reduce { var: sum, op: Monoid::Add },
        body: vec![
            let_(j, load(crd, p)),
            Stmt::Update { var: sum, op: Monoid::Add, value: times(load(a_vals, p), load(x_vals, j)) },
        ],
    };
    let body = vec![
        mut_(sum, f64_lit(0.0)),
        inner,
        Stmt::Store { buffer: y_vals, index: i.into(), value: sum.into() },
    ];
    t.0.steps = vec![
        Step::Allocate { buffer: y_vals, len: rows.into(), init: None },
        Step::Run(vec![Stmt::Comment("rows of A".into()), for_(i, Expr::Index(0), rows, body)]),
    ];
    t.0
}

/// SpMV's rows on threads, balanced by their positions.
pub(crate) fn spmv_on_threads() -> Program {
    let mut p = spmv();
    let Some(Step::Run(block)) = p.steps.last_mut() else { unreachable!("SpMV ends with its code") };
    let Some(Stmt::For { var, lo, hi, body, .. }) = block.pop() else { unreachable!("SpMV loops over rows") };
    let rows = hi.clone();
    let (work, balance) = (load(BufferId(0), rows), vec![BufferId(0)]);
    block.push(Stmt::Threads { var, lo, hi, work, balance, private: None, appends: None, body });
    p
}

/// `y[j] += A[i, j]`, A in CSR: rows on threads that meet in the columns, each update made by `update` of `y_vals`,
/// the column and the value.
pub(crate) fn column_sums(
    private: Option<Monoid>,
    update: impl Fn(BufferId, Expr, Expr) -> Block,
) -> Program {
    let mut t = Tables::new("column_sums", "y[j] += A[i, j]");
    let a = t.tensor("A", &[Level::Dense, COMPRESSED], Role::Input);
    let y = t.tensor("y", &[Level::Dense], Role::Result);
    t.0.tensors[y.index()].dims_from = vec![(a, 1)];
    let (rows, columns) = (t.dim("A1_dim", a, 0), t.dim("A2_dim", a, 1));
    let pos = t.buffer("A2_pos", Space::Input, Array::Pos(a, 1));
    let crd = t.buffer("A2_crd", Space::Input, Array::Crd(a, 1));
    let a_vals = t.buffer("A_vals", Space::Input, Array::Vals(a));
    let y_vals = t.buffer("y_vals", Space::Output, Array::Vals(y));
    let (i, p) = (t.index("i"), t.index("p"));
    let body = update(y_vals, load(crd, p), load(a_vals, p));
    let threads = Stmt::Threads {
        var: i,
        lo: Expr::Index(0),
        hi: rows.into(),
        work: load(pos, rows),
        balance: vec![],
        private: private.map(|op| (y_vals, op)),
        appends: None,
        body: vec![for_(p, load(pos, i), load(pos, add(i, Expr::Index(1))), body)],
    };
    t.0.steps = vec![
        Step::Allocate { buffer: y_vals, len: columns.into(), init: Some(Value::F64(0.0)) },
        Step::Run(vec![threads]),
    ];
    t.0
}

/// `a[i] = b[i] + c[i]`, all compressed: a merge that appends.
pub(crate) fn sparse_add() -> Program {
    let mut t = Tables::new("sparse_add", "a[i] = b[i] + c[i]");
    let b = t.tensor("b", &[COMPRESSED], Role::Input);
    let c = t.tensor("c", &[COMPRESSED], Role::Input);
    let a = t.tensor("a", &[COMPRESSED], Role::Result);
    t.0.tensors[a.index()].dims_from = vec![(b, 0)];
    t.0.extents = vec![Extent { index: "i".into(), sources: vec![(b, 0), (c, 0)], promises: vec![] }];
    let b_pos = t.buffer("b1_pos", Space::Input, Array::Pos(b, 0));
    let b_crd = t.buffer("b1_crd", Space::Input, Array::Crd(b, 0));
    let b_vals = t.buffer("b_vals", Space::Input, Array::Vals(b));
    let c_pos = t.buffer("c1_pos", Space::Input, Array::Pos(c, 0));
    let c_crd = t.buffer("c1_crd", Space::Input, Array::Crd(c, 0));
    let c_vals = t.buffer("c_vals", Space::Input, Array::Vals(c));
    let a_pos = t.buffer("a1_pos", Space::Output, Array::Pos(a, 0));
    let a_crd = t.buffer("a1_crd", Space::Growable, Array::Crd(a, 0));
    let a_vals = t.buffer("a_vals", Space::Growable, Array::Vals(a));
    let (pb, pb_end, pc, pc_end) = (t.index("pb"), t.index("pb_end"), t.index("pc"), t.index("pc_end"));
    let (ib, ic, i) = (t.index("ib"), t.index("ic"), t.index("i"));

    let zero = || Expr::Index(0);
    let one = || Expr::Index(1);
    let plus = |a, b| Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b));
    let advance = |p: VarId, stop: VarId| Stmt::If {
        cond: eq(stop, i),
        then: vec![Stmt::Assign { var: p, value: add(p, one()) }],
        otherwise: vec![],
    };
    let push = |value: Expr| vec![append(a_crd, i), append(a_vals, value)];
    let merge = Stmt::While {
        cond: and(lt(pb, pb_end), lt(pc, pc_end)),
        body: vec![
            let_(ib, load(b_crd, pb)),
            let_(ic, load(c_crd, pc)),
            let_(i, min(ib, ic)),
            Stmt::If {
                cond: and(eq(ib, i), eq(ic, i)),
                then: push(plus(load(b_vals, pb), load(c_vals, pc))),
                otherwise: vec![Stmt::If {
                    cond: eq(ib, i),
                    then: push(load(b_vals, pb)),
                    otherwise: push(load(c_vals, pc)),
                }],
            },
            advance(pb, ib),
            advance(pc, ic),
        ],
    };
    let rest = |p: VarId, end: VarId, crd, vals| Stmt::While {
        cond: lt(p, end),
        body: vec![
            append(a_crd, load(crd, p)),
            append(a_vals, load(vals, p)),
            Stmt::Assign { var: p, value: add(p, one()) },
        ],
    };
    let room = add(load(b_pos, one()), load(c_pos, one()));
    t.0.steps = vec![
        Step::Allocate { buffer: a_pos, len: mul(Expr::Index(2), one()), init: Some(Value::I32(0)) },
        Step::Reserve { buffer: a_crd, capacity: Some(room.clone()), exact: false },
        Step::Reserve { buffer: a_vals, capacity: Some(room), exact: false },
        Step::Run(vec![
            mut_(pb, load(b_pos, zero())),
            let_(pb_end, load(b_pos, one())),
            mut_(pc, load(c_pos, zero())),
            let_(pc_end, load(c_pos, one())),
            merge,
            rest(pb, pb_end, b_crd, b_vals),
            rest(pc, pc_end, c_crd, c_vals),
            Stmt::Store { buffer: a_pos, index: one(), value: Expr::Len(a_crd) },
        ]),
    ];
    t.0
}
