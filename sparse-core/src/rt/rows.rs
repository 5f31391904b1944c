//! What the rows of a level are like, whose entries a kernel sums.
//!
//! The end of a row is a branch. Where rows are of any length it is mispredicted, and to read over the end of each takes
//! less time (SpMV on random rows of 3 to 12 entries: 0.65 to 0.9 of the time on Zen 3). Rows of a stencil or a band are
//! as long as the ones before them, so that their ends are foreseen: to read what does not count is for nothing there.

use super::streaming::too_large;
use super::{Float, Isa, Level};

/// So many rows, from all over the level, are compared with the next one.
const SAMPLES: usize = 32;
/// So many of them have to be as long.
const EQUAL: usize = 24;
/// Rows that are alike are summed by fours from so many entries on; shorter ones, one by one.
const LONG: usize = 10;

/// Rows of fewer entries than these gain nothing by being alike: there is no loop to unroll. (TTV on fibers of one entry or
/// two: 0.7 of the time if they are not taken to be.)
const SHORTEST: usize = 3;

/// What the rows of a level are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// Too many entries for the caches.
    Streamed,
    /// Most are as long as the row before.
    Alike,
    /// Of any length.
    Irregular,
}

impl Rows {
    /// What the rows of a level are like, by a look at a few of them.
    #[inline]
    pub fn of<T>(pos: &[i32], crd: &[i32], vals: &[T]) -> Self {
        if too_large(crd, vals) {
            Rows::Streamed
        } else if alike(pos) {
            Rows::Alike
        } else {
            Rows::Irregular
        }
    }
}

fn alike(pos: &[i32]) -> bool {
    let step = pos.len().saturating_sub(2) / SAMPLES;
    let entries = pos.last().map_or(0, |last| (last - pos[0]) as usize);
    if entries < SHORTEST * pos.len() {
        return false;
    }
    let equal = |n: usize| pos[n * step + 1] - pos[n * step] == pos[n * step + 2] - pos[n * step + 1];
    step > 0 && (0..SAMPLES).filter(|n| equal(*n)).count() >= EQUAL
}

/// An instruction set, for a kernel whose rows are [alike](Rows::Alike).
#[derive(Clone, Copy, Debug)]
pub struct Alike<I>(pub I);

// SAFETY: it holds a marker of the instruction set, all of which is that marker's.
unsafe impl<I: Isa> Isa for Alike<I> {
    const LEVEL: Level = I::LEVEL;
    const FMA: bool = I::FMA;
    const TILE: u64 = I::TILE;
    type Vector<T: Float> = I::Vector<T>;
    type Quad<T: Float> = I::Quad<T>;

    #[inline(always)]
    fn in_fours(self, pos: &[i32], crd: &[i32]) -> bool {
        LONG * pos.len() <= crd.len()
    }

    #[inline(always)]
    fn over_the_end(self) -> bool {
        false
    }

    #[inline(always)]
    fn to_the_end(self) {}

    // The compiler may unroll the loop.
    #[inline(always)]
    fn first_entry(self, position: usize) -> usize {
        position
    }

    #[inline(always)]
    fn next_entry(self, position: usize) -> usize {
        position + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions of rows of these lengths.
    fn pos(lengths: impl IntoIterator<Item = i32>) -> Vec<i32> {
        let mut sum = 0;
        [0].into_iter().chain(lengths.into_iter().map(|n| (sum += n, sum).1)).collect()
    }

    #[test]
    fn rows_are_told_by_their_lengths() {
        let of = |pos: &[i32]| Rows::of(pos, &[], &[0.0_f32; 0]);
        assert_eq!(of(&[0]), Rows::Irregular);
        assert_eq!(of(&[]), Rows::Irregular);
        assert_eq!(of(&pos([5; 20])), Rows::Irregular, "too few to tell");
        assert_eq!(of(&pos([5; 33])), Rows::Alike);
        // A stencil on a grid of 20 by 20: rows at its edges are shorter.
        let edge = |n: usize| i32::from(n == 0 || n == 19);
        assert_eq!(of(&pos((0..400).map(|n| 5 - edge(n / 20) - edge(n % 20)))), Rows::Alike);
        assert_eq!(of(&pos((0..400).map(|n| n * 7 % 10))), Rows::Irregular);
        assert_eq!(of(&pos([1; 400])), Rows::Irregular, "too short");
        let entries = vec![0; 4 << 20];
        assert_eq!(Rows::of(&pos([5; 33]), &entries, &entries), Rows::Streamed);
    }
}
