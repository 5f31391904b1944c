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
mod buffer;
pub mod build;
mod expr;
pub mod kernel;
pub mod print;
mod program;
mod race;
#[cfg(test)]
pub(crate) mod samples;
pub mod simplify;
mod step;
mod stmt;
pub mod uniform;
pub mod verify;
pub mod walk;

pub use crate::format::TensorId;
pub use crate::format::WorkspaceFormat;
use crate::scalar::DType;
pub use buffer::{Array, Buffer, DenseBlock, Elem, Space, Workspace};
pub use expr::{Bound, Cmp, Expr, IndexOp, MOST, marks_below, place_of};
pub use kernel::{
    Arrive, Axis, Carry, Collective, Group, Launch, Neighbour, Over, Scanned, Scope, Sole, Write,
};
pub use program::{Extent, Fused, Program, Promise, Role, Tensor};
pub use race::IgnoredRace;
pub use step::{Fibers, Step};
pub use stmt::{Appends, Block, FetchOp, Init, LoopKind, Stmt, VectorPart};
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
