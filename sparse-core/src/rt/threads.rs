//! Loops on threads.
//!
//! A loop's body is a [`Task`]: closures do not inherit target features, so that what a thread runs has to be a function
//! compiled for the instruction set, of which a task has one each, and the task is what it captures.
//!
//! The rule: a loop stays on the thread that calls it if it makes fewer than 2¹⁷ scalar operations, or as many in vectors
//! as take that time ([`in_lanes`]), if it has one iteration, or if the pool has one thread; 2¹³ are enough where the
//! pool's threads are awake (`rt::worth`). (Loops that append without a bound, and those with copies of what they reduce into, share out
//! more than they wake for: they ask for 2¹⁷ in any case. All that append have chunks of their own, `rt::parts`, and so have those
//! with copies, `rt::copies`.) Else it is halved, by iterations or by the positions that balance it, until its
//! chunks are an eighth of a thread's share or 2¹⁴ operations (half of it or 2¹² of the small ones); threads that are done
//! take chunks of others'. The pool is rayon's: the one that the call is made in, or the global one, of which
//! `RAYON_NUM_THREADS` says how large it is.
//!
//! With the feature `eager-threads` every loop is worth it, in chunks of one operation, so that small tests race.

use super::array::IndexArray;
pub use super::home::Home;
use super::search::first;
use super::worth::Worth;
use super::{Isa, Level};
use std::ops::Range;

#[cfg(feature = "threads")]
pub(super) use rayon::{current_num_threads, join, scope};
#[cfg(not(feature = "threads"))]
pub(super) use without::{current_num_threads, join, scope};

/// Is this a thread of a pool?
#[cfg(feature = "threads")]
pub(super) fn is_in_pool() -> bool {
    rayon::current_thread_index().is_some()
}
#[cfg(not(feature = "threads"))]
pub(super) fn is_in_pool() -> bool {
    false
}

/// Is every loop worth its threads?
pub(super) const EAGER: bool = cfg!(feature = "eager-threads");

/// Iterations in a row, run by one thread.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The first iteration.
    pub lo: usize,
    /// The end, exclusive.
    pub hi: usize,
    /// Do no other threads run iterations of the loop meanwhile?
    pub alone: bool,
    /// What its thread keeps for the next.
    pub home: &'a Home,
}

/// The body of a loop, with what it captures.
pub trait Task: Sync {
    /// How much a chunk has appended to bounded arrays; nothing otherwise.
    type Appended: Send;

    /// Runs a chunk of the iterations, in code for an instruction set.
    ///
    /// # Safety
    /// The iterations are the loop's, no other thread runs them or, if the chunk is alone, any, and the processor has the
    /// instruction set.
    unsafe fn run(&self, isa: Level, chunk: Chunk<'_>) -> Self::Appended;
}

/// How the work is spread over the iterations.
pub trait Balance: Copy + Send + Sync {
    /// The work of the iterations before this one, up to a constant.
    ///
    /// # Safety
    /// It is an iteration of the loop, or its end.
    unsafe fn before(self, i: usize) -> usize;
}

/// All iterations do the same.
#[derive(Clone, Copy, Debug)]
pub struct Even;

impl Balance for Even {
    #[inline]
    unsafe fn before(self, i: usize) -> usize {
        i
    }
}

/// Iteration `i` does work for its positions, from that at `i` to that at `i + 1` of an array, and for itself.
#[derive(Debug)]
pub struct Positions<'a, A: ?Sized>(pub &'a A);

impl<A: ?Sized> Clone for Positions<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: ?Sized> Copy for Positions<'_, A> {}

impl<A: IndexArray + Sync + ?Sized> Balance for Positions<'_, A> {
    #[inline]
    unsafe fn before(self, i: usize) -> usize {
        // SAFETY: the positions of all iterations and of their end are in the array, the maker's promise.
        i + unsafe { self.0.index(i) }
    }
}

/// Iterations do the work of both.
impl<A: Balance, B: Balance> Balance for (A, B) {
    #[inline]
    unsafe fn before(self, i: usize) -> usize {
        // SAFETY: the caller's promise is for both.
        unsafe { self.0.before(i) + self.1.before(i) }
    }
}

/// How many scalar operations take as long as so many operations on rows of this length, which are made in vectors: an
/// eighth of them, if the rows fill the vectors.
#[inline]
pub fn in_lanes(work: usize, row: usize) -> usize {
    if EAGER { work } else { work / (row / 4).clamp(1, 8) }
}

/// Runs a loop that makes about `work` scalar operations.
///
/// # Safety
/// Iterations may run at the same time, and `balance` has what is asked of it.
pub unsafe fn threads(
    isa: impl Isa,
    task: &impl Task<Appended = ()>,
    range: Range<usize>,
    work: usize,
    balance: impl Balance,
) {
    let Range { start: lo, end: hi } = range;
    let worth = Worth::of(work, hi.saturating_sub(lo));
    // SAFETY: the caller's promise.
    unsafe {
        if worth.threads < 2 {
            isa.run(task, Chunk { lo, hi, alone: true, home: &Home::default() });
        } else {
            let all = balance.before(hi) - balance.before(lo);
            Halves { isa, task, balance, most: all.div_ceil(worth.chunks()) }.run(lo, hi);
        }
    }
}

/// A loop that is halved.
struct Halves<'a, I, T, B> {
    isa: I,
    task: &'a T,
    balance: B,
    /// What a chunk may make.
    most: usize,
}

impl<I: Isa, T: Task<Appended = ()>, B: Balance> Halves<'_, I, T, B> {
    /// # Safety
    /// As for [`threads`], of which this is a part.
    unsafe fn run(&self, lo: usize, hi: usize) {
        // SAFETY: the caller's promise; the halves have no iteration in common.
        unsafe {
            let (before, after) = (self.balance.before(lo), self.balance.before(hi));
            if after - before <= self.most || hi - lo < 2 {
                return self.isa.run(self.task, Chunk { lo, hi, alone: false, home: &Home::default() });
            }
            let middle = cut(self.balance, lo + 1..hi - 1, before + (after - before) / 2);
            join(|| self.run(lo, middle), || self.run(middle, hi));
        }
    }
}

/// The first iteration with so much work before it; the end of the range if none has.
///
/// # Safety
/// They are iterations, and the end may be the loop's.
pub(super) unsafe fn cut(balance: impl Balance, range: Range<usize>, work: usize) -> usize {
    // SAFETY: the caller's promise.
    first(range.start, range.end, |i| unsafe { balance.before(i) } >= work)
}

/// The same without a pool.
#[cfg(not(feature = "threads"))]
mod without {
    pub fn current_num_threads() -> usize {
        1
    }

    pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    pub fn scope<A>(f: impl FnOnce(()) -> A) -> A {
        f(())
    }
}
