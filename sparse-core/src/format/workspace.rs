//! Formats of workspaces: how the elements that a producer writes are found again.

use std::fmt;

/// How a workspace stores its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WorkspaceFormat {
    /// An array of all elements, which the consumer reads by their coordinates.
    #[default]
    Dense,
    /// An array of all elements of one dimension, and a list of those that were written (Gustavson's sparse accumulator).
    List,
    /// A hash table of those that were written.
    Hash,
    /// All that was written, one after another: sorted by coordinates, and what is equal combined.
    Sort,
}

impl WorkspaceFormat {
    /// Does the consumer read the elements that were written alone, in the order of their coordinates?
    pub fn is_sparse(self) -> bool {
        self != WorkspaceFormat::Dense
    }
}

impl fmt::Display for WorkspaceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WorkspaceFormat::Dense => "Dense",
            WorkspaceFormat::List => "List",
            WorkspaceFormat::Hash => "Hash",
            WorkspaceFormat::Sort => "Sort",
        })
    }
}
