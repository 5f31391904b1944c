//! How much work is worth a second thread: the numbers that the runtime decides by and `explain()` states.

/// Fewer than two to this power scalar operations stay on the thread that has them. That is 40 to 80 µs of work, and where
/// two threads begin to pay if the second one sleeps: to hand a loop to a pool and to wait for it takes 15 to 20 µs.
pub const WORTH_LOG2: u32 = 17;

/// Where two threads begin to pay if the second one is awake, as between calls that follow each other: 3 to 5 µs of work,
/// and 1 µs to hand it over.
pub const WARM_LOG2: u32 = 13;
