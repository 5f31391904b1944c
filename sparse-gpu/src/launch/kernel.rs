//! A kernel that a device can run: its program, its CUDA, and where it is loaded.

use sparse_core::emit::cuda::{self, Kernel as Entry};
use sparse_core::llir::{Launch, Program, Step, Verified};
use std::sync::Arc;

/// A verified GPU program, and its CUDA.
pub struct Kernel {
    program: Verified,
    source: Arc<str>,
    /// Of each launch, in order.
    entries: Vec<Entry>,
    #[cfg(feature = "cuda")]
    pub(super) loaded: super::cuda::Loaded,
}

impl Kernel {
    /// Of a program.
    pub fn new(program: Verified) -> Self {
        Kernel {
            source: cuda::emit(&program).into(),
            entries: cuda::kernels(&program),
            program,
            #[cfg(feature = "cuda")]
            loaded: super::cuda::Loaded::default(),
        }
    }

    /// Of programs whose entry points have different names, with one source, which a device compiles once.
    pub fn of_all(programs: Vec<Verified>) -> Vec<Self> {
        let (source, kernels) = cuda::emit_all(&programs.iter().collect::<Vec<_>>());
        let source: Arc<str> = source.into();
        #[cfg(feature = "cuda")]
        let modules = super::cuda::Modules::default();
        let of = |(program, entries)| Kernel {
            program,
            source: source.clone(),
            entries,
            #[cfg(feature = "cuda")]
            loaded: super::cuda::Loaded::from(modules.clone()),
        };
        programs.into_iter().zip(kernels).map(of).collect()
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.program.program()
    }

    /// Does the host wait for the device in a call, to learn how large something is?
    pub fn waits(&self) -> bool {
        self.program().steps.iter().any(|step| matches!(step, Step::Read { .. } | Step::Fits { .. }))
    }

    /// Its CUDA.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What its source is called in messages of NVRTC's.
    pub fn file_name(&self) -> String {
        format!("{}.cu", self.program().name)
    }

    /// The launches with their entry points in the source, in order.
    pub fn launches(&self) -> impl Iterator<Item = (&Launch, &Entry)> {
        self.program().launches().zip(&self.entries)
    }
}
