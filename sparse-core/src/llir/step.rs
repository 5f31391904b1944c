//! What a program does on the host, in order.

use super::{Block, BufferId, Expr, Launch, VarId};
#[cfg(doc)]
use super::{MOST, Space};
use crate::scalar::Value;

/// A host step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Allocates an output buffer of `len` elements, filled with `init`, or not initialised where every element is
    /// provably written before it is read.
    Allocate {
        /// Allocated buffer, in [`Space::Output`].
        buffer: BufferId,
        /// Number of elements: an expression over parameters, what was read back, and loads from input `pos` arrays.
        len: Expr,
        /// First value of each element (of `Elem::Index` buffers: an `I32` value).
        init: Option<Value>,
    },
    /// Reserves room in an empty growable buffer.
    Reserve {
        /// Grown buffer, in [`Space::Growable`].
        buffer: BufferId,
        /// Upper bound of the final length; `None` where none is known and the buffer grows as it must.
        capacity: Option<Expr>,
        /// Is the bound the final length? More than positions can count is then an error before anything runs.
        exact: bool,
    },
    /// Reads a number of entries back from an array that launches wrote, and waits for them. If it is [`MOST`], where
    /// counts stop, the program ends: an error of the call.
    Read {
        /// Declared for the steps after this one, an index.
        var: VarId,
        /// Read buffer, in [`Space::Output`].
        buffer: BufferId,
        /// Index of the element, as a size in a host step.
        index: Expr,
    },
    /// Waits for how many parents launches have found with no entry, or with several, at a level that stores one for each. If
    /// there are any the program ends with an error, which names the first: the coordinates of all entries tell it.
    Fits {
        /// One element, in [`Space::Output`].
        misfits: BufferId,
        /// By level of the result, a coordinate an entry, in the order of the levels.
        columns: Vec<BufferId>,
    },
    /// Overwrites a whole buffer (an in-place output that a kernel initialises).
    Fill {
        /// Filled buffer.
        buffer: BufferId,
        /// Its value.
        value: Value,
    },
    /// Runs code on the host.
    Run(Block),
    /// Runs code on a GPU.
    Launch(Launch),
}

impl Step {
    /// The code that the step runs.
    pub fn code(&self) -> Option<&Block> {
        match self {
            Step::Run(block) | Step::Launch(Launch { body: block, .. }) => Some(block),
            Step::Allocate { .. }
            | Step::Reserve { .. }
            | Step::Read { .. }
            | Step::Fits { .. }
            | Step::Fill { .. } => None,
        }
    }

    /// [`Step::code`], to be changed.
    pub fn code_mut(&mut self) -> Option<&mut Block> {
        match self {
            Step::Run(block) | Step::Launch(Launch { body: block, .. }) => Some(block),
            Step::Allocate { .. }
            | Step::Reserve { .. }
            | Step::Read { .. }
            | Step::Fits { .. }
            | Step::Fill { .. } => None,
        }
    }
}
