//! A kernel that a device can run: its program, its CUDA, and where it is loaded.

use sparse_core::emit::cuda::{self, Kernel as Entry};
use sparse_core::llir::{Launch, Program, Verified};

/// A verified GPU program, and its CUDA.
pub struct Kernel {
    program: Verified,
    source: String,
    /// Of each launch, in order.
    entries: Vec<Entry>,
    #[cfg(feature = "cuda")]
    pub(super) loaded: super::cuda::Loaded,
}

impl Kernel {
    /// Of a program.
    pub fn new(program: Verified) -> Self {
        Kernel {
            source: cuda::emit(&program),
            entries: cuda::kernels(&program),
            program,
            #[cfg(feature = "cuda")]
            loaded: super::cuda::Loaded::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.program.program()
    }

    /// Its CUDA.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The launches with their entry points in the source, in order.
    pub fn launches(&self) -> impl Iterator<Item = (&Launch, &Entry)> {
        self.program().launches().zip(&self.entries)
    }
}
