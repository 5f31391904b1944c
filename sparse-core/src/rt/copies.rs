//! Loops on threads that reduce into copies of an array, one a chunk of the iterations.

use super::limits::limits;
use super::memory;
use super::monoid::Monoid;
use super::pool::{current_num_threads, join, within};
use super::shared::Shared;
use super::threads::{Balance, Chunk, Home, Task, cut};
use super::{Isa, Store};
use crate::format::Buffer;
use crate::scalar::Element;
use std::ops::Range;

/// As many chunks as there are, whatever the threads, if a copy costs little beside a chunk.
const CHUNKS: usize = 64;

/// A copy costs little if a chunk makes so many times as many operations.
const LITTLE: usize = 16;

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
    let cost = target.len().saturating_mul(limits().copied);
    let worth = work.checked_div(cost).unwrap_or(usize::MAX);
    let most = hi.saturating_sub(lo).min(worth);
    let chunks = match worth / LITTLE {
        _ if work < limits().worth => 1,
        0..CHUNKS => most.min(current_num_threads()),
        _ => most.min(CHUNKS),
    };
    if chunks < 2 {
        // SAFETY: the caller's promise.
        return unsafe { isa.run(task, Chunk { lo, hi, alone: true, home: &Home::default() }) };
    }
    // SAFETY: the iterations are the loop's.
    let before = |i| unsafe { balance.before(i) };
    let (first, end) = (before(lo), before(hi));
    let share = |n: usize| first + ((end - first) as u128 * n as u128 / chunks as u128) as usize;
    let inner = (1..chunks).map(|n| cut(&before, lo..hi, share(n)));
    let bounds: Vec<usize> = std::iter::once(lo).chain(inner).chain([hi]).collect();
    // SAFETY: the caller's promise: chunks have no iteration in common, and each has an array of its own.
    let run = |to, lo, hi| unsafe {
        isa.run(&task.with(to), Chunk { lo, hi, alone: false, home: &Home::default() });
    };
    // SAFETY: the caller's promise.
    unsafe { Chunks { run: &run, bounds: &bounds, target }.reduce(monoid) }
}

/// A loop in chunks.
struct Chunks<'a, T> {
    /// Runs iterations that reduce into an array.
    run: &'a (dyn Fn(Shared<T>, usize, usize) + Sync),
    /// Where chunks begin and end.
    bounds: &'a [usize],
    target: Shared<T>,
}

impl<T: Element> Chunks<'_, T> {
    /// Runs all of them.
    ///
    /// # Safety
    /// As for [`threads_with_copies`].
    unsafe fn reduce<M: Monoid<T>>(&self, monoid: M) {
        // The first one stays empty.
        let mut copies: Vec<Buffer<T>> = self.bounds[1..].iter().map(|_| Buffer::new()).collect();
        let alone = current_num_threads() < 2;
        let mut all = || {
            if alone {
                self.one_by_one(M::IDENTITY, 0, &mut copies);
            } else {
                self.halves(M::IDENTITY, 0, &mut copies);
            }
            // SAFETY: the caller's promise; no chunk runs any more.
            unsafe { combine(self.target, &copies[1..], monoid, 0, self.target.len()) }
        };
        // Handed to the pool as a whole.
        if alone { all() } else { within(&mut all) }
    }

    /// Runs the chunks from a number on, one for each copy, by threads.
    fn halves(&self, identity: T, first: usize, copies: &mut [Buffer<T>]) {
        if copies.len() < 2 {
            return self.one_by_one(identity, first, copies);
        }
        let half = copies.len() / 2;
        let (left, right) = copies.split_at_mut(half);
        let right = &mut || self.halves(identity, first + half, right);
        join(&mut || self.halves(identity, first, left), right);
    }

    /// The same by this thread.
    fn one_by_one(&self, identity: T, first: usize, copies: &mut [Buffer<T>]) {
        for (n, copy) in copies.iter_mut().enumerate() {
            let (lo, hi) = (self.bounds[first + n], self.bounds[first + n + 1]);
            let to = if first + n == 0 {
                self.target
            } else {
                // By the thread that is going to use it.
                *copy = memory::full(self.target.len(), identity);
                copy.shared()
            };
            (self.run)(to, lo, hi);
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
        if hi - lo <= limits().combined {
            let part = target.part(lo, hi);
            return copies.iter().for_each(|copy| merge(part, &copy[lo..hi], monoid));
        }
        let middle = lo + (hi - lo) / 2;
        let right = &mut || combine(target, copies, monoid, middle, hi);
        join(&mut || combine(target, copies, monoid, lo, middle), right);
    }
}

fn merge<T: Element>(target: &mut [T], copy: &[T], monoid: impl Monoid<T>) {
    for (t, c) in target.iter_mut().zip(copy) {
        *t = monoid.combine(*t, *c);
    }
}
