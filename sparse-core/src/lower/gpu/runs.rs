//! Sums of runs: of elements that stand together, by whom their number asks for.
//!
//! A thread an entry sums those of few terms, in their order, and enlists the others ([`super::enlist`]) for warps and blocks.
//! The lanes of these take turns, and what they have comes together in a tree, and then by warps; so the order of a sum depends
//! on the number of its terms alone, and sums are the same bytes in every run. No more of m terms or more can be there than
//! all terms over m.

use super::super::Lowerer;
use super::super::region::guard;
use super::enlist::AtWork;
use crate::cin::grid::RowClass;
use crate::llir::kernel::WARP;
use crate::llir::{
    Block, BufferId, Collective, Elem, Expr, Group, LoopKind, Scope, Sole, Space, Step, Stmt, Ty, VarId,
    Write, build,
};
use crate::scalar::{Monoid, Value};

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
        let (order, vals, init, name) = (l.order(), l.values(), l.init.value(), l.name.clone());
        let terms = Terms { runs, order, vals, op, init, identity: op.identity(self.dtype) };
        let teams = self.options.row_classes.iter();
        let teams = teams.filter(|c| c.threads >= WARP && terms.identity.is_some());
        let teams: Vec<RowClass> = teams.copied().collect();
        let (mut steps, classes) = self.lists_by_elements(&format!("{name}_long"), &teams, (entries, all));

        let [entry, begin, end, p] = ["entry", "begin", "end", "p"].map(|n| self.fresh(n, Ty::Index));
        let sum = self.fresh("sum", Ty::Scalar(self.dtype));
        let summed = vec![
            Stmt::Mut { var: sum, value: Expr::Lit(init) },
            terms.each(sum, p, begin.into(), end, 1),
            Stmt::Store { buffer: self.out_values(), index: entry.into(), value: sum.into() },
        ];
        let mut inside = terms.run(entry, begin, end);
        inside.extend(self.enlist(&classes, &entry.into(), &build::sub(end, begin), summed));
        let body = guard(build::lt(entry, on_device.clone()), inside);
        steps.push(self.by_threads("fill", entry, entries.clone(), body));
        for class in &classes {
            let suffix = format!("fill_by_{}s", class.who);
            let threads = class.threads;
            steps.push(
                self.by_teams(&suffix, class, "entry", None, |l, team| l.sum_by_team(terms, threads, team)),
            );
        }
        steps
    }

    /// What a team of so many threads does to sum the run of an entry, with the arrays that its block shares.
    fn sum_by_team(&mut self, terms: Terms, threads: u32, team: &AtWork) -> (Block, Vec<BufferId>) {
        let AtWork { lanes, thread, item: entry } = team;
        let (entry, thread) = (*entry, *thread);
        let [begin, end, p] = ["begin", "end", "p"].map(|n| self.fresh(n, Ty::Index));
        let sum = self.fresh("sum", Ty::Scalar(self.dtype));
        let mut inside = terms.run(entry, begin, end);
        let identity = terms.identity.unwrap_or(terms.init);
        inside.push(Stmt::Mut { var: sum, value: terms.begins_with(&lanes.lane, identity) });
        let first = build::add(begin, lanes.lane.clone());
        inside.push(terms.each(sum, p, first, end, lanes.size));
        let write = |buffer, index, value: Expr| {
            let group = Group::WARP;
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
        if threads == WARP {
            inside.push(write(self.out_values(), entry.into(), sum.into()));
        } else {
            let warps = threads / WARP;
            let sums = self.shared_sums(warps);
            shared.push(sums);
            let warp = build::div(thread, Expr::Index(WARP.into()));
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
        (inside, shared)
    }

    /// An array of a sum a warp, which a block shares.
    fn shared_sums(&mut self, warps: u32) -> BufferId {
        self.local("sums", Elem::Scalar(self.dtype), Space::Shared { len: warps })
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
        build::select(first, Expr::Lit(self.init), Expr::Lit(identity))
    }
}
