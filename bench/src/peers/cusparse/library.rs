//! Finding cuSPARSE, and which of its functions are there.

use super::{Error, Result};
use libloading::Library;
use sparse_gpu::cuda::libraries::CUSPARSE;
use std::path::Path;
use std::sync::OnceLock;

/// What every call needs.
const ALWAYS: [&str; 6] = [
    "cusparseCreate",
    "cusparseDestroy",
    "cusparseSetStream",
    "cusparseGetVersion",
    "cusparseCreateCsr",
    "cusparseDestroySpMat",
];

/// The library that was loaded.
pub(super) struct Loaded {
    /// Where it came from.
    pub(super) path: String,
    library: Library,
}

impl Loaded {
    /// Nothing may be called of the bindings that is not there: they panic.
    ///
    /// # Errors
    /// [`Error::Lacks`]: which of these functions it lacks.
    pub(super) fn needs(&self, functions: &[&'static str]) -> Result<()> {
        for function in functions {
            // SAFETY: the function is not called, so its type does not matter.
            if unsafe { self.library.get::<unsafe extern "C" fn()>(*function) }.is_err() {
                return Err(Error::Lacks { path: self.path.clone(), function });
            }
        }
        Ok(())
    }
}

/// Loads the library for the rest of the program, so that the bindings find it.
///
/// # Errors
/// [`Error::Missing`], [`Error::Lacks`].
pub(super) fn find() -> Result<&'static Loaded> {
    static FOUND: OnceLock<Loaded> = OnceLock::new();
    if let Some(loaded) = FOUND.get() {
        return Ok(loaded);
    }
    let (path, library) = open()?;
    let loaded = Loaded { path, library };
    loaded.needs(&ALWAYS)?;
    Ok(FOUND.get_or_init(|| loaded))
}

/// The library that the bindings will find.
fn open() -> Result<(String, Library)> {
    match by_name() {
        Ok(found) => Ok(found),
        Err(reason) => {
            // The loader takes what a program has already loaded for what it looks for under the same name.
            for path in CUSPARSE.everywhere() {
                linker_beside(&path);
                // SAFETY: the library's initialisers are those that any program that uses it runs.
                let Ok(library) = (unsafe { Library::new(&path) }) else { continue };
                if let Ok((_, found)) = by_name() {
                    std::mem::forget(library);
                    return Ok((path.display().to_string(), found));
                }
            }
            Err(Error::Missing(reason))
        }
    }
}

/// Loads the library that cuSPARSE needs, and may not find by itself: it is beside it, or in a wheel of its own.
fn linker_beside(cusparse: &Path) {
    let Some(folder) = cusparse.parent() else { return };
    for folder in [folder.to_path_buf(), folder.join("../../nvjitlink/lib")] {
        for name in ["libnvJitLink.so.13", "libnvJitLink.so.12"] {
            let path = folder.join(name);
            if !path.is_file() {
                continue;
            }
            // SAFETY: as below.
            if let Ok(library) = unsafe { Library::new(path) } {
                std::mem::forget(library);
            }
        }
    }
}

/// By the names that the bindings try, in their order.
fn by_name() -> std::result::Result<(String, Library), String> {
    let mut reason = None;
    for name in cudarc::get_lib_name_candidates("cusparse") {
        // SAFETY: as above.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok((name, library)),
            Err(e) if name.contains(".so.12") || reason.is_none() => reason = Some(e.to_string()),
            Err(_) => {}
        }
    }
    Err(reason.unwrap_or_default())
}
