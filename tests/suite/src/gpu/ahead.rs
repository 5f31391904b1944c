//! Kernels that are compiled for a GPU where there is none.

use super::options::Options;
use sparse_gpu::launch::Kernel;
use sparse_gpu::nvrtc::{AheadError, Compiler};

/// Compiles for one architecture, into the cache on disk.
pub(super) struct Ahead {
    nvrtc: Compiler,
    architecture: u32,
}

impl Ahead {
    /// What is asked for, if anything is.
    ///
    /// # Errors
    /// There is no NVRTC, or none for this architecture; the cache's folder takes no files.
    pub(super) fn new(options: &Options) -> Result<Option<Ahead>, String> {
        let Some(architecture) = options.compile else { return Ok(None) };
        let nvrtc = Compiler::load(None).map_err(|e| e.to_string())?;
        nvrtc.check_architecture(architecture).map_err(|e| e.to_string())?;
        let ahead = Ahead { nvrtc, architecture };
        // A folder that takes nothing shows here, and not at each of the kernels.
        ahead.keep("// Nothing.\n", "nothing.cu").map_err(|e| e.to_string())?;
        Ok(Some(ahead))
    }

    /// Compiles a kernel, unless it was compiled before.
    ///
    /// # Errors
    /// NVRTC's log; what keeps the kernel from the disk.
    pub(super) fn compile(&self, kernel: &Kernel) -> Result<(), String> {
        self.keep(kernel.source(), &kernel.file_name()).map_err(|e| match e {
            AheadError::Jit(log) => format!("NVRTC refuses it: {log}"),
            e => e.to_string(),
        })
    }

    fn keep(&self, source: &str, name: &str) -> Result<(), AheadError> {
        self.nvrtc.compile_ahead(source, name, self.architecture, &[]).map(drop)
    }
}
