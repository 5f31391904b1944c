//! Programs written by hand that run on threads, for what no kernel is lowered to yet, and to know what is compiled.
//!
//! Each estimates its work as large, so that it runs on threads whatever its input's size.

use sparse_core::format::{FormatSpec, Level};
use sparse_core::llir::build::{add, and, eq, load, lt, mul, sub};
use sparse_core::llir::verify::{Verified, verify};
use sparse_core::llir::{
    Appends, Array, Block, Buffer, BufferId, Elem, Expr, IndexOp, Init, LoopKind, Param, Program, Role,
    Space, Step, Stmt, Tensor, TensorId, Ty, Var, VarId,
};
use sparse_core::scalar::{BinaryOp, DType, Monoid, Value};

/// Every program with its name.
pub fn programs() -> Vec<(&'static str, Verified)> {
    vec![
        ("rows", rows()),
        ("tiles", tiles()),
        ("histogram", histogram()),
        ("column_sums", column_sums()),
        ("column_maxima", column_maxima()),
        ("workspace", workspace()),
        ("captures", captures()),
        ("two_loops", two_loops()),
        ("appended_rows", appended_rows()),
        ("appended_tree", appended_tree()),
    ]
}

const COMPRESSED: Level = Level::Compressed { unique: true };

/// More than any threshold.
fn much() -> Expr {
    Expr::Index(1 << 24)
}

/// A program with one sparse matrix A, dense operands, and a dense result.
struct Builder {
    program: Program,
    dtype: DType,
    rows: VarId,
    pos: BufferId,
    crd: BufferId,
    vals: BufferId,
}

impl Builder {
    fn new(name: &str, source: &str, dtype: DType) -> Builder {
        let mut b = Builder {
            program: Program {
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
            },
            dtype,
            rows: VarId(0),
            pos: BufferId(0),
            crd: BufferId(0),
            vals: BufferId(0),
        };
        let csr = vec![Level::Dense, COMPRESSED];
        let a = b.tensor("A", csr, Role::Input);
        b.rows = b.dim("A1_dim", a, 0);
        b.pos = b.buffer("A2_pos", Elem::Index, Space::Input, Array::Pos(a, 1));
        b.crd = b.buffer("A2_crd", Elem::Index, Space::Input, Array::Crd(a, 1));
        b.vals = b.values("A_vals", Space::Input, Array::Vals(a));
        b
    }

    fn tensor(&mut self, name: &str, levels: Vec<Level>, role: Role) -> TensorId {
        self.program.tensors.push(Tensor {
            name: name.into(),
            spec: FormatSpec::new(levels),
            dtype: self.dtype,
            role,
            dims_from: vec![],
            packed: None,
        });
        TensorId(self.program.tensors.len() as u32 - 1)
    }

    /// A dense operand of this rank, and its values.
    fn operand(&mut self, name: &str, rank: usize) -> (TensorId, BufferId) {
        let t = self.tensor(name, vec![Level::Dense; rank], Role::Input);
        (t, self.values(&format!("{name}_vals"), Space::Input, Array::Vals(t)))
    }

    /// The values of the dense result, whose sizes come from dimensions of the operands.
    fn result(&mut self, name: &str, dims: &[(u32, usize)], init: Option<Value>) -> BufferId {
        let t = self.tensor(name, vec![Level::Dense; dims.len()], Role::Result);
        self.program.tensors[t.index()].dims_from = dims.iter().map(|d| (TensorId(d.0), d.1)).collect();
        let vals = self.values(&format!("{name}_vals"), Space::Output, Array::Vals(t));
        let sizes: Vec<VarId> = dims.iter().map(|d| self.size(TensorId(d.0), d.1)).collect();
        let len = sizes.into_iter().fold(Expr::Index(1), mul);
        self.program.steps.push(Step::Allocate { buffer: vals, len, init });
        vals
    }

    /// The parameter that is a size; each is declared once.
    fn size(&mut self, tensor: TensorId, level: usize) -> VarId {
        let known = self.program.params.iter().find_map(|p| match p {
            Param::Dim { var, tensor: t, level: l } if (*t, *l) == (tensor, level) => Some(*var),
            _ => None,
        });
        let name = format!("{}{}_dim", self.program.tensors[tensor.index()].name, level + 1);
        known.unwrap_or_else(|| self.dim(&name, tensor, level))
    }

    fn dim(&mut self, name: &str, tensor: TensorId, level: usize) -> VarId {
        let var = self.index(name);
        self.program.params.push(Param::Dim { var, tensor, level });
        var
    }

    fn index(&mut self, name: &str) -> VarId {
        self.var(name, Ty::Index)
    }

    fn scalar(&mut self, name: &str) -> VarId {
        self.var(name, Ty::Scalar(self.dtype))
    }

    fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.program.vars.push(Var { name: name.into(), ty });
        VarId(self.program.vars.len() as u32 - 1)
    }

    fn values(&mut self, name: &str, space: Space, array: Array) -> BufferId {
        self.buffer(name, Elem::Scalar(self.dtype), space, array)
    }

    fn buffer(&mut self, name: &str, elem: Elem, space: Space, array: Array) -> BufferId {
        self.program.buffers.push(Buffer { name: name.into(), elem, space, array });
        BufferId(self.program.buffers.len() as u32 - 1)
    }

    fn zero(&self) -> Expr {
        Expr::Lit(self.dtype.zero())
    }

    /// `for var` over the stored entries of row `i`.
    fn entries(&self, var: VarId, i: VarId, kind: LoopKind, body: Block) -> Stmt {
        let (lo, hi) = (load(self.pos, i), load(self.pos, add(i, Expr::Index(1))));
        Stmt::For { var, lo, hi, step: 1, kind, body }
    }

    /// `A[i, j] * other[at]` at a position of A.
    fn product(&self, p: VarId, other: BufferId, at: impl Into<Expr>) -> Expr {
        Expr::Binary(BinaryOp::Mul, Box::new(load(self.vals, p)), Box::new(load(other, at)))
    }

    /// Appends the entry at a position of A if its column is even.
    fn append_even(&self, p: VarId, crd: BufferId, vals: BufferId) -> Stmt {
        let column = || load(self.crd, p);
        let rest = Expr::IndexOp(IndexOp::Rem, Box::new(column()), Box::new(Expr::Index(2)));
        let then = vec![
            Stmt::Append { buffer: crd, value: column() },
            Stmt::Append { buffer: vals, value: load(self.vals, p) },
        ];
        Stmt::If { cond: eq(rest, Expr::Index(0)), then, otherwise: vec![] }
    }

    /// Rows on threads, balanced by their entries.
    fn rows_on_threads(&self, i: VarId, body: Block) -> Stmt {
        let (lo, hi, balance) = (Expr::Index(0), self.rows.into(), vec![self.pos]);
        Stmt::Threads { var: i, lo, hi, work: much(), balance, private: None, appends: None, body }
    }

    fn finish(mut self, code: Block) -> Verified {
        self.program.steps.push(Step::Run(code));
        verify(self.program).expect("a program written with care")
    }
}

fn serial(var: VarId, lo: impl Into<Expr>, hi: impl Into<Expr>, body: Block) -> Stmt {
    Stmt::For { var, lo: lo.into(), hi: hi.into(), step: 1, kind: LoopKind::Serial, body }
}

fn update(var: VarId, value: Expr) -> Stmt {
    Stmt::Update { var, op: Monoid::Add, value }
}

/// `y[i] = A[i, j] * x[j]`, rows balanced by their entries.
fn rows() -> Verified {
    let mut b = Builder::new("rows", "y[i] = A[i, j] * x[j]", DType::F64);
    let (_, x) = b.operand("x", 1);
    let y = b.result("y", &[(0, 0)], None);
    let (i, p, t) = (b.index("i"), b.index("p"), b.scalar("t"));
    let sum = LoopKind::Reduce { var: t, op: Monoid::Add };
    let row = vec![
        Stmt::Mut { var: t, value: b.zero() },
        b.entries(p, i, sum, vec![update(t, b.product(p, x, load(b.crd, p)))]),
        Stmt::Store { buffer: y, index: i.into(), value: t.into() },
    ];
    let code = vec![b.rows_on_threads(i, row)];
    b.finish(code)
}

/// `C[i, k] = A[i, j] * B[j, k]`, rows of C in tiles of 8 registers; the end of the whole tiles is computed outside.
fn tiles() -> Verified {
    let mut b = Builder::new("tiles", "C[i, k] = A[i, j] * B[j, k]", DType::F32);
    let (operand, values) = b.operand("B", 2);
    let c = b.result("C", &[(0, 0), (1, 1)], None);
    let n = b.size(operand, 1);
    let acc = b.values("acc", Space::Register { len: 8 }, Array::Local);
    let [end, i, k0, k, p, q, lane, l] = ["k_end", "i", "k0", "k", "p", "q", "lane", "l"].map(|n| b.index(n));
    let t = b.scalar("t");
    let eight = || Expr::Index(8);
    let lanes =
        |var, body| Stmt::For { var, lo: Expr::Index(0), hi: eight(), step: 1, kind: LoopKind::Lanes, body };
    let at = |row: Expr, k: Expr| add(mul(row, n), k);
    let tile = vec![
        Stmt::Local { buffer: acc, init: Some(Value::F32(0.0)) },
        b.entries(
            p,
            i,
            LoopKind::ReduceArray { buffer: acc, op: Monoid::Add },
            vec![lanes(
                lane,
                vec![Stmt::Reduce {
                    buffer: acc,
                    index: lane.into(),
                    op: Monoid::Add,
                    value: b.product(p, values, at(load(b.crd, p), add(k0, lane))),
                }],
            )],
        ),
        lanes(l, vec![Stmt::Store { buffer: c, index: at(i.into(), add(k0, l)), value: load(acc, l) }]),
    ];
    let column = vec![
        Stmt::Mut { var: t, value: b.zero() },
        b.entries(
            q,
            i,
            LoopKind::Reduce { var: t, op: Monoid::Add },
            vec![update(t, b.product(q, values, at(load(b.crd, q), k.into())))],
        ),
        Stmt::Store { buffer: c, index: at(i.into(), k.into()), value: t.into() },
    ];
    let whole = mul(Expr::IndexOp(IndexOp::Div, Box::new(n.into()), Box::new(eight())), eight());
    let tiles = Stmt::For {
        var: k0,
        lo: Expr::Index(0),
        hi: end.into(),
        step: 8,
        kind: LoopKind::Serial,
        body: tile,
    };
    let code = vec![
        Stmt::Let { var: end, value: whole },
        b.rows_on_threads(i, vec![tiles, serial(k, end, n, column)]),
    ];
    b.finish(code)
}

/// How many entries each column has: entries on threads, by atomic updates.
fn histogram() -> Verified {
    let mut b = Builder::new("histogram", "y[j] += 1 where A[i, j]", DType::I32);
    let y = b.result("y", &[(0, 1)], Some(Value::I32(0)));
    let p = b.index("p");
    let one = Expr::Lit(Value::I32(1));
    let count = Stmt::Atomic { buffer: y, index: load(b.crd, p), op: Monoid::Add, value: one };
    let (lo, hi) = (Expr::Index(0), load(b.pos, b.rows));
    let code = vec![Stmt::Threads {
        var: p,
        lo,
        hi,
        work: much(),
        balance: vec![],
        private: None,
        appends: None,
        body: vec![count],
    }];
    b.finish(code)
}

/// `y[j] = A[i, j]`: rows on threads, each thread with its own sums.
fn column_sums() -> Verified {
    columns("column_sums", "y[j] = A[i, j]", Monoid::Add, true)
}

/// `y[j] max= A[i, j]`: rows on threads, by atomic updates that no instruction does.
fn column_maxima() -> Verified {
    columns("column_maxima", "y[j] max= A[i, j]", Monoid::Max, false)
}

fn columns(name: &str, source: &str, op: Monoid, copies: bool) -> Verified {
    let mut b = Builder::new(name, source, DType::F64);
    let y = b.result("y", &[(0, 1)], op.identity(DType::F64));
    let (i, p) = (b.index("i"), b.index("p"));
    let (buffer, index, value) = (y, load(b.crd, p), load(b.vals, p));
    let meet = match copies {
        true => Stmt::Reduce { buffer, index, op, value },
        false => Stmt::Atomic { buffer, index, op, value },
    };
    let entries = b.entries(p, i, LoopKind::Serial, vec![meet]);
    let mut threads = b.rows_on_threads(i, vec![entries]);
    if let (Stmt::Threads { private, .. }, true) = (&mut threads, copies) {
        *private = Some((y, op));
    }
    b.finish(vec![threads])
}

/// `y[i] = 2 * A[i, j] * x[j]` by way of dense rows: one that each iteration has to itself, and its copy in an array
/// that all share, made by an unrolled loop; both are read in vectors.
fn workspace() -> Verified {
    let mut b = Builder::new("workspace", "y[i] = 2 * A[i, j] * x[j]", DType::F64);
    let (_, x) = b.operand("x", 1);
    let y = b.result("y", &[(0, 0)], None);
    let columns = b.size(TensorId(0), 1);
    let row = b.values("row", Space::Scratch, Array::Local);
    let all = b.values("all", Space::Scratch, Array::Local);
    let [i, p, j, k, l] = ["i", "p", "j", "k", "l"].map(|n| b.index(n));
    let (t, u) = (b.scalar("t"), b.scalar("u"));
    let of = |j: VarId| add(mul(i, columns), j);
    let scatter =
        Stmt::Reduce { buffer: row, index: load(b.crd, p), op: Monoid::Add, value: load(b.vals, p) };
    let columns_in =
        |var, kind, body| Stmt::For { var, lo: Expr::Index(0), hi: columns.into(), step: 1, kind, body };
    let dot = |var: VarId, sum, array, at| {
        let product = Expr::Binary(BinaryOp::Mul, Box::new(load(array, at)), Box::new(load(x, var)));
        columns_in(var, LoopKind::Reduce { var: sum, op: Monoid::Add }, vec![update(sum, product)])
    };
    let body = vec![
        Stmt::Alloc { buffer: row, len: columns.into(), init: Init::Value(Value::F64(0.0)) },
        b.entries(p, i, LoopKind::Serial, vec![scatter]),
        columns_in(
            j,
            LoopKind::Unroll(4),
            vec![Stmt::Store { buffer: all, index: of(j), value: load(row, j) }],
        ),
        Stmt::Mut { var: t, value: b.zero() },
        dot(k, t, all, of(k)),
        Stmt::Mut { var: u, value: b.zero() },
        dot(l, u, row, l.into()),
        Stmt::Store {
            buffer: y,
            index: i.into(),
            value: Expr::Binary(BinaryOp::Add, Box::new(t.into()), Box::new(u.into())),
        },
    ];
    let code = vec![
        Stmt::Alloc { buffer: all, len: mul(b.rows, columns), init: Init::Value(Value::F64(0.0)) },
        b.rows_on_threads(i, body),
    ];
    b.finish(code)
}

/// `y[i] += alpha * A[i, j]` over lists of the rows that are not empty: everything that a body can capture.
fn captures() -> Verified {
    let mut b = Builder::new("captures", "y[i] += alpha * A[i, j]", DType::F32);
    let out = b.tensor("y", vec![Level::Dense], Role::InOut);
    let y = b.values("y_vals", Space::InOut, Array::Vals(out));
    let alpha = b.scalar("alpha");
    b.program.params.push(Param::Scalar { var: alpha, index: 0 });
    let list = b.buffer("list", Elem::Index, Space::Growable, Array::Local);
    let again = b.buffer("again", Elem::Index, Space::Growable, Array::Local);
    b.program.steps.push(Step::Reserve { buffer: list, capacity: None, exact: false });
    b.program.steps.push(Step::Reserve { buffer: again, capacity: Some(b.rows.into()), exact: false });
    let [n, last, r, i, p] = ["n", "last", "r", "i", "p"].map(|n| b.index(n));
    let (any, t) = (b.var("any", Ty::Cond), b.scalar("t"));
    let append = |buffer| Stmt::Append { buffer, value: n.into() };
    let collect = vec![Stmt::If {
        cond: lt(load(b.pos, n), load(b.pos, add(n, Expr::Index(1)))),
        then: vec![append(list), append(again)],
        otherwise: vec![],
    }];
    let product = Expr::Binary(BinaryOp::Mul, Box::new(alpha.into()), Box::new(t.into()));
    let is_listed = and(eq(load(again, r), i), and(eq(Expr::Len(list), Expr::Len(again)), lt(r, last)));
    let body = vec![
        Stmt::Let { var: i, value: load(list, r) },
        Stmt::Mut { var: t, value: b.zero() },
        b.entries(p, i, LoopKind::Reduce { var: t, op: Monoid::Add }, vec![update(t, load(b.vals, p))]),
        Stmt::If {
            cond: and(any, is_listed),
            then: vec![Stmt::Reduce { buffer: y, index: i.into(), op: Monoid::Add, value: product }],
            otherwise: vec![],
        },
    ];
    let (lo, hi) = (Expr::Index(0), Expr::Len(list));
    let code = vec![
        serial(n, Expr::Index(0), b.rows, collect),
        Stmt::Mut { var: last, value: Expr::Index(0) },
        Stmt::Let { var: any, value: lt(Expr::Index(0), Expr::Len(again)) },
        Stmt::Assign { var: last, value: Expr::Len(again) },
        Stmt::Threads { var: r, lo, hi, work: much(), balance: vec![], private: None, appends: None, body },
    ];
    b.finish(code)
}

/// `y[i] = w[i] + w[m - 1 - i]` for the row sums `w`: a loop on threads reads what the one before it wrote.
fn two_loops() -> Verified {
    let mut b = Builder::new("two_loops", "w[i] = A[i, j]; y[i] = w[i] + w[m - 1 - i]", DType::I64);
    let y = b.result("y", &[(0, 0)], None);
    let w = b.values("w", Space::Scratch, Array::Local);
    let (i, p, r, t) = (b.index("i"), b.index("p"), b.index("r"), b.scalar("t"));
    let sums = vec![
        Stmt::Mut { var: t, value: b.zero() },
        b.entries(p, i, LoopKind::Reduce { var: t, op: Monoid::Add }, vec![update(t, load(b.vals, p))]),
        Stmt::Store { buffer: w, index: i.into(), value: t.into() },
    ];
    let mirrored = sub(sub(b.rows, Expr::Index(1)), r);
    let pair = Expr::Binary(BinaryOp::Add, Box::new(load(w, r)), Box::new(load(w, mirrored)));
    let body = vec![Stmt::Store { buffer: y, index: r.into(), value: pair }];
    let (lo, hi) = (Expr::Index(0), b.rows.into());
    let code = vec![
        Stmt::Alloc { buffer: w, len: b.rows.into(), init: Init::Value(Value::I64(0)) },
        b.rows_on_threads(i, sums),
        Stmt::Threads { var: r, lo, hi, work: much(), balance: vec![], private: None, appends: None, body },
    ];
    b.finish(code)
}

/// The entries of A in even columns, in CSR: rows append to parts of arrays with room for all entries of A.
fn appended_rows() -> Verified {
    let mut b = Builder::new("appended_rows", "C[i, j] = A[i, j] if j is even", DType::F64);
    let c = b.tensor("C", vec![Level::Dense, COMPRESSED], Role::Result);
    b.program.tensors[c.index()].dims_from = vec![(TensorId(0), 0), (TensorId(0), 1)];
    let pos = b.buffer("C2_pos", Elem::Index, Space::Output, Array::Pos(c, 1));
    let crd = b.buffer("C2_crd", Elem::Index, Space::Growable, Array::Crd(c, 1));
    let vals = b.values("C_vals", Space::Growable, Array::Vals(c));
    let all = || Some(load(b.pos, b.rows));
    let steps = vec![
        Step::Allocate { buffer: pos, len: add(b.rows, Expr::Index(1)), init: None },
        Step::Reserve { buffer: crd, capacity: all(), exact: false },
        Step::Reserve { buffer: vals, capacity: all(), exact: false },
    ];
    b.program.steps = steps;
    let [i, p, begin] = ["i", "p", "begin"].map(|n| b.index(n));
    let row = vec![
        Stmt::Let { var: begin, value: Expr::Len(crd) },
        b.entries(p, i, LoopKind::Serial, vec![b.append_even(p, crd, vals)]),
        Stmt::Store { buffer: pos, index: i.into(), value: sub(Expr::Len(crd), begin) },
    ];
    let mut threads = b.rows_on_threads(i, row);
    if let Stmt::Threads { appends, .. } = &mut threads {
        *appends = Some(Appends { buffers: vec![crd, vals], before: Some(load(b.pos, i)) });
    }
    let code = vec![threads, Stmt::Scan { buffer: pos, len: b.rows.into() }];
    b.finish(code)
}

/// The same in DCSR, without a bound: rows that have such entries are appended too, with their number.
fn appended_tree() -> Verified {
    let mut b = Builder::new("appended_tree", "C[i, j] = A[i, j] if j is even", DType::F32);
    let c = b.tensor("C", vec![COMPRESSED, COMPRESSED], Role::Result);
    b.program.tensors[c.index()].dims_from = vec![(TensorId(0), 0), (TensorId(0), 1)];
    let rows = b.buffer("C1_pos", Elem::Index, Space::Output, Array::Pos(c, 0));
    let row = b.buffer("C1_crd", Elem::Index, Space::Growable, Array::Crd(c, 0));
    let pos = b.buffer("C2_pos", Elem::Index, Space::Growable, Array::Pos(c, 1));
    let crd = b.buffer("C2_crd", Elem::Index, Space::Growable, Array::Crd(c, 1));
    let vals = b.values("C_vals", Space::Growable, Array::Vals(c));
    b.program.steps = vec![Step::Allocate { buffer: rows, len: Expr::Index(2), init: None }];
    let growable = [row, pos, crd, vals].map(|buffer| Step::Reserve { buffer, capacity: None, exact: false });
    b.program.steps.extend(growable);
    let [i, p, begin] = ["i", "p", "begin"].map(|n| b.index(n));
    let body = vec![
        Stmt::Let { var: begin, value: Expr::Len(crd) },
        b.entries(p, i, LoopKind::Serial, vec![b.append_even(p, crd, vals)]),
        Stmt::If {
            cond: lt(begin, Expr::Len(crd)),
            then: vec![
                Stmt::Append { buffer: row, value: i.into() },
                Stmt::Append { buffer: pos, value: sub(Expr::Len(crd), begin) },
            ],
            otherwise: vec![],
        },
    ];
    let mut threads = b.rows_on_threads(i, body);
    if let Stmt::Threads { appends, .. } = &mut threads {
        *appends = Some(Appends { buffers: vec![row, pos, crd, vals], before: None });
    }
    let code = vec![
        Stmt::Store { buffer: rows, index: Expr::Index(0), value: Expr::Index(0) },
        threads,
        Stmt::Scan { buffer: pos, len: Expr::Len(pos) },
        Stmt::Store { buffer: rows, index: Expr::Index(1), value: Expr::Len(row) },
    ];
    b.finish(code)
}
