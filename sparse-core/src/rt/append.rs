//! Appending on threads to arrays with room for a bound that is known for each iteration: in parts ([`super::parts`]), for which
//! the bound says how much room they need.
//!
//! Chunks are cut by what they may append, too, so that each stays in the cache, whichever operand has the work.
//!
//! A chunk whose place is known when a thread takes it is appended there at once: all are where no other thread is under way, and
//! those of one thread where others are. The others' are copied once, from a core's cache to where the result is written to memory
//! anyway.

use super::array::Store;
use super::memory::allocated;
use super::nontemporal::Destination;
use super::parts::{Chunks, Done, Lens, Parts, in_order};
use super::shared::Shared;
use super::threads::{Balance, Before, Chunk, Home, Task};
use super::worth::{Worth, parts};
use super::{Isa, MaybeUninit, room};
use crate::format::Buffer;
use crate::scalar::Element;
use std::ops::Range;

/// A [`Task`] that appends to arrays with room for all, from their beginning on.
pub trait Appender<T: Element, const N: usize>: Task<Appended = Lens<N>> + Sized {
    /// The arrays.
    fn arrays(&self) -> ([Shared<i32>; N], Shared<T>);

    /// The same task, appending to others.
    fn with(&self, indices: [Shared<i32>; N], values: Shared<T>) -> Self;
}

/// Runs a loop that makes about `work` scalar operations, and appends to arrays that have these lengths; gives their
/// lengths after. The iterations from `a` on and before `b` append to each at most `before(b) - before(a)` elements.
///
/// # Safety
/// As for [`threads`](super::threads()), and the bound is one: in all there is as much room behind the lengths.
pub unsafe fn append<T: Element, const N: usize>(
    isa: impl Isa,
    task: &impl Appender<T, N>,
    lens: Lens<N>,
    before: impl Fn(usize) -> usize + Sync,
    range: Range<usize>,
    work: usize,
    balance: impl Balance,
) -> Lens<N> {
    let (indices, values) = task.arrays();
    let result = Arrays { indices, values };
    let worth = Worth::of(work, range.len());
    // SAFETY: the caller's promise.
    unsafe {
        let run = |to: Arrays<T, N>, chunk: Chunk<'_>| isa.run(&task.with(to.indices, to.values), chunk);
        if worth.threads < 2 {
            let chunk = Chunk { lo: range.start, hi: range.end, alone: true, home: &Home::default() };
            return lens.plus(run(result.from(lens), chunk));
        }
        let chunks = worth.parts().max(parts(before(range.end) - before(range.start)));
        // Iterations have their work, and what they may append.
        let with_room = |i| balance.before(i) + before(i);
        let destination = Destination::of(&result.indices, &result.values);
        let bounded = Bounded { run: &run, result, destination, before: &before };
        in_order(&bounded, Chunks::of(range, &with_room, chunks), lens)
    }
}

struct Bounded<'a, T, const N: usize> {
    /// Runs iterations, which append to arrays from their beginning on; gives the lengths of what they have appended.
    run: &'a (dyn Fn(Arrays<T, N>, Chunk<'_>) -> Lens<N> + Sync),
    result: Arrays<T, N>,
    destination: Destination,
    before: Before<'a>,
}

/// What a task appends to.
#[derive(Clone, Copy)]
struct Arrays<T, const N: usize> {
    indices: [Shared<i32>; N],
    values: Shared<T>,
}

impl<T: Element, const N: usize> Arrays<T, N> {
    /// The arrays from some elements on.
    ///
    /// # Safety
    /// They are in bounds, or the end.
    unsafe fn from(&self, at: Lens<N>) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let indices = std::array::from_fn(|n| self.indices[n].from(at.indices[n]));
            Arrays { indices, values: self.values.from(at.values) }
        }
    }
}

/// What a chunk has appended, and room for what it may.
struct Part<T: Element, const N: usize> {
    indices: [Buffer<i32>; N],
    values: Buffer<T>,
}

impl<T: Element, const N: usize> Parts<N> for Bounded<'_, T, N> {
    type Part = Part<T, N>;

    fn left(&self) -> usize {
        // With two threads, one has some three parts that wait for their places, by a model of chunks that take about the same
        // time, and these stay in a core's cache: some 200 KB a chunk.
        2
    }

    fn empty(&self) -> Part<T, N> {
        Part { indices: std::array::from_fn(|_| Buffer::new()), values: Buffer::new() }
    }

    unsafe fn run(&self, part: &mut Part<T, N>, _held: Lens<N>, chunk: Chunk<'_>) -> Lens<N> {
        let most = (self.before)(chunk.hi) - (self.before)(chunk.lo);
        // SAFETY: there is room for the bound, and a task writes the elements that it has appended.
        unsafe {
            let indices = part.indices.each_mut().map(|array| emptied(array, most));
            let lens = (self.run)(Arrays { indices, values: emptied(&mut part.values, most) }, chunk);
            for (array, len) in part.indices.iter_mut().zip(lens.indices) {
                array.set_len(len);
            }
            part.values.set_len(lens.values);
            lens
        }
    }

    unsafe fn run_in_place(&self, begin: Lens<N>, chunk: Chunk<'_>) -> Option<Lens<N>> {
        // SAFETY: what is appended before it has its room, and so has this.
        Some(unsafe { (self.run)(self.result.from(begin), chunk) })
    }

    unsafe fn place(&self, part: &Part<T, N>, begin: Lens<N>, _done: Done) {
        // SAFETY: parts have their own places in the result.
        unsafe {
            for (n, array) in self.result.indices.iter().enumerate() {
                array.copy(begin.indices[n], &part.indices[n], self.destination);
            }
            self.result.values.copy(begin.values, &part.values, self.destination);
        }
    }
}

/// An array's memory, without elements, and with room for so many. Ends the call when memory runs out.
fn emptied<T: Element>(array: &mut Buffer<T>, room_for: usize) -> Shared<T> {
    array.clear();
    if array.capacity() < room_for {
        *array = Buffer::new();
        *array = allocated(Buffer::try_with_capacity(room_for));
    }
    // SAFETY: it has no elements.
    unsafe { room(array) }.shared()
}

/// Counts that become positions.
pub trait Counts {
    /// The first `n` elements, counts, become the sums of those before them; the sum of all comes after them.
    ///
    /// # Safety
    /// They are initialised, and there is room for one more; what grows holds these alone.
    unsafe fn scan(&mut self, n: usize);
}

impl Counts for [MaybeUninit<i32>] {
    unsafe fn scan(&mut self, n: usize) {
        debug_assert!(n < self.len(), "{n} counts and their sum in {}", self.len());
        let mut sum = 0_i32;
        // SAFETY: the caller's promise.
        let (counts, rest) = unsafe { self.split_at_mut_unchecked(n) };
        for count in counts {
            // SAFETY: the caller's promise.
            let n = unsafe { count.assume_init() };
            count.write(sum);
            // Results that pass i32 are refused when they are assembled.
            sum = sum.wrapping_add(n);
        }
        // SAFETY: the caller's promise.
        unsafe { rest.get_unchecked_mut(0) }.write(sum);
    }
}

impl Counts for Buffer<i32> {
    unsafe fn scan(&mut self, n: usize) {
        debug_assert_eq!(n, self.len());
        self.reserve(1);
        // SAFETY: there is room, and the counts are the elements.
        unsafe {
            let all = std::slice::from_raw_parts_mut(self.as_mut_ptr().cast::<MaybeUninit<i32>>(), n + 1);
            all.scan(n);
            self.set_len(n + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_positions() {
        for counts in [&[][..], &[3], &[2, 0, 5, 1]] {
            let mut positions = Buffer::from(counts);
            let mut room: Vec<_> = counts.iter().chain(&[-9]).map(|c| MaybeUninit::new(*c)).collect();
            // SAFETY: all are initialised.
            unsafe {
                positions.scan(counts.len());
                room.scan(counts.len());
            }
            let expected: Vec<i32> = (0..=counts.len()).map(|n| counts[..n].iter().sum()).collect();
            assert_eq!(*positions, *expected);
            // SAFETY: as above.
            assert!(room.iter().zip(&expected).all(|(a, b)| unsafe { a.assume_init() } == *b));
        }
    }
}
