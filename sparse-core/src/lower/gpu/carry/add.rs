//! The second launch: adds up what groups of the first one have carried out.

use super::{Carries, parts};
use crate::llir::build::op;
use crate::llir::kernel::{MAX_RESIDENT, WARP};
use crate::llir::{
    Axis, Block, Collective, Expr, Group, IndexOp, Launch, LoopKind, Sole, Step, Stmt, Ty, VarId, Write,
    build,
};
use crate::lower::Lowerer;
use crate::lower::gpu::THREADS;

/// Slots that a lane loads at once, of an element that has more than a warp's.
const AT_ONCE: u32 = 8;

/// Blocks that a multiprocessor has room for: so a thread has the registers for that. Left to itself a compiler takes 32, and loads
/// these slots in five turns.
const RESIDENT: u32 = MAX_RESIDENT as u32 / THREADS;

/// What a warp of the second launch adds up.
struct Chunk {
    /// Its number in its column.
    chunk: Expr,
    /// The column's first slot.
    base: Expr,
    /// How many slots a column has.
    slots: Expr,
    lane: Expr,
}

/// The element of a warp's last slot.
struct Last {
    element: Expr,
    /// The lane's slot, and where the column's end.
    at: Expr,
    end: Expr,
    lane: Expr,
}

impl Lowerer<'_> {
    /// Allocates what the launch carries out.
    pub(in super::super::super) fn carry_arrays(&self) -> Vec<Step> {
        let Some(carries) = self.gpu.as_ref().and_then(|gpu| gpu.carries.as_ref()) else { return vec![] };
        let columns = self.host_size(&carries.columns).unwrap_or(Expr::Index(1));
        let len = build::mul(columns, carries.slots(&carries.positions.1));
        let array = |buffer| Step::Allocate { buffer, len: len.clone(), init: None };
        vec![array(carries.sums), array(carries.elements)]
    }

    /// Adds up what the launch carried out, whose name ended in the suffix.
    pub(in super::super::super) fn carry_launch(&mut self, suffix: &str) -> Option<Step> {
        let carries = self.gpu.as_ref()?.carries.clone()?;
        let (output, columns) = (carries.output, carries.columns.clone());
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        let lanes = u64::from(WARP);
        let host_columns = self.host_size(&columns)?;
        let warps = build::mul(host_columns, parts(carries.slots(&carries.positions.1), lanes));
        let mut blocks = parts(warps, u64::from(THREADS / WARP));

        let mut body = Block::new();
        let slots = self.named("carries", carries.slots(&carries.positions.0), &mut body);
        let chunks = self.named("chunks", parts(slots.clone(), lanes), &mut body);
        let own = op(IndexOp::Div, thread, Expr::Index(lanes));
        let warp = build::add(build::mul(block, Expr::Index(u64::from(THREADS / WARP))), own);
        let warp = self.named("warp", warp, &mut body);
        let lane = self.named("lane", op(IndexOp::Rem, thread, Expr::Index(lanes)), &mut body);
        let (inside, chunk, base) = if columns == Expr::Index(1) {
            (build::lt(warp.clone(), chunks), warp.clone(), Expr::Index(0))
        } else {
            // Blocks may be there for rows alone.
            let some = build::ne(chunks.clone(), Expr::Index(0));
            let chunks = build::max(chunks, Expr::Index(1));
            let column = self.named("column", op(IndexOp::Div, warp.clone(), chunks.clone()), &mut body);
            let chunk = self.named("chunk", op(IndexOp::Rem, warp.clone(), chunks), &mut body);
            let base = self.named("base", build::mul(column.clone(), slots.clone()), &mut body);
            (build::and(some, build::lt(column, columns.clone())), chunk, base)
        };
        let mut bare = Block::new();
        if let Some(pos) = self.bare_rows() {
            blocks = build::max(blocks, self.blocks_of_rows()?);
            bare = self.write_bare_rows(pos, output, &columns, (&warp, &lane), &mut body);
        }
        let chunk = Chunk { chunk, base, slots, lane };
        body.push(Stmt::If { cond: inside, then: self.add_carries(&carries, chunk)?, otherwise: vec![] });
        body.extend(bare);
        let name = format!("{}{suffix}_carries", self.kernel.name);
        let grid = vec![Axis { var: block, blocks }];
        let launch = Launch::new(name, grid, (thread, THREADS), body);
        Some(Step::Launch(Launch { resident: RESIDENT, ..launch }))
    }

    /// A warp's slots.
    fn add_carries(&mut self, carries: &Carries, of: Chunk) -> Option<Block> {
        let Carries { sums, elements, output, op: monoid, .. } = *carries;
        let Chunk { chunk, base, slots, lane } = of;
        let identity = Expr::Lit(monoid.identity(self.dtype)?);
        let scalar = Ty::Scalar(self.dtype);
        let lanes = u64::from(WARP);
        let mut body = Block::new();
        let begin = build::add(base.clone(), build::mul(chunk.clone(), Expr::Index(lanes)));
        let begin = self.named("begin", begin, &mut body);
        let end = build::add(base, slots);
        let end = if matches!(end, Expr::Var(_)) { end } else { self.named("end", end, &mut body) };
        let at = self.named("at", build::add(begin.clone(), lane.clone()), &mut body);
        let most = build::sub(end.clone(), Expr::Index(1));
        let slot = |at: Expr| build::min(at, most.clone());
        let p = self.named("p", slot(at.clone()), &mut body);
        let element = self.named("element", build::load(elements, p.clone()), &mut body);
        let carry = self.fresh("carry", scalar);
        body.push(Stmt::Let { var: carry, value: build::load(sums, p) });
        let last = slot(build::add(begin.clone(), Expr::Index(lanes - 1)));
        let last = self.named("last", build::load(elements, last), &mut body);
        let following = build::add(begin.clone(), Expr::Index(lanes));
        let next = self.named("following", build::load(elements, slot(following.clone())), &mut body);
        let is_first = build::eq(chunk.clone(), Expr::Index(0));
        let before = build::sub(begin, build::min(chunk, Expr::Index(1)));
        let before = self.named("before", build::load(elements, before), &mut body);
        // Of an element that has carries before the warp's, another warp is the writer.
        let begins = |e: Expr| build::or(is_first.clone(), build::ne(before.clone(), e));

        let live = self.fresh("live", Ty::Cond);
        body.push(Stmt::Let { var: live, value: build::lt(at.clone(), end.clone()) });
        let sum = self.fresh("sum", scalar);
        let mine = build::select(live.into(), carry, identity.clone());
        body.push(Stmt::Mut { var: sum, value: mine });

        let of = Last { element: last.clone(), at, end: end.clone(), lane };
        let others = self.add_following(carries, of, sum, &identity);
        let goes_on = build::and(build::lt(following, end), build::eq(next, last.clone()));
        body.push(Stmt::Comment("the warp's last element has carries after it".into()));
        body.push(Stmt::If { cond: build::and(goes_on, begins(last)), then: others, otherwise: vec![] });
        let (segments, group) = (self.fresh("segment", Ty::Segments), Group::WARP);
        body.push(Stmt::Collective(Collective::Segments { var: segments, key: element.clone(), group }));
        body.push(Stmt::Collective(Collective::Reduce {
            group,
            segments: Some(segments),
            op: monoid,
            value: sum.into(),
            buffer: output,
            index: element.clone(),
            when: build::and(live, begins(element)),
            write: Write::Sole(if self.out.accumulates() { Sole::Combine } else { Sole::Store }),
        }));
        Some(body)
    }

    /// The last lane's element has carries after the warp's: all lanes load these, and the last one adds them to its sum.
    fn add_following(&mut self, carries: &Carries, of: Last, sum: VarId, identity: &Expr) -> Block {
        let Carries { sums, elements, op: monoid, .. } = *carries;
        let Last { element: last, at, end, lane } = of;
        let most = build::sub(end.clone(), Expr::Index(1));
        let slot = |at: Expr| build::min(at, most.clone());
        let (scalar, lanes) = (Ty::Scalar(self.dtype), u64::from(WARP));
        let rest = self.fresh("rest", scalar);
        let next_at = self.fresh("next", Ty::Index);
        let key = self.fresh("key", Ty::Index);
        let more = build::and(build::lt(next_at, end.clone()), build::eq(key, last.clone()));
        let step = self.fresh("step", Ty::Index);
        let mut load = Block::new();
        let ahead = build::add(next_at, build::mul(step, Expr::Index(lanes)));
        let ahead = self.named("ahead", ahead, &mut load);
        let p = self.named("p", slot(ahead.clone()), &mut load);
        load.push(Stmt::Assign { var: key, value: build::load(elements, p.clone()) });
        let carry = self.fresh("carry", scalar);
        load.push(Stmt::Let { var: carry, value: build::load(sums, p) });
        let of_last = build::and(build::lt(ahead, end.clone()), build::eq(key, last.clone()));
        let value = build::select(of_last, carry, identity.clone());
        load.push(Stmt::Update { var: rest, op: monoid, value });
        let load = Stmt::For {
            var: step,
            lo: Expr::Index(0),
            hi: Expr::Index(AT_ONCE.into()),
            step: 1,
            kind: LoopKind::Unroll(AT_ONCE),
            body: load,
        };
        let passed = build::add(next_at, Expr::Index(u64::from(AT_ONCE) * lanes));
        let group = Group::WARP;
        let add = vec![Stmt::Update { var: sum, op: monoid, value: rest.into() }];
        vec![
            Stmt::Mut { var: rest, value: identity.clone() },
            Stmt::Mut { var: next_at, value: build::add(at, Expr::Index(lanes)) },
            Stmt::Mut { var: key, value: last.clone() },
            Stmt::While { cond: more, body: vec![load, Stmt::Assign { var: next_at, value: passed }] },
            Stmt::Collective(Collective::Total { var: rest, op: monoid, group }),
            Stmt::If { cond: build::eq(lane, Expr::Index(lanes - 1)), then: add, otherwise: vec![] },
        ]
    }
}
