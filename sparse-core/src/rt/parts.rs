//! Loops on threads that append, in *parts*: what one thread has appended in a row.
//!
//! A chunk appends where the one before it ended if the same thread has just run that one, and elsewhere if not. So most
//! loops have as many parts as threads, some a few more, because a thread that is done early takes iterations of
//! another, and on one thread there is one. When all have run, the parts are brought together in their order: the result
//! does not depend on who ran what.

use super::threads::{Balance, CHUNK, CHUNKS, Chunk, WORTH, current_num_threads, cut, join_context};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Lengths of arrays of coordinates and positions, and of the array of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lens<const N: usize> {
    /// By array of coordinates or positions.
    pub indices: [usize; N],
    /// Of the values.
    pub values: usize,
}

impl<const N: usize> Lens<N> {
    pub(super) const ZERO: Self = Lens { indices: [0; N], values: 0 };

    pub(super) fn plus(self, other: Lens<N>) -> Self {
        let indices = std::array::from_fn(|n| self.indices[n] + other.indices[n]);
        Lens { indices, values: self.values + other.values }
    }

    /// As many more of each.
    pub(super) fn and(self, more: usize) -> Self {
        Lens { indices: self.indices.map(|n| n + more), values: self.values + more }
    }
}

/// How parts of a loop begin and go on.
pub(super) trait Parts: Sync {
    /// What a part has appended.
    type Part: Send;

    /// One that begins with an iteration.
    fn begin(&self, iteration: usize) -> Self::Part;

    /// Runs iterations, which append to a part.
    ///
    /// # Safety
    /// They are the loop's, no other thread runs them, and they come right after those that have appended to the part.
    unsafe fn run(&self, part: &mut Self::Part, chunk: Chunk);
}

/// Runs a loop that makes about `work` scalar operations; gives its parts, in order.
///
/// # Safety
/// As for [`threads`](super::threads()).
pub(super) unsafe fn in_parts<P: Parts>(
    parts: &P,
    mut first: P::Part,
    range: Range<usize>,
    work: usize,
    balance: impl Balance,
) -> Vec<P::Part> {
    let Range { start: lo, end: hi } = range;
    let threads = if work < WORTH || hi.saturating_sub(lo) < 2 { 1 } else { current_num_threads() };
    // SAFETY: the caller's promise.
    unsafe {
        if threads < 2 {
            parts.run(&mut first, Chunk { lo, hi, alone: true });
            return vec![first];
        }
        let all = balance.before(hi) - balance.before(lo);
        let chunks = (threads * CHUNKS).min(work / CHUNK);
        Halves { parts, balance, most: all.div_ceil(chunks) }.run(lo, hi, first)
    }
}

/// A loop that is halved.
struct Halves<'a, P, B> {
    parts: &'a P,
    balance: B,
    /// What a chunk may make.
    most: usize,
}

impl<P: Parts, B: Balance> Halves<'_, P, B> {
    /// # Safety
    /// As for [`in_parts`], of which this is a part.
    unsafe fn run(&self, lo: usize, hi: usize, mut part: P::Part) -> Vec<P::Part> {
        // SAFETY: the caller's promise; the halves have no iteration in common.
        unsafe {
            let (before, after) = (self.balance.before(lo), self.balance.before(hi));
            if after - before <= self.most || hi - lo < 2 {
                self.parts.run(&mut part, Chunk { lo, hi, alone: false });
                return vec![part];
            }
            let middle = cut(self.balance, lo + 1..hi - 1, before + (after - before) / 2);
            // The last part of the first half: it goes on unless another thread has begun the second.
            let open = Mutex::new(None);
            let lock = || open.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut parts, rest) = join_context(
                |_| {
                    let mut parts = self.run(lo, middle, part);
                    *lock() = parts.pop();
                    parts
                },
                |context| {
                    // If not, it comes after the first half, on the same thread.
                    let part = if context.migrated() { None } else { lock().take() };
                    self.run(middle, hi, part.unwrap_or_else(|| self.parts.begin(middle)))
                },
            );
            parts.extend(lock().take());
            parts.extend(rest);
            parts
        }
    }
}
