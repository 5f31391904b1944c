//! Programs of launches written by hand, that have everything which a kernel's text can have: every operator, monoid
//! and way to write on every element type. They are compiled, never run.

use sparse_core::format::{FormatSpec, Level};
use sparse_core::llir::build::{add, and, load, lt, mul, search, sub};
use sparse_core::llir::kernel::WARP;
use sparse_core::llir::verify::{Verified, verify};
use sparse_core::llir::{
    Array, Arrive, Axis, Block, Bound, Buffer, BufferId, Cmp, Collective, Elem, Expr, Group, IndexOp, Launch,
    LoopKind, Neighbour, Over, Param, Program, Role, Scanned, Scope, Sole, Space, Step, Stmt, Tensor,
    TensorId, Ty, Var, VarId, Write,
};
use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// Threads of a block.
pub(crate) const THREADS: u32 = 128;

/// Every program with its name.
pub fn launches() -> Vec<(String, Verified)> {
    let mut all = vec![("statements".to_owned(), statements()), ("names".to_owned(), names())];
    for t in DType::ALL {
        all.push((format!("operators_{t}"), operators(t)));
        all.push((format!("collectives_{t}"), collectives(t)));
        all.push((format!("vectors_{t}"), vectors(t)));
    }
    all
}

/// A program of one launch that reads the compressed vector `x` and writes the dense vector `y`.
pub(crate) struct Builder {
    pub(crate) program: Program,
    pub(crate) dtype: DType,
    pub(crate) size: VarId,
    pub(crate) pos: BufferId,
    pub(crate) crd: BufferId,
    pub(crate) x: BufferId,
    pub(crate) y: BufferId,
    pub(crate) block: VarId,
    pub(crate) thread: VarId,
    pub(crate) grid: Vec<Axis>,
    pub(crate) shared: Vec<BufferId>,
    pub(crate) body: Block,
}

impl Builder {
    pub(crate) fn new(name: &str, dtype: DType) -> Builder {
        let program = Program {
            name: name.into(),
            source: "y[i] = x[i];".into(),
            tensors: vec![],
            extents: vec![],
            fused: vec![],
            params: vec![],
            vars: vec![],
            buffers: vec![],
            steps: vec![],
            workspaces: vec![],
            ignored_races: vec![],
        };
        let (id, buffer) = (VarId(0), BufferId(0));
        let (size, block, thread) = (id, id, id);
        let (pos, crd, x, y) = (buffer, buffer, buffer, buffer);
        let (grid, shared, body) = (vec![], vec![], vec![]);
        let mut b = Builder { program, dtype, size, pos, crd, x, y, block, thread, grid, shared, body };
        let x = b.tensor("x", Level::Compressed { unique: true }, Role::Input, &[]);
        let y = b.tensor("y", Level::Dense, Role::Result, &[(x, 0)]);
        b.size = b.index("x1_dim");
        b.program.params.push(Param::Dim { var: b.size, tensor: x, level: 0 });
        b.pos = b.buffer("x1_pos", Elem::Index, Space::Input, Array::Pos(x, 0));
        b.crd = b.buffer("x1_crd", Elem::Index, Space::Input, Array::Crd(x, 0));
        b.x = b.buffer("x_vals", Elem::Scalar(dtype), Space::Input, Array::Vals(x));
        b.y = b.buffer("y_vals", Elem::Scalar(dtype), Space::Output, Array::Vals(y));
        let (buffer, len, init) = (b.y, b.size.into(), Some(dtype.zero()));
        b.program.steps.push(Step::Allocate { buffer, len, init });
        b.block = b.index("block");
        b.thread = b.index("thread");
        b.grid.push(Axis { var: b.block, blocks: b.size.into() });
        b
    }

    fn tensor(&mut self, name: &str, level: Level, role: Role, dims_from: &[(TensorId, usize)]) -> TensorId {
        let (name, spec, dtype) = (name.into(), FormatSpec::new(vec![level]), self.dtype);
        self.program.tensors.push(Tensor {
            name,
            spec,
            dtype,
            role,
            dims_from: dims_from.to_vec(),
            packed: None,
        });
        TensorId(self.program.tensors.len() as u32 - 1)
    }

    pub(crate) fn buffer(&mut self, name: &str, elem: Elem, space: Space, array: Array) -> BufferId {
        self.program.buffers.push(Buffer { name: name.into(), elem, space, array });
        BufferId(self.program.buffers.len() as u32 - 1)
    }

    pub(crate) fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.program.vars.push(Var { name: name.into(), ty });
        VarId(self.program.vars.len() as u32 - 1)
    }

    pub(crate) fn index(&mut self, name: &str) -> VarId {
        self.var(name, Ty::Index)
    }

    /// `let name = value` of an index.
    pub(crate) fn let_index(&mut self, name: &str, value: Expr) -> VarId {
        let var = self.index(name);
        self.body.push(Stmt::Let { var, value });
        var
    }

    fn store(&mut self, index: impl Into<Expr>, value: Expr) {
        let (buffer, index) = (self.y, index.into());
        self.body.push(Stmt::Store { buffer, index, value });
    }

    fn one(&self) -> Expr {
        Expr::Lit(self.dtype.one())
    }

    pub(crate) fn finish(mut self) -> Verified {
        self.program.steps.push(Step::Launch(Launch {
            name: self.program.name.clone(),
            grid: self.grid,
            thread: self.thread,
            threads: THREADS,
            resident: 0,
            follows: false,
            shared: self.shared,
            body: self.body,
        }));
        verify(self.program).expect("a program written with care")
    }
}

pub(crate) fn index_op(op: IndexOp, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(b.into()))
}

fn operators(t: DType) -> Verified {
    let mut b = Builder::new("operators", t);
    let i = b.let_index("i", add(mul(b.block, Expr::Index(128)), b.thread));
    let (this, next) = (load(b.x, i), load(b.x, add(i, Expr::Index(1))));
    let both = |op, a: &Expr, b: &Expr| Expr::Binary(op, Box::new(a.clone()), Box::new(b.clone()));
    for op in BinaryOp::ALL.into_iter().filter(|op| op.accepts(t)) {
        let value = both(op, &this, &next);
        b.store(i, value.clone());
        // As an operand on either side of itself.
        b.store(i, both(op, &value, &both(op, &this, &value)));
    }
    for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(t)) {
        let value = Expr::Unary(op, Box::new(this.clone()));
        b.store(i, Expr::Unary(op, Box::new(value)));
    }
    let mut values = vec![t.zero(), t.one(), t.pos_inf(), t.neg_inf()];
    values.extend(match t {
        DType::F32 => vec![Value::F32(f32::NAN), Value::F32(-0.0), Value::F32(f32::MIN_POSITIVE / 4.0)],
        DType::F64 => vec![Value::F64(f64::NAN), Value::F64(-0.0), Value::F64(f64::MIN_POSITIVE / 4.0)],
        _ => vec![],
    });
    for value in values {
        b.store(i, Expr::Lit(value));
    }
    b.store(i, Expr::FromIndex(t, Box::new(add(i, Expr::Index(1)))));
    b.store(i, Expr::FromIndex(t, Box::new(mul(i, b.size))));
    let condition = Expr::Or(
        Box::new(and(lt(i, b.size), Expr::Not(Box::new(lt(i, Expr::Index(7)))))),
        Box::new(Expr::Cmp(Cmp::Ne, Box::new(i.into()), Box::new(b.block.into()))),
    );
    b.store(i, Expr::Select(Box::new(condition), Box::new(this), Box::new(next)));
    b.finish()
}

/// Two and four elements at once, in the caller's memory and in a block's.
fn vectors(t: DType) -> Verified {
    let mut b = Builder::new("vectors", t);
    for len in t.vector_lengths() {
        let (elem, size) = (Elem::Scalar(t), len as u32);
        let tile = b.buffer(&format!("tile_{len}"), elem, Space::Shared { len: 128 * size }, Array::Local);
        let all = b.buffer(&format!("all_{len}"), elem, Space::Register { len: size }, Array::Local);
        b.shared.push(tile);
        let index = mul(b.thread, Expr::Index(len));
        b.body.extend([
            Stmt::Local { buffer: all, init: Some(t.one()) },
            Stmt::LoadVector { to: all, part: None, buffer: b.x, index: index.clone() },
            Stmt::StoreVector { buffer: tile, index: index.clone(), from: all, update: None },
            Stmt::LoadVector { to: all, part: None, buffer: tile, index: index.clone() },
            Stmt::StoreVector { buffer: b.y, index: index.clone(), from: all, update: None },
            Stmt::StoreVector {
                buffer: b.y,
                index,
                from: all,
                update: Some(if t == DType::Bool { Monoid::Or } else { Monoid::Add }),
            },
        ]);
    }
    b.finish()
}

/// Every scan over some threads.
fn scans(b: &mut Builder, who: &str, (live, i): (Expr, VarId), over: Over) {
    let wide = mul(i, b.size);
    for (name, of) in [("count", Scanned::Lanes(live)), ("sum", Scanned::Sum(wide))] {
        for (results, [asks_before, asks_all]) in
            [("", [false, true]), ("_first", [true, false]), ("_both", [true, true])]
        {
            let before = asks_before.then(|| b.index(&format!("{name}_before{results}_{who}")));
            let all = asks_all.then(|| b.index(&format!("{name}{results}_{who}")));
            b.body.push(Stmt::Collective(Collective::Scan { of: of.clone(), before, all, over }));
            for var in before.into_iter().chain(all) {
                b.store(var, b.one());
            }
            if matches!(over, Over::Block { .. }) {
                b.body.push(Stmt::Barrier(Scope::Block));
            }
        }
    }
}

fn collectives(t: DType) -> Verified {
    let mut b = Builder::new("collectives", t);
    let i = b.let_index("i", index_op(IndexOp::Div, b.thread, Expr::Index(32)));
    let live = lt(i, b.size);
    let groups = [
        Group { size: 32, arrive: Arrive::Warp },
        Group { size: 8, arrive: Arrive::Warp },
        Group { size: 2, arrive: Arrive::Group },
    ];
    let mut segments = vec![];
    for group in groups {
        let var = b.var(&format!("segments_{}", group.size), Ty::Segments);
        b.body.push(Stmt::Collective(Collective::Segments { var, key: i.into(), group }));
        segments.push(var);
        let (before, after) = (
            b.var(&format!("before_{}", group.size), Ty::Scalar(t)),
            b.var(&format!("after_{}", group.size), Ty::Index),
        );
        b.body.extend([
            Stmt::Collective(Collective::Shuffle {
                var: before,
                value: load(b.x, i),
                from: Neighbour::Previous,
                group,
            }),
            Stmt::Collective(Collective::Shuffle {
                var: after,
                value: mul(i, b.size),
                from: Neighbour::Next,
                group,
            }),
        ]);
        b.store(after, before.into());
        scans(&mut b, &group.size.to_string(), (live.clone(), i), Over::Group(group));
    }
    let partial = b.buffer("partial", Elem::Index, Space::Shared { len: THREADS / WARP }, Array::Local);
    b.shared.push(partial);
    scans(&mut b, "block", (live.clone(), i), Over::Block { partial });
    for op in Monoid::ALL.into_iter().filter(|op| op.accepts(t)) {
        let sum = b.var(&format!("t_{op:?}").to_lowercase(), Ty::Scalar(t));
        b.body.push(Stmt::Mut { var: sum, value: load(b.x, i) });
        b.body.push(Stmt::Update { var: sum, op, value: b.one() });
        for (group, segments) in groups.into_iter().zip(&segments) {
            b.body.push(Stmt::Collective(Collective::Total { var: sum, op, group }));
            let name = format!("acc_{op:?}_{}", group.size).to_lowercase();
            let buffer = b.buffer(&name, Elem::Scalar(t), Space::Register { len: 8 }, Array::Local);
            b.body.push(Stmt::Local { buffer, init: Some(t.one()) });
            b.body.push(Stmt::Collective(Collective::Scatter { buffer, op, group }));
            b.store(i, load(buffer, Expr::Index(0)));
            let sole = [Sole::Store, Sole::Combine];
            let reduce = |segments, write| {
                let (value, buffer, index, when) = (sum.into(), b.y, i.into(), live.clone());
                Collective::Reduce { group, segments, op, value, buffer, index, when, write }
            };
            let own = [Write::Atomic].into_iter().chain(sole.map(Write::Sole));
            let mut all: Vec<_> = own.clone().map(|write| reduce(None, write)).collect();
            let by_segments = own.chain(sole.map(Write::Complete));
            all.extend(by_segments.map(|write| reduce(Some(*segments), write)));
            b.body.extend(all.into_iter().map(Stmt::Collective));
        }
        let (buffer, index) = (b.y, add(i, Expr::Index(1)));
        let value = Expr::Binary(op.op(), Box::new(sum.into()), Box::new(b.one()));
        b.body.push(Stmt::Atomic { buffer, index: index.clone(), op, value: value.clone() });
        b.body.push(Stmt::Reduce { buffer, index, op, value });
    }
    b.body.push(Stmt::Barrier(Scope::Group(8)));
    b.finish()
}

/// Loops, branches, arrays, indices of either width.
fn statements() -> Verified {
    let mut b = Builder::new("statements", DType::F32);
    for name in ["block_y", "block_z"] {
        let var = b.index(name);
        b.grid.push(Axis { var, blocks: Expr::Index(3) });
    }
    let (second, third) = (b.grid[1].var, b.grid[2].var);
    let scalar = Elem::Scalar(DType::F32);
    let tile = b.buffer("tile", scalar, Space::Shared { len: 128 }, Array::Local);
    let numbers = b.buffer("numbers", Elem::Index, Space::Shared { len: 128 }, Array::Local);
    b.shared = vec![tile, numbers];
    let lit = |v| Expr::Lit(Value::F32(v));
    let (y, thread) = (b.y, b.thread);
    let store = |buffer, index: Expr, value| Stmt::Store { buffer, index, value };

    let wide = b.let_index("wide", add(mul(b.block, b.size), mul(second, third)));
    let narrow = b.let_index("narrow", index_op(IndexOp::Min, wide, sub(b.size, Expr::Index(1))));
    let rest = b.let_index("rest", index_op(IndexOp::Rem, wide, b.size));
    let most = b.let_index("most", index_op(IndexOp::Max, wide, Expr::Index(1 << 33)));
    let (first, last) = (load(b.pos, Expr::Index(0)), load(b.pos, Expr::Index(1)));
    let lower = b.let_index("lower", search(Bound::Lower, b.crd, first.clone(), last.clone(), narrow));
    let upper = b.let_index("upper", search(Bound::Upper, b.crd, lower, last, wide));
    let near = search(Bound::Gallop, b.crd, lower, upper, wide);
    let near = b.let_index("near", near);
    let live = b.var("live", Ty::Cond);
    b.body.push(Stmt::Mut { var: live, value: lt(near, upper) });
    b.body.extend([
        Stmt::Comment("shared\nby the block\\".into()),
        store(tile, thread.into(), load(b.x, narrow)),
        store(numbers, thread.into(), index_op(IndexOp::Div, mul(wide, b.size), b.size)),
        Stmt::Barrier(Scope::Block),
        Stmt::Barrier(Scope::WARP),
    ]);
    for (name, len, init) in [("zeros", 4, 0.0), ("few", 3, f32::INFINITY), ("many", 12, 1.0)] {
        let buffer = b.buffer(name, scalar, Space::Register { len }, Array::Local);
        let lane = b.index(&format!("lane_{name}"));
        let value = load(tile, lane);
        let update = Stmt::Reduce { buffer, index: lane.into(), op: Monoid::Max, value };
        let hi = Expr::Index(len.into());
        let body = vec![update, store(y, add(wide, lane), load(buffer, lane))];
        let kind = LoopKind::Lanes;
        b.body.push(Stmt::Local { buffer, init: Some(Value::F32(init)) });
        b.body.push(Stmt::For { var: lane, lo: Expr::Index(0), hi, step: 1, kind, body });
    }
    let (p, q, k) = (b.index("p"), b.index("q"), b.index("k"));
    let moving = b.index("moving");
    b.body.push(Stmt::Mut { var: moving, value: Expr::Index(0) });
    let inner = Stmt::For {
        var: q,
        lo: p.into(),
        hi: wide.into(),
        step: 32,
        kind: LoopKind::Serial,
        body: vec![
            Stmt::Assign { var: moving, value: add(moving, q) },
            Stmt::Assign { var: live, value: Expr::Cond(false) },
        ],
    };
    b.body.push(Stmt::For {
        var: p,
        lo: first,
        hi: load(b.pos, rest),
        step: 1,
        kind: LoopKind::Unroll(4),
        body: vec![inner],
    });
    let chain = Stmt::If {
        cond: lt(moving, most),
        then: vec![store(y, moving.into(), lit(1.0))],
        otherwise: vec![store(y, rest.into(), lit(2.0))],
    };
    b.body.extend([
        Stmt::While {
            cond: Expr::And(Box::new(live.into()), Box::new(lt(moving, upper))),
            body: vec![Stmt::Assign { var: moving, value: add(moving, Expr::Index(1)) }],
        },
        Stmt::If { cond: live.into(), then: vec![Stmt::Comment("nothing".into())], otherwise: vec![chain] },
        Stmt::Let { var: k, value: load(numbers, thread) },
        Stmt::Atomic { buffer: tile, index: k.into(), op: Monoid::Mul, value: lit(2.0) },
        store(y, narrow.into(), load(tile, k)),
    ]);
    b.finish()
}

/// Names that are C++'s, CUDA's and the prelude's, or no names there.
fn names() -> Verified {
    let mut b = Builder::new("norm3df", DType::I32);
    let taken = [
        "float",
        "int",
        "register",
        "threadIdx",
        "asm",
        "main",
        "min",
        "atomicAdd",
        "Add",
        "Segment",
        "NULL",
        "linux",
        "β",
        "größe",
        "__shared__",
        "_Bool",
        "cudaMemAttachHost",
        "y0",
        "norm",
        "log2",
    ];
    let mut at = Expr::Index(0);
    for name in taken {
        let var = b.let_index(name, add(b.thread, Expr::Index(1)));
        at = index_op(IndexOp::Min, at, var);
    }
    let value = Expr::Binary(BinaryOp::Add, Box::new(load(b.x, b.thread)), Box::new(b.one()));
    b.body.push(Stmt::Atomic { buffer: b.y, index: at, op: Monoid::Add, value });
    b.body.push(Stmt::Exit);
    b.finish()
}
