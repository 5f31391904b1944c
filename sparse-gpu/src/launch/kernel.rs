//! A kernel that a device can run: its program, the text of its code, and where it is loaded.

use sparse_core::emit::signature::{Parameter, signature};
use sparse_core::llir::{Launch, Program, Verified};

/// A verified GPU program, and its CUDA.
pub struct Kernel {
    program: Verified,
    source: String,
    /// Of each launch, in order.
    signatures: Vec<Vec<Parameter>>,
    #[cfg(feature = "cuda")]
    pub(super) loaded: super::cuda::Loaded,
}

impl Kernel {
    /// A program, and the source with its launches as entry points.
    pub fn new(program: Verified, source: String) -> Self {
        let p = program.program();
        let signatures = p.launches().map(|launch| signature(p, launch)).collect();
        Kernel {
            signatures,
            program,
            source,
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

    /// The launches with their parameters, in order.
    pub fn launches(&self) -> impl Iterator<Item = (&Launch, &[Parameter])> {
        self.program().launches().zip(self.signatures.iter().map(Vec::as_slice))
    }
}
