//! What a running program can do wrong. Each of these is a mistake of the compiler.

use crate::llir::Scope;
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
    /// What is assembled has more entries than positions can count: no mistake of the compiler, unlike the others.
    #[error("the result has more entries than 32-bit positions can count")]
    TooManyEntries,
    /// A level that stores one entry for each parent does not get that, from these coordinates of entries, a column a level:
    /// no mistake of the compiler either.
    #[error("a parent has no entry, or several, at a level that stores one")]
    NotOneEntry {
        /// Coordinates by entry.
        columns: Vec<Vec<i32>>,
    },
    /// An entry exceeds the bound that the host has been given for it.
    #[error("`{buffer}` has {entries}, and its bound is {most}")]
    OverBound {
        /// The buffer's name.
        buffer: String,
        /// The entry.
        entries: u64,
        /// The bound.
        most: u64,
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
    /// Several elements are accessed at once at an index that is not a multiple of their number.
    #[error("`{buffer}[{index}]` is not aligned for {elements} elements at once")]
    Misaligned {
        /// The buffer's name.
        buffer: String,
        /// The first element's index.
        index: u64,
        /// How many elements.
        elements: u64,
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
    /// Two threads of a grid touch the same element, no barrier between them, and could see each other do it.
    #[error("a conflict at `{buffer}[{index}]`: {first}, {second}")]
    Conflict {
        /// The buffer's name.
        buffer: String,
        /// The element's index.
        index: u64,
        /// What one thread did.
        first: Touch,
        /// What the other does.
        second: Touch,
    },
    /// Lanes do something together, and one of those that it names does not arrive.
    #[error("a shuffle from an absent lane: thread {thread} {}", if *.left { "has left" } else { "is elsewhere" })]
    AbsentLane {
        /// The number of the thread in its block.
        thread: u32,
        /// Has it left the kernel, or is it in another branch?
        left: bool,
    },
    /// Some threads wait at a barrier that another one does not come to.
    #[error("{} in divergent flow: thread {thread} does not arrive", barrier_of(*.scope))]
    DivergentBarrier {
        /// Whose barrier.
        scope: Scope,
        /// The number in its block of the thread that does not arrive.
        thread: u32,
    },
    /// Keys of segments decrease along the lanes.
    #[error("the keys of segments decrease from {before} to {after}")]
    DecreasingKeys {
        /// A lane's key.
        before: u64,
        /// A later lane's.
        after: u64,
    },
    /// Lanes that reduce into one element name two.
    #[error("lanes that reduce into one element of `{buffer}` name the elements {first} and {second}")]
    ElementsDiffer {
        /// The buffer's name.
        buffer: String,
        /// A lane's index.
        first: u64,
        /// Another lane's.
        second: u64,
    },
    /// A lane has a value for an element, but the lane that writes for it does not.
    #[error(
        "the value of `{buffer}[{index}]` is lost: lane {writer} of the warp, which has to write it, does not"
    )]
    LostValue {
        /// The buffer's name.
        buffer: String,
        /// The lane's index.
        index: u64,
        /// The lane that should write.
        writer: u32,
    },
    /// A grid has more blocks than a device takes.
    #[error("a grid of {blocks} blocks in dimension {axis}")]
    GridTooLarge {
        /// The dimension, from 0.
        axis: usize,
        /// How many blocks.
        blocks: u64,
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
    /// Changes it at once where nothing is there.
    Claim,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Read => f.write_str("reads it"),
            Access::Write => f.write_str("writes it"),
            Access::Atomic(op) => write!(f, "updates it by `{}=`", op.symbol()),
            Access::Claim => f.write_str("claims it"),
        }
    }
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
        write!(f, "iteration {} {}", self.iteration, self.access)
    }
}

/// Whose access to an element of a grid's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A thread's.
    Thread {
        /// The block's number, x first.
        block: u64,
        /// The thread's number in its block.
        thread: u32,
    },
    /// Another thread's, of the same warp, block or grid as the one that it is in conflict with.
    Another,
}

/// An access to an element, by a thread of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Whose.
    pub by: Party,
    /// What it does.
    pub access: Access,
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            Party::Thread { block, thread } => write!(f, "thread {thread} of block {block} {}", self.access),
            Party::Another => write!(f, "another thread {}", self.access),
        }
    }
}

fn barrier_of(scope: Scope) -> String {
    match scope {
        Scope::Block => "a block barrier".to_owned(),
        Scope::WARP => "a warp barrier".to_owned(),
        Scope::Group(size) => format!("a barrier of {size} lanes"),
    }
}

/// A thread of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridThread {
    /// The launch's name.
    pub kernel: String,
    /// The block's number in x, y and z.
    pub block: [u64; 3],
    /// The thread's number in its block.
    pub thread: u32,
}

impl fmt::Display for GridThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        write!(f, " in `{}`, block {x}", self.kernel)?;
        if y > 0 || z > 0 {
            write!(f, ", {y}, {z}")?;
        }
        write!(f, ", thread {}", self.thread)
    }
}

/// A fault, and the statement or step at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault} (at {place}{})", .thread.as_ref().map_or(String::new(), |t| t.to_string()))]
pub struct InterpError {
    /// What went wrong.
    pub fault: Fault,
    /// The statement's first line, as the program prints.
    pub place: String,
    /// The thread of a launch that it happened to.
    pub thread: Option<Box<GridThread>>,
}
