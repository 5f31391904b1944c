//! Loops on threads, one iteration after another: out of order, with copies as several threads have them, and with
//! every access to what they share watched.

use super::fault::{Fault, InterpError};
use super::interp::{Machine, binary};
use super::memory::{Checked, Memory};
use super::races::Races;
use crate::llir::{Block, BufferId, Expr, VarId};
use crate::scalar::Monoid;
use std::cell::RefCell;
use std::ops::Range;

/// So many threads have copies.
const THREADS: u64 = 3;

/// A [`Stmt::Threads`](crate::llir::Stmt::Threads).
pub(super) struct ThreadLoop<'a> {
    pub(super) var: VarId,
    pub(super) lo: &'a Expr,
    pub(super) hi: &'a Expr,
    pub(super) work: &'a Expr,
    pub(super) balance: Option<BufferId>,
    pub(super) private: Option<(BufferId, Monoid)>,
    pub(super) body: &'a Block,
}

impl<'a> Machine<'a> {
    pub(super) fn thread_loop(
        &mut self,
        l: &ThreadLoop<'_>,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        let range = self.thread_range(l).map_err(here)?;
        self.races = Some(RefCell::new(Races::new(self.program, l.body, l.private.map(|p| p.0))));
        match l.private {
            None => self.iterations(l, range, here)?,
            Some((buffer, op)) => self.in_copies(l, range, buffer, op, here)?,
        }
        self.races = None;
        Ok(())
    }

    /// The iterations, after a look at everything that decides how they are spread.
    fn thread_range(&self, l: &ThreadLoop<'_>) -> Checked<Range<u64>> {
        let (lo, hi) = (self.index(l.lo)?, self.index(l.hi)?);
        self.index(l.work)?;
        if let Some(balance) = l.balance
            && lo < hi
        {
            // The positions where each iteration begins, and where the last one ends.
            self.memory[balance.index()].sorted(lo, hi.saturating_add(1))?;
        }
        Ok(lo..hi)
    }

    fn iterations(
        &mut self,
        l: &ThreadLoop<'_>,
        range: Range<u64>,
        here: &dyn Fn(Box<Fault>) -> InterpError,
    ) -> Result<(), InterpError> {
        for n in scattered(range.end.saturating_sub(range.start)) {
            let iteration = range.start + n;
            self.count().map_err(here)?;
            if let Some(races) = &self.races {
                races.borrow_mut().enter(iteration);
            }
            self.set_index(l.var, iteration);
            self.block(l.body)?;
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
