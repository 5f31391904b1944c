//! Appending on threads without a bound: each part grows arrays of its own, which are then copied into a result of the
//! exact size. A loop of one part grows the result's arrays themselves.

use super::append::in_pieces;
use super::grown::{Grown, MOST};
use super::parts::{Lens, Parts, in_parts};
use super::threads::{Balance, Chunk, Task, current_num_threads};
use super::{Isa, Store};
use crate::format::Buffer;
use crate::scalar::Element;
use std::marker::PhantomData;
use std::ops::Range;

/// An array that the iterations of a part have to themselves: an address, not a reference, for the task that holds it is
/// shared.
#[derive(Debug)]
pub struct Own<A>(*mut A);

impl<A> Clone for Own<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Own<A> {}
// SAFETY: it is an address; what is done with it is the promise of each use.
unsafe impl<A: Send> Send for Own<A> {}
// SAFETY: as above.
unsafe impl<A: Send> Sync for Own<A> {}

impl<A> Own<A> {
    /// Of an array.
    pub fn of(array: &mut A) -> Self {
        Own(array)
    }

    /// The array.
    ///
    /// # Safety
    /// It is still there, and nobody else uses it meanwhile.
    #[inline(always)]
    pub unsafe fn get<'a>(self) -> &'a mut A {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0 }
    }
}

/// A [`Task`] that appends to arrays that grow.
pub trait Grower<T: Element, const N: usize>: Task<Appended = ()> + Sized {
    /// The arrays.
    fn arrays(&self) -> ([Own<Grown<i32>>; N], Own<Grown<T>>);

    /// The same task, appending to others.
    fn with(&self, indices: [Own<Grown<i32>>; N], values: Own<Grown<T>>) -> Self;
}

/// Runs a loop that makes about `work` scalar operations, and appends to the task's arrays.
///
/// # Safety
/// As for [`threads`](super::threads()), and nobody else uses the arrays meanwhile.
pub unsafe fn grow<T: Element, const N: usize>(
    isa: impl Isa,
    task: &impl Grower<T, N>,
    range: Range<usize>,
    work: usize,
    balance: impl Balance,
) {
    let (indices, values) = task.arrays();
    // SAFETY: the caller's promise.
    let (mut indices, values) = unsafe { (indices.map(|a| a.get()), values.get()) };
    let most = Lens { indices: indices.each_ref().map(|a| a.most()), values: values.most() };
    let threads = current_num_threads();
    let share = Lens { indices: indices.each_ref().map(|a| a.share(threads)), values: values.share(threads) };
    let first =
        Part { indices: indices.each_mut().map(|a| std::mem::take(*a)), values: std::mem::take(values) };
    let growing = Growing { isa, task, share, part: PhantomData };
    // SAFETY: the caller's promise.
    let mut parts = unsafe { in_parts(&growing, first, range, work, balance) };
    for (n, result) in indices.into_iter().enumerate() {
        let arrays = parts.iter_mut().map(|p| std::mem::take(&mut p.indices[n]));
        *result = gather(arrays.collect(), most.indices[n]);
    }
    *values = gather(parts.into_iter().map(|p| p.values).collect(), most.values);
}

/// Arrays of a part's own.
struct Part<T: Element, const N: usize> {
    indices: [Grown<i32>; N],
    values: Grown<T>,
}

struct Growing<'a, I, G, T: Element, const N: usize> {
    isa: I,
    task: &'a G,
    /// How much a part holds that is not the first.
    share: Lens<N>,
    part: PhantomData<fn() -> Part<T, N>>,
}

impl<I: Isa, G: Grower<T, N>, T: Element, const N: usize> Parts for Growing<'_, I, G, T, N> {
    type Part = Part<T, N>;

    fn begin(&self, _: usize) -> Part<T, N> {
        Part { indices: self.share.indices.map(Grown::up_to), values: Grown::up_to(self.share.values) }
    }

    unsafe fn run(&self, part: &mut Part<T, N>, chunk: Chunk) {
        let own = self.task.with(part.indices.each_mut().map(Own::of), Own::of(&mut part.values));
        // SAFETY: the caller's promise.
        unsafe { self.isa.run(&own, chunk) }
    }
}

/// One array of the elements of all, or their number if they are too many.
fn gather<T: Element>(mut parts: Vec<Grown<T>>, most: usize) -> Grown<T> {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return only;
    }
    let total: usize = parts.iter().map(|p| p.len()).sum();
    if total > MOST || parts.iter().any(|p| p.is_short()) {
        return Grown::with(most, Buffer::new(), total);
    }
    // Positions get one more.
    let mut result = Buffer::with_capacity(total + 1);
    let all = result.spare_capacity_mut().shared();
    let mut begin = 0;
    for part in &parts {
        in_pieces(0, part.len(), &|lo, hi| {
            // SAFETY: pieces of parts have their own places in the result, which has room for all.
            unsafe { all.copy(begin + lo, &part[lo..hi]) }
        });
        begin += part.len();
    }
    // SAFETY: all elements have been written.
    unsafe { result.set_len(total) };
    Grown::with(most.max(total + 1), result, 0)
}
