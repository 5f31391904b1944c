//! What a program does on the host, in order.

use super::{Axis, Block, BufferId, Expr, Launch, VarId};
#[cfg(doc)]
use super::{MOST, Space};
use crate::format::TensorId;
use crate::scalar::Value;

/// A number that stands for the lengths of fibers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fibers {
    /// Of the longest.
    Longest,
    /// The sum of the squares of all.
    Squares,
}

impl Fibers {
    /// Its name, as in the textual LLIR.
    pub const fn name(self) -> &'static str {
        match self {
            Fibers::Longest => "longest",
            Fibers::Squares => "squares",
        }
    }
}

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
    /// Declares a number that an entry which launches wrote does not exceed: a bound, if that is no more than so many, or else
    /// the entry, as [`Step::Read`] does. So the host waits only where it would have to make room for more.
    AtMost {
        /// Declared for the steps after this one, an index.
        var: VarId,
        /// The bound: as a size in a host step.
        most: Expr,
        /// How large it may be.
        within: u64,
        /// Buffer with the number, in [`Space::Output`].
        buffer: BufferId,
        /// Index of the element, as a size in a host step.
        index: Expr,
    },
    /// Declares how long the fibers of an argument are, if the host knows that without waiting; if it does not, a number that is
    /// larger than that can be.
    Fibers {
        /// Declared for the steps after this one, an index.
        var: VarId,
        /// An argument.
        tensor: TensorId,
        /// A fiber's length is the number of entries below a position of so many first levels.
        depth: usize,
        /// What of their lengths.
        what: Fibers,
    },
    /// Declares a size that several steps need.
    Let {
        /// Declared for the steps after this one, an index.
        var: VarId,
        /// As a size in a host step.
        value: Expr,
    },
    /// Waits for how many parents launches have found with no entry, or with several, at a level that stores one for each. If
    /// there are any the program ends with an error, which names the first: the coordinates of all entries tell it.
    Fits {
        /// One element, in [`Space::Output`].
        misfits: BufferId,
        /// By level of the result, a coordinate an entry, in the order of the levels.
        columns: Vec<BufferId>,
        /// How many entries these have, as a size in a host step; there may be room for more.
        len: Expr,
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

/// The sizes of a step, read or changed.
macro_rules! sizes {
    ($step:expr, $iter:ident) => {
        match $step {
            Step::Allocate { len: size, .. }
            | Step::Reserve { capacity: Some(size), .. }
            | Step::Read { index: size, .. }
            | Step::Let { value: size, .. }
            | Step::Fits { len: size, .. } => vec![size],
            Step::AtMost { most, index, .. } => vec![most, index],
            Step::Launch(launch) => launch.grid.$iter().map(|Axis { blocks, .. }| blocks).collect(),
            Step::Reserve { capacity: None, .. } | Step::Fibers { .. } | Step::Fill { .. } | Step::Run(_) => {
                vec![]
            }
        }
    };
}

impl Step {
    /// May it come between two launches of which the second follows the first ([`Launch::follows`])? It gives a device nothing
    /// to do; but for [`Step::AtMost`] where the bound is too large: then the host waits for it, and nothing is early.
    pub fn between(&self) -> bool {
        match self {
            Step::Allocate { init, .. } => init.is_none(),
            Step::AtMost { .. } | Step::Fibers { .. } | Step::Let { .. } => true,
            Step::Reserve { .. }
            | Step::Read { .. }
            | Step::Fits { .. }
            | Step::Fill { .. }
            | Step::Run(_)
            | Step::Launch(_) => false,
        }
    }

    /// The variable that the host knows after it.
    pub fn declared(&self) -> Option<VarId> {
        match self {
            Step::Read { var, .. }
            | Step::AtMost { var, .. }
            | Step::Fibers { var, .. }
            | Step::Let { var, .. } => Some(*var),
            _ => None,
        }
    }

    /// The sizes that the host computes for it.
    pub fn sizes(&self) -> Vec<&Expr> {
        sizes!(self, iter)
    }

    /// [`Step::sizes`], to be changed.
    pub fn sizes_mut(&mut self) -> Vec<&mut Expr> {
        sizes!(self, iter_mut)
    }

    /// The code that the step runs.
    pub fn code(&self) -> Option<&Block> {
        match self {
            Step::Run(block) | Step::Launch(Launch { body: block, .. }) => Some(block),
            Step::Allocate { .. }
            | Step::Reserve { .. }
            | Step::Read { .. }
            | Step::AtMost { .. }
            | Step::Fibers { .. }
            | Step::Let { .. }
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
            | Step::AtMost { .. }
            | Step::Fibers { .. }
            | Step::Let { .. }
            | Step::Fits { .. }
            | Step::Fill { .. } => None,
        }
    }
}
