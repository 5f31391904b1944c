//! Kernels that are compiled for a GPU where there is none.

use super::options::Options;
use sparse_gpu::launch::Kernel;
use sparse_gpu::nvrtc::Compiler;

/// Compiles for one architecture, into the cache on disk.
pub(super) struct Ahead {
    nvrtc: Compiler,
    architecture: u32,
}

impl Ahead {
    /// What is asked for, if anything is.
    ///
    /// # Errors
    /// There is no NVRTC, or none for this architecture.
    pub(super) fn new(options: &Options) -> Result<Option<Ahead>, String> {
        let Some(architecture) = options.compile else { return Ok(None) };
        let nvrtc = Compiler::load(None).map_err(|e| e.to_string())?;
        nvrtc.check_architecture(architecture).map_err(|e| e.to_string())?;
        Ok(Some(Ahead { nvrtc, architecture }))
    }

    /// Compiles a kernel, unless it was compiled before.
    ///
    /// # Errors
    /// NVRTC's log.
    pub(super) fn compile(&self, kernel: &Kernel) -> Result<(), String> {
        let compiled =
            self.nvrtc.compile_cached(kernel.source(), &kernel.file_name(), self.architecture, &[]);
        compiled.map(drop).map_err(|e| format!("NVRTC refuses it: {e}"))
    }
}
