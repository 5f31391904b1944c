//! Kernels of `tensor_kernel!`: compiled again, by the same compiler, when they first run on a GPU.

use super::Kernel;
use sparse_core::driver::{Options, compile_cuda};
use sparse_core::error::{Error, Result};
use sparse_core::front::parse_str;
use std::sync::OnceLock;

/// A kernel as its text, and the CUDA that the macro made of it.
pub struct Embedded {
    name: &'static str,
    text: &'static str,
    source: &'static str,
    kernel: OnceLock<Result<Kernel, String>>,
}

impl Embedded {
    /// A kernel that was not used yet.
    pub const fn new(name: &'static str, text: &'static str, source: &'static str) -> Self {
        Embedded { name, text, source, kernel: OnceLock::new() }
    }

    /// Its program, made at the first call.
    ///
    /// # Errors
    /// [`Error::Internal`] if this compiler is not the macro's.
    pub fn kernel(&self) -> Result<&Kernel> {
        let kernel = self.kernel.get_or_init(|| {
            let parsed = parse_str(self.text).map_err(|e| format!("its text does not parse: {e:?}"))?;
            let compiled = compile_cuda(parsed, &Options::default());
            let compiled = compiled.map_err(|e| format!("its text does not compile: {e:?}"))?;
            let kernel = Kernel::new(compiled.program);
            match kernel.source() == self.source {
                true => Ok(kernel),
                false => Err("its text compiles to something else than its tokens".into()),
            }
        });
        kernel.as_ref().map_err(|what| Error::Internal { kernel: self.name.into(), what: what.clone() })
    }
}
