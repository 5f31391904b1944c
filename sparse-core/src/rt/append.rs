//! Appending on threads to arrays with room for a bound that is known for each iteration.

use super::array::Store;
use super::parts::{Chunks, Done, Lens, Parts, in_order};
use super::shared::Shared;
use super::threads::{Balance, Chunk, Home, Task};
use super::{Isa, MaybeUninit};
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
    // SAFETY: the caller's promise.
    unsafe {
        match Chunks::of(range.clone(), work, balance) {
            Some(chunks) => in_order(&Appending { isa, task, indices, values, before }, chunks, lens),
            None => {
                let indices = std::array::from_fn(|n| indices[n].from(lens.indices[n]));
                let own = task.with(indices, values.from(lens.values));
                let Range { start: lo, end: hi } = range;
                lens.plus(isa.run(&own, Chunk { lo, hi, alone: true, home: &Home::default() }))
            }
        }
    }
}

struct Appending<'a, I, A, F, T, const N: usize> {
    isa: I,
    task: &'a A,
    /// The result's arrays.
    indices: [Shared<i32>; N],
    values: Shared<T>,
    before: F,
}

/// Arrays of a part.
struct Part<T: Element, const N: usize> {
    indices: [Buffer<i32>; N],
    values: Buffer<T>,
}

impl<I, A, F, T, const N: usize> Parts<N> for Appending<'_, I, A, F, T, N>
where
    I: Isa,
    A: Appender<T, N>,
    F: Fn(usize) -> usize + Sync,
    T: Element,
{
    type Part = Part<T, N>;

    fn empty(&self) -> Part<T, N> {
        Part { indices: std::array::from_fn(|_| Buffer::new()), values: Buffer::new() }
    }

    unsafe fn run(&self, part: &mut Part<T, N>, _: Lens<N>, chunk: Chunk<'_>) -> Lens<N> {
        let most = (self.before)(chunk.hi) - (self.before)(chunk.lo);
        let Part { indices, values } = part;
        let own = self.task.with(indices.each_mut().map(|a| room(a, most)), room(values, most));
        // SAFETY: the caller's promise: the iterations append so many elements at most, and say how many.
        unsafe {
            let lens = self.isa.run(&own, chunk);
            indices.iter_mut().zip(lens.indices).for_each(|(array, len)| array.set_len(len));
            values.set_len(lens.values);
            lens
        }
    }

    unsafe fn place(&self, part: &Part<T, N>, begin: Lens<N>, _: Done) {
        // SAFETY: the caller's promise: parts have their own places in the result, which has room for all.
        unsafe {
            for (n, array) in self.indices.iter().enumerate() {
                array.copy(begin.indices[n], &part.indices[n]);
            }
            self.values.copy(begin.values, &part.values);
        }
    }
}

/// Room for so many elements in an array, whatever it held.
fn room<T: Element>(array: &mut Buffer<T>, len: usize) -> Shared<T> {
    array.clear();
    array.reserve(len);
    array.spare_capacity_mut().shared()
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
