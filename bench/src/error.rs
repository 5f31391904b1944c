//! Why nothing was measured, or not everything.

use std::path::{Path, PathBuf};

/// Shorthand for results of this program.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// What went wrong, in words that say where.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file that is not what its name says, or too large.
    #[error(transparent)]
    Core(#[from] sparse_core::error::Error),
    /// A kernel that the tuner finds no schedule for.
    #[error(transparent)]
    Tune(#[from] sparse_gpu::tune::TuneError),
    /// The operating system refused.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Not a number of seconds.
    #[error("{0} is not a number of seconds")]
    Budget(f64),
    /// The number of a GPU where none takes part.
    #[error("--ordinal is the number of a GPU, and there is one simulator: leave it out")]
    OneSimulator,
    /// No threads to be had.
    #[error("no pool of threads: {0}")]
    Pool(rayon::ThreadPoolBuildError),
    /// A filter that lets nothing through.
    #[error("no input has `{0}` in its name: leave --inputs out to measure all")]
    NoInput(String),
    /// Two inputs that results could not tell apart.
    #[error("{} are both the input `{name}`: rename a file, or move it away", .of.join(" and "))]
    SameName {
        /// The name.
        name: String,
        /// The files.
        of: [String; 2],
    },
    /// Another filter that does.
    #[error("nothing of what was measured is {option} {wanted}: there is {}", .met.join(", "))]
    Nothing {
        /// The option.
        option: &'static str,
        /// What was asked for.
        wanted: String,
        /// What there is.
        met: Vec<String>,
    },
    /// A schedule that the compiler does not take.
    #[error("{kernel} by {point}: {reason}")]
    Refused {
        /// The kernel.
        kernel: &'static str,
        /// The schedule's name.
        point: String,
        /// The compiler's diagnostics.
        reason: String,
    },
    /// Kernels that are compiled for nothing.
    #[error("{0}")]
    NotKept(sparse_gpu::nvrtc::AheadError),
    /// A GPU that nothing more can be measured on.
    #[error("the GPU is lost to this process, after:\n  {list}", list = .0.join("\n  "))]
    Lost(Vec<String>),
    /// A line of a file of times that says nothing.
    #[error("{}:{line}: {reason}", .path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// Why.
        reason: String,
    },
    /// Times that nothing can be fitted on.
    #[error(
        "there is nothing to fit on: no kernel has verified times of two points or more on an input that is there and wanted: \
         take them by `bench gpu --csv FILE`, or see --data and --on"
    )]
    NoTimes,
    /// A picture that could not be drawn.
    #[error("{}: {reason}", .path.display())]
    Plot {
        /// Its file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A result that positions can't count.
    #[error("a result has {0} entries, more than {most}", most = i32::MAX)]
    TooMany(usize),
    /// A mistake of this program.
    #[error("internal error: {0}")]
    Internal(String),
    /// No handler of signals.
    #[error("Ctrl-C can't be waited for: {0}")]
    Interrupt(#[from] interrupt::Error),
    /// Not everything was measured, or compiled.
    #[error("stopped by Ctrl-C: what had begun was finished and is kept, the rest was not begun")]
    Stopped,
    /// Implementations that computed something else.
    #[error("{count} results were wrong:\n  {list}", count = .0.len(), list = .0.join("\n  "))]
    Wrong(Vec<String>),
}

impl Error {
    /// Is a problem too large for arrays, for a launch or for the device's memory? Nothing is wrong then.
    pub(crate) fn is_too_large(&self) -> bool {
        use sparse_core::error::Error as Core;
        let too_large = |e: &Core| {
            matches!(
                e,
                Core::TooManyEntries { .. }
                    | Core::OutOfMemory { .. }
                    | Core::TooLargeForDevice { .. }
                    | Core::OutOfDeviceMemory { .. }
            )
        };
        match self {
            Error::Core(e) | Error::Tune(sparse_gpu::tune::TuneError::Device(e)) => too_large(e),
            Error::TooMany(_) => true,
            _ => false,
        }
    }

    /// Says which file or folder the operating system refused.
    pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        move |error| Error::Io { path: path.to_path_buf(), error }
    }
}
