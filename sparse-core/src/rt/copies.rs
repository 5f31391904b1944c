//! Loops on threads that reduce into copies of an array, one a chunk of the iterations.

use super::memory;
use super::monoid::Monoid;
use super::shared::Shared;
use super::threads::{Balance, Chunk, EAGER, Home, Task, current_num_threads, cut, join, scope};
use super::worth::WORTH;
use super::{Isa, Store};
use crate::format::Buffer;
use crate::scalar::Element;
use std::ops::Range;

/// As many chunks as there are, whatever the threads, if a copy costs little beside a chunk.
const CHUNKS: usize = 64;

/// A copy costs little if a chunk makes so many times as many operations.
const LITTLE: usize = 16;

/// So many elements are combined at once.
const PART: usize = if EAGER { 2 } else { 1 << 13 };

/// A [`Task`] that reduces into an array.
pub trait Reducer<T: Element>: Task<Appended = ()> + Sized {
    /// The array.
    fn target(&self) -> Shared<T>;

    /// The same task, reducing into another array.
    fn with(&self, copy: Shared<T>) -> Self;
}

/// Runs a loop that makes about `work` scalar operations and reduces into the task's target.
///
/// The loop is cut into chunks. The first reduces into the target, each of the others into a copy that starts as the
/// identity; then the copies are combined into the target in the chunks' order. To make and to combine a copy costs about two
/// operations an element. Where that is little there are 64 chunks, on one thread as well, and the result is the same on any
/// number of threads. Else there are as many as threads, each of which makes more than that: the result depends on the number of
/// threads, and not on their timing. Less work than [`threads`](super::threads()) would wake a thread for is one chunk.
///
/// # Safety
/// As for [`threads`](super::threads()), where the iterations meet in the target alone; its elements are initialised.
pub unsafe fn threads_with_copies<T: Element, R: Reducer<T>>(
    isa: impl Isa,
    task: &R,
    monoid: impl Monoid<T>,
    range: Range<usize>,
    work: usize,
    balance: impl Balance,
) {
    let (Range { start: lo, end: hi }, target) = (range, task.target());
    let worth = if EAGER { usize::MAX } else { work / target.len().saturating_mul(2).max(1) };
    let most = hi.saturating_sub(lo).min(worth);
    let chunks = match worth / LITTLE {
        _ if work < WORTH => 1,
        0..CHUNKS => most.min(current_num_threads()),
        _ => most.min(CHUNKS),
    };
    if chunks < 2 {
        // SAFETY: the caller's promise.
        return unsafe { isa.run(task, Chunk { lo, hi, alone: true, home: &Home::default() }) };
    }
    // SAFETY: the caller's promise; `lo` and `hi` are the loop's.
    let (before, after) = unsafe { (balance.before(lo), balance.before(hi)) };
    let share = |n: usize| before + ((after - before) as u128 * n as u128 / chunks as u128) as usize;
    // SAFETY: the iterations are the loop's.
    let inner = (1..chunks).map(|n| unsafe { cut(balance, lo..hi, share(n)) });
    let bounds: Vec<usize> = std::iter::once(lo).chain(inner).chain([hi]).collect();
    // The first one stays empty.
    let mut copies: Vec<Buffer<T>> = (0..chunks).map(|_| Buffer::new()).collect();
    let chunks = Chunks { isa, task, bounds: &bounds, len: target.len(), identity: identity(monoid) };
    // SAFETY: the caller's promise: chunks have no iteration in common, and each has an array of its own.
    let mut all = |run: unsafe fn(&_, usize, &mut [Buffer<T>])| unsafe {
        run(&chunks, 0, &mut copies);
        combine(target, &copies[1..], monoid, 0, target.len());
    };
    if current_num_threads() < 2 {
        all(Chunks::one_by_one);
    } else {
        // Handed to the pool as a whole.
        scope(|_| all(Chunks::halves));
    }
}

fn identity<T: Element, M: Monoid<T>>(_: M) -> T {
    M::IDENTITY
}

/// A loop in chunks.
struct Chunks<'a, I, R, T> {
    isa: I,
    task: &'a R,
    /// Where chunks begin and end.
    bounds: &'a [usize],
    len: usize,
    identity: T,
}

impl<I: Isa, T: Element, R: Reducer<T>> Chunks<'_, I, R, T> {
    /// Runs the chunks from a number on, one for each copy, by threads.
    ///
    /// # Safety
    /// As for [`threads_with_copies`], of which this is a part.
    unsafe fn halves(&self, first: usize, copies: &mut [Buffer<T>]) {
        // SAFETY: the caller's promise.
        unsafe {
            if copies.len() < 2 {
                return self.one_by_one(first, copies);
            }
            let half = copies.len() / 2;
            let (left, right) = copies.split_at_mut(half);
            join(|| self.halves(first, left), || self.halves(first + half, right));
        }
    }

    /// The same by this thread.
    ///
    /// # Safety
    /// As above.
    unsafe fn one_by_one(&self, first: usize, copies: &mut [Buffer<T>]) {
        for (n, copy) in copies.iter_mut().enumerate() {
            let (lo, hi) = (self.bounds[first + n], self.bounds[first + n + 1]);
            let chunk = Chunk { lo, hi, alone: false, home: &Home::default() };
            // SAFETY: the caller's promise.
            unsafe {
                if first + n == 0 {
                    self.isa.run(self.task, chunk);
                } else {
                    // By the thread that is going to use it.
                    *copy = memory::full(self.len, self.identity);
                    self.isa.run(&self.task.with(copy.shared()), chunk);
                }
            }
        }
    }
}

/// Combines a range of the copies into the target.
///
/// # Safety
/// Nobody else touches the range of the target; its elements are initialised.
unsafe fn combine<T: Element>(
    target: Shared<T>,
    copies: &[Buffer<T>],
    monoid: impl Monoid<T>,
    lo: usize,
    hi: usize,
) {
    // SAFETY: the caller's promise; halves have no element in common.
    unsafe {
        if hi - lo <= PART {
            let part = target.part(lo, hi);
            return copies.iter().for_each(|copy| merge(part, &copy[lo..hi], monoid));
        }
        let middle = lo + (hi - lo) / 2;
        join(|| combine(target, copies, monoid, lo, middle), || combine(target, copies, monoid, middle, hi));
    }
}

fn merge<T: Element>(target: &mut [T], copy: &[T], monoid: impl Monoid<T>) {
    for (t, c) in target.iter_mut().zip(copy) {
        *t = monoid.combine(*t, *c);
    }
}
