//! Appending on threads to arrays with room for a bound that is known for each iteration, in *regions*: what one thread
//! has appended in a row, where the bounds of the iterations before it end.
//!
//! A chunk appends where the one before it ended if the same thread has just run that one, and where its bound begins if
//! not. So most loops have as many regions as threads, some a few more, because a thread that is done early takes
//! iterations of another, and on one thread there is one. The gaps between them are closed after; most of the first
//! thread's stays where it is, and memory that no region needed is not touched. Merging two rows is so little work that to
//! copy what it makes, even within the cache, would take as long.

use super::memory::allocated;
use super::parts::Lens;
use super::shared::Shared;
use super::threads::{Balance, Chunk, EAGER, Home, Task, current_num_threads, cut, join, join_context};
use super::worth::Worth;
use super::{Isa, MaybeUninit};
use crate::format::Buffer;
use crate::scalar::Element;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Fewer elements are moved by one thread.
const PIECE: usize = if EAGER { 2 } else { 1 << 14 };

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
    let regions = Regions { isa, task, indices, values, lens, first: before(range.start), before };
    // SAFETY: the caller's promise.
    let all = unsafe { regions.of(range, work, balance) };
    let mut end = lens;
    for Region { begin, len, .. } in all {
        // SAFETY: the regions lie in the arrays one after another, and all threads are done.
        unsafe {
            for (n, array) in indices.iter().enumerate() {
                close(*array, begin.indices[n], end.indices[n], len.indices[n]);
            }
            close(values, begin.values, end.values, len.values);
        }
        end = end.plus(len);
    }
    end
}

struct Regions<'a, I, A, F, T, const N: usize> {
    isa: I,
    task: &'a A,
    indices: [Shared<i32>; N],
    values: Shared<T>,
    /// Where the first one begins, and with which iteration.
    lens: Lens<N>,
    first: usize,
    before: F,
}

/// Where a thread appends.
struct Region<const N: usize> {
    begin: Lens<N>,
    len: Lens<N>,
    home: Home,
}

impl<I, A, F, T, const N: usize> Regions<'_, I, A, F, T, N>
where
    I: Isa,
    A: Appender<T, N>,
    F: Fn(usize) -> usize + Sync,
    T: Element,
{
    /// The region that begins with an iteration.
    fn begin(&self, iteration: usize) -> Region<N> {
        let begin = self.lens.and((self.before)(iteration) - self.first);
        Region { begin, len: Lens::ZERO, home: Home::default() }
    }

    /// Runs iterations, which append to a region.
    ///
    /// # Safety
    /// They are the loop's, no other thread runs them, and they come right after those that have appended to the region.
    unsafe fn run(&self, region: &mut Region<N>, lo: usize, hi: usize, alone: bool) {
        let at = region.begin.plus(region.len);
        // SAFETY: the caller's promise: iterations append inside the arrays.
        unsafe {
            let indices = std::array::from_fn(|n| self.indices[n].from(at.indices[n]));
            let own = self.task.with(indices, self.values.from(at.values));
            let chunk = Chunk { lo, hi, alone, home: &region.home };
            region.len = region.len.plus(self.isa.run(&own, chunk));
        }
    }

    /// The regions of a loop, in order.
    ///
    /// # Safety
    /// As for [`append`].
    unsafe fn of(&self, range: Range<usize>, work: usize, balance: impl Balance) -> Vec<Region<N>> {
        let Range { start: lo, end: hi } = range;
        let mut first = self.begin(lo);
        let worth = Worth::of(work, hi.saturating_sub(lo));
        // SAFETY: the caller's promise.
        unsafe {
            if worth.threads < 2 {
                self.run(&mut first, lo, hi, true);
                return vec![first];
            }
            let all = balance.before(hi) - balance.before(lo);
            Halves { regions: self, balance, most: all.div_ceil(worth.chunks()) }.run(lo, hi, first)
        }
    }
}

/// A loop that is halved.
struct Halves<'a, R, B> {
    regions: &'a R,
    balance: B,
    /// What a chunk may make.
    most: usize,
}

impl<I, A, F, T, B, const N: usize> Halves<'_, Regions<'_, I, A, F, T, N>, B>
where
    I: Isa,
    A: Appender<T, N>,
    F: Fn(usize) -> usize + Sync,
    T: Element,
    B: Balance,
{
    /// # Safety
    /// As for [`append`], of which this is a part.
    unsafe fn run(&self, lo: usize, hi: usize, mut region: Region<N>) -> Vec<Region<N>> {
        // SAFETY: the caller's promise; the halves have no iteration in common.
        unsafe {
            let (before, after) = (self.balance.before(lo), self.balance.before(hi));
            if after - before <= self.most || hi - lo < 2 {
                self.regions.run(&mut region, lo, hi, false);
                return vec![region];
            }
            let middle = cut(self.balance, lo + 1..hi - 1, before + (after - before) / 2);
            // The last region of the first half: it goes on unless another thread has begun the second.
            let open = Mutex::new(None);
            let lock = || open.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut all, rest) = join_context(
                |_| {
                    let mut all = self.run(lo, middle, region);
                    *lock() = all.pop();
                    all
                },
                |context| {
                    // If not, it comes after the first half, on the same thread.
                    let region = if context.migrated() { None } else { lock().take() };
                    self.run(middle, hi, region.unwrap_or_else(|| self.regions.begin(middle)))
                },
            );
            all.extend(lock().take());
            all.extend(rest);
            all
        }
    }
}

/// Moves elements towards the array's beginning, on all threads.
///
/// # Safety
/// Both places are in bounds, the elements are initialised, and nobody else touches any of them.
unsafe fn close<T: Element>(array: Shared<T>, from: usize, to: usize, n: usize) {
    let (gap, threads) = (from - to, current_num_threads());
    if gap == 0 {
        return;
    }
    let piece = n.div_ceil(threads).max(1);
    // SAFETY: the caller's promise.
    unsafe {
        if threads < 2 || n < 2 * PIECE {
            array.shift(from, to, n);
        } else if gap >= piece {
            // What is moved at once does not overlap: it is no longer than the gap.
            for at in (0..n).step_by(gap) {
                in_pieces(at, n.min(at + gap), &|lo, hi| array.shift(from + lo, to + lo, hi - lo));
            }
        } else {
            close_small(array, from, to, n, piece);
        }
    }
}

/// The same where the gap is smaller than a thread's piece: the end of each, which the next one is moved onto, is kept
/// aside first.
///
/// # Safety
/// As for [`close`].
unsafe fn close_small<T: Element>(array: Shared<T>, from: usize, to: usize, n: usize, piece: usize) {
    let gap = from - to;
    // SAFETY: the caller's promise; `piece` is more than `gap`.
    unsafe {
        let ends = (piece..n).step_by(piece);
        let keep = |end| {
            let mut kept = allocated(Buffer::try_with_capacity(gap));
            kept.extend_from_slice(array.part(from + end - gap, from + end));
            kept
        };
        let kept: Vec<Buffer<T>> = ends.map(keep).collect();
        let pieces = kept.len() + 1;
        each(0, pieces, &|k| {
            let (lo, hi) = (k * piece, n.min((k + 1) * piece));
            match kept.get(k) {
                None => array.shift(from + lo, to + lo, hi - lo),
                Some(end) => {
                    array.shift(from + lo, to + lo, hi - lo - gap);
                    array.part(to + hi - gap, to + hi).copy_from_slice(end);
                }
            }
        });
    }
}

/// Calls `f` with parts of a range, at the same time.
fn in_pieces(lo: usize, hi: usize, f: &(impl Fn(usize, usize) + Sync)) {
    if hi - lo < 2 * PIECE {
        return f(lo, hi);
    }
    let middle = lo + (hi - lo) / 2;
    join(|| in_pieces(lo, middle, f), || in_pieces(middle, hi, f));
}

/// Calls `f` with each number of a range, at the same time.
fn each(lo: usize, hi: usize, f: &(impl Fn(usize) + Sync)) {
    if hi - lo < 2 {
        return (lo..hi).for_each(f);
    }
    let middle = lo + (hi - lo) / 2;
    join(|| each(lo, middle, f), || each(middle, hi, f));
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
    use super::super::array::Store;
    use super::*;

    #[test]
    fn gaps_are_closed_in_every_way() {
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for n in [0, 1, 5, 1 << 15, (1 << 16) + 3] {
                for gap in [0, 1, 7, 1 << 12, 1 << 15, 1 << 17] {
                    let to = 11;
                    let mut array = Buffer::full(to + gap + n, -1);
                    array[to + gap..].iter_mut().zip(0..).for_each(|(v, k)| *v = k);
                    let shared = array.shared();
                    // SAFETY: both places are inside the array.
                    pool.install(|| unsafe { close(shared, to + gap, to, n) });
                    assert!(array[..to].iter().all(|v| *v == -1));
                    assert!(
                        array[to..to + n].iter().zip(0..).all(|(v, k)| *v == k),
                        "{n} by {gap} on {threads}"
                    );
                }
            }
        }
    }

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
