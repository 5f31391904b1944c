//! Kernels of `tensor_kernel!`: compiled again, by the same compiler, when they first run on a GPU.

use super::{Argument, Backend, Kernel, Variants};
use sparse_core::driver::{Options, compile_gpu};
use sparse_core::error::{Error, Result};
use sparse_core::front::parse_str;
use std::sync::OnceLock;

/// A kernel as its text, and the CUDA that the macro made of it.
pub struct Embedded {
    name: &'static str,
    text: &'static str,
    source: &'static str,
    variants: OnceLock<Result<Variants, String>>,
}

impl Embedded {
    /// A kernel that was not used yet.
    pub const fn new(name: &'static str, text: &'static str, source: &'static str) -> Self {
        Embedded { name, text, source, variants: OnceLock::new() }
    }

    /// Its programs, made at the first call.
    ///
    /// # Errors
    /// [`Error::Internal`] if this compiler is not the macro's.
    pub fn variants(&self) -> Result<&Variants> {
        let variants = self.variants.get_or_init(|| {
            let parsed = parse_str(self.text).map_err(|e| format!("its text does not parse: {e:?}"))?;
            let compiled = compile_gpu(parsed, &Options::default());
            let variants = Variants::new(compiled.map_err(|e| format!("its text does not compile: {e:?}"))?);
            match variants.source() == self.source {
                true => Ok(variants),
                false => Err("its text compiles to something else than its tokens".into()),
            }
        });
        variants.as_ref().map_err(|what| Error::Internal { kernel: self.name.into(), what: what.clone() })
    }

    /// The program for a call with these arguments.
    ///
    /// # Errors
    /// As [`Embedded::variants`] and [`Variants::choose`].
    pub fn kernel<D: Backend>(&self, arguments: &[Argument<'_, D>]) -> Result<&Kernel> {
        self.variants()?.choose(arguments)
    }

    /// Makes all of its programs ready to run.
    ///
    /// # Errors
    /// As [`Embedded::variants`] and [`Backend::prepare`].
    pub fn prepare<D: Backend>(&self, device: &D) -> Result<()> {
        self.variants()?.kernels().iter().try_for_each(|kernel| device.prepare(kernel))
    }
}
