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

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "all" => Ok(Threads::All),
            _ => {
                text.parse().map(Threads::Count).map_err(|_| "write `all`, or a number from 1 on".to_string())
            }
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
        for wrong in ["0", "-1", "many", ""] {
            assert!(wrong.parse::<Threads>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn calls_run_in_the_pool() {
        assert_eq!(pool(2).unwrap().install(rayon::current_num_threads), 2);
    }
}
