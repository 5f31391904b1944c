//! How many threads: `--threads 1,all`.

use crate::error::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::str::FromStr;

/// A number of threads, or one for each processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// As many as there are processors.
    All,
    /// So many.
    Count(NonZeroUsize),
}

/// To start more takes longer than any measurement, and may not end.
const MOST: usize = 1024;

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "all" => Ok(Threads::All),
            _ => match text.parse::<NonZeroUsize>() {
                Ok(count) if count.get() <= MOST => Ok(Threads::Count(count)),
                _ => Err(format!("write `all`, or a number from 1 to {MOST}")),
            },
        }
    }
}

impl Threads {
    /// The number.
    pub(crate) fn count(self) -> usize {
        match self {
            Threads::All => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            Threads::Count(n) => n.get(),
        }
    }
}

/// A pool of so many threads, apart from all others.
pub(crate) fn pool(count: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(count).build().map_err(Error::Pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads() {
        assert_eq!("3".parse::<Threads>().map(Threads::count), Ok(3));
        assert!("all".parse::<Threads>().unwrap().count() >= 1);
        assert_eq!("1024".parse::<Threads>().map(Threads::count), Ok(MOST));
        for wrong in ["0", "-1", "many", "", "1025", "100000", "99999999999999999999"] {
            let said = wrong.parse::<Threads>().expect_err(wrong);
            assert!(said.ends_with("a number from 1 to 1024"), "{wrong}: {said}");
        }
    }

    #[test]
    fn calls_run_in_the_pool() {
        assert_eq!(pool(2).unwrap().install(rayon::current_num_threads), 2);
    }
}
