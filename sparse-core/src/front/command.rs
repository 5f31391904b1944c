//! Scheduling commands as written: names and factors, before `schedule` checks what they mean.
//!
//! The same list comes from `schedule cpu { … }` and from a program that builds it ([`Schedule`]).

use super::ast::{Access, Expr};
use super::point::AtomicParallelism;
use crate::format::WorkspaceFormat;
use proc_macro2::Span;
use std::fmt;

/// A name in a command, with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The variable or workspace.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A constant factor, with its place.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// Its value; whether 0 is allowed is the command's rule.
    pub value: u64,
    /// Where it is written.
    pub span: Span,
}

/// One scheduling command.
#[derive(Clone, Debug)]
pub struct Command {
    /// The command's own name.
    pub span: Span,
    /// As the user wrote it, on one line.
    pub source: String,
    /// What it does.
    pub kind: CommandKind,
}

/// What a command does. Names and argument order are TACO's.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// `split(i, i0, i1, n)`: `i = i0·n + i1`, the inner loop of constant size.
    Split {
        /// Split variable.
        var: Name,
        /// Outer part.
        outer: Name,
        /// Inner part.
        inner: Name,
        /// Iterations of the inner loop.
        factor: Factor,
    },
    /// `divide(i, i0, i1, n)`: the outer loop of constant size.
    Divide {
        /// Divided variable.
        var: Name,
        /// Outer part.
        outer: Name,
        /// Inner part.
        inner: Name,
        /// Iterations of the outer loop.
        factor: Factor,
    },
    /// `fuse(i, j, f)`: two directly nested loops become one.
    Fuse {
        /// Outer loop.
        outer: Name,
        /// Inner loop.
        inner: Name,
        /// The one loop.
        fused: Name,
    },
    /// `reorder(i, j, …)`: these nested loops, in this order.
    Reorder {
        /// The new order, outermost first.
        order: Vec<Name>,
    },
    /// `pos(i, p, A[i, j])`: iterate over the stored positions of an operand.
    Pos {
        /// Coordinate variable.
        var: Name,
        /// Position variable.
        pos: Name,
        /// Whose positions.
        access: Access,
    },
    /// `coord(p, i)`: iterate over the coordinates that a range of positions spans.
    Coord {
        /// Position variable.
        pos: Name,
        /// Coordinate variable.
        var: Name,
    },
    /// `precompute(e, [i…], [iw…], w)`, `precompute(e, [i…], [iw…], w, List)`: compute a subexpression into a workspace
    /// first.
    Precompute {
        /// The subexpression.
        expr: Expr,
        /// Where the subexpression begins.
        expr_span: Span,
        /// The variables it is precomputed over.
        vars: Vec<Name>,
        /// Their names in the loops that fill the workspace.
        renamed: Vec<Name>,
        /// The workspace.
        workspace: Name,
        /// How it is stored; if not said, as an array, or as it was.
        format: Option<WorkspaceFormat>,
    },
    /// `bound(i, ib, n, MaxExact)`: a promise about the dimension, checked at the call.
    Bound {
        /// Bounded variable.
        var: Name,
        /// The same variable with the promise.
        bounded: Name,
        /// The constant.
        size: Factor,
        /// What is promised.
        kind: BoundKind,
    },
    /// `unroll(i, n)`
    Unroll {
        /// Unrolled variable.
        var: Name,
        /// How often.
        factor: Factor,
    },
    /// `mergeby(i, TwoFinger | Gallop)`
    MergeBy {
        /// Merged variable.
        var: Name,
        /// How.
        merge: Merge,
    },
    /// `parallelize(i, Unit, Strategy)`
    Parallelize {
        /// Parallel variable.
        var: Name,
        /// What runs its iterations.
        unit: Unit,
        /// Where the unit is written.
        unit_span: Span,
        /// How races are resolved.
        strategy: Strategy,
        /// Where the strategy is written.
        strategy_span: Span,
    },
}

impl CommandKind {
    /// The variables and workspaces that the command names.
    pub fn names(&self) -> Vec<&Name> {
        match self {
            CommandKind::Split { var, outer, inner, .. } | CommandKind::Divide { var, outer, inner, .. } => {
                vec![var, outer, inner]
            }
            CommandKind::Fuse { outer, inner, fused } => vec![outer, inner, fused],
            CommandKind::Reorder { order } => order.iter().collect(),
            CommandKind::Pos { var, pos, .. } | CommandKind::Coord { pos, var } => vec![var, pos],
            CommandKind::Precompute { vars, renamed, workspace, .. } => {
                vars.iter().chain(renamed).chain([workspace]).collect()
            }
            CommandKind::Bound { var, bounded, .. } => vec![var, bounded],
            CommandKind::Unroll { var, .. }
            | CommandKind::MergeBy { var, .. }
            | CommandKind::Parallelize { var, .. } => vec![var],
        }
    }
}

/// What a `bound` promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// The dimension's size is the constant.
    MaxExact,
    /// The dimension's size is a multiple of the constant.
    Divisible,
}

/// How sorted coordinates are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Step all of them.
    TwoFinger,
    /// Let those behind search for the one ahead.
    Gallop,
}

/// For what a schedule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Native code, on the host's threads.
    Cpu,
    /// An NVIDIA GPU, and the simulator.
    Cuda,
}

/// What runs the iterations of a parallel loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A thread of the processor.
    CpuThread,
    /// A lane of a vector register.
    CpuVector,
    /// A block of a GPU's grid.
    GpuBlock,
    /// A warp of a block: tiling only.
    GpuWarp,
    /// A thread of a warp.
    GpuThread,
    /// A thread of a group of so many, which reduce together.
    GpuGroup(u32),
    /// An element of a vector that a thread loads or stores by one access.
    GpuVector,
}

/// How iterations of a parallel loop that write the same element are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// They don't: checked.
    NoRaces,
    /// The user vouches for it.
    IgnoreRaces,
    /// Each write is atomic.
    Atomics,
    /// A private copy a thread, combined after.
    Temporary,
    /// The loop's reduction runs as a tree.
    ParallelReduction,
    /// The same for several columns at once: lanes exchange halves of what they have, and write a column each.
    ReduceScatter,
    /// Segments of equal output coordinates are reduced.
    Segment,
    /// The same, in an order that is the same in every run: what several groups have parts of is carried out, and summed by
    /// a launch after the first.
    Deterministic,
}

impl Strategy {
    /// Do all lanes of a group reduce into the same elements?
    pub fn is_joint(self) -> bool {
        matches!(self, Strategy::ParallelReduction | Strategy::ReduceScatter)
    }

    /// Do the lanes of a group reduce together, each writing what is its part?
    pub fn is_grouped(self) -> bool {
        self.is_joint() || self.is_segmented()
    }

    /// Do the lanes of a group reduce segments of equal output coordinates?
    pub fn is_segmented(self) -> bool {
        matches!(self, Strategy::Segment | Strategy::Deterministic)
    }
}

impl Unit {
    /// Is it one of a GPU's?
    pub fn is_gpu(self) -> bool {
        !matches!(self, Unit::CpuThread | Unit::CpuVector)
    }
}

impl fmt::Display for BoundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoundKind::MaxExact => "MaxExact",
            BoundKind::Divisible => "Divisible",
        })
    }
}

impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Merge::TwoFinger => "TwoFinger",
            Merge::Gallop => "Gallop",
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::CpuThread => "CPUThread",
            Unit::CpuVector => "CPUVector",
            Unit::GpuBlock => "GPUBlock",
            Unit::GpuWarp => "GPUWarp",
            Unit::GpuThread => "GPUThread",
            Unit::GpuGroup(r) => return write!(f, "GPUGroup({r})"),
            Unit::GpuVector => "GPUVector",
        })
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::NoRaces => "NoRaces",
            Strategy::IgnoreRaces => "IgnoreRaces",
            Strategy::Atomics => "Atomics",
            Strategy::Temporary => "Temporary",
            Strategy::ParallelReduction => "ParallelReduction",
            Strategy::ReduceScatter => "ReduceScatter",
            Strategy::Segment => "Segment",
            Strategy::Deterministic => "Deterministic",
        })
    }
}

/// The schedule of one target.
#[derive(Clone, Debug, Default)]
pub enum Schedule {
    /// Not written: the default.
    #[default]
    Default,
    /// `= none`: the kernel does not run there; on the CPU: serial, as concretization leaves it.
    None,
    /// `{ … }`
    Commands(Vec<Command>),
    /// `= atomic(<1/8 row, 4 col>, 8)`: a point of atomic parallelism, and where it is written. For GPUs.
    Point(AtomicParallelism, Span),
}
