//! How much work is worth a second thread, or memory: the numbers that the runtime decides by and `explain()` states.

/// Fewer than two to this power scalar operations stay on the thread that has them. That is 40 to 80 µs of work, and where
/// two threads begin to pay if the second one sleeps: to hand a loop to a pool and to wait for it takes 15 to 20 µs.
pub const WORTH_LOG2: u32 = 17;

/// What threads scatter among each other's elements is worth them from so many times as many elements on: as long as one core's
/// cache holds all of it, lines that pass from one to another take longer than the work. On a processor with 2 MiB of cache a
/// core 2^18 elements of irregular matrices: fewer took 1.3 to 1.7 times as long by two threads, more 0.5 to 0.8 times.
pub const SHARED: usize = 2;

/// So many times a row of an array outside of all loops is read on average, or it is not made: all rows are, read or not, written
/// and read again.
pub const READ: u64 = 2;

/// Where two threads begin to pay if the second one is awake, as between calls that follow each other: 3 to 5 µs of work,
/// and 1 µs to hand it over.
pub const WARM_LOG2: u32 = 13;

/// Arrays by coordinate, of workspaces and tables, are made for a dimension of at most so many. Where it is larger, and formats
/// that store nothing for it are what a matrix so empty has, each element would take pages of memory, and all that is not touched
/// more, where that is limited, than there is.
pub const NEAR: usize = 1 << 26;
