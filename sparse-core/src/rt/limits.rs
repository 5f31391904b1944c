//! The sizes from which on the runtime does something in another way, and those by which small tests reach all ways.

use super::host::MOST;
use super::streaming::STREAMS;
use crate::work::{NEAR, WARM_LOG2, WORTH_LOG2};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Sizes. Nothing but speed and memory depends on them.
#[derive(Debug)]
pub(super) struct Limits {
    /// Fewer operations stay on one thread if the others may sleep.
    pub(super) worth: usize,
    /// Fewer operations stay on one thread even if the others are awake.
    pub(super) warm: usize,
    /// A chunk has about so many operations at least.
    pub(super) chunk: usize,
    /// The same of a loop that is worth threads that are awake alone.
    pub(super) small_chunk: usize,
    /// So many operations on whole rows take as long as one on a scalar, at most.
    pub(super) lanes: usize,
    /// May a small loop follow so soon on another that it finds the threads awake?
    pub(super) may_be_awake: bool,
    /// To make a copy of what a loop reduces into, and to combine it, costs so many operations an element.
    pub(super) copied: usize,
    /// So many elements of copies are combined at once.
    pub(super) combined: usize,
    /// A result of so many bytes is too large for the caches.
    pub(super) past_caches: usize,
    /// Elements that an array grows to before they are counted.
    pub(super) grown: usize,
    /// Elements that it grows to if no more are expected.
    pub(super) likely: usize,
    /// A workspace has memory for all coordinates of a dimension up to this size, and for those that are written of a larger one.
    pub(super) near: usize,
}

static USUAL: Limits = Limits {
    worth: 1 << WORTH_LOG2,
    warm: 1 << WARM_LOG2,
    chunk: 1 << 14,
    small_chunk: 1 << 12,
    lanes: 8,
    may_be_awake: true,
    copied: 2,
    combined: 1 << 13,
    past_caches: STREAMS,
    grown: 1 << 27,
    likely: MOST,
    near: NEAR,
};

/// Every loop is worth threads, in chunks of one operation, so that small tests race; arrays and dimensions are soon large.
static SMALL: Limits = Limits {
    worth: 1,
    warm: 1,
    chunk: 1,
    small_chunk: 1,
    lanes: 1,
    may_be_awake: false,
    copied: 0,
    combined: 2,
    past_caches: 1,
    grown: 24,
    likely: 48,
    near: 5,
};

static ARE_SMALL: AtomicBool = AtomicBool::new(false);

/// For tests: all that this program computes from now on counts as large, and results are the same.
pub fn use_small_limits() {
    ARE_SMALL.store(true, Relaxed);
}

/// Those that hold.
#[inline]
pub(super) fn limits() -> &'static Limits {
    if ARE_SMALL.load(Relaxed) { &SMALL } else { &USUAL }
}
