//! Why there is nothing that is tuned.

use sparse_core::error::Error;
use sparse_core::format::{Fill, FormatSpec};
use sparse_core::scalar::DType;

/// What keeps [`tune`](super::tune) from a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The kernel's text does not parse, or its statement does not compile.
    #[error("the kernel does not compile: {0}")]
    Kernel(String),
    /// Another number of tensors or scalars than the kernel takes.
    #[error(
        "the kernel takes {expected_tensors} tensors and {expected_scalars} scalars, not {tensors} and {scalars}: \
         pass all of its parameters in order, those that it changes among them, and nothing for what it returns"
    )]
    ArgumentCount {
        /// Tensors that the kernel takes.
        expected_tensors: usize,
        /// Scalars that the kernel takes.
        expected_scalars: usize,
        /// Tensors that were passed.
        tensors: usize,
        /// Scalars that were passed.
        scalars: usize,
    },
    /// A tensor of another format than the kernel declares.
    #[error("`{tensor}` is stored as {}, but the kernel has it as {}: `convert` it", levels(.found), levels(.expected))]
    Format {
        /// The tensor's name in the kernel.
        tensor: String,
        /// The kernel's format.
        expected: Box<FormatSpec>,
        /// The tensor's format.
        found: Box<FormatSpec>,
    },
    /// A tensor or a scalar of another type of elements than the kernel declares.
    #[error("`{name}` is of type {found}, but the kernel has it as {expected}: convert it first")]
    ElementType {
        /// Its name in the kernel.
        name: String,
        /// The kernel's type.
        expected: DType,
        /// Its own.
        found: DType,
    },
    /// The space has no point for this kernel.
    #[error("there is nothing to choose from: {0}")]
    NothingToTune(String),
    /// Every point was dropped: why, the most frequent reasons first.
    #[error("no candidate is left:\n{0}")]
    NothingLeft(String),
    /// The callback stopped the search before any candidate had a time.
    #[error("stopped before a candidate had a time: let one finish, or take the kernel's default schedule")]
    Stopped,
    /// What a device or a tensor reports.
    #[error(transparent)]
    Device(#[from] Error),
}

/// A format in short: its levels, in which order they have the dimensions if it is not theirs, and its fill if it is not zero.
fn levels(spec: &FormatSpec) -> String {
    let levels: Vec<_> = spec.levels.iter().map(ToString::to_string).collect();
    let mut text = format!("({})", levels.join(", "));
    if !spec.map.is_identity() {
        let order: Vec<_> = (0..spec.rank()).map(|l| spec.map.dim_of_level(l).to_string()).collect();
        text += &format!(" in the order ({})", order.join(", "));
    }
    if spec.fill != Fill::Zero {
        text += &format!(" filled with {:?}", spec.fill);
    }
    text
}

/// Shorthand for results of the tuner.
pub type Result<T, E = TuneError> = std::result::Result<T, E>;
