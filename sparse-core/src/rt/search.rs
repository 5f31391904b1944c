//! Searching for the first index where something holds that, once true, stays true.

/// The first index of `lo..hi` where it holds, else `hi`, by halving.
#[inline(always)]
pub(super) fn first(mut lo: usize, mut hi: usize, holds: impl Fn(usize) -> bool) -> usize {
    while lo < hi {
        let middle = lo + (hi - lo) / 2;
        if holds(middle) { hi = middle } else { lo = middle + 1 }
    }
    lo
}

/// The same, by steps from `lo` that double, and then between the last two: an index that is not far is found soon, wherever
/// the range ends (Bentley and Yao 1976).
#[inline(always)]
pub(super) fn first_near(mut lo: usize, hi: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut at, mut step) = (lo, 1);
    while at < hi && !holds(at) {
        lo = at + 1;
        at += step;
        step *= 2;
    }
    // `lo` is at most `hi`, and at most `at`.
    first(lo, at.min(hi), holds)
}
