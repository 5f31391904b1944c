//! The pool of threads: rayon's, or without the feature `threads` the thread that calls.
//!
//! What rayon makes of a closure, jobs and three ways to reach a thread, each of which catches what unwinds, would be compiled
//! for each loop of each kernel in its user's crate: two fifths of all that was compiled there. So what runs comes as a trait
//! object, and all that is not of one loop is compiled once, in this crate; to call an object takes less than to take a job.

#[cfg(feature = "threads")]
pub(super) use rayon::current_num_threads;

/// Is this a thread of a pool?
#[cfg(feature = "threads")]
pub(super) fn is_in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Runs both, perhaps at the same time.
#[cfg(feature = "threads")]
pub(super) fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// Runs it on a thread of the pool.
#[cfg(feature = "threads")]
pub(super) fn within(run: &mut (dyn FnMut() + Send)) {
    rayon::scope(|_| run());
}

#[cfg(not(feature = "threads"))]
pub(super) use without::{current_num_threads, is_in_pool, join, within};

/// The same without a pool.
#[cfg(not(feature = "threads"))]
mod without {
    pub fn current_num_threads() -> usize {
        1
    }

    pub fn is_in_pool() -> bool {
        false
    }

    pub fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        a();
        b();
    }

    pub fn within(run: &mut (dyn FnMut() + Send)) {
        run();
    }
}
