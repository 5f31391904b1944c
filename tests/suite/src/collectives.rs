//! Programs that run one thing which lanes do together, or one atomic update, on every lane: for devices to agree on.
//!
//! Lane `p` of the launch has the p-th stored entry of `x`, and the last one again past the end, where it contributes
//! the identity and has no element.

use crate::launches::{Builder, THREADS, index_op};
use sparse_core::llir::build::{add, and, eq, load, lt, min, mul, sub};
use sparse_core::llir::kernel::WARP;
use sparse_core::llir::verify::Verified;
use sparse_core::llir::{
    Array, Arrive, Collective, Elem, Expr, Group, IndexOp, LoopKind, MOST, Neighbour, Over, Scanned, Sole,
    Space, Step, Stmt, Ty, VarId, Write,
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
    /// Each lane stores how many lanes, or threads of the block, have odd coordinates: all of them, or those before it.
    Count(Team, Asked),
    /// The same of the sum of coordinates.
    Sum(Team, Asked),
    /// Each group writes its total; those that are atomic share elements.
    Group(Write),
    /// Segments of four coordinates write their totals.
    Segments(Write),
    /// Each lane updates an element that eight coordinates share.
    Lane,
}

/// Who counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// The program's groups.
    Group,
    /// All threads of a block.
    Block,
}

/// Which results of a scan are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Of the lanes before.
    Before,
    /// Of all of them.
    All,
    /// Both, of which the difference is stored.
    Both,
}

impl What {
    /// Everything.
    pub const ALL: [What; 22] = [
        What::Total,
        What::Scatter(4),
        What::Scatter(32),
        What::Shuffle(Neighbour::Previous),
        What::Shuffle(Neighbour::Next),
        What::Count(Team::Group, Asked::Before),
        What::Count(Team::Group, Asked::All),
        What::Count(Team::Block, Asked::Both),
        What::Count(Team::Block, Asked::All),
        What::Sum(Team::Group, Asked::Before),
        What::Sum(Team::Group, Asked::All),
        What::Sum(Team::Group, Asked::Both),
        What::Sum(Team::Block, Asked::Before),
        What::Sum(Team::Block, Asked::All),
        What::Sum(Team::Block, Asked::Both),
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
    let by_block = matches!(what, What::Count(Team::Block, _) | What::Sum(Team::Block, _));
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
        What::Count(team, asked) => {
            let odd = eq(index_op(IndexOp::Rem, coordinate, Expr::Index(2)), Expr::Index(1));
            let (scan, found) = scan(&mut b, Scanned::Lanes(and(live, odd)), (team, asked), group);
            body.extend([scan, store(Expr::FromIndex(t, Box::new(found)))]);
        }
        What::Sum(team, asked) => {
            // Most sums are too large, and stop.
            let many = sub(Expr::Index(MOST >> 2), coordinate);
            let given = Expr::Select(Box::new(live.into()), Box::new(many), Box::new(Expr::Index(0)));
            let (scan, found) = scan(&mut b, Scanned::Sum(given), (team, asked), group);
            body.extend([scan, store(Expr::FromIndex(t, Box::new(found)))]);
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
        _ if by_block => b.body.extend(body),
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

/// A scan, and what is made of its results.
fn scan(b: &mut Builder, of: Scanned, (team, asked): (Team, Asked), group: Group) -> (Stmt, Expr) {
    let before = (asked != Asked::All).then(|| b.index("before"));
    let all = (asked != Asked::Before).then(|| b.index("all"));
    let over = match team {
        Team::Group => Over::Group(group),
        Team::Block => {
            let partial =
                b.buffer("partial", Elem::Index, Space::Shared { len: THREADS / WARP }, Array::Local);
            b.shared.push(partial);
            Over::Block { partial }
        }
    };
    let found = match (before, all) {
        (Some(before), Some(all)) => sub(all, before),
        (one, other) => one.or(other).map_or(Expr::Index(0), Expr::Var),
    };
    (Stmt::Collective(Collective::Scan { of, before, all, over }), found)
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
