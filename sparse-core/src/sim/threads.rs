//! Loops on threads, one iteration after another: out of order, with copies as several threads have them, and with
//! every access to what they share watched.

use super::fault::{Fault, InterpError};
use super::interp::{Machine, binary};
use super::memory::{Checked, Memory};
use super::races::Races;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Appends, Block, BufferId, Expr, Space, VarId};
use crate::scalar::Monoid;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// So many threads have copies.
const THREADS: u64 = 3;

/// A [`Stmt::Threads`](crate::llir::Stmt::Threads).
pub(super) struct ThreadLoop<'a> {
    pub(super) var: VarId,
    pub(super) lo: &'a Expr,
    pub(super) hi: &'a Expr,
    pub(super) work: &'a Expr,
    pub(super) balance: &'a [BufferId],
    pub(super) private: Option<(BufferId, Monoid)>,
    pub(super) appends: Option<&'a Appends>,
    pub(super) body: &'a Block,
}

impl<'a> Machine<'a> {
    pub(super) fn thread_loop(
        &mut self,
        l: &ThreadLoop<'_>,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        let range = self.thread_range(l).map_err(here)?;
        self.reads_whole_arrays(l.body).map_err(here)?;
        let own =
            l.private.iter().map(|p| p.0).chain(l.appends.iter().flat_map(|a| a.buffers.iter().copied()));
        self.races = Some(RefCell::new(Races::new(self.program, l.body, &own.collect::<Vec<_>>())));
        match (l.private, l.appends) {
            (None, None) => self.iterations(l, range, here)?,
            (Some((buffer, op)), None) => self.in_copies(l, range, buffer, op, here)?,
            (_, Some(appends)) => self.in_tasks(l, range, appends, here)?,
        }
        self.races = None;
        Ok(())
    }

    /// The iterations, after a look at everything that decides how they are spread.
    fn thread_range(&self, l: &ThreadLoop<'_>) -> Checked<Range<u64>> {
        let (lo, hi) = (self.index(l.lo)?, self.index(l.hi)?);
        self.index(l.work)?;
        for balance in l.balance.iter().filter(|_| lo < hi) {
            // The positions where each iteration begins, and where the last one ends.
            self.memory[balance.index()].sorted(lo, hi.saturating_add(1))?;
        }
        Ok(lo..hi)
    }

    /// Scratch arrays from outside that a body reads and does not write are slices of elements there.
    fn reads_whole_arrays(&self, body: &Block) -> Checked<()> {
        let (mut read, mut others) = (BTreeSet::new(), BTreeSet::new());
        visit_stmts(body, &mut |s| others.extend(s.buffers()));
        visit_exprs(body, &mut |e| read.extend(e.buffer()));
        let scratch = |b: &&BufferId| self.program.buffer(**b).space == Space::Scratch;
        read.difference(&others).filter(scratch).try_for_each(|b| self.memory[b.index()].whole())
    }

    fn iterations(
        &mut self,
        l: &ThreadLoop<'_>,
        range: Range<u64>,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        scattered(range.end.saturating_sub(range.start))
            .try_for_each(|n| self.iteration(l, range.start + n, here))
    }

    fn iteration(
        &mut self,
        l: &ThreadLoop<'_>,
        iteration: u64,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        self.count().map_err(here)?;
        if let Some(races) = &self.races {
            races.borrow_mut().enter(iteration);
        }
        self.set_index(l.var, iteration);
        self.block(l.body)
    }

    /// Tasks of one to three iterations, out of order, each with arrays of its own to append to.
    fn in_tasks(
        &mut self,
        l: &ThreadLoop<'_>,
        range: Range<u64>,
        appends: &Appends,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        let mut begins = vec![];
        let mut next = range.start;
        while next < range.end {
            begins.push(next);
            next += begins.len() as u64 % 3 + 1;
        }
        begins.push(range.end);
        let tasks = begins.len() - 1;
        let mut parts: Vec<Vec<Memory<'a>>> = (0..tasks).map(|_| vec![]).collect();
        for task in scattered(tasks as u64) {
            let (lo, hi) = (begins[task as usize], begins[task as usize + 1]);
            let most = match &appends.before {
                None => None,
                Some(before) => {
                    self.set_index(l.var, hi);
                    let after = self.index(before).map_err(here)?;
                    self.set_index(l.var, lo);
                    let before = self.index(before).map_err(here)?;
                    let decreases = || here(Box::new(Fault::NegativeIndex { left: after, right: before }));
                    Some(after.checked_sub(before).ok_or_else(decreases)?)
                }
            };
            let outside: Vec<_> =
                appends.buffers.iter().map(|b| self.memory[b.index()].begin(most)).collect();
            (lo..hi).try_for_each(|iteration| self.iteration(l, iteration, here))?;
            let own = appends.buffers.iter().zip(outside);
            parts[task as usize] =
                own.map(|(b, outside)| std::mem::replace(&mut self.memory[b.index()], outside)).collect();
        }
        for part in parts {
            for (b, memory) in appends.buffers.iter().zip(part) {
                self.memory[b.index()].extend(memory).map_err(here)?;
            }
        }
        Ok(())
    }

    /// Each thread has neighbouring iterations and a copy; the copies are combined in the iterations' order.
    fn in_copies(
        &mut self,
        l: &ThreadLoop<'_>,
        range: Range<u64>,
        buffer: BufferId,
        op: Monoid,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        let trips = range.end.saturating_sub(range.start);
        let threads = THREADS.min(trips);
        let start =
            |thread: u64| range.start + (u128::from(trips) * u128::from(thread) / u128::from(threads)) as u64;
        let mut copies: Vec<Option<Memory<'a>>> = (0..threads).map(|_| None).collect();
        for thread in scattered(threads) {
            let copy = self.memory[buffer.index()].copy(op).map_err(here)?;
            let original = std::mem::replace(&mut self.memory[buffer.index()], copy);
            self.iterations(l, start(thread)..start(thread + 1), here)?;
            let copy = std::mem::replace(&mut self.memory[buffer.index()], original);
            copies[thread as usize] = Some(copy);
        }
        for copy in copies.iter().flatten() {
            self.memory[buffer.index()].combine(copy, |a, b| binary(op.op(), a, b)).map_err(here)?;
        }
        Ok(())
    }
}

/// The numbers below `n`, each once, neighbours apart: in steps of about the golden ratio's part of `n`.
fn scattered(n: u64) -> impl Iterator<Item = u64> {
    let mut step = (n as f64 * 0.618) as u64 | 1;
    while gcd(step, n) > 1 {
        step += 2;
    }
    let at = move |k: u64| (u128::from(k) * u128::from(step) + u128::from(n / 2)) % u128::from(n);
    (0..n).map(move |k| at(k) as u64)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::scattered;

    #[test]
    fn every_iteration_once_and_out_of_order() {
        for n in 0..70 {
            let order: Vec<u64> = scattered(n).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n).collect::<Vec<_>>());
            assert!(n < 2 || order != sorted, "{order:?}");
        }
    }
}
