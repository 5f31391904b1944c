//! What a running program can do wrong. Each of these is a mistake of the compiler.

use crate::scalar::Monoid;
use std::fmt;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An access outside a buffer.
    #[error("`{buffer}[{index}]` is out of bounds: its length is {len}")]
    OutOfBounds {
        /// The buffer's name.
        buffer: String,
        /// The index.
        index: u64,
        /// The buffer's length.
        len: usize,
    },
    /// An element was read, or returned to the caller, that nobody wrote.
    #[error("`{buffer}[{index}]` is read before it is written")]
    Uninitialised {
        /// The buffer's name.
        buffer: String,
        /// The index.
        index: u64,
    },
    /// A growable buffer outgrew what was reserved.
    #[error("`{buffer}` outgrows its capacity of {capacity}")]
    OverCapacity {
        /// The buffer's name.
        buffer: String,
        /// The reserved number of elements.
        capacity: usize,
    },
    /// A search in a range that is not inside the buffer, or upside down.
    #[error("a search in `{buffer}[{lo}..{hi}]` is out of bounds: its length is {len}")]
    SearchRange {
        /// The buffer's name.
        buffer: String,
        /// First position of the range.
        lo: u64,
        /// End of the range.
        hi: u64,
        /// The buffer's length.
        len: usize,
    },
    /// A search in a range that is not sorted.
    #[error("a search in `{buffer}[{lo}..{hi}]`, which is not sorted")]
    Unsorted {
        /// The buffer's name.
        buffer: String,
        /// First position of the range.
        lo: u64,
        /// End of the range.
        hi: u64,
    },
    /// An index element is below zero.
    #[error("`{buffer}[{index}]` is the index {value}")]
    NegativeElement {
        /// The buffer's name.
        buffer: String,
        /// The element's index.
        index: u64,
        /// Its value.
        value: i32,
    },
    /// An index is stored that 32 bits do not hold.
    #[error("the index {value} does not fit an element of `{buffer}`")]
    TooLarge {
        /// The buffer's name.
        buffer: String,
        /// The index.
        value: u64,
    },
    /// An index difference is below zero.
    #[error("the index {left} - {right} is negative")]
    NegativeIndex {
        /// Left operand.
        left: u64,
        /// Right operand.
        right: u64,
    },
    /// An index sum or product leaves 64 bits.
    #[error("an index computed from {left} and {right} overflows")]
    Overflow {
        /// Left operand.
        left: u64,
        /// Right operand.
        right: u64,
    },
    /// An index is divided by zero.
    #[error("the index {left} is divided by zero")]
    DivisionByZero {
        /// Left operand.
        left: u64,
    },
    /// Two iterations of a loop on threads touch the same element, and could see each other do it.
    #[error("two threads race for `{buffer}[{index}]`: {first}, {second}")]
    Race {
        /// The buffer's name.
        buffer: String,
        /// The element's index.
        index: u64,
        /// What one iteration did.
        first: Visit,
        /// What the other does.
        second: Visit,
    },
    /// The program ran longer than it was allowed to.
    #[error("more than {limit} statements were executed")]
    StepLimit {
        /// The allowed number of statements.
        limit: u64,
    },
    /// The machine has no room for a buffer.
    #[error("there is no memory for {len} elements of `{buffer}`")]
    OutOfMemory {
        /// The buffer's name.
        buffer: String,
        /// The asked number of elements.
        len: u64,
    },
}

/// What an iteration does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it, or reads, changes and writes it.
    Write,
    /// Changes it at once.
    Atomic(Monoid),
}

/// An access to an element, by one iteration of a loop on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The iteration: the loop variable's value.
    pub iteration: u64,
    /// What it does.
    pub access: Access,
}

impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iteration {} ", self.iteration)?;
        match self.access {
            Access::Read => f.write_str("reads it"),
            Access::Write => f.write_str("writes it"),
            Access::Atomic(op) => write!(f, "updates it by `{}=`", op.symbol()),
        }
    }
}

/// A fault, and the statement or step at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault} (at {place})")]
pub struct InterpError {
    /// What went wrong.
    pub fault: Fault,
    /// The statement's first line, as the program prints.
    pub place: String,
}
