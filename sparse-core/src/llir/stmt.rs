//! Statements, and the kinds of loops.

use super::{BufferId, Collective, Expr, Scope, VarId, WorkspaceId};
#[cfg(doc)]
use super::{Launch, MOST, Space, align};
use crate::scalar::{Monoid, Value};

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

/// What a heap array holds when it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// Copies of a value.
    Value(Value),
    /// Of indices alone: what a thread stored there when the statement declared the array before, or 0; which thread that was is
    /// not known.
    Kept,
    /// Nothing: each element is written before it is read, and all of them before a loop on threads that reads the array alone.
    Unwritten,
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

/// How [`Stmt::Fetch`] combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchOp {
    /// The sum.
    Add,
    /// The larger one.
    Max,
    /// The word with the bit of this number set, below 31.
    Mark,
}

/// Elements of a register array that a [`Stmt::LoadVector`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorPart {
    /// The first of them.
    pub at: Expr,
    /// How many.
    pub len: u32,
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
    /// Pushes `count` copies on a growable buffer; or that many elements that are stored before anyone reads them, on one whose
    /// capacity is known.
    AppendN {
        /// Grown buffer.
        buffer: BufferId,
        /// How many.
        count: Expr,
        /// Pushed value.
        value: Option<Expr>,
    },
    /// Declares a register array, every element set to `init`.
    Local {
        /// Declared buffer, in [`Space::Register`].
        buffer: BufferId,
        /// First value of each element; none, in a [`Launch`] alone, where each is written before it is read.
        init: Option<Value>,
    },
    /// `to[0..c] = buffer[index..index + c]` by one access, c the length of the register array or its part; in a [`Launch`]
    /// alone. The index is a multiple of c ([`align`]), and c elements have 16 bytes at most.
    LoadVector {
        /// Written buffer, in [`Space::Register`].
        to: BufferId,
        /// Which of its elements are written, if not all.
        part: Option<VectorPart>,
        /// Read buffer.
        buffer: BufferId,
        /// Index of the first element.
        index: Expr,
    },
    /// `buffer[index..index + c] = from[0..c]` by one access, under the same conditions; with a monoid each element is
    /// combined with what is there, as by [`Stmt::Atomic`].
    StoreVector {
        /// Written buffer.
        buffer: BufferId,
        /// Index of the first element.
        index: Expr,
        /// Read buffer, in [`Space::Register`].
        from: BufferId,
        /// How elements are combined, if they are.
        update: Option<Monoid>,
    },
    /// Declares a heap array of `len` elements.
    Alloc {
        /// Declared buffer, in [`Space::Scratch`].
        buffer: BufferId,
        /// Number of elements: an expression of parameters, if the array keeps what it holds.
        len: Expr,
        /// What its elements are.
        init: Init,
    },
    /// From here on, until it is gathered, an empty workspace that is masked takes elements at the coordinates in `crd[lo..hi]`
    /// alone; it must be one that nothing has been scattered into.
    Mask {
        /// The workspace, of one dimension.
        workspace: WorkspaceId,
        /// Coordinates in ascending order; some may be equal.
        crd: BufferId,
        /// First position.
        lo: Expr,
        /// End of the positions.
        hi: Expr,
    },
    /// `workspace[at] op= value`; nothing where the workspace is masked and does not take the element.
    Scatter {
        /// Written workspace.
        workspace: WorkspaceId,
        /// By dimension, the element's coordinates.
        at: Vec<Expr>,
        /// The value.
        value: Expr,
    },
    /// The block at these coordinates of a workspace that has blocks, up to the end of the statement's own block, or to the next
    /// statement of it that uses the workspace. It is new where the workspace had none: each element is what it has before the first.
    Place {
        /// The workspace.
        workspace: WorkspaceId,
        /// By dimension, the block's coordinates.
        at: Vec<Expr>,
        /// Declared buffer, in [`Space::Scratch`]: the one that the workspace names.
        block: BufferId,
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
    /// step, whole also if other threads do the same; in a [`Launch`] alone. Who comes first is not known. A device loads first, and
    /// swaps where it finds nothing.
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
    /// `var = buffer[index]`, then `buffer[index] = op(var, value)`: both as one step, whole also if other threads do the
    /// same; in a [`Launch`] alone. In which order they come is not known.
    Fetch {
        /// What becomes of the element.
        op: FetchOp,
        /// Declared variable, an index: what was there. None where nobody asks.
        var: Option<VarId>,
        /// Written buffer, of indices.
        buffer: BufferId,
        /// Index of the element.
        index: Expr,
        /// What it is combined with: a sum is at most [`MOST`].
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
        /// `pos` arrays: iteration `i` does work in proportion to the sum of `balance[i + 1] - balance[i]`, and all of
        /// `lo..=hi` is in their bounds. None: all do the same.
        balance: Vec<BufferId>,
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
