//! Programs that run one thing which lanes do together, or one atomic update, on every lane: for devices to agree on.
//!
//! Lane `p` of the launch has the p-th stored entry of `x`, and the last one again past the end, where it contributes
//! the identity and has no element.

use crate::launches::{Builder, index_op};
use sparse_core::llir::build::{add, and, eq, load, lt, min, mul, sub};
use sparse_core::llir::verify::Verified;
use sparse_core::llir::{
    Array, Arrive, Collective, Counted, Elem, Expr, Group, IndexOp, LoopKind, Neighbour, Sole, Space, Step,
    Stmt, Ty, VarId, Write,
};
use sparse_core::scalar::{DType, Monoid, Value};

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Each lane stores its group's total.
    Total,
    /// Each lane has as many values as this, and stores one of those that are left to it.
    Scatter(u32),
    /// Each lane stores its neighbour's value.
    Shuffle(Neighbour),
    /// Each lane stores how many lanes have odd coordinates.
    Count(Counted),
    /// Each group writes its total; those that are atomic share elements.
    Group(Write),
    /// Segments of four coordinates write their totals.
    Segments(Write),
    /// Each lane updates an element that eight coordinates share.
    Lane,
}

impl What {
    /// Everything.
    pub const ALL: [What; 14] = [
        What::Total,
        What::Scatter(4),
        What::Scatter(32),
        What::Shuffle(Neighbour::Previous),
        What::Shuffle(Neighbour::Next),
        What::Count(Counted::Before),
        What::Count(Counted::All),
        What::Group(Write::Sole(Sole::Store)),
        What::Group(Write::Sole(Sole::Combine)),
        What::Group(Write::Atomic),
        What::Segments(Write::Atomic),
        What::Segments(Write::Complete(Sole::Store)),
        What::Segments(Write::Complete(Sole::Combine)),
        What::Lane,
    ];
}

/// The program, for a monoid that the type has; `y` is as long as `x`, and at first the identity.
pub fn program(t: DType, op: Monoid, group: Group, what: What) -> Verified {
    let mut b = Builder::new("collective", t);
    let identity = op.identity(t).expect("the monoid has it on this type");
    if let Some(Step::Allocate { init, .. }) = b.program.steps.first_mut() {
        *init = Some(identity);
    }
    let stored = load(b.pos, Expr::Index(1));
    b.grid[0].blocks = index_op(IndexOp::Div, add(stored.clone(), Expr::Index(127)), Expr::Index(128));
    let lane = b.let_index("lane", add(mul(b.block, Expr::Index(128)), b.thread));
    let live = b.var("live", Ty::Cond);
    b.body.push(Stmt::Let { var: live, value: lt(lane, stored.clone()) });
    let p = b.let_index("p", min(lane, sub(stored, Expr::Index(1))));
    let coordinate = b.let_index("i", load(b.crd, p));
    let value = b.var("value", Ty::Scalar(t));
    let own = Expr::Select(Box::new(live.into()), Box::new(load(b.x, p)), Box::new(Expr::Lit(identity)));
    b.body.push(Stmt::Mut { var: value, value: own });
    let part = |of: Expr, n: u64| index_op(IndexOp::Div, of, Expr::Index(n));
    let size = u64::from(group.size);
    let buffer = b.y;
    let reduce = |segments, index, write| {
        let (value, when) = (value.into(), live.into());
        Stmt::Collective(Collective::Reduce { group, segments, op, value, buffer, index, when, write })
    };
    let store = |value: Expr| Stmt::If {
        cond: live.into(),
        then: vec![Stmt::Store { buffer, index: p.into(), value }],
        otherwise: vec![],
    };
    let mut body = vec![];
    match what {
        What::Total => {
            body.extend([Stmt::Collective(Collective::Total { var: value, op, group }), store(value.into())]);
        }
        What::Scatter(len) => body.extend(scatter(&mut b, (len, op, group), (p, live), identity)),
        What::Shuffle(from) => {
            let var = b.var("other", Ty::Scalar(t));
            let shuffle = Collective::Shuffle { var, value: value.into(), from, group };
            body.extend([Stmt::Collective(shuffle), store(var.into())]);
        }
        What::Count(of) => {
            let var = b.index("odd");
            let odd = eq(index_op(IndexOp::Rem, coordinate, Expr::Index(2)), Expr::Index(1));
            let count = Collective::Count { var, when: and(live, odd), of, group };
            body.extend([Stmt::Collective(count), store(Expr::FromIndex(t, Box::new(var.into())))]);
        }
        What::Group(write) => {
            let share = if write == Write::Atomic { 4 * size } else { size };
            body.push(reduce(None, part(lane.into(), share), write));
        }
        What::Segments(write) => {
            let key = b.let_index("key", part(coordinate.into(), 4));
            let var = b.var("segments", Ty::Segments);
            body.push(Stmt::Collective(Collective::Segments { var, key: key.into(), group }));
            body.push(reduce(Some(var), key.into(), write));
        }
        What::Lane => {
            let update = Stmt::Atomic { buffer, index: part(coordinate.into(), 8), op, value: value.into() };
            body.push(Stmt::If { cond: live.into(), then: vec![update], otherwise: vec![] });
        }
    }
    match group.arrive {
        Arrive::Warp => b.body.extend(body),
        // Groups of a warp go different ways.
        Arrive::Group => {
            let rounds = index_op(IndexOp::Rem, part(b.thread.into(), size), Expr::Index(3));
            let (var, lo, hi) = (b.index("round"), Expr::Index(0), add(rounds, Expr::Index(1)));
            b.body.push(Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Serial, body });
        }
    }
    b.finish()
}

/// Element n of a lane is the n-th entry after its own.
fn scatter(
    b: &mut Builder,
    (len, op, group): (u32, Monoid, Group),
    (p, live): (VarId, VarId),
    identity: Value,
) -> Vec<Stmt> {
    let acc = b.buffer("acc", Elem::Scalar(identity.dtype()), Space::Register { len }, Array::Local);
    let each = |var: VarId, n: u32, body| {
        let (lo, hi) = (Expr::Index(0), Expr::Index(n.into()));
        Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Unroll(n), body }
    };
    let (n, at) = (b.index("n"), b.index("at"));
    let last = sub(load(b.pos, Expr::Index(1)), Expr::Index(1));
    let entry = load(b.x, min(add(p, n), last));
    let value = Expr::Select(Box::new(live.into()), Box::new(entry), Box::new(Expr::Lit(identity)));
    let fill = Stmt::Store { buffer: acc, index: n.into(), value };
    let left = len / group.width(len);
    let turn = eq(index_op(IndexOp::Rem, p, Expr::Index(left.into())), at);
    let store = Stmt::Store { buffer: b.y, index: p.into(), value: load(acc, at) };
    let then = vec![store];
    vec![
        Stmt::Local { buffer: acc, init: Some(identity) },
        each(n, len, vec![fill]),
        Stmt::Collective(Collective::Scatter { buffer: acc, op, group }),
        each(at, left, vec![Stmt::If { cond: and(live, turn), then, otherwise: vec![] }]),
    ]
}

/// Every program of a type, with groups of all sizes between them.
pub fn programs(t: DType) -> Vec<(String, Verified)> {
    let ops = Monoid::ALL.into_iter().filter(|op| op.accepts(t));
    let all = ops.flat_map(|op| What::ALL.map(|what| (op, what)));
    let numbered = all.enumerate().map(|(n, (op, what))| {
        let arrive = if n % 3 == 2 { Arrive::Group } else { Arrive::Warp };
        let group = Group { size: 2 << (n % 5), arrive };
        (format!("{t} {op:?} {group:?} {what:?}"), program(t, op, group, what))
    });
    numbered.collect()
}
