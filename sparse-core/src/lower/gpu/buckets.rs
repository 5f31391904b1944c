//! Buckets are sorted by whom their size asks for: a thread, a group of lanes, a warp, a block.
//!
//! Threads sort the small ones. Of the others each class has an array in which they stand in no order that is known, and
//! which does not matter: team n sorts the n-th. No more of m elements or more can be there than all elements over m, so
//! many teams are launched.

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::guard;
use super::classes::who;
use super::team::{declare_lane, number, number_in_block};
use super::{Table, TeamLanes};
use crate::cin::grid::{Grid, RowClass};
use crate::llir::{Axis, Block, BufferId, Expr, IndexOp, Launch, Step, Stmt, Ty, VarId, build};
use crate::scalar::Value;

/// A bucket: its first position, its end, how many elements it has.
struct Bucket {
    begin: VarId,
    end: VarId,
    len: VarId,
}

/// Buckets that teams of threads sort.
struct Sorters {
    rows: RowClass,
    /// Their numbers.
    buckets: BufferId,
    /// No more are there, for the host.
    most: Expr,
}

impl Lowerer<'_> {
    /// Brings the elements of each bucket of a list in order; there are so many in all.
    pub(super) fn sort_buckets(&mut self, list: usize, all: &Expr) -> Vec<Step> {
        let (arrays, keys) = self.lists[list].sorted();
        if keys == 0 {
            return vec![];
        }
        let name = self.lists[list].name.clone();
        let (begins, buckets) = self.lists[list].buckets();
        let mut steps = Vec::new();
        let mut classes = Vec::new();
        for rows in self.options.row_classes.clone() {
            let array = self.device_array(&format!("{name}_of_{}s", who(&rows)));
            let most =
                Expr::IndexOp(IndexOp::Div, Box::new(all.clone()), Box::new(Expr::Index(rows.elements())));
            let most = build::min(buckets.clone(), most);
            steps.push(Step::Allocate { buffer: array, len: most.clone(), init: None });
            classes.push(Sorters { rows, buckets: array, most });
        }
        // By class, how many.
        let many = self.device_array(&format!("{name}_many"));
        if classes.is_empty() {
            self.forget_last(many);
        } else {
            let (len, init) = (Expr::Index(classes.len() as u64), Some(Value::I32(0)));
            steps.push(Step::Allocate { buffer: many, len, init });
        }

        let bucket = self.fresh("bucket", Ty::Index);
        let (mut inside, b) = self.bucket(begins, bucket);
        let mut sorted =
            self.sort(&arrays, keys, &Table::of(b.begin.into(), b.end.into(), b.len), &b.end.into());
        for (n, class) in classes.iter().enumerate() {
            let at = self.fresh("at", Ty::Index);
            let (index, value) = (Expr::Index(n as u64), Expr::Index(1));
            let put = vec![
                Stmt::FetchAdd { var: Some(at), buffer: many, index, value },
                Stmt::Store { buffer: class.buckets, index: at.into(), value: bucket.into() },
            ];
            let cond = build::le(Expr::Index(class.rows.elements()), b.len);
            sorted = vec![Stmt::If { cond, then: put, otherwise: sorted }];
        }
        inside.extend(sorted);
        let body = guard(build::lt(bucket, buckets.clone()), inside);
        steps.push(self.by_threads(&format!("sort_{name}"), bucket, buckets, body));

        for (n, class) in classes.iter().enumerate() {
            let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
            let bucket = self.fresh("bucket", Ty::Index);
            let (mut inside, b) = self.bucket(begins, bucket);
            let grid = Grid::of_teams(class.rows.threads);
            let lane = self.fresh("lane", Ty::Index);
            let Some(lanes) = TeamLanes::of(&grid, thread, lane) else {
                unreachable!("a grid of teams has them")
            };
            let (_, teams) = number_in_block(&grid, thread);
            let table = Table::of(b.begin.into(), b.end.into(), b.len);
            inside.extend(self.sort_by_team(&arrays, keys, &table, &b.end.into(), &lanes));
            let mut body = Block::new();
            let rank = self.bind("rank", number(&grid, block, thread), &mut body);
            declare_lane(&grid, thread, lane, &mut inside);
            inside.insert(0, Stmt::Let { var: bucket, value: build::load(class.buckets, rank.clone()) });
            body.extend(guard(build::lt(rank, build::load(many, Expr::Index(n as u64))), inside));
            let threads = grid.threads() as u32;
            let grid = vec![Axis { var: block, blocks: ceil(class.most.clone(), teams) }];
            let name = format!("{}_sort_{name}_{}", self.kernel.name, who(&class.rows));
            steps.push(Step::Launch(Launch { name, grid, thread, threads, shared: vec![], body }));
        }
        steps
    }

    fn bucket(&mut self, begins: BufferId, bucket: VarId) -> (Block, Bucket) {
        let [begin, end, len] = ["begin", "end", "len"].map(|name| self.fresh(name, Ty::Index));
        let next = build::add(bucket, Expr::Index(1));
        let block = vec![
            Stmt::Let { var: begin, value: build::load(begins, bucket) },
            Stmt::Let { var: end, value: build::load(begins, next) },
            Stmt::Let { var: len, value: build::sub(end, begin) },
        ];
        (block, Bucket { begin, end, len })
    }
}
