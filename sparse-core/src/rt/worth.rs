//! Which loops are worth threads.
//!
//! To wake a sleeping thread and to wait for it takes 15 to 20 µs, which pays from 2¹⁷ operations on ([`WORTH_LOG2`](crate::work::WORTH_LOG2)). While
//! the pool's threads are awake, because one call follows another, it takes 1 µs, and pays from 2¹³ on ([`WARM_LOG2`](crate::work::WARM_LOG2)).
//! Rayon's threads look for work for some 20 µs before they sleep; nobody tells whether they do. So a small loop is spread if
//! its thread is one of the pool's, and has run another just before: the first of some calls in a row stays where it is, the
//! second wakes the others, and the next ones find them awake. A caller that is no thread of the pool sleeps while the pool
//! works, so that its small loops stay with it: `ThreadPool::install` around the calls is what they need.

use super::limits::limits;
use super::pool::{current_num_threads, is_in_pool};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// So many chunks for each thread, so that one that is done early takes from the others.
const CHUNKS: usize = 8;
/// The same of a loop that is worth threads that are awake alone, whose data lie in its threads' own caches from one call to
/// the next: what is taken from another thread does not.
const SMALL_CHUNKS: usize = 2;
/// So long after a loop the next may find the pool's threads awake.
const AWAKE: Duration = Duration::from_micros(20);

thread_local! {
    /// When this thread, one of a pool's, was done with the last loop that is worth threads that are awake.
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// A loop that is about to run; when it is dropped, the loop is done.
pub(super) struct Worth {
    work: usize,
    /// Over how many threads it is spread.
    pub(super) threads: usize,
    /// May the next loop find the pool's threads awake because of it?
    keeps_awake: bool,
}

impl Worth {
    /// A loop of so many operations and iterations.
    pub(super) fn of(work: usize, iterations: usize) -> Worth {
        // Nobody asks how many threads there are where that would start them, nor the time where there is one.
        let in_pool = work >= limits().warm && is_in_pool() && current_num_threads() > 1;
        let awake = || in_pool && LAST.get().is_some_and(|last| last.elapsed() < AWAKE);
        let spread = spreads(work, iterations, awake);
        Worth {
            work,
            threads: if spread { current_num_threads() } else { 1 },
            keeps_awake: in_pool && limits().may_be_awake,
        }
    }

    /// Into how many chunks it is cut.
    pub(super) fn chunks(&self) -> usize {
        chunks(self.work, self.threads)
    }

    /// Into how many parts, if it appends.
    pub(super) fn parts(&self) -> usize {
        if self.work < limits().worth { self.chunks() } else { parts(self.work) }
    }
}

impl Drop for Worth {
    fn drop(&mut self) {
        if self.keeps_awake {
            LAST.set(Some(Instant::now()));
        }
    }
}

/// By how many threads a loop of so many scalar operations is shared whose data do not stay in its threads' own caches, awake
/// or not: one at least.
#[inline]
pub fn workers(work: usize) -> usize {
    if work >= limits().worth { current_num_threads() } else { 1 }
}

/// Is a loop spread over the pool's threads? The last is whether they seem to be awake.
pub(super) fn spreads(work: usize, iterations: usize, awake: impl FnOnce() -> bool) -> bool {
    iterations >= 2 && (work >= limits().worth || work >= limits().warm && awake())
}

/// Into how many parts is a loop cut that appends, each of which is to stay in a core's cache?
pub(super) fn parts(work: usize) -> usize {
    work / limits().chunk
}

/// Into how many chunks is a loop cut that is spread over so many threads?
pub(super) fn chunks(work: usize, threads: usize) -> usize {
    let limits = limits();
    let is_small = work < limits.worth;
    let (of_thread, least) =
        if is_small { (SMALL_CHUNKS, limits.small_chunk) } else { (CHUNKS, limits.chunk) };
    (threads * of_thread).min(work / least)
}
