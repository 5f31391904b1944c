//! NVRTC, NVIDIA's compiler of CUDA text as a library: finding it, and from a kernel's source to a CUBIN.
//!
//! It needs no GPU and no driver. [`Compiler::load`] looks for it, in this order, and takes the first that a driver can
//! load code of:
//!
//! 1. `SPARSE_NVRTC`: the library, or the folder that holds it. If it is set, nothing else is tried.
//! 2. What the system's loader finds as `libnvrtc.so.13`, `.so.12`, `.so`.
//! 3. The libraries of the CUDA toolkit at `CUDA_PATH` or `CUDA_HOME`, or at `/usr/local/cuda`.
//! 4. The wheels `nvidia-cuda-nvrtc-cu12` and `nvidia-cuda-nvrtc`, in the Python environments that `VIRTUAL_ENV`,
//!    `CONDA_PREFIX` and `PATH` name, the user's own, and the system's.
//!
//! ```no_run
//! use sparse_gpu::nvrtc::Compiler;
//! let source = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }";
//! let nvrtc = Compiler::load(None)?;
//! let compiled = nvrtc.compile(source, "twice.cu", 90, &[]).expect("it is correct CUDA");
//! println!("{} bytes, {} registers", compiled.cubin.len(), compiled.usage()[0].registers);
//! # Ok::<(), sparse_gpu::error::Error>(())
//! ```

mod cache;
mod library;
#[cfg(test)]
mod tests;
mod usage;

pub use usage::Usage;

use crate::cuda::libraries::NVRTC;
use cache::{Cache, Key};
use library::{Library, Program};
use once_cell::sync::OnceCell;
use sparse_core::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A version of CUDA: major and minor.
pub type Version = (u32, u32);

/// A loaded NVRTC. A clone is the same one.
#[derive(Clone)]
pub struct Compiler {
    library: Arc<Library>,
}

/// What a kernel's source was compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Code for one architecture.
    pub cubin: Vec<u8>,
    /// What the compiler said: warnings, and what each kernel uses.
    pub log: String,
}

impl Compiled {
    /// What each kernel uses, in the order of the log.
    pub fn usage(&self) -> Vec<Usage> {
        usage::parse(&self.log)
    }

    /// The log without what each kernel uses: warnings, and remarks on them.
    pub fn warnings(&self) -> Vec<&str> {
        usage::warnings(&self.log)
    }
}

/// A source that does not compile, and what the compiler said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{log}")]
pub struct JitError {
    /// The compiler's log.
    pub log: String,
}

/// Why a source is not compiled ahead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AheadError {
    /// It does not compile.
    #[error(transparent)]
    Jit(#[from] JitError),
    /// Nothing is kept on this machine.
    #[error(
        "compiled kernels are kept nowhere: SPARSE_CACHE is set to nothing, or is not set and the platform has no folder of caches: \
         set SPARSE_CACHE to a folder"
    )]
    NoCache,
    /// The disk does not take what was compiled.
    #[error("{}: {error}: set SPARSE_CACHE to a folder that can be written", .folder.display())]
    NotKept {
        /// The folder of compiled kernels.
        folder: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl Compiler {
    /// The first NVRTC that is found; with a driver's version, the first whose code that driver can load. What was
    /// found is remembered, and looked for again where nothing was.
    ///
    /// # Errors
    /// [`Error::NoNvrtc`], [`Error::NvrtcTooNew`].
    pub fn load(driver: Option<Version>) -> Result<Compiler> {
        static ANY: OnceCell<Compiler> = OnceCell::new();
        static FOR_DRIVER: OnceCell<Compiler> = OnceCell::new();
        let found = match driver {
            None => &ANY,
            // There is one driver in a process.
            Some(_) => &FOR_DRIVER,
        };
        found.get_or_try_init(|| find(driver)).cloned()
    }

    /// The NVRTC in this file, or in this folder.
    ///
    /// # Errors
    /// [`Error::NoNvrtc`]
    pub fn open(path: &Path) -> Result<Compiler> {
        let mut tried = Vec::new();
        first(NVRTC.inside(path), None, &mut tried)?.ok_or_else(|| {
            if tried.is_empty() {
                tried.push(format!("{} (holds no libnvrtc)", path.display()));
            }
            Error::NoNvrtc { tried }
        })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.library.version
    }

    /// The library's file, as it was found.
    pub fn path(&self) -> &Path {
        &self.library.path
    }

    /// The architectures that it compiles for, in ascending order: 90 for `sm_90`.
    pub fn architectures(&self) -> &[u32] {
        &self.library.architectures
    }

    /// Compiles a source to code for one architecture: 90 for `sm_90`. The name stands in messages. Options are
    /// NVRTC's, beside the architecture's and those that make [`Compiled::usage`] possible.
    ///
    /// # Errors
    /// The log, if the source does not compile.
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        architecture: u32,
        options: &[&str],
    ) -> Result<Compiled, JitError> {
        let mut program = Program::new(&self.library, source, name)?;
        let architecture = format!("--gpu-architecture=sm_{architecture}");
        let mut all = vec![architecture.as_str(), "--ptxas-options=-v"];
        all.extend(options);
        program.compile(&all)
    }

    /// [`Compiler::compile`], but what was compiled before comes from the disk: from the folder `SPARSE_CACHE`, or
    /// `sparse-gpu` in the platform's folder of caches. `SPARSE_CACHE` set to nothing turns this off.
    ///
    /// # Errors
    /// The log, if the source does not compile.
    pub fn compile_cached(
        &self,
        source: &str,
        name: &str,
        architecture: u32,
        options: &[&str],
    ) -> Result<Compiled, JitError> {
        let Some(cache) = Cache::open() else { return self.compile(source, name, architecture, options) };
        let key = Key { source, name, architecture, options, nvrtc: self.version() };
        // A program that is compiled again in its next run is no worse for it.
        self.compile_into(&cache, &key).map(|(compiled, _)| compiled)
    }

    /// [`Compiler::compile_cached`], for programs that compile what others will run: what is not kept is an error.
    ///
    /// # Errors
    /// The log, if the source does not compile; what keeps it from the disk.
    pub fn compile_ahead(
        &self,
        source: &str,
        name: &str,
        architecture: u32,
        options: &[&str],
    ) -> Result<Compiled, AheadError> {
        let cache = Cache::open().ok_or(AheadError::NoCache)?;
        let key = Key { source, name, architecture, options, nvrtc: self.version() };
        let (compiled, kept) = self.compile_into(&cache, &key)?;
        let folder = || cache.folder().to_path_buf();
        kept.map_err(|error| AheadError::NotKept { folder: folder(), error })?;
        Ok(compiled)
    }

    /// What the cache has, or is given, and whether it has it now.
    fn compile_into(
        &self,
        cache: &Cache,
        key: &Key<'_>,
    ) -> Result<(Compiled, std::io::Result<()>), JitError> {
        if let Some(compiled) = cache.load(key) {
            return Ok((compiled, Ok(())));
        }
        let compiled = self.compile(key.source, key.name, key.architecture, key.options)?;
        let kept = cache.store(key, &compiled);
        Ok((compiled, kept))
    }

    /// Can it compile for this architecture?
    ///
    /// # Errors
    /// [`Error::UnsupportedArchitecture`]
    pub fn check_architecture(&self, architecture: u32) -> Result<()> {
        let known = self.architectures();
        if known.contains(&architecture) {
            return Ok(());
        }
        let newer = known.last().is_none_or(|&last| architecture > last);
        Err(Error::UnsupportedArchitecture { architecture, nvrtc: self.version(), newer })
    }
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.version();
        write!(f, "NVRTC {major}.{minor} at {}", self.path().display())
    }
}

fn find(driver: Option<Version>) -> Result<Compiler> {
    let mut tried = Vec::new();
    if let Some(path) = std::env::var_os("SPARSE_NVRTC").filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        let found = first(NVRTC.inside(&path), driver, &mut tried)?;
        return found.ok_or_else(|| {
            if tried.is_empty() {
                tried.push(format!(
                    "{}, which SPARSE_NVRTC names and which holds no libnvrtc",
                    path.display()
                ));
            }
            Error::NoNvrtc { tried }
        });
    }
    first(NVRTC.everywhere(), driver, &mut tried)?.ok_or(Error::NoNvrtc { tried })
}

/// The first library that loads and suits the driver. One that is too new is an error if nothing else is found.
fn first(
    places: impl IntoIterator<Item = PathBuf>,
    driver: Option<Version>,
    tried: &mut Vec<String>,
) -> Result<Option<Compiler>> {
    let mut too_new = None;
    for path in places {
        match Library::open(&path) {
            Ok(library) => {
                // Code of a newer major version does not load; of a newer minor version it does.
                let suits = driver.is_none_or(|driver| library.version.0 <= driver.0);
                if suits {
                    return Ok(Some(Compiler { library: Arc::new(library) }));
                }
                too_new.get_or_insert((library.path.display().to_string(), library.version));
            }
            Err(reason) => tried.push(format!("{} ({reason})", path.display())),
        }
    }
    match (too_new, driver) {
        (Some((path, nvrtc)), Some(driver)) => Err(Error::NvrtcTooNew { path, nvrtc, driver }),
        _ => Ok(None),
    }
}
