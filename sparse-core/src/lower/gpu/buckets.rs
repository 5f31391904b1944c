//! Buckets are sorted by whom their size asks for: a thread, a group of lanes, a warp, a block.
//!
//! Threads sort the small ones, and enlist the others ([`super::enlist`]). No more of m elements or more can be there than all
//! elements over m: so many teams are launched.

use super::super::Lowerer;
use super::super::region::guard;
use super::Table;
use crate::llir::{Block, BufferId, Expr, Step, Stmt, Ty, VarId, build};

/// A bucket: its first position, its end, how many elements it has.
struct Bucket {
    begin: VarId,
    end: VarId,
    len: VarId,
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
        let classes = self.options.row_classes.clone();
        let (mut steps, classes) = self.lists_by_elements(&name, &classes, (&buckets, all));

        let bucket = self.fresh("bucket", Ty::Index);
        let (mut inside, b) = self.bucket(begins, bucket);
        let sorted = self.sort(&arrays, keys, &Table::of(b.begin.into(), b.end.into(), b.len), &b.end.into());
        inside.extend(self.enlist(&classes, &bucket.into(), &b.len.into(), sorted));
        let body = guard(build::lt(bucket, buckets.clone()), inside);
        steps.push(self.by_threads(&format!("sort_{name}"), bucket, buckets, body));

        for class in &classes {
            let suffix = format!("sort_{name}_{}", class.who);
            steps.push(self.by_teams(&suffix, class, "bucket", None, |l, team| {
                let (mut block, b) = l.bucket(begins, team.item);
                let table = Table::of(b.begin.into(), b.end.into(), b.len);
                block.extend(l.sort_by_team(&arrays, keys, &table, &b.end.into(), &team.lanes));
                (block, vec![])
            }));
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
