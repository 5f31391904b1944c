//! Finding cuSPARSE: by the system's loader, in the CUDA toolkit, or in the wheels of a Python environment.

use super::{Error, Result};
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Every function that is called.
const FUNCTIONS: [&str; 34] = [
    "cusparseCreate",
    "cusparseDestroy",
    "cusparseSetStream",
    "cusparseGetVersion",
    "cusparseCreateCsr",
    "cusparseCreateDnMat",
    "cusparseCreateDnVec",
    "cusparseDestroySpMat",
    "cusparseDestroyDnMat",
    "cusparseDestroyDnVec",
    "cusparseSpMM_bufferSize",
    "cusparseSpMM_preprocess",
    "cusparseSpMM",
    "cusparseSpMV_bufferSize",
    "cusparseSpMV_preprocess",
    "cusparseSpMV",
    "cusparseSDDMM_bufferSize",
    "cusparseSDDMM_preprocess",
    "cusparseSDDMM",
    "cusparseSpGEMM_createDescr",
    "cusparseSpGEMM_destroyDescr",
    "cusparseSpGEMM_workEstimation",
    "cusparseSpGEMM_estimateMemory",
    "cusparseSpGEMM_compute",
    "cusparseSpGEMM_copy",
    "cusparseSpMatGetSize",
    "cusparseCsrSetPointers",
    "cusparseCreateMatDescr",
    "cusparseDestroyMatDescr",
    "cusparseXcsrgeam2Nnz",
    "cusparseScsrgeam2_bufferSizeExt",
    "cusparseScsrgeam2",
    "cusparseDcsrgeam2_bufferSizeExt",
    "cusparseDcsrgeam2",
];
/// What the library has been called since CUDA 12, in its file's name and by itself.
const NAME: &str = "libcusparse.so.12";

/// Loads the library for the rest of the program, with all its functions, so that the bindings find it: where it came
/// from.
///
/// # Errors
/// [`Error::Missing`], [`Error::TooOld`].
pub(super) fn find() -> Result<String> {
    static FOUND: OnceLock<String> = OnceLock::new();
    if let Some(path) = FOUND.get() {
        return Ok(path.clone());
    }
    let (path, library) = open()?;
    for function in FUNCTIONS {
        // SAFETY: the function is not called, so its type does not matter.
        if unsafe { library.get::<unsafe extern "C" fn()>(function) }.is_err() {
            return Err(Error::TooOld { path, function });
        }
    }
    std::mem::forget(library);
    Ok(FOUND.get_or_init(|| path).clone())
}

/// The library that the bindings will find.
fn open() -> Result<(String, Library)> {
    match by_name() {
        Ok(found) => Ok(found),
        Err(reason) => {
            // The loader takes what a program has already loaded for what it looks for under the same name.
            for path in places() {
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

/// By the names that the bindings try, in their order.
fn by_name() -> std::result::Result<(String, Library), String> {
    let mut reason = None;
    for name in cudarc::get_lib_name_candidates("cusparse") {
        // SAFETY: as above.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok((name, library)),
            Err(e) if name == NAME || reason.is_none() => reason = Some(e.to_string()),
            Err(_) => {}
        }
    }
    Err(reason.unwrap_or_default())
}

/// Where the library may be outside the loader's reach.
fn places() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let toolkits = named.chain([PathBuf::from("/usr/local/cuda")]);
    let toolkits = toolkits.flat_map(|root| ["lib64", "lib"].map(|folder| root.join(folder).join(NAME)));
    let environments =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let with_python: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|bin| bin.join("python3").exists())
        .filter_map(|bin| Some(bin.parent()?.to_path_buf()))
        .collect();
    let prefixes = environments.chain(with_python).chain(["/usr/local", "/usr"].map(PathBuf::from));
    toolkits.chain(prefixes.flat_map(|p| wheels(&p))).filter(|path| path.is_file()).collect()
}

/// In the wheels below a prefix: `lib/python3.12/site-packages/nvidia/cusparse/lib`.
fn wheels(prefix: &Path) -> Vec<PathBuf> {
    let folders = |at: PathBuf| {
        let entries = std::fs::read_dir(at).into_iter().flatten();
        entries.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>()
    };
    let versions = folders(prefix.join("lib"));
    let packages =
        versions.iter().flat_map(|v| ["site-packages", "dist-packages"].map(|p| v.join(p).join("nvidia")));
    packages.flat_map(folders).map(|wheel| wheel.join("lib").join(NAME)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_found_where_they_are_installed() {
        let prefix = std::env::temp_dir().join(format!("bench-wheels-{}", std::process::id()));
        let folder = prefix.join("lib/python3.12/site-packages/nvidia/cusparse/lib");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(NAME), "").unwrap();
        let found = wheels(&prefix);
        let _ = std::fs::remove_dir_all(&prefix);
        assert_eq!(found, [folder.join(NAME)]);
        assert!(wheels(Path::new("/no/such/folder")).is_empty());
    }
}
