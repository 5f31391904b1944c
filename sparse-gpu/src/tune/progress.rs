//! What the search tells while it goes on.

use super::limits::Dropped;
use super::tunable::Choice;
use std::path::PathBuf;
use std::time::Duration;

/// A step of the search. What the callback answers decides whether it goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A result from before is used.
    Remembered {
        /// The file.
        file: PathBuf,
    },
    /// A file does not hold a result: it is ignored, and written anew.
    Ignored {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The result could not be written; the search's result is not touched by it.
    NotRemembered {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// Candidates are ranked, and the best will get a time.
    Ranked {
        /// Candidates of the space.
        candidates: usize,
        /// Those that no constraint drops.
        kept: usize,
        /// Those that get a time.
        finalists: usize,
    },
    /// The next finalist.
    Trying {
        /// Its number, from 0.
        at: usize,
        /// Its schedule.
        choice: Choice,
    },
    /// It has a time.
    Timed {
        /// Its number, from 0.
        at: usize,
        /// Its schedule.
        choice: Choice,
        /// Its time; whether measured or predicted, the result's type says.
        time: Duration,
    },
    /// It gets no time.
    Dropped {
        /// Its schedule.
        choice: Choice,
        /// Why.
        why: Dropped,
    },
}
