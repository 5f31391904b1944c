//! Appending on threads without a bound: the result grows as parts are brought to it.

use super::grown::Grown;
use super::isa::Isa;
use super::limits::limits;
use super::nontemporal::Destination;
use super::parts::{Chunks, Done, Lens, Parts, SAMPLE, in_order};
use super::pool::current_num_threads;
use super::shared::Shared;
use super::threads::{Balance, Before, Chunk, Home, Task, cut};
use super::worth::parts;
use crate::scalar::Element;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

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
    // SAFETY: the caller's promise.
    unsafe {
        let before = |i| balance.before(i);
        if work < limits().worth || range.len() < 2 || current_num_threads() < 2 {
            let home = Home::default();
            let run = |lo, hi| isa.run(task, Chunk { lo, hi, alone: true, home: &home });
            return alone(&run, task.arrays(), range, work, &before);
        }
        let run = |indices: [_; N], values, chunk: Chunk<'_>| isa.run(&task.with(indices, values), chunk);
        together(&run, task.arrays(), Chunks::of(range, &before, parts(work)));
    }
}

/// Runs iterations that append to these arrays.
type Run<'a, T, const N: usize> = &'a (dyn Fn([Own<Grown<i32>>; N], Own<Grown<T>>, Chunk<'_>) + Sync);

/// Runs a loop's chunks, which append to the arrays, on the pool's threads.
///
/// # Safety
/// As of [`grow`].
unsafe fn together<T: Element, const N: usize>(
    run: Run<'_, T, N>,
    (indices, values): ([Own<Grown<i32>>; N], Own<Grown<T>>),
    chunks: Chunks<'_>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (mut indices, values) = (indices.map(|a| a.get()), values.get());
        let arrays =
            Part { indices: indices.each_mut().map(|a| std::mem::take(*a)), values: std::mem::take(values) };
        let threads = current_num_threads();
        let growing = Growing {
            run,
            share: arrays.lens(|a| a.share(threads), |a| a.share(threads)),
            short: AtomicBool::new(false),
            result: RwLock::new(Room::of(arrays)),
        };
        let begin = growing.result.read().unwrap_or_else(PoisonError::into_inner).begin;
        let end = in_order(&growing, chunks, begin);
        let short = growing.short.into_inner();
        let Room { arrays, .. } = growing.result.into_inner().unwrap_or_else(PoisonError::into_inner);
        for ((n, to), array) in indices.into_iter().enumerate().zip(arrays.indices) {
            *to = array.with_len(end.indices[n], short);
        }
        *values = arrays.values.with_len(end.values, short);
    }
}

/// The same on this thread. What the first iterations append tells how much room the others need, so that arrays are not
/// moved again and again as they grow.
///
/// # Safety
/// As of [`grow`].
unsafe fn alone<T: Element, const N: usize>(
    run: &dyn Fn(usize, usize),
    (indices, values): ([Own<Grown<i32>>; N], Own<Grown<T>>),
    Range { start: lo, end: hi }: Range<usize>,
    work: usize,
    before: Before<'_>,
) {
    if work < limits().worth || hi.saturating_sub(lo) < SAMPLE {
        return run(lo, hi);
    }
    let (first, end) = (before(lo), before(hi));
    let sample = cut(before, lo + 1..hi, first + (end - first) / SAMPLE);
    run(lo, sample);
    let done = Done { done: before(sample) - first, all: end - first };
    // SAFETY: the caller's promise; nothing runs meanwhile.
    unsafe {
        for array in indices.map(|a| a.get()) {
            array.expect(done.expects(array.len()));
        }
        let values = values.get();
        values.expect(done.expects(values.len()));
    }
    run(sample, hi);
}

/// Arrays of a part, or of the result.
struct Part<T: Element, const N: usize> {
    indices: [Grown<i32>; N],
    values: Grown<T>,
}

impl<T: Element, const N: usize> Part<T, N> {
    /// A number of each.
    fn lens(&self, index: impl Fn(&Grown<i32>) -> usize, value: impl Fn(&Grown<T>) -> usize) -> Lens<N> {
        Lens { indices: self.indices.each_ref().map(index), values: value(&self.values) }
    }
}

/// The result's arrays, and where they are.
struct Room<T: Element, const N: usize> {
    arrays: Part<T, N>,
    indices: [Shared<i32>; N],
    values: Shared<T>,
    /// Lengths before the loop.
    begin: Lens<N>,
}

impl<T: Element, const N: usize> Room<T, N> {
    fn of(mut arrays: Part<T, N>) -> Self {
        let begin = arrays.lens(Grown::len, Grown::len);
        let (indices, values) = (arrays.indices.each_mut().map(Grown::memory), arrays.values.memory());
        Room { arrays, indices, values, begin }
    }

    /// Is there room up to these lengths?
    fn reaches(&self, end: Lens<N>) -> bool {
        let mut indices = self.indices.iter().zip(end.indices);
        indices.all(|(a, end)| end <= a.len()) && end.values <= self.values.len()
    }

    /// Is there to be room, when so much is done?
    fn may_reach(&self, end: Lens<N>, done: Done) -> bool {
        let mut indices = self.arrays.indices.iter().zip(end.indices);
        indices.all(|(a, end)| a.may_reach(end, done)) && self.arrays.values.may_reach(end.values, done)
    }

    fn grow(&mut self, end: Lens<N>, done: Done) {
        for (n, array) in self.arrays.indices.iter_mut().enumerate() {
            self.indices[n] = array.reach(end.indices[n], done);
        }
        self.values = self.arrays.values.reach(end.values, done);
    }
}

struct Growing<'a, T: Element, const N: usize> {
    run: Run<'a, T, N>,
    /// How much the parts hold that a thread has.
    share: Lens<N>,
    /// Does a part, or the result, lack elements that were counted?
    short: AtomicBool,
    /// Parts are copied into it by those who read this lock, at the same time.
    result: RwLock<Room<T, N>>,
}

impl<T: Element, const N: usize> Parts<N> for Growing<'_, T, N> {
    type Part = Part<T, N>;

    fn empty(&self) -> Part<T, N> {
        Part { indices: std::array::from_fn(|_| Grown::new()), values: Grown::new() }
    }

    unsafe fn run(&self, part: &mut Part<T, N>, held: Lens<N>, chunk: Chunk<'_>) -> Lens<N> {
        for (n, array) in part.indices.iter_mut().enumerate() {
            array.clear(self.share.indices[n].saturating_sub(held.indices[n]));
        }
        part.values.clear(self.share.values.saturating_sub(held.values));
        (self.run)(part.indices.each_mut().map(Own::of), Own::of(&mut part.values), chunk);
        if part.indices.iter().any(Grown::is_short) || part.values.is_short() {
            self.short.store(true, Ordering::Relaxed);
        }
        part.lens(Grown::len, Grown::len)
    }

    unsafe fn place(&self, part: &Part<T, N>, begin: Lens<N>, done: Done) {
        let end = begin.plus(part.lens(Grown::len, Grown::len));
        let mut room = self.result.read().unwrap_or_else(PoisonError::into_inner);
        if !room.reaches(end) && room.may_reach(end, done) {
            drop(room);
            self.result.write().unwrap_or_else(PoisonError::into_inner).grow(end, done);
            room = self.result.read().unwrap_or_else(PoisonError::into_inner);
        }
        if !room.reaches(end) {
            // What has no place in the result stays away, wherever later parts have theirs.
            return self.short.store(true, Ordering::Relaxed);
        }
        // SAFETY: parts have their own places in the result, which is where it is as long as it is read.
        unsafe {
            let destination = Destination::of(&room.indices, &room.values);
            for (n, array) in room.indices.iter().enumerate() {
                array.copy(begin.indices[n], &part.indices[n], destination);
            }
            room.values.copy(begin.values, &part.values, destination);
        }
    }
}
