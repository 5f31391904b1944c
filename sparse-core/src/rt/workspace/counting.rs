//! Sorting by counting, stable, in parts that are threads': each part counts its own keys, and its elements of a key stand
//! behind those of the parts before it, so that the order is the same in any number of parts.

use super::super::memory::reserve;
use super::super::pool::join;
use super::super::worth::workers;
use super::Number;
use crate::work::SHARED;

/// How many elements have a key, by part; then where the part's next one goes.
#[derive(Debug, Default)]
pub(super) struct Counting<N> {
    counts: Vec<N>,
}

impl<N: Number> Counting<N> {
    /// Gives each of `len` elements its place among them, by `put(element, place)`: those with smaller keys stand before it,
    /// and those with its own in their order. Keys are below `size`. No place is given twice. By key, where they end.
    pub(super) fn place(
        &mut self,
        (len, size): (usize, usize),
        threads: bool,
        key: impl Fn(usize) -> usize + Sync,
        put: impl Fn(usize, usize) + Sync,
    ) -> &[N] {
        if len == 0 {
            return &[];
        }
        let parts = if threads { parts(len, size) } else { 1 };
        let counts = &mut self.counts;
        counts.clear();
        reserve(counts, parts * size);
        counts.resize(parts * size, N::default());
        let of_part = |part: usize| len * part / parts..len * (part + 1) / parts;
        each_part(counts, size, 0, &|part, counts| {
            for n in of_part(part) {
                let count = &mut counts[key(n)];
                *count = N::of(count.at() + 1);
            }
        });
        let mut all = 0;
        for key in 0..size {
            for part in 0..parts {
                let count = &mut counts[part * size + key];
                (*count, all) = (N::of(all), all + count.at());
            }
        }
        each_part(counts, size, 0, &|part, counts| {
            for n in of_part(part) {
                let next = &mut counts[key(n)];
                let at = next.at();
                *next = N::of(at + 1);
                put(n, at);
            }
        });
        &counts[(parts - 1) * size..]
    }
}

/// One of each thread, if there are as many elements as the keys that all parts but the first count besides.
fn parts(len: usize, size: usize) -> usize {
    // Neighbours in the order may be of two threads, which pass the line of a cache to and fro, until one's own no longer holds
    // all of it.
    workers(len / SHARED).min(len / size.max(1) + 1)
}

/// Calls `f` with each part, and its counts of so many keys, on several threads.
fn each_part<N: Number>(counts: &mut [N], size: usize, first: usize, f: &(impl Fn(usize, &mut [N]) + Sync)) {
    let parts = counts.len() / size;
    if parts < 2 {
        return f(first, counts);
    }
    let (before, after) = counts.split_at_mut(parts / 2 * size);
    join(&mut || each_part(before, size, first, f), &mut || each_part(after, size, first + parts / 2, f));
}
