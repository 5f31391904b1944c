//! A whole program: its tables and its host steps.

use super::{
    Buffer, BufferId, Elem, Expr, IgnoredRace, Launch, Param, Space, Step, Var, VarId, Workspace, WorkspaceId,
};
use crate::format::{FormatSpec, TensorId};
use crate::scalar::DType;
use std::fmt;

/// How a tensor of the program is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Read.
    Input,
    /// Read and written in place.
    InOut,
    /// Made by the program, all levels dense or assembled from its buffers.
    Result,
    /// Made by the program, sharing the arrays of so many levels of another tensor, from the root; those below are dense, and the
    /// values are new.
    ResultLike(TensorId, usize),
}

/// A tensor of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The user's name.
    pub name: String,
    /// Its format.
    pub spec: FormatSpec,
    /// For a result that is assembled in [`Tensor::spec`]: the format into which the launcher packs it, with the same
    /// dimensions and fill.
    pub packed: Option<FormatSpec>,
    /// Its element type.
    pub dtype: DType,
    /// How it is used.
    pub role: Role,
    /// For a result: where each dimension's size comes from, as (tensor, dimension).
    pub dims_from: Vec<(TensorId, usize)>,
}

impl Tensor {
    /// Of an assembled result: where the sizes of its first levels come from, which are dense.
    pub fn first_dense(&self) -> impl Iterator<Item = (TensorId, usize)> + '_ {
        let levels = if self.role == Role::Result { &self.spec.levels[..] } else { &[] };
        let dense = levels.iter().take_while(|l| l.is_full()).count();
        (0..dense).map(|l| self.dims_from[self.spec.map.dim_of_level(l)])
    }
}

/// The range of an index variable: all these dimensions must agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The index variable's name.
    pub index: String,
    /// Every (tensor, dimension) it indexes in the arguments, first use first.
    pub sources: Vec<(TensorId, usize)>,
    /// What a schedule promises about the size, and the code relies on.
    pub promises: Vec<Promise>,
}

/// A promise about a dimension's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The size is this.
    Exact(u64),
    /// The size is a multiple of this.
    Multiple(u64),
    /// The size makes so many parts of this size, of which the last may be smaller.
    Parts {
        /// Size of a part.
        size: u64,
        /// How many.
        count: u64,
    },
}

impl Promise {
    /// Does a size keep it?
    pub fn holds(self, size: u64) -> bool {
        match self {
            Promise::Exact(n) => size == n,
            Promise::Multiple(n) => n != 0 && size.is_multiple_of(n),
            Promise::Parts { size: part, count } => part != 0 && size.div_ceil(part) == count,
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Promise::Exact(n) => write!(f, "exactly {n}"),
            Promise::Multiple(n) => write!(f, "a multiple of {n}"),
            Promise::Parts { size, count } => {
                let most = size.saturating_mul(count);
                write!(f, "from {} to {most}: {count} parts of {size}", most.saturating_sub(size) + 1)
            }
        }
    }
}

/// A loop over the coordinates of several dimensions at once, or over some with each stored entry: so many that their number may
/// pass an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fused {
    /// The loop's name.
    pub index: String,
    /// The (tensor, dimension) of each of them.
    pub of: Vec<(TensorId, usize)>,
    /// The (tensor, level) of the entries.
    pub entries: Vec<(TensorId, usize)>,
}

/// A whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// The user's statement, for comments.
    pub source: String,
    /// Tensors, numbered as in the kernel's declaration (a returned result last).
    pub tensors: Vec<Tensor>,
    /// Checked by the launcher before the first step.
    pub extents: Vec<Extent>,
    /// Checked by the launcher as well.
    pub fused: Vec<Fused>,
    /// Passed by the launcher.
    pub params: Vec<Param>,
    /// Variables by [`VarId`].
    pub vars: Vec<Var>,
    /// Buffers by [`BufferId`].
    pub buffers: Vec<Buffer>,
    /// Sparse workspaces by [`WorkspaceId`].
    pub workspaces: Vec<Workspace>,
    /// Host steps in order.
    pub steps: Vec<Step>,
    /// What the schedule ignores.
    pub ignored_races: Vec<IgnoredRace>,
}

impl Program {
    /// The variable's description.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// The buffer's description.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.index()]
    }

    /// Is it known, before the code runs, how many elements a growable buffer has at most?
    pub fn has_capacity(&self, id: BufferId) -> bool {
        let bounds = |s: &Step| matches!(s, Step::Reserve { buffer, capacity: Some(_), .. } if *buffer == id);
        self.steps.iter().any(bounds)
    }

    /// The workspace's description.
    pub fn workspace(&self, id: WorkspaceId) -> &Workspace {
        &self.workspaces[id.index()]
    }

    /// The kernels that the program launches, in order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> + Clone {
        self.steps.iter().filter_map(|s| match s {
            Step::Launch(launch) => Some(launch),
            _ => None,
        })
    }

    /// A size of the host without the names that [`Step::Let`] gives to others.
    pub fn in_full(&self, size: &Expr) -> Expr {
        let mut size = size.clone();
        // Names are declared after those that they are made of.
        for step in self.steps.iter().rev() {
            if let Step::Let { var, value } = step {
                size.substitute(*var, value);
            }
        }
        size
    }

    /// The tensor that the program makes or changes.
    pub fn output(&self) -> (TensorId, &Tensor) {
        let at = self.tensors.iter().position(|t| t.role != Role::Input).expect("a program has one output");
        (TensorId(at as u32), &self.tensors[at])
    }
}

impl Buffer {
    /// Bytes that it takes of a block's shared memory.
    pub fn shared_bytes(&self) -> u64 {
        let size = match self.elem {
            Elem::Index => 4,
            Elem::Scalar(t) => t.size(),
        };
        match self.space {
            Space::Shared { len } => u64::from(len) * size as u64,
            _ => 0,
        }
    }
}
