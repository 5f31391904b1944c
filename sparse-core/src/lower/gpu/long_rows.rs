//! Rows that are too long for one thread to count what they scatter.
//!
//! A thread counts by adding up how long the rows are that its own row's entries lead to. Where it has many entries it leaves its
//! row to a block, whose threads share them:
//!
//! ```text
//! launch of threads: if end - begin >= long { list[many++] = row } else { for p in begin..end { n += … }; … }
//! launch of blocks:  for every row of the list, in turn: for p in begin + thread..end step threads { n += … }; n = the sum of the block's; the first thread: …
//! ```

use super::super::Lowerer;
use super::super::{counts, tidy};
use super::THREADS;
use super::enlist::{AtWork, Enlisted, Wanted};
use crate::format::TensorId;
use crate::llir::walk::{substitute, visit_exprs, visit_stmts};
use crate::llir::{Array, Block, BufferId, Expr, Fibers, IndexOp, Param, Scanned, Step, Stmt, VarId, build};
use std::collections::BTreeSet;

/// What else there is to do for rows that are long.
pub(super) struct LongRows {
    /// Their list.
    pub(super) made: Vec<Step>,
    pub(super) launch: Step,
}

/// What a thread does for a row, whose only loop counts.
struct Counting {
    before: Block,
    /// The loop's entries: those of a fiber of this level.
    entry: VarId,
    begin: Expr,
    end: Expr,
    fibers: (TensorId, usize),
    body: Block,
    /// What they add up to.
    sum: VarId,
    after: Block,
}

impl Lowerer<'_> {
    /// What is done for a row in the pass that counts scatters: a row that is long is put on a list, if others can do that.
    pub(in super::super) fn leave_long_row(&mut self, row: &Expr, block: Block) -> Block {
        let Expr::Var(row) = row else { return block };
        if self.row_lanes().is_some() || self.out.gpu.long_rows.is_some() {
            return block;
        }
        let tidied = counts::tidy(tidy::tidy(block.clone(), &self.buffers));
        let Some(counting) = self.counting(*row, tidied) else { return block };
        let Some((made, list)) = self.list_of_long_rows(&counting) else { return block };
        let most = self.options.table_threads / u64::from(THREADS);
        let count = |l: &mut Self, at: &AtWork| l.count_long(&counting, *row, at);
        let launch = self.by_teams("scatters_block", &list, "row", Some(most.max(1)), count);
        self.out.gpu.long_rows = Some(LongRows { made, launch });
        let mut out = Block::new();
        let begin = self.bind("begin", counting.begin.clone(), &mut out);
        let end = self.bind("end", counting.end.clone(), &mut out);
        let mut short = block;
        for (bound, value) in [(&counting.begin, &begin), (&counting.end, &end)] {
            crate::llir::walk::replace(&mut short, bound, value);
        }
        let len = build::sub(end, begin);
        out.extend(self.enlist(&[list], &(*row).into(), &len, short));
        out
    }

    /// Does a row's code count in one loop over a fiber of an operand, and depend on the row alone?
    fn counting(&self, row: VarId, mut block: Block) -> Option<Counting> {
        let mut loops = (0..block.len()).filter(|at| matches!(block[*at], Stmt::For { .. }));
        let at = loops.next().filter(|_| loops.next().is_none())?;
        let after = block.split_off(at + 1);
        let Some(Stmt::For { var: entry, lo, hi, step: 1, body, .. }) = block.pop() else { return None };
        let (last, known) = body.split_last()?;
        let Stmt::Assign { var: sum, value: Expr::IndexOp(IndexOp::Count, so_far, more) } = last else {
            return None;
        };
        let is_known = |s: &Stmt| matches!(s, Stmt::Let { .. } | Stmt::Mut { value: Expr::Index(0), .. });
        let counts = so_far.is_var(*sum) && !more.mentions(*sum);
        let begins =
            block.iter().any(|s| matches!(s, Stmt::Mut { var, value: Expr::Index(0) } if var == sum));
        let constants = known.iter().all(|s| matches!(s, Stmt::Let { .. })) && block.iter().all(is_known);
        let mut changed = false;
        visit_stmts(&after, &mut |s| changed |= s.assigned() == Some(*sum));
        let (Expr::Load { buffer, .. }, next) = (&lo, build::add(row, Expr::Index(1))) else { return None };
        let Array::Pos(tensor, level) = self.buffers[buffer.index()].array else { return None };
        let is_fiber = lo == build::load(*buffer, row) && hi == build::load(*buffer, next);
        let fits = counts && begins && constants && !changed && is_fiber;
        let counting = Counting {
            before: block,
            entry,
            begin: lo,
            end: hi,
            fibers: (tensor, level),
            sum: *sum,
            body,
            after,
        };
        (fits && self.is_of_row(&counting, row)).then_some(counting)
    }

    /// Is nothing read that is computed outside, but the row's number?
    fn is_of_row(&self, counting: &Counting, row: VarId) -> bool {
        let (mut known, mut read) = (BTreeSet::from([row, counting.entry]), BTreeSet::new());
        known.extend(
            self.params().into_iter().map(|(Param::Dim { var, .. } | Param::Scalar { var, .. })| var),
        );
        for block in [&counting.before, &counting.body, &counting.after] {
            visit_stmts(block, &mut |s| known.extend(s.declared()));
            visit_exprs(block, &mut |e| {
                if let Expr::Var(v) = e {
                    read.insert(*v);
                }
            });
        }
        read.is_subset(&known)
    }

    fn list_of_long_rows(&mut self, counting: &Counting) -> Option<(Vec<Step>, Enlisted)> {
        let (tensor, level) = counting.fibers;
        let entries = self.buffers.iter().position(|b| b.array == Array::Crd(tensor, level))?;
        let entries = self.host_size(&Expr::Len(BufferId(entries as u32)))?;
        let long = self.options.long_rows.max(1);
        let most = build::div(entries, Expr::Index(long));
        let mut most = match self.out_groups().prefix {
            prefix if prefix.is_empty() => most,
            prefix => build::min(self.dense_size(prefix), most),
        };
        // Of other levels there may be more children than entries below them.
        if level + 1 == self.kernel.tensors[tensor.index()].spec.levels.len() {
            let longest = self.fiber_lengths(tensor, level, Fibers::Longest);
            let some = build::le(Expr::Index(long), longest);
            most = build::select(some, most, Expr::Index(0));
        }
        let wanted = Wanted { who: "block".to_owned(), threads: THREADS, from: long, most };
        let (made, mut lists) = self.lists_of("long_rows", vec![wanted]);
        Some((made, lists.pop()?))
    }

    /// A block counts what a long row scatters.
    fn count_long(&mut self, counting: &Counting, row: VarId, at: &AtWork) -> (Block, Vec<BufferId>) {
        let Counting { entry, begin, end, sum, .. } = counting;
        let mut block = counting.before.clone();
        block.push(at.lanes.each(*entry, begin.clone(), end.clone(), counting.body.clone()));
        let partial = self.partial_sums(THREADS);
        let (scan, prefix) = self.block_scan(partial, Scanned::Sum((*sum).into()));
        block.push(scan);
        let mut after = counting.after.clone();
        substitute(&mut after, *sum, &prefix.all);
        block.extend(at.lanes.first(after));
        self.renew(&mut block);
        substitute(&mut block, row, &at.item.into());
        (block, vec![partial])
    }
}
