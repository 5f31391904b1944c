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
//! In tests with [`use_small_limits`](super::use_small_limits) every loop is worth it, in chunks of one operation.

use super::array::IndexArray;
pub use super::home::Home;
use super::limits::limits;
use super::pool::join;
use super::search::first;
use super::worth::Worth;
use super::{Isa, Level};
use std::ops::Range;

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
    work / (row / 4).clamp(1, limits().lanes)
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
    // SAFETY: the caller's promise.
    let run = |lo, hi, alone| unsafe { isa.run(task, Chunk { lo, hi, alone, home: &Home::default() }) };
    // SAFETY: the caller's promise; it is asked about iterations, and their end.
    spread(&run, &|i| unsafe { balance.before(i) }, range, work);
}

/// Runs iterations, alone or beside others.
type Run<'a> = &'a (dyn Fn(usize, usize, bool) + Sync);

fn spread(run: Run<'_>, before: Before<'_>, range: Range<usize>, work: usize) {
    let Range { start: lo, end: hi } = range;
    let worth = Worth::of(work, hi.saturating_sub(lo));
    if worth.threads < 2 {
        return run(lo, hi, true);
    }
    let most = (before(hi) - before(lo)).div_ceil(worth.chunks());
    Halves { run, before, most }.run(lo, hi);
}

/// A loop that is halved.
struct Halves<'a> {
    run: Run<'a>,
    before: Before<'a>,
    /// What a chunk may make.
    most: usize,
}

impl Halves<'_> {
    /// Runs these iterations, each once.
    fn run(&self, lo: usize, hi: usize) {
        let (before, after) = ((self.before)(lo), (self.before)(hi));
        if after - before <= self.most || hi - lo < 2 {
            return (self.run)(lo, hi, false);
        }
        let middle = cut(self.before, lo + 1..hi - 1, before + (after - before) / 2);
        join(&mut || self.run(lo, middle), &mut || self.run(middle, hi));
    }
}

/// The work of a loop's iterations before one of them, or before its end, up to a constant.
pub(super) type Before<'a> = &'a (dyn Fn(usize) -> usize + Sync);

/// The first iteration with so much work before it; the end of the range if none has.
pub(super) fn cut(before: Before<'_>, range: Range<usize>, work: usize) -> usize {
    first(range.start, range.end, |i| before(i) >= work)
}
