//! LLIR: the structured, typed, low-level program that every back end reads.
//!
//! A [`Program`] is host steps around straight code: allocate, fill, run. Its code is blocks of [`Stmt`] over typed
//! [`Expr`]; there is no target text in it. Types are three: *index* (positions, coordinates, sizes: non-negative
//! integers, i32 in memory and machine-word wide in registers), *scalar* (an element type) and *condition*.
//! Evaluation is strict and left to right, except that `And`, `Or` and `Select` evaluate only what they need (a load
//! in the untaken branch does not happen). Index subtraction that would go below zero is an error of the lowering.
//!
//! A program's code runs on the host ([`Step::Run`]) or on a GPU ([`Step::Launch`], [`kernel`]).
//!
//! A variable is declared once ([`Stmt::Let`] for constants, [`Stmt::Mut`] for the rest), scoped to the block that
//! declares it, and visible in nested blocks. Buffers are declared by the program, never alias each other, and are
//! read and written in bounds.

pub mod align;
pub mod build;
pub mod kernel;
pub mod print;
mod program;
mod race;
#[cfg(test)]
pub(crate) mod samples;
pub mod simplify;
pub mod uniform;
pub mod verify;
pub mod walk;

pub use crate::format::TensorId;
pub use crate::format::WorkspaceFormat;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
pub use kernel::{Arrive, Axis, Carry, Collective, Counted, Group, Launch, Neighbour, Scope, Sole, Write};
pub use program::{Extent, Program, Promise, Role, Tensor};
pub use race::IgnoredRace;
pub use verify::Verified;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the program's table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(
    /// A variable of a [`Program`].
    VarId
);
id!(
    /// A buffer of a [`Program`].
    BufferId
);
id!(
    /// A workspace of a [`Program`].
    WorkspaceId
);

/// Type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Position, coordinate or size: a non-negative integer.
    Index,
    /// A tensor's element.
    Scalar(DType),
    /// A truth value of control flow (not a `bool` element).
    Cond,
    /// Segments of equal keys among the lanes of a group ([`Collective::Segments`]).
    Segments,
}

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Unique in the program; an identifier in every target.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A value that the caller passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Param {
    /// Size of the dimension stored at a level of a tensor: `A1_dim`.
    Dim {
        /// The variable that holds it.
        var: VarId,
        /// The tensor.
        tensor: TensorId,
        /// The level, from the root, counted from 0.
        level: usize,
    },
    /// A scalar parameter of the kernel.
    Scalar {
        /// The variable that holds it.
        var: VarId,
        /// Its number among the kernel's scalar parameters.
        index: usize,
    },
}

/// Element type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// i32 in memory, [`Ty::Index`] when loaded.
    Index,
    /// A scalar.
    Scalar(DType),
}

impl Elem {
    /// Type of a loaded element.
    pub fn ty(self) -> Ty {
        match self {
            Elem::Index => Ty::Index,
            Elem::Scalar(t) => Ty::Scalar(t),
        }
    }
}

/// Which array of which tensor a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Array {
    /// `A2_pos`: positions of a level (counted from 0 here, from 1 in the name).
    Pos(TensorId, usize),
    /// `A2_crd`: coordinates of a level.
    Crd(TensorId, usize),
    /// `A_vals`: values.
    Vals(TensorId),
    /// Belongs to no tensor: a workspace.
    Local,
}

/// Where a buffer lives and who may write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The caller's, read-only.
    Input,
    /// The caller's, read and written in place (`&mut` output).
    InOut,
    /// Allocated by a [`Step::Allocate`] with its final length; part of the result, or gone after the call.
    Output,
    /// Allocated by a [`Step::Reserve`], grown by [`Stmt::Append`] and [`Stmt::AppendN`]; part of the result.
    Growable,
    /// A fixed-size array meant for registers, declared by [`Stmt::Local`].
    Register {
        /// Its constant length.
        len: u32,
    },
    /// A heap array declared by [`Stmt::Alloc`] and gone at the end of its block: a workspace.
    Scratch,
    /// What a [`Stmt::Gather`] lists of a [`Workspace`], up to the end of its block; read-only.
    Gathered,
    /// An array that the threads of a GPU's block share, declared by its [`Launch`].
    Shared {
        /// Its constant length.
        len: u32,
    },
}

/// A declared buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Unique in the program: `A2_pos`, `A2_crd`, `A_vals`.
    pub name: String,
    /// Element type.
    pub elem: Elem,
    /// Where it lives.
    pub space: Space,
    /// Which array of which tensor it is.
    pub array: Array,
}

/// A sparse workspace (a sparse accumulator, *SPA*): elements are scattered into it in any order, and gathered in the
/// order of their coordinates. Each thread that uses it has its own, empty when the program begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Unique in the program, as a buffer's.
    pub name: String,
    /// How elements are found again.
    pub format: WorkspaceFormat,
    /// Size of each dimension: expressions of parameters.
    pub dims: Vec<Expr>,
    /// How values of one element are combined; none where an element is scattered once, or the last one counts.
    pub op: Option<Monoid>,
    /// An element's value before the first is combined with it.
    pub init: Value,
    /// By dimension, the coordinates that were gathered.
    pub crd: Vec<BufferId>,
    /// The values that were gathered.
    pub vals: BufferId,
}

/// Arithmetic on indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexOp {
    /// Sum.
    Add,
    /// Difference; never negative in a correct program.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded down; the divisor is not zero.
    Div,
    /// Remainder.
    Rem,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Sum of counts, at most [`MOST`]: a count that large is of too many, whatever is added to it.
    Count,
    /// Exclusive or of the bits.
    Xor,
}

/// The largest position: what counts of entries stop at.
pub const MOST: u64 = i32::MAX as u64;

/// Comparison of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
}

/// Which end of a run of equal keys a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// First position whose element is not below the key.
    Lower,
    /// First position whose element is above the key.
    Upper,
}

/// A typed expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An index constant.
    Index(u64),
    /// A scalar constant.
    Lit(Value),
    /// A condition constant.
    Cond(bool),
    /// A variable.
    Var(VarId),
    /// `buffer[index]`
    Load {
        /// Read buffer.
        buffer: BufferId,
        /// Index of the element.
        index: Box<Expr>,
    },
    /// Current length of a growable buffer or of a gathered one; in sizes of host steps, that of an input.
    Len(BufferId),
    /// Index arithmetic.
    IndexOp(IndexOp, Box<Expr>, Box<Expr>),
    /// Index comparison, a condition.
    Cmp(Cmp, Box<Expr>, Box<Expr>),
    /// A condition of the host's processor: do its vector registers hold a tile of so many bytes, and what a loop over it
    /// needs besides? Either answer is right, the other one is slow.
    Fits(u64),
    /// Short-circuit conjunction of conditions.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit disjunction of conditions.
    Or(Box<Expr>, Box<Expr>),
    /// Negation of a condition.
    Not(Box<Expr>),
    /// A binary operator on scalars of one type, which is the result's too.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A unary operator on a scalar.
    Unary(UnaryOp, Box<Expr>),
    /// An index converted to a scalar type.
    FromIndex(DType, Box<Expr>),
    /// `if cond { a } else { b }`, lazily; both of one type, index or scalar.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Binary search in `buffer[lo..hi]`, which is sorted: a position in `lo..=hi`.
    Search {
        /// Lower or upper bound.
        bound: Bound,
        /// An index buffer.
        buffer: BufferId,
        /// First position of the range.
        lo: Box<Expr>,
        /// End of the range.
        hi: Box<Expr>,
        /// Searched coordinate.
        key: Box<Expr>,
    },
}

/// How a loop's iterations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// One after another.
    Serial,
    /// One after another, this many copies of the body in a row.
    Unroll(u32),
    /// Independent iterations with a constant trip count, meant for vector lanes.
    Lanes,
    /// The only value carried between iterations is `var`, updated by `var op= …` ([`Stmt::Update`]) once an
    /// iteration at the body's top level; the updates may be reassociated over partial sums.
    Reduce {
        /// The accumulator, declared by [`Stmt::Mut`] outside the loop.
        var: VarId,
        /// How it accumulates.
        op: Monoid,
    },
    /// The same for a register array: an iteration's only effect is one loop over lanes, at the body's top level,
    /// that updates each element with `buffer[lane] op= …` ([`Stmt::Reduce`]); the updates may be reassociated over
    /// several arrays.
    ReduceArray {
        /// The accumulators, declared by [`Stmt::Local`] outside the loop.
        buffer: BufferId,
        /// How they accumulate.
        op: Monoid,
    },
}

/// What the body of a loop on threads appends to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appends {
    /// Growable buffers: of indices, and one of values, which is the last.
    pub buffers: Vec<BufferId>,
    /// An expression of the loop's variable: the iterations from `a` on and before `b` append to each buffer at most
    /// `before(b) - before(a)` elements. Defined for all of `lo..=hi`, and not decreasing. None: not known.
    pub before: Option<Expr>,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Declares a constant.
    Let {
        /// Declared variable.
        var: VarId,
        /// Its value.
        value: Expr,
    },
    /// Declares a variable that [`Stmt::Assign`] and [`Stmt::Update`] may change.
    Mut {
        /// Declared variable.
        var: VarId,
        /// Its first value.
        value: Expr,
    },
    /// `var = value`
    Assign {
        /// Changed variable.
        var: VarId,
        /// New value.
        value: Expr,
    },
    /// `var op= value` on a scalar variable.
    Update {
        /// Changed variable.
        var: VarId,
        /// How it is combined.
        op: Monoid,
        /// Right operand.
        value: Expr,
    },
    /// `buffer[index] = value`
    Store {
        /// Written buffer.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// New value.
        value: Expr,
    },
    /// `buffer[index] op= value`
    Reduce {
        /// Written buffer.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// How it is combined.
        op: Monoid,
        /// Right operand.
        value: Expr,
    },
    /// Pushes one element on a growable buffer.
    Append {
        /// Grown buffer.
        buffer: BufferId,
        /// Pushed value.
        value: Expr,
    },
    /// Pushes `count` copies on a growable buffer.
    AppendN {
        /// Grown buffer.
        buffer: BufferId,
        /// How many.
        count: Expr,
        /// Pushed value.
        value: Expr,
    },
    /// Declares a register array, every element set to `init`.
    Local {
        /// Declared buffer, in [`Space::Register`].
        buffer: BufferId,
        /// First value of each element.
        init: Value,
    },
    /// `to[0..c] = buffer[index..index + c]` by one access, c the length of the register array; in a [`Launch`] alone.
    /// The index is a multiple of c ([`align`]), and c elements have 16 bytes at most.
    LoadVector {
        /// Written buffer, in [`Space::Register`].
        to: BufferId,
        /// Read buffer.
        buffer: BufferId,
        /// Index of the first element.
        index: Expr,
    },
    /// `buffer[index..index + c] = from[0..c]` by one access, under the same conditions.
    StoreVector {
        /// Written buffer.
        buffer: BufferId,
        /// Index of the first element.
        index: Expr,
        /// Read buffer, in [`Space::Register`].
        from: BufferId,
    },
    /// Declares a heap array of `len` elements, every element set to `init`.
    Alloc {
        /// Declared buffer, in [`Space::Scratch`].
        buffer: BufferId,
        /// Number of elements.
        len: Expr,
        /// First value of each element.
        init: Value,
    },
    /// `workspace[at] op= value`
    Scatter {
        /// Written workspace.
        workspace: WorkspaceId,
        /// By dimension, the element's coordinates.
        at: Vec<Expr>,
        /// The value.
        value: Expr,
    },
    /// Moves what a workspace holds, each element once, into its arrays, in the order of coordinates, the first dimension's
    /// first. They can be read up to the end of the block, or to the next statement of it that scatters.
    Gather(WorkspaceId),
    /// `buffer[index] op= value`, whole also if other threads do the same; in a [`Stmt::Threads`] or a [`Launch`] alone.
    Atomic {
        /// Written buffer.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// How it is combined.
        op: Monoid,
        /// Right operand.
        value: Expr,
    },
    /// `var = buffer[index]`, and where that was [`MOST`], which is nothing's number, `buffer[index] = value`: both as one
    /// step, whole also if other threads do the same; in a [`Launch`] alone. Who comes first is not known.
    Claim {
        /// Changed variable, an index: what was there.
        var: VarId,
        /// Written buffer, of indices.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// What is put where nothing is, below [`MOST`].
        value: Expr,
    },
    /// `var = buffer[index]`, then `buffer[index] += value`: both as one step, whole also if other threads do the same; in a
    /// [`Launch`] alone. In which order they come is not known.
    FetchAdd {
        /// Declared variable, an index: what was there. None where nobody asks.
        var: Option<VarId>,
        /// Written buffer, of indices.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// What is added: the sum is at most [`MOST`].
        value: Expr,
    },
    /// `for var in lo..hi` on several threads, in any order. What the body declares is private to an iteration; it
    /// assigns no variable declared outside. No two iterations write one element but by [`Stmt::Atomic`] or in the private
    /// buffer, and none reads what another writes.
    ///
    /// Some iterations in a row are a *task*, how many is not known. To the buffers of `appends` each task appends as if
    /// they were empty before it: their elements and [`Expr::Len`] are the task's. After the loop they hold what they held
    /// before it, and then what the tasks appended, in the order of the iterations.
    Threads {
        /// Loop variable, an index, declared here.
        var: VarId,
        /// First value.
        lo: Expr,
        /// End, exclusive.
        hi: Expr,
        /// About how many scalar operations all iterations make: little work stays on one thread.
        work: Expr,
        /// A `pos` array: iteration `i` does work in proportion to `balance[i + 1] - balance[i]`, and all of `lo..=hi` is
        /// in its bounds. None: all do the same.
        balance: Option<BufferId>,
        /// A buffer declared outside of which each thread has a copy, set to the identity before and combined into it
        /// after, in the order of the iterations. The body reduces into it by this operator, and does nothing else to it.
        private: Option<(BufferId, Monoid)>,
        /// What the body appends to.
        appends: Option<Appends>,
        /// Loop body.
        body: Block,
    },
    /// Counts become positions: `buffer[n]` is the sum of the first n of `len` counts that it holds, for n up to `len`. A
    /// growable buffer holds no more than these, and grows by one.
    Scan {
        /// Changed buffer of indices.
        buffer: BufferId,
        /// How many counts.
        len: Expr,
    },
    /// `for var in (lo..hi).step_by(step)`; `lo` and `hi` are evaluated once.
    For {
        /// Loop variable, an index, declared here.
        var: VarId,
        /// First value.
        lo: Expr,
        /// End, exclusive; not above means no iteration.
        hi: Expr,
        /// Constant step, at least 1.
        step: u32,
        /// How iterations run.
        kind: LoopKind,
        /// Loop body.
        body: Block,
    },
    /// `while cond { body }`
    While {
        /// Evaluated before each iteration.
        cond: Expr,
        /// Loop body.
        body: Block,
    },
    /// `if cond { then } else { otherwise }`
    If {
        /// Evaluated once.
        cond: Expr,
        /// Taken if true.
        then: Block,
        /// Taken if false; may be empty.
        otherwise: Block,
    },
    /// What the lanes of a group do together; in a [`Launch`] alone.
    Collective(Collective),
    /// Waits for the others, and sees what they wrote before; in a [`Launch`] alone.
    Barrier(Scope),
    /// The thread leaves the kernel; in a [`Launch`] without collectives and barriers alone.
    Exit,
    /// A remark for the reader of generated code.
    Comment(String),
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
            Step::Allocate { .. } | Step::Reserve { .. } | Step::Read { .. } | Step::Fill { .. } => None,
        }
    }

    /// [`Step::code`], to be changed.
    pub fn code_mut(&mut self) -> Option<&mut Block> {
        match self {
            Step::Run(block) | Step::Launch(Launch { body: block, .. }) => Some(block),
            Step::Allocate { .. } | Step::Reserve { .. } | Step::Read { .. } | Step::Fill { .. } => None,
        }
    }
}
