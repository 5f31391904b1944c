//! Arrays: which of a tensor's they are or whose workspace, what they hold, where they live.

use super::{BufferId, Expr, Ty, build};
#[cfg(doc)]
use super::{Launch, Step, Stmt};
use crate::format::{Level, StorageArray, TensorId, WorkspaceFormat};
use crate::scalar::{DType, Monoid, Value};

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

    /// How many elements one access of a GPU's thread moves ([`DType::vector_lengths`]).
    pub fn vector_lengths(self) -> impl Iterator<Item = u64> {
        let in_memory = match self {
            Elem::Index => DType::I32,
            Elem::Scalar(t) => t,
        };
        in_memory.vector_lengths()
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

impl Array {
    /// The array of this name of a tensor's level; values are those of all levels.
    pub fn of_level(name: StorageArray, tensor: TensorId, level: usize) -> Array {
        match name {
            StorageArray::Pos => Array::Pos(tensor, level),
            StorageArray::Crd => Array::Crd(tensor, level),
            StorageArray::Vals => Array::Vals(tensor),
        }
    }

    /// Is it among the arrays that store a level of this format?
    pub fn is_stored_by(self, level: Level) -> bool {
        match self {
            Array::Pos(..) => level.has_pos(),
            Array::Crd(..) => level.has_crd(),
            Array::Vals(_) | Array::Local => false,
        }
    }
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
    /// A heap array declared by [`Stmt::Alloc`] and gone at the end of its block: a workspace; or one [`Stmt::Place`] finds.
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

impl Buffer {
    /// What one of its elements is named: `A_val` of `A_vals`.
    pub fn element_name(&self) -> &str {
        self.name.strip_suffix('s').unwrap_or(&self.name)
    }
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
    /// Does it have a dense block of elements at each coordinate, instead of one?
    pub block: Option<DenseBlock>,
    /// How values of one element are combined; none where an element is scattered once, or the last one counts. Into a block
    /// its code combines them.
    pub op: Option<Monoid>,
    /// An element's value before the first is combined with it.
    pub init: Value,
    /// Does it take the elements that a [`Stmt::Mask`](super::Stmt::Mask) lists alone?
    pub masked: bool,
    /// May threads gather it, outside of loops that they share?
    pub on_threads: bool,
    /// By dimension, the coordinates that were gathered.
    pub crd: Vec<BufferId>,
    /// The values that were gathered.
    pub vals: BufferId,
}

/// What a [`Workspace`] has at each coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseBlock {
    /// Size of each dimension: expressions of parameters.
    pub dims: Vec<Expr>,
    /// The block that a [`Stmt::Place`](super::Stmt::Place) found.
    pub open: BufferId,
}

impl DenseBlock {
    /// So many elements.
    pub fn len(&self) -> Expr {
        self.dims.iter().cloned().fold(Expr::Index(1), build::mul)
    }
}
