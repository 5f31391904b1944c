//! Sums of runs: of elements that stand together, by whom their number asks for.
//!
//! A thread an entry sums those of few terms, in their order. Of the others each class of lanes, a warp and a block, has an
//! array in which they stand in no order that is known, and which does not matter: team n sums the n-th. Its lanes take
//! turns, and what they have comes together in a tree, and then by warps; so the order of a sum depends on the number of its
//! terms alone, and sums are the same bytes in every run. No more of m terms or more can be there than all terms over m.

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::guard;
use super::TeamLanes;
use super::classes::who;
use super::team::{declare_lane, number, number_in_block};
use crate::cin::grid::{Grid, RowClass};
use crate::llir::kernel::WARP;
use crate::llir::{
    Array, Arrive, Axis, Block, Buffer, BufferId, Collective, Elem, Expr, Group, IndexOp, Launch, LoopKind,
    Scope, Sole, Space, Step, Stmt, Ty, VarId, Write, build,
};
use crate::scalar::{Monoid, Value};

/// Runs that teams of threads sum.
struct Summers {
    rows: RowClass,
    /// Their entries.
    long: BufferId,
    /// No more are there, for the host.
    most: Expr,
}

/// What is summed.
#[derive(Clone, Copy)]
struct Terms {
    /// By entry, where its terms begin.
    runs: BufferId,
    /// Where in the list they are.
    order: BufferId,
    vals: BufferId,
    op: Monoid,
    /// What they are combined with.
    init: Value,
    /// What lanes begin with, where there is one.
    identity: Option<Value>,
}

impl Lowerer<'_> {
    /// Sums the runs of a list's equal elements, one an entry of the result; there are so many elements in all.
    pub(super) fn sum_runs(
        &mut self,
        list: usize,
        op: Monoid,
        runs: BufferId,
        (entries, on_device): (&Expr, &Expr),
        all: &Expr,
    ) -> Vec<Step> {
        let l = &self.lists[list];
        let (order, vals, init, name) = (l.order(), l.values(), l.init, l.name.clone());
        let terms = Terms { runs, order, vals, op, init, identity: op.identity(self.dtype) };
        let mut steps = Vec::new();
        let mut classes = Vec::new();
        let teams = self.options.row_classes.clone().into_iter();
        for rows in teams.filter(|c| c.threads >= WARP && terms.identity.is_some()) {
            let long = self.device_array(&format!("{name}_long_of_{}s", who(&rows)));
            let most =
                Expr::IndexOp(IndexOp::Div, Box::new(all.clone()), Box::new(Expr::Index(rows.elements())));
            let most = build::min(entries.clone(), most);
            steps.push(Step::Allocate { buffer: long, len: most.clone(), init: None });
            classes.push(Summers { rows, long, most });
        }
        // By class, how many.
        let many = self.device_array(&format!("{name}_many_long"));
        if classes.is_empty() {
            self.forget_last(many);
        } else {
            let (len, init) = (Expr::Index(classes.len() as u64), Some(Value::I32(0)));
            steps.push(Step::Allocate { buffer: many, len, init });
        }

        let [entry, begin, end, p] = ["entry", "begin", "end", "p"].map(|n| self.fresh(n, Ty::Index));
        let sum = self.fresh("sum", Ty::Scalar(self.dtype));
        let mut summed = vec![
            Stmt::Mut { var: sum, value: Expr::Lit(init) },
            terms.each(sum, p, begin.into(), end, 1),
            Stmt::Store { buffer: self.out_values(), index: entry.into(), value: sum.into() },
        ];
        for (n, class) in classes.iter().enumerate() {
            let at = self.fresh("at", Ty::Index);
            let (index, value) = (Expr::Index(n as u64), Expr::Index(1));
            let put = vec![
                Stmt::FetchAdd { var: Some(at), buffer: many, index, value },
                Stmt::Store { buffer: class.long, index: at.into(), value: entry.into() },
            ];
            let cond = build::le(Expr::Index(class.rows.elements()), build::sub(end, begin));
            summed = vec![Stmt::If { cond, then: put, otherwise: summed }];
        }
        let mut inside = terms.run(entry, begin, end);
        inside.extend(summed);
        let body = guard(build::lt(entry, on_device.clone()), inside);
        steps.push(self.by_threads("fill", entry, entries.clone(), body));
        for (n, class) in classes.iter().enumerate() {
            let count = build::load(many, Expr::Index(n as u64));
            steps.push(self.sum_by_teams(terms, class, &count));
        }
        steps
    }

    /// A launch in which teams sum the runs of a class; there are so many, for a thread.
    fn sum_by_teams(&mut self, terms: Terms, class: &Summers, many: &Expr) -> Step {
        let grid = Grid::of_teams(class.rows.threads);
        let [block, thread, lane] = ["block_x", "thread_x", "lane"].map(|n| self.fresh(n, Ty::Index));
        let [entry, begin, end, p] = ["entry", "begin", "end", "p"].map(|n| self.fresh(n, Ty::Index));
        let sum = self.fresh("sum", Ty::Scalar(self.dtype));
        let Some(lanes) = TeamLanes::of(&grid, thread, lane) else {
            unreachable!("a grid of teams has them")
        };
        let mut body = Block::new();
        let rank = self.bind("rank", number(&grid, block, thread), &mut body);
        let mut inside = vec![Stmt::Let { var: entry, value: build::load(class.long, rank.clone()) }];
        inside.extend(terms.run(entry, begin, end));
        let identity = terms.identity.unwrap_or(terms.init);
        inside.push(Stmt::Mut { var: sum, value: terms.begins_with(&lanes.lane, identity) });
        let first = build::add(begin, lanes.lane.clone());
        inside.push(terms.each(sum, p, first, end, lanes.size));
        let write = |buffer, index, value: Expr| {
            let group = Group { size: WARP, arrive: Arrive::Warp };
            let (op, write) = (terms.op, Write::Sole(Sole::Store));
            let when = Expr::Cond(true);
            Stmt::Collective(Collective::Reduce {
                group,
                segments: None,
                op,
                value,
                buffer,
                index,
                when,
                write,
            })
        };
        let mut shared = vec![];
        if class.rows.threads == WARP {
            inside.push(write(self.out_values(), entry.into(), sum.into()));
        } else {
            let warps = class.rows.threads / WARP;
            let sums = self.shared_sums(warps);
            shared.push(sums);
            let warp =
                Expr::IndexOp(IndexOp::Div, Box::new(thread.into()), Box::new(Expr::Index(WARP.into())));
            inside.push(write(sums, warp, sum.into()));
            inside.push(Stmt::Barrier(Scope::Block));
            let (total, n) = (self.fresh("total", Ty::Scalar(self.dtype)), self.fresh("warp", Ty::Index));
            let more = Stmt::Update { var: total, op: terms.op, value: build::load(sums, n) };
            let together = vec![
                Stmt::Mut { var: total, value: build::load(sums, Expr::Index(0)) },
                Stmt::For {
                    var: n,
                    lo: Expr::Index(1),
                    hi: Expr::Index(warps.into()),
                    step: 1,
                    kind: LoopKind::Serial,
                    body: vec![more],
                },
                Stmt::Store { buffer: self.out_values(), index: entry.into(), value: total.into() },
            ];
            inside.extend(guard(build::eq(thread, Expr::Index(0)), together));
        }
        declare_lane(&grid, thread, lane, &mut inside);
        body.extend(guard(build::lt(rank, many.clone()), inside));
        let (_, teams) = number_in_block(&grid, thread);
        let threads = grid.threads() as u32;
        let grid = vec![Axis { var: block, blocks: ceil(class.most.clone(), teams) }];
        let name = format!("{}_fill_by_{}s", self.kernel.name, who(&class.rows));
        Step::Launch(Launch { name, grid, thread, threads, shared, body })
    }

    /// An array of a sum a warp, which a block shares.
    fn shared_sums(&mut self, warps: u32) -> BufferId {
        let name = self.unique("sums");
        let (elem, space) = (Elem::Scalar(self.dtype), Space::Shared { len: warps });
        self.buffers.push(Buffer { name, elem, space, array: Array::Local });
        BufferId(self.buffers.len() as u32 - 1)
    }
}

impl Terms {
    /// An entry's run.
    fn run(&self, entry: VarId, begin: VarId, end: VarId) -> Block {
        let next = build::add(entry, Expr::Index(1));
        vec![
            Stmt::Let { var: begin, value: build::load(self.runs, entry) },
            Stmt::Let { var: end, value: build::load(self.runs, next) },
        ]
    }

    /// Adds every so many of a run's terms.
    fn each(&self, sum: VarId, p: VarId, lo: Expr, end: VarId, step: u32) -> Stmt {
        let value = build::load(self.vals, build::load(self.order, p));
        let body = vec![Stmt::Update { var: sum, op: self.op, value }];
        Stmt::For { var: p, lo, hi: end.into(), step, kind: LoopKind::Serial, body }
    }

    /// What a lane's sum begins with: of all lanes' the first has what terms are combined with.
    fn begins_with(&self, lane: &Expr, identity: Value) -> Expr {
        if self.init == identity {
            return Expr::Lit(identity);
        }
        let first = build::eq(lane.clone(), Expr::Index(0));
        Expr::Select(Box::new(first), Box::new(Expr::Lit(self.init)), Box::new(Expr::Lit(identity)))
    }
}
