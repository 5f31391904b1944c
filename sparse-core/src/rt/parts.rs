//! Loops on threads that append, in *parts*: what a chunk of iterations has appended.
//!
//! Threads take chunks in order, and append into parts of their own, which are small enough to stay in a core's cache.
//! The lengths of the parts before it say where a part belongs in the result, and its thread copies it there as soon as
//! they are known; until then it takes further chunks, so that no thread waits for another. The result is written once,
//! and is the same bytes whoever ran what. One thread appends to the result itself.
//!
//! Where a chunk can be appended in place once that is known, a thread that cannot leaves a few chunks to the one that can, and
//! takes what comes after them, so that this one finds some: one thread copies next to nothing.

use super::pool::{current_num_threads, join};
use super::search::first_near;
use super::threads::{Before, Chunk, Home, cut};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A part of all work from which the rest is told.
pub(super) const SAMPLE: usize = 16;
/// More chunks than this are not told apart.
const MANY: usize = 1 << 20;

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

    fn minus(self, other: Lens<N>) -> Self {
        let indices = std::array::from_fn(|n| self.indices[n] - other.indices[n]);
        Lens { indices, values: self.values - other.values }
    }
}

/// Some of a number of pieces of work that are alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) done: usize,
    pub(super) all: usize,
}

impl Done {
    /// How long an array is going to be that has this length now, with an eighth more to be on the safe side. `None` if too
    /// little is done to tell.
    pub(super) fn expects(self, len: usize) -> Option<usize> {
        let likely = || len as u128 * self.all as u128 / self.done as u128 * 9 / 8;
        (self.done > 0 && self.done >= self.all / SAMPLE).then(|| likely().min(usize::MAX as u128) as usize)
    }
}

/// What parts of a loop are, and where they go.
pub(super) trait Parts<const N: usize>: Sync {
    /// Arrays that a chunk appends to.
    type Part: Send + Sync;

    /// So many chunks wait for a thread that can run them in place.
    fn left(&self) -> usize {
        0
    }

    /// One to begin with.
    fn empty(&self) -> Self::Part;

    /// Runs iterations, which append to a part, as if it were empty. Gives its lengths; `held` are those of others that the
    /// thread has.
    ///
    /// # Safety
    /// They are the loop's, and no other thread runs them.
    unsafe fn run(&self, part: &mut Self::Part, held: Lens<N>, chunk: Chunk<'_>) -> Lens<N>;

    /// Runs iterations, which append to the result itself, where what they append belongs; `None` if they cannot. Gives the
    /// lengths of what they have appended.
    ///
    /// # Safety
    /// As for [`run`](Parts::run), and this is where it belongs.
    unsafe fn run_in_place(&self, _begin: Lens<N>, _chunk: Chunk<'_>) -> Option<Lens<N>> {
        None
    }

    /// Copies a part into the result; so much of all work ends with it.
    ///
    /// # Safety
    /// It has run, and belongs there.
    unsafe fn place(&self, part: &Self::Part, begin: Lens<N>, done: Done);
}

/// A loop in chunks of about the same work.
#[derive(Clone, Copy)]
pub(super) struct Chunks<'a> {
    lo: usize,
    hi: usize,
    before: Before<'a>,
    /// The work before the first one, and in all.
    first: usize,
    all: usize,
    chunks: usize,
}

impl<'a> Chunks<'a> {
    /// Of a loop, so many if it has as many iterations.
    pub(super) fn of(range: Range<usize>, before: Before<'a>, chunks: usize) -> Self {
        let Range { start: lo, end: hi } = range;
        let (first, end) = (before(lo), before(hi));
        let chunks = chunks.min(hi.saturating_sub(lo)).clamp(1, MANY);
        Chunks { lo, hi, before, first, all: end - first, chunks }
    }

    /// Where a chunk begins.
    fn begin(&self, chunk: usize) -> usize {
        cut(self.before, self.lo..self.hi, self.first + self.work(chunk))
    }

    /// Where a chunk ends that begins there. It is not far.
    fn end(&self, chunk: usize, begin: usize) -> usize {
        if chunk + 1 == self.chunks {
            return self.hi;
        }
        let work = self.first + self.work(chunk + 1);
        first_near(begin, self.hi, |i| (self.before)(i) >= work)
    }

    /// The work of the chunks before one.
    fn work(&self, chunk: usize) -> usize {
        (self.all as u128 * chunk as u128 / self.chunks as u128) as usize
    }
}

/// Runs a loop, whose result has these lengths before; gives those after.
///
/// # Safety
/// As for [`threads`](super::threads()).
pub(super) unsafe fn in_order<P: Parts<N>, const N: usize>(
    parts: &P,
    chunks: Chunks<'_>,
    begin: Lens<N>,
) -> Lens<N> {
    let known = Mutex::new(Known::of(chunks.chunks, begin));
    let order = Order { parts, chunks, known, left: Mutex::new(vec![]) };
    // SAFETY: the caller's promise.
    unsafe {
        order.on(current_num_threads());
        let left = std::mem::take(&mut *lock(&order.left));
        order.place_all(&left);
    }
    lock(&order.known).begins[chunks.chunks]
}

/// A part that has run: its chunk, its lengths, and itself.
type Run<P, const N: usize> = (usize, Lens<N>, P);

struct Order<'a, P: Parts<N>, const N: usize> {
    parts: &'a P,
    chunks: Chunks<'a>,
    known: Mutex<Known<N>>,
    /// What threads could not place before they had nothing more to do.
    left: Mutex<Vec<Run<P::Part, N>>>,
}

/// What is known of all chunks.
struct Known<const N: usize> {
    /// Lengths of those that have run.
    lens: Vec<Option<Lens<N>>>,
    /// Where the first ones begin in the result; where the last ends, too, when all have run.
    begins: Vec<Lens<N>>,
    /// Those that no thread has taken: some, in order, and all from the next one on.
    skipped: VecDeque<usize>,
    next: usize,
}

impl<const N: usize> Known<N> {
    /// Of so many chunks, none of which has run.
    fn of(chunks: usize, begin: Lens<N>) -> Self {
        Known { lens: vec![None; chunks], begins: vec![begin], skipped: VecDeque::new(), next: 0 }
    }

    /// A chunk that no thread has taken, and where it begins if that is known: the first one that has not run if it is one,
    /// else the next one after so many that are left, or one of these where there is no other.
    fn take(&mut self, left: usize) -> Option<(usize, Option<Lens<N>>)> {
        let (first, end) = (self.begins.len() - 1, self.lens.len());
        if self.skipped.front() == Some(&first) {
            self.skipped.pop_front();
        } else if self.next == first && first < end {
            self.next += 1;
        } else {
            let chunk = (self.next + left.saturating_sub(self.skipped.len())).min(end);
            self.skipped.extend(self.next..chunk);
            self.next = end.min(chunk + 1);
            return if chunk < end { Some(chunk) } else { self.skipped.pop_front() }
                .map(|chunk| (chunk, None));
        }
        Some((first, Some(self.begins[first])))
    }

    fn has_run(&mut self, chunk: usize, lens: Lens<N>) {
        self.lens[chunk] = Some(lens);
        while let (Some(Some(lens)), Some(begin)) = (self.lens.get(self.begins.len() - 1), self.begins.last())
        {
            self.begins.push(begin.plus(*lens));
        }
    }
}

impl<P: Parts<N>, const N: usize> Order<'_, P, N> {
    /// # Safety
    /// As for [`in_order`].
    unsafe fn on(&self, threads: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match threads {
                0 | 1 => self.run(),
                _ => {
                    let half = threads / 2;
                    join(&mut || self.on(half), &mut || self.on(threads - half));
                }
            }
        }
    }

    /// Runs chunks as long as there are some.
    ///
    /// # Safety
    /// As for [`in_order`].
    unsafe fn run(&self) {
        let (home, mut free) = (Home::default(), vec![]);
        let (mut waiting, mut held) = (VecDeque::new(), Lens::ZERO);
        // The chunk after the last one, and where it begins.
        let mut next = (0, self.chunks.lo);
        loop {
            let Some((chunk, begin)) = lock(&self.known).take(self.parts.left()) else { break };
            let lo = if next.0 == chunk { next.1 } else { self.chunks.begin(chunk) };
            let hi = self.chunks.end(chunk, lo);
            next = (chunk + 1, hi);
            let iterations = Chunk { lo, hi, alone: false, home: &home };
            // SAFETY: the iterations of a chunk are the loop's, and this one is nobody else's.
            let in_place = begin.and_then(|begin| unsafe { self.parts.run_in_place(begin, iterations) });
            if let Some(lens) = in_place {
                lock(&self.known).has_run(chunk, lens);
            } else {
                let mut part = free.pop().unwrap_or_else(|| self.parts.empty());
                // SAFETY: as above.
                let lens = unsafe { self.parts.run(&mut part, held, iterations) };
                lock(&self.known).has_run(chunk, lens);
                held = held.plus(lens);
                waiting.push_back((chunk, lens, part));
            }
            while let Some((chunk, ..)) = waiting.front()
                && let Some(begin) = self.begin(*chunk)
                && let Some((chunk, lens, part)) = waiting.pop_front()
            {
                // SAFETY: this is where it belongs.
                unsafe { self.parts.place(&part, begin, self.done(chunk)) };
                held = held.minus(lens);
                free.push(part);
            }
        }
        lock(&self.left).extend(waiting);
    }

    /// Where a part belongs.
    fn begin(&self, chunk: usize) -> Option<Lens<N>> {
        lock(&self.known).begins.get(chunk).copied()
    }

    fn done(&self, chunk: usize) -> Done {
        Done { done: chunk + 1, all: self.chunks.chunks }
    }

    /// # Safety
    /// All chunks have run.
    unsafe fn place_all(&self, left: &[Run<P::Part, N>]) {
        // SAFETY: the caller's promise.
        unsafe {
            match left {
                [] => {}
                [(chunk, _, part)] => {
                    let begin = lock(&self.known).begins[*chunk];
                    self.parts.place(part, begin, self.done(*chunk));
                }
                _ => {
                    let (a, b) = left.split_at(left.len() / 2);
                    join(&mut || self.place_all(a), &mut || self.place_all(b));
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_left_to_who_can_append_in_place() {
        let mut known = Known::of(8, Lens::<0>::ZERO);
        let ran = |chunk: usize, known: &mut Known<0>| {
            known.has_run(chunk, Lens { indices: [], values: 10 });
        };
        let in_place = |chunk, values| Some((chunk, Some(Lens { indices: [], values })));
        let part = |chunk| Some((chunk, None));
        assert_eq!(known.take(2), in_place(0, 0));
        // 1 and 2 are left.
        assert_eq!(known.take(2), part(3));
        ran(0, &mut known);
        assert_eq!(known.take(2), in_place(1, 10));
        ran(3, &mut known);
        // As is 4 in the place of 1.
        assert_eq!(known.take(2), part(5));
        ran(1, &mut known);
        assert_eq!(known.take(2), in_place(2, 20));
        ran(2, &mut known);
        assert_eq!(known.take(2), in_place(4, 40));
        ran(4, &mut known);
        // 5 is under way, and 6 and 7 are left: nothing else comes after them.
        assert_eq!(known.take(2), part(6));
        ran(5, &mut known);
        ran(6, &mut known);
        assert_eq!(known.take(2), in_place(7, 70));
        assert_eq!(known.take(2), None);
        ran(7, &mut known);
        assert_eq!(known.take(2), None);
        assert_eq!(known.begins.len(), 9);
    }
}
